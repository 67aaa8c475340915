"""Verifying a draw in place: the real verifier over its record, in a process of its own; an open draw as far as it can.

The engine's thread is asked for nothing but a glance, and the verifier's arithmetic holds up no press: it is another
process, of a lower priority.
"""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from draw_engine.draw_state import DrawState
from draw_engine.errors import Refused
from draw_engine.log import Entry, first_break
from draw_engine.pool import Pool
from draw_engine.records import AUDITOR
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.publishing import published_copy, shown
from draw_engine.verify.checkpoints import signature_holds
from draw_engine.verify.report import Check
from kiosk.draw_log.view import Glance
from web_display.catalogue import say

RECORD_FILES = "floordraw_record_files"
"""Under this name the application keeps its `Files`: the auditor's copy needs the journal and the site's settings."""
MOST_SECONDS = 300
_MOST_KEPT = 200
Files = Callable[[Engine, OpenDraw, str], dict[str, bytes]]
"""(engine, draw, copy) -> the files of a copy; the auditor's with `judging/`."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What a verification said. `ok`: everything that was checked holds; `whole`: the draw is closed and all of it was.

    `rest`: what could not be checked yet, said plainly; `at` in ms; `took_ms`: how long it took.
    """

    ok: bool
    whole: bool
    verdict: str
    checks: tuple[Check, ...]
    notices: tuple[str, ...]
    rest: str
    key: str
    at: int
    took_ms: int

    def as_json(self) -> dict[str, Any]:
        """For the page."""
        return asdict(self)


class Verifier:
    """Runs one verification at a time, and keeps what the last one of each closed draw said.

    `patience`: for so many seconds the next one waits for its turn.
    """

    def __init__(self, patience: float = 2) -> None:
        self._busy = Lock()
        self._patience = patience
        self._said: dict[str, Verified] = {}

    def last(self, draw_id: str) -> Verified | None:
        """What was last said of a closed draw since the core started."""
        return self._said.get(draw_id)

    def verify(self, seen: Glance, draw_id: str, files: Files | None = None) -> Verified:
        """Verify a draw. `files`: where the auditor's folder comes from when every pool is to be judged again.

        Raises Refused X_NO_SUCH_DRAW; X_TRY_AGAIN while another one is verified, or when it takes too long.
        """
        facts = seen.draw(draw_id)
        if not self._busy.acquire(timeout=self._patience):
            raise Refused("X_TRY_AGAIN", "Another draw is being verified just now. Try again in a moment.")
        try:
            begun = time.monotonic()
            said = _open(seen, draw_id) if facts.closed_at is None else _closed(seen, draw_id, files)
            made = Verified(
                ok=all(check.ok for check in said.checks),
                whole=facts.closed_at is not None,
                verdict=said.verdict,
                checks=tuple(said.checks),
                notices=tuple(said.notices),
                rest="" if facts.closed_at is not None else say("draws.verify.not_yet"),
                key=_key(seen.engine),
                at=seen.now,
                took_ms=round((time.monotonic() - begun) * 1000),
            )
        finally:
            self._busy.release()
        if made.whole:
            self._said.pop(draw_id, None)
            self._said[draw_id] = made
            while len(self._said) > _MOST_KEPT:
                del self._said[next(iter(self._said))]
        return made


@dataclass(frozen=True, slots=True)
class _Said:
    checks: list[Check]
    notices: list[str]
    verdict: str


def _key(engine: Engine) -> str:
    return base64.b64encode(engine.signer.public_key).decode()


# -- a closed draw --------------------------------------------------------------------------------------------------


