"""`python -m draw_engine.verify DIR|record.json [--key BASE64] [--slip FILE]… [--journal]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from draw_engine.verify.checking import verify

MISUSED = 64  # arguments that make no sense: none of the page's exit codes, so never taken for a verdict


def main(argv: Sequence[str], out: TextIO) -> int:
    """Verify what the arguments name and print the report; the exit code is 0, 1, 2 or 3 as the page says."""
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as stopped:  # argparse has said why, or has printed its help
        return MISUSED if stopped.code else 0
    report = verify(arguments.record, arguments.key, arguments.slip, journal=arguments.journal)
    encoding = out.encoding or "utf-8"  # a text in memory has none
    for line in report.lines():
        print(line.encode(encoding, "replace").decode(encoding), file=out)
    return report.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="verify",
        description="Redo a draw from its record. Needs the record, its pool files and Python; no network.",
        epilog="Exit: 0 everything holds and the key was compared; 3 everything holds, the key was not compared; "
        "1 something fails or a named file is missing; 2 not a record.",
    )
    parser.add_argument("record", type=Path, metavar="DIR|record.json", help="the record, or the folder it lies in")
    parser.add_argument("--key", metavar="BASE64", help="the property's public key, from where it is published")
    parser.add_argument("--slip", type=Path, action="append", default=[], metavar="FILE", help="printed slips as text")
    parser.add_argument("--journal", action="store_true", help="judge every pool again from the folder judging/")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdout))
