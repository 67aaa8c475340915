"""The command `floordraw` on a machine where no core runs: what it prints are sentences, whatever is wrong."""

from __future__ import annotations

import base64
import hashlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest
from casino import MEMBERS, Casino, FixedSeeds, book_toml, seat_everybody
from click.testing import Result
from command_line import GONE, NOBODY_HOME, TWO, failed, run
from log_of_a_day import LoggedDay
from loopback import site_toml
from signing import PIN

from config.site import load_site
from draw_engine.store.sealing import read_master_key
from kiosk.assembly import lock_core, open_store
from kiosk.cli.main import floordraw
from kiosk.cli.signed import SECOND_SECRET, SECRET

BOOKS = Path(__file__).parents[2] / "config" / "rule_books"


@pytest.fixture(autouse=True)
def typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both people know their PIN."""
    monkeypatch.setenv(SECRET, PIN)
    monkeypatch.setenv(SECOND_SECRET, PIN)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A property's settings and rule book; no key yet, no database."""
    (tmp_path / "site.toml").write_text(site_toml(), encoding="utf-8")
    (tmp_path / "book.toml").write_bytes(book_toml())
    (tmp_path / "members.csv").write_text(MEMBERS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def ready(folder: Path) -> Path:
    assert run("init", "--site", folder / "site.toml").exit_code == 0
    return folder


def of(folder: Path) -> list[str]:
    return ["--site", str(folder / "site.toml")]


def commands() -> Iterator[tuple[str, ...]]:
    for name, command in floordraw.commands.items():
        if isinstance(command, click.Group):
            yield from ((name, inner) for inner in command.commands)
        else:
            yield (name,)


# -- what there is ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", list(commands()), ids=" ".join)
def test_every_command_tells_what_it_does(command: Sequence[str]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert len(result.output.splitlines()) > 3


def test_the_page_s_commands_are_there() -> None:
    assert {" ".join(command) for command in commands()} == {
        "init", "serve", "demo", "rehearse", "verify", "doctor", "forms", "print-spool", "screens",
        "rules check", "rules list", "rules load", "rules rehearse", "rules lock", "rules retire",
        "lists load", "lists exclude", "feeds add", "feeds exclude", "printers add",
        "session open", "session suspend", "session resume", "session end",
        "staff list", "staff enter", "staff role", "staff code", "staff unlock", "staff end",
        "floor simulate", "floor replay", "floor make", "log verify", "record publish",
        "backup make", "backup check", "backup list", "backup restore", "key restore", "upgrade check",
        "tls init", "tls renew", "tls use", "tls show",
    }  # fmt: skip


# -- what is not there ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        ["init", "--site", GONE],
        ["serve", "--site", GONE],
        ["serve", "--site", "SITE", "--rules", GONE],
        ["rules", "check", GONE],
        ["lists", "load", "members", GONE],
        ["lists", "load", "members", "MEMBERS", "--core", NOBODY_HOME, "--site", GONE],
        ["lists", "load", "members", "MEMBERS", "--core", NOBODY_HOME, "--site", "SITE", "--rules", GONE],
        ["feeds", "add", "cms-1", "--site", GONE],
        ["floor", "replay", GONE, "--token", "slots-1=x", "--core", NOBODY_HOME],
        ["rehearse", "--rules", GONE, "--day", "2023-10-07", "--floor", ".", "--out", "OUT"],
        ["rehearse", "--rules", "BOOK", "--day", "2023-10-07", "--floor", GONE, "--out", "OUT"],
        ["rehearse", "--rules", "BOOK", "--day", "2023-10-07", "--floor", ".", "--out", "OUT", "--crew", GONE],
        ["log", "verify", "--site", GONE],
        ["log", "verify", "--site", "SITE", "--slip", GONE],
    ],
    ids=" ".join,
)
def test_a_file_that_is_not_there_is_named(folder: Path, said: list[str]) -> None:
    put = {"SITE": "site.toml", "MEMBERS": "members.csv", "BOOK": "book.toml", "OUT": "out"}
    assert GONE in failed(*(folder / put[one] if one in put else one for one in said))


