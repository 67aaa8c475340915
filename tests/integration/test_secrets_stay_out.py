"""Who a guest is, and when a moment comes: neither stands anywhere before and where it may not."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog
from casino import Casino
from people_words import SIGNED_HEADER, iso, jhb
from small_book import book_toml
from sqlalchemy import select

from draw_engine.alarms import Alarms
from draw_engine.canonical import jcs
from draw_engine.errors import RuleBroken
from draw_engine.log import Entry
from draw_engine.scripted_crew import CrewPlan, ScriptedCrew
from draw_engine.service import intake
from draw_engine.service.engine import Engine, moments_of
from draw_engine.service.publishing import published_copy
from draw_engine.store.tables import metadata
from kiosk.console.view import console_snapshot
from kiosk.core import Core
from kiosk.rehearsal.rehearse import RehearsalOrder, rehearse
from kiosk.screens.view import House, screen_snapshot

Casinos = Callable[..., Casino]
HOUSE = House("Silverstar", "18 and over.", demo=False)
CREW = CrewPlan(seed="e", walk_seconds=(5, 40), found=0.3, other_person=0.2, presents=0.5)

GUESTS = range(7)
FIRST_NAMES = [f"Quirine{chr(97 + n)}" for n in GUESTS]
LAST_NAMES = [f"Vlinderzoon{chr(97 + n)}" for n in GUESTS]
NUMBERS = [f"7377{n}4419{n}" for n in GUESTS]
CARDS = [f"8838{n}5526{n}" for n in GUESTS]
PHONES = [f"08355{n}7171{n}" for n in GUESTS]
EMAILS = [f"quirky{n}@vlinder.example" for n in GUESTS]
PLACES = ["S-0412", "S-0088", "S-0500", "S-0501", "S-0502", "S-0503"]

MEMBERS = "member,first_name,last_name,tier,born,phone,email,person\n" + "".join(
    f"{NUMBERS[n]},{FIRST_NAMES[n]},{LAST_NAMES[n]},Gold,1980-01-01,{PHONES[n]},{EMAILS[n]},\n" for n in GUESTS
)
REGISTER = SIGNED_HEADER + f"{NUMBERS[6]},2023-10-07 13:00,{PHONES[6]}\n"


def seat(casino: Casino) -> None:
    for n, position in enumerate(PLACES):
        casino.sits(NUMBERS[n], position, card=CARDS[n])
    casino.rated(NUMBERS[6])


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    made = casinos(members=MEMBERS)
    made.load_lists(register=REGISTER)
    made.crew = ScriptedCrew(CREW)
    seat(made)
    return made


def secrets_of_guests() -> list[str]:
    return [*FIRST_NAMES, *LAST_NAMES, *NUMBERS, *CARDS, *PHONES, *EMAILS]


def assert_absent(what: str, text: str | bytes, needles: list[str]) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    found = [needle for needle in needles if needle.encode() in data]
    assert not found, f"{what} holds {found}"


def messages(engine: Engine) -> tuple[str, str]:
    """The floor screen's and the console's whole messages, as they are sent."""
    shown = screen_snapshot(engine, HOUSE).as_json()
    return json.dumps(shown, ensure_ascii=False), json.dumps(
        console_snapshot(engine, HOUSE, ()).as_json(), ensure_ascii=False
    )


# -- guests ----------------------------------------------------------------------------------------------------


def test_no_guest_stands_in_the_log_the_records_or_the_pools(casino: Casino) -> None:
    casino.at("14:50")
    outcomes = {claim.outcome for draw in casino.engine.draws.values() for claim in draw.state.claims}
    assert outcomes >= {"confirmed", "expired", "not_rightful_card"}
    needles = secrets_of_guests()
    for entry in casino.log():
        assert_absent(f"entry {entry.seq} ({entry.kind})", jcs(entry.shown()), needles)
    for draw in casino.draws_closed():
        for copy in ("public", "auditor"):
            for name, data in published_copy(casino.engine, draw, copy).items():
                assert_absent(f"{draw.plan.id}'s {copy} {name}", data, needles)


def test_a_public_copy_tells_no_secret_that_links_guests_over_draws(casino: Casino) -> None:
    casino.at("14:50")
    key = casino.seeds.reference_key().hex()
    for draw in casino.draws_closed():
        for copy in ("public", "auditor"):
            for name, data in published_copy(casino.engine, draw, copy).items():
                assert_absent(f"{copy} {name}", data, [key, casino.seeds.signing_key().hex()])
    first, second = (set(casino.engine.refs_of(casino.draw(plan), NUMBERS).values()) for plan in ("first", "second"))
    assert first.isdisjoint(second)


def test_messages_name_guests_only_as_the_rule_book_lets_them(casino: Casino) -> None:
    """Screens: first name, initial, last four. The console: the name too. Neither: numbers, cards, telephones."""
    named = {"screen": 0, "console": 0}
    while casino.clock.now() < jhb("14:50"):
        casino.go(casino.clock.now() + 10_000)
        screen, console = messages(casino.engine)
        whole = [*NUMBERS, *CARDS, *PHONES, *EMAILS]
        assert_absent("the console's message", console, whole)
        assert_absent("the screen's message", screen, [*whole, *LAST_NAMES])
        named["screen"] += any(name in screen for name in FIRST_NAMES)
        named["console"] += any(name in console for name in LAST_NAMES)
    assert named["screen"]
    assert named["console"]


def test_no_guest_stands_in_a_rehearsal_s_files(tmp_path: Path) -> None:
    floor = tmp_path / "floor"
    floor.mkdir()
    (floor / "members.csv").write_text(MEMBERS, encoding="utf-8")
    (floor / "register.csv").write_text(REGISTER, encoding="utf-8")
    (floor / "exclusions.csv").write_text("member,category,from,to,source\n", encoding="utf-8")
    rows = "".join(f"{place},slot,MAIN,,\n" for place in PLACES)
    (floor / "positions.csv").write_text(f"position,kind,zone,bank,seats\n{rows}", encoding="utf-8")
    told: list[dict[str, Any]] = []
    for n, place in enumerate(PLACES):
        told.append({"kind": "card_in", "position": place, "member": NUMBERS[n], "card": CARDS[n], "at": "13:45"})
    times = [f"{13 + n // 60}:{n % 60:02d}{half}" for n in range(46, 105) for half in (":00", ":30")]
    played = {"kind": "played", "games": 1, "coin_in": 1}
    told += [{**played, "position": place, "at": at} for at in times for place in PLACES]
    for seq, event in enumerate(told, 1):
        event |= {"feed": "all", "seq": seq, "at": iso(jhb(event["at"]))}
    lines = [json.dumps(event) for event in told]
    (floor / "events.jsonl").write_text("\n".join(lines), encoding="utf-8")
    order = RehearsalOrder(rules=book_toml(), day=date(2023, 10, 7), floor=floor)
    rehearse(order, tmp_path / "out")
    files = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert any(file.suffix == ".pool" for file in files)
    for file in files:
        assert_absent(file.name, file.read_bytes(), secrets_of_guests())


# -- the application's own log ---------------------------------------------------------------------------------


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Iterator[list[Any]]:
    """Everything structlog and the standard logger were told."""
    heard: list[Any] = []
    before = structlog.get_config()

    def hear(_logger: Any, _name: str, event: Any) -> Any:
        heard.append(dict(event))
        raise structlog.DropEvent

    structlog.configure(processors=[hear], cache_logger_on_first_use=False)
    caplog.set_level(logging.DEBUG)
    yield heard
    heard += [record.getMessage() for record in caplog.records]
    structlog.configure(**before)


def test_the_core_s_log_names_nobody_even_when_the_core_breaks(
    casino: Casino, said: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    """What broke it speaks of a guest: only its kind and place are logged."""
    casino.at("14:05")
    broken: list[bool] = []
    core = Core(lambda: casino.engine, clock=casino.clock, version="test", on_broken=lambda: broken.append(True))
    core.start()
    body = json.dumps({"feed": "slots-1", "seq": 1, "at": "x", "kind": "card_in", "member": NUMBERS[0]}).encode()
    assert core.ask(lambda engine: intake.take(engine, "slots-1", body)).refused

    def breaks(_engine: Engine) -> None:
        raise RuleBroken(f"{NUMBERS[1]} {LAST_NAMES[1]} {CARDS[1]}")

    with pytest.raises(RuleBroken):
        core.ask(breaks)
    core.stop()
    assert broken
    told = json.dumps([*said, *caplog.messages], default=str)
    assert "RuleBroken" in told
    assert_absent("the application's log", told, secrets_of_guests())


def test_a_refused_event_s_answer_repeats_nothing_of_it(casino: Casino) -> None:
    lines: list[dict[str, Any]] = [
        {"kind": "card_in", "position": "S 0412", "member": NUMBERS[0]},
        {"kind": "card_in", "position": "S-0412", "member": NUMBERS[0], "card": 5, NUMBERS[1]: 1},
        {"kind": "card_in", "position": "S-0412", "member": NUMBERS[0] * 20},
        {"kind": NUMBERS[0] + "!", "position": "S-0412"},
    ]
    body = b"\n".join(
        json.dumps({"feed": "slots-1", "seq": 900 + n, "at": iso(casino.clock.now()), **line}).encode()
        for n, line in enumerate(lines)
    )
    answer = intake.take(casino.engine, "slots-1", body)
    assert len(answer.refused) == 4
    assert_absent("the answer", json.dumps(answer.as_json()), [NUMBERS[0], NUMBERS[1]])


# -- moments ---------------------------------------------------------------------------------------------------


def forms(at: int) -> list[str]:
    """Every form a moment could be written in: milliseconds, ISO in UTC and on the property's clock, its second."""
    utc = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at)
    ahead = utc + timedelta(hours=2)
    return [
        str(at),
        iso(at),
        utc.strftime("%Y-%m-%dT%H:%M:%S"),
        utc.strftime("%Y-%m-%d %H:%M:%S"),
        ahead.strftime("%Y-%m-%dT%H:%M:%S"),
        ahead.strftime("%Y-%m-%d %H:%M:%S"),
        ahead.strftime("%H:%M:%S"),
    ]


