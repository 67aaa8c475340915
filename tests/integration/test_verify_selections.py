"""Tickets, proofs, repeats and basis: one forged fault each."""

from __future__ import annotations

from hashlib import sha256

import pytest
from verify_forger import (
    PEOPLE,
    a_session,
    a_won_session,
    assert_fails,
    assert_holds,
    bend,
    failing,
)
from verify_forger_arithmetic import Tree, ref, time

BEACON = "4321:[0-9a-f]{64}:[0-9a-f]{96,192}"
ROUND = f"4321:{'a' * 64}:{'b' * 96}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("record")


# Tickets


def test_somebody_else_than_the_ticket_s_holder(folder):
    draw = a_won_session()
    made = draw.entry("selection.made")
    made["data"]["ref"] = next(ref(p).hex() for p in PEOPLE if ref(p).hex() != made["data"]["ref"])
    assert_fails(draw, folder, "tickets", "ordinal 0: its ref is")


def test_somebody_else_with_their_own_ticket(folder):
    draw = a_won_session()
    made = draw.entry("selection.made")
    ticket = (int(made["data"]["ticket"]) + 1) % 5
    made["data"] |= {"ticket": str(ticket), "ref": draw.pools["p0"].holder(ticket).hex()}
    assert_fails(draw, folder, "tickets", f"ordinal 0: its ticket is {ticket}, recomputed")


@pytest.mark.parametrize("name", ["ref", "ticket", "position", "place", "public_count", "at"])
def test_a_selection_that_is_not_as_logged(folder, name):
    other = {"ref": "0" * 32, "ticket": "9", "position": "S-2", "place": 9, "public_count": 7, "at": time(1)}
    draw = a_won_session()
    draw.before_digest.append(bend("selections", 1, **{name: other[name]}))
    assert_fails(draw, folder, "selections", f"ordinal 1: its {name} is not as logged in entry 12")


def test_an_ordinal_left_out(folder):
    draw = a_won_session()
    for entry in draw.entries:
        if entry["data"].get("ordinal") == 1:
            entry["data"] = entry["data"] | {"ordinal": 2}
    says = failing(draw.verified(folder))
    assert says.keys() == {"selections", "tickets"}
    assert "entry 12 (selection.made) has ordinal 2, the next one is 1" in says["selections"]


def test_an_ordinal_made_twice(folder):
    draw = a_won_session()
    draw.log("selection.made", draw.entry("selection.made", 1)["data"])
    says = failing(draw.verified(folder))
    assert "has ordinal 1, the next one is 2" in says["selections"]


def test_a_selection_the_record_leaves_out(folder):
    draw = a_won_session()
    draw.before_digest.append(lambda record: record["selections"].pop())
    assert_fails(draw, folder, "selections", "the record has 1 selections, the log made 2")


# Proofs


def test_proofs_stand_for_withheld_files(folder):
    draw = a_won_session()
    draw.withhold = True
    report = assert_holds(draw, folder)
    assert any("pool files withheld: 2 (p0, p1)" in n for n in report.notices)


def test_a_proof_of_another_pool_or_person(folder):
    draw = a_won_session()
    draw.withhold = True
    other = Tree(dict.fromkeys([ref(p) for p in PEOPLE[:4]], 1))
    draw.after_digest.append(bend("selections", 0, proof=other.proof(ref("ann"))))
    assert_fails(draw, folder, "tickets", "ordinal 0: its proof: the proof is for another root")


def test_a_proof_that_shows_another_holder(folder):
    draw = a_won_session()
    draw.withhold = True
    made = draw.entry("selection.made")
    made["data"]["ref"] = next(ref(p).hex() for p in PEOPLE if ref(p).hex() != made["data"]["ref"])
    assert_fails(draw, folder, "tickets", "its proof does not show that ticket")


# Repeats and basis


def after_a_no_show(people=None, **more):
    draw = a_session()
    first = draw.no_show(draw.select(moment=0))
    draw.win(draw.select(after=first, people=people, **more))
    draw.win(draw.select(moment=1))
    return draw


def test_a_no_show_is_selected_again_for_without_the_one_who_failed(folder):
    assert_holds(after_a_no_show(), folder)


@pytest.mark.parametrize("withhold", [False, True])
def test_somebody_who_failed_stands_in_a_later_pool_for_the_place(folder, withhold):
    draw = after_a_no_show(PEOPLE)
    draw.withhold = withhold
    assert_fails(draw, folder, "repeats", "who failed for place 1 as ordinal 0")


def test_somebody_who_failed_may_stand_in_a_pool_for_another_place(folder):
    draw = a_session()
    first = draw.no_show(draw.select(moment=0))
    draw.win(draw.select(after=first))
    again = draw.select(moment=1, people=PEOPLE)
    draw.win(again)
    assert_holds(draw, folder)


def a_late_no_show(**more):
    """The second place's winner fails at or after the end, with more said of the re-selection."""
    draw = a_session(moments={"how": "fixed", "start": time(600), "end": time(700), "at": [time(600), time(690)]})
    draw.win(draw.select(moment=0, at=600))
    second = draw.no_show(draw.select(moment=1, at=690))
    assert draw.now > 700
    draw.win(draw.select(after=second, **more))
    return draw


def test_a_reselection_after_the_end_is_from_the_last_pool_before_it(folder):
    assert_holds(a_late_no_show(basis="p1"), folder)


@pytest.mark.parametrize("basis", [None, "p0", "p2"])
def test_a_reselection_after_the_end_from_another_pool(folder, basis):
    assert_fails(a_late_no_show(basis=basis), folder, "basis", "it must be p1")


def test_a_reselection_after_the_end_with_somebody_new(folder):
    draw = a_late_no_show(basis="p1", people=["a newcomer"])
    assert_fails(draw, folder, "basis", f"pool p2 holds {ref('a newcomer').hex()}, who is not in its basis p1")


def test_a_reselection_before_the_end_has_no_basis(folder):
    assert_fails(after_a_no_show(basis="p0"), folder, "basis", "its basis is p0, it must be null")


def test_a_moment_s_pool_has_no_basis(folder):
    draw = a_session()
    draw.win(draw.select(moment=0))
    draw.win(draw.select(moment=1, basis="p0"))
    assert_fails(draw, folder, "basis", "a pool for a moment has no basis")


def test_the_forger_s_files_are_what_the_page_says():
    tree = Tree({ref("ann"): 1})
    assert tree.root == sha256(b"\0" + ref("ann") + bytes(7) + b"\1").hexdigest()
