"""Judging 50,000 open sessions, to the refs of the pool and the bytes of the verdicts, against computing 50,000
references, in the same run and in processor time: `python benchmarks/bench_judging.py [ROUNDS]`.

Goal: at most 3 times the references. Before each round everything worked out from the lists is thrown away, so that
a round pays for a new list; "again" is the next judging under the same lists, as in a session.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from datetime import date
from hashlib import sha256
from time import process_time

from draw_engine.eligibility import Judgement, judge
from draw_engine.feeds import Floor
from draw_engine.floor_events import CardIn, Played, RatingOpened
from draw_engine.list_rows import ExclusionRow, ListRow, MemberRow, PositionRow
from draw_engine.lists import ListsInForce, ListVersion
from draw_engine.pool import Pool
from draw_engine.references import guest_secret, reference, references
from draw_engine.rule_book import Criterion

SESSIONS = 50_000
START = 1_696_680_000_000  # 7 October 2023, 14:00 in Johannesburg
T = START + 3_600_000
KEY = bytes(range(32))
DRAW = "silverstar/playtime/2023-10-07/bonus-jackpot-1"
CRITERIA = (
    Criterion("slot", "idle_seconds", max=300),
    Criterion("slot", "minutes", min=10),
)


def number(n: int) -> str:
    return f"{100_000 + n}"


def made_lists() -> ListsInForce:
    tiers = ("Black", "Platinum", "Gold", "Gold", "Silver")
    members: list[ListRow] = [
        MemberRow(number(n), "A", "B", tiers[n % 5], date(1960 + n % 40, 5, 3), "", "", number(n - n % 40 // 39), 0)
        for n in range(SESSIONS)
    ]
    places: list[ListRow] = [
        PositionRow(f"S-{n}", "slot", ("MAIN", "SMOKING", "MAIN", "PRIVE")[n % 4], "", None, "", None, None, 0)
        for n in range(SESSIONS)
    ]
    out: list[ListRow] = [
        ExclusionRow(number(n), "self_excluded", date(2023, 1, 1), None, "", 0) for n in range(0, SESSIONS, 97)
    ]
    return ListsInForce(
        members=ListVersion("members", "", tuple(members)),
        exclusions=ListVersion("exclusions", "", tuple(out)),
        staff=None,
        positions=ListVersion("positions", "", tuple(places)),
        zone="Africa/Johannesburg",
    )


def made_floor() -> Floor:
    floor = Floor(30_000)
    for n in range(SESSIONS):
        position, opened = f"S-{n}", START - n % 7200 * 1000
        if n % 10:
            floor.take(CardIn("slots", 2 * n, opened, position, number(n), f"{n}"), START)
            floor.take(Played("slots", 2 * n + 1, T - n % 400 * 1000, position, 3, 900), T)
        else:
            floor.take(RatingOpened("slots", 2 * n, opened, position, "1", number(n), 5000), START)
            floor.take(Played("slots", 2 * n + 1, T, "S-1", 0, 0), T)
    return floor


def judged(floor: Floor, lists: ListsInForce) -> Judgement:
    return judge(
        floor.at(T),
        lists,
        t=T,
        promotion_day=True,
        start=START,
        end=START + 7_200_000,
        tiers=("Black", "Platinum", "Gold"),
        zones=("MAIN", "SMOKING"),
        criteria=CRITERIA,
        min_age=18,
        exclude=("refusal_of_entry", "self_excluded", "excluded_category", "staff_or_related"),
    )


def seconds(work: Callable[[], object]) -> float:
    begun = process_time()
    work()
    return process_time() - begun


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    lists, floor = made_lists(), made_floor()
    members = [number(n) for n in range(SESSIONS)]
    kept = references(KEY, DRAW, members)

    def pool() -> int:
        found = judged(floor, lists)
        sha256(found.verdicts).digest()
        return Pool.equal(kept[entrant.person] for entrant in found.entrants).size

    lists.at(T)
    print(f"{SESSIONS} sessions, {pool()} in the pool")
    taken: dict[str, list[float]] = {name: [] for name in ("one by one", "bulk", "judging", "again")}
    for _ in range(rounds):
        lists.at(T).kept.clear()
        taken["one by one"].append(seconds(lambda: [reference(guest_secret(KEY, DRAW, m), m) for m in members]))
        taken["judging"].append(seconds(pool))
        taken["bulk"].append(seconds(lambda: references(KEY, DRAW, members)))
        taken["again"].append(seconds(pool))
    for name, times in taken.items():
        median, least, most = (value * 1e3 for value in (statistics.median(times), min(times), max(times)))
        print(f"{name:12} median {median:7.1f} ms  ({least:.1f} to {most:.1f})")
    for name in ("judging", "again"):
        for against in ("one by one", "bulk"):
            ratio = statistics.median(a / b for a, b in zip(taken[name], taken[against], strict=True))
            print(f"{name} / references {against}: {ratio:.2f}")


if __name__ == "__main__":
    main()
