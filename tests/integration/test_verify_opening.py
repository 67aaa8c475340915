"""Opening, commitment, chain, digest and checkpoints: one forged fault each."""

from __future__ import annotations

from hashlib import sha256

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from verify_forger import Forger, a_session, a_won_session, an_electronic_draw, assert_fails, assert_holds
from verify_forger_arithmetic import time

OTHER_KEY = Ed25519PrivateKey.from_private_bytes(sha256(b"another key").digest())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("record")


def set_in(*path, value):
    def change(record):
        for step in path[:-1]:
            record = record[step]
        record[path[-1]] = value

    return change


def test_a_story_that_keeps_the_rules_holds(folder):
    assert_holds(a_won_session(), folder)


# Opening


def test_terms_other_than_those_of_the_opening_entry(folder):
    draw = a_won_session()
    draw.before_digest.append(lambda record: record.update(terms=draw.terms | {"title": "Another title"}))
    assert_fails(draw, folder, "opening", "the terms are not those of entry 1 (draw.opened): title")


def test_true_is_not_one(folder):
    draw = a_won_session()
    draw.entry("draw.opened")["data"] = draw.terms | {"rehearsal": 0}
    assert_fails(draw, folder, "opening", "rehearsal")


def test_a_second_opening(folder):
    draw = a_won_session()
    draw.log("draw.opened", draw.terms)
    assert_fails(draw, folder, "opening", "2 draw.opened")


def test_a_second_close(folder):
    draw = a_won_session()
    draw.closing_digest = "0" * 64
    draw.log("draw.closed", {"record": "0" * 64})
    assert_fails(draw, folder, "opening digest", "2 draw.closed")


def test_a_log_that_begins_before_the_opening(folder):
    draw = a_won_session()
    draw.entries.insert(0, draw.entries[0] | {"kind": "engine.started", "draw": None, "data": {}})
    assert_fails(draw, folder, "opening", "entry 1 (engine.started) stands first")


@pytest.mark.parametrize("name", ["opened_at", "closed_at"])
def test_times_of_opening_and_close_as_logged(folder, name):
    draw = a_won_session()
    draw.before_digest.append(set_in(name, value=time(-1)))
    assert_fails(draw, folder, "opening", f"{name} is")


# Commitment


def test_a_seed_that_was_not_committed_to(folder):
    assert_fails(a_won_session(commitment="1" * 64), folder, "commitment", "does not open")


def test_a_rehearsal_s_commitment_does_not_serve_a_live_draw(folder):
    rehearsed = Forger(rehearsal=True).terms["commitment"]
    assert_fails(a_won_session(commitment=rehearsed), folder, "commitment", "does not open")


def test_a_rehearsal_has_its_own_tags_and_needs_no_key(folder):
    report = assert_holds(a_won_session(rehearsal=True), folder, key=None)
    assert any("rehearsal" in notice for notice in report.notices)
    assert not any("key was not compared" in notice for notice in report.notices)


# Chain and digest


def test_an_entry_changed_afterwards_is_named(folder):
    draw = a_won_session()
    draw.after_digest.append(set_in("log", 2, "data", "text", value="1" * 20))
    report = draw.verified(folder)
    chain = next(c for c in report.checks if c.name == "chain")
    assert not chain.ok
    assert chain.sentence.startswith("entry 3: ")


def test_other_draws_entries_may_be_withheld(folder):
    draw = a_won_session()
    draw.log("claim.expired", {"any": {"shape": True}}, draw="another/draw", withheld=True)
    draw.log("feed.stale", {"feed": "cms-1"}, draw=None, withheld=True)
    draw.log("feed.up", {"feed": "cms-1"}, draw=None)
    assert_holds(draw, folder)


def test_an_entry_of_the_draw_s_own_may_not_be_withheld(folder):
    draw = a_won_session()
    draw.log("claim.taken", {}, withheld=True)
    assert_fails_in_shape(draw, folder, "entry 16 (claim.taken) is withheld")


