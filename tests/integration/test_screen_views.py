"""What a floor screen is told while people decide about a claim, and when two guests could answer one call."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from casino import MEMBERS, THANDI, Casino, book_toml, seat_everybody

from draw_engine.claim_moves import stage_of
from draw_engine.service import claims, reviews
from kiosk.screens.view import House, collides, screen_pictures, screen_snapshot
from web_display.messages import ScreenSnapshot

Casinos = Callable[..., Casino]
HOUSE = House("Silverstar", "No persons under 18.", demo=False)
WINDOW_MS = 90_000
TWO = {"by": "nomvula", "second": "themba", "reason": "as agreed"}
ANOTHER_THANDI = "300001,Thandi,Mabena,Gold,1980-01-01,,,\n"


def screen(casino: Casino) -> ScreenSnapshot:
    return screen_snapshot(casino.engine, HOUSE)


def called(casino: Casino) -> list[str]:
    return [claim.id for claim in screen(casino).claims]


@pytest.fixture
def selected(casinos: Casinos) -> Casino:
    """The first selection of the first session was made just now."""
    casino = casinos()
    casino.load_lists()
    seat_everybody(casino)
    casino.at("14:00")
    casino.go(casino.moments()[0])
    return casino


@pytest.fixture
def in_review(selected: Casino) -> Casino:
    """Announced, and no stage was heard when the time ran out."""
    selected.engine.interrupted = lambda *_of: "SS_STAGE_UNHEARD"
    deadline = selected.announce()
    assert called(selected) == ["first/c0"]
    selected.go(deadline + 250)
    assert stage_of(selected.last_claim()) == "review"
    return selected


def decide(casino: Casino, decision: str) -> None:
    reviews.decide(casino.engine, casino.draw(), 0, decision, now=casino.clock.now(), **TWO)


# -- a claim's clock --------------------------------------------------------------------------------------------


def test_a_claim_in_review_has_no_clock_and_its_time_is_not_said_to_be_up(in_review: Casino) -> None:
    shown = screen(in_review)
    assert (shown.claims, shown.ended) == ((), ())


def test_announced_again_it_has_its_full_time(in_review: Casino) -> None:
    decide(in_review, "again")
    assert called(in_review) == [], "the announcer has not spoken yet"
    in_review.go(in_review.clock.now() + 20_000)
    deadline = in_review.announce(ordinal=0)
    (again,) = screen(in_review).claims
    assert (again.id, again.announced_at, again.deadline_at) == ("first/c0", deadline - WINDOW_MS, deadline)


def test_attested_present_it_comes_back_to_no_clock(in_review: Casino) -> None:
    decide(in_review, "present")
    assert called(in_review) == []


@pytest.mark.parametrize(("after_ms", "said"), [(5_000, ["first/c0"]), (60_000, [])])
def test_an_absence_that_is_attested_long_after_is_not_called_out(
    in_review: Casino, after_ms: int, said: list[str]
) -> None:
    in_review.go(in_review.clock.now() + after_ms)
    decide(in_review, "absent")
    assert in_review.draw().state.claims[0].outcome == "expired"
    assert [ended.id for ended in screen(in_review).ended if ended.id == "first/c0"] == said


def test_from_presented_to_paid_there_is_no_clock(selected: Casino) -> None:
    selected.announce()
    selected.go(selected.clock.now() + 80_000)
    selected.present()
    assert called(selected) == []
    checks = ("name", "card", "stage", "owner")
    now = selected.clock.now()
    claims.check(
        selected.engine, selected.draw(), 0, actor="crew:kabelo", now=now, checks=checks, identification="sa_id"
    )
    assert called(selected) == []


# -- a winner ---------------------------------------------------------------------------------------------------


def test_a_voided_winner_is_taken_off_and_counts_no_more(selected: Casino) -> None:
    selected.pay()
    before = screen(selected)
    assert before.won is not None
    assert (before.winners_today, len(before.recent), before.taken_back) == (1, 1, ())
    reviews.void(selected.engine, selected.draw(), 0, reselect=False, now=selected.clock.now(), **TWO)
    after = screen(selected)
    assert (after.won, after.winners_today, after.recent) == (None, 0, ())
    assert after.taken_back == (before.won.id,)
    selected.go(selected.clock.now() + 60_000)
    assert before.won.id not in screen(selected).taken_back


# -- one name, two guests ---------------------------------------------------------------------------------------


def two_thandis(casinos: Casinos, form: str) -> Casino:
    book = book_toml().replace(b"first_initial_last4", form.encode())
    casino = casinos(members=MEMBERS + ANOTHER_THANDI, book=book)
    casino.load_lists()
    casino.sits(THANDI, "S-0412", card=f"70{THANDI}")
    casino.sits("300001", "S-0500", card="70300001")
    casino.at("14:00")
    casino.go(casino.moments()[0])
    return casino


@pytest.mark.parametrize(
    ("form", "both", "shown"),
    [
        ("first_initial_last4", True, {"Thandi M. ···0001"}),
        ("first_initial", True, {"Thandi M."}),
        ("first_last4", True, {"Thandi ···0001"}),
        ("first_last", False, {"Thandi Mokoena", "Thandi Mabena"}),
        ("full_name", False, {"Thandi Mokoena", "Thandi Mabena"}),
        ("last4", True, {"···0001"}),  # 100001 and 300001 end alike
    ],
)
def test_a_collision_is_known_before_the_call_and_goes_by_what_is_called_out(
    casinos: Casinos,
    form: str,
    both: bool,  # noqa: FBT001 - a case
    shown: set[str],
) -> None:
    casino = two_thandis(casinos, form)
    draw, claim = casino.draw(), casino.last_claim()
    assert collides(casino.engine, draw, claim) is both
    casino.announce()
    (on_screen,) = screen(casino).claims
    assert on_screen.collision is both
    assert on_screen.name in shown


def test_two_who_are_called_together_collide_though_they_were_never_in_one_pool(casinos: Casinos) -> None:
    casino = casinos(members=MEMBERS + ANOTHER_THANDI)
    casino.load_lists()
    casino.sits(THANDI, "S-0412", card=f"70{THANDI}")
    casino.sits("300001", "S-0500", card="70300001", plays_on=False)  # and so has not played for too long at first
    casino.at("14:00")
    casino.go(casino.moments()[0])
    draw, first = casino.draw(), casino.last_claim()
    assert not collides(casino.engine, draw, first)
    casino.leaves("S-0412")
    casino.playing["S-0500"] = "300001"
    casino.go(casino.moments()[0])
    second = casino.last_claim()
    assert [draw.rows[n].member for n in (0, 1)] == [THANDI, "300001"]
    assert not collides(casino.engine, draw, first), "the second has not been looked for yet"
    casino.announce(ordinal=second.ordinal)
    assert collides(casino.engine, draw, first)
    casino.announce(ordinal=0)
    assert [claim.collision for claim in screen(casino).claims] == [True, True]
    casino.present(ordinal=second.ordinal)
    assert [claim.collision for claim in screen(casino).claims] == [False]


# -- to the screen server ---------------------------------------------------------------------------------------


def test_every_screen_has_its_picture_and_each_picture_is_sent_once(selected: Casino) -> None:
    selected.announce()
    message = screen_pictures(selected.engine, HOUSE, ["main", "smoking-floor"])
    whole = screen(selected).as_json()
    assert message["of"] == {"main": 0, "smoking-floor": 0}
    assert message["pictures"] == [{name: value for name, value in whole.items() if name != "server_now"}]
    assert message["server_now"] == whole["server_now"]
