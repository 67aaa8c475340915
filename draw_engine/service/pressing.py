"""A press of a tablet, carried out once however often it is sent.

The press's number, its answer and its effect are one transaction: an answer that was lost is given again, a tablet's
repeat changes nothing. A refused press is kept and logged with its code, too (X-05).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from draw_engine.claim_moves import code_of, stage_of
from draw_engine.errors import Refused
from draw_engine.service import claims
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.roles import actor_of

CREW = frozenset({"crew", "manager"})
STAGE = frozenset({"stage", "crew", "manager"})
_TAKERS_ALONE = frozenset({"found", "other_person", "not_there"})
_PRESS_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_AGAIN = frozenset({"X_TRY_AGAIN", "X_CORE_STOPPED", "X_IDEMPOTENT_REPLAY"})
"""Refusals that say nothing of the press itself: it may be sent again, and is then tried again."""


@dataclass(frozen=True, slots=True)
class StaffPress:
    """What a tablet sent. `stamped_at`: when the server received it, which alone counts; `made_at` is information.

    `said` holds the further members of its verb: to, checks, identification, reason, pocket, amount, signature.
    """

    id: str
    verb: str
    draw: str
    ordinal: int
    by: str
    stamped_at: int
    said: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def same(self) -> list[Any]:
        """All that makes two presses the same."""
        return [self.verb, self.draw, self.ordinal, self.by, dict(self.said)]


def digest_of(engine: Engine, same: Any) -> str:
    """What two sendings of the same agree in. Keyed: a paper's number could be guessed from a plain digest."""
    return hmac.digest(engine.press_key(), json.dumps(same, sort_keys=True).encode(), hashlib.sha256).hex()


def press(engine: Engine, asked: StaffPress) -> dict[str, Any]:
    """Carry a press out, or give the answer it was given before. Raises Refused when the answer is no.

    The answer: verb, at (ms), stage, deadline_at (ms or None), reason (a code or ""), repeated, and where the press
    ended the claim otherwise
    than it asked, code and sentence. Raises X_IDEMPOTENT_REPLAY for a number that was another press's.
    """
    if not _PRESS_ID.fullmatch(asked.id):
        raise Refused("X_VALUE_WRONG", "A press needs its own number of 8 to 64 letters and digits.")
    digest = digest_of(engine, asked.same)
    before = engine.store.press(asked.id)
    if before is not None:
        return _as_before(digest, *before)
    try:
        with engine.change() as work:
            answer = _carried_out(engine, asked)
            kept = json.dumps(answer)
            work.add_press(asked.id, stamped_at=asked.stamped_at, digest=digest, answer=kept)
    except Refused as refusal:
        if refusal.code not in _AGAIN:
            engine.ready()
            _keep_refusal(engine, asked, refusal, digest)
        raise
    return {**answer, "repeated": False}


def _as_before(digest: str, before: str, kept: str) -> dict[str, Any]:
    if not hmac.compare_digest(digest, before):
        raise Refused("X_IDEMPOTENT_REPLAY", "Another press had this number. Press again; it gets a number of its own.")
    answer: dict[str, Any] = json.loads(kept)
    if "refused" in answer:
        raise Refused(answer["refused"], answer["sentence"], **answer.get("facts", {}))
    return {**answer, "repeated": True}


def _keep_refusal(engine: Engine, asked: StaffPress, refusal: Refused, digest: str) -> None:
    kept = json.dumps({"refused": refusal.code, "sentence": refusal.sentence, "facts": refusal.facts})
    draw = engine.draws.get(asked.draw)
    is_open = draw is not None and draw.state.closed_at is None
    role = engine.settings.staff.get(asked.by)
    with engine.change() as work:
        work.add_press(asked.id, stamped_at=asked.stamped_at, digest=digest, answer=kept)
        verb = asked.verb if asked.verb in _VERBS else "unknown"  # what is no press of ours stays out of the log
        data = {"verb": verb, "claim": f"c{asked.ordinal}", "code": refusal.code}
        work.append(
            at=work.instant(engine.now()),
            kind="press.refused",
            draw=asked.draw if is_open else None,
            actor="engine" if role is None else f"{role}:{asked.by}",
            data=data,
        )


def _carried_out(engine: Engine, asked: StaffPress) -> dict[str, Any]:
    verb = _VERBS.get(asked.verb)
    if verb is None:
        raise Refused("X_VALUE_WRONG", "This version knows no such press. Load the page again.")
    act, roles = verb
    actor = actor_of(engine, asked.by, roles)
    draw = engine.draw(asked.draw)
    now = engine.now()
    _must_be_theirs(draw, asked, actor)
    code, sentence = act(engine, draw, asked, actor, now) or ("", "")
    claim = draw.state.claims[asked.ordinal]
    answer = {
        "ok": True,
        "verb": asked.verb,
        "at": now,
        "stage": stage_of(claim),
        "deadline_at": claim.deadline_at,
        "reason": code_of(claim),
    }
    return {**answer, "code": code, "sentence": sentence} if code else answer


