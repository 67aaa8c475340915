"""A draw as its log tells it: a fold over the draw's own entries, and nothing else but the moments its seed gives.

The service asks this what is due; a restart builds it again from the log, so the two can never differ.
Source: draw record 1, "When" and "The record"; floor-events "Awards and draws".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from draw_engine.canonical import parse_time
from draw_engine.log import Entry

FILLED = frozenset({"confirmed", "held", "refused"})
"""Outcomes that fill a place (the record)."""
FAILED = frozenset({"expired", "not_rightful_card", "ineligible"})
"""Outcomes that are followed by exactly one re-selection of the same place, or its lapse; a void may be one too."""


@dataclass(slots=True)
class Turn:
    """A place's wait for a selection: by moment `moment`, or again after failed ordinal `after`; `due` in ms."""

    place: int
    moment: int | None
    after: int | None
    due: int = field(repr=False)  # it may be a moment that has not come: no debug output may show it
    tries: int = 0
    after_outage: bool = False


@dataclass(slots=True)
class Place:
    """One award of the draw. `state`: waiting, running, filled, lapsed, given_up."""

    number: int
    turn: Turn | None
    state: str = "waiting"
    ordinals: list[int] = field(default_factory=list)
    lapse: str | None = None


@dataclass(frozen=True, slots=True)
class FrozenPool:
    """What a record shows of a pool, and whether it was frozen for a moment before the session's end."""

    id: str
    frozen_at: int
    size: int
    total: str
    root: str
    basis: str | None


@dataclass(frozen=True, slots=True)
class Selected:
    """One `selection.made`."""

    ordinal: int
    at: int
    place: int
    moment: int | None
    after: int | None
    pool: str
    public_count: int
    ticket: str
    ref: str
    position: str | None


@dataclass(slots=True)
class Claim:
    """A selected guest's claim; times in ms. `outcome` and `ended_at` stay None while it runs.

    `taken_by`, `announced_by`: actors (`crew:kabelo`). `arrival`: found, other_person or not_there. `review`: why it
    waits for two people, None when it does not; `attested`: what they last decided.
    `mismatch`: the code of what did not agree at the check. `pocket`: the tray's.
    """

    ordinal: int
    opened_at: int
    taken_by: str | None = None
    taken_at: int | None = None
    arrived_at: int | None = None
    arrival: str | None = None
    found_at: int | None = None
    announced_at: int | None = None
    announced_by: str | None = None
    deadline_at: int | None = None
    presented_at: int | None = None
    review: str | None = None
    attested: str | None = None
    mismatch: str | None = None
    checked_at: int | None = None
    pocket: str | None = None
    ended_at: int | None = None
    outcome: str | None = None
    prize: int | None = None
    reselect: bool = False

    @property
    def id(self) -> str:
        return f"c{self.ordinal}"

    @property
    def runs(self) -> bool:
        return self.outcome is None


