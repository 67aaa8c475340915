"""Why a guest was not in a pool, from the verdicts that were kept of its judging; or that they were, with the proof.

The number typed is in no address and in no log. Who looked whom up stands in the table of look-ups, as a digest.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from draw_engine import verdicts
from draw_engine.errors import Refused
from draw_engine.pool import Pool
from draw_engine.proofs import prove
from draw_engine.service import access_notes
from draw_engine.service.engine import Engine
from draw_engine.service.ports import SelectionRow
from draw_engine.verdicts import Verdict
from kiosk.core import Core
from kiosk.desk.guest import MOST_LETTERS, number_of
from kiosk.draw_log.view import Glance, glance, word
from kiosk.qr_code import qr_svg
from web_display import screens
from web_display.catalogue import say

_OTHER_CARD = "SS_OTHER_CARD_COUNTED"
_UNSAID = frozenset({"SS_REFUSAL_OF_ENTRY", "SS_SELF_EXCLUDED", "SS_EXCLUDED_CATEGORY", "SS_STAFF_OR_RELATED"})
_TIMES = frozenset({"idle_seconds", "minutes", "minutes_since_touch", "silent"})


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to "why was X not in it?". `sentence` is worded for the guest unless `to_guest` says otherwise.

    `reason` is the staff's word for `code`. `figure`, `limit`: what failed and against what, in words; `scale`: both in
    per cent of a line, None without them. `proof`: the inclusion proof of a guest who was in. `asked`: about whom and
    which selection, so that two answers are not taken for each other; `qr`: the proof for the guest's own phone, SVG.
    """

    code: str
    reason: str
    sentence: str
    figure: str = ""
    limit: str = ""
    scale: tuple[int, int] | None = None
    tickets: str = ""
    to_guest: bool = True
    proof: str = field(default="", repr=False)
    proof_of: str = ""
    asked: str = field(default="", repr=False)
    qr: str = field(default="", repr=False)

    def as_json(self) -> dict[str, Any]:
        """For the page."""
        return asdict(self)


def why(
    core: Core, draw_id: str, ordinal: int, typed: str, *, who: str, device: str, check_address: str = ""
) -> Answer:
    """Look a guest up in the pool of a selection; the look-up is kept with who asked.

    Raises Refused X_NO_SUCH_DRAW, X_NO_SUCH_CLAIM; X_VALUE_WRONG when nothing, or too much, was typed.
    """
    number = number_of(typed)
    if not number or len(number) > MOST_LETTERS:
        raise Refused("X_VALUE_WRONG", say("draws.asked.nobody"))
    seen = core.ask(glance)
    seen.draw(draw_id)
    chosen = selection_of(seen, draw_id, ordinal)
    ((_, _, kept),) = seen.store.verdicts(draw_id, chosen.pool)
    found = find(kept, numbers_of(seen, number), number)
    answer = _answered(core, seen, chosen, number, found)
    core.ask(_noting(number, answer.code, who, device))
    at = screens.time_text(chosen.made_at, seen.draw(draw_id).zone)
    shown = f"{check_address}#{answer.proof}" if answer.proof and check_address else ""
    qr = qr_svg(shown, dense=True).decode() if shown else ""
    return replace(answer, asked=say("draws.asked.about", number=number, time=at), qr=qr)


def _noting(number: str, code: str, who: str, device: str) -> Callable[[Engine], int]:
    """Before anybody is told anything, that it was asked."""

    def note(engine: Engine) -> int:
        about = access_notes.about_of(engine, number)
        return access_notes.note(engine, who=who, device=device, act="why_not", about=about, code=code)

    return note


def selection_of(seen: Glance, draw_id: str, ordinal: int) -> SelectionRow:
    """Who stands behind a selection. Raises Refused X_NO_SUCH_CLAIM."""
    rows = seen.store.selections(draw_id)
    if not 0 <= ordinal < len(rows):
        raise Refused("X_NO_SUCH_CLAIM", f"This draw has no selection {ordinal}. Look at its list.")
    return rows[ordinal]


def numbers_of(seen: Glance, number: str) -> frozenset[str]:
    """The number and, where the lists have it, all of the person's."""
    return frozenset({number, *seen.lists.person_of(number).numbers})


def find(kept: bytes, numbers: AbstractSet[str], typed: str) -> Verdict | None:
    """What a judging found of whoever has one of these numbers, or played with the card that was typed.

    Of several, the one on the number that was typed; then the person's own before a further card's.
    """
    lines = [verdict for verdict, _ in verdicts.read(kept)]
    persons = {one.person for one in lines if numbers & {one.person, one.member} or one.card == typed}
    theirs = [one for one in lines if one.person in persons]
    theirs.sort(key=lambda one: (typed not in {one.member, one.card}, one.code == _OTHER_CARD))
    return theirs[0] if theirs else None


def _answered(core: Core, seen: Glance, chosen: SelectionRow, number: str, found: Verdict | None) -> Answer:
    if found is None:
        known = number in seen.lists.members
        sentence = verdicts.sentence(None) if known else say("draws.asked.unknown")
        return Answer("SS_NO_CARD_IN" if known else "SS_NOT_MEMBER", "", sentence, to_guest=known)
    # Why somebody is excluded is nobody's at a desk to say: whoever asks may not be the guest (NGA s 14, POPIA s 26).
    said = say("draws.asked.not_eligible") if found.code in _UNSAID else verdicts.sentence(found)
    answer = Answer(found.code, word(f"draws.reason.{found.code}"), said, **_figures(seen, chosen, found))
    return _with_proof(core, seen, chosen, found, answer) if found.code == verdicts.IN else answer


def _figures(seen: Glance, chosen: SelectionRow, found: Verdict) -> dict[str, Any]:
    """The figure that failed and its limit."""
    if found.figure is None or found.limit is None:
        return {}
    currency = seen.draw(chosen.draw).currency
    most = max(found.figure, found.limit, 1)
    return {
        "figure": _amount(found.measure, found.figure, currency),
        "limit": _amount(found.measure, found.limit, currency),
        "scale": (found.figure * 90 // most, found.limit * 90 // most),
    }


def _amount(measure: str, figure: int, currency: str) -> str:
    if measure in _TIMES:
        return verdicts.duration(figure)
    return screens.money(figure, currency) if measure in {"coin_in", "average_bet"} else str(figure)


def _with_proof(core: Core, seen: Glance, chosen: SelectionRow, found: Verdict, answer: Answer) -> Answer:
    ref = core.ask(lambda engine: engine.ref_of(engine.draw(chosen.draw), found.person))
    pool = Pool(seen.store.pool(chosen.draw, chosen.pool))
    drawn = pool.index(bytes.fromhex(chosen.ref))
    selected = found.person == chosen.person
    return Answer(
        answer.code,
        answer.reason,
        say("draws.asked.selected") if selected else answer.sentence,
        to_guest=not selected,
        tickets="" if selected else say("draws.asked.tickets", first=pool.index(ref), ticket=drawn),
        proof=prove(pool, ref),
        proof_of=say("draws.asked.proof_of", pool=chosen.pool, size=pool.size, root=pool.root),
    )