def test_a_checkpoint_s_entry_may_not_be_withheld(folder):
    draw = a_won_session()

    def withhold(record):
        kept = {name: v for name, v in record["log"][1].items() if name not in ("actor", "data", "salt")}
        record["log"][1] = kept | {"body": "0" * 64}

    draw.after_digest.append(withhold)
    assert_fails_in_shape(draw, folder, "entry 2 (checkpoint.made) is withheld")


def test_a_digest_of_another_record(folder):
    draw = a_won_session()
    draw.closing_digest = "0" * 64
    assert_fails(draw, folder, "digest", "the record's digest is")


def assert_fails_in_shape(draw, folder, says):
    report = draw.verified(folder)
    assert [c.name for c in report.checks if not c.ok] == ["shape", "all other checks"]
    assert any(says in c.sentence for c in report.checks)
    assert report.exit_code == 1


# Checkpoints


def bent_checkpoint(i, **bent):
    def change(record):
        old = record["checkpoints"][i]
        made = {name: old[name] for name in ("seq", "at")} | {"head": old["hash"]} | bent
        record["checkpoints"][i] = Forger().sign(made.pop("seq"), made.pop("head"), made.pop("at"), **made)

    return change


@pytest.mark.parametrize(
    ("bent", "says"),
    [
        ({"property": "elsewhere"}, "its property is elsewhere, not forged"),
        ({"head": "0" * 64}, "signs another hash"),
        ({"at": time(1)}, "its entry of"),
        ({"seq": 2}, "the entry after 2 is not the checkpoint.made"),
    ],
)
def test_a_checkpoint_that_is_signed_but_not_of_this_log(folder, bent, says):
    draw = a_won_session()
    draw.after_digest.append(bent_checkpoint(0, **bent))
    assert_fails(draw, folder, "checkpoints", says)


def test_a_checkpoint_with_a_broken_signature(folder):
    draw = a_won_session()
    good = Forger().sign(1, "0" * 64, time(0))["signature"]
    draw.after_digest.append(set_in("checkpoints", 0, "signature", value=good))
    assert_fails(draw, folder, "checkpoints", "checkpoint of entry 1: its signature does not hold")


def test_a_rehearsal_s_checkpoint_does_not_serve_a_live_draw(folder):
    draw = a_won_session()

    def change(record):
        old = record["checkpoints"][0]
        record["checkpoints"][0] = Forger(rehearsal=True).sign(old["seq"], old["hash"], old["at"])

    draw.after_digest.append(change)
    assert_fails(draw, folder, "checkpoints", "its signature does not hold")


def test_two_keys(folder):
    draw = a_won_session()
    draw.after_digest.append(bent_checkpoint(0, key=OTHER_KEY))
    assert_fails(draw, folder, "checkpoints key", "has another key than the one before")


def test_a_checkpoint_left_out(folder):
    draw = a_won_session()
    draw.checkpoint()
    draw.after_digest.append(lambda record: record["checkpoints"].pop(1))
    assert_fails(draw, folder, "checkpoints", "entry 16 (checkpoint.made) has no checkpoint in the record")


def test_checkpoints_out_of_order(folder):
    draw = a_won_session()
    draw.checkpoint()
    draw.after_digest.append(lambda record: record["checkpoints"].insert(0, record["checkpoints"].pop(1)))
    assert_fails(draw, folder, "checkpoints", "they ascend")


def test_a_checkpoint_whose_entry_is_missing(folder):
    draw = a_won_session()

    def change(record):
        head = record["log"][6]
        record["checkpoints"].insert(1, draw.sign(head["seq"], head["hash"], head["at"]))

    draw.after_digest.append(change)
    assert_fails(draw, folder, "checkpoints", "the entry after 7 is not the checkpoint.made")


def test_an_entry_that_names_another_head(folder):
    draw = a_won_session()
    draw.entry("checkpoint.made")["data"] = {"seq": 1, "hash": "0" * 64}
    draw.after_digest.append(bent_checkpoint(0))
    assert_fails(draw, folder, "checkpoints", "entry 2 (checkpoint.made) does not name the entry right before it")


