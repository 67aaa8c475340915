"""Canned days for the console, made as those of scenes.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scenes import PROMOTION, ZONE

from kiosk.console.words import ENGLISH
from web_display import screens
from web_display.catalogue import add_words
from web_display.console_messages import (
    ClaimRow,
    ConsoleSession,
    ConsoleSnapshot,
    Counts,
    DrawLine,
    EndedRow,
    FeedLine,
    HouseLine,
    ListLine,
    LogHead,
    PartMark,
    PoolSize,
    Reason,
    ReasonAction,
    SessionPart,
    StaffMember,
)

add_words(ENGLISH)
DRAW = "silverstar/playtime/2023-10-07/bonus-jackpot-1"
STAFF = (
    StaffMember("naledi", "Naledi Khumalo", "promotions manager"),
    StaffMember("ruan", "Ruan Fourie", "duty manager"),
    StaffMember("ayanda", "Ayanda Nkosi", "promotions crew"),
)
SIGNED_IN = tuple(replace(person, role="manager" if "manager" in person.role else "crew") for person in STAFF)


def _parts(now_part: int) -> tuple[SessionPart, ...]:
    kinds: dict[int, tuple[str, ...]] = {
        3: ("ended", "confirmed"),
        5: ("held",),
        8: ("ended", "ended", "confirmed"),
        10: ("ended", "with_crew"),
        11: ("announced",),
        12: ("announced",),
        13: ("with_crew",),
    }
    made, ordinal = [], 0
    for n in range(1, 36):
        marks = []
        for kind in kinds.get(n, ("confirmed",)) if n <= now_part else ():
            ordinal += 1
            marks.append(PartMark(kind, ordinal, screens.mark_sentence(kind, n, ordinal)))
        minute = (n - 1) * 7200 // 35 // 60
        state = "past" if n < now_part else "now" if n == now_part else "to_come"
        made.append(SessionPart(n, f"{14 + minute // 60}:{minute % 60:02d}", state, tuple(marks)))
    return tuple(made)


def _running(
    ordinal: int, award: int, position: str, guest: str, says: str, crew: str, since: int, *, left: int | None = None
) -> ClaimRow:
    return ClaimRow(
        ordinal,
        award,
        position,
        guest,
        "with_crew" if left is None else "announced",
        says,
        crew,
        None if left is None else since + 90_000,
        since=since,
        draw=DRAW,
        acts=("void",),
    )


def ended() -> tuple[EndedRow, ...]:
    """Newest first: paid, held, tried twice, and the first of the two tries."""
    common = {"draw": DRAW}
    return (
        EndedRow(
            ordinal=13, award=9, attempt=1, position="S-0044", guest="Fatima Adams ···7302", state="confirmed",
            outcome="confirmed", outcome_text="Confirmed", detail="R\u00a0850, envelope E-0017",
            selected_text="14:31:20", announced_text="", presented_text="", ended_text="14:35:02", crew="Lerato K.",
            acts=("void", "reselect"), **common,
        ),
        EndedRow(
            ordinal=12, award=8, attempt=3, position="S-0412", guest="Sipho Dube ···4417", state="confirmed",
            outcome="confirmed", outcome_text="Confirmed", detail="R\u00a01\u00a0000, envelope E-0016",
            selected_text="14:27:40", announced_text="14:29:01", presented_text="39\u00a0s left", ended_text="14:31:44",
            crew="Johan B.", acts=("void", "reselect"), **common,
        ),
        EndedRow(
            ordinal=11, award=8, attempt=2, position="S-0980", guest="Nokuthula van der Westhuizen-Ramaphosa ···4471",
            state="ended", outcome="expired", outcome_text="Nobody came in time", detail="selected again",
            selected_text="14:25:10", announced_text="14:26:02", presented_text="", ended_text="14:27:32",
            crew="Ayanda N.", **common,
        ),
        EndedRow(
            ordinal=10, award=8, attempt=1, position="BJ-03/4", guest="Annelie Botha ···0913", state="ended",
            outcome="not_rightful_card", outcome_text="Wrong person on the card", detail="selected again",
            selected_text="14:24:21", announced_text="", presented_text="", ended_text="14:25:09", crew="Lerato K.",
            **common,
        ),
        EndedRow(
            ordinal=6, award=5, attempt=1, position="S-0731", guest="Thabo Nkosi ···2210", state="held",
            outcome="held", outcome_text="Held", detail="", selected_text="14:15:00", announced_text="14:16:40",
            presented_text="", ended_text="14:18:10", crew="Johan B.", acts=("void", "reselect"), **common,
        ),
    )  # fmt: skip


def console(now: int) -> ConsoleSnapshot:
    sizes = (398, 404, 410, 407, 417, 415, 427, 423, 433, 425, 417, 420, 411, 413, 409, 402)
    pool = tuple(
        PoolSize(now - (16 - n) * 170_000, screens.time_text_seconds(now - (16 - n) * 170_000, ZONE), size)
        for n, size in enumerate(sizes)
    )
    return ConsoleSnapshot(
        server_now=now,
        utc_offset_minutes=120,
        property_name="Silverstar",
        promotion_title=PROMOTION,
        headline=screens.headline(ready=False, suspended=False, running=True),
        ready=False,
        staff=STAFF,
        reasons=(
            Reason(
                "SS_FEED_STALE",
                "tables-1 has sent nothing since 14:41:29. The limit is 30 s.",
                "Start the bridge tables-1 again, or exclude the feed for this session with a second person.",
                blocking=True,
                action=ReasonAction("exclude_feed", "tables-1"),
            ),
            Reason(
                "X_LIST_TOO_OLD",
                "The staff list is 161 h old. The limit is 168 h.",
                "Load a new staff list before 21:00.",
                blocking=False,
            ),
        ),
        session=ConsoleSession(
            "silverstar/playtime/2023-10-07/bonus-jackpot-1", "Session 1", "14:00", "16:00", "running", _parts(13)
        ),
        counts=Counts(confirmed=8, held=1, announced=2, with_crew=2, ended=4, to_come=22),
        claims=(
            _running(15, 11, "S-0218", "Thandi Mokoena ···1001", "Announced", "Lerato K.", now - 78_000, left=12_000),
            _running(16, 12, "S-1104", "Pieter van Wyk ···8830", "Announced", "Johan B.", now - 29_000, left=61_000),
            _running(14, 10, "BJ-03/4", "Annelie Botha ···0913", "Crew on the way", "Ayanda N.", now - 41_000),
            _running(17, 13, "S-0731", "Nomvula Dlamini ···5520", "Not taken yet", "", now - 14_000),
        ),
        ended=ended(),
        pool=pool,
        pool_now=PoolSize(now, screens.time_text_seconds(now, ZONE), 399),
        feeds=(
            FeedLine("slots-1", "up", screens.feed_sentence("slots-1", "up", None, ZONE)),
            FeedLine("slots-2", "unsure", screens.feed_sentence("slots-2", "unsure", None, ZONE)),
            FeedLine("tables-1", "stale", screens.feed_sentence("tables-1", "stale", now - 41_000, ZONE)),
        ),
        lists=(
            ListLine(
                "members",
                "fine",
                screens.list_sentence(
                    "members", "fine", age_hours=5, limit_hours=24, rows=48_210, loaded="today, 09:12"
                ),
            ),
            ListLine(
                "exclusions",
                "fine",
                screens.list_sentence(
                    "exclusions", "fine", age_hours=5, limit_hours=24, rows=312, loaded="today, 09:12"
                ),
            ),
            ListLine(
                "staff",
                "ageing",
                screens.list_sentence("staff", "ageing", age_hours=161, limit_hours=168, rows=0, loaded=""),
            ),
        ),
        desk=(
            HouseLine("register", "fine", "The register is closed. It opens 16:00.", "/desk#register"),
            HouseLine("held", "fine", "1 prize waits for its guest.", "/desk#held"),
            HouseLine("trays", "fine", "26 envelopes are in the trays.", "/desk#envelopes"),
        ),
        printers=(
            HouseLine("doubt", "bad", "1 slip waits for a person: did it come out?", "/desk#slips"),
            HouseLine("stage", "fine", "Stage: Ready."),
            HouseLine("crew-2", "warn", "Crew 2: The paper is nearly finished. Put in a new roll."),
        ),
        log=LogHead(
            18_204, screens.hash_short("dc3782eb" + "0" * 48 + "3f059e12"), "Checkpoint at 14:40:00 covers entry 18190."
        ),
        draws=(
            DrawLine(
                "d0",
                "Session 2, 30 September",
                "closed, 35 selections",
                {"record.json": "/draws/d0/record.json", "log.jsonl": "/draws/d0/log.jsonl"},
            ),
        ),
    )


def console_ready(now: int) -> ConsoleSnapshot:
    return replace(
        console(now), reasons=(), ready=True, headline=screens.headline(ready=True, suspended=False, running=True)
    )


def console_suspended(now: int) -> ConsoleSnapshot:
    day = console(now)
    assert day.session
    return replace(
        day,
        reasons=(),
        session=replace(day.session, state="suspended"),
        headline=screens.headline(ready=False, suspended=True, running=True),
        demo=True,
    )


def console_before(now: int) -> ConsoleSnapshot:
    return replace(
        console_ready(now),
        session=None,
        claims=(),
        ended=(),
        pool=(),
        pool_now=None,
        draws=(),
        log=None,
        ready=False,
        headline=screens.headline(ready=False, suspended=False, running=False),
    )


def console_review(now: int) -> ConsoleSnapshot:
    """The stage was not heard at one claim's deadline."""
    day = console_ready(now)
    first, second, *rest = day.claims
    why = "No tablet of the stage was heard when the time ran out at 14:41:58."
    waits = replace(
        first, state="with_crew", state_sentence="Waits for two people", deadline_at=None, review=why, acts=("decide",)
    )
    other = replace(rest[0], of="Session 2", draw=DRAW.replace("-1", "-2"))
    return replace(day, claims=(second, waits, other, *rest[1:]))


CONSOLES: dict[str, Callable[[int], ConsoleSnapshot]] = {
    "postponed": console,
    "ready": console_ready,
    "suspended": console_suspended,
    "before": console_before,
    "review": console_review,
}
