"""The reports' figures, computed again from the published auditor's copies alone, in another way, by this file's code.

From `record.json`, the pool files and `judging/` (references, lists, journal): who was in each pool, where and on which
card they played, what the shares were. Distributions are multiplied out in exact fractions; hypergeometric ones are
counted with binomial coefficients; the spread of moments is counted minute by minute; repeats are also thrown
many times over with dice of this file's own.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from hashlib import sha256
from math import comb, isclose, sqrt
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from auditors_pack import Pack, millis, rows
from flask import Flask
from flask.testing import FlaskClient
from reported_day import MEMBERS, ReportedDay

from draw_engine.errors import Refused
from draw_engine.reports_chance import Judged
from draw_engine.reports_whole import Report, report_of
from kiosk.reports import words as reports_words
from kiosk.reports.gather import FactsKept
from kiosk.reports.routes import reports_routes
from kiosk.screens.view import House
from kiosk.sign_in.access import GATE
from web_display.catalogue import add_words
from web_display.console_messages import StaffMember

PLANS = ("first", "second")
ZONE = ZoneInfo("Africa/Johannesburg")
HALF_PER_CENT = Fraction(1, 200)


class AskedAtOnce:
    """A core whose engine answers on the asker's thread."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def ask(self, command: Any) -> Any:
        return command(self._engine)


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReportedDay]:
    played = ReportedDay(tmp_path_factory.mktemp("day"))
    yield played
    played.close()


@pytest.fixture(scope="module")
def packs(day: ReportedDay) -> list[Pack]:
    return [Pack(day.pack(plan)) for plan in PLANS]


@pytest.fixture(scope="module")
def report(day: ReportedDay, tmp_path_factory: pytest.TempPathFactory) -> Report:
    kept = FactsKept(AskedAtOnce(day.casino.engine), tmp_path_factory.mktemp("kept"), seconds=600)  # type: ignore[arg-type]
    gathered = kept.gather()
    assert (gathered.unread, gathered.still_open) == (0, 0)
    return report_of(gathered.draws)


# -- chance, multiplied out ---------------------------------------------------------------------------------------


def multiplied(chances: Sequence[Fraction]) -> list[Fraction]:
    """The exact distribution of the count: the product of (1 - p) + p x, halves first."""
    if len(chances) < 2:
        return [1 - chances[0], chances[0]] if chances else [Fraction(1)]
    left, right = multiplied(chances[::2]), multiplied(chances[1::2])
    made = [Fraction(0)] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            made[i + j] += a * b
    return made


def agrees(judged: Judged, seen: int, distribution: Sequence[Fraction]) -> None:
    """Everything a report says of a count, against an exact distribution from 0."""
    mean = sum((k * p for k, p in enumerate(distribution)), Fraction(0))
    assert judged.observed == seen
    assert judged.mean == mean
    assert judged.variance == sum((k * k * p for k, p in enumerate(distribution)), Fraction(0)) - mean * mean
    below = [sum(distribution[:k], Fraction(0)) for k in range(len(distribution) + 1)]
    above = [1 - under for under in below]  # above[k]: k and more
    possible = range(len(distribution))
    assert judged.low == max(k for k in possible if below[k] <= HALF_PER_CENT)
    assert judged.high == min(k for k in possible if above[k + 1] <= HALF_PER_CENT)
    rarity = min(Fraction(1), 2 * min(below[seen + 1], above[seen]))
    assert isclose(judged.rarity, rarity, rel_tol=1e-9, abs_tol=1e-12)


def drawn(count: int, marked: int, whole: int) -> list[Fraction]:
    """How many marked ones are among so many of the whole, by counting the ways."""
    return [
        Fraction(comb(marked, k) * comb(whole - marked, count - k) if k <= count else 0, comb(whole, count))
        for k in range(min(count, marked) + 1)
    ]


# -- the figures --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dimension", "column"), [("tier", 1), ("zone", 2), ("kind", 3)])
def test_groups_agree(report: Report, packs: list[Pack], dimension: str, column: int) -> None:
    groups = {entry[column] for pack in packs for pool in pack.pools.values() for entry in pool.values()}
    assert [row.group for row in report.groups[dimension]] == sorted(groups)
    assert len(groups) > 1
    for row in report.groups[dimension]:
        for judged, only_won in ((row.selected, False), (row.won, True)):
            chances, seen = [], 0
            for pack in packs:
                for one in pack.selections:
                    if only_won and not pack.won(one["ordinal"]):
                        continue
                    pool = pack.pools[one["pool"]]
                    mine = sum(entry[0] for entry in pool.values() if entry[column] == row.group)
                    chances.append(Fraction(mine, sum(entry[0] for entry in pool.values())))
                    seen += pool[pack.persons[one["ref"]]][column] == row.group
            assert judged is not None
            agrees(judged, seen, multiplied(chances))


