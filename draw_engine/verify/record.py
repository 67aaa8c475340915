"""A record whose shape holds, as the checks read it: its terms, and what its own entries of the log tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from draw_engine.canonical import parse_time
from draw_engine.selection import spread_moments
from draw_engine.verify.entry_data import ENDINGS

# What a selection of a session stands for: ("moment", n) or ("after", ordinal); in an electronic draw a place's first
# one is ("place", place).
Turn = tuple[str, int]

FILLED = ("confirmed", "held", "refused")


@dataclass(frozen=True, slots=True)
class Happening:
    """One of the draw's own log entries; `at` in milliseconds since 1970."""

    seq: int
    at: int
    kind: str
    actor: str
    data: dict[str, Any]

    @property
    def turn(self) -> Turn:
        """Which turn a selection, its postponement or its lapse is about."""
        if self.data["after"] is not None:
            return "after", self.data["after"]
        return ("moment", self.data["moment"]) if self.data["moment"] is not None else ("place", self.data["place"])

    def __str__(self) -> str:
        return f"entry {self.seq} ({self.kind})"


class Record:
    """The record and the folder its pool files lie in. Everything here assumes that shape has been checked."""

    def __init__(self, raw: dict[str, Any], folder: Path) -> None:
        self.raw = raw
        self.folder = folder
        self.terms: dict[str, Any] = raw["terms"]
        self.draw: str = self.terms["draw"]
        self.session: bool = self.terms["kind"] == "session"
        self.rehearsal: bool = self.terms["rehearsal"]
        self.log: list[dict[str, Any]] = raw["log"]
        self.seed = bytes.fromhex(raw["house_seed"])

    @cached_property
    def happenings(self) -> list[Happening]:
        """The draw's own entries, in log order."""
        return [
            Happening(e["seq"], parse_time(e["at"]), e["kind"], e["actor"], e["data"])
            for e in self.log
            if e["draw"] == self.draw and "data" in e
        ]

    def happened(self, *kinds: str) -> list[Happening]:
        """Those of these kinds, in log order."""
        return [h for h in self.happenings if h.kind in kinds]

    @cached_property
    def made(self) -> dict[int, Happening]:
        """`selection.made` by ordinal (the first, should one stand twice)."""
        made: dict[int, Happening] = {}
        for happening in self.happened("selection.made"):
            made.setdefault(happening.data["ordinal"], happening)
        return made

    @cached_property
    def duplicates(self) -> dict[int, Happening]:
        """`selection.duplicate` by ordinal."""
        return {h.data["ordinal"]: h for h in reversed(self.happened("selection.duplicate"))}

    @cached_property
    def endings(self) -> dict[int, list[Happening]]:
        """How the claim of each ordinal ended: one entry, or the ending and the void that followed."""
        endings: dict[int, list[Happening]] = {}
        for happening in self.happened(*ENDINGS):
            endings.setdefault(happening.data["ordinal"], []).append(happening)
        return endings

    def outcome(self, ordinal: int) -> str | None:
        """`duplicate`, or what the claim's last ending says; None when there is none."""
        if ordinal in self.duplicates:
            return "duplicate"
        endings = self.endings.get(ordinal)
        return endings[-1].kind.removeprefix("claim.") if endings else None

    @cached_property
    def failures(self) -> dict[int, Happening]:
        """The entry with which each failed ordinal failed."""
        failures = dict(self.duplicates)
        for ordinal, endings in self.endings.items():
            if has_failed(endings[-1]):
                failures.setdefault(ordinal, endings[-1])
        return failures

    @cached_property
    def frozen(self) -> dict[str, Happening]:
        """`pool.frozen` by pool id."""
        return {h.data["id"]: h for h in reversed(self.happened("pool.frozen"))}

    @cached_property
    def checkpoint_entries(self) -> list[dict[str, Any]]:
        """The `checkpoint.made` entries of the log."""
        return [e for e in self.log if e["kind"] == "checkpoint.made"]

    @cached_property
    def end(self) -> int:
        """The end of a session's moments, in milliseconds since 1970."""
        return parse_time(self.terms["moments"]["end"])

    @cached_property
    def moments(self) -> list[int]:
        """A session's moments, recomputed or as fixed, in milliseconds since 1970."""
        moments = self.terms["moments"]
        if moments["how"] == "fixed":
            return [parse_time(at) for at in moments["at"]]
        start = parse_time(moments["start"])
        return spread_moments(self.seed, draw=self.draw, start=start, end=self.end, count=moments["count"])

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """The rows of one of the record's arrays."""
        yield from self.raw[name]


def has_failed(happening: Happening) -> bool:
    """Whether this entry makes a selection one that must be followed by another: the page's *failed*."""
    if happening.kind == "claim.voided":
        return bool(happening.data["reselect"])
    return happening.kind in ("claim.expired", "claim.not_rightful_card", "claim.ineligible", "selection.duplicate")
