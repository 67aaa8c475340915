"""Why somebody was in a pool or was not: kept as lines of text, and said to the guest in a sentence.

The lines hold member numbers and play: they stay in the database, only their SHA-256 is published (`pool.judged`).
One line a person, ascending by the person's number, and one for each other card that read `SS_OTHER_CARD_COUNTED`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from draw_engine.canonical import format_time
from draw_engine.clock import Millis

IN = "IN"
"""The code of those who were in the pool."""

_HEADER = "floordraw verdicts 1"


class Verdict(NamedTuple):
    """What one judging found of a person (`person` = m). `code`: `IN`, or the reason they were left out.

    `measure`, `figure`, `limit`: what failed, by how much, against what (ms, games, cents, years; None: no figure).
    `member`, `card` ("" where unknown), `position`, `feed`: of the session that got furthest. `SS_OTHER_CARD_COUNTED`:
    `member` is the other card's number, `position` where the counted one plays.
    """

    person: str
    code: str
    measure: str
    figure: int | None
    limit: int | None
    member: str
    card: str
    position: str
    feed: str


class Play(NamedTuple):
    """What an entrant's session was doing at the instant: ages in ms, sums since it opened, amounts in cents."""

    idle_ms: Millis | None
    open_ms: Millis
    untouched_ms: Millis
    games: int
    coin_in: int
    average_bet: int | None


def outcome_cells(code: str, measure: str = "", figure: int | None = None, limit: int | None = None) -> str:
    """The cells of a verdict that say what became of a session; most are the same for many persons."""
    return f"{code}\t{measure}\t{'' if figure is None else figure}\t{'' if limit is None else limit}"


def line_of(person: str, outcome: str, member: str, card: str | None, position: str, feed: str) -> str:
    """A verdict's line; `outcome` is `outcome_cells`."""
    return f"{person}\t{outcome}\t{member}\t{card or ''}\t{position}\t{feed}"


def play_cells(play: tuple[Millis | None, Millis, Millis, int, int, int | None]) -> str:
    """What stands behind an entrant's line; the figures of a `Play`."""
    idle_ms, open_ms, untouched_ms, games, coin_in, average_bet = play
    return (
        f"\t{'' if idle_ms is None else idle_ms}\t{open_ms}\t{untouched_ms}\t{games}\t{coin_in}"
        f"\t{'' if average_bet is None else average_bet}"
    )


def bytes_of(t: Millis, lines: Iterable[str]) -> bytes:
    """The verdicts of a judging at `t`, from their lines in order."""
    return "\n".join((f"{_HEADER}\t{format_time(t)}", *lines, "")).encode()


def read(data: bytes) -> Iterator[tuple[Verdict, Play | None]]:
    """Every verdict, with an entrant's play. Raises ValueError when these are not verdicts."""
    for line in _lines(data):
        cells = line.split("\t")
        if len(cells) not in {9, 15}:
            raise ValueError("a verdict has a line of 9 cells, an entrant's 15")
        person, code, measure, figure, limit, *session = cells[:9]
        verdict = Verdict(person, code, measure, _whole(figure), _whole(limit), *session)
        yield verdict, (_play(cells[9:]) if len(cells) > 9 else None)


def persons(data: bytes) -> set[str]:
    """Everybody who was judged, in or out. Raises ValueError when these are not verdicts."""
    return {line.partition("\t")[0] for line in _lines(data)}


def _lines(data: bytes) -> list[str]:
    header, *lines = data.decode().split("\n")
    if not header.startswith(_HEADER + "\t") or not lines or lines.pop():
        raise ValueError("these are not the verdicts of a judging")
    return lines


def find(data: bytes, person: str) -> list[tuple[Verdict, Play | None]]:
    """A person's verdict, and those of their other cards; empty when no card of theirs was in at the time."""
    return [found for found in read(data) if found[0].person == person]


def _whole(cell: str) -> int | None:
    return int(cell) if cell else None


def _play(cells: list[str]) -> Play:
    idle_ms, open_ms, untouched_ms, games, coin_in, average_bet = (_whole(cell) for cell in cells)
    return Play(idle_ms, open_ms or 0, untouched_ms or 0, games or 0, coin_in or 0, average_bet)


def sentence(verdict: Verdict | None) -> str:
    """The answer to "why was I not in it?"; None stands for a person without a verdict."""
    if verdict is None:
        return "No card of yours was in a machine and no rating of yours was open at that moment."
    return _SENTENCES[verdict.code](verdict)