def test_the_second_card_s_tier_and_the_new_list_count(packs: list[Pack]) -> None:
    """The floor has what this test is there for: a person of two tiers, one by card and one by list."""
    tiers: dict[str, set[str]] = {}
    for pack in packs:
        for pool in pack.pools.values():
            for person, entry in pool.items():
                tiers.setdefault(person, set()).add(entry[1])
    assert tiers["100001"] == {"Gold", "Platinum"}
    assert tiers["100007"] == {"Gold", "Black"}


def test_hours_agree(report: Report, packs: list[Pack]) -> None:
    hours: dict[int, list[Fraction]] = {}
    timed: Counter[int] = Counter()
    every: Counter[int] = Counter()
    wins: Counter[int] = Counter()
    for pack in packs:
        moments = pack.record["terms"]["moments"]
        start, end, count = (
            datetime.fromisoformat(moments["start"]),
            datetime.fromisoformat(moments["end"]),
            moments["count"],
        )
        minutes = round((end - start) / timedelta(minutes=1))
        for one in pack.selections:
            hour = datetime.fromisoformat(one["at"]).astimezone(ZONE).hour
            every[hour] += 1
            wins[hour] += pack.won(one["ordinal"])
            if one["moment"] is not None:
                timed[hour] += 1
                # A part's minutes, cut at its own two ends, each laid to the hour it begins in.
                first, last = Fraction(one["moment"] * minutes, count), Fraction((one["moment"] + 1) * minutes, count)
                share: dict[int, Fraction] = {}
                for minute in range(minutes):
                    inside = min(last, Fraction(minute + 1)) - max(first, Fraction(minute))
                    if inside > 0:
                        at = (start + timedelta(minutes=minute)).astimezone(ZONE).hour
                        share[at] = share.get(at, Fraction(0)) + inside / (last - first)
                for at, part in share.items():
                    hours.setdefault(at, []).append(part)
    assert [int(row.group) for row in report.groups["hour"]] == sorted({*hours, *every}) == [14, 15]
    assert any(0 < part < 1 for parts in hours.values() for part in parts)
    for row in report.groups["hour"]:
        hour = int(row.group)
        assert row.selections == every[hour]
        assert row.selected is not None
        agrees(row.selected, timed[hour], multiplied(hours.get(hour, [])))
        agrees(row.won, wins[hour], drawn(every[hour], wins.total(), every.total()))


def in_time(packs: list[Pack]) -> list[tuple[Pack, dict[str, Any]]]:
    return sorted(((pack, one) for pack in packs for one in pack.selections), key=lambda each: each[1]["at"])


def test_repeats_agree(report: Report, packs: list[Pack]) -> None:
    before: Counter[str] = Counter()
    chances: dict[int, list[Fraction]] = {times: [] for times in range(2, 6)}
    seen: Counter[int] = Counter()
    for pack, one in in_time(packs):
        pool = pack.pools[one["pool"]]
        whole = sum(entry[0] for entry in pool.values())
        for times, column in chances.items():
            again = sum(entry[0] for person, entry in pool.items() if before[person] == times - 1)
            column.append(Fraction(again, whole))
        person = pack.persons[one["ref"]]
        before[person] += 1
        seen[before[person]] += 1
    assert seen[3] > 1
    assert [row.times for row in report.repeats] == [2, 3, 4, 5]
    for row in report.repeats:
        agrees(row.persons, seen[row.times], multiplied(chances[row.times]))


