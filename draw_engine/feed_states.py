"""What a feed's silence or words mean for its sessions (design "Taking it in"): up, stale, down, unsure or unheard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from draw_engine.clock import Millis
from draw_engine.feed_order import FeedOrder, Known

UP = "up"
STALE = "stale"
DOWN = "down"
UNSURE = "unsure"
UNHEARD = "unheard"


@dataclass(frozen=True, slots=True)
class FeedState:
    """One feed at one instant. Anything but `up` makes its sessions unknown.

    `since`: the last sign of life of a stale feed, else when the state began (None: unheard, up). `silent_ms`: age of
    the last arrival; `behind_ms`: age of its newest time; both None when unheard. `wants_snapshot`: the bridge is to
    be asked for one. `cause` and `hole`: as in `feed_order.Unsure`, else "".
    """

    feed: str
    state: str
    since: Millis | None
    silent_ms: Millis | None = None
    behind_ms: Millis | None = None
    limit_ms: Millis | None = None
    cause: str = ""
    hole: tuple[int, int] | None = None
    reason: str = ""
    wants_snapshot: bool = False

    @property
    def unknown(self) -> bool:
        """Whether its sessions are neither playing nor ended (`SS_FEED_STALE`)."""
        return self.state != UP

    @property
    def sentence(self) -> str:
        """For the console: the state, in figures, and what to do."""
        return f"Feed {self.feed} {_SENTENCES[self.state](self)}"


def unheard(feed: str) -> FeedState:
    """A feed that has told nothing yet."""
    return FeedState(feed, UNHEARD, None, wants_snapshot=True)


def state_at(order: FeedOrder, known: Known, t: Millis, limit_ms: Millis) -> FeedState:
    """The state of a feed that was heard, at `t`; `limit_ms` is how old arrivals and times may be, inclusive.

    The gravest fact names it: a link known to be lost, then silence or blindness, then a missing snapshot.
    """
    silent, behind = t - order.last_arrival, t - order.newest_at
    unsure = known.unsure
    wants = unsure is not None and known.down_since is None
    if known.down_since is not None:
        state, since = DOWN, known.down_since
    elif silent > limit_ms or behind > limit_ms:
        state, since = STALE, min(order.last_arrival, order.newest_at)
    elif unsure is not None:
        state, since = UNSURE, unsure.since
    else:
        return FeedState(order.feed, UP, None, silent, behind, limit_ms)
    cause, hole = ("", None) if unsure is None else (unsure.cause, unsure.hole)
    reason = known.down_reason if state == DOWN else ""
    return FeedState(order.feed, state, since, silent, behind, limit_ms, cause, hole, reason, wants)


def _seconds(ms: Millis | None) -> str:
    return f"{-(-(ms or 0) // 1000):,} s"  # rounded up: what is just over a limit must not read as the limit


def _stale(state: FeedState) -> str:
    limit = _seconds(state.limit_ms)
    if (state.silent_ms or 0) > (state.limit_ms or 0):
        return f"was last heard {_seconds(state.silent_ms)} ago, {limit} are allowed; look at its bridge and its link."
    return f"tells what happened {_seconds(state.behind_ms)} ago, {limit} are allowed; it is working off a backlog."


def _unsure(state: FeedState) -> str:
    if state.hole is None:
        return "came back and has not yet told all that is open; its bridge was asked for a snapshot."
    first, last = state.hole
    numbers = f"number {first}" if first == last else f"numbers {first} to {last}"
    return f"did not bring {numbers}; its bridge was asked for a snapshot of all that is open."


_SENTENCES: dict[str, Callable[[FeedState], str]] = {
    UP: lambda _: "is up.",
    STALE: _stale,
    DOWN: lambda state: f"says that its link is lost ({state.reason}); look at the system behind it.",
    UNSURE: _unsure,
    UNHEARD: lambda _: "has not been heard yet; start its bridge.",
}