def _must_be_theirs(draw: OpenDraw, asked: StaffPress, actor: str) -> None:
    """What was seen at the device is said by whoever walked there."""
    if asked.verb not in _TAKERS_ALONE or not 0 <= asked.ordinal < len(draw.state.claims):
        return
    taken_by = draw.state.claims[asked.ordinal].taken_by
    if taken_by not in {None, actor}:
        who = str(taken_by).partition(":")[2]
        raise Refused("X_NO_PERMISSION", f"{who} has this claim and says what was found. Have it handed over first.")


_Told = tuple[str, str] | None
_Act = Callable[[Engine, OpenDraw, StaffPress, str, int], _Told]
_RULED_OUT = "An exclusion is in force: this guest cannot be confirmed. Another guest is selected. Call a manager."


def _plain(verb: Callable[..., object], told: _Told = None) -> _Act:
    def act(engine: Engine, draw: OpenDraw, asked: StaffPress, actor: str, now: int) -> _Told:
        verb(engine, draw, asked.ordinal, actor=actor, now=now)
        return told

    return act


def _hand_over(engine: Engine, draw: OpenDraw, asked: StaffPress, actor: str, now: int) -> _Told:
    to = actor_of(engine, _text(asked, "to"), CREW)
    claims.hand_over(engine, draw, asked.ordinal, to=to, actor=actor, now=now)
    return None


def _present(engine: Engine, draw: OpenDraw, asked: StaffPress, actor: str, now: int) -> _Told:
    claims.present(engine, draw, asked.ordinal, actor=actor, stamped_at=asked.stamped_at, now=now)
    return None


def _check(engine: Engine, draw: OpenDraw, asked: StaffPress, actor: str, now: int) -> _Told:
    checks = asked.said.get("checks")
    if not isinstance(checks, list) or not all(isinstance(one, str) for one in checks):
        raise Refused("X_CHECK_INCOMPLETE", "Say what was compared.")
    barred = claims.barred_now(engine, draw, asked.ordinal, now) if 0 <= asked.ordinal < len(draw.rows) else None
    stage = claims.check(
        engine,
        draw,
        asked.ordinal,
        checks=checks,
        identification=_text(asked, "identification"),
        actor=actor,
        now=now,
    )
    return (barred or "SS_EXCLUDED_CATEGORY", _RULED_OUT) if stage == "ineligible" else None


def _mismatch(engine: Engine, draw: OpenDraw, asked: StaffPress, actor: str, now: int) -> _Told:
    claims.mismatch(engine, draw, asked.ordinal, reason=_text(asked, "reason"), actor=actor, now=now)
    return None


def _envelope(engine: Engine, draw: OpenDraw, asked: StaffPress, actor: str, now: int) -> _Told:
    claims.envelope(engine, draw, asked.ordinal, pocket=_text(asked, "pocket"), actor=actor, now=now)
    return None


def _pay(engine: Engine, draw: OpenDraw, asked: StaffPress, actor: str, now: int) -> _Told:
    amount, signature = asked.said.get("amount"), asked.said.get("signature")
    if type(amount) is not int:
        raise Refused("SS_ENVELOPE_AMOUNT_OUT_OF_RANGE", "Type the amount that was in the envelope.")
    if signature is not None and not isinstance(signature, dict):
        raise Refused("SS_SIGNATURE_REQUIRED", "The guest signs on the glass first.")
    barred = claims.barred_now(engine, draw, asked.ordinal, now) if 0 <= asked.ordinal < len(draw.rows) else None
    stage = claims.pay(engine, draw, asked.ordinal, amount=amount, signature=signature, actor=actor, now=now)
    return (barred or "SS_EXCLUDED_CATEGORY", _RULED_OUT) if stage == "ineligible" else None


def _text(asked: StaffPress, name: str) -> str:
    value = asked.said.get(name, "")
    if not isinstance(value, str) or len(value) > 200:
        raise Refused("X_VALUE_WRONG", f"What was sent as {name} cannot be read. Load the page again.")
    return value


_VERBS: Mapping[str, tuple[_Act, frozenset[str]]] = {
    "take": (_plain(claims.take), CREW),
    "release": (_plain(claims.release), CREW),
    "hand_over": (_hand_over, CREW),
    "found": (_plain(claims.found), CREW),
    "other_person": (_plain(claims.other_person), CREW),
    "not_there": (_plain(claims.not_there), CREW),
    "announce": (_plain(claims.announce), STAGE),
    "present": (_present, STAGE),
    "check": (_check, CREW),
    "mismatch": (_mismatch, CREW),
    "envelope": (_envelope, CREW),
    "pay": (_pay, CREW),
    "refuse": (_plain(claims.refuse), CREW),
}
"""verb -> what it does, and whose it is."""

VERBS = frozenset(_VERBS)
"""The verbs there are."""
