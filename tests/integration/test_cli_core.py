"""The commands that act through a running core, and those that make, rehearse and verify."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from casino import GRACE, MEMBERS, NALEDI, THANDI, Session, book_toml
from command_line import GONE, TWO, failed, run
from loopback import FIRST, TABLES, Loopback, site_toml
from signing import PIN
from werkzeug.serving import make_server

from kiosk.cli.signed import SECOND_SECRET, SECRET
from kiosk.serving import LOOPBACK, QuietRequests
from kiosk.sign_in.machine_token import make_machine_token

LOAD = ["lists", "load", "members"]
PUBLISH = ["record", "publish", FIRST, "--by", "zanele"]
EXCLUDE = ["lists", "exclude", GRACE, "self_excluded", "--from", "2023-10-07", "--by", "mpho"]


@pytest.fixture(autouse=True)
def typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both people know their PIN."""
    monkeypatch.setenv(SECRET, PIN)
    monkeypatch.setenv(SECOND_SECRET, PIN)


@pytest.fixture
def place(tmp_path: Path, migrated: Path) -> Iterator[Loopback]:
    made = Loopback(tmp_path, migrated, now="13:49:30", book=book_toml(Session("first", "14:00", "14:03", awards=2)))
    yield made
    made.close()


@pytest.fixture
def core(place: Loopback) -> Iterator[list[str]]:
    """How a command names the running core."""
    server = make_server(LOOPBACK, 0, place.pages.app, threaded=True, request_handler=QuietRequests)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    yield ["--core", f"http://{LOOPBACK}:{server.port}/"]
    server.shutdown()
    server.server_close()
    serving.join()


# -- through the core -------------------------------------------------------------------------------------------


def test_lists_are_loaded_and_refused_through_the_core(place: Loopback, core: list[str], tmp_path: Path) -> None:
    file = tmp_path / "members.csv"
    file.write_text(MEMBERS, encoding="utf-8")
    site = ["--site", place.folder / "site.toml"]
    result = run(*LOAD, file, "--by", "nomvula", *site, *core)
    assert (result.exit_code, result.output) == (0, "The members list is loaded: 9 rows.\n")
    assert run(*LOAD, file, *site, *core).exit_code == 0
    assert [entry.actor for entry in place.said("list.loaded")] == ["manager:nomvula", "engine"]
    assert failed(*LOAD, file, "--by", "mpho", *site, *core).endswith("(X_NO_PERMISSION)")
    assert failed(*LOAD, file, "--by", "stranger", *site, *core).endswith("(X_WRONG_SECRET)")
    file.write_text(MEMBERS + "100009,Jan,Nel,,1985-13-01,,,\n", encoding="utf-8")
    told = failed(*LOAD, file, *site, *core)
    assert told.startswith("the list of members was not taken: 2 faults\nline 11, tier: ")
    assert len(place.said("list.loaded")) == 2


