"""A live session over a bad line is judged again from its auditor's pack alone; what is changed in it is found."""

from __future__ import annotations

import base64
import csv
import io
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from live_session import LiveSession, entries, story
from record_forger import PUBLIC_KEY, ForgedRecord
from verify_forger import Forger, a_won_session, an_electronic_draw

from draw_engine.event_lines import read_journal
from draw_engine.verify import Report, verify
from draw_engine.verify.bundle import bundle
from draw_engine.verify.report import FAILS, HOLDS

SEGMENT = "judging/journal/2023-10-07-1.jsonl"


class Played:
    """The session played once: its folder, its auditor's copy, and its property's key."""

    def __init__(self, folder: Path) -> None:
        self.live = LiveSession(folder)
        self.live.play(story(self.live))
        self.pack = self.live.write(folder / "pack")
        self.key = base64.b64encode(self.live.engine.signer.public_key).decode()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Any:
    session = Played(tmp_path_factory.mktemp("session"))
    yield session
    session.live.close()


@pytest.fixture
def pack(played: Played, tmp_path: Path) -> Path:
    return shutil.copytree(played.pack, tmp_path / "pack")


@pytest.fixture
def judged(played: Played) -> Callable[[Path], Report]:
    return lambda folder: verify(folder, played.key, journal=True)


def failing(report: Report) -> dict[str, str]:
    return {check.name: check.sentence for check in report.checks if not check.ok}


def said(report: Report) -> str:
    return "\n".join(report.lines())


def the_list(pack: Path, kind: str) -> Path:
    (found,) = (pack / "judging" / "lists").glob(f"{kind}.*.csv")
    return found


# -- as it was ---------------------------------------------------------------------------------------------------


def test_a_live_session_holds_when_judged_again(played: Played, judged: Callable[[Path], Report]) -> None:
    report = judged(played.pack)
    assert failing(report) == {}
    assert report.exit_code == HOLDS
    pools = entries(played.pack, "pool.frozen")
    assert [check.name for check in report.checks if check.name.startswith("pool ")] == [
        f"pool {pool['data']['id']}" for pool in pools
    ]


def test_the_session_had_everything_that_makes_it_hard(played: Played) -> None:
    answers = played.live.answers
    assert sum(answer.repeated for answer in answers) > 100
    assert any(answer.missing for answer in answers)
    assert any(answer.want_snapshot for answer in answers)
    assert len(entries(played.pack, "feed.stale")) == 2
    assert len(entries(played.pack, "feed.unsure")) == 1
    assert len(entries(played.pack, "feed.excluded")) == 1
    assert len(entries(played.pack, "list.loaded")) == 3
    reasons = [entry["data"]["reason"] for entry in entries(played.pack, "selection.postponed")]
    assert {"stale_feed", "empty_pool"} == set(reasons)
    frozen = entries(played.pack, "pool.frozen")
    assert [bool(pool["data"]["basis"]) for pool in frozen].count(True) == 2
    codes = {code for pool in frozen for code in pool["data"]["left_out"]}
    assert {"SS_SELF_EXCLUDED", "SS_FEED_STALE", "SS_FAILED_THIS_AWARD", "SS_NOT_ACTIVE"} <= codes


def test_events_that_arrived_too_late_are_named_by_feed_and_number(
    played: Played, judged: Callable[[Path], Report]
) -> None:
    late = {}
    lines = list(read_journal((played.pack / SEGMENT).read_bytes()))
    for pool in entries(played.pack, "pool.frozen"):
        if pool["data"]["basis"] is None:
            heard = (played.pack / SEGMENT).read_bytes()[: pool["data"]["journal"]["length"]].count(b"\n")
            missed = [event for event, _ in lines[heard:] if event["at"] <= pool["at"]]
            late[pool["data"]["id"]] = {(event["feed"], event["seq"]) for event in missed}
    assert any(late.values()), "a session in which nothing is on its way shows nothing"
    report = said(judged(played.pack))
    for pool_id, missed in late.items():
        told = [line for line in report.split("\n") if f"pool {pool_id}: " in line]
        assert len(told) == bool(missed)
        for _, seq in missed:
            first_or_last = {(feed, number) for feed, number in missed if number in {seq - 1, seq + 1}}
            assert str(seq) in told[0] or len(first_or_last) == 2


def test_a_public_copy_has_nothing_to_judge_by(
    played: Played, tmp_path: Path, judged: Callable[[Path], Report]
) -> None:
    report = judged(played.live.write(tmp_path / "public", "public"))
    assert "auditor's copy alone" in failing(report)["judging"]


