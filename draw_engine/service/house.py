"""What people of the house do to a session and its lists, with who did it; and the engine's own heartbeat, `tick`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from draw_engine import calendar, desk_exclusions
from draw_engine.errors import Refused
from draw_engine.service import closing, expiry, opening, prize_returns, selecting, witnessing
from draw_engine.service.engine import Engine, OpenDraw, sha256
from draw_engine.service.list_ports import LoadedList
from draw_engine.service.people import said_reason, two_people


def tick(engine: Engine) -> None:
    """Everything that is due by now, in order. Called often, by the alarm and before every press; idempotent."""
    engine.ready()
    now = engine.now()
    selecting.note_outage(engine, now)
    if _mind_clock(engine, now):  # the time that was left out is an outage: it is told before anything else
        now = engine.now()
        selecting.note_outage(engine, now)
    note_feeds(engine, now)
    expiry.expire_due(engine, now)
    prize_returns.expire_due(engine, now)
    selecting.select_due(engine, now)
    closing.close_due(engine, now)
    closing.checkpoint_due(engine, now)
    opening.open_due(engine, now)


def _mind_clock(engine: Engine, now: int) -> bool:
    """A step of the wall clock is logged; it is taken over only while no claim runs (architecture, "State: time").

    True when it was taken over: time may have jumped. A wall clock that was put back is neared: time runs slower, and
    nothing is selected, until it has caught up. A claim's seconds are never slower ones.
    """
    clock = engine.clock
    off = clock.disagreement()
    if abs(off) <= selecting.CLOCK_LIMIT_MS or any(draw.state.running() for draw in engine.draws.values()):
        clock.go_on_from(now)
        return False
    if off < 0 and clock.nearing:
        return False
    with engine.change() as work:
        at = work.instant(now)
        work.append(at=at, kind="clock.stepped", draw=None, actor="engine", data={"by_ms": off})
    clock.reanchor()  # once it is written: a step that could not be logged is met again at the next tick
    return True


def note_feeds(engine: Engine, now: int) -> None:
    """Log every change of a feed's state since the last look, with the state it is in now."""
    for feed in [*engine.settings.feeds, *(feed for feed in engine.sequences if feed not in engine.settings.feeds)]:
        state = engine.floor.feed_at(feed, now).state
        if engine.feed_states.get(feed, "unheard") != state:
            with engine.change() as work:
                at = work.instant(now)
                work.append(at=at, kind=f"feed.{state}", draw=None, actor="engine", data={"feed": feed})
            engine.feed_states[feed] = state


def next_instant(engine: Engine) -> int | None:
    """When something is due next, for a rehearsal's clock. A moment among them: known to the engine alone."""
    due = [draw.state.next_due() for draw in engine.draws.values() if draw.state.closed_at is None]
    due += [
        witnessing.closes_at(engine, draw)
        for draw in engine.draws.values()
        if draw.state.closed_at is None and draw.state.settled() and not draw.state.running()
    ]
    due += [expiry.next_expiry(engine), closing.next_checkpoint(engine)]
    return min((at for at in due if at is not None), default=None)


def start_log(engine: Engine, version: str) -> None:
    """Log that the core started, and in the same transaction what is overdue: whatever comes next, that comes first."""
    now = engine.now()
    with engine.change() as work:
        at = work.instant(now)
        work.append(at=at, kind="core.started", draw=None, actor="engine", data={"version": version})
        selecting.append_outages(engine, work, at)
        expiry.review_interrupted(engine, work, at)


# -- people -----------------------------------------------------------------------------------------------------


def exclude_feed(engine: Engine, draw: OpenDraw, feed: str, *, by: str, second: str, reason: str) -> None:
    """Go on without a feed for this session: its sessions are in no pool, and it postpones nothing any more."""
    people = two_people(engine, by, second)
    _must_be_open(draw)
    if feed not in selecting.needed_feeds(engine, draw):
        raise Refused("X_NO_SUCH_FEED", f"{draw.plan.title} does not need a feed {feed}.")
    if feed in draw.state.excluded_feeds:
        raise Refused("X_ALREADY_DONE", f"The feed {feed} is excluded for this session already.")
    _note(engine, draw, "feed.excluded", by, people, reason, {"feed": feed})


def suspend(engine: Engine, draw: OpenDraw, *, by: str, second: str, reason: str) -> None:
    """Put selections off until the session is resumed; running claims go on."""
    people = two_people(engine, by, second)
    _must_be_open(draw)
    if draw.state.suspended:
        raise Refused("X_ALREADY_DONE", f"{draw.plan.title} is suspended already.")
    _note(engine, draw, "session.suspended", by, people, reason, {})


