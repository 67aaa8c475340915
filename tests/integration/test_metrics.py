"""`GET /metrics`: what happened is counted, how things stand is told, and nobody is named."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, jsonify
from loopback import FIRST, LISTS, SLOTS, STAFF, TABLES, Loopback, pressed
from prometheus_client.parser import text_string_to_metric_families

from config.site import Printer
from draw_engine.service import house
from draw_engine.service.engine import Engine
from kiosk.printing.view import Printers
from kiosk.upkeep.metrics import Metrics
from kiosk.upkeep.metrics_now import FEED_STATES

GUESTS = {"S_0412": "100001", "S_0088": "100002", "S_0500": "100003"}
RECEIPTS = Printer("receipts", "Receipts", ("receipts",), "file", path="/var/spool/none")


class Watched:
    """A property with its metrics at a route of their own, and what the last look told."""

    def __init__(self, home: Loopback) -> None:
        self.home = home
        self.metrics = Metrics(
            home.core, site=home.site, printers=Printers([RECEIPTS]), pusher=lambda: home.pages.pusher
        )
        home.ask(self.metrics.follow)
        self.app = Flask(__name__)
        self.app.register_blueprint(self.metrics.routes())
        self.app.post("/presses", endpoint="presses")(lambda: (jsonify({"code": "SS_TOO_LATE", "sentence": "…"}), 409))
        self.app.post("/sign-in", endpoint="sign-in")(
            lambda: (jsonify({"code": "X_WRONG_SECRET", "sentence": "…"}), 403)
        )

    def look(self) -> str:
        answer = self.app.test_client().get("/metrics")
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        self.told = {
            (sample.name.removeprefix("floordraw_"), *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(answer.text)
            for sample in family.samples
        }
        return answer.text


@pytest.fixture
def watched(tmp_path: Path, migrated: Path) -> Iterator[Watched]:
    home = Loopback(tmp_path, migrated, now="13:57")
    yield Watched(home)
    home.close()


def _lists(engine: Engine) -> None:
    for kind, content in LISTS.items():
        house.load_list(engine, kind, content.encode() if isinstance(content, str) else content)


def running(home: Loopback) -> int:
    """The session has begun and a first guest is selected: the ordinal of the claim."""
    home.ask(_lists)
    home.seat(**GUESTS)
    while not (found := home.ask(lambda engine: engine.draws[FIRST].state.running() if FIRST in engine.draws else [])):
        home.play_on()
    return found[0].ordinal


def test_a_quiet_house(watched: Watched) -> None:
    watched.look()
    told = watched.told
    assert told["engine_answers",] == 1
    assert [told["feed_state", SLOTS, state] for state in FEED_STATES] == [0, 0, 0, 0, 1]
    assert ("feed_silent_seconds", SLOTS) not in told
    assert told["printer_state", "receipts", "never"] == 1
    assert (told["claims_open", "selected"], told["pool_size",], told["reviews_waiting",]) == (0, 0, 0)
    assert told["log_seq",] >= 1
    assert told["disk_free_bytes", "state"] > 0
    assert sum(told["clock", state] for state in ("synchronised", "unsynchronised", "unknown")) == 1
    assert (told["engine_turns_total",] > 0, told["engine_queue",] >= 0) == (True, True)
    assert told["process_resident_memory_bytes",] > 0


def test_a_selection_and_a_claim_that_expires_are_counted(watched: Watched) -> None:
    home = watched.home
    ordinal = running(home)
    watched.look()
    assert watched.told["selections_total", "", "made"] == 1
    assert watched.told["claims_open", "selected"] == 1
    assert watched.told["pool_size",] == len(GUESTS)
    assert watched.told["judging_seconds_count",] >= 1
    assert watched.told["feed_state", TABLES, "up"] == 1
    assert 0 <= watched.told["feed_silent_seconds", SLOTS] <= 10
    assert watched.told["list_age_seconds", "members"] >= 180

    home.ask(lambda engine: pressed(engine, FIRST, ordinal, "announce"))
    deadline = home.ask(lambda engine: engine.draws[FIRST].state.claims[ordinal].deadline_at)
    assert deadline is not None
    while home.clock.now() < deadline - 1_000:
        home.play_on()
    home.clock.set(deadline + 250 + 40)
    home.core.beats.note(home.clock.now())
    home.ask(lambda _engine: None)
    watched.look()
    assert watched.told["claims_ended_total", "expired"] == 1
    assert watched.told["deadline_lateness_seconds_count",] == 1
    assert watched.told["deadline_lateness_seconds_sum",] == pytest.approx(0.04)
    assert watched.told["claims_open", "announced"] == 0


def test_a_selection_that_is_put_off_has_its_reason(watched: Watched) -> None:
    home = watched.home
    home.ask(_lists)
    home.seat(**GUESTS)
    home.at("14:10:00")
    home.at("14:20:00")
    watched.look()
    assert watched.told["selections_total", "outage", "postponed"] > 0
    assert watched.told["feed_state", SLOTS, "stale"] == 1


@pytest.mark.parametrize(
    ("sent", "verb"),
    [
        ({"verb": "present", "draw": FIRST}, "present"),
        ({"verb": "Quirine Vlinderzoon"}, "other"),
        ({"verb": 7}, "other"),
        ([1], "other"),
    ],
)
def test_presses_are_counted_by_our_own_verbs(watched: Watched, sent: Any, verb: str) -> None:
    watched.app.test_client().post("/presses", json=sent)
    watched.app.test_client().post("/sign-in", json={"number": "100001"})
    text = watched.look()
    assert watched.told["presses_total", "SS_TOO_LATE", verb] == 1
    assert watched.told["sign_ins_failed_total", "X_WRONG_SECRET"] == 1
    assert "Vlinderzoon" not in text


def test_what_is_no_json_is_counted_too(watched: Watched) -> None:
    for body in (b"{", b"[" * 100_000, b"\xff\xfe"):
        watched.app.test_client().post("/presses", data=body, content_type="application/json")
    watched.look()
    assert watched.told["presses_total", "SS_TOO_LATE", "other"] == 3


def test_nobody_is_named(watched: Watched) -> None:
    home = watched.home
    ordinal = running(home)
    home.ask(lambda engine: pressed(engine, FIRST, ordinal, "found", "confirmed"))
    text = watched.look()
    assert watched.told["claims_ended_total", "confirmed"] == 1
    rows = [row.split(",") for row in LISTS["members"].splitlines()[1:]]
    named = {part for row in rows for part in row[:3]} | {f"70{row[0]}" for row in rows}
    named |= {person for person, _ in STAFF} | {person.title() for person, _ in STAFF}
    assert not [name for name in named if name and name in text]
    assert FIRST not in text


def test_an_engine_that_stands_is_told_and_the_rest_goes_on(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kiosk.upkeep.metrics_now._ASK_SECONDS", 0.05)
    let_go = threading.Event()
    stuck = threading.Thread(target=lambda: watched.home.ask(lambda _engine: let_go.wait(10)))
    stuck.start()
    try:
        watched.look()
    finally:
        let_go.set()
        stuck.join()
    assert watched.told["engine_answers",] == 0
    assert "log_seq" not in {name for name, *_ in watched.told}
    assert watched.told["disk_free_bytes", "state"] > 0


def test_the_real_route_is_this_machine_s_alone(watched: Watched) -> None:
    view = watched.app.view_functions["metrics.metrics"]
    assert view.access_rule.kind == "this_machine"  # type: ignore[attr-defined]


def test_two_cores_count_apart(watched: Watched) -> None:
    home = watched.home
    other = Metrics(home.core, site=home.site, printers=Printers(), pusher=lambda: home.pages.pusher)
    watched.metrics.endings.labels("confirmed").inc()
    assert other.registry.get_sample_value("floordraw_claims_ended_total", {"outcome": "confirmed"}) is None
