"""Shape: every member, type, form and bound of a record, and of its log entries' data (draw record 1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any

from draw_engine.canonical import parse_time
from draw_engine.verify.entry_data import DATA, data_faults
from draw_engine.verify.forms import (
    Form,
    an_actor,
    an_id,
    array,
    canonical_base64,
    decimal,
    digest,
    flag,
    matching,
    maybe,
    members,
    one_of,
    plain,
    pool_id,
    pool_total,
    sixteen_bytes,
    text,
    time,
    whole,
)

_ENOUGH = 20  # faults of one part are enough to say

OUTCOMES = ("confirmed", "held", "refused", "expired", "not_rightful_card", "ineligible", "voided")
DICE = re.compile(r"\[0-9\]\{([2-5][0-9]|60)\}")
BEACON = re.compile(r"([0-9]+):\[0-9a-f\]\{64\}:\[0-9a-f\]\{96,192\}")


def _one_value(value: Any) -> Form:
    def form(given: Any, where: str) -> Iterator[str]:
        if type(given) is not type(value) or given != value:
            yield f"{where} is not {value!r}"

    return form


def _pattern(value: Any, where: str) -> Iterator[str]:
    if not isinstance(value, str) or not (DICE.fullmatch(value) or BEACON.fullmatch(value)):
        yield f"{where} is neither [0-9]{{N}} with N from 20 to 60 nor a named round of a beacon"


def _moments(value: Any, where: str) -> Iterator[str]:
    how = value.get("how") if isinstance(value, dict) else None
    span: dict[str, Form] = {"how": one_of("spread", "fixed"), "start": time, "end": time}
    yield from members(span | ({"at": array(time)} if how == "fixed" else {"count": whole(1)}))(value, where)


_TERMS = members(
    {
        "draw": an_id,
        "property": an_id,
        "promotion": an_id,
        "kind": one_of("session", "electronic"),
        "title": text,
        "rules_version": text,
        "rules_sha256": digest,
        "commitment": digest,
        "moments": maybe(_moments),
        "places": array(whole(1)),
        "carried": array(members({"place": whole(1), "from": an_id})),
        "claim_window_ms": whole(1),
        "lateness_ms": maybe(whole()),
        "retry_ms": maybe(whole(1)),
        "pool": one_of("refreeze", "keep"),
        "entropy": array(members({"source": an_id, "pattern": _pattern, "after": one_of("opened", "frozen")})),
        "rehearsal": flag,
    }
)
_POOL = members(
    {
        "id": pool_id,
        "frozen_at": time,
        "file": maybe(matching(r"[A-Za-z0-9_-]{1,64}\.pool", "a pool file's name")),
        "size": whole(1),
        "total": pool_total,
        "root": digest,
    }
)
_SELECTION = members(
    {
        "ordinal": whole(),
        "at": time,
        "place": whole(1),
        "moment": maybe(whole()),
        "after": maybe(whole()),
        "pool": pool_id,
        "public_count": whole(),
        "ticket": decimal(0),
        "ref": sixteen_bytes,
        "position": maybe(an_id),
        "outcome": one_of(*OUTCOMES, "duplicate"),
        "proof": maybe(text),
    }
)
_CLAIM = members(
    {
        "id": an_id,
        "ordinal": whole(),
        "opened_at": time,
        "found_at": maybe(time),
        "announced_at": maybe(time),
        "deadline_at": maybe(time),
        "presented_at": maybe(time),
        "ended_at": time,
        "outcome": one_of(*OUTCOMES),
        "prize": maybe(whole()),
    }
)
CHECKPOINT = members(
    {
        "property": an_id,
        "seq": whole(1),
        "hash": digest,
        "at": time,
        "public_key": canonical_base64(32, "a public key"),
        "signature": canonical_base64(64, "a signature"),
    }
)


def _free_data(value: Any, where: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where} is not an object"
    yield from plain(value, where)


_ENTRY: dict[str, Form] = {
    "seq": whole(1),
    "at": time,
    "kind": an_id,
    "draw": maybe(an_id),
    "prev": digest,
    "hash": digest,
}
_SHOWN = members(_ENTRY | {"actor": an_actor, "data": _free_data, "salt": sixteen_bytes})
_WITHHELD = members(_ENTRY | {"body": digest})


def _log(value: Any, where: str) -> Iterator[str]:
    if not isinstance(value, list) or not value:
        yield f"{where} is not an array of entries"
        return
    for i, entry in enumerate(value):
        seq = entry.get("seq") if isinstance(entry, dict) else None
        at = f"log entry {seq}" if type(seq) is int else f"{where}[{i}]"
        if isinstance(entry, dict) and "body" in entry:
            yield from _WITHHELD(entry, at)
        else:
            yield from _SHOWN(entry, at)


_RECORD = members(
    {
        "v": _one_value(1),
        "terms": _TERMS,
        "opened_at": time,
        "closed_at": time,
        "house_seed": digest,
        "public": array(members({"at": time, "source": an_id, "text": text})),
        "pools": array(_POOL),
        "selections": array(_SELECTION),
        "claims": array(_CLAIM),
        "checkpoints": array(CHECKPOINT),
        "log": _log,
    }
)


def faults_of_shape(record: Any) -> Iterator[str]:
    """What in a record has not the form of the page; nothing when all has.

    Later parts are looked at only when the earlier ones hold: they read what those have checked.
    """
    found = list(islice(_RECORD(record, "record"), _ENOUGH)) or list(islice(_terms(record["terms"]), _ENOUGH))
    yield from found or _parts(record)


def _terms(terms: dict[str, Any]) -> Iterator[str]:
    session = terms["kind"] == "session"
    what = "a session" if session else "an electronic draw"
    if terms["pool"] != ("refreeze" if session else "keep"):
        yield f"terms.pool is {terms['pool']}, which {what} has not"
    for name in ("moments", "lateness_ms", "retry_ms"):
        if (terms[name] is not None) != session:
            yield f"terms.{name} must be {'set in' if session else 'null in'} {what}"
            return
    yield from _places(terms, session=session)
    yield from _sources(terms["entropy"], "opened" if session else "frozen")
    if session:
        yield from _span(terms["moments"], len(terms["places"]))


def _places(terms: dict[str, Any], *, session: bool) -> Iterator[str]:
    places, carried = terms["places"], [c["place"] for c in terms["carried"]]
    if not places or len(set(places)) != len(places):
        yield "terms.places is empty or names a place twice"
    if len(set(carried)) != len(carried) or set(carried) != set(places[: len(carried)]):
        yield "terms.carried does not name the first of terms.places, each once: carried places come first"
    if carried and not session:
        yield "terms.carried is not empty: only a session takes what is carried"
    if any(c["from"] == terms["draw"] for c in terms["carried"]):
        yield "terms.carried names the draw itself as where a place comes from"


def _sources(entropy: list[dict[str, Any]], after: str) -> Iterator[str]:
    names = [source["source"] for source in entropy]
    if len(set(names)) != len(names):
        yield "terms.entropy names a source twice"
    for source in entropy:
        if source["after"] != after:
            yield f"terms.entropy: {source['source']} is given after {source['after']}, here it must be {after}"


def _span(moments: dict[str, Any], places: int) -> Iterator[str]:
    start, end = parse_time(moments["start"]), parse_time(moments["end"])
    if start >= end:
        yield "terms.moments ends before it starts"
    if moments["how"] == "spread":
        if moments["count"] != places:
            yield f"terms.moments has {moments['count']} parts for {places} places"
        return
    at = [parse_time(moment) for moment in moments["at"]]
    if len(at) != places:
        yield f"terms.moments fixes {len(at)} moments for {places} places"
    if any(a >= b for a, b in pairwise(at)) or any(not start <= moment < end for moment in at):
        yield "terms.moments: fixed moments must ascend, from start on and before end"


def _parts(record: dict[str, Any]) -> Iterator[str]:
    yield from _pools_and_proofs(record)
    terms = record["terms"]
    for entry in record["log"]:
        yield from _entry(entry, terms)


def _pools_and_proofs(record: dict[str, Any]) -> Iterator[str]:
    withheld: dict[str, bool] = {}
    for pool in record["pools"]:
        if pool["id"] in withheld:
            yield f"pools: the id {pool['id']} stands twice"
        if pool["file"] not in (None, f"{pool['id']}.pool"):
            yield f"pools: the file of {pool['id']} is named {pool['file']}"
        withheld[pool["id"]] = pool["file"] is None
    for selection in record["selections"]:
        where = f"the selection of ordinal {selection['ordinal']}"
        if selection["pool"] not in withheld:
            yield f"{where}: the pool {selection['pool']} is not among the pools"
        elif withheld[selection["pool"]] != (selection["proof"] is not None):
            yield f"{where}: its proof must be {'set' if withheld[selection['pool']] else 'null'}, as its pool file is"


def _entry(entry: dict[str, Any], terms: dict[str, Any]) -> Iterator[str]:
    where, kind = f"log entry {entry['seq']} ({entry['kind']})", entry["kind"]
    checkpoint = kind == "checkpoint.made"
    if kind in DATA and (entry["draw"] is None) != checkpoint:
        yield f"{where}: its draw must be {'null' if checkpoint else 'named'}"
    elif entry["draw"] == terms["draw"] or checkpoint:
        if "body" in entry:
            yield f"{where} is withheld; the draw's own entries and all checkpoints are shown"
        else:
            yield from data_faults(kind, entry["data"], f"{where}: data", terms)
