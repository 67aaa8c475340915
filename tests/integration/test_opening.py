"""Opening a session: once, on time or late, tried every 30 s, and not while anything stands against it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from casino import Casino
from people_words import HOUR, iso, jhb
from small_book import FIRST, SECOND, Session, book_toml

from draw_engine.selection import commitment
from draw_engine.service import opening
from draw_engine.service.ports import codes

Casinos = Callable[..., Casino]
FIRST_ID = "silverstar/playtime/2023-10-07/first"


def reasons(casino: Casino, plan: str = "first", day: str = "2023-10-07") -> list[str]:
    book = casino.books[0].rules
    found = opening.reasons_not_to_start(
        casino.engine, book, book.draw(plan), date.fromisoformat(day), casino.clock.now()
    )
    assert all(reason.sentence and reason.todo for reason in found)
    return codes(found)


def test_a_session_opens_once_when_the_book_says(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    casino.at("13:54:59.999")
    assert not casino.said("draw.opened")
    casino.at("13:55")
    casino.at("14:05")
    (opened,) = casino.said("draw.opened")
    assert (opened.at, opened.draw, opened.actor) == (jhb("13:55"), FIRST_ID, "engine")


def test_the_opening_entry_holds_the_terms_whole(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    casino.at("13:55")
    (opened,) = casino.said("draw.opened")
    assert opened.data == {
        "draw": FIRST_ID,
        "property": "silverstar",
        "promotion": "playtime",
        "kind": "session",
        "title": "Playtime, first",
        "rules_version": "test-1",
        "rules_sha256": casino.books[0].rules.sha256,
        "commitment": commitment(FIRST_ID, casino.seeds.house_seed(FIRST_ID), rehearsal=False),
        "moments": {
            "how": "spread",
            "start": "2023-10-07T12:00:00.000Z",
            "end": "2023-10-07T12:10:00.000Z",
            "count": 3,
        },
        "places": [1, 2, 3],
        "carried": [],
        "claim_window_ms": 90_000,
        "lateness_ms": 2_000,
        "retry_ms": 30_000,
        "pool": "refreeze",
        "entropy": [],
        "rehearsal": False,
    }


def test_the_head_is_signed_right_after_the_opening_and_before_any_pool(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    casino.rated("100003")
    casino.at("14:10")
    log = casino.log()
    opened = next(n for n, entry in enumerate(log) if entry.kind == "draw.opened")
    assert log[opened + 1].kind == "checkpoint.made"
    assert log[opened + 1].data == {"seq": log[opened].seq, "hash": log[opened].hash}
    assert log[opened + 1].at == log[opened].at
    pools = [n for n, entry in enumerate(log) if entry.kind == "pool.judged"]
    assert pools
    assert min(pools) > opened + 1


def test_the_seed_is_sealed_in_the_database_and_is_not_in_the_log(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    casino.at("13:55")
    seed = casino.seeds.house_seed(FIRST_ID)
    (row,) = casino.engine.store.draws()
    assert seed not in row.sealed_seed
    assert casino.engine.vault.unseal(f"seed:{FIRST_ID}", row.sealed_seed) == seed
    assert all(seed.hex() not in str(entry.data) for entry in casino.log())


def test_opening_again_gives_the_draw_there_is(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    casino.at("13:55")
    book = casino.books[0]
    before = casino.engine.store.head()
    again = opening.open_draw(casino.engine, book, book.rules.draw("first"), date(2023, 10, 7), casino.clock.now())
    assert again is casino.draw()
    assert casino.engine.store.head() == before


def test_opening_is_tried_every_thirty_seconds(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    missing = casino.engine.list_rows.pop("members")
    casino.at("13:57:10")
    assert reasons(casino) == ["X_LIST_TOO_OLD"]
    casino.engine.list_rows["members"] = missing
    casino.at("13:57:29.999")
    assert reasons(casino) == []
    assert not casino.said("draw.opened")
    casino.at("13:57:30")
    (opened,) = casino.said("draw.opened")
    assert opened.at == jhb("13:57:30")
    assert opened.data["moments"]["start"] == iso(jhb("14:00"))


def test_a_list_that_comes_is_reason_to_try_at_once(casinos: Casinos) -> None:
    casino = casinos()
    casino.at("13:57:10")
    assert reasons(casino) == ["X_LIST_TOO_OLD"] * 4
    casino.load_lists()
    casino.tick()
    (opened,) = casino.said("draw.opened")
    assert opened.at == jhb("13:57:10")


@pytest.mark.parametrize(
    ("at", "start"),
    [("14:00", "14:00"), ("14:00:00.001", "14:00:01"), ("14:03:07.250", "14:03:08"), ("14:09:58.999", "14:09:59")],
)
def test_opened_late_the_moments_begin_at_the_next_whole_second(casinos: Casinos, at: str, start: str) -> None:
    casino = casinos(now=at)
    casino.load_lists()
    casino.tick()
    (opened,) = casino.said("draw.opened")
    assert opened.at == jhb(at)
    assert opened.data["moments"]["start"] == iso(jhb(start))
    assert opened.data["moments"]["end"] == iso(jhb("14:10"))
    casino.at("14:41")


def test_nothing_opens_when_no_whole_second_is_left(casinos: Casinos) -> None:
    casino = casinos(now="14:09:59.400")
    casino.load_lists()
    casino.tick()
    assert not casino.said("draw.opened")
    assert reasons(casino) == ["SS_OUTSIDE_SESSION"]


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("13:54:59.999", ["SS_OUTSIDE_SESSION"]),
        ("13:55", []),
        ("14:09:58.999", []),
        ("14:10", ["SS_OUTSIDE_SESSION"]),
    ],
)
def test_a_session_opens_only_in_its_own_time(casinos: Casinos, at: str, expected: list[str]) -> None:
    casino = casinos(now=at)
    casino.load_lists()
    assert reasons(casino) == expected


@pytest.mark.parametrize("missing", ["members", "exclusions", "positions"])
def test_a_list_that_was_never_loaded_stops_the_opening(casinos: Casinos, missing: str) -> None:
    casino = casinos(now="13:56")
    whole = casino.engine.list_rows
    casino.load_lists()
    del whole[missing]
    (reason,) = opening.list_reasons(casino.engine, casino.clock.now())
    assert reason.code == "X_LIST_TOO_OLD"
    assert missing in reason.sentence
    assert f"floordraw lists load {missing}" in reason.todo
    casino.tick()
    assert not casino.said("draw.opened")


@pytest.mark.parametrize(("kind", "hours"), [("members", 24), ("exclusions", 24), ("staff", 168)])
def test_a_list_older_than_its_limit_stops_the_opening(casinos: Casinos, kind: str, hours: int) -> None:
    casino = casinos(now="2023-09-30 13:55", list_age_hours={kind: hours})
    casino.load_lists()
    casino.clock.set(casino.clock.now() + hours * HOUR)
    assert opening.list_reasons(casino.engine, casino.clock.now()) == []
    (reason,) = opening.list_reasons(casino.engine, casino.clock.now() + 1)
    assert (reason.code, kind in reason.sentence) == ("X_LIST_TOO_OLD", True)


def test_the_usual_limits_hold_when_the_session_is_due(casinos: Casinos) -> None:
    casino = casinos(now="2023-10-06 13:54:59")
    casino.load_lists()
    casino.clock.set(jhb("13:55"))
    casino.tick()
    assert reasons(casino) == ["X_LIST_TOO_OLD"] * 2  # members and exclusions, not the staff
    assert not casino.said("draw.opened")


def test_every_reason_is_named_not_only_the_first(casinos: Casinos) -> None:
    casino = casinos(now="2023-10-06 12:00")
    found = reasons(casino, day="2023-10-06")
    assert found == ["SS_NOT_PROMO_DAY", "SS_OUTSIDE_SESSION", *["X_LIST_TOO_OLD"] * 4]


def test_no_session_opens_on_a_day_that_is_none_of_the_promotion(casinos: Casinos) -> None:
    casino = casinos(now="2023-10-06 13:50")
    casino.load_lists()
    casino.go(jhb("2023-10-06 14:10"))
    assert not casino.said("draw.opened")


def test_a_session_that_is_missed_is_never_opened_afterwards(casinos: Casinos) -> None:
    casino = casinos(now="14:10")
    casino.load_lists()
    casino.at("14:20")
    assert not casino.said("draw.opened")
    casino.at("14:25")
    (opened,) = casino.said("draw.opened")
    assert opened.draw == "silverstar/playtime/2023-10-07/second"
    assert opened.data["places"] == [4, 5, 6]


QUOTAS = [
    pytest.param(5, "day", [4, 5], id="a-day"),
    pytest.param(5, "promotion", [4, 5], id="a-promotion"),
    pytest.param(5, "session", [4, 5, 6], id="a-session"),
    pytest.param(2, "session", [4, 5], id="a-short-session"),
]


@pytest.mark.parametrize(("quota", "per", "places"), QUOTAS)
def test_a_session_opens_with_what_the_quota_leaves(casinos: Casinos, quota: int, per: str, places: list[int]) -> None:
    casino = casinos(book=book_toml(quota=quota, per=per))
    casino.load_lists()
    casino.rated("100003")
    casino.at("14:00")
    while casino.draw().state.closed_at is None:
        casino.go(min([jhb("14:10"), *casino.moments()]))
        casino.pay_running()
        casino.tick()
    casino.at("14:25")
    assert casino.draw("second").state.terms["places"] == places


def test_a_running_claim_counts_against_the_quota(casinos: Casinos) -> None:
    casino = casinos(book=book_toml(quota=3))
    casino.load_lists()
    casino.rated("100003")
    casino.at("14:25")
    assert [claim.runs for claim in casino.draw().state.claims] == [True, True, True]
    assert reasons(casino, "second") == ["SS_SELECTION_QUOTA_REACHED"]
    casino.at("14:30:10")
    casino.pay_running()
    casino.at("14:40")
    assert len(casino.said("draw.opened")) == 1


def test_an_award_that_is_given_back_is_drawn_in_the_next_session(casinos: Casinos) -> None:
    """Quota 3, nobody plays in the first session: all three are carried and are the second's only ones."""
    casino = casinos(book=book_toml(FIRST, SECOND, quota=3))
    casino.load_lists()
    casino.at("14:25")
    assert casino.draw("second").state.terms["places"] == [1, 2, 3]
    casino.at("14:41")


def test_two_groups_count_apart(casinos: Casinos) -> None:
    book = book_toml(FIRST, Session("other", "14:30", "14:40", group="other"), quota=3, groups=("jackpot", "other"))
    casino = casinos(book=book)
    casino.load_lists()
    casino.rated("100003")
    casino.at("14:09:59")
    casino.pay_running()
    casino.at("14:25")
    assert casino.draw("other").state.terms["places"] == [1, 2, 3]
