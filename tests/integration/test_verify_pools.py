"""Pools and entropy: one forged fault each."""

from __future__ import annotations

import pytest
from verify_forger import (
    DICE,
    PEOPLE,
    Forger,
    a_session,
    a_won_session,
    an_electronic_draw,
    assert_fails,
    assert_holds,
    bend,
    failing,
)
from verify_forger_arithmetic import ref, time

from draw_engine.verify import verify

BEACON = "4321:[0-9a-f]{64}:[0-9a-f]{96,192}"
ROUND = f"4321:{'a' * 64}:{'b' * 96}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("record")


def a_won_draw(**terms):
    draw = an_electronic_draw(**terms)
    draw.win(draw.select(1))
    draw.win(draw.select(2))
    return draw


# Pool files


def test_a_missing_pool_file_is_named(folder):
    draw = a_won_session()
    draw.write(folder)
    (folder / "p1.pool").unlink()
    report = verify(folder)
    assert failing(report) == {"pools": "p1.pool: the file is missing or cannot be read"}
    assert report.exit_code == 1


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda data: data[:-1], "p0.pool: a pool file is records of 24 bytes"),
        (lambda data: data[24:48] + data[:24] + data[48:], "p0.pool: record 1: its reference is below"),
        (lambda data: data[:24] * 2 + data[48:], "p0.pool: record 1: its reference is the same"),
        (lambda data: data[:16] + bytes(8) + data[24:], "p0.pool: record 0: the weight 0"),
        (lambda data: data[24:], "p0.pool: size is 4, stated 5"),
        (lambda data: bytes([data[0] ^ 1]) + data[1:], "p0.pool: root is"),
        (lambda data: data[:23] + b"\2" + data[24:], "p0.pool: total is 6, stated 5"),
        (lambda data: data[:0], "p0.pool: size is 0, stated 5"),
    ],
)
def test_a_pool_file_that_was_changed(folder, spoil, says):
    draw = a_won_session()
    draw.write(folder)
    file = folder / "p0.pool"
    file.write_bytes(spoil(file.read_bytes()))
    report = verify(folder)
    assert failing(report).keys() == {"pools"}
    assert says in failing(report)["pools"]


def test_two_pool_files_exchanged(folder):
    draw = a_session()
    draw.win(draw.select(moment=0))
    draw.win(draw.select(moment=1, people=PEOPLE[:4]))
    draw.write(folder)
    one, other = (folder / "p0.pool", folder / "p1.pool")
    was = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(was)
    says = failing(verify(folder))["pools"]
    assert "p0.pool: size is 4, stated 5" in says
    assert "p1.pool: size is 5, stated 4" in says


# Pools as logged


@pytest.mark.parametrize(
    "changes", [{"frozen_at": time(1)}, {"id": "q", "file": "q.pool"}, {"size": 6}, {"total": "6"}, {"root": "0" * 64}]
)
def test_a_pool_that_is_not_as_logged(folder, changes):
    draw = a_won_session()
    draw.before_digest.append(bend("pools", 0, **changes))
    if "id" in changes:
        draw.before_digest.append(bend("selections", 0, pool="q"))
        draw.pools["q"] = draw.pools["p0"]
    report = draw.verified(folder)
    assert "pools" in failing(report)
    assert f"its {next(iter(changes))} is not as logged in entry 5 (pool.frozen)" in failing(report)["pools"]


def test_a_pool_more_than_the_log_has(folder):
    draw = a_won_session()
    draw.before_digest.append(
        lambda record: record["pools"].append(record["pools"][0] | {"id": "p9", "file": "p9.pool"})
    )
    draw.pools["p9"] = draw.pools["p0"]
    assert_fails(draw, folder, "pools", "the record has 3 pools, the log freezes 2")


def test_a_pool_judged_and_thrown_away(folder):
    draw = a_won_session()
    draw.log("pool.judged", {"pool": "p9", "verdicts": "1" * 64})
    assert_fails(draw, folder, "pools", "judges pool p9, which was never frozen")


def test_a_pool_judged_twice(folder):
    draw = a_won_session()
    draw.log("pool.judged", {"pool": "p1", "verdicts": "1" * 64})
    assert_fails(draw, folder, "pools", "judges pool p1 again")


