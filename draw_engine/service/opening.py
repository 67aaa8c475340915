"""Opening a session: why it may not open yet, and the act (draw record, `draw.opened`; floor-events, "Awards")."""

from __future__ import annotations

from datetime import date

from draw_engine import calendar, selection
from draw_engine.canonical import format_time
from draw_engine.draw_state import FILLED
from draw_engine.errors import Refused
from draw_engine.quota import Taken, awards_left, places_at_opening, require_award_left
from draw_engine.rule_book import DrawPlan, RuleBook
from draw_engine.service.checkpoints import checkpoint
from draw_engine.service.engine import Book, Engine, OpenDraw
from draw_engine.service.ports import DrawRow, Reason
from draw_engine.service.rule_locks import lock_reasons

TRY_EVERY_MS = 30_000
"""A session that may not open is tried again this often until its end (floor-events, "Awards and draws")."""
UNSYNCHRONISED = "X_CLOCK_UNSYNCED"
_LISTS_NEEDED = ("members", "positions", "exclusions")


def reasons_not_to_start(engine: Engine, book: RuleBook, plan: DrawPlan, day: date, now: int) -> list[Reason]:
    """Everything that stands between this session and its opening, each as a sentence; none = it may open now."""
    reasons = []
    if not calendar.is_promotion_day(book, day):
        reasons.append(
            Reason(
                "SS_NOT_PROMO_DAY",
                f"{day:%A %d %B %Y} is not a day of {book.title}.",
                "Check the calendar of the rule book.",
            )
        )
    start, end = calendar.session_bounds(book, plan, day)
    if not calendar.opens_at(book, plan, day) <= now < end or _start(book, plan, day, now) >= end:
        opens = calendar.local(book.zone, calendar.opens_at(book, plan, day))
        ends = calendar.local(book.zone, end)
        reasons.append(
            Reason(
                "SS_OUTSIDE_SESSION",
                f"{plan.title} opens at {opens:%H:%M} and ends at {ends:%H:%M}.",
                "Wait until it opens." if now < start else "It is over for today.",
            )
        )
    reasons += clock_reasons(engine)
    reasons += lock_reasons(engine, book)
    reasons += list_reasons(engine, now)
    reasons += _quota_reasons(engine, book, plan, day)
    return reasons


def clock_reasons(engine: Engine) -> list[Reason]:
    """The machine's clock, where the site asks for a synchronised one and it is not (X-02)."""
    trouble = engine.clock.unsynchronised
    if not trouble:
        return []
    todo = (
        "Set it right. Or a manager who has compared it opens the session all the same, at the console or by "
        "floordraw session open."
    )
    return [Reason(UNSYNCHRONISED, trouble, todo)]


def _quota_reasons(engine: Engine, book: RuleBook, plan: DrawPlan, day: date) -> list[Reason]:
    if places(engine, book, plan, day):
        return []
    group = book.group_of(plan)
    session = calendar.draw_id(book, plan, day)
    try:
        require_award_left(group, taken(engine, book, group.id, day, session))
    except Refused as refusal:
        return [Reason(refusal.code, refusal.sentence, "There is nothing left to draw.")]
    return [
        Reason(
            "SS_SELECTION_QUOTA_REACHED",
            f"All {group.quota} awards of {group.id} are won, being claimed, or spoken for by an open session.",
            "Wait until that session has closed.",
        )
    ]


def list_reasons(engine: Engine, now: int) -> list[Reason]:
    """Lists that are missing, or older than the site's limit (`list_age_hours`)."""
    reasons = []
    for kind in ("members", "exclusions", "staff", "positions"):
        row = engine.list_rows.get(kind)
        limit = engine.settings.list_age_hours.get(kind)
        load = f"Load it: floordraw lists load {kind} FILE."
        if row is None:
            # A rehearsal may do without the staff list; a live draw that never saw one is open to staff (rule 3).
            if kind in _LISTS_NEEDED or (kind == "staff" and not engine.seeds.rehearsal):
                reasons.append(Reason("X_LIST_TOO_OLD", f"The {kind} list has not been loaded.", load))
        elif limit is not None and now - row.fresh_at > limit * 3_600_000 and not engine.seeds.rehearsal:
            age = (now - row.fresh_at) // 3_600_000
            reasons.append(Reason("X_LIST_TOO_OLD", f"The {kind} list is {age} h old. The limit is {limit} h.", load))
    return reasons


