"""The witness's acts: dice at the opening, and the certificate before the draw closes (SS-096; REG-02).

Names and numbers stay out of the log: it has who (an actor), the profession, the keyed hash of the number
(draw record, `draw.certified`), and the SHA-256 of the certificate as it is kept, sealed.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from draw_engine.canonical import format_time, jcs
from draw_engine.errors import Refused
from draw_engine.service import entropy
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.roles import actor_of

PROFESSIONS = ("accountant", "registered_auditor", "attorney", "advocate")
"""Who may certify a competition (regulation 11(5) of the Consumer Protection Act). A closed list: no name slips in."""
WAIT_MS = 15 * 60_000
"""So long a draw that a witness watches stays open for the certificate, once all else of it is done."""
_WATCHED = "witnessed."
_NUMBER = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ./-]{1,39}")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a witness certified, as it is kept: `facts` names them. `sha256`: of the sealed bytes, as the log has it."""

    at: int
    by: str
    facts: Mapping[str, Any]
    sha256: str


def give(engine: Engine, draw: OpenDraw, *, source: str, text: str, by: str) -> None:
    """Take a source's text: after the opening checkpoint, before the first pool, to the letter of its pattern.

    Raises Refused X_NO_PERMISSION, X_ENTROPY_NOT_ASKED, X_ENTROPY_LATE, X_NO_SUCH_SOURCE, X_ALREADY_DONE,
    X_VALUE_WRONG.
    """
    actor = _witness(engine, by)
    asked = entropy.require_open(draw.state, source)
    fault = entropy.fault_of_text(asked, text)
    if fault is not None:
        raise Refused("X_VALUE_WRONG", fault)
    _append_text(engine, draw, source, text, actor)


def _append_text(engine: Engine, draw: OpenDraw, source: str, text: str, actor: str) -> None:
    with engine.change() as work:
        at = work.instant(engine.now())
        given = {"source": source, "text": text}
        work.append(at=at, kind="entropy.given", draw=draw.state.id, actor=actor, data=given)


def rehearse(engine: Engine, draw: OpenDraw) -> None:
    """A rehearsal's witness throws the dice its book asks for, made from the rehearsal's seed."""
    for source, text in entropy.rehearsed_texts(draw.state, draw.seed):
        _append_text(engine, draw, source, text, "witness:rehearsal")


def watch(engine: Engine, draw: OpenDraw, *, by: str) -> None:
    """A witness oversees this draw: it stays open for the certificate. Said twice it is said once."""
    actor = _witness(engine, by)
    if draw.state.closed_at is not None:
        raise Refused("SS_OUTSIDE_SESSION", f"{draw.plan.title} is closed; it cannot be watched any more.")
    if not is_watched(engine, draw):
        engine.store.put_setting(_WATCHED + draw.state.id, actor)


def is_watched(engine: Engine, draw: OpenDraw) -> bool:
    """Whether a witness has given dice to this draw, or has said to oversee it."""
    return bool(draw.state.public) or engine.store.setting(_WATCHED + draw.state.id) is not None


def is_done(draw: OpenDraw, now: int) -> bool:
    """Whether everything of a session is done but its closing."""
    return now >= draw.state.end and draw.state.settled() and not draw.state.running()


def closes_at(engine: Engine, draw: OpenDraw) -> int:
    """When a session whose places are settled may close: at its end, or when its witness's time is over."""
    state = draw.state
    if engine.seeds.rehearsal or not is_watched(engine, draw) or engine.store.paper_copies(_under(draw)):
        return state.end
    ended = [claim.ended_at for claim in state.claims if claim.ended_at is not None]
    return max([state.end, *ended]) + WAIT_MS


def faults_of_certificate(*, name: str, profession: str, number: str) -> dict[str, str]:
    """What is wrong with each field, by its name; empty when all can be taken."""
    faults = {}
    said = " ".join(name.split())
    if not said:
        faults["name"] = "Type your first name and surname: they stand on the certificate alone."
    elif len(said) > 120 or any(unicodedata.category(sign) in _UNSEEN for sign in said):
        faults["name"] = "Type your name in at most 120 plain letters."
    elif " " not in said:
        faults["name"] = "Type both first name and surname."
    if profession not in PROFESSIONS:
        faults["profession"] = "Pick your profession: one of these may certify."
    if not _NUMBER.fullmatch(" ".join(number.split())):
        faults["number"] = "Type your registration or practice number: 2 to 40 letters, digits, spaces or / . -"
    return faults


