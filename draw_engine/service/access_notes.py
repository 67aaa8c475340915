"""The table of sign-ins, look-ups and reads of protected fields; the log has its digest each hour.

What the log holds may be published; who looked up whom may not. The digest makes the table as hard to change unseen
as the log is (architecture, "State"; POPIA s 19: every read of a protected field is kept).
"""

from __future__ import annotations

import hashlib
import hmac

from draw_engine.canonical import jcs
from draw_engine.service.engine import Engine

EVERY_MS = 3_600_000
ACTS = frozenset(
    {
        *("sign_in", "sign_in.refused", "sign_in.locked", "sign_out", "second", "second.refused", "secret.changed"),
        *("secret.code", "unlocked"),
        *("device.enrolled", "refused", "guest.looked_up", "held.looked_up", "why_not", "paper.read", "paper.kept"),
        *("record.auditor", "notes.read", "report.read", "staff.read"),
    }
)
"""What may stand there; a closed list, as the log's kinds are."""
_MOST_AT_ONCE = 100_000


def about_of(engine: Engine, number: str) -> str:
    """How a member, card or claim is named there: a keyed digest of 16 hex digits, the same for the same number."""
    return hmac.digest(engine.press_key(), b"about\0" + number.encode(), hashlib.sha256).hex()[:16]


def note(engine: Engine, *, who: str, act: str, device: str = "", about: str = "", code: str = "") -> int:
    """Keep one. `who`: an actor `role:id`, or "" when nobody is known; `about`: from `about_of`. Gives its number."""
    if act not in ACTS:
        raise ValueError(f"no such act of the table of look-ups: {act}")
    with engine.change() as work:
        return work.note_access(at=engine.now(), who=who, device=device, act=act, about=about, code=code)


def digest_of(engine: Engine, first: int, last: int) -> str:
    """SHA-256 (hex) over the entries' JCS lines, each ended by a newline."""
    told = hashlib.sha256()
    for one in engine.store.access_entries(first, last):
        row = {"about": one.about, "act": one.act, "at": one.at, "code": one.code, "device": one.device}
        told.update(jcs({**row, "n": one.n, "who": one.who}) + b"\n")
    return told.hexdigest()


def digest_due(engine: Engine, done_to: int) -> int:
    """Log the digest of what came after number `done_to`; gives the number it goes to now."""
    last = min(engine.store.last_access(), done_to + _MOST_AT_ONCE)
    if last <= done_to:
        return done_to
    with engine.change() as work:
        data = {"from": done_to + 1, "to": last, "sha256": digest_of(engine, done_to + 1, last)}
        work.append(at=work.instant(engine.now()), kind="access.digest", draw=None, actor="engine", data=data)
    return last


def digested_to(engine: Engine) -> tuple[int, int]:
    """(number, instant) the log's last digest goes to; (0, 0) when there is none."""
    last = engine.store.last_of_kind("access.digest")
    return (0, 0) if last is None else (int(last.data["to"]), last.at)