def taken(engine: Engine, book: RuleBook, group: str, day: date, session: str | None = None) -> Taken:
    """The group's awards that are filled or running: in `session`, on `day`, in the whole promotion."""
    counts = {"session": 0, "day": 0, "promotion": 0}
    for draw in engine.draws.values():
        if draw.book.id != book.id or draw.plan.group != group:
            continue
        held = sum(1 for place in draw.state.places.values() if place.state in {"filled", "running"})
        counts["promotion"] += held
        counts["day"] += held if draw.day == day else 0
        counts["session"] += held if draw.state.id == session else 0
    return Taken(**counts)


def promised(engine: Engine, book: RuleBook, group: str, day: date) -> int:
    """Awards that other sessions of the group still have to give: they are spoken for."""
    per = next(one.per for one in book.award_groups if one.id == group)
    return sum(
        1
        for draw in engine.draws.values()
        if draw.book.id == book.id and draw.plan.group == group and (per == "promotion" or draw.day == day)
        for place in draw.state.places.values()
        if place.state == "waiting"
    )


def carried_to(engine: Engine, draw_id: str) -> list[tuple[int, str]]:
    """(award, draw it comes from) of the awards that lapsed `carried` to this draw, in order of award."""
    return sorted(
        (place.number, draw.state.id)
        for draw in engine.draws.values()
        for place in draw.state.places.values()
        if place.lapse == "carried" and carry_target(draw) == draw_id
    )


def carry_target(draw: OpenDraw) -> str | None:
    """The draw an unfilled award goes to: the group's next session of the same day."""
    if not draw.book.group_of(draw.plan).carry:
        return None
    plans = [plan for plan in draw.book.draws if plan.group == draw.plan.group]
    later = plans[plans.index(draw.plan) + 1 :]
    return calendar.draw_id(draw.book, later[0], draw.day) if later else None


def may_carry(engine: Engine, draw: OpenDraw, now: int) -> str | None:
    """Where an award that lapses now is carried to: only into a session that is not open yet and can still open."""
    target = carry_target(draw)
    if target is None or target in engine.draws:
        return None
    plan = next(plan for plan in draw.book.draws if calendar.draw_id(draw.book, plan, draw.day) == target)
    return target if now < calendar.session_bounds(draw.book, plan, draw.day)[1] else None


def places(engine: Engine, book: RuleBook, plan: DrawPlan, day: date) -> tuple[int, ...]:
    """The award numbers the session would open with now: carried ones first, no more than the quota leaves."""
    draw_id = calendar.draw_id(book, plan, day)
    group = book.group_of(plan)
    spoken_for = taken(engine, book, group.id, day)
    wanted = places_at_opening(book, plan, carried=[n for n, _ in carried_to(engine, draw_id)])
    if group.per == "session":
        return wanted[: awards_left(group, Taken())]
    return wanted[: max(0, awards_left(group, spoken_for) - promised(engine, book, group.id, day))]


def due_sessions(engine: Engine, now: int) -> list[tuple[Book, DrawPlan, date]]:
    """Sessions that should be open by now and are not."""
    found = []
    for book in engine.books.values():
        day = calendar.gaming_day(book.rules, now)
        if not calendar.is_promotion_day(book.rules, day):
            continue
        for plan in book.rules.draws:
            if engine.only_plans is not None and plan.id not in engine.only_plans:
                continue
            opened = calendar.draw_id(book.rules, plan, day) in engine.draws
            end = calendar.session_bounds(book.rules, plan, day)[1]
            if not opened and calendar.opens_at(book.rules, plan, day) <= now < end:
                found.append((book, plan, day))
    return found


def open_due(engine: Engine, now: int) -> None:
    """Open what should be open; what has a reason against it is tried again every 30 s."""
    for book, plan, day in due_sessions(engine, now):
        draw_id = calendar.draw_id(book.rules, plan, day)
        if engine.next_opening_try.get(draw_id, 0) > now:
            continue
        if reasons_not_to_start(engine, book.rules, plan, day, now):
            engine.next_opening_try[draw_id] = now + TRY_EVERY_MS
        else:
            open_draw(engine, book, plan, day, now)