def test_a_command_needs_the_secret_or_the_machine_s_own_token(
    place: Loopback, core: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, another = tmp_path / "members.csv", tmp_path / "another"
    file.write_text(MEMBERS, encoding="utf-8")
    (another / "state").mkdir(parents=True)
    (another / "site.toml").write_text(site_toml(), encoding="utf-8")
    said = [*LOAD, file, "--site", another / "site.toml", *core]
    assert failed(*said).endswith("(X_NO_MACHINE_TOKEN)")
    make_machine_token(another / "state")
    assert failed(*said).endswith("(X_NOT_SIGNED_IN)")
    monkeypatch.setenv(SECRET, "000001")
    assert failed(*EXCLUDE, *core).endswith("(X_WRONG_SECRET)")
    assert failed("session", "suspend", *TWO, *core).endswith("(X_WRONG_SECRET)")
    monkeypatch.setenv(SECRET, PIN)
    monkeypatch.setenv(SECOND_SECRET, "000001")
    place.load_lists()
    before = len(place.said("list.loaded"))
    place.at("13:56:01")
    assert failed("session", "suspend", *TWO, *core).endswith("(X_WRONG_SECRET)")
    assert not place.said("session.suspended")
    assert len(place.said("list.loaded")) == before


def test_an_exclusion_is_entered_at_a_desk(place: Loopback, core: list[str]) -> None:
    assert failed(*EXCLUDE, *core).endswith("(X_LIST_TOO_OLD)")
    place.load_lists()
    assert run(*EXCLUDE, "--to", "2023-10-08", *core).exit_code == 0
    (row,) = place.ask(lambda engine: engine.versions["exclusions"].rows)
    assert (row.member, str(row.first), str(row.last)) == (GRACE, "2023-10-07", "2023-10-08")  # type: ignore[union-attr]
    assert failed(*EXCLUDE, "--to", "2023-10-06", *core).endswith("(X_LIST_FAULTS)")


def test_a_session_is_suspended_resumed_and_rid_of_a_feed_by_two(place: Loopback, core: list[str]) -> None:
    for said in (["session", "suspend"], ["session", "resume"], ["feeds", "exclude", TABLES]):
        assert failed(*said, *TWO, *core).endswith("(SS_OUTSIDE_SESSION)")
    place.load_lists()
    place.at("13:56:01")
    assert run("session", "suspend", *TWO, *core).output == "The session is suspended. Running claims go on.\n"
    assert failed("session", "suspend", *TWO, *core).endswith("(X_ALREADY_DONE)")
    assert run("session", "resume", *TWO, *core).output == "The session goes on.\n"
    assert run("feeds", "exclude", TABLES, *TWO, *core).exit_code == 0
    assert failed("feeds", "exclude", "bingo-1", *TWO, *core).endswith("(X_NO_SUCH_FEED)")
    alone = ["--by", "nomvula", "--second", "nomvula", "--reason", "alone"]
    assert failed("session", "suspend", *alone, *core).endswith("(X_SAME_PERSON)")
    kinds = [entry.kind for entry in place.said("session.suspended", "session.resumed", "feed.excluded")]
    assert kinds == ["session.suspended", "session.resumed", "feed.excluded"]


def test_a_record_is_published_and_verifies(place: Loopback, core: list[str], tmp_path: Path) -> None:
    assert failed(*PUBLISH, "--out", tmp_path / "early", *core).endswith("(X_NO_SUCH_DRAW)")
    place.load_lists()
    place.seat(S_0412=THANDI, S_0501=NALEDI)
    place.play("13:56")
    assert failed(*PUBLISH, "--out", tmp_path / "early", *core).endswith("(X_DRAW_OPEN)")
    assert not (tmp_path / "early").exists()
    place.play("14:03:05", pay=True)
    for copy in ("public", "auditor"):
        out = tmp_path / copy
        told = run(*PUBLISH, "--copy", copy, "--out", out, *core)
        assert told.output == f"The {copy} copy is in {out}. Check it: floordraw verify {out}\n"
        assert run("verify", out, *(["--journal"] if copy == "auditor" else [])).exit_code == 3


# -- not a core -------------------------------------------------------------------------------------------------


@contextmanager
def something_else(status: int, body: bytes) -> Iterator[list[str]]:
    """A server that gives one answer to everything."""

    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - the library's name

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer((LOOPBACK, 0), Other)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        yield ["--core", f"http://{LOOPBACK}:{server.server_port}"]
    finally:
        server.shutdown()
        server.server_close()
        serving.join()


@pytest.mark.parametrize(
    ("status", "body"),
    [(200, b"hello"), (200, b"[]"), (200, b"{}"), (200, b'{"rows": 1}'), (404, b"{}"), (500, b"<html>"), (204, b"")],
)
def test_an_answer_that_is_no_core_s_is_said_to_be_another_s(tmp_path: Path, status: int, body: bytes) -> None:
    (tmp_path / "members.csv").write_text(MEMBERS, encoding="utf-8")
    (tmp_path / "site.toml").write_text(site_toml(), encoding="utf-8")
    (tmp_path / "state").mkdir()
    make_machine_token(tmp_path / "state")
    commands = [
        EXCLUDE,
        [*LOAD, str(tmp_path / "members.csv"), "--site", str(tmp_path / "site.toml")],
        ["session", "suspend", *TWO],
        [*PUBLISH, "--out", str(tmp_path / "out")],
    ]
    with something_else(status, body) as core:
        for said in commands:
            assert failed(*said, *core).startswith(f"Something else than a core answered there (HTTP {status}).")
    assert not (tmp_path / "out").exists()


# -- floors -----------------------------------------------------------------------------------------------------


def test_a_floor_is_made_and_rehearsed_and_its_record_verifies(tmp_path: Path) -> None:
    (tmp_path / "book.toml").write_bytes(book_toml())
    made = run("floor", "make", tmp_path / "floor", "--from", "13:45", "--to", "14:12", "--seed", "3")
    assert re.search(r"holds a floor of [0-9]{3,} events", made.output)
    said = [
        "--rules",
        tmp_path / "book.toml",
        "--day",
        "2023-10-07",
        "--floor",
        tmp_path / "floor",
        "--session",
        "first",
    ]
    told = run("rehearse", *said, "--out", tmp_path / "out", "--house-seed", "ab" * 32)
    assert told.exit_code == 0, told.output
    assert told.output.startswith("first: 3 of 3 awards filled")
    assert run("verify", tmp_path / "out" / "first").output.splitlines()[-1].startswith("VERIFIED")


# -- verifying --------------------------------------------------------------------------------------------------

EXAMPLE = Path(__file__).parents[1] / "examples" / "session"


@pytest.mark.parametrize(
    ("said", "code"),
    [
        pytest.param(["--help"], 0, id="help"),
        pytest.param([EXAMPLE, "--key", "KEY", "--slip", EXAMPLE / "slips.json"], 0, id="holds"),
        pytest.param([EXAMPLE], 3, id="holds-without-the-key"),
        pytest.param([EXAMPLE, "--slip", GONE], 1, id="a-slip-that-is-gone"),
        pytest.param([EXAMPLE, "--key", "A" * 43 + "="], 1, id="another-key"),
        pytest.param([GONE], 1, id="gone"),
        pytest.param([__file__], 2, id="no-record"),
        pytest.param([], 64, id="nothing-named"),
        pytest.param(["--no-such"], 64, id="no-such-word"),
        pytest.param([EXAMPLE, "--key"], 64, id="half-a-word"),
    ],
)
def test_verify_s_words_and_exit_codes_come_through(said: list[object], code: int) -> None:
    key = json.loads((EXAMPLE / "slips.json").read_text())["public_key"]
    result = run("verify", *(key if one == "KEY" else one for one in said))
    assert result.exit_code == code, result.output


def test_the_installed_command_ends_with_the_same_code() -> None:
    command = [sys.executable, "-m", "kiosk.cli", "verify", str(EXAMPLE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout.splitlines()[-1].startswith("EVERYTHING HOLDS")
