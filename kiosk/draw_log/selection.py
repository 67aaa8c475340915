"""One selection of the log, with everything that is kept about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from draw_engine.canonical import jcs
from draw_engine.errors import Refused
from draw_engine.log import Entry
from draw_engine.service.engine import OpenDraw
from draw_engine.service.print_ports import PRINTED, PrintJob
from kiosk.draw_log.claim import Kept, entries_about, kept_of, tier_then
from kiosk.draw_log.pool import arithmetic, exact, moment_words, played_words, pool_words
from kiosk.draw_log.rows import LogRow, reading, rows_of_draw
from kiosk.draw_log.steps import steps
from kiosk.draw_log.verify import Verified
from kiosk.draw_log.view import DrawFacts, Glance, People, day_text, row_words, word
from web_display import screens
from web_display.catalogue import say


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was read of one selection."""

    row: LogRow
    rows: Sequence[LogRow]
    entries: Sequence[Entry]
    about: Sequence[Entry]
    kept: Kept
    tier: str


def selection_page(
    seen: Glance, people: People, draw_id: str, ordinal: int, verified: Verified | None, *, play: bool
) -> dict[str, Any]:
    """All that the page of a selection shows. `play`: whether the guest's own play may be seen.

    Raises Refused X_NO_SUCH_DRAW, X_NO_SUCH_CLAIM.
    """
    facts = seen.draw(draw_id)
    read = _read(seen, draw_id, ordinal)
    made, frozen = _of_kind(read.about, "selection.made"), _of_kind(read.about, "pool.frozen")
    draw = seen.engine.draws[draw_id]
    seed = draw.seed if facts.closed_at is not None else None
    texts = [entry.data["text"] for entry in read.entries if entry.kind == "entropy.given"]
    return {
        "draw": facts,
        "row": row_words(seen, people, read.row),
        "of": say("draws.of", time=facts.time(read.row.made_at)),
        "place": say("draws.place", place=read.row.place, of=len(facts.places)),
        "tier": read.tier,
        "position": ", ".join(filter(None, (read.row.position, seen.zone_of(read.row.position)))),
        "pool": pool_words(facts, frozen),
        "facts": _facts(seen, facts, draw, read, made, seed),
        "play": _play(seen, read) if play else "",
        "arithmetic": [] if seed is None else arithmetic(seed, made, frozen, texts),
        "steps": steps(facts, people, read.about),
        "attempts": [row_words(seen, people, one) for one in read.rows if one.place == read.row.place],
        "prize": prize_lines(facts, read.kept),
        "slips": [_slip(job) for job in seen.store.print_jobs_of(draw_id, ordinal)],
        "log": [_entry(facts, people, entry) for entry in read.about],
        "noted": [entry.data["sha256"] for entry in read.about if entry.kind == "dispute.noted"],
        "verified": verified,
    }


def _read(seen: Glance, draw_id: str, ordinal: int) -> _Seen:
    entries = seen.store.entries_of(draw_id)
    with reading(seen.store) as connection:
        rows = rows_of_draw(connection, draw_id)
        if not 0 <= ordinal < len(rows):
            raise Refused("X_NO_SUCH_CLAIM", f"This draw has no selection {ordinal}. Look at its list.")
        row = rows[ordinal]
        return _Seen(
            row=row,
            rows=rows,
            entries=entries,
            about=entries_about(connection, draw_id, ordinal, entries),
            kept=kept_of(connection, draw_id, ordinal),
            tier=tier_then(connection, row.member, row.made_at),
        )


def _of_kind(entries: Sequence[Entry], kind: str) -> Entry:
    return next(entry for entry in entries if entry.kind == kind)


# -- the pool -------------------------------------------------------------------------------------------------------


def _facts(
    seen: Glance, facts: DrawFacts, draw: OpenDraw, read: _Seen, made: Entry, seed: bytes | None
) -> list[tuple[str, str]]:
    frozen = _of_kind(read.about, "pool.frozen")
    terms = read.entries[0].data
    said = [
        ("in_it", say("draws.guests_in", n=frozen.data["size"])),
        ("frozen", f"{exact(facts, frozen.at)}, {frozen.data['id']}"),
        ("moment", moment_words(facts, read.entries[0], made, seed)),
        ("ticket", say("draws.ticket", ticket=made.data["ticket"], total=frozen.data["total"])),
        ("reference", screens_of_four(made.data["ref"])),
        ("feeds_then", _feeds(seen, draw, read, made, frozen)),
        ("rules", say("draws.rules", version=terms["rules_version"], sha=terms["rules_sha256"][:16])),
    ]
    words = pool_words(facts, frozen)
    return [*said, ("journal", words.journal)] if words.journal else said


def screens_of_four(text: str) -> str:
    """A hexadecimal value in groups of four, for the eye."""
    return " ".join(text[i : i + 4] for i in range(0, len(text), 4))


def _feeds(seen: Glance, draw: OpenDraw, read: _Seen, made: Entry, frozen: Entry) -> str:
    """What was heard when it was made: without every needed feed, or its exclusion, nothing is selected."""
    if frozen.data["basis"] is not None:
        return say("draws.feeds_after")
    excluded = sorted(
        entry.data["feed"] for entry in read.entries if entry.kind == "feed.excluded" and entry.seq < made.seq
    )
    needed = [feed for feed, brings in seen.engine.settings.feeds.items() if set(brings) & set(draw.plan.needs)]
    left = [feed for feed in excluded if feed in needed]
    return say("draws.feeds_but", list=screens.listed(left)) if left else say("draws.feeds")


def _play(seen: Glance, read: _Seen) -> str:
    ((_, _, kept),) = seen.store.verdicts(read.row.draw, read.row.pool)
    return played_words(kept, read.row.person)


# -- the prize ------------------------------------------------------------------------------------------------------


def prize_lines(facts: DrawFacts, kept: Kept) -> list[str]:
    """The envelope and the held prize, a sentence each."""
    lines = []
    if kept.envelope is not None:
        one = kept.envelope
        state = word(f"draws.envelope.{one.state}", one.state)
        lines.append(say("draws.envelope", pocket=one.pocket, batch=one.batch, state=state))
    if kept.held is not None:
        state = word(f"desk.state.{kept.held.state}", kept.held.state)
        lines.append(say("draws.held", state=state, day=day_text(date.fromisoformat(kept.held.claim_by))))
        if kept.held.amount is not None:
            lines.append(screens.money(kept.held.amount, facts.currency))
    return lines or [say("draws.envelope_none")]


def _slip(job: PrintJob) -> str:
    kind = word(f"draws.slip.{job.kind}", job.kind)
    state = say(f"draws.slip.{job.state}", printer=job.printer or "") if job.state == PRINTED else ""
    parts = [say("draws.slip", job=job.id, kind=kind), state or word(f"draws.slip.{job.state}", job.state)]
    if job.reprints:
        parts.append(say("draws.slip.again", n=job.reprints))
    return ", ".join(parts)


# -- the log --------------------------------------------------------------------------------------------------------


def _entry(facts: DrawFacts, people: People, entry: Entry) -> Mapping[str, Any]:
    return {
        "seq": entry.seq,
        "time": exact(facts, entry.at),
        "kind": entry.kind,
        "who": people.actor(entry.actor),
        "hash": entry.hash,
        "data": jcs(entry.data).decode(),
    }
