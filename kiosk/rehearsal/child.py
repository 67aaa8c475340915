"""The process a rehearsal runs in, beside the core: it holds up no press, and may be ended at any time.

Its order comes on standard input as JSON; it answers with a line of JSON a step, `{"step": …}`, and at the end with
`{"figures": …}` or `{"code": …, "sentence": …}`.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from datetime import date
from pathlib import Path
from typing import Any

from config.rule_book_faults import RuleBookFaults, check
from draw_engine.errors import Refused
from draw_engine.lists import ListFaults
from kiosk.rehearsal.figures import figures
from kiosk.rehearsal.floors import prepare
from kiosk.rehearsal.rehearse import RehearsalOrder, rehearse

_NICE = 10


def play(order: dict[str, Any]) -> dict[str, Any]:
    """Make the floor, rehearse, verify; gives the figures. Raises Refused, RuleBookFaults, ListFaults."""
    out, rules = Path(order["out"]), order["rules"].encode()
    day = date.fromisoformat(order["day"])
    made = out / "floor"
    crew = order["crew"]
    try:
        _say({"step": "floor"})
        floor = prepare(check(rules), day, order["floor"], made)
        _say({"step": "rehearse"})
        told = rehearse(RehearsalOrder(rules=rules, day=day, floor=floor, crew=_crew_toml(crew)), out)
    finally:
        shutil.rmtree(made, ignore_errors=True)  # it names members; the record does without it
    _say({"step": "verify"})
    return figures(out, told, day=order["day"], floor=f"{order['floor']['kind']}:{order['floor']['name']}", **crew)


def _crew_toml(crew: dict[str, int]) -> bytes:
    return f"crews = {crew['crews']}\n".encode()


def _say(told: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


def main() -> int:
    """Carry out the order on standard input."""
    os.umask(0o077)
    os.nice(_NICE)
    try:
        _say({"figures": play(json.load(sys.stdin))})
    except Refused as refusal:
        _say({"code": refusal.code, "sentence": refusal.sentence})
    except ListFaults as found:
        _say({"code": "X_FLOOR_FILE", "sentence": f"{found}. Correct that list of the floor."})
    except RuleBookFaults as found:
        _say({"code": "X_RULES_CONFLICT", "sentence": str(found)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