def test_no_checkpoints_at_all(folder):
    draw = a_won_session()
    draw.after_digest.append(set_in("checkpoints", value=[]))
    assert_fails(draw, folder, "checkpoints", "there are no checkpoints")


def test_no_checkpoint_on_the_close(folder):
    draw = a_won_session()
    draw.after_digest.append(lambda record: record["checkpoints"].pop())
    assert_fails(draw, folder, "checkpoints", "the last checkpoint is of entry 1, not of the draw's close, entry 16")


def test_the_last_checkpoint_may_come_later_but_not_earlier(folder):
    later, earlier = a_won_session(), a_won_session()
    later.after_digest.append(bent_checkpoint(-1, at=time(3600)))
    assert_holds(later, folder)
    earlier.after_digest.append(bent_checkpoint(-1, at=time(0)))
    assert_fails(earlier, folder, "checkpoints", "before the draw closed")


def test_hourly_checkpoints_and_a_gap(folder):
    draw = a_won_session()
    for hour in (1, 2):
        draw.now = hour * 61 * 60
        draw.checkpoint()
    report = assert_holds(draw, folder)
    assert not any("between the checkpoints" in notice for notice in report.notices)
    draw.entries.pop()
    draw.now += 61 * 60 + 0.001
    draw.checkpoint()
    report = assert_holds(draw, folder)
    assert any("61 minutes between the checkpoints of entries 16 and 17" in notice for notice in report.notices)


# The opening checkpoint


def test_no_checkpoint_between_the_opening_and_the_entropy(folder):
    draw = a_won_session()
    draw.entries.insert(2, draw.entries.pop(1))
    assert_fails(draw, folder, "entropy", "no checkpoint was made between the opening and entry 2")


def test_no_checkpoint_between_the_opening_and_the_first_pool(folder):
    draw = Forger(entropy=[])
    draw.open(dice=None)
    draw.win(draw.select(moment=0))
    draw.entries.insert(4, draw.entries.pop(1))
    draw.win(draw.select(moment=1))
    draw.entries[4]["at"] = draw.entries[3]["at"]
    assert_fails(draw, folder, "entropy", "no checkpoint was made between the opening and entry 2")


def test_no_checkpoint_between_an_electronic_draw_s_pool_and_its_selections(folder):
    draw = an_electronic_draw()
    draw.win(draw.select(1))
    draw.win(draw.select(2))
    draw.drop("checkpoint.made", 1)
    assert_fails(draw, folder, "entropy", "no checkpoint was made between entry 4 (pool.frozen) and entry 5")


def test_nobody_came_and_the_draw_holds(folder):
    draw = Forger("electronic", entropy=[]).open()
    draw.judge_nobody()
    for place in (1, 2):
        draw.log("selection.lapsed", {"place": place, "moment": None, "after": None, "reason": "unfilled"})
    report = assert_holds(draw, folder)
    assert any("2 lapsed: 2 unfilled" in notice for notice in report.notices)


def test_a_session_without_its_dice_holds_and_says_so(folder):
    draw = Forger().open(dice=None)
    draw.win(draw.select(moment=0))
    draw.win(draw.select(moment=1))
    report = assert_holds(draw, folder)
    assert any("the source dice gave nothing" in notice for notice in report.notices)
    assert any("no entropy from outside at all" in notice for notice in report.notices)
    assert a_session().entries[-1]["kind"] == "entropy.given"


# What a story cannot say by itself


def test_deep_free_data_gives_an_answer(folder):
    deep = {}
    for _ in range(880):
        deep = {"a": deep}
    draw = a_won_session()
    draw.log("note.made", deep)
    assert draw.verified(folder).exit_code in (0, 1)


def test_a_copy_with_one_pool_file_withheld(folder):
    draw = a_won_session()
    draw.withhold = True
    proof = draw.record()["selections"][0]["proof"]
    draw.entries.pop()
    draw.withhold = False
    draw.after_digest += [set_in("pools", 0, "file", value=None), set_in("selections", 0, "proof", value=proof)]
    report = assert_holds(draw, folder)
    assert any("pool files withheld: 1 (p0)" in notice for notice in report.notices)