@pytest.mark.parametrize(
    "said",
    [
        ["lists", "exclude", "100001", "self_excluded", "--from", "2023-10-07", "--by", "mpho"],
        ["feeds", "exclude", "slots-1", *TWO],
        ["session", "suspend", *TWO],
        ["session", "resume", *TWO],
        ["record", "publish", "a/b/c/d", "--out", "out", "--by", "zanele"],
    ],
    ids=lambda said: " ".join(said[:2]),
)
@pytest.mark.parametrize(
    ("core", "says"),
    [
        (NOBODY_HOME, "The core does not answer. Start it with `floordraw serve`, or say with --core where it is."),
        ("nonsense", "That is no address of a core. Give --core as http://127.0.0.1:8080."),
        ("http://", "That is no address of a core. Give --core as http://127.0.0.1:8080."),
    ],
)
def test_a_core_that_is_not_there_is_said_to_be_away(said: list[str], core: str, says: str) -> None:
    assert failed(*said, "--core", core) == says


@pytest.mark.parametrize(
    "said",
    [
        ["lists", "load", "guests", "x"],
        ["lists", "exclude", "1", "loud", "--from", "2023-10-07", "--by", "mpho"],
        ["lists", "exclude", "1", "self_excluded", "--from", "7 October", "--by", "mpho"],
        ["session", "suspend", "--by", "nomvula"],
        ["record", "publish", "x", "--out", "y"],
        ["record", "publish", "x", "--out", "y", "--by", "zanele", "--copy", "all"],
        ["floor", "make", "x", "--spec", "hall"],
        ["floor", "make", "x", "--from", "noon"],
        ["floor", "make", "x", "--from", "14:00", "--to", "14:00"],
        ["floor", "simulate"],
        ["floor", "simulate", "--token", "slots-1"],
        ["floor", "simulate", "--token", "=x"],
        ["floor", "simulate", "--token", "slots-1=x", "--spec", "hall"],
        ["floor", "replay", "x"],
        ["floor", "replay", "x", "--token", "slots-1=x", "--speed", "0"],
        ["rehearse", "--rules", "x", "--day", "2023-10-07", "--floor", "x", "--out", "y", "--house-seed", "abc"],
        ["rehearse", "--rules", "x", "--day", "2023-10-07", "--floor", "x", "--out", "y", "--house-seed", "ab" * 31],
        ["rehearse", "--rules", "x", "--day", "2023-10-32", "--floor", "x", "--out", "y"],
        ["serve", "--port", "many"],
        ["no-such-command"],
    ],
    ids=" ".join,
)
def test_a_wrong_word_is_said_with_how_it_is_used(
    said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_bytes(book_toml())
    result = run(*said)
    assert result.exit_code == 2
    assert result.output.startswith("Usage: floordraw")
    assert list(tmp_path.iterdir()) == [tmp_path / "x"]


@pytest.mark.parametrize("kept", ["{", "[]", '{"slots-1": 7}', '"x"'])
def test_tokens_in_the_environment_must_be_what_they_say(kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLOORDRAW_FEED_TOKENS", kept)
    result = run("floor", "simulate")
    assert (result.exit_code, "FLOORDRAW_FEED_TOKENS as JSON" in result.output) == (2, True)


def test_a_made_floor_has_two_feeds(tmp_path: Path) -> None:
    said = failed("floor", "simulate", "--token", "bingo-1=x", "--state", tmp_path, "--core", NOBODY_HOME)
    assert "slots-1 and tables-1" in said


# -- files with faults ------------------------------------------------------------------------------------------


def test_site_s_faults_are_listed(folder: Path) -> None:
    (folder / "site.toml").write_text('property = "silverstar"\nstale = 3\n', encoding="utf-8")
    for said in (["init"], ["serve"], ["feeds", "add", "cms-1"], ["log", "verify"]):
        told = failed(*said, *of(folder))
        assert "faults in the site's settings" in told
        assert "stale" in told
    (folder / "site.toml").write_text('property = "', encoding="utf-8")
    assert "1 fault in the site's settings" in failed("init", *of(folder))


@pytest.mark.parametrize("name", ["silverstar-playtime.toml", "silverstar-demo.toml"])
def test_the_shipped_rule_books_have_no_fault(name: str) -> None:
    assert run("rules", "check", BOOKS / name).exit_code == 0


@pytest.mark.parametrize("content", [b"", b"schema = ", b"\xff", book_toml().replace(b"min_age", b"max_age")])
def test_a_rule_book_s_faults_are_listed(ready: Path, content: bytes) -> None:
    (ready / "book.toml").write_bytes(content)
    result = run("rules", "check", ready / "book.toml")
    assert (result.exit_code, result.output.strip() != "") == (1, True)
    assert failed("serve", *of(ready), "--rules", ready / "book.toml", "--port", 0)
    out = ["--day", "2023-10-07", "--floor", ready, "--out", ready / "out"]
    assert failed("rehearse", "--rules", ready / "book.toml", *out)
    assert not (ready / "out").exists()


# -- keys and tokens --------------------------------------------------------------------------------------------


def test_init_makes_the_key_once_and_prints_it_for_the_safe(folder: Path) -> None:
    printed = run("init", *of(folder)).output
    file = folder / "state" / "master.key"
    assert file.stat().st_mode & 0o777 == 0o400
    *groups, check = printed.splitlines()[-1].split()
    letters = "".join(groups)
    assert base64.b32decode(letters + "=" * (-len(letters) % 8)) == base64.b64decode(file.read_bytes())
    assert check == base64.b32encode(hashlib.sha256(b"floordraw/master-key/" + letters.encode()).digest()).decode()[:4]
    before = file.read_bytes()
    assert failed("init", *of(folder)).endswith("(X_KEY_EXISTS)")
    assert file.read_bytes() == before
    read_master_key(file)


@pytest.mark.parametrize(("feed", "where"), [("slots-1", "under the [[feed]] slots-1"), ("cms-9", 'id = "cms-9"')])
def test_a_feed_s_token_is_shown_once_and_its_hash_fits_the_settings(folder: Path, feed: str, where: str) -> None:
    lines = run("feeds", "add", feed, *of(folder)).output.splitlines()
    token, line = lines[1], lines[-1]
    assert len(token) >= 43
    assert line == f'token_sha256 = "{hashlib.sha256(token.encode()).hexdigest()}"'
    assert where in lines[2]
    settings = site_toml(tokens={}) + f'[[feed]]\nid = "{feed}"\nbrings = ["slots"]\n{line}\n'
    (folder / "site.toml").write_text(settings, encoding="utf-8")
    assert load_site(folder / "site.toml").feeds[0].token_sha256 == line.split('"')[1]


# -- starting ---------------------------------------------------------------------------------------------------


def serve(folder: Path) -> list[object]:
    return ["serve", *of(folder), "--rules", folder / "book.toml", "--port", 0]


def test_a_core_without_its_key_does_not_start(folder: Path) -> None:
    assert failed(*serve(folder)).endswith("(X_NO_MASTER_KEY)")


def test_a_key_that_others_can_read_is_refused(ready: Path) -> None:
    (ready / "state" / "master.key").chmod(0o440)
    assert failed(*serve(ready)).endswith("(X_MASTER_KEY_OPEN)")


def test_another_property_s_rule_book_is_refused(ready: Path) -> None:
    (ready / "book.toml").write_bytes(book_toml().replace(b'"silverstar"', b'"goldstar"'))
    assert failed(*serve(ready)).endswith("(X_OTHER_PROPERTY)")


def test_a_second_core_does_not_start(ready: Path) -> None:
    lock = lock_core(ready / "state")
    try:
        assert failed(*serve(ready)).endswith("(X_CORE_RUNS)")
        said = failed("lists", "load", "members", ready / "members.csv", "--core", NOBODY_HOME, *of(ready),
                      "--rules", ready / "book.toml")  # fmt: skip
        assert said.endswith("(X_CORE_RUNS)")
    finally:
        os.close(lock)


@pytest.mark.parametrize("url", ["postgresql://nobody@127.0.0.1:9/floordraw", "sqlite:///members.csv"])
def test_a_database_that_cannot_be_used_is_said_to_be_so(ready: Path, url: str) -> None:
    settings = site_toml().replace("sqlite:///floordraw.db", url)
    (ready / "site.toml").write_text(settings, encoding="utf-8")
    assert load_members(ready).output.startswith("Error: The database cannot be ")
    assert failed(*serve(ready)).startswith("The database cannot be ")


def test_another_master_key_than_the_database_s_is_said_to_be_another(ready: Path) -> None:
    assert load_members(ready).exit_code == 0
    (ready / "state" / "master.key").unlink()
    assert run("init", *of(ready)).exit_code == 0
    assert failed(*serve(ready)).startswith("It cannot go on: the master key does not open signing")


# -- lists without a core ---------------------------------------------------------------------------------------


def load_members(folder: Path, *more: object) -> Result:
    said = ["lists", "load", "members", folder / "members.csv", "--core", NOBODY_HOME, *of(folder)]
    return run(*said, "--rules", folder / "book.toml", *more)


def test_a_list_can_be_loaded_before_the_core_starts(ready: Path) -> None:
    result = load_members(ready)
    assert (result.exit_code, result.output) == (0, "The members list is loaded: 9 rows.\n")
    store = open_store(load_site(ready / "site.toml"), FixedSeeds("any"))
    (entry,) = store.entries(1, 100)
    store.database.dispose()
    assert (entry.kind, entry.actor, entry.data["rows"]) == ("list.loaded", "engine", 9)
    assert run("log", "verify", *of(ready)).exit_code == 0


def test_without_a_core_nobody_can_have_done_it(ready: Path) -> None:
    assert load_members(ready, "--by", "mpho").output.strip().endswith("(X_NOT_SIGNED_IN)")
    assert not (ready / "floordraw.db").exists()


def test_without_a_core_its_faults_are_named_as_with_one(ready: Path) -> None:
    (ready / "members.csv").write_text(MEMBERS + "100009,Jan,Nel,,1985-13-01,,,\n", encoding="utf-8")
    result = load_members(ready)
    assert (result.exit_code, result.output.count("line 11, ")) == (1, 2)
    assert "Nel" not in result.output


def test_a_session_that_is_open_is_left_to_the_core(ready: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    url = f"sqlite:///{ready / 'floordraw.db'}"
    casino = Casino(url, tmp_path_factory.mktemp("open"), now="13:56")
    casino.load_lists()
    seat_everybody(casino)
    casino.tick()
    casino.close()
    (ready / "state" / "master.key").unlink()
    (ready / "state" / "master.key").write_bytes(base64.b64encode(b"m" * 32))
    (ready / "state" / "master.key").chmod(0o400)
    before = sqlite3.connect(ready / "floordraw.db").execute("SELECT max(seq) FROM log_entries").fetchone()
    assert load_members(ready).output.strip().endswith("(X_SESSION_OPEN)")
    after = sqlite3.connect(ready / "floordraw.db").execute("SELECT max(seq) FROM log_entries").fetchone()
    assert before == after


# -- the log ----------------------------------------------------------------------------------------------------


def test_the_log_is_verified_with_its_slips(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    day = LoggedDay(tmp_path_factory.mktemp("day"))
    log = day.copied(folder)
    seq = max(day.slips)
    (folder / "slip.txt").write_text(day.slips[seq], encoding="ascii")
    said = ["log", "verify", *of(folder), "--slip", folder / "slip.txt"]
    result = run(*said)
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "1 slips compared.")
    log.cut_after(30)
    result = run(*said)
    assert (result.exit_code, result.output.startswith("FAILS at entry 31: ")) == (1, True)
    (folder / "slip.txt").write_bytes(b"\xff\xfe")
    assert run(*said).exit_code == 1


def test_a_log_that_is_not_there_is_no_sound_log(folder: Path) -> None:
    assert failed("log", "verify", *of(folder)).endswith("(X_NO_DATABASE)")
    assert not (folder / "floordraw.db").exists()