def duration(ms: Millis) -> str:
    """`6 min 12 s`; the thousandths are said where they decide."""
    minutes, rest = divmod(ms, 60_000)
    seconds = f"{rest // 1000}.{rest % 1000:03d} s" if rest % 1000 else f"{rest // 1000} s"
    if not minutes:
        return seconds
    return f"{minutes} min {seconds}" if rest else f"{minutes} min"


def money(cents: int) -> str:
    """Cents with their point, without a currency: the rule book knows it."""
    return f"{cents // 100}.{cents % 100:02d}"


def _whole_seconds(figure: Millis, limit: Millis) -> str:
    # 300.2 s against 300 s must not read "5 min, and it must be 5 min".
    rounded = figure // 1000 * 1000
    return duration(figure if rounded == limit else rounded)


def _not_active(verdict: Verdict) -> str:
    if verdict.measure == "paused":
        return "Your rating was paused."
    if verdict.figure is None or verdict.limit is None:
        return "No game had been played since your card went in."
    what = "Your last game was" if verdict.measure == "idle_seconds" else "Your rating was last touched"
    return (
        f"{what} {_whole_seconds(verdict.figure, verdict.limit)} before; it must be {duration(verdict.limit)} or less."
    )


_MEASURES: dict[str, tuple[str, Callable[[int], str]]] = {
    "idle_seconds": ("Your last game was {} before", duration),
    "minutes": ("Your session had been open for {}", duration),
    "minutes_since_touch": ("Your rating was last touched {} before", duration),
    "games": ("You had played {} games in this session", str),
    "coin_in": ("You had played for {} in this session", money),
    "average_bet": ("Your average bet was {}", money),
}


def _criteria(verdict: Verdict) -> str:
    said, amount = _MEASURES[verdict.measure]
    if verdict.figure is None or verdict.limit is None:
        return "Your rating shows no average bet."
    bound = "or less" if verdict.figure > verdict.limit else "or more"
    shown = amount(verdict.figure)
    if amount is duration:
        shown = _whole_seconds(verdict.figure, verdict.limit)
    return f"{said.format(shown)}; it must be {amount(verdict.limit)} {bound}."


def _feed(verdict: Verdict) -> str:
    if verdict.measure == "excluded":
        return "Your machine or table was left out of this session by the manager, because it could not be heard."
    if verdict.measure == "silent" and verdict.figure is not None and verdict.limit is not None:
        return (
            f"Your machine or table had last been heard {duration(verdict.figure // 1000 * 1000)} before; "
            f"it must be {duration(verdict.limit)} or less."
        )
    return "What your machine or table was doing was not known at that moment."


def _said(words: str) -> Callable[[Verdict], str]:
    return lambda _: words


_SENTENCES: dict[str, Callable[[Verdict], str]] = {
    IN: lambda verdict: f"You were in it, at {verdict.position}.",
    "SS_NOT_PROMO_DAY": _said("The promotion did not run on that day."),
    "SS_OUTSIDE_SESSION": _said("It was outside the session's hours."),
    "SS_ZONE_NOT_QUALIFYING": lambda verdict: f"{verdict.position} is not in one of the promotion's zones.",
    "SS_NOT_MEMBER": _said("The card's number was not in the members' list."),
    "SS_TIER_NOT_TARGETED": _said("Your card's tier was not among those of the promotion."),
    "SS_UNDER_AGE": lambda verdict: f"You must be {verdict.limit} years old or more.",
    "SS_REFUSAL_OF_ENTRY": _said("A refusal of entry was in force."),
    "SS_SELF_EXCLUDED": _said("A self-exclusion was in force."),
    "SS_EXCLUDED_CATEGORY": _said("You belonged to a category of persons who may not take part."),
    "SS_STAFF_OR_RELATED": _said("Staff, suppliers and their families may not take part."),
    "SS_FEED_STALE": _feed,
    "SS_NOT_ACTIVE": _not_active,
    "SS_CRITERIA_NOT_MET": _criteria,
    "SS_FAILED_THIS_AWARD": _said("You had been selected for this award already."),
    "SS_WIN_LIMIT": _said("You had won as often as the rules allow."),
    "SS_OTHER_CARD_COUNTED": lambda verdict: f"You were in it with another of your cards, at {verdict.position}.",
}
