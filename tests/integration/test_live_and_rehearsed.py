"""One floor twice: rehearsed from its recording, and heard live; the same guests in the same milliseconds."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from casino import Casino, FixedSeeds
from people_words import jhb
from recording import events, members, positions, write
from small_book import book_toml

from draw_engine import selection
from draw_engine.canonical import parse_time
from draw_engine.scripted_crew import ScriptedCrew, read_crew
from draw_engine.service import house, intake
from draw_engine.service.publishing import auditor_pack, published_copy
from draw_engine.verify import verify
from draw_engine.verify.report import HOLDS
from floor_bridge.event_form import parse_time as millis
from floor_bridge.floor_files import write_floor
from floor_bridge.floor_spec import REHEARSAL
from kiosk.rehearsal.rehearse import RehearsalOrder, rehearse

DAY = date(2023, 10, 7)
SEED = b"s" * 32
CREW = b"found = 0.3\nother_person = 0.1\npresents = 0.5\nwalk_seconds = [5, 40]\n"
SILVERSTAR = Path(__file__).parents[2] / "config" / "rule_books" / "silverstar-playtime.toml"


class RehearsedSeeds(FixedSeeds):
    """A live engine that happens to draw the seeds of a rehearsal, so that the two can be compared."""

    def house_seed(self, draw: str) -> bytes:
        return selection.house_seed_of_rehearsal(SEED, draw)

    def reference_key(self) -> bytes:
        return selection.reference_key_of_rehearsal(SEED)


def live(casino: Casino, told: list[tuple[int, dict[str, Any]]], until: int) -> None:
    """Let every event arrive when it happens, in the order of time, and tick where something is due."""
    waiting = iter([*told, (until + 1, {})])
    at, event = next(waiting)
    crew = casino.crew
    assert crew is not None
    while casino.clock.now() < until:
        due = [house.next_instant(casino.engine), crew.next_at(), jhb("13:55"), jhb("14:25"), until]
        instant = min(one for one in due if one is not None and (one > casino.clock.now() or one == due[0]))
        while at <= instant:
            casino.clock.set(max(at, casino.clock.now()))
            arrived: dict[str, list[bytes]] = {}
            moment = at
            while at == moment:
                arrived.setdefault(event["feed"], []).append(json.dumps(event).encode())
                at, event = next(waiting)
            for feed, lines in arrived.items():
                answer = intake.take(casino.engine, feed, b"\n".join(lines))
                assert not answer.refused
        casino.clock.set(max(instant, casino.clock.now()))
        casino._press()
        casino.tick()


def test_the_live_floor_selects_whom_the_rehearsal_selects(casinos: Callable[..., Casino], tmp_path: Path) -> None:
    told = events()
    floor = write(tmp_path / "floor", told)
    rehearse(RehearsalOrder(rules=book_toml(), day=DAY, floor=floor, seed=SEED, crew=CREW), tmp_path / "out")
    casino = casinos(now="2023-10-07 06:00", members=members(), positions=positions(), list_age_hours={})
    casino.seeds = RehearsedSeeds("live")
    casino.restart()
    casino.crew = ScriptedCrew(read_crew(CREW))
    casino.load_lists(register="member,at,phone\n")
    live(casino, sorted(((parse_time(e["at"]), e) for e in told), key=lambda pair: pair[0]), jhb("14:44"))
    for plan in ("first", "second"):
        rehearsed = json.loads((tmp_path / "out" / plan / "record.json").read_bytes())
        lived = json.loads(published_copy(casino.engine, casino.draw(plan), "auditor")["record.json"])
        assert lived["terms"]["rehearsal"] is False
        assert lived["selections"] == rehearsed["selections"]
        assert lived["pools"] == rehearsed["pools"]
        assert lived["claims"] == rehearsed["claims"]
        assert lived["log"][0]["salt"] != rehearsed["log"][0]["salt"]


def test_the_live_floor_s_pools_can_be_judged_again_from_the_auditor_s_pack(
    casinos: Callable[..., Casino], tmp_path: Path
) -> None:
    told = events()
    casino = casinos(now="2023-10-07 06:00", members=members(), positions=positions(), list_age_hours={})
    casino.crew = ScriptedCrew(read_crew(CREW))
    casino.load_lists()
    live(casino, sorted(((parse_time(e["at"]), e) for e in told), key=lambda pair: pair[0]), jhb("14:44"))
    site = b'property = "silverstar"\nstale_after_seconds = 30\n' + b"".join(
        f'[[feed]]\nid = "{feed}"\nbrings = {json.dumps(list(brings))}\n'.encode()
        for feed, brings in casino.settings.feeds.items()
    )
    for plan in ("first", "second"):
        draw = casino.draw(plan)
        files = published_copy(casino.engine, draw, "auditor") | auditor_pack(
            casino.engine, draw, read_segment=lambda _: casino.journal.lines(), site_toml=site
        )
        for name, data in files.items():
            file = tmp_path / plan / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        report = verify(tmp_path / plan, journal=True)
        assert [check for check in report.checks if not check.ok] == []


@pytest.fixture(scope="module")
def whole_day(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """400 members, 168 positions, seven hours: some 120,000 events under the published promotion's rule book."""
    folder = tmp_path_factory.mktemp("whole-day")
    start, end = millis("2023-10-07T11:30:00.000Z"), millis("2023-10-07T18:30:00.000Z")
    count = write_floor(folder / "floor", REHEARSAL, 20231007, start, end)
    assert 112_000 <= count <= 128_000
    order = RehearsalOrder(rules=SILVERSTAR.read_bytes(), day=DAY, floor=folder / "floor", seed=SEED)
    return folder / "out", rehearse(order, folder / "out")


def test_a_day_of_a_whole_floor_fills_both_sessions(whole_day: tuple[Path, dict[str, Any]]) -> None:
    _, told = whole_day
    for plan in ("bonus-jackpot-1", "bonus-jackpot-2"):
        summary = told["draws"][plan]
        assert (summary["awards"], summary["filled"], summary["lapsed"]) == (35, 35, {})
        assert summary["postponed"] == {}
        assert 35 * 50_000 <= summary["prizes"]["paid"] <= 35 * 100_000
        assert 55 <= summary["pool_sizes"]["least"] <= summary["pool_sizes"]["most"] <= 110
    assert told["events"]["refused"] == {}
    assert set(told["winners"]["tier"]) <= {"Black", "Platinum", "Gold"}
    assert set(told["winners"]["zone"]) <= {"MAIN", "SMOKING"}
    assert set(told["winners"]["kind"]) == {"slot", "table"}


@pytest.mark.parametrize("plan", ["bonus-jackpot-1", "bonus-jackpot-2"])
def test_a_day_of_a_whole_floor_verifies(whole_day: tuple[Path, dict[str, Any]], plan: str) -> None:
    out, _ = whole_day
    report = verify(out / plan)
    assert report.exit_code == HOLDS, "\n".join(report.lines())
    record = json.loads((out / plan / "record.json").read_bytes())
    assert len({made["at"] for made in record["selections"]}) >= 35
