"""Everything is busy at a deadline (R5): exactly the presses that came in time win, and the rest expires after them.

How late an expiry is then is measured, not asserted: `benchmarks/bench_deadlines.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from casino import Casino, Session, book_toml, seat_everybody
from claim_steps import ON_SQLITE
from crash.playing import FIRST
from crash.trouble import Running, locked
from flask import Flask
from signing import trust
from sqlalchemy import event, make_url
from werkzeug.test import TestResponse

from draw_engine.claim_moves import stage_of
from draw_engine.draw_state import Claim
from draw_engine.service import envelopes, register
from draw_engine.service.engine import Engine
from kiosk.crew.presses import press_routes
from kiosk.refusals import refusals

CLAIMS, PRESENT, LATE = 20, 6, 4
GRACE = 250
BUSY_THREADS = 2
OTHER_PRESSES = 30


class Place:
    """A casino's core on its own thread, with the presses' door before it."""

    def __init__(self, casino: Casino) -> None:
        self.casino, self.clock = casino, casino.clock
        self.core = Running(casino).core
        self.core.stage.always = True
        self.app = Flask(__name__)
        self.app.register_blueprint(press_routes(self.core))
        trust(self.app, casino.engine.settings.staff)
        refusals(self.app, self.core)
        self.core.start()

    def ask(self, command: Callable[[Engine], Any]) -> Any:
        return self.core.ask(command)

    def claims(self) -> list[Claim]:
        return list(self.ask(lambda engine: engine.draw(FIRST).state.claims))

    def deadlines(self) -> list[int]:
        return [claim.deadline_at or 0 for claim in self.claims()[:CLAIMS]]

    def passes(self, until: int) -> None:
        """Time passes; the core beats all along, as its watchdog does."""
        while self.clock.now() < until:
            self.clock.set(min(until, self.clock.now() + 1_000))
            self.core.beats.note(self.clock.now())


@pytest.fixture
def place(casinos: Callable[..., Casino]) -> Iterator[Place]:
    """Twenty claims were announced one after the other, 20 ms apart; the first deadline is a second away."""
    casino = casinos(book=book_toml(Session("first", "14:00", "14:10", awards=CLAIMS)))
    casino.load_lists()
    seat_everybody(casino)
    casino.at("14:10")
    for ordinal in range(CLAIMS):
        casino.go(casino.clock.now() + 20)
        casino.announce(ordinal=ordinal)
    made = Place(casino)
    made.passes(made.deadlines()[0] - 1_000)
    yield made
    made.core.stop()
    for claim in casino.draw().state.claims:
        if claim.runs:
            casino.pay(ordinal=claim.ordinal)
    casino.finish("14:20")


def _press(place: Place, verb: str, ordinal: int, number: str = "") -> TestResponse:
    body = {"id": number or f"press-{verb}-{ordinal}", "verb": verb, "draw": FIRST, "ordinal": ordinal, "by": "kabelo"}
    return place.app.test_client().post("/presses", json=body)


@contextmanager
def busy(place: Place) -> Iterator[None]:
    """Two threads compute, and every worker of APScheduler is held up."""
    stop = threading.Event()

    def compute() -> None:
        n = 0
        while not stop.is_set():
            n = (n * 31 + 7) % 1_000_003

    threads = [threading.Thread(target=compute, daemon=True) for _ in range(BUSY_THREADS)]
    at_it = threading.Event()

    def blocks() -> None:
        at_it.set()
        stop.wait(60)

    scheduler = place.core._alarms._scheduler
    workers = scheduler._lookup_executor("default")._pool._max_workers
    for n in range(workers + 2):
        scheduler.add_job(blocks, id=f"blocks-{n}")
    assert at_it.wait(30)
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@ON_SQLITE
def test_presses_in_time_win_and_the_rest_expires_after_them_however_busy_it_is(place: Place) -> None:
    """The engine is held over all deadlines; presses of every kind queue up behind it, in time and late."""
    deadlines = place.deadlines()
    held, go_on = threading.Event(), threading.Event()

    def hold(_engine: Engine) -> None:
        held.set()
        go_on.wait(60)

    in_time, late = range(PRESENT), range(PRESENT, PRESENT + LATE)
    with busy(place), ThreadPoolExecutor(CLAIMS + OTHER_PRESSES) as tablets:
        holder = tablets.submit(place.ask, hold)
        assert held.wait(30)
        others = [tablets.submit(_other, place, n) for n in range(OTHER_PRESSES)]
        presses = {}
        for ordinal in in_time:
            place.clock.set(deadlines[ordinal])
            place.core.beats.note(place.clock.now())
            presses[ordinal] = tablets.submit(_press, place, "present", ordinal)
            # Itself, not one before it whose body is still being read: the clock goes on only when this one is stamped.
            _until(lambda ordinal=ordinal: any(one.ordinal == ordinal for one in _waiting(place)))
            assert _waits(place, ordinal, deadlines[ordinal])
        for ordinal in late:
            place.clock.set(deadlines[ordinal] + 1)
            presses[ordinal] = tablets.submit(_press, place, "present", ordinal)
            _until(lambda ordinal=ordinal: any(one.ordinal == ordinal for one in _waiting(place)))
        place.passes(deadlines[-1] + 5_000)
        go_on.set()
        holder.result(60)
        answers = {ordinal: press.result(60) for ordinal, press in presses.items()}
        told = [other.result(60) for other in others]
    assert [answers[n].get_json().get("stage") for n in in_time] == ["presented"] * PRESENT
    assert [answers[n].get_json().get("code") for n in late] == ["SS_LATE_AFTER_90S"] * LATE
    assert [answers[n].get_json().get("late_ms") for n in late] == [1] * LATE
    assert all(told), "everybody else was served, too"
    _as_it_must_be(place, set(in_time))


def _waiting(place: Place) -> list[Any]:
    return list(place.core.waiting._waiting.values())


def _waits(place: Place, ordinal: int, deadline: int) -> bool:
    return place.core.waiting.waits(FIRST, ordinal, deadline, place.clock.now())


def _other(place: Place, n: int) -> bool:
    """Something else that people press: a count of envelopes, a register entry that is refused, a hand-over."""
    if n % 3 == 0:
        counted = {"amounts": {75_000: 1}, "by": "nomvula", "second": "themba"}
        place.ask(lambda engine: envelopes.count_batch(engine, now=engine.now(), **counted))
        return True
    if n % 3 == 1:
        return place.ask(lambda engine: register.hours(engine, engine.now())) is not None
    body = {"id": f"press-other-{n}", "verb": "release", "draw": FIRST, "ordinal": CLAIMS - 1, "by": "kabelo"}
    return place.app.test_client().post("/presses", json=body).status_code in {200, 409}


def _until(true: Callable[[], bool]) -> None:
    for _ in range(60_000):
        if true():
            return
        threading.Event().wait(0.001)
    raise AssertionError("it never came to that")


def _as_it_must_be(place: Place, present: set[int]) -> None:
    """Those present are presented, in the log before anybody expired; the others expired, in order of the deadlines."""
    place.ask(lambda _: None)
    stages = {claim.ordinal: stage_of(claim) for claim in place.claims()[:CLAIMS]}
    assert stages == {n: "presented" if n in present else "expired" for n in range(CLAIMS)}
    presented = place.casino.said("claim.presented")
    assert {entry.data["ordinal"] for entry in presented} == present
    expired = [entry for entry in place.casino.said("claim.expired") if entry.data["ordinal"] < CLAIMS]
    assert [entry.data["ordinal"] for entry in expired] == [n for n in range(CLAIMS) if n not in present]
    assert not place.casino.said("claim.review")
    at = [entry.at for entry in place.casino.log()]
    assert at == sorted(at)


@ON_SQLITE
@pytest.mark.parametrize("tries", [0, 2])
def test_a_database_that_another_process_holds_over_the_deadline_takes_nothing_from_who_was_in_time(
    place: Place, tries: int
) -> None:
    """`tries`: how often the press is told to try again meanwhile; its tablet sends it with the same number."""
    deadline = place.deadlines()[0]
    place.passes(deadline)
    with ExitStack() as trouble, ThreadPoolExecutor(1) as tablet:
        trouble.enter_context(locked(Path(make_url(place.casino.url).database or "")))
        for _ in range(tries):
            _patience(place, 50)
            refused = _press(place, "present", 0)
            assert (refused.status_code, refused.get_json()["code"]) == (503, "X_TRY_AGAIN")
            place.passes(place.clock.now() + 2_000)
        _patience(place, 20_000)
        press = tablet.submit(_press, place, "present", 0)
        _until(lambda: bool(_waiting(place)))
        place.passes(place.clock.now() + 5_000)
        trouble.close()
        answer = press.result(60)
    assert (answer.status_code, answer.get_json().get("stage")) == (200, "presented"), answer.text
    assert place.claims()[0].presented_at == deadline
    _as_it_must_be(place, {0})


def _patience(place: Place, busy_ms: int) -> None:
    """How long the engine's database waits for another process's lock, from its next connection on."""
    place.casino.database.dispose()

    @event.listens_for(place.casino.database, "connect")
    def _settings(connection: Any, _record: Any) -> None:
        connection.execute(f"PRAGMA busy_timeout={busy_ms:d}")
