"""The order of the checks, from a file's bytes to the report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from draw_engine.canonical import jcs, read_json
from draw_engine.verify.chain import faults_of_chain, faults_of_commitment, faults_of_digest, faults_of_opening
from draw_engine.verify.checkpoints import faults_of_checkpoints, faults_of_key
from draw_engine.verify.endings import faults_of_claims, faults_of_outcomes
from draw_engine.verify.entropy import faults_of_entropy
from draw_engine.verify.forms import from_base64
from draw_engine.verify.journal import Judged, judge_again
from draw_engine.verify.notices import notices_of_draw
from draw_engine.verify.pools import PoolFiles, faults_of_basis, faults_of_pools
from draw_engine.verify.record import Record
from draw_engine.verify.report import NO_RECORD, Check, Report, verdict
from draw_engine.verify.shape import faults_of_shape
from draw_engine.verify.slips import Slips, compare_slips
from draw_engine.verify.tickets import faults_of_selections, faults_of_tickets
from draw_engine.verify.tries import faults_of_lapses, faults_of_tries
from draw_engine.verify.turns import (
    faults_of_duplicate_entries,
    faults_of_duplicates,
    faults_of_moments,
    faults_of_order,
    faults_of_repeats,
    faults_of_reselections,
)

_ARRAYS = ("public", "pools", "selections", "claims", "checkpoints", "log")


def verify(
    path: Path | str, key: str | None = None, slips: Sequence[Path | str] = (), *, journal: bool = False
) -> Report:
    """Verify the record in a folder, or in a `record.json` whose pool files lie beside it.

    `key`: the property's published public key, base64. `slips`: files of printed slips. `journal`: judge every pool
    again from `judging/`. Never raises for anything that the files hold.
    """
    try:
        return _verified(Path(path), key, [Path(slip) for slip in slips], journal=journal)
    except RecursionError:
        check = Check("shape", ok=False, sentence="something is nested too deeply to be checked")
        return _report([check, _not_made()], [], key_compared=False, rehearsal=False)


def _verified(path: Path, key: str | None, slips: list[Path], *, journal: bool) -> Report:
    file = path / "record.json" if path.is_dir() else path
    try:
        data = file.read_bytes()
    except OSError:
        check = Check("files", ok=False, sentence=f"{file} is missing or cannot be read")
        return _report([check], [], key_compared=False, rehearsal=False)
    unreadable = _no_record(data)
    if unreadable:
        return Report([], [], f"NO RECORD: {file.name} {unreadable}.", NO_RECORD)
    raw, shape = _read(data)
    if raw is None:
        return _report([*shape, _not_made()], [], key_compared=False, rehearsal=False)
    record = Record(raw, file.parent)
    compared = compare_slips(record, slips)
    checks = [*shape, *_checks(record), *_outer_checks(record, key, compared, slips_given=bool(slips))]
    judged = judge_again(record.folder, record.raw) if journal else Judged([], [])
    checks += judged.checks
    notices = [*notices_of_draw(record), *judged.notices, *_notices_of_comparison(record, key, compared)]
    return _report(checks, notices, key_compared=key is not None, rehearsal=record.rehearsal)


def _report(checks: list[Check], notices: list[str], *, key_compared: bool, rehearsal: bool) -> Report:
    line, code = verdict(checks, key_compared=key_compared, rehearsal=rehearsal)
    return Report(checks, notices, line, code)


def _not_made() -> Check:
    return Check("all other checks", ok=False, sentence="not made: they need a record of the right shape")


def _no_record(data: bytes) -> str | None:
    """Why the bytes are no record at all, or None. Numbers are not looked at here: shape refuses the wrong ones."""
    try:
        value = json.loads(data.decode(), parse_int=_small_or_text, parse_constant=_no_json)
    except (ValueError, RecursionError):
        return "is not JSON"
    if not isinstance(value, dict) or value.get("v") != 1 or isinstance(value["v"], bool):
        return "is no object with v = 1"
    missing = [name for name in _ARRAYS if not isinstance(value.get(name), list)]
    return f"lacks its arrays: {', '.join(missing)}" if missing else None


def _small_or_text(digits: str) -> int | str:
    return int(digits) if len(digits) < 20 else digits


def _no_json(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _read(data: bytes) -> tuple[dict[str, Any] | None, list[Check]]:
    """The record when its shape holds, and the checks of its bytes and shape."""
    try:
        raw: dict[str, Any] = read_json(data)
        canonical = jcs(raw)
    except (ValueError, RecursionError) as fault:
        return None, [Check.of("bytes", [str(fault) or "it is nested too deeply"], "")]
    faults = [] if data == canonical else [_difference(data, canonical)]
    checks = [
        Check.of("bytes", faults, f"record.json is canonical JSON, {len(data)} bytes"),
        Check.of("shape", faults_of_shape(raw), "every member, type, form and bound is as draw record 1 has them"),
    ]
    return (raw if checks[1].ok else None), checks


def _difference(data: bytes, canonical: bytes) -> str:
    length = min(len(data), len(canonical))
    first = next((i for i in range(length) if data[i] != canonical[i]), length)
    return f"record.json is not canonical JSON: it differs at byte {first}"


def _checks(record: Record) -> Iterator[Check]:
    log, made = record.log, len(record.made)
    yield Check.of("opening", faults_of_opening(record), f"draw {record.draw}, terms as in its opening entry")
    yield Check.of("commitment", faults_of_commitment(record), "the revealed seed is the one committed to")
    seqs = f"entries {log[0]['seq']} to {log[-1]['seq']}"
    yield Check.of("chain", faults_of_chain(record), f"{seqs}, each follows from the one before")
    yield Check.of("digest", faults_of_digest(record), "the record is the one whose digest closed the draw")
    checkpoints = len(record.raw["checkpoints"])
    yield Check.of("checkpoints", faults_of_checkpoints(record), f"signed: {checkpoints}, of one key, all in the log")
    files = PoolFiles(record)
    yield Check.of("pools", faults_of_pools(record, files), _pools_hold(record))
    yield Check.of(
        "entropy",
        faults_of_entropy(record),
        f"texts given: {len(record.raw['public'])}, each at its time and of its source",
    )
    yield Check.of("selections", faults_of_selections(record), f"{made} in all, ordinals without a gap, each as logged")
    yield Check.of("tickets", faults_of_tickets(record, files), f"tickets and references recomputed: {made}")
    yield from _session_checks(record, files) if record.session else _electronic_checks(record)
    lapsed = len(record.happened("selection.lapsed"))
    yield Check.of(
        "re-selections", faults_of_reselections(record), f"failures: {len(record.failures)}, each followed once"
    )
    yield Check.of("lapses", faults_of_lapses(record), f"lapses: {lapsed}, by the rules")
    yield Check.of("claims", faults_of_claims(record), "every ending earned by what was logged before it")
    yield Check.of(
        "outcomes", faults_of_outcomes(record), "every time, outcome and prize as logged, no place filled twice"
    )


def _pools_hold(record: Record) -> str:
    files = sum(row["file"] is not None for row in record.rows("pools"))
    return f"as logged: {len(record.raw['pools'])}; pool files read: {files}"


def _session_checks(record: Record, files: PoolFiles) -> Iterator[Check]:
    yield Check.of(
        "basis", faults_of_basis(record, files), "re-selections after the end are from the last pool before it"
    )
    yield Check.of(
        "repeats", faults_of_repeats(record, files), "nobody who failed for a place was in a later pool for it"
    )
    moments = len(record.terms["places"])
    yield Check.of("moments", faults_of_moments(record), f"moments recomputed: {moments}, each used once or lapsed")
    yield Check.of("times", faults_of_tries(record), "every try was due and no later than the terms allow")
    yield Check.of("duplicates", faults_of_duplicate_entries(record), "none, as in every session")


def _electronic_checks(record: Record) -> Iterator[Check]:
    duplicates = len(record.duplicates)
    yield Check.of(
        "duplicates", faults_of_duplicates(record), f"duplicates: {duplicates}; no other reference was drawn twice"
    )
    yield Check.of("order", faults_of_order(record), "places taken in the order of the terms")


def _outer_checks(record: Record, key: str | None, slips: Slips, *, slips_given: bool) -> Iterator[Check]:
    if slips_given:
        yield Check.of("slips", slips.faults, f"printed slips that are checkpoints of this record: {slips.compared}")
    if key is not None:
        valid = from_base64(key, 32) is not None
        faults = faults_of_key(record, key) if valid else iter(["the key given is not 32 bytes in canonical base64"])
        yield Check.of("key", faults, "the checkpoints are signed with the key given")


def _notices_of_comparison(record: Record, key: str | None, slips: Slips) -> Iterator[str]:
    yield from slips.outside
    if not slips.compared:
        yield "no slip was compared: a house that printed none can rewrite everything with its own key"
    if key is None and not record.rehearsal:
        yield "the key was not compared: it stands on every slip and where the property publishes it"
