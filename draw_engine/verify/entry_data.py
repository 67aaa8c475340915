"""The data of each kind of log entry, member by member (draw record 1, the table of "The log")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from draw_engine.verify.forms import (
    Form,
    absent,
    an_actor,
    an_id,
    digest,
    flag,
    maybe,
    members,
    one_of,
    pool_id,
    pool_total,
    sixteen_bytes,
    text,
    time,
    whole,
)
from draw_engine.verify.forms import decimal as decimal_from

FAILED_ENDINGS = ("claim.expired", "claim.not_rightful_card", "claim.ineligible")
FILLED_ENDINGS = ("claim.confirmed", "claim.held", "claim.refused")
ENDINGS = (*FILLED_ENDINGS, *FAILED_ENDINGS, "claim.voided")
POSTPONED = ("stale_feed", "empty_pool", "clock", "paused", "outage", "queue")
LAPSED = ("carried", "session_end", "unfilled")
DECISIONS = ("present", "absent", "again")


def two_actors(value: Any, where: str) -> Iterator[str]:
    """Two different actors, ascending."""
    if not isinstance(value, list) or len(value) != 2:
        yield f"{where} does not name two actors"
        return
    faults = [fault for i, actor in enumerate(value) for fault in an_actor(actor, f"{where}[{i}]")]
    yield from faults
    if not faults and value[0] >= value[1]:
        yield f"{where} does not name two different actors in ascending order"


def _left_out(value: Any, where: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where} is not an object"
        return
    for code, persons in value.items():
        if not re.fullmatch("[A-Z0-9_]+", code):
            yield f"{where} has {code[:40]!r}, which is no reason code"
        yield from whole()(persons, f"{where}.{code[:40]}")


_JOURNAL = members({"segment": an_id, "length": whole(), "sha256": digest})
_CLAIM: dict[str, Form] = {"claim": an_id, "ordinal": whole()}
_TURN: dict[str, Form] = {"place": whole(1), "moment": maybe(whole()), "after": maybe(whole())}
_LAPSE = _TURN | {"reason": one_of(*LAPSED)}

DATA: dict[str, Form] = {
    "draw.opened": lambda _value, _where: iter(()),  # compared with the terms, whose form is checked
    "entropy.given": members({"source": an_id, "text": text}),
    "pool.judged": members({"pool": maybe(pool_id), "verdicts": digest}),
    "pool.frozen": members(
        {
            "id": pool_id,
            "size": whole(1),
            "total": pool_total,
            "root": digest,
            "left_out": _left_out,
            "journal": maybe(_JOURNAL),
            "basis": maybe(pool_id),
        }
    ),
    "selection.made": members(
        _TURN
        | {
            "ordinal": whole(),
            "pool": pool_id,
            "public_count": whole(),
            "ticket": decimal_from(0),
            "ref": sixteen_bytes,
            "position": maybe(an_id),
        }
    ),
    "selection.postponed": members(_TURN | {"reason": one_of(*POSTPONED)}),
    "selection.duplicate": members({"ordinal": whole(), "of": whole()}),
    "claim.opened": members(_CLAIM),
    "claim.found": members(_CLAIM),
    "claim.announced": members(_CLAIM | {"deadline_at": time}),
    "claim.presented": members(_CLAIM | {"presented_at": time}),
    "claim.review": members(_CLAIM | {"reason": text}),
    "claim.reviewed": members(_CLAIM | {"decision": one_of(*DECISIONS), "by": two_actors}),
    **{kind: members(_CLAIM | {"prize": maybe(whole())}) for kind in FILLED_ENDINGS},
    **{kind: members(_CLAIM | {"prize": absent}) for kind in FAILED_ENDINGS},
    "claim.voided": members(_CLAIM | {"prize": absent, "by": two_actors, "reason": text, "reselect": flag}),
    "draw.certified": members({"by": an_actor, "profession": text, "number": digest}),
    "draw.closed": members({"record": digest}),
    "checkpoint.made": members({"seq": whole(1), "hash": digest}),
}


def _lapsed(value: Any, where: str) -> Iterator[str]:
    carried = isinstance(value, dict) and value.get("reason") == "carried"
    yield from members(_LAPSE | ({"to": an_id} if carried else {}))(value, where)


DATA["selection.lapsed"] = _lapsed


def data_faults(kind: str, data: Any, where: str, terms: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the data of an entry of the draw whose terms these are; kinds outside the table are free."""
    if kind not in DATA:
        return
    faults = list(DATA[kind](data, where))
    yield from faults
    if faults:
        return
    session = terms["kind"] == "session"
    if kind in ("selection.made", "selection.postponed", "selection.lapsed"):
        yield from _turn_faults(kind, data, where, session=session)
    if kind == "pool.frozen":
        yield from _frozen_faults(data, where, journal=session and not terms["rehearsal"], session=session)


def _turn_faults(kind: str, data: dict[str, Any], where: str, *, session: bool) -> Iterator[str]:
    if session and (data["moment"] is None) == (data["after"] is None):
        yield f"{where}: in a session exactly one of moment and after is set"
    if not session and data["moment"] is not None:
        yield f"{where}: an electronic draw has no moments"
    if not session and kind == "selection.postponed":
        yield f"{where}: an electronic draw postpones nothing"
    if kind == "selection.made" and session != (data["position"] is not None):
        yield f"{where}: the position must be {'set in a session' if session else 'null in an electronic draw'}"


def _frozen_faults(data: dict[str, Any], where: str, *, journal: bool, session: bool) -> Iterator[str]:
    if journal != (data["journal"] is not None):
        need = "names the floor journal it was judged from" if journal else "has no journal"
        yield f"{where}: the pool of {'a live session' if journal else 'a rehearsal or an electronic draw'} {need}"
    if data["basis"] is not None and not session:
        yield f"{where}: an electronic draw's pool has no basis"