def everything_kept(casino: Casino) -> str:
    """Every value of every table but the floor's lists, as text."""
    shown: list[str] = []
    with casino.database.connect() as connection:
        for table in metadata.sorted_tables:
            if table.name != "list_versions":
                for row in connection.execute(select(table)):
                    shown += [repr(value) for value in row]
    return "\n".join(shown)


def test_no_moment_is_seen_before_it_has_come(casino: Casino) -> None:
    """Log, messages, every table, what an alarm listing shows, what a debugger prints: looked through every 10 s."""
    casino.at("13:55")
    looked = 0
    while casino.clock.now() < jhb("14:10"):
        casino.go(casino.clock.now() + 10_000)
        draw = casino.draw()
        future = [
            at
            for n, at in enumerate(all_moments(casino))
            if at > casino.clock.now() and not any(made.moment == n for made in draw.state.selections)
        ]
        needles = [form for at in future for form in forms(at)]
        seed = casino.seeds.house_seed(draw.state.id)
        needles += [seed.hex(), seed.hex().upper()]
        screen, console = messages(casino.engine)
        log = b"\n".join(jcs(entry.shown()) for entry in casino.log())
        for what, text in (
            ("the log", log.decode()),
            ("the screen", screen),
            ("the console", console),
            ("the database", everything_kept(casino)),
            ("the draw's own description", repr(draw)),
            ("the engine's own description", repr(casino.engine)),
        ):
            assert_absent(what, text, [*needles, repr(seed)])
        looked += bool(future)
    assert looked > 30