def certify(
    engine: Engine,
    draw: OpenDraw,
    *,
    name: str,
    profession: str,
    number: str,
    statement: str,
    slips: list[int],
    by: str,
) -> Certificate:
    """Certify a draw of which all is done but the closing; it closes at the next tick.

    `statement`: the sentences that are certified. `slips`: the checkpoints (seq) whose paper was compared.
    Raises Refused X_NO_PERMISSION, X_ALREADY_DONE, X_DRAW_RUNS, SS_OUTSIDE_SESSION, X_VALUE_WRONG.
    """
    actor = _witness(engine, by)
    _require_certifiable(engine, draw)
    faults = faults_of_certificate(name=name, profession=profession, number=number)
    if faults:
        raise Refused("X_VALUE_WRONG", next(iter(faults.values())))
    said, registered = " ".join(name.split()), " ".join(number.split())
    key = engine.reference_key(draw.book.id)
    with engine.change() as work:
        at = work.instant(engine.now())
        own = {"name": said, "profession": profession, "number": registered}
        facts = {**_facts(draw, at), **own, "by": actor, "statement": statement, "slips_compared": sorted(set(slips))}
        sealed = engine.vault.seal(_under(draw), jcs(facts))
        digest = hashlib.sha256(sealed).hexdigest()
        hidden = hmac.digest(key, registered.encode(), "sha256").hex()
        logged = {"by": actor, "profession": profession, "number": hidden}
        work.append(at=at, kind="draw.certified", draw=draw.state.id, actor=actor, data=logged)
        work.append(at=at, kind="certificate.sealed", draw=draw.state.id, actor=actor, data={"sha256": digest})
        work.add_paper_copy(at=at, by=actor, under=_under(draw), media="application/json", sealed=sealed)
    return Certificate(at, actor, facts, digest)


def certificate_of(engine: Engine, draw: OpenDraw) -> Certificate | None:
    """The draw's certificate, opened; None while there is none. It names a person: note who reads it."""
    kept = engine.store.paper_copies(_under(draw))
    if not kept:
        return None
    facts: dict[str, Any] = json.loads(engine.vault.unseal(_under(draw), kept[0].sealed))
    return Certificate(kept[0].at, kept[0].by, facts, hashlib.sha256(kept[0].sealed).hexdigest())


def certified_at(engine: Engine, draw: OpenDraw) -> int | None:
    """When the draw was certified, without opening the certificate."""
    kept = engine.store.paper_copies(_under(draw))
    return kept[0].at if kept else None


def _require_certifiable(engine: Engine, draw: OpenDraw) -> None:
    if certified_at(engine, draw) is not None:
        raise Refused("X_ALREADY_DONE", f"{draw.plan.title} is certified already. Its statement can be printed again.")
    if draw.state.closed_at is not None:
        raise Refused(
            "SS_OUTSIDE_SESSION",
            f"{draw.plan.title} is closed: its record is complete. Certify on paper, and have a copy kept with it.",
        )
    if not is_done(draw, engine.now()):
        raise Refused(
            "X_DRAW_RUNS",
            f"{draw.plan.title} is not over yet. Certify when its end has come and no claim runs any more.",
        )


def _facts(draw: OpenDraw, at: int) -> dict[str, Any]:
    state = draw.state
    return {
        "v": 1,
        "draw": state.id,
        "title": draw.plan.title,
        "at": format_time(at),
        "rules_sha256": state.terms["rules_sha256"],
        "commitment": state.terms["commitment"],
        "public": [{"at": format_time(given), "source": source, "text": text} for given, source, text in state.public],
        "selections": len(state.selections),
        "pools": len(state.pools),
    }


def _under(draw: OpenDraw) -> str:
    return f"certificate:{draw.state.id}"


def _witness(engine: Engine, by: str) -> str:
    """The actor. What a member of the house types of its own is no entropy against the house (draw record)."""
    actor = actor_of(engine, by)
    if not actor.startswith("witness:"):
        raise Refused("X_NO_PERMISSION", "This is the independent witness's alone: the house may look, not act.")
    return actor
