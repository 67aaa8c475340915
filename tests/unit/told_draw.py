"""A draw's state, told entry by entry as its log would tell it."""

from __future__ import annotations

from typing import Any

from draw_engine.canonical import format_time
from draw_engine.draw_state import DrawState
from draw_engine.log import Entry

START = 1_696_680_000_000
END = START + 600_000
RETRY = 30_000
MOMENTS = [START + 100_000, START + 300_000, START + 500_000]
TERMS: dict[str, Any] = {
    "draw": "d",
    "places": [7, 1, 2],
    "moments": {"how": "spread", "start": format_time(START), "end": format_time(END), "count": 3},
    "retry_ms": RETRY,
}


class Told:
    """A draw's state, told entry by entry."""

    def __init__(self) -> None:
        self.seq = 1
        self.state = DrawState(self._entry(START - 900_000, "draw.opened", TERMS), MOMENTS)

    def _entry(self, at: int, kind: str, data: dict[str, Any]) -> Entry:
        self.seq += 1
        return Entry(self.seq, at, kind, "d", "engine", data, "", "", "", "")

    def tell(self, at: int, kind: str, **data: Any) -> None:
        self.state.apply(self._entry(at, kind, data))

    def select(self, at: int, place: int, *, moment: int | None = None, after: int | None = None) -> int:
        """A pool is frozen, a selection made, its claim opened; gives the ordinal."""
        ordinal = len(self.state.selections)
        pool = f"p{len(self.state.pools)}"
        self.tell(at, "pool.judged", pool=pool, verdicts="0" * 64)
        self.tell(at, "pool.frozen", id=pool, size=5, total="5", root="0" * 64, left_out={}, journal=None, basis=None)
        turn = {"place": place, "moment": moment, "after": after}
        made = {"ordinal": ordinal, "pool": pool, "public_count": 0, "ticket": "0", "ref": "0" * 32, "position": "S-1"}
        self.tell(at, "selection.made", **turn, **made)
        self.tell(at, "claim.opened", claim=f"c{ordinal}", ordinal=ordinal)
        return ordinal

    def end(self, at: int, ordinal: int, outcome: str, **more: Any) -> None:
        self.tell(at, f"claim.{outcome}", claim=f"c{ordinal}", ordinal=ordinal, **({"prize": None} | more))