def test_repeats_are_what_throwing_again_gives(report: Report, packs: list[Pack]) -> None:
    """The sum of chances is what happens on average: the pools as they were, each selection thrown anew.

    Thrown anew, the earlier selections differ: the difference of count and chance must be nothing on average.
    """
    pools = [sorted(pack.pools[one["pool"]]) for pack, one in in_time(packs)]
    thrown, differences = 4_000, []
    dice = b"".join(sha256(f"dice {n}".encode()).digest() for n in range(thrown * len(pools) // 8))
    at = 0
    for _ in range(thrown):
        before: Counter[str] = Counter()
        difference = 0.0
        for pool in pools:
            difference -= sum(1 for person in pool if before[person] == 1) / len(pool)
            person = pool[int.from_bytes(dice[at : at + 4], "big") % len(pool)]
            at += 4
            difference += before[person] == 1
            before[person] += 1
        differences.append(difference)
    mean = sum(differences) / thrown
    spread = sqrt(sum((one - mean) ** 2 for one in differences) / (thrown - 1))
    assert abs(mean) < 4 * spread / sqrt(thrown)
    assert report.repeats[0].persons.variance > 0


def test_the_most_selected_agree(report: Report, packs: list[Pack]) -> None:
    times = Counter(pack.persons[one["ref"]] for pack in packs for one in pack.selections)
    everybody = {person for pack in packs for pool in pack.pools.values() for person in pool}
    assert report.persons == len(everybody)
    expected = []
    for person, count in times.items():
        if count > 1:
            chances = [
                Fraction(pool[person][0], sum(entry[0] for entry in pool.values()))
                for pack in packs
                for one in pack.selections
                if person in (pool := pack.pools[one["pool"]])
            ]
            won = sum(
                pack.won(one["ordinal"])
                for pack in packs
                for one in pack.selections
                if pack.persons[one["ref"]] == person
            )
            expected.append((count, len(chances), sum(chances), won))
    found = [(row.selected.observed, row.selected.of, row.selected.mean, row.won) for row in report.most]
    assert sorted(found) == sorted(expected)
    assert not {row.person for row in report.most} & everybody, "a person's number stands in the report"


def claims_of(packs: list[Pack]) -> list[dict[str, Any]]:
    """Each claim as its log entries tell it: who had it last, who announced it last, and what became of it."""
    made = []
    for pack in packs:
        told: dict[int, dict[str, Any]] = {}
        for entry in pack.log:
            if not entry["kind"].startswith("claim.") or "ordinal" not in entry["data"]:
                continue
            claim = told.setdefault(entry["data"]["ordinal"], {"kinds": [], "late": False})
            claim["kinds"].append(entry["kind"].removeprefix("claim."))
            if entry["kind"] == "claim.taken":
                claim["crew"] = entry["actor"]
            elif entry["kind"] == "claim.announced":
                claim["announcer"], claim["at"] = entry["actor"], millis(entry["at"])
            elif entry["kind"] == "claim.presented":
                claim["took"] = millis(entry["data"]["presented_at"]) - claim["at"]
            elif entry["kind"] == "claim.arrived":
                claim["arrival"] = entry["data"]["arrival"]
            elif entry["kind"] == "claim.voided":
                claim["by"], claim["again"] = entry["data"]["by"], entry["data"]["reselect"]
        for entry in pack.log:
            if entry["kind"] == "press.refused" and entry["data"]["code"] == "SS_LATE_AFTER_90S":
                told[int(entry["data"]["claim"][1:])]["late"] = True
        made += told.values()
    return made


MEASURES: dict[str, Any] = {
    "won": lambda claim: bool({"confirmed", "held"} & set(claim["kinds"])),
    "again": lambda claim: (
        bool({"expired", "not_rightful_card", "ineligible"} & set(claim["kinds"])) or claim.get("again", False)
    ),
    "not_there": lambda claim: claim.get("arrival") == "not_there",
    "no_show": lambda claim: bool({"expired", "held"} & set(claim["kinds"])),
    "wrong_card": lambda claim: "not_rightful_card" in claim["kinds"],
    "voided": lambda claim: "voided" in claim["kinds"],
    "late": lambda claim: claim["late"],
}


@pytest.mark.parametrize(("role", "who"), [("crew", "crew"), ("announcer", "announcer")])
def test_operators_agree(report: Report, packs: list[Pack], role: str, who: str) -> None:
    cases = [claim for claim in claims_of(packs) if who in claim]
    told = report.operators[role]
    assert told.cases == len(cases)
    assert [row.actor for row in told.rows] == sorted({claim[who] for claim in cases})
    assert len(told.rows) == 2
    for row in told.rows:
        own = [claim for claim in cases if claim[who] == row.actor]
        for measure, judged in row.measures.items():
            marked = sum(map(MEASURES[measure], cases))
            assert told.house[measure] == marked
            agrees(judged, sum(map(MEASURES[measure], own)), drawn(len(own), marked, len(cases)))


def test_decisions_agree(report: Report, packs: list[Pack]) -> None:
    decided = [
        entry["data"] for pack in packs for entry in pack.log if entry["kind"] in {"claim.voided", "claim.reviewed"}
    ]
    told = report.operators["manager"]
    assert (told.cases, told.house["void"]) == (len(decided), len(decided))
    assert {row.actor: row.cases for row in told.rows} == Counter(actor for data in decided for actor in data["by"])
    assert decided


def test_presented_agrees(report: Report, packs: list[Pack]) -> None:
    claims = [claim for claim in claims_of(packs) if "announcer" in claim]
    took = [claim["took"] for claim in claims if "took" in claim]
    told = report.presented
    assert told.announced == len(claims)
    assert list(told.steps) == [sum(9_000 * n <= ms < 9_000 * (n + 1) for ms in took) for n in range(10)]
    assert told.late == sum(claim["late"] for claim in claims) > 0
    assert told.never == len(claims) - len(took) - told.late > 0
    assert told.middle_ms == sorted(took)[(len(took) - 1) // 2]


def test_totals_agree(report: Report, packs: list[Pack]) -> None:
    assert report.selections == sum(len(pack.selections) for pack in packs)
    assert report.won == sum(pack.won(one["ordinal"]) for pack in packs for one in pack.selections)


# -- what is kept of a closed draw --------------------------------------------------------------------------------


def test_kept_facts_give_the_same_and_an_edited_file_is_not_believed(day: ReportedDay, tmp_path: Path) -> None:
    core: Any = AskedAtOnce(day.casino.engine)
    first = FactsKept(core, tmp_path, seconds=600).gather().draws
    files = sorted(tmp_path.glob("*.facts"))
    assert {file.stem for file in files} == {facts.record for facts in first}
    for person in (b"100001", b"Thandi", b"Mokoena"):
        assert not any(person in file.read_bytes() for file in files)
    reread = FactsKept(core, tmp_path, seconds=600)
    reread._read = None  # type: ignore[assignment,method-assign] - the files must do
    assert reread.gather().draws == first
    edited = bytearray(files[0].read_bytes())
    edited[-1] ^= 1
    files[0].write_bytes(edited)
    assert FactsKept(core, tmp_path, seconds=600).gather().draws == first


def test_without_time_draws_are_left_for_the_next_page(day: ReportedDay) -> None:
    gathered = FactsKept(AskedAtOnce(day.casino.engine), None, seconds=-1).gather()  # type: ignore[arg-type]
    assert (gathered.draws, gathered.unread) == ((), 2)


# -- the page ------------------------------------------------------------------------------------------------------


class SignedIn:
    """The gate of an application in which a manager is signed in."""

    def signed_in(self, *, used: bool = True) -> Any:
        return SimpleNamespace(id="nomvula", name="Nomvula Maseko", role="manager", used=used)


@pytest.fixture(scope="module")
def pages(day: ReportedDay) -> FlaskClient:
    add_words(reports_words.ENGLISH)
    app = Flask("kiosk.app")
    app.testing = True
    app.extensions[GATE] = SignedIn()
    app.context_processor(lambda: {"signed": {}})
    staff = [StaffMember("kabelo", "Kabelo Dube", "crew")]
    core: Any = AskedAtOnce(day.casino.engine)
    app.register_blueprint(reports_routes(core, House("Silverstar", "", demo=False), staff, None))
    return app.test_client()


def test_the_page_shows_every_part_and_no_guest(pages: FlaskClient) -> None:
    shown = pages.get("/console/reports").get_data(as_text=True)
    for part in ("tier", "zone", "kind", "hour", "again", "crew", "announcer", "manager", "presented", "envelopes"):
        assert f'<section class="part" id="{part}"' in shown
    assert shown.count("data-plot=") >= 5
    assert "Kabelo Dube" in shown
    for row in rows(MEMBERS.encode()):
        assert row["member"] not in shown
        assert row["last_name"] not in shown


def test_a_filter_takes_its_sessions_alone(pages: FlaskClient, packs: list[Pack]) -> None:
    one = pages.get("/console/reports?session=second&from=2023-10-07").get_data(as_text=True)
    assert f"1 closed session, {len(packs[1].selections)} selections" in one
    assert "No closed draw matches" in pages.get("/console/reports?from=2023-10-08").get_data(as_text=True)
    for wrong in ("from=7%20October", "from=2023-10-08&to=2023-10-07"):
        with pytest.raises(Refused, match=r"2023-10-13|first day"):
            pages.get(f"/console/reports?{wrong}")


def test_a_table_as_csv(pages: FlaskClient, report: Report) -> None:
    answer = pages.get("/console/reports/tier.csv")
    assert answer.mimetype == "text/csv"
    read = list(csv.reader(io.StringIO(answer.get_data().decode("utf-8-sig"))))
    assert [(row[0], int(row[1])) for row in read[1:]] == [
        (row.group, row.selected.observed) for row in report.groups["tier"] if row.selected is not None
    ]
    with pytest.raises(Refused, match="no such table"):
        pages.get("/console/reports/members.csv")


def test_the_batch_s_paid_sum_is_that_of_the_log(pages: FlaskClient, packs: list[Pack]) -> None:
    paid = sum(
        entry["data"]["prize"] or 0 for pack in packs for entry in pack.log if entry["kind"] == "claim.confirmed"
    )
    (_, row) = csv.reader(io.StringIO(pages.get("/console/reports/batches.csv").get_data().decode("utf-8-sig")))
    assert float(row[6]) == paid / 100
