"""Two sessions' facts, small enough to be counted by hand: for the reports' tests."""

from __future__ import annotations

from dataclasses import replace

from draw_engine.reports_facts import DrawFacts, PoolFact, SelectionFact

HOUR = 3_600_000
NOON = 1_696_672_800_000  # 2023-10-07 12:00 in Johannesburg


def selection(ordinal: int, person: str, groups: tuple[str, str, str], **said: object) -> SelectionFact:
    usual = SelectionFact(
        ordinal=ordinal,
        at=NOON + HOUR + ordinal * 600_000,
        place=ordinal + 1,
        moment=ordinal,
        pool=ordinal,
        person=person,
        groups=groups,
        outcome="confirmed",
        again=False,
        prize=50_000,
        taken_by="crew:kabelo",
        arrival="found",
        announced_by=None,
        announced_at=None,
        deadline_at=None,
        presented_at=None,
        came_late=False,
        ended_at=NOON + 2 * HOUR,
    )
    return replace(usual, **said)  # type: ignore[arg-type]


def draw(day: str, selections: tuple[SelectionFact, ...], pools: tuple[PoolFact, ...], **said: object) -> DrawFacts:
    usual = DrawFacts(
        id=f"silverstar/playtime/{day}/first",
        promotion="playtime",
        session="first",
        title="Playtime, first",
        day=day,
        zone="Africa/Johannesburg",
        currency="ZAR",
        day_starts_hour=6,
        opened_at=NOON,
        closed_at=NOON + 3 * HOUR,
        record=day.replace("-", "").ljust(64, "0"),
        rules_sha256="0" * 64,
        how="spread",
        start=NOON + HOUR,
        end=NOON + 2 * HOUR,
        count=len(selections),
        lapsed=0,
        postponed=0,
        groups=(("Gold", "Black"), ("MAIN",), ("slot", "table")),
        persons=("A", "B", "C", "D"),
        pools=pools,
        selections=selections,
        decisions=(),
        happenings=(),
    )
    return replace(usual, **said)  # type: ignore[arg-type]


GOLD, BLACK = ("Gold", "MAIN", "slot"), ("Black", "MAIN", "table")
ALL_FOUR = PoolFact(4, ((3, 1), (4,), (3, 1)), 0b1111)
WITHOUT_A = PoolFact(3, ((2, 1), (3,), (2, 1)), 0b1110)
FIRST = draw("2023-10-07", (selection(0, "A", GOLD), selection(1, "D", BLACK)), (ALL_FOUR, WITHOUT_A))
LATER = tuple(replace(one, at=one.at + 24 * HOUR) for one in (selection(0, "D", BLACK), selection(1, "A", GOLD)))
SECOND = draw(
    "2023-10-08",
    (*LATER, replace(selection(2, "A", GOLD), at=NOON + 26 * HOUR)),
    (ALL_FOUR, ALL_FOUR, ALL_FOUR),
    start=NOON + 25 * HOUR,
    end=NOON + 26 * HOUR,
)
