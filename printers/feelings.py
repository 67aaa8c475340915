"""How a file printer is set: `state.json` in its folder, by hand, by a test or by the page.

`{"state": "ready"}`, any other printer state, and for trouble in the middle `"fails_after"`: N bytes, and `"then"`: the
state it is in from there on.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from printers.states import PrinterState

STATE_FILE = "state.json"


@dataclass(frozen=True, slots=True)
class Feeling:
    """How a file printer is set. `fails_after`: trouble after so many bytes of the next slip, then it is `then`."""

    state: PrinterState = PrinterState.READY
    fails_after: int | None = None
    then: PrinterState = PrinterState.OFFLINE


def set_feeling(folder: Path, feeling: Feeling) -> None:
    """Set the printer's state, whole or not at all. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    told = {"state": feeling.state.value, "fails_after": feeling.fails_after, "then": feeling.then.value}
    part = folder / (STATE_FILE + ".part")
    part.write_text(json.dumps(told) + "\n", encoding="utf-8")
    part.replace(folder / STATE_FILE)


def read_feeling(folder: Path) -> Feeling:
    """How the printer is set: ready without a file, in error when nobody can read what stands there."""
    try:
        told = json.loads((folder / STATE_FILE).read_bytes())
        after = told.get("fails_after")
        return Feeling(
            PrinterState(told.get("state", "ready")),
            None if after is None else max(0, int(after)),
            PrinterState(told.get("then", "offline")),
        )
    except FileNotFoundError:
        return Feeling()
    except (OSError, ValueError, TypeError, AttributeError):
        return Feeling(PrinterState.ERROR)
