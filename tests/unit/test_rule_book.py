"""The shipped rule books say what the printed rules say, and the auditor's reader reads them."""

import hashlib
from dataclasses import replace
from datetime import date, time
from pathlib import Path

import pytest

from draw_engine.rule_book import AwardGroup, Criterion, EnvelopePrize
from draw_engine.rule_book_toml import read

BOOKS = Path(__file__).parents[2] / "config" / "rule_books"
PLAYTIME_BYTES = (BOOKS / "silverstar-playtime.toml").read_bytes()
PLAYTIME = read(PLAYTIME_BYTES)
DEMO = read((BOOKS / "silverstar-demo.toml").read_bytes())


def test_the_digest_is_of_the_files_bytes():
    assert hashlib.sha256(PLAYTIME_BYTES).hexdigest() == PLAYTIME.sha256
    assert read(PLAYTIME_BYTES + b"\n").sha256 != PLAYTIME.sha256


def test_who_may_win_by_rules_1_3_and_5():
    [audience] = PLAYTIME.audiences
    assert audience.tiers == ("Black", "Platinum", "Gold")
    assert audience.zones == ("MAIN", "SMOKING")
    assert PLAYTIME.min_age == 18
    assert set(PLAYTIME.exclude) == {"refusal_of_entry", "self_excluded", "excluded_category", "staff_or_related"}


def test_seventy_a_day_over_two_sessions_by_rule_5():
    assert PLAYTIME.award_groups == (AwardGroup("bonus-jackpot", 70, "day", carry=True),)
    assert [(plan.starts, plan.ends, plan.awards) for plan in PLAYTIME.draws] == [
        (time(14), time(16), 35),
        (time(18), time(20), 35),
    ]
    assert all(PLAYTIME.group_of(plan).quota == 70 for plan in PLAYTIME.draws)


def test_ninety_seconds_from_the_announcement_by_rule_12():
    for plan in PLAYTIME.draws:
        assert (plan.claim.seconds, plan.claim.clock_starts) == (90, "announced")
        assert plan.claim.walk_up
        assert plan.claim.satisfied_by == ("present_at_stage",)


def test_what_follows_a_failure_by_rules_15_to_17():
    plan = PLAYTIME.draws[0]
    assert plan.answer_to("no_show") == "reselect"
    assert plan.answer_to("no_show_registered") == "hold"
    assert plan.answer_to("not_rightful_card") == "reselect"
    assert plan.answer_to("jackpot") is None
    assert list(plan.on) == sorted(plan.on)


def test_envelopes_hold_r500_to_r1000_by_rule_14():
    assert {plan.prize for plan in PLAYTIME.draws} == {EnvelopePrize(500_00, 1000_00)}


def test_over_eight_hundred_thousand_in_all_is_stated_by_rule_32():
    assert PLAYTIME.stated_total == 800_000_00
    assert DEMO.stated_total is None


def test_a_held_prize_waits_fifteen_days_by_rules_15_and_33():
    assert PLAYTIME.held is not None
    assert (PLAYTIME.held.days, PLAYTIME.held.desk) == (15, "Customer Services Desk")


def test_the_register_is_open_before_each_session_by_rule_10():
    assert PLAYTIME.register is not None
    assert PLAYTIME.register.windows == ((time(8), time(14)), (time(16), time(18)))
    assert PLAYTIME.register.in_person
    assert PLAYTIME.register.contact_required


def test_both_sessions_judge_alike():
    first, second = PLAYTIME.draws
    same = {"id": "", "title": "", "starts": time(), "ends": time()}
    assert replace(first, **same) == replace(second, **same)
    assert first.criteria == (Criterion("slot", "idle_seconds", max=300), Criterion("slot", "minutes", min=10))


def test_the_demo_is_the_real_book_made_short():
    [session] = DEMO.draws
    assert (DEMO.id, DEMO.property) == ("playtime-demo", PLAYTIME.property)
    assert (session.starts, session.ends, session.awards) == (time(14), time(14, 20), 35)
    assert "DEMO" in DEMO.title
    assert "DEMO" in session.title
    assert DEMO.calendar == PLAYTIME.calendar
    assert DEMO.audiences == PLAYTIME.audiences
    real = PLAYTIME.draws[0]
    for part in ("criteria", "claim", "on", "prize", "limits", "needs"):
        assert getattr(session, part) == getattr(real, part)


def test_a_draw_is_found_by_its_id():
    assert PLAYTIME.draw("bonus-jackpot-2") is PLAYTIME.draws[1]
    with pytest.raises(KeyError):
        PLAYTIME.draw("bonus-jackpot-3")
    with pytest.raises(KeyError):
        PLAYTIME.group_of(replace(PLAYTIME.draws[0], group="none"))


def test_what_other_books_may_add_is_read():
    text = PLAYTIME_BYTES.decode()
    for old, new in [
        ("to = 2023-12-09 ", "to = 2023-12-09\nnever = [2023-10-14]\nonly = [2023-10-07, 2023-10-21]\n"),
        ("max = 300 }", 'max = 300, tiers = ["Gold"] }'),
        ('"SMOKING"] }', '"SMOKING"], dates = [2023-10-07] }'),
        ("limits = []", 'limits = [{ scope = "day", max = 1 }]'),
        ("entropy = []", 'entropy = [{ source = "dice", pattern = "[0-9]{24}", after = "opened" }]'),
    ]:
        text = text.replace(old, new)
    book = read(text.encode())
    assert book.calendar[0].never == (date(2023, 10, 14),)
    assert book.calendar[0].only == (date(2023, 10, 7), date(2023, 10, 21))
    assert book.audiences[0].dates == (date(2023, 10, 7),)
    plan = book.draws[0]
    assert plan.criteria[0].tiers == ("Gold",)
    assert (plan.limits[0].scope, plan.limits[0].max) == ("day", 1)
    assert (plan.entropy[0].source, plan.entropy[0].pattern, plan.entropy[0].after) == ("dice", "[0-9]{24}", "opened")


def test_register_and_held_prizes_may_be_left_out():
    text = PLAYTIME_BYTES.decode()
    book = read((text[: text.index("[register]")] + text[text.index("[publicity]") :]).encode())
    assert book.register is None
    assert book.held is None