def all_moments(casino: Casino) -> list[int]:
    """By the page's formula; the test holds the seed."""
    draw = casino.draw()
    return moments_of(draw.state.terms, casino.seeds.house_seed(draw.state.id))


def test_the_database_holds_no_seed_and_no_key_in_clear(casino: Casino) -> None:
    casino.at("14:05")
    file = Path(casino.url.removeprefix("sqlite:///")) if casino.url.startswith("sqlite") else None
    data = everything_kept(casino).encode() if file is None else file.read_bytes()
    wal = file.with_name(file.name + "-wal") if file is not None else None
    data += wal.read_bytes() if wal is not None and wal.exists() else b""
    secrets = [
        casino.seeds.house_seed(casino.draw().state.id),
        casino.seeds.reference_key(),
        casino.seeds.signing_key(),
    ]
    for secret in secrets:
        assert secret not in data
        assert secret.hex().encode() not in data


def test_listing_the_alarms_tells_nothing(casino: Casino) -> None:
    casino.at("13:59")
    alarms = Alarms(lambda: None)
    alarms.start()
    try:
        jobs = alarms._scheduler.get_jobs()
        listed = "\n".join(f"{job!r} {job.trigger!r} {job.args!r} {job.kwargs!r} {job.next_run_time}" for job in jobs)
    finally:
        alarms.stop()
    assert [job.id for job in jobs] == ["tick"]
    assert_absent("the alarm listing", listed, [form for at in casino.moments() for form in forms(at)])


def test_what_is_logged_first_and_pushed_then_is_never_ahead_of_the_log(casino: Casino) -> None:
    """A listener is told after the transaction: what it can show is in the database already."""
    seen: list[tuple[int, int]] = []

    def listen(entries: Any) -> None:
        head = casino.engine.store.head()
        assert head is not None
        last: Entry = entries[-1]
        seen.append((last.seq, head.seq))
        screen_snapshot(casino.engine, HOUSE)
        console_snapshot(casino.engine, HOUSE, ())

    casino.engine.listeners.append(listen)
    casino.at("14:12")
    assert seen
    assert all(last == head for last, head in seen)
