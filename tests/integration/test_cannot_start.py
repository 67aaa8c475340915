"""A core that cannot start says why in a sentence, and ends."""

from __future__ import annotations

import functools
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner
from crash.served import HEARTBEAT, Property, serving_of, utc_now
from crash.trouble import locked

from draw_engine.service import intake
from draw_engine.store.database import open_database
from draw_engine.store.sealing import make_master_key
from kiosk.assembly import MASTER_KEY
from kiosk.cli.main import floordraw


def _starts(place: Property) -> tuple[int, str]:
    """Exit code and output of `floordraw serve` in this process; it must end by itself."""
    said = ["serve", "--site", str(place.folder / "site.toml"), "--rules", str(place.folder / "book.toml")]
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        answer = CliRunner().invoke(floordraw, [*said, "--port", "0"])
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return answer.exit_code, answer.output


@pytest.fixture
def place(tmp_path: Path) -> Property:
    """A property that has run once."""
    made = Property.made(tmp_path / "property", utc_now())
    serving = serving_of(made)
    serving.start()
    serving.core.ask(lambda engine: intake.take(engine, "slots-1", HEARTBEAT))
    serving.stop()
    return made


def test_a_start_on_a_locked_database_says_so_and_ends(place: Property, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kiosk.assembly.open_database", functools.partial(open_database, busy_ms=100))
    with locked(place.folder / "core.db"):
        code, output = _starts(place)
    assert (code, "X_TRY_AGAIN" in output, "another process holds it" in output) == (1, True, True)


def test_a_start_with_another_master_key_says_so_and_ends(place: Property) -> None:
    key = place.folder / "state" / MASTER_KEY
    key.unlink()
    make_master_key(key)
    code, output = _starts(place)
    assert (code, "put back the key file" in output) == (1, True)


def test_a_start_without_the_journal_that_was_counted_says_so_and_ends(place: Property) -> None:
    (segment,) = place.journal()
    segment.write_bytes(b"")
    code, output = _starts(place)
    assert (code, "put back the folder" in output) == (1, True)