def test_a_pool_that_was_not_judged(folder):
    draw = a_won_session()
    draw.drop("pool.judged")
    assert_fails(draw, folder, "pools", "freezes pool p0, which was not judged before")


def test_a_pool_frozen_twice(folder):
    draw = a_won_session()
    draw.log("pool.frozen", draw.entry("pool.frozen")["data"])
    draw.before_digest.append(lambda record: record["pools"].pop())
    assert "freezes pool p0 again" in failing(draw.verified(folder))["pools"]


def test_a_session_s_weights_are_one(folder):
    draw = a_session()
    draw.win(draw.select(moment=0, people=dict.fromkeys(PEOPLE, 1) | {"ann": 2}))
    draw.win(draw.select(moment=1))
    assert_fails(draw, folder, "pools", "pool p0: its total is not its size")


def test_a_pool_used_twice(folder):
    draw = a_session()
    draw.win(draw.select(moment=0))
    draw.win(draw.select(moment=1, pool="p0"))
    assert_fails(draw, folder, "pools", "pool p0 was used by 2 selections")


def test_a_pool_that_no_selection_used(folder):
    draw = a_won_session()
    draw.freeze()
    assert_fails(draw, folder, "pools", "pool p2 was used by 0 selections")


def test_a_pool_frozen_before_its_selection(folder):
    draw = a_session()
    draw.now = draw.moment(0) - 0.001
    draw.win(draw.select(moment=0, pool=draw.freeze()))
    draw.win(draw.select(moment=1))
    assert_fails(draw, folder, "pools", "pool p0 was not frozen at its selection")


def test_a_pool_frozen_after_its_selection_in_the_same_millisecond(folder):
    draw = a_won_session()
    frozen, made = draw.entry("pool.frozen"), draw.entry("selection.made")
    i, j = draw.entries.index(frozen), draw.entries.index(made)
    draw.entries[i], draw.entries[j] = made, frozen
    assert_fails(draw, folder, "pools", "pool p0 was not frozen at its selection")


def test_a_selection_from_no_pool(folder):
    draw = a_won_session()
    draw.drop("pool.judged")
    draw.drop("pool.frozen")
    draw.before_digest.append(
        lambda record: record["pools"].append(record["pools"][0] | {"id": "p0", "file": "p0.pool"})
    )
    says = failing(draw.verified(folder))["pools"]
    assert "names pool p0, which was never frozen" in says


@pytest.mark.parametrize("pools", [1, 2])
def test_an_electronic_draw_judges_once(folder, pools):
    draw = a_won_draw()
    if pools == 1:
        draw.judge_nobody()
    else:
        draw.freeze()
    assert_fails(draw, folder, "pools", f"here 2 judged, {pools} frozen")


def test_an_electronic_draw_selects_after_its_pool_is_frozen(folder):
    draw = a_won_draw(entropy=[])
    draw.drop("entropy.given")
    draw.entries.sort(key=lambda e: e["kind"] == "pool.frozen")
    says = failing(draw.verified(folder))
    assert "names pool p0, which was not frozen before" in says["pools"]


def test_a_weighted_pool_of_an_electronic_draw(folder):
    draw = an_electronic_draw({"ann": 1, "ben": 2**40, "cat": 3})
    ordinal = draw.select(1)
    assert draw.ref_of(ordinal) == ref("ben").hex()
    draw.win(ordinal)
    again = draw.select(2, claim=False)
    draw.duplicate(again, ordinal)
    draw.log("selection.lapsed", {"place": 2, "moment": None, "after": again, "reason": "unfilled"})
    assert_fails(draw, folder, "lapses", "1 different references were drawn of 3")


# Entropy