def test_the_one_file_verifier_judges_again_too(played: Played, tmp_path: Path) -> None:
    file = tmp_path / "verify.pyz"
    file.write_bytes(bundle())
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
    assert "draw_engine/verify/journal.py" in names
    assert not [name for name in names if "service" in name or "store" in name]
    command = [sys.executable, "-I", str(file), str(played.pack), "--journal", "--key", played.key]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == HOLDS, done.stdout + done.stderr
    assert "judged again" in done.stdout


def test_a_pack_of_a_core_that_was_started_again_holds_as_well(
    played: Played, tmp_path: Path, judged: Callable[[Path], Report]
) -> None:
    played.live.restart()
    again = played.live.write(tmp_path / "again")
    assert failing(judged(again)) == {}
    references = "judging/references.csv"
    assert (again / references).read_bytes() == (played.pack / references).read_bytes()


def test_no_member_number_is_said(played: Played, pack: Path, judged: Callable[[Path], Report]) -> None:
    (pack / "judging" / "references.csv").write_bytes(b"member,s\n")
    report = said(judged(pack))
    assert "references.csv" in report
    numbers = {member.member for member in played.live.floor.members}
    assert not [number for number in numbers if number in report]


# -- changed -----------------------------------------------------------------------------------------------------


def test_a_changed_journal_line_is_found_and_named(pack: Path, judged: Callable[[Path], Report]) -> None:
    lines = (pack / SEGMENT).read_bytes().split(b"\n")
    pool = next(pool for pool in entries(pack, "pool.frozen") if pool["data"]["id"] == "p1")
    before = entries(pack, "pool.frozen")[0]["data"]["journal"]["length"]
    first = (pack / SEGMENT).read_bytes()[:before].count(b"\n") + 1
    last = (pack / SEGMENT).read_bytes()[: pool["data"]["journal"]["length"]].count(b"\n")
    at = next(n for n in range(first, last) if b'"kind":"played"' in lines[n])
    lines[at] = lines[at].replace(b'"coin_in":', b'"coin_in":1')
    (pack / SEGMENT).write_bytes(b"\n".join(lines))
    failed = failing(judged(pack))
    assert f"one of the lines {first} to {last} was changed" in failed["pool p1"]
    assert "pool p0" not in failed


def test_a_broken_journal_line_is_named(pack: Path, judged: Callable[[Path], Report]) -> None:
    lines = (pack / SEGMENT).read_bytes().split(b"\n")
    lines[99] = lines[99].replace(b":", b": ", 1)
    (pack / SEGMENT).write_bytes(b"\n".join(lines))
    report = judged(pack)
    assert report.exit_code == FAILS
    assert "2023-10-07-1.jsonl, line 100: " in failing(report)["journal"]


def test_a_journal_cut_short_is_named(pack: Path, judged: Callable[[Path], Report]) -> None:
    last = entries(pack, "pool.frozen")[-1]["data"]["journal"]["length"]
    (pack / SEGMENT).write_bytes((pack / SEGMENT).read_bytes()[: last - 1])
    failed = failing(judged(pack))
    assert f"has {last - 1} bytes; it was judged from {last}" in next(iter(failed.values()))


def test_a_line_held_back_from_a_pool_is_named(pack: Path) -> None:
    """A forger judges without what the floor had told: its line stands behind the prefix, received before."""
    journal = pack / SEGMENT
    forged = ForgedRecord(pack)
    data = journal.read_bytes()
    lines = data.splitlines(keepends=True)
    stated = forged.data("pool.frozen", id="p0")["journal"]
    count = data[: stated["length"]].count(b"\n")
    moment = next(entry["at"] for entry in forged.entries("pool.frozen", id="p0"))
    own = next(n for n in range(count - 1, 0, -1) if moment.encode() not in lines[n])
    held = lines.pop(own)
    lines.insert(count - 1, held)
    journal.write_bytes(b"".join(lines))
    prefix = b"".join(lines[: count - 1])
    stated |= {"length": len(prefix), "sha256": sha256(prefix).hexdigest()}
    data = journal.read_bytes()
    for entry in forged.entries("pool.frozen")[1:]:
        longer = entry["data"]["journal"]
        longer["sha256"] = sha256(data[: longer["length"]]).hexdigest()
    forged.write()
    failed = failing(verify(pack, PUBLIC_KEY, journal=True))
    assert f"line {count}: it was received at" in failed["journal"]


