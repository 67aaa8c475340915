"""What other draws of the day did decides who may win, and an auditor sees it in `judging/before.csv`."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from casino import PIETER, SIPHO, THANDI, Casino, Session, book_toml, jhb, seat_everybody

from draw_engine.service import selecting
from draw_engine.service.publishing import auditor_pack, published_copy
from draw_engine.store.journal import read_segment
from draw_engine.verify import Report, verify

SITE = b"""\
stale_after_seconds = 30
feed = [{ id = "slots-1", brings = ["slots"] }, { id = "tables-1", brings = ["tables"] }]
"""


@pytest.fixture
def new(tmp_path: Path) -> Any:
    made: list[Casino] = []

    def casino(*sessions: Session, **said: Any) -> Casino:
        made.append(Casino(f"sqlite:///{tmp_path / 'floordraw.db'}", tmp_path, book=book_toml(*sessions, **said)))
        return made[-1]

    yield casino
    for one in made:
        one.close()


def judged(casino: Casino, out: Path, plan: str, *, before: bool = True) -> Report:
    engine, draw = casino.engine, casino.draw(plan)
    files = published_copy(engine, draw, "auditor")
    journal = casino.folder / "journal"
    files |= auditor_pack(engine, draw, read_segment=lambda name: read_segment(journal, name), site_toml=SITE)
    if not before:
        del files["judging/before.csv"]
    for name, data in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)
    return verify(out, base64.b64encode(engine.signer.public_key).decode(), journal=True)


def failing(report: Report) -> dict[str, str]:
    return {check.name: check.sentence for check in report.checks if not check.ok}


def played(casino: Casino) -> None:
    casino.load_lists()
    seat_everybody(casino)
    casino.finish("14:45")


def test_a_limit_of_the_day_is_judged_with_what_other_draws_say(new: Any, tmp_path: Path) -> None:
    limit = '[{ scope = "day", max = 1 }]'
    casino = new(Session("first", "14:00", "14:10", limits=limit), Session("second", "14:30", "14:40", limits=limit))
    played(casino)
    left_out = [entry.data["left_out"] for entry in casino.said("pool.frozen", plan="second")]
    assert left_out[0]["SS_WIN_LIMIT"] == 3
    report = judged(casino, tmp_path / "second", "second")
    assert failing(report) == {}, "\n".join(report.lines())
    assert any(check.name == "other draws" for check in report.checks)
    without = judged(casino, tmp_path / "without", "second", before=False)
    assert any("before.csv is missing" in notice for notice in without.notices)
    assert "was judged in and is not in it" in failing(without)["pool p0"]


def test_who_failed_for_an_award_stays_failed_where_it_is_carried(new: Any, tmp_path: Path) -> None:
    casino = new(
        Session("first", "14:00", "14:10", awards=1, after_end="carry"),
        Session("second", "14:30", "14:40", awards=1, after_end="carry"),
    )
    casino.load_lists()
    seat_everybody(casino)
    casino.at("14:10:05")
    casino.end("ineligible")
    casino.finish("14:45")
    second = casino.draw("second")
    assert second.state.terms["carried"] == [{"place": 1, "from": casino.draw().state.id}]
    carried = next(made for made in second.state.selections if made.place == 1)
    frozen = next(e for e in casino.said("pool.frozen", plan="second") if e.data["id"] == carried.pool)
    assert frozen.data["left_out"]["SS_FAILED_THIS_AWARD"] == 1
    report = judged(casino, tmp_path / "second", "second")
    assert failing(report) == {}, "\n".join(report.lines())
    without = judged(casino, tmp_path / "without", "second", before=False)
    assert "was judged in and is not in it" in failing(without)[f"pool {carried.pool}"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda rows: rows[:1], "has no line for entry"),
        (lambda rows: [rows[0], *(row.replace(",confirmed", ",expired") for row in rows[1:])], "not claim.expired"),
        (lambda rows: [rows[0], *(row.replace("/first,", "/third,") for row in rows[1:])], "is not of silverstar/"),
        (lambda rows: [rows[0], *(row.replace("/first,", "/second,") for row in rows[1:])], "is not of another draw"),
        (lambda rows: [*rows, "1,silverstar/playtime/2023-10-07/first,jackpot,x,1,2,held"], "it is not a selection"),
    ],
)
def test_what_is_said_of_other_draws_agrees_with_the_log(new: Any, tmp_path: Path, change: Any, says: str) -> None:
    """Two sessions at once: the first one's selections stand, withheld, in the second one's record."""
    casino = new(Session("first", "14:00", "14:20"), Session("second", "14:02", "14:22"))
    played(casino)
    out = tmp_path / "second"
    assert failing(judged(casino, out, "second")) == {}
    file = out / "judging" / "before.csv"
    file.write_text("\n".join(change(file.read_text().splitlines())) + "\n")
    report = verify(out, base64.b64encode(casino.engine.signer.public_key).decode(), journal=True)
    assert any(says in sentence for sentence in failing(report).values()), failing(report)


def test_award_1_of_another_group_is_another_award(new: Any) -> None:
    """Each group counts its awards from 1: who failed for one group's award may win the other's of that number."""
    one, other = (
        Session("first", "14:00", "14:10", awards=1),
        Session("second", "14:30", "14:40", awards=1, group="car"),
    )
    casino = new(one, other, groups=("jackpot", "car"))
    casino.load_lists()
    casino.rated(THANDI, seat="1")
    casino.rated(PIETER, seat="2")
    casino.at("14:09:59.999")
    casino.end("ineligible")
    casino.finish("14:29")
    casino.at("14:31")
    failed = casino.draw("first").rows[0].person
    assert failed in {THANDI, PIETER}
    assert failed in selecting.failed_persons(casino.engine, casino.draw("first"), 1)
    assert selecting.failed_persons(casino.engine, casino.draw("second"), 1) == frozenset()


def test_the_card_played_is_kept_for_a_re_selection_after_the_end(new: Any) -> None:
    casino = new(Session("first", "14:00", "14:10", awards=1))
    casino.load_lists()
    casino.sits(THANDI, "S-0412", card="7001")
    casino.sits(SIPHO, "S-0500", card="7004")
    casino.at("14:09:59.999")
    casino.clock.set(jhb("14:10:00.000"))
    casino.end("ineligible")
    casino.at("14:10:01")
    rows = casino.draw().rows
    assert {rows[0].card, rows[1].card} == {"7001", "7004"}
    assert casino.said("pool.frozen", plan="first")[-1].data["basis"] == "p0"
