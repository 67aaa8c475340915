"""Two starts at once, two operators, two cores on one database: one draw, and the second is told so (R13)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import partial
from pathlib import Path

import pytest
from casino import Casino, jhb, seat_everybody
from click.testing import CliRunner
from crash.served import Property, first_line, utc_now
from crash.trouble import Quiet, running
from sqlalchemy.exc import IntegrityError

from draw_engine.errors import Refused, RuleBroken
from draw_engine.service import house, opening
from draw_engine.service.engine import Engine
from kiosk.assembly import lock_core
from kiosk.cli.main import floordraw

Casinos = Callable[..., Casino]
BY = {"by": "nomvula", "second": "themba", "reason": "an alarm"}
FIRST = "silverstar/playtime/2023-10-07/first"
THREADS, TIMES = 50, 20


def together(core: Callable[[Callable[[Engine], object]], object], command: Callable[[Engine], object]) -> Counter[str]:
    """The command from 50 threads, 20 times each, all let go at once. Answers by what they were."""
    gate = threading.Barrier(THREADS)

    def presses(_thread: int) -> list[str]:
        gate.wait(30)
        return [answer() for _ in range(TIMES)]

    def answer() -> str:
        try:
            return str(core(command))
        except Refused as refusal:
            return refusal.code

    with ThreadPoolExecutor(THREADS) as threads:
        return Counter(one for answers in threads.map(presses, range(THREADS)) for one in answers)


def open_first(engine: Engine) -> str:
    book = next(iter(engine.books.values()))
    draw = opening.open_draw(engine, book, book.rules.draw("first"), date(2023, 10, 7), engine.now())
    return f"{draw.state.id} from entry {draw.state.opened_seq}"


def test_a_thousand_starts_at_once_open_one_draw(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    seat_everybody(casino)
    casino.at("13:54:59")
    with running(casino) as core:
        casino.clock.set(jhb("13:55"))
        answers = together(core.core.ask, open_first)
    (opened,) = casino.said("draw.opened")
    assert answers == {f"{FIRST} from entry {opened.seq}": THREADS * TIMES}


def test_a_thousand_ticks_at_a_moment_make_one_selection(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    seat_everybody(casino)
    casino.at("13:59")
    moment = casino.moments()[0]
    casino.go(moment - 1)
    with running(casino) as core:
        casino.clock.set(moment)
        together(core.core.ask, house.tick)
    assert [entry.data["ordinal"] for entry in casino.said("selection.made")] == [0]
    casino.finish("14:15")


def pressed(press: Callable[..., None], engine: Engine) -> None:
    press(engine, engine.draw(FIRST), **BY)


def test_the_second_of_two_presses_is_told_that_it_is_done(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    casino.at("13:56")
    with running(casino) as core:
        for press, kind in ((house.suspend, "session.suspended"), (house.resume, "session.resumed")):
            answers = together(core.core.ask, partial(pressed, press))
            assert answers == {"None": 1, "X_ALREADY_DONE": THREADS * TIMES - 1}
            assert len(casino.said(kind)) == 1


# -- two processes ----------------------------------------------------------------------------------------------


_TRIES = """
import sys
from pathlib import Path
from draw_engine.errors import Refused
from kiosk.assembly import lock_core
try:
    lock_core(Path(sys.argv[1]))
except Refused as refusal:
    print(refusal.code)
else:
    print("has it")
"""


def test_a_second_process_is_refused_the_core_until_the_first_is_gone(tmp_path: Path) -> None:
    def other() -> str:
        return subprocess.run(
            [sys.executable, "-c", _TRIES, str(tmp_path)], capture_output=True, text=True, check=True
        ).stdout.strip()

    lock = lock_core(tmp_path)
    assert other() == "X_CORE_RUNS"
    os.close(lock)
    assert other() == "has it"
    os.close(lock_core(tmp_path))  # the other one ended, and its lock with it


def test_the_refused_one_does_not_touch_the_database(tmp_path: Path) -> None:
    """A newer version started by mistake must not bring the schema up to date under the core that runs."""
    place = Property.made(tmp_path / "property", utc_now())
    lock = lock_core(place.folder / "state")
    said = ["serve", "--site", str(place.folder / "site.toml"), "--rules", str(place.folder / "book.toml")]
    answer = CliRunner().invoke(floordraw, [*said, "--port", "0"])
    assert (answer.exit_code, "X_CORE_RUNS" in answer.output) == (1, True)
    assert not (place.folder / "core.db").exists()
    os.close(lock)


def test_of_two_starts_at_once_on_a_new_property_one_runs_and_the_other_says_so(tmp_path: Path) -> None:
    place = Property.made(tmp_path / "property", utc_now())
    both = [place.serve() for _ in range(2)]
    try:
        ended = _first_to_end(both)
        _, errors = ended.communicate(timeout=60)
        assert (ended.returncode, "X_CORE_RUNS" in errors) == (1, True), errors
        assert "Traceback" not in errors
        (runs,) = [process for process in both if process is not ended]
        assert "Console" in first_line(runs)
        runs.terminate()
        assert runs.wait(60) == 0
    finally:
        for process in both:
            process.kill()
            process.communicate()


def _first_to_end(processes: Sequence[subprocess.Popen[str]]) -> subprocess.Popen[str]:
    for _ in range(1_200):
        for process in processes:
            if process.poll() is not None:
                return process
        threading.Event().wait(0.05)
    raise AssertionError("both run")


def test_two_cores_on_one_database_cannot_both_write(new_database: Callable[[], str], tmp_path: Path) -> None:
    """Two machines that share a server have no lock file in common. The second stops at its first entry."""
    url = new_database()
    one = Casino(url, _folder(tmp_path / "one"))
    one.load_lists()
    seat_everybody(one)
    one.at("13:59")
    two = Casino(url, _folder(tmp_path / "two"), now="13:59")
    moment = one.moments()[0]
    one.go(moment)
    assert len(one.said("selection.made")) == 1
    before = one.log()
    two.clock.set(moment)
    with pytest.raises((RuleBroken, IntegrityError)):
        two.tick()
    with pytest.raises((RuleBroken, Refused)):
        house.suspend(two.engine, two.engine.draw(FIRST), **BY)
    assert one.log() == before
    one.finish("14:15")
    one.verify_closed()
    two.close()
    one.close()


def test_of_two_cores_the_one_that_was_overtaken_stops(
    new_database: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kiosk.core.Alarms", Quiet)
    url = new_database()
    one = Casino(url, _folder(tmp_path / "one"))
    one.load_lists()
    one.at("13:59")
    with running(one) as first:
        two = Casino(url, _folder(tmp_path / "two"), now="13:59")
        with running(two) as second:
            with pytest.raises(RuleBroken, match="another process"):
                first.core.ask(suspend)
            with pytest.raises(Refused, match="X_CORE_STOPPED"):
                first.core.ask(suspend)
            second.core.ask(suspend)
            assert (first.breaks, second.breaks) == (1, 0)
    assert len(two.said("session.suspended")) == 1
    two.close()
    one.close()


def suspend(engine: Engine) -> None:
    house.suspend(engine, engine.draw(FIRST), **BY)


def _folder(folder: Path) -> Path:
    folder.mkdir()
    return folder
