"""Entropy from outside: which source is asked next, what text it takes, and until when (draw record, "The seeds")."""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass

from draw_engine.draw_state import DrawState
from draw_engine.errors import Refused

_DICE = re.compile(r"\[0-9\]\{([0-9]+)\}")
_DIGITS = "0123456789"
_REHEARSED = b"floordraw rehearsed dice\n"


@dataclass(frozen=True, slots=True)
class Source:
    """A source of the terms. `dice`: how many ten-sided dice it takes; None where it is a public beacon."""

    name: str
    pattern: str
    dice: int | None
    given_at: int | None = None
    text: str | None = None


def sources_of(state: DrawState) -> list[Source]:
    """The sources that the draw's terms list, in their order, with what each has given."""
    given = {source: (at, text) for at, source, text in state.public}
    made = []
    for listed in state.terms["entropy"]:
        asked = _DICE.fullmatch(listed["pattern"])
        at, text = given.get(listed["source"], (None, None))
        made.append(Source(listed["source"], listed["pattern"], int(asked[1]) if asked else None, at, text))
    return made


def why_not_now(state: DrawState) -> Refused | None:
    """Why no text is taken any more, or at all; None while one may be given (the first pool is the end of it)."""
    if not state.terms["entropy"]:
        return Refused("X_ENTROPY_NOT_ASKED", "The rule book of this draw asks for no dice: none are taken.")
    if state.closed_at is not None:
        return Refused("SS_OUTSIDE_SESSION", "This draw is closed; nothing is added to it any more.")
    if state.pools:
        late = "The first pool is frozen: dice typed now are too late, and are not taken. The draw goes on without."
        return Refused("X_ENTROPY_LATE", late)
    return None


def require_open(state: DrawState, source: str) -> Source:
    """The source, when it may be given now. Raises Refused: not asked, late, unknown, given already, out of order."""
    refusal = why_not_now(state)
    if refusal is not None:
        raise refusal
    sources = sources_of(state)
    names = [one.name for one in sources]
    if source not in names:
        raise Refused("X_NO_SUCH_SOURCE", "The rule book of this draw names no such source. Load the page again.")
    at = names.index(source)
    if sources[at].text is not None:
        raise Refused("X_ALREADY_DONE", "This source has been given; what was given stands and is not changed.")
    if any(later.text is not None for later in sources[at + 1 :]):
        raise Refused("X_ENTROPY_LATE", "A later source has been given already: this one is not taken any more.")
    return sources[at]


def fault_of_text(source: Source, text: str) -> str | None:
    """What is wrong with a text, in a sentence for beside its field; None when it fits to the letter."""
    if source.dice is None:
        fits = re.fullmatch(source.pattern, text)
        return None if fits else "Copy the beacon's line whole: round, randomness and signature, with colons between."
    strange = next((at for at, sign in enumerate(text, 1) if sign not in _DIGITS), None)
    if strange is not None:
        return f"Sign {strange} is no digit. Type what lies on top of each die: 0 to 9, in the order read."
    if len(text) < source.dice:
        return f"{len(text)} of {source.dice} dice are typed: {source.dice - len(text)} are missing."
    if len(text) > source.dice:
        return f"{len(text)} digits are typed, {source.dice} are asked: {len(text) - source.dice} too many."
    return None


def rehearsed_texts(state: DrawState, seed: bytes) -> Sequence[tuple[str, str]]:
    """(source, text) that a rehearsal's witness throws: made from its seed, so that it is the same each time.

    A beacon is not made up: it gives nothing, and the verifier says so.
    """
    return [
        (source.name, "".join(_throw(seed, source.name, n) for n in range(source.dice)))
        for source in sources_of(state)
        if source.dice is not None
    ]


def _throw(seed: bytes, source: str, n: int) -> str:
    thrown = hmac.digest(seed, _REHEARSED + f"{source}\n{n}".encode(), "sha256")
    return _DIGITS[int.from_bytes(thrown, "big") % 10]
