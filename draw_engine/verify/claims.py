"""Claims: every ending earned by what was logged before it (draw record 1, the claim rows of "The log")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from draw_engine.canonical import format_time, parse_time
from draw_engine.verify.record import FILLED, Happening

# What may follow a review's decision; a void may follow any, an announcement follows `again` alone.
_MAY_FOLLOW = {
    "present": ("claim.confirmed", "claim.refused", "claim.ineligible", "claim.voided"),
    "absent": ("claim.expired", "claim.held", "claim.voided"),
    "again": ("claim.voided",),
}
_NEEDS_PRESENCE = ("claim.confirmed", "claim.refused")
_NEEDS_ABSENCE = ("claim.expired", "claim.held")


@dataclass(slots=True)
class Claim:
    """One claim, as far as the log has told it. Each `on_…` yields what the entry was not allowed to do."""

    opened: Happening
    window: int
    found: Happening | None = None
    announced: Happening | None = None  # the counting announcement: the latest
    presented_at: int | None = None  # of the counting press: the first after it
    in_review: bool = False
    decision: str | None = None  # of the latest review, until an announcement follows its `again`
    ending: Happening | None = None  # the latest: an ending or the void that came after it

    @property
    def deadline(self) -> int | None:
        """Milliseconds since 1970; None before an announcement."""
        return parse_time(self.announced.data["deadline_at"]) if self.announced else None

    @property
    def in_time(self) -> bool:
        """Whether the counting press came at or before the deadline."""
        return self.presented_at is not None and self.deadline is not None and self.presented_at <= self.deadline

    def hear(self, entry: Happening) -> Iterator[str]:
        """Take the next entry of this claim, yielding its faults."""
        if entry.data["ordinal"] != self.opened.data["ordinal"]:
            yield f"it is of ordinal {entry.data['ordinal']}, the claim of {self.opened.data['ordinal']}"
        if entry.kind == "claim.voided":
            yield from self._on_void(entry)
        elif self.ending is not None:
            yield f"it comes after {self.ending}: a claim ends once, and only a void may follow a filled place"
        elif entry.kind in _HEARD:
            yield from _HEARD[entry.kind](self, entry)
        else:
            yield from self._on_ending(entry)

    def _on_found(self, entry: Happening) -> Iterator[str]:
        if self.announced is not None:
            yield f"the guest was found after {self.announced}: at the device counts before any announcement"
        if self.found is not None:
            yield f"the guest had been found in {self.found}"
        self.found = entry

    def _on_announced(self, entry: Happening) -> Iterator[str]:
        if self.announced is not None and self.decision != "again":
            yield f"it was announced in {self.announced}; a second one needs a review's decision `again`"
        elif self.decision in ("present", "absent"):
            yield f"a review decided {self.decision}; no announcement may follow that"
        if parse_time(entry.data["deadline_at"]) != entry.at + self.window:
            yield f"its deadline {entry.data['deadline_at']} is not {self.window} ms after the announcement"
        self.announced, self.presented_at = entry, None
        self.decision = None if self.decision == "again" else self.decision

    def _on_presented(self, entry: Happening) -> Iterator[str]:
        presented = parse_time(entry.data["presented_at"])
        if self.announced is None:
            yield "nothing was announced that somebody could present themselves for"
        elif not self.announced.at <= presented <= entry.at:
            yield f"presented_at {entry.data['presented_at']} is not between {self.announced} and the entry itself"
        if self.announced is not None and self.presented_at is None:
            self.presented_at = presented

    def _on_review(self, _entry: Happening) -> Iterator[str]:
        if self.in_review:
            yield "a review of this claim is open already"
        self.in_review = True

    def _on_reviewed(self, entry: Happening) -> Iterator[str]:
        decision = entry.data["decision"]
        if not self.in_review:
            yield "no review of this claim is open"
        if decision in ("absent", "again") and (self.found is not None or self.in_time):
            yield f"a review cannot decide {decision}: the guest was {'found' if self.found else 'presented in time'}"
        self.in_review, self.decision = False, decision

    def _on_ending(self, entry: Happening) -> Iterator[str]:
        yield from self._after_review(entry)
        presence = self._presence()
        if entry.kind in _NEEDS_PRESENCE and presence is None:
            yield "the guest was neither found, nor presented in time, nor attested present"
        if entry.kind in _NEEDS_ABSENCE:
            if presence is not None:
                yield f"the guest was {presence}"
            if self.deadline is None:
                yield "there was no announcement"
            elif entry.at <= self.deadline:
                yield f"it comes before the deadline {format_time(self.deadline)} has passed"
        self.ending = entry

    def _on_void(self, entry: Happening) -> Iterator[str]:
        yield from self._after_review(entry)
        if self.ending is not None and self.ending.kind.removeprefix("claim.") not in FILLED:
            yield f"it comes after {self.ending}: only a claim that runs or ended filled may be voided"
        self.ending = entry

    def _after_review(self, entry: Happening) -> Iterator[str]:
        if self.in_review:
            yield "a review is open: the claim cannot end before it is decided"
        if self.decision is not None and entry.kind not in _MAY_FOLLOW[self.decision]:
            yield f"a review decided {self.decision}; {entry.kind} may not follow that"

    def _presence(self) -> str | None:
        if self.found is not None:
            return f"found in {self.found}"
        if self.in_time and self.presented_at is not None:
            return f"presented in time, at {format_time(self.presented_at)}"
        return "attested present by a review" if self.decision == "present" else None


_HEARD = {
    "claim.found": Claim._on_found,  # noqa: SLF001 - the table of this module's own class
    "claim.announced": Claim._on_announced,  # noqa: SLF001 - as above
    "claim.presented": Claim._on_presented,  # noqa: SLF001 - as above
    "claim.review": Claim._on_review,  # noqa: SLF001 - as above
    "claim.reviewed": Claim._on_reviewed,  # noqa: SLF001 - as above
}
