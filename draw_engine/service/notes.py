"""Notes of a dispute about a claim: added, never edited, never taken away (rule 36: what was decided stays).

A note may name people, so its text is sealed with the master key. The log has the SHA-256 of what was sealed: a note
that was changed, or one that was taken out, shows. The text is hashed with a salt; a short one could be guessed else.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import unicodedata
from dataclasses import dataclass, field

from draw_engine.canonical import jcs
from draw_engine.errors import Refused, RuleBroken
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.note_ports import NoteRow
from draw_engine.service.roles import actor_of

WRITERS = frozenset({"manager"})
MOST_LETTERS = 4_000
_UNSEEN = frozenset({"Cc", "Cf", "Cs"})
_LINE = "\n"


@dataclass(frozen=True, slots=True)
class Note:
    """One note, opened. `by`: an actor `role:id`; `whole`: whether it is what was written then."""

    n: int
    at: int
    by: str
    sha256: str
    text: str = field(repr=False)
    whole: bool = True


def add(engine: Engine, draw: OpenDraw, ordinal: int, *, text: str, by: str, now: int) -> int:
    """Write a note about a claim, whatever stage it is in. Gives the note's number.

    Raises Refused X_NO_PERMISSION (a manager writes it), X_NO_SUCH_CLAIM, X_REASON_REQUIRED.
    """
    actor = actor_of(engine, by, WRITERS)
    if not 0 <= ordinal < len(draw.state.claims):
        raise Refused("X_NO_SUCH_CLAIM", f"{draw.plan.title} has no selection {ordinal}. Look at its list.")
    said = _said(text)
    with engine.change() as work:
        at = work.instant(now)
        n = work.next_note()
        content = jcs({"n": n, "salt": engine.seeds.salt(n).hex(), "text": said})
        digest = hashlib.sha256(content).hexdigest()
        sealed = engine.vault.seal(_label(n), content)
        work.add_note(NoteRow(n, at, actor, draw.state.id, ordinal, digest, sealed))
        data = {"of": draw.state.id, "claim": f"c{ordinal}", "sha256": digest}
        work.append(at=at, kind="dispute.noted", draw=None, actor=actor, data=data)
    return n


def notes_of(engine: Engine, draw_id: str, ordinal: int) -> list[Note]:
    """A claim's notes in the order of writing. It may be asked from any thread: it reads rows and the master key."""
    return [_opened(engine, row) for row in engine.store.notes_of(draw_id, ordinal)]


def _opened(engine: Engine, row: NoteRow) -> Note:
    try:
        content = engine.vault.unseal(_label(row.n), row.sealed)
        text = json.loads(content)["text"]
    except (RuleBroken, ValueError, KeyError, TypeError):
        return Note(row.n, row.at, row.by, row.sha256, "", whole=False)
    whole = hmac.compare_digest(hashlib.sha256(content).hexdigest(), row.sha256)
    return Note(row.n, row.at, row.by, row.sha256, text, whole)


def _label(n: int) -> str:
    return f"dispute:{n}"


def _said(text: str) -> str:
    """The text with its lines. Raises Refused X_REASON_REQUIRED: it must be readable years from now."""
    lines = [" ".join(line.split()) for line in unicodedata.normalize("NFC", text).splitlines()]
    said = _LINE.join(lines).strip()
    if not said:
        raise Refused("X_REASON_REQUIRED", "Write what was said and by whom; an empty note tells nobody anything.")
    if len(said) > MOST_LETTERS:
        raise Refused("X_REASON_REQUIRED", f"Say it in at most {MOST_LETTERS} characters, or write a second note.")
    if any(letter != _LINE and unicodedata.category(letter) in _UNSEEN for letter in said):
        raise Refused("X_REASON_REQUIRED", "Write in plain letters: it holds a sign that nobody can see or print.")
    return said