def test_a_changed_list_row_is_found_and_whom_it_touches(
    played: Played, pack: Path, judged: Callable[[Path], Report]
) -> None:
    winner = played.live.draw.rows[0]
    members = the_list(pack, "members")
    rows = members.read_text().split("\n")
    at = next(n for n, row in enumerate(rows) if row.startswith(f"{winner.member},"))
    row = next(csv.reader([rows[at]]))
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow([*row[:3], "Basic", *row[4:]])
    rows[at] = out.getvalue()
    members.write_text("\n".join(rows))
    failed = failing(judged(pack))
    assert f"{members.name} was changed" in failed["lists"]
    assert (
        f"{winner.ref} is in it and was not judged in: SS_TIER_NOT_TARGETED at {winner.position}" in failed["pool p0"]
    )
    members.rename(members.with_name(f"members.{sha256(members.read_bytes()).hexdigest()}.csv"))
    failed = failing(judged(pack))
    assert "lists" not in failed
    assert members.name in failed["pool p0"], "the opening says which list was in force"
    assert "missing" in failed["pool p0"]


def test_a_pool_with_a_stranger_is_found_though_everything_else_holds(pack: Path, played: Played) -> None:
    """Somebody who was left out is put in by a forger who adds up, chains and signs everything again."""
    forged = ForgedRecord(pack)
    confirmed = next(row for row in forged.raw["selections"] if row["outcome"] == "confirmed")
    pool = confirmed["pool"]
    rows = list(csv.reader((pack / "judging" / "references.csv").read_text().splitlines()))[1:]
    was = (pack / f"{pool}.pool").read_bytes()
    stranger, gone = _somebody_left_out(rows, was), was[:16]
    forged.repool(pool, lambda refs: refs.symmetric_difference_update({stranger, gone}))
    forged.write()
    report = verify(pack, PUBLIC_KEY)
    assert failing(report) == {}, "without --journal it is a record like any other"
    failed = failing(verify(pack, PUBLIC_KEY, journal=True))
    assert set(failed) == {f"pool {pool}"}
    assert f"{stranger.hex()} is in it and was not judged in: " in failed[f"pool {pool}"]
    assert f"{gone.hex()} (line " in failed[f"pool {pool}"]
    assert " was judged in and is not in it" in failed[f"pool {pool}"]
    key_of_house = failing(verify(pack, played.key, journal=True))
    assert "key" in key_of_house


def _somebody_left_out(rows: list[list[str]], pool: bytes) -> bytes:
    for member, secret in rows:
        ref = sha256(b"floordraw/1/ref\n" + bytes.fromhex(secret) + member.encode()).digest()[:16]
        if ref not in {pool[i : i + 16] for i in range(0, len(pool), 24)}:
            return ref
    raise AssertionError("everybody was in")


def test_a_changed_s_is_found_with_its_line(played: Played, pack: Path, judged: Callable[[Path], Report]) -> None:
    winner = played.live.draw.rows[0]
    file = pack / "judging" / "references.csv"
    rows = file.read_text().split("\n")
    at = next(n for n, row in enumerate(rows) if row.startswith(f"{winner.person},"))
    rows[at] = f"{winner.person},{'0' * 64}"
    file.write_text("\n".join(rows))
    failed = failing(judged(pack))
    assert f"{winner.ref} is in it, and no line of references.csv gives this reference" in failed["pool p0"]
    assert f"(line {at + 1} of references.csv) at {winner.position} was judged in and is not in it" in failed["pool p0"]


@pytest.mark.parametrize(
    ("kind", "where", "change", "check", "says"),
    [
        ("pool.frozen", {"id": "p2"}, {"left_out": {"SS_NOT_ACTIVE": 1}}, "pool p2", "left out as SS_NOT_ACTIVE: "),
        ("selection.made", {"pool": "p2"}, {"position": "S-9999"}, "pool p2", "selected at S-9999, was judged in at "),
    ],
)
def test_what_a_forger_logs_otherwise_is_found(
    pack: Path, kind: str, where: dict[str, Any], change: dict[str, Any], check: str, says: str
) -> None:
    forged = ForgedRecord(pack)
    forged.data(kind, **where).update(change)
    if kind == "selection.made":
        next(row for row in forged.raw["selections"] if row["pool"] == where["pool"]).update(change)
    forged.write()
    assert failing(verify(pack, PUBLIC_KEY)) == {}
    failed = failing(verify(pack, PUBLIC_KEY, journal=True))
    assert says in failed[check]


def test_a_feed_that_nobody_excluded_postpones(pack: Path) -> None:
    forged = ForgedRecord(pack)
    (excluded,) = forged.entries("feed.excluded")
    excluded["data"]["feed"] = "slots-1"
    forged.write()
    assert failing(verify(pack, PUBLIC_KEY)) == {}
    failed = failing(verify(pack, PUBLIC_KEY, journal=True))
    after = [pool for pool in forged.entries("pool.frozen") if pool["seq"] > excluded["seq"]]
    for pool in after:
        if pool["data"]["basis"] is None:
            sentence = failed[f"pool {pool['data']['id']}"]
            assert "needed feed tables-1 was stale: it had to be postponed" in sentence
            assert "was not judged in: SS_FEED_STALE at S-" in sentence
    assert after


