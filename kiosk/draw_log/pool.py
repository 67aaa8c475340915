"""The pool a selection was drawn from, in words: how many were in, who was left out and why, how the ticket follows."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from draw_engine import selection, verdicts
from draw_engine.canonical import jcs
from draw_engine.log import Entry
from draw_engine.service.engine import moments_of
from kiosk.draw_log.view import DrawFacts, word
from web_display import screens
from web_display.catalogue import say

_SPACE = 2**256
_CARDS = "SS_OTHER_CARD_COUNTED"
_BARS = 32


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One reason to be left out: how many guests (cards, of SS_OTHER_CARD_COUNTED), and their share in tenths."""

    code: str
    reason: str
    guests: int
    share: int


@dataclass(frozen=True, slots=True)
class PoolWords:
    """A frozen pool in words. `strip`: (x, height) of each bar of its root, on a field of 410 by 44."""

    id: str
    size: int
    guests_in: str
    frozen: str
    root: str
    root_short: str
    strip: tuple[tuple[int, float], ...]
    basis: str
    journal: str
    headline: str
    left_out: tuple[LeftOut, ...]


def pool_words(facts: DrawFacts, frozen: Entry) -> PoolWords:
    """The words of a `pool.frozen`."""
    data = frozen.data
    left_out: Mapping[str, int] = data["left_out"]
    guests = sum(n for code, n in left_out.items() if code != _CARDS)
    headline = say("draws.left_out", n=guests) if guests else say("draws.left_out_none")
    if left_out.get(_CARDS):
        headline = say("draws.left_out_cards", sentence=headline, n=left_out[_CARDS])
    journal = data["journal"]
    return PoolWords(
        id=data["id"],
        size=data["size"],
        guests_in=say("draws.guests_in", n=data["size"]),
        frozen=exact(facts, frozen.at),
        root=data["root"],
        root_short=screens.hash_short(data["root"]),
        strip=strip(data["root"]),
        basis=say("draws.basis", basis=data["basis"]) if data["basis"] else "",
        journal="" if journal is None else say("draws.journal", segment=journal["segment"], length=journal["length"]),
        headline=headline,
        left_out=tuple(_left_out(left_out)),
    )


def _left_out(counted: Mapping[str, int]) -> list[LeftOut]:
    most = max(counted.values(), default=1)
    return [
        LeftOut(code, word(f"draws.reason.{code}", code), n, max(1, n * 40 // most))
        for code, n in sorted(counted.items(), key=lambda pair: -pair[1])
        if n
    ]


def strip(root: str) -> tuple[tuple[int, float], ...]:
    """A root for the eye: 32 bars, one a byte (its top three bits), in four eights."""
    return tuple(
        (12 * n + 10 * (n // 8), 5.5 * ((byte >> 5) + 1)) for n, byte in enumerate(bytes.fromhex(root)[:_BARS])
    )


def exact(facts: DrawFacts, at: int) -> str:
    """The time with its thousandths: "14:18:05.204"."""
    return f"{facts.time(at)}.{at % 1000:03d}"


# -- the ticket and the moment --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the arithmetic: what it is, and the value in full."""

    name: str
    value: str


def arithmetic(seed: bytes, made: Entry, frozen: Entry, texts: Sequence[str]) -> list[Figure]:
    """How a ticket follows from the opened seed and what was printed (draw record, "Selecting"). A closed draw's."""
    data, pool = made.data, frozen.data
    public = selection.public_digest(texts[: data["public_count"]])
    total = int(pool["total"])
    message = jcs(
        {
            "draw": made.draw,
            "ordinal": data["ordinal"],
            "pool": {"root": pool["root"], "size": pool["size"], "total": pool["total"]},
            "public": public,
            "v": 1,
        }
    )
    key = hmac.digest(seed, message, "sha256")
    figures = [
        Figure(say("draws.arithmetic.public"), public),
        Figure(say("draws.arithmetic.message"), message.decode()),
        Figure(say("draws.arithmetic.key"), key.hex()),
    ]
    for i in count():
        thrown = hmac.digest(key, i.to_bytes(4, "big"), "sha256")
        figures.append(Figure(say("draws.arithmetic.throw", i=i), thrown.hex()))
        x = int.from_bytes(thrown, "big")
        if x < _SPACE - _SPACE % total:
            return [*figures, Figure(say("draws.arithmetic.result", total=total), str(x % total))]
    raise AssertionError


def moment_words(facts: DrawFacts, opened: Entry, made: Entry, seed: bytes | None) -> str:
    """Which moment a selection stands for. `seed`: a closed draw's, which tells it exactly; None while it is open."""
    n = made.data["moment"]
    if n is None:
        return say("draws.after", after=made.data["after"])
    of = len(facts.places)
    if seed is None:
        return say("draws.moment", n=n + 1, of=of)
    due = moments_of(opened.data, seed)[n]
    return say("draws.moment_exact", n=n + 1, of=of, time=exact(facts, due), ms=made.at - due)


# -- play -----------------------------------------------------------------------------------------------------------


def played_words(kept: bytes, person: str) -> str:
    """Of a pool's verdicts, what the person's play was; "" for a pool that goes back to another one."""
    for verdict, play in verdicts.find(kept, person):
        if verdict.code != verdicts.IN or play is None:
            continue
        if play.average_bet is not None or (play.idle_ms is None and not play.games):
            return say("draws.played_table", idle=_whole(play.untouched_ms), open=_whole(play.open_ms))
        idle = _whole(play.idle_ms or 0)
        return say("draws.played", idle=idle, games=play.games, open=_whole(play.open_ms))
    return ""


def _whole(ms: int) -> str:
    return verdicts.duration(ms // 1000 * 1000)