class DrawState:
    """One session, from `draw.opened` on."""

    def __init__(self, opened: Entry, moments: Sequence[int]) -> None:
        terms: Mapping[str, Any] = opened.data
        self.id: str = terms["draw"]
        self.terms = terms
        self.opened_at = opened.at
        self.opened_seq = opened.seq
        self.closed_at: int | None = None
        self.closed_seq: int | None = None
        self.start = parse_time(terms["moments"]["start"])
        self.end = parse_time(terms["moments"]["end"])
        self.places = {
            number: Place(number, Turn(number, n, None, moments[n])) for n, number in enumerate(terms["places"])
        }
        self.pools: list[FrozenPool] = []
        self.last_pool_before_end: FrozenPool | None = None
        self.selections: list[Selected] = []
        self.claims: list[Claim] = []
        self.public: list[tuple[int, str, str]] = []
        self.suspended = False
        self.ended_early = False
        self.excluded_feeds: set[str] = set()

    # -- what the log says -------------------------------------------------------------------------------------

    def apply(self, entry: Entry) -> None:
        """Take in one entry of this draw; kinds with no bearing here change nothing."""
        move = self._MOVES.get(entry.kind)
        if move is not None:
            move(self, entry)

    def _entropy_given(self, entry: Entry) -> None:
        self.public.append((entry.at, entry.data["source"], entry.data["text"]))

    def _pool_frozen(self, entry: Entry) -> None:
        data = entry.data
        pool = FrozenPool(data["id"], entry.at, data["size"], data["total"], data["root"], data["basis"])
        self.pools.append(pool)

    def _selection_made(self, entry: Entry) -> None:
        data = entry.data
        made = Selected(
            data["ordinal"],
            entry.at,
            data["place"],
            data["moment"],
            data["after"],
            data["pool"],
            data["public_count"],
            data["ticket"],
            data["ref"],
            data["position"],
        )
        self.selections.append(made)
        place = self.places[made.place]
        place.turn, place.state = None, "running"
        place.ordinals.append(made.ordinal)
        if made.moment is not None and entry.at < self.end:
            self.last_pool_before_end = self.pools[-1]

    def _selection_postponed(self, entry: Entry) -> None:
        turn = self._turn_of(entry)
        turn.tries += 1
        turn.due = entry.at + self.terms["retry_ms"]
        turn.after_outage = turn.after_outage or entry.data["reason"] == "outage"

    def _turn_of(self, entry: Entry) -> Turn:
        turn = self.places[entry.data["place"]].turn
        assert turn is not None
        return turn

    def _selection_lapsed(self, entry: Entry) -> None:
        place = self.places[entry.data["place"]]
        place.turn, place.state, place.lapse = None, "lapsed", entry.data["reason"]

    def _claim_opened(self, entry: Entry) -> None:
        self.claims.append(Claim(entry.data["ordinal"], entry.at))

    def _claim_taken(self, entry: Entry) -> None:
        claim = self.claims[entry.data["ordinal"]]
        claim.taken_by, claim.taken_at = entry.actor, entry.at

    def _claim_handed_over(self, entry: Entry) -> None:
        self.claims[entry.data["ordinal"]].taken_by = entry.data["to"]

    def _claim_released(self, entry: Entry) -> None:
        self.claims[entry.data["ordinal"]].taken_by = None

    def _claim_arrived(self, entry: Entry) -> None:
        claim = self.claims[entry.data["ordinal"]]
        claim.arrived_at, claim.arrival = entry.at, entry.data["arrival"]

    def _claim_found(self, entry: Entry) -> None:
        self.claims[entry.data["ordinal"]].found_at = entry.at

    def _claim_announced(self, entry: Entry) -> None:
        claim = self.claims[entry.data["ordinal"]]
        claim.announced_at, claim.announced_by = entry.at, entry.actor
        claim.deadline_at = parse_time(entry.data["deadline_at"])
        claim.presented_at = claim.attested = None

    def _claim_presented(self, entry: Entry) -> None:
        claim = self.claims[entry.data["ordinal"]]
        if claim.presented_at is None:
            claim.presented_at = parse_time(entry.data["presented_at"])

    def _claim_review(self, entry: Entry) -> None:
        self.claims[entry.data["ordinal"]].review = entry.data["reason"]

    def _claim_reviewed(self, entry: Entry) -> None:
        claim = self.claims[entry.data["ordinal"]]
        claim.review, claim.attested = None, entry.data["decision"]

    def _claim_mismatch(self, entry: Entry) -> None:
        self.claims[entry.data["ordinal"]].mismatch = entry.data["code"]

    def _claim_checked(self, entry: Entry) -> None:
        self.claims[entry.data["ordinal"]].checked_at = entry.at

    def _envelope_drawn(self, entry: Entry) -> None:
        self.claims[entry.data["ordinal"]].pocket = entry.data["pocket"]

    def _envelope_exchanged(self, entry: Entry) -> None:
        self.claims[entry.data["ordinal"]].pocket = None

    def _claim_ended(self, entry: Entry) -> None:
        self._end(entry, entry.kind.removeprefix("claim."))

    def _claim_voided(self, entry: Entry) -> None:
        self.claims[entry.data["ordinal"]].reselect = entry.data["reselect"]
        self._end(entry, "voided")

    def _end(self, entry: Entry, outcome: str) -> None:
        claim = self.claims[entry.data["ordinal"]]
        claim.outcome, claim.ended_at, claim.prize = outcome, entry.at, entry.data["prize"]
        place = self.places[self.selections[claim.ordinal].place]
        if outcome in FILLED:
            place.state, place.turn = "filled", None
        elif outcome in FAILED or claim.reselect:
            place.state, place.turn = "waiting", Turn(place.number, None, claim.ordinal, entry.at)
        else:
            place.state, place.turn = "given_up", None

    def _session_ended_early(self, _entry: Entry) -> None:
        self.suspended = self.ended_early = True

    def _session_suspended(self, _entry: Entry) -> None:
        self.suspended = True

    def _session_resumed(self, _entry: Entry) -> None:
        self.suspended = False

    def _feed_excluded(self, entry: Entry) -> None:
        self.excluded_feeds.add(entry.data["feed"])

    def _draw_closed(self, entry: Entry) -> None:
        self.closed_at, self.closed_seq = entry.at, entry.seq

    _MOVES: ClassVar[Mapping[str, Callable[[DrawState, Entry], None]]] = {
        "entropy.given": _entropy_given,
        "pool.frozen": _pool_frozen,
        "selection.made": _selection_made,
        "selection.postponed": _selection_postponed,
        "selection.lapsed": _selection_lapsed,
        "claim.opened": _claim_opened,
        "claim.taken": _claim_taken,
        "claim.handed_over": _claim_handed_over,
        "claim.released": _claim_released,
        "claim.arrived": _claim_arrived,
        "claim.found": _claim_found,
        "claim.announced": _claim_announced,
        "claim.presented": _claim_presented,
        "claim.review": _claim_review,
        "claim.reviewed": _claim_reviewed,
        "claim.mismatch": _claim_mismatch,
        "claim.checked": _claim_checked,
        "envelope.drawn": _envelope_drawn,
        "envelope.exchanged": _envelope_exchanged,
        **dict.fromkeys((f"claim.{outcome}" for outcome in FILLED | FAILED), _claim_ended),
        "claim.voided": _claim_voided,
        "session.suspended": _session_suspended,
        "session.ended_early": _session_ended_early,
        "session.resumed": _session_resumed,
        "feed.excluded": _feed_excluded,
        "draw.closed": _draw_closed,
    }

    # -- what is asked of it -----------------------------------------------------------------------------------

    def turns_due(self, now: int) -> list[Turn]:
        """The waiting turns due by `now`: re-selections first, then the oldest moment (draw record, "queue")."""
        waiting = [place.turn for place in self.places.values() if place.turn is not None and place.turn.due <= now]
        return sorted(waiting, key=lambda turn: (turn.after is None, turn.after or 0, turn.moment or 0))

    def next_due(self) -> int | None:
        """When the next turn is due. Known to the engine alone: never shown, logged or listed."""
        return min((place.turn.due for place in self.places.values() if place.turn is not None), default=None)

    def running(self) -> list[Claim]:
        return [claim for claim in self.claims if claim.runs]

    def settled(self) -> bool:
        """Every place is filled, lapsed or given up, and no claim runs."""
        return all(place.state in {"filled", "lapsed", "given_up"} for place in self.places.values())

    def last_made_at(self) -> int | None:
        return self.selections[-1].at if self.selections else None

    def failed_ordinals(self, place: int) -> list[int]:
        """The ordinals of this place whose claim failed: their persons may not be drawn for it again."""
        return [n for n in self.places[place].ordinals if self.claims[n].outcome in FAILED or self.claims[n].reselect]
