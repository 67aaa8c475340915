"""Thandi's claim of the worked cases, worked by a crew's presses at the document's times (7 October 2023)."""

from __future__ import annotations

from typing import Any

from claim_steps import CHECKED, SIGNED, Casinos
from desk_words import desk_casino, sign
from people_words import PIETER, THANDI, jhb

from draw_engine.claim_moves import stage_of
from draw_engine.draw_state import Claim
from draw_engine.service import pressing
from draw_engine.service.pressing import StaffPress

SELECTED_AT = jhb("14:18:05")
FOUND_CHECK = {"checks": CHECKED["device"], "identification": "patron_manager"}
STAGE_CHECK = {"checks": CHECKED["stage"], "identification": "sa_id"}
PAID = {"amount": 75_000, "signature": SIGNED}


class CrewAtWork:
    """Thandi, alone at S-0412, has been selected; the document says at 14:18:05, and all its times count from there.

    Pieter sits down at a table right after it: whoever is selected again is him.
    """

    def __init__(self, casinos: Casinos, *, signed: bool = False, **said: Any) -> None:
        self.casino = desk_casino(casinos, now="13:20", **said)
        if signed:
            sign(self.casino, THANDI, phone="082 000 0001")
        self.casino.sits(THANDI, "S-0412", card="100001001")
        self.casino.at("13:59:59")
        self.casino.go(self.casino.moments()[0])
        (row,) = self.casino.draw().rows.values()
        assert (row.person, row.position, row.card) == (THANDI, "S-0412", "100001001")
        self._begun = self.casino.clock.now()
        self._presses = 0
        self.casino.tray()
        self.casino.rated(PIETER)
        self.casino.send()

    def time(self, text: str) -> int:
        """The instant that the document calls so."""
        return self._begun + jhb(text) - SELECTED_AT

    def at(self, text: str) -> None:
        """Time passes up to the document's time."""
        self.casino.go(self.time(text))

    def press(self, at: str, verb: str, *, by: str = "kabelo", stamped: int | None = None, **said: Any) -> str:
        """A press of the first claim at the document's time; gives the stage it leads to. Raises Refused."""
        self.at(at)
        self._presses += 1
        asked = StaffPress(
            id=f"press-{self._presses:04d}",
            verb=verb,
            draw=self.casino.draw().state.id,
            ordinal=0,
            by=by,
            stamped_at=self.casino.clock.now() if stamped is None else stamped,
            said=said,
        )
        stage: str = pressing.press(self.casino.engine, asked)["stage"]
        return stage

    @property
    def claim(self) -> Claim:
        return self.casino.draw().state.claims[0]

    @property
    def stage(self) -> str:
        return stage_of(self.claim)

    def announced(self) -> None:
        """Kabelo accepts, finds the seat empty at 14:19:40, and she is announced at 14:20:00.000."""
        self.press("14:18:20", "take")
        self.press("14:19:40", "not_there")
        self.press("14:20:00", "announce", by="mandla")

    def selected_again(self) -> str:
        """Who was selected after the first claim failed, in the same millisecond."""
        self.casino.tick()
        (made,) = [entry for entry in self.casino.said("selection.made") if entry.data["after"] == 0]
        assert made.at == self.claim.ended_at
        return self.casino.draw().rows[made.data["ordinal"]].person

    def ends_well(self) -> None:
        """The session goes on to its end, and its record verifies when the test ends."""
        self.casino.tick()
        self.casino.finish("14:11")
        assert self.casino.draw().state.closed_at is not None