def end_early(engine: Engine, draw: OpenDraw, *, by: str, second: str, reason: str) -> None:
    """No selection is made in this session any more (evacuation, power); running claims go on.

    The draw closes at its own end, as the record asks: what it has left lapses there, or is carried as the rules say.
    """
    people = two_people(engine, by, second)
    _must_be_open(draw)
    if draw.state.ended_early:
        raise Refused("X_ALREADY_DONE", f"{draw.plan.title} has been ended already.")
    _note(engine, draw, "session.ended_early", by, people, reason, {})


def resume(engine: Engine, draw: OpenDraw, *, by: str, second: str, reason: str) -> None:
    """Let selections fall again."""
    people = two_people(engine, by, second)
    _must_be_open(draw)
    if draw.state.ended_early:
        raise Refused("X_ALREADY_DONE", f"{draw.plan.title} was ended by two people; it cannot be resumed.")
    if not draw.state.suspended:
        raise Refused("X_ALREADY_DONE", f"{draw.plan.title} is not suspended.")
    _note(engine, draw, "session.resumed", by, people, reason, {})


def _must_be_open(draw: OpenDraw) -> None:
    if draw.state.closed_at is not None:
        raise Refused("SS_OUTSIDE_SESSION", f"{draw.plan.title} is closed; nothing about it can be changed any more.")


def _note(
    engine: Engine, draw: OpenDraw, kind: str, by: str, people: Sequence[str], reason: str, data: dict[str, object]
) -> None:
    said = said_reason(reason)
    with engine.change() as work:
        at = work.instant(engine.now())
        work.append(
            at=at,
            kind=kind,
            draw=draw.state.id,
            actor=f"{engine.settings.staff[by]}:{by}",
            data={**data, "by": list(people), "reason": said, "authenticated": True},
        )


def load_list(engine: Engine, kind: str, content: bytes, *, actor: str = "engine", fresh_at: int | None = None) -> int:
    """Take a new version of a list, whole or not at all. Returns its number of rows.

    `fresh_at`: when the file it began with was loaded; None = now.
    Exclusions that a desk entered go on beside a new exclusions list (`desk_exclusions`).
    Raises ListFaults with every fault; the version that was in force stays in force then.
    """
    now = engine.now()
    version = engine.read_version(kind, content, now)
    before = engine.list_rows.get(kind)
    if kind == "exclusions" and before is not None:
        kept = desk_exclusions.kept_rows(before.content, content, calendar.local(engine.zone, now).date())
        if kept:
            content = desk_exclusions.with_rows(content, kept)
            version = engine.read_version(kind, content, now)
    digest = sha256(content)
    with engine.change() as work:
        at = work.instant(now)
        fresh = at if fresh_at is None else fresh_at
        work.append(
            at=at,
            kind="list.loaded",
            draw=None,
            actor=actor,
            data={"list": kind, "sha256": digest, "rows": len(version.rows)},
        )
        work.add_list(kind, sha256=digest, row_count=len(version.rows), loaded_at=at, fresh_at=fresh, content=content)
    engine.next_opening_try.clear()  # a missing list may have been all that stood in the way
    engine.took_list(kind, LoadedList(0, kind, digest, len(version.rows), at, content, fresh), version)
    return len(version.rows)


def load_list_by(engine: Engine, kind: str, content: bytes, *, by: str) -> int:
    """As `load_list`, with who did it; nobody named = the engine itself (a watched folder, the demo).

    The decline register is no list to load: guests sign it in person (rule 11). A rehearsal alone has it as a file.
    """
    if kind == "register":
        raise Refused("X_NO_SUCH_LIST", "The decline register is signed at the desk; it is not loaded from a file.")
    if by and by not in engine.settings.staff:
        raise Refused("X_NO_PERMISSION", f"{by} is not among the staff in site.toml. Name a person from the list.")
    actor = f"{engine.settings.staff[by]}:{by}" if by else "engine"
    return load_list(engine, kind, content, actor=actor)


def exclude_guest(engine: Engine, member: str, category: str, *, first: date, last: date | None, by: str) -> int:
    """Enter one exclusion at a desk: it holds at once, as a new version of the list with this row more.

    Returns the list's number of rows. Raises ListFaults for a wrong number or category; X_NO_PERMISSION.
    """
    if by not in engine.settings.staff:
        raise Refused("X_NO_PERMISSION", f"{by} is not among the staff in site.toml. Name a person from the list.")
    row = engine.list_rows.get("exclusions")
    if row is None:
        raise Refused("X_LIST_TOO_OLD", "Load the exclusions list first: floordraw lists load exclusions FILE.")
    try:
        content = desk_exclusions.with_rows(row.content, [desk_exclusions.row_of(member, category, first, last)])
    except UnicodeEncodeError:
        raise Refused("X_VALUE_WRONG", "The member number holds half a character; type it again.") from None
    return load_list(engine, "exclusions", content, actor=f"{engine.settings.staff[by]}:{by}", fresh_at=row.fresh_at)
