"""Canned days for the console, made as those of scenes.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scenes import PROMOTION, ZONE

from web_display import screens
from web_display.console_messages import (
    ClaimRow,
    ConsoleSession,
    ConsoleSnapshot,
    Counts,
    DrawLine,
    FeedLine,
    ListLine,
    LogHead,
    PartMark,
    PoolSize,
    Reason,
    ReasonAction,
    SessionPart,
    StaffMember,
)

STAFF = (
    StaffMember("naledi", "Naledi Khumalo", "promotions manager"),
    StaffMember("ruan", "Ruan Fourie", "duty manager"),
    StaffMember("ayanda", "Ayanda Nkosi", "promotions crew"),
)


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
            ClaimRow(15, 11, "S-0218", "Thandi Mokoena ···1001", "announced", "Announced", "Lerato K.", now + 12_000),
            ClaimRow(16, 12, "S-1104", "Pieter van Wyk ···8830", "announced", "Announced", "Johan B.", now + 61_000),
            ClaimRow(14, 10, "BJ-03/4", "Annelie Botha ···0913", "with_crew", "Crew on the way", "Ayanda N."),
            ClaimRow(17, 13, "S-0731", "Nomvula Dlamini ···5520", "with_crew", "Not taken yet", ""),
        ),
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
        pool=(),
        pool_now=None,
        draws=(),
        log=None,
        ready=False,
        headline=screens.headline(ready=False, suspended=False, running=False),
    )


CONSOLES: dict[str, Callable[[int], ConsoleSnapshot]] = {
    "postponed": console,
    "ready": console_ready,
    "suspended": console_suspended,
    "before": console_before,
}
