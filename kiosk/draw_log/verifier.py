"""`python -m kiosk.draw_log.verifier FOLDER KEY [--journal]`: the verifier's report as JSON, for the console.

The core starts it: a process of its own and of a low priority, so that verifying never holds up a selection or a press.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence

from draw_engine.verify import verify

_LESS_URGENT = 10


def main(arguments: Sequence[str]) -> str:
    """The report: {checks: [{name, ok, sentence}], notices, verdict, exit_code}."""
    folder, key, *options = arguments
    report = verify(folder, key, journal="--journal" in options)
    checks = [{"name": check.name, "ok": check.ok, "sentence": check.sentence} for check in report.checks]
    told = {"checks": checks, "notices": report.notices, "verdict": report.verdict, "exit_code": report.exit_code}
    return json.dumps(told)


if __name__ == "__main__":
    os.nice(_LESS_URGENT)
    sys.stdout.write(main(sys.argv[1:]))
