"""`floordraw rules`: the way of a book into force by command, and what it says when the answer is no."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from recording import events, write
from setup_core import GIVEN, NEXT, SHA, SetUpCore
from signing import PIN
from werkzeug.serving import make_server

from kiosk.cli.main import floordraw

Command = Callable[..., str]


@pytest.fixture
def core(tmp_path: Path, migrated: Path) -> Iterator[SetUpCore]:
    made = SetUpCore(tmp_path, migrated)
    write(made.site.state_dir / "floors" / "saturday", events())
    server = make_server("127.0.0.1", 0, made.served.app, threaded=True)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    made.url = f"http://127.0.0.1:{server.server_port}"
    yield made
    server.shutdown()
    server.server_close()
    serving.join()
    made.close()


@pytest.fixture
def rules(core: SetUpCore, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs `floordraw rules …` as Nomvula; gives what it printed. `code`: with which it must end."""
    monkeypatch.setenv("FLOORDRAW_SECRET", PIN)
    monkeypatch.setenv("FLOORDRAW_SECOND_SECRET", PIN)
    monkeypatch.setattr("kiosk.cli.rules._LOOK_EVERY_SECONDS", 0.05)

    def run(*words: str, by: str = "nomvula", code: int = 0) -> str:
        done = CliRunner().invoke(floordraw, ["rules", *words, "--by", by, "--core", core.url])
        assert done.exit_code == code, done.output
        return done.output

    return run


def test_the_whole_way(core: SetUpCore, rules: Command, tmp_path: Path) -> None:
    file = tmp_path / "next.toml"
    file.write_bytes(NEXT)
    assert "Playtime, test-1: Given at the start." in rules("list")
    assert f"Playtime, version test-2, is loaded: {SHA}" in rules("load", str(file))
    two = ("--second", "themba", "--reason", "as printed")
    assert "(X_NOT_REHEARSED)" in rules("lock", "test-2", *two, code=1)
    said = rules("rehearse", "test-2", "--day", "2023-10-07", "--floor", "folder:saturday")
    assert "Awards filled: 3 of 3" in said
    assert "Its record: VERIFIED: everything holds." in said
    assert "Winners by tier: " in said
    assert "The rule book is locked." in rules("lock", SHA[:8], *two)
    assert f"{SHA[:12]}  Playtime, test-2: Locked, in force. Locked 7 October 2023, 13:45 by" in rules("list")
    assert "The rule book is retired." in rules("retire", "test-2", *two)
    assert [entry.kind for entry in core.said("rules.locked", "rules.retired")] == ["rules.locked", "rules.retired"]


def test_what_is_refused_is_said_with_its_code(core: SetUpCore, rules: Command, tmp_path: Path) -> None:
    file = tmp_path / "next.toml"
    file.write_bytes(GIVEN.replace(b"seconds = 90", b"secnds = 90"))
    said = rules("load", str(file), code=1)
    assert "did you mean seconds?" in said
    assert core.said("rules.loaded") == []
    file.write_bytes(NEXT)
    assert "(X_NO_PERMISSION)" in rules("load", str(file), by="kabelo", code=1)
    rules("load", str(file))
    assert "(X_NO_SUCH_RULES)" in rules("lock", "test-9", "--second", "themba", "--reason", "x", code=1)
    assert "(X_NO_SUCH_RULES)" in rules("retire", SHA[:5], "--second", "themba", "--reason", "x", code=1)
    assert "(X_SAME_PERSON)" in rules("lock", "test-2", "--second", "nomvula", "--reason", "x", code=1)
    assert "(X_NO_SUCH_FLOOR)" in rules("rehearse", "test-2", "--day", "2023-10-07", "--floor", "folder:x", code=1)
    assert "(SS_NOT_PROMO_DAY)" in rules("rehearse", "test-2", "--day", "2023-10-08", code=1)