def _closed(seen: Glance, draw_id: str, files: Files | None) -> _Said:
    engine = seen.engine
    draw = engine.draws[draw_id]
    copy = published_copy(engine, draw, AUDITOR) if files is None else files(engine, draw, AUDITOR)
    with TemporaryDirectory(prefix="floordraw-verify-") as place:
        for name, data in copy.items():
            file = Path(place, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        return _run(place, _key(engine), journal=files is not None)


def _run(place: str, key: str, *, journal: bool) -> _Said:
    """The verifier as a process. Its answer is JSON (`kiosk.draw_log.verifier`)."""
    command = [sys.executable, "-m", "kiosk.draw_log.verifier", place, key, *(["--journal"] if journal else [])]
    try:
        ran = subprocess.run(  # noqa: S603 - our own command
            command, capture_output=True, timeout=MOST_SECONDS, check=True, cwd=Path(__file__).parents[2]
        )
        told = json.loads(ran.stdout)
    except (subprocess.SubprocessError, ValueError, OSError):
        raise Refused("X_TRY_AGAIN", say("draws.verify.slow")) from None
    checks = [Check(one["name"], ok=one["ok"], sentence=one["sentence"]) for one in told["checks"]]
    return _Said(checks, told["notices"], told["verdict"])


# -- an open draw ---------------------------------------------------------------------------------------------------


def _open(seen: Glance, draw_id: str) -> _Said:
    """All that can be checked without the seed: it stays sealed until the draw closes, here, too."""
    store = seen.store
    head = store.head()
    own = store.entries_of(draw_id)
    state = folded(own)
    last = own[-1].seq if head is None else head.seq
    checks = [
        _chain(list(store.entries(state.opened_seq, last))),
        _checkpoints(seen, state, last),
        _pools(seen, state),
        _tickets(seen, state),
        _verdicts(seen, own, draw_id),
    ]
    holds = all(check.ok for check in checks)
    return _Said(checks, [], say("draws.verify.open" if holds else "draws.verify.open_fails"))


def folded(entries: list[Entry]) -> DrawState:
    """A draw's state from its own entries, without its moments: nobody here may know those to come."""
    opened, *others = entries
    state = DrawState(opened, [0] * len(opened.data["places"]))
    for entry in others:
        state.apply(entry)
    return state


def _chain(entries: list[Entry]) -> Check:
    broken = first_break(entry.shown() for entry in entries)
    holds = say("draws.verify.chain", first=entries[0].seq, last=entries[-1].seq)
    return _check(
        "chain", [] if broken is None else [say("draws.verify.chain_at", seq=broken[0], fault=broken[1])], holds
    )


def _checkpoints(seen: Glance, state: DrawState, last: int) -> Check:
    made = seen.store.checkpoints(state.opened_seq, last)
    hashes = {entry.seq: entry.hash for entry in seen.store.entries(state.opened_seq, last)}
    rehearsal = bool(state.terms["rehearsal"])
    faults = [
        say("draws.verify.signed_at", seq=one.seq)
        for one in made
        if hashes.get(one.seq) != one.hash or not signature_holds(shown(one), rehearsal=rehearsal)
    ]
    return _check("checkpoints", faults, say("draws.verify.signed", n=len(made)))


def _pools(seen: Glance, state: DrawState) -> Check:
    faults = []
    for frozen in state.pools:
        try:
            pool = Pool(seen.store.pool(state.id, frozen.id))
            holds = (pool.size, str(pool.total), pool.root) == (frozen.size, frozen.total, frozen.root)
        except ValueError:
            holds = False
        if not holds:
            faults.append(say("draws.verify.pools_at", pool=frozen.id))
    return _check("pools", faults, say("draws.verify.pools", n=len(state.pools)))


def _tickets(seen: Glance, state: DrawState) -> Check:
    faults = []
    for made in state.selections:
        try:
            ref, _ = Pool(seen.store.pool(state.id, made.pool)).entry_at(int(made.ticket))
            holds = ref.hex() == made.ref
        except ValueError:
            holds = False
        if not holds:
            faults.append(say("draws.verify.tickets_at", ordinal=made.ordinal))
    return _check("tickets", faults, say("draws.verify.tickets", n=len(state.selections)))


def _verdicts(seen: Glance, own: list[Entry], draw_id: str) -> Check:
    judged = [entry for entry in own if entry.kind == "pool.judged"]
    kept = [hashlib.sha256(data).hexdigest() for _, _, data in seen.store.verdicts(draw_id)]
    faults = [
        say("draws.verify.verdicts_at", seq=entry.seq)
        for n, entry in enumerate(judged)
        if n >= len(kept) or kept[n] != entry.data["verdicts"]
    ]
    return _check("judgements", faults, say("draws.verify.verdicts", n=len(judged)))


def _check(name: str, faults: list[str], holds: str) -> Check:
    return Check(name, ok=not faults, sentence=" ".join(faults) or holds)