def test_an_invented_reason_to_postpone_is_found(pack: Path) -> None:
    forged = ForgedRecord(pack)
    empty = forged.entries("selection.postponed", reason="empty_pool")[0]
    stale = forged.entries("selection.postponed", reason="stale_feed")[0]
    empty["data"]["reason"], stale["data"]["reason"] = "stale_feed", "empty_pool"
    forged.write()
    failed = failing(verify(pack, PUBLIC_KEY, journal=True))["postponed"]
    assert "a stale feed is given as the reason, though every needed feed was up or excluded" in failed


# -- missing or no files of the kind ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("rules.toml", None, "judging/rules.toml is missing"),
        ("rules.toml", b"schema = 1\n", "judging/rules.toml has the SHA-256 "),
        ("site.toml", None, "judging/site.toml is missing"),
        ("site.toml", b"[[feed]\n", "judging/site.toml is no site's settings"),
        ("site.toml", b"feed = 3\n", "judging/site.toml is no site's settings"),
        ("site.toml", b'stale_after_seconds = "x"\n', "stale_after_seconds is not a whole number"),
        ("references.csv", None, "judging/references.csv is missing"),
        ("references.csv", b"member\n1\n", "judging/references.csv, line 1: the columns are not member,s"),
        ("references.csv", b"member,s\n1,ab\n", "judging/references.csv, line 2: it is not a member and an s"),
        ("references.csv", b'member,s\n"1,ab\n', "judging/references.csv, line "),
        ("references.csv", b"member,s\n\xff,ab\n", "judging/references.csv, line 2: it is not UTF-8"),
        ("references.csv", b"member,s\n" + b"1,%s\n" % (b"a" * 64) * 2, "line 3: its member or its reference stands"),
        ("before.csv", b"member\n", "judging/before.csv, line 1: the columns are not "),
        ("lists", None, "judging/lists is missing"),
        ("journal", None, "judging/journal/2023-10-07-1.jsonl is missing"),
        ("", None, "the folder judging/ is missing"),
    ],
)
def test_what_is_missing_or_malformed_is_named(
    pack: Path, judged: Callable[[Path], Report], name: str, content: bytes | None, says: str
) -> None:
    path = pack / "judging" / name
    if content is not None:
        path.write_bytes(content)
    elif path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    report = judged(pack)
    assert report.exit_code == FAILS
    assert any(says in sentence for sentence in failing(report).values()), failing(report)


def test_a_list_that_cannot_be_read_is_named_with_its_line(pack: Path, judged: Callable[[Path], Report]) -> None:
    positions = the_list(pack, "positions")
    rows = positions.read_text().split("\n")
    rows[4] = rows[4].replace("slot", "wheel")
    positions.write_text("\n".join(rows))
    (pack / "judging" / "lists" / "notes.txt").write_text("by hand")
    failed = failing(judged(pack))
    assert f"{positions.name}, line 5: kind must be slot or table." in failed["pool p0"]
    assert "judging/lists/notes.txt is not named KIND.SHA256.csv" in failed["lists"]


def test_without_the_openings_word_the_lists_are_told_from_the_files_or_not_at_all(pack: Path) -> None:
    """The exclusions in force at the opening were loaded again later: the log names every file there is."""
    forged = ForgedRecord(pack)
    for entry in forged.entries("lists.in_force"):
        entry["kind"] = "lists.not_said"
    forged.write()
    failed = failing(verify(pack, PUBLIC_KEY, journal=True))
    assert "is the version of exclusions in force" in failed["pool p0"]
    assert "pool p9" not in failed, "what is loaded later is told by its own entry"


@pytest.mark.parametrize("kind", ["session", "electronic"])
def test_a_rehearsal_and_an_electronic_draw_have_nothing_to_judge_again(tmp_path: Path, kind: str) -> None:
    draw = a_won_session(rehearsal=True) if kind == "session" else a_won_electronic_draw()
    report = draw.verified(tmp_path, journal=True)
    assert failing(report) == {}
    assert report.exit_code == HOLDS
    assert "there is nothing to judge" in said(report)


def a_won_electronic_draw() -> Forger:
    draw = an_electronic_draw(rehearsal=True)
    for place in (1, 2):
        draw.win(draw.select(place, pool="p0"))
    return draw