def open_draw(engine: Engine, book: Book, plan: DrawPlan, day: date, now: int) -> OpenDraw:
    """Make the seed, log the terms with its commitment, sign the head: before any pool exists.

    The caller has asked `reasons_not_to_start`. A second opening of the same session gives the first one's draw.
    """
    rules = book.rules
    draw_id = calendar.draw_id(rules, plan, day)
    if draw_id in engine.draws:
        return engine.draws[draw_id]
    seed = engine.seeds.house_seed(draw_id)
    carried = carried_to(engine, draw_id)
    numbers = places(engine, rules, plan, day)
    reference_key = engine.reference_key(rules.id)
    assert reference_key
    with engine.change() as work:
        at = work.instant(now)
        terms = _terms(engine, rules, plan, draw_id, seed, numbers, carried, _start(rules, plan, day, at), day)
        work.add_rule_book(rules.sha256, book.toml, at=at)
        opened = work.append(at=at, kind="draw.opened", draw=draw_id, actor="engine", data=terms)
        work.add_draw(
            DrawRow(
                id=draw_id,
                promotion=rules.id,
                gaming_day=day.isoformat(),
                plan=plan.id,
                opened_at=at,
                opened_seq=opened.seq,
                rules_sha256=rules.sha256,
                sealed_seed=engine.vault.seal(f"seed:{draw_id}", seed),
            )
        )
        checkpoint(engine, work, opened, at=at, occasion="opening", title=plan.title)
        work.append(at=at, kind="lists.in_force", draw=draw_id, actor="engine", data=_lists_in_force(engine))
        draw = OpenDraw(rules, plan, day, seed, engine.state_of(opened, seed))
    engine.draws[draw_id] = draw
    engine.refs_of(draw, sorted(engine.lists.persons()))
    return draw


def _lists_in_force(engine: Engine) -> dict[str, object]:
    """The lists the draw opens with: an auditor cannot tell them from files, and nobody can put others there later."""
    return {
        "lists": [
            {"list": kind, "sha256": row.sha256, "rows": row.row_count, "loaded_at": format_time(row.loaded_at)}
            for kind, row in sorted(engine.list_rows.items())
        ]
    }


def _start(rules: RuleBook, plan: DrawPlan, day: date, at: int) -> int:
    """The session's start; when it opens after it, the next whole second."""
    start, _ = calendar.session_bounds(rules, plan, day)
    return start if at <= start else at - at % 1000 + 1000


def _terms(
    engine: Engine,
    rules: RuleBook,
    plan: DrawPlan,
    draw_id: str,
    seed: bytes,
    numbers: tuple[int, ...],
    carried: list[tuple[int, str]],
    start: int,
    day: date,
) -> dict[str, object]:
    rehearsal = engine.seeds.rehearsal
    end = calendar.session_bounds(rules, plan, day)[1]
    return {
        "draw": draw_id,
        "property": rules.property,
        "promotion": rules.id,
        "kind": "session",
        "title": plan.title,
        "rules_version": rules.version,
        "rules_sha256": rules.sha256,
        "commitment": selection.commitment(draw_id, seed, rehearsal=rehearsal),
        "moments": {"how": "spread", "start": format_time(start), "end": format_time(end), "count": len(numbers)},
        "places": list(numbers),
        "carried": [{"place": number, "from": source} for number, source in carried if number in numbers],
        "claim_window_ms": plan.claim.seconds * 1000,
        "lateness_ms": plan.lateness_ms,
        "retry_ms": plan.retry_ms,
        "pool": "refreeze",
        "entropy": [{"source": e.source, "pattern": e.pattern, "after": e.after} for e in plan.entropy],
        "rehearsal": rehearsal,
    }


def wins_count(draw: OpenDraw, ordinal: int) -> bool:
    """Whether a selection counts against a win limit: its claim runs, or it filled its place."""
    claim = draw.state.claims[ordinal]
    return claim.runs or claim.outcome in FILLED