def test_texts_that_are_not_as_logged(folder):
    draw = a_won_session()
    draw.before_digest.append(bend("public", 0, text="1" * 20))
    assert_fails(draw, folder, "entropy", "the public texts are not those of the log")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("[0-9]{20}", "1" * 19),
        ("[0-9]{20}", "1" * 21),
        ("[0-9]{20}", "1" * 19 + "a"),
        ("[0-9]{20}", "1" * 20 + "\n"),
        ("[0-9]{20}", "\u0661" * 20),
        (BEACON, ROUND.replace("4321", "4322")),
        (BEACON, ROUND.upper()),
        (BEACON, ROUND + "b" * 97),
        (BEACON, f"4321:{'a' * 64}"),
    ],
)
def test_a_text_that_does_not_fit_its_pattern(folder, pattern, text):
    draw = Forger(entropy=[{"source": "dice", "pattern": pattern, "after": "opened"}]).open(text)
    draw.win(draw.select(moment=0))
    draw.win(draw.select(moment=1))
    assert_fails(draw, folder, "entropy", "entry 3 (entropy.given): the text of dice does not fit")


def two_sources(*given, after="opened"):
    sources = [
        {"source": "dice", "pattern": "[0-9]{20}", "after": after},
        {"source": "drand", "pattern": BEACON, "after": after},
    ]
    draw = Forger(entropy=sources).open(dice=None)
    for source, text in given:
        draw.give(text, source)
    draw.win(draw.select(moment=0))
    draw.win(draw.select(moment=1))
    return draw


def test_two_sources_in_order(folder):
    report = assert_holds(two_sources(("dice", DICE), ("drand", ROUND)), folder)
    assert any("the beacon's signature in the text of drand was not verified" in n for n in report.notices)


def test_a_source_may_give_nothing_and_the_next_one_still(folder):
    report = assert_holds(two_sources(("drand", ROUND)), folder)
    assert any("the source dice gave nothing" in n for n in report.notices)


@pytest.mark.parametrize(
    "given",
    [
        [("drand", ROUND), ("dice", DICE)],
        [("dice", DICE), ("dice", DICE)],
        [("stranger", DICE)],
    ],
)
def test_sources_out_of_order_twice_or_unknown(folder, given):
    assert_fails(
        two_sources(*given), folder, "entropy", "is no source of the terms, or was given twice or out of order"
    )


def test_a_text_given_after_a_session_s_first_pool(folder):
    draw = Forger().open(dice=None)
    draw.win(draw.select(moment=0))
    draw.give(DICE)
    draw.win(draw.select(moment=1))
    assert_fails(draw, folder, "entropy", "was given after the first pool, entry 4 (pool.frozen)")


def test_an_electronic_draw_s_text_given_before_its_pool(folder):
    draw = Forger("electronic").open()
    draw.give(DICE)
    draw.freeze()
    draw.checkpoint()
    draw.win(draw.select(1))
    draw.win(draw.select(2))
    assert_fails(draw, folder, "entropy", "no checkpoint was made between entry 5 (pool.frozen) and entry 3")


def test_an_electronic_draw_s_text_given_after_its_first_selection(folder):
    draw = Forger("electronic").open()
    draw.freeze()
    draw.checkpoint()
    draw.win(draw.select(1))
    draw.give(DICE)
    draw.win(draw.select(2))
    says = failing(draw.verified(folder))
    assert "was given after the first selection, entry 6 (selection.made)" in says["entropy"]


def test_an_electronic_draw_s_text_given_though_nobody_came(folder):
    draw = Forger("electronic").open()
    draw.judge_nobody()
    draw.give(DICE)
    for place in (1, 2):
        draw.log("selection.lapsed", {"place": place, "moment": None, "after": None, "reason": "unfilled"})
    assert_fails(draw, folder, "entropy", "was given though no pool is frozen")


def test_an_electronic_draw_without_entropy_says_so(folder):
    draw = Forger("electronic").open()
    draw.freeze()
    draw.checkpoint()
    draw.win(draw.select(1))
    draw.win(draw.select(2))
    report = assert_holds(draw, folder)
    assert any("no entropy from outside after the pool was frozen" in n for n in report.notices)


def test_a_public_count_that_leaves_a_text_out(folder):
    draw = a_won_session()
    made = draw.entry("selection.made")
    without = Forger().open(dice=None)
    without.select(moment=0)  # the ticket that the house would have had without the dice
    made["data"] = without.entry("selection.made")["data"]
    assert made["data"]["public_count"] == 0
    assert_fails(draw, folder, "entropy", "public_count is 0, 1 texts were given by then")
