"""Claims: every state against every move, the 90 seconds to the millisecond, and what each ending leads to."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from casino import Casino
from people_words import LERATO, SIGNED_HEADER, THANDI, THANDI_SECOND, iso, jhb
from small_book import FIRST, Session, book_toml

from draw_engine.errors import Refused
from draw_engine.service import claims, house
from draw_engine.service.claims import stage_of

Casinos = Callable[..., Casino]

STATES = (
    "selected",
    "found",
    "announced",
    "presented",
    "confirmed",
    "refused",
    "not_rightful_card",
    "ineligible",
    "expired",
    "held",
)
ALLOWED = {
    # Found at the device, before any announcement; a second finding says nothing (draw record, `claim.found`).
    ("selected", "found"),
    # The announcement is for somebody who was not found (rules 12, 13); a second one needs a review.
    ("selected", "announced"),
    ("announced", "presented"),
    # Confirmed and refused need the guest: found, or presented in time.
    ("found", "confirmed"),
    ("presented", "confirmed"),
    ("found", "refused"),
    ("presented", "refused"),
    # Whoever is there with another one's card: at the device (rule 17, SS-C38), at the stage (rule 13, SS-C42).
    ("selected", "not_rightful_card"),
    ("found", "not_rightful_card"),
    ("presented", "not_rightful_card"),
    # An exclusion can become known at any time before the prize (SS-C47).
    ("selected", "ineligible"),
    ("found", "ineligible"),
    ("announced", "ineligible"),
    ("presented", "ineligible"),
    # A no-show needs an announcement, its deadline passed and nobody presented.
    ("announced", "expired"),
    ("announced", "held"),
}
MOVES = ("found", "announced", "presented", *STATES[4:])


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    """Lerato is alone at her table, and has just been selected for the first of three awards."""
    made = casinos(now="13:59:40")
    made.load_lists()
    made.rated(LERATO)
    made.send()
    made.tick()
    made.go(made.moments()[0])
    return made


def move(casino: Casino, to: str, ordinal: int = 0) -> None:
    """Make the move; the deadline is waited for where a move needs it to have passed."""
    if to == "found":
        casino.found(ordinal=ordinal)
    elif to == "announced":
        casino.announce(ordinal=ordinal)
    elif to == "presented":
        casino.present(ordinal=ordinal)
    else:
        casino.end(to, ordinal=ordinal, prize=50_000 if to == "confirmed" else None)


def pass_deadline(casino: Casino) -> None:
    """Past the deadline, before the engine acts on it."""
    deadline = casino.draw().state.claims[0].deadline_at
    assert deadline is not None
    casino.go(deadline + 1)


def bring_to(casino: Casino, state: str) -> None:
    ways = {
        "selected": (),
        "found": ("found",),
        "announced": ("announced",),
        "presented": ("announced", "presented"),
        "confirmed": ("found", "confirmed"),
        "refused": ("found", "refused"),
        "not_rightful_card": ("not_rightful_card",),
        "ineligible": ("ineligible",),
        "expired": ("announced", "expired"),
        "held": ("announced", "held"),
    }
    for step in ways[state]:
        if step in {"expired", "held"}:
            pass_deadline(casino)
        move(casino, step)
    assert stage_of(casino.draw().state.claims[0]) == state


@pytest.mark.parametrize("state", STATES)
def test_what_a_claim_may_not_do_is_refused_and_changes_nothing(casino: Casino, state: str) -> None:
    bring_to(casino, state)
    head = casino.engine.store.head()
    before = repr(casino.draw().state.claims)
    for to in MOVES:
        if (state, to) not in ALLOWED:
            with pytest.raises(Refused) as refusal:
                move(casino, to)
            assert refusal.value.code == "X_CLAIM_STATE"
            assert "c0" in refusal.value.sentence
    assert casino.engine.store.head() == head
    assert repr(casino.draw().state.claims) == before


@pytest.mark.parametrize(("state", "to"), sorted(ALLOWED))
def test_what_a_claim_may_do_is_logged_kept_and_holds_when_verified(casino: Casino, state: str, to: str) -> None:
    bring_to(casino, state)
    if to in {"expired", "held"}:
        pass_deadline(casino)
    move(casino, to)
    entry = casino.said(f"claim.{to}")[-1]
    assert (entry.at, entry.data["claim"], entry.data["ordinal"]) == (casino.clock.now(), "c0", 0)
    assert stage_of(casino.draw().state.claims[0]) == to
    casino.restart()
    claim = casino.draw().state.claims[0]
    assert stage_of(claim) == to
    if claim.runs and to == "announced":
        casino.present(ordinal=0)
    if claim.runs:
        casino.end("refused", ordinal=0) if to in {"found", "presented", "announced"} else None
    casino.tick()
    casino.finish("14:11")
    casino.finish("14:41")


@pytest.mark.parametrize(
    ("state", "ending", "place"),
    [
        ("found", "confirmed", "filled"),
        ("presented", "confirmed", "filled"),
        ("announced", "held", "filled"),
        ("found", "refused", "filled"),
        ("announced", "expired", "waiting"),
        ("selected", "not_rightful_card", "waiting"),
        ("selected", "ineligible", "waiting"),
    ],
)
def test_an_ending_fills_the_place_or_asks_for_another_selection(
    casino: Casino, state: str, ending: str, place: str
) -> None:
    bring_to(casino, state)
    if state == "announced":
        pass_deadline(casino)
    move(casino, ending)
    found = casino.draw().state.places[1]
    assert found.state == place
    assert (found.turn is None) == (place == "filled")
    if found.turn is not None:
        assert (found.turn.after, found.turn.due) == (0, casino.clock.now())


# -- the ninety seconds ----------------------------------------------------------------------------------------


def test_the_deadline_is_ninety_seconds_after_the_announcement_and_kept_first(casino: Casino) -> None:
    at = casino.clock.now()
    assert casino.announce() == at + 90_000
    (entry,) = casino.said("claim.announced")
    assert entry.data == {"claim": "c0", "ordinal": 0, "deadline_at": iso(at + 90_000)}
    casino.restart()
    assert casino.last_claim().deadline_at == at + 90_000


def test_the_window_is_what_the_rule_book_says(casinos: Casinos) -> None:
    casino = casinos(now="13:59:40", book=book_toml(Session("first", "14:00", "14:10", seconds=45)))
    casino.load_lists()
    casino.rated(LERATO)
    casino.send()
    casino.tick()
    casino.go(casino.moments()[0])
    assert casino.announce() == casino.clock.now() + 45_000
    casino.go(casino.clock.now() + 45_250)
    assert casino.draw().state.claims[0].outcome == "expired"


@pytest.mark.parametrize("after", [0, 89_900, 89_999, 90_000])
def test_presented_within_ninety_seconds_is_in_time(casino: Casino, after: int) -> None:
    at = casino.clock.now()
    casino.announce()
    casino.go(at + after)
    casino.present()
    (entry,) = casino.said("claim.presented")
    assert entry.data["presented_at"] == iso(at + after)
    casino.go(at + 200_000)
    assert casino.draw().state.claims[0].runs
    casino.end("confirmed", ordinal=0, prize=75_000)
    casino.finish("14:11")


@pytest.mark.parametrize("after", [90_001, 90_249])
def test_presented_later_is_late_whatever_the_clock_of_the_tablet_says(casino: Casino, after: int) -> None:
    at = casino.clock.now()
    casino.announce()
    casino.go(at + after)
    head = casino.engine.store.head()
    with pytest.raises(Refused) as refusal:
        casino.present()
    assert refusal.value.code == "SS_LATE_AFTER_90S"
    assert f"{(after - 90_000) / 1000:.3f} s" in refusal.value.sentence
    assert casino.engine.store.head() == head
    casino.go(at + 90_250)
    assert casino.draw().state.claims[0].outcome == "expired"
    casino.finish("14:11")


def test_a_press_stamped_in_time_wins_though_it_is_handled_after_the_deadline(casino: Casino) -> None:
    deadline = casino.announce()
    casino.go(deadline + 249)
    casino.present(stamped_at=deadline)
    (entry,) = casino.said("claim.presented")
    assert (entry.at, entry.data["presented_at"]) == (deadline + 249, iso(deadline))
    casino.go(deadline + 60_000)
    assert not casino.said("claim.expired")
    casino.end("confirmed", ordinal=0, prize=75_000)
    casino.finish("14:11")


def test_a_press_stamped_before_the_announcement_was_logged_counts_from_it(casino: Casino) -> None:
    """Two people press at once: the second press was received while the first was being written."""
    casino.announce()
    announced = casino.clock.now()
    casino.clock.set(announced + 5)
    casino.present(stamped_at=announced - 3)
    (entry,) = casino.said("claim.presented")
    assert entry.data["presented_at"] == iso(announced)
    casino.end("confirmed", ordinal=0, prize=75_000)
    casino.finish("14:11")


def test_a_claim_expires_exactly_a_quarter_of_a_second_after_its_deadline_and_once(casino: Casino) -> None:
    deadline = casino.announce()
    casino.go(deadline + 249)
    assert not casino.said("claim.expired")
    assert claims.next_expiry(casino.engine) == deadline + 250
    casino.go(deadline + 250)
    (entry,) = casino.said("claim.expired")
    assert (entry.at, entry.actor, entry.data["prize"]) == (deadline + 250, "engine", None)
    assert not claims.expire_due(casino.engine, casino.clock.now())
    assert not claims.expire_due(casino.engine, casino.clock.now() + 1_000_000)
    assert len(casino.said("claim.expired")) == 1
    casino.finish("14:11")


def test_a_claim_that_is_not_announced_does_not_expire(casino: Casino) -> None:
    casino.at("14:20")
    assert casino.draw().state.claims[0].runs
    assert casino.draw().state.closed_at is None
    casino.finish("14:21")


@pytest.mark.parametrize("outcome", ["expired", "held"])
def test_nobody_ends_a_claim_as_a_no_show_before_its_deadline_has_passed(casino: Casino, outcome: str) -> None:
    deadline = casino.announce()
    casino.go(deadline)
    with pytest.raises(Refused, match="still open"):
        casino.end(outcome)
    casino.go(deadline + 1)
    casino.end(outcome)
    assert casino.draw().state.claims[0].outcome == outcome
    casino.tick()
    casino.finish("14:11")


# -- the decline register --------------------------------------------------------------------------------------

SIGNED = [
    pytest.param(LERATO, -1, "held", id="a-millisecond-before"),
    pytest.param(LERATO, 0, "expired", id="in-the-same-millisecond"),
    pytest.param(LERATO, 1, "expired", id="a-millisecond-after"),
    pytest.param(LERATO, -86_400_000, "expired", id="the-day-before"),
    pytest.param(LERATO, -7 * 3_600_000, "held", id="that-morning"),
    pytest.param(THANDI, -60_000, "expired", id="somebody-else"),
]


@pytest.mark.parametrize(("member", "before", "outcome"), SIGNED)
def test_a_no_show_who_signed_the_register_before_the_selection_is_held(
    casino: Casino, member: str, before: int, outcome: str
) -> None:
    signed = iso(casino.said("selection.made")[0].at + before)
    deadline = casino.announce()
    casino.load_lists(register=f"{SIGNED_HEADER}{member},{signed},0820000001\n")
    casino.go(deadline + 250)
    assert casino.draw().state.claims[0].outcome == outcome
    casino.finish("14:11")


def test_the_register_covers_a_person_with_every_card(casinos: Casinos) -> None:
    casino = casinos(now="13:45")
    casino.load_lists(register=f"{SIGNED_HEADER}{THANDI},{iso(jhb('13:20'))},0820000001\n")
    casino.sits(THANDI_SECOND, "S-0412")
    casino.at("13:59")
    casino.go(casino.moments()[0])
    assert casino.draw().rows[0].member == THANDI_SECOND
    deadline = casino.announce()
    casino.go(deadline + 250)
    assert casino.draw().state.claims[0].outcome == "held"
    assert casino.draw().state.places[1].state == "filled"
    casino.finish("14:11")


def test_where_the_book_does_not_hold_the_register_changes_nothing(casinos: Casinos) -> None:
    book = book_toml(FIRST).replace(b'no_show_registered = "hold"', b'no_show_registered = "reselect"')
    casino = casinos(now="13:59:40", book=book)
    casino.load_lists(register=f"{SIGNED_HEADER}{LERATO},{iso(jhb('13:20'))},0820000001\n")
    casino.rated(LERATO)
    casino.send()
    casino.tick()
    casino.go(casino.moments()[0])
    casino.go(casino.announce() + 250)
    assert casino.draw().state.claims[0].outcome == "expired"
    casino.finish("14:11")


# -- the prize -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prize", [None, 0, 49_999, 100_001])
def test_an_envelope_outside_the_bounds_is_refused(casino: Casino, prize: int | None) -> None:
    casino.found()
    with pytest.raises(Refused) as refusal:
        casino.end("confirmed", prize=prize)
    assert refusal.value.code == "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE"
    assert casino.draw().state.claims[0].runs


@pytest.mark.parametrize("prize", [50_000, 100_000])
def test_both_bounds_of_the_envelope_are_in(casino: Casino, prize: int) -> None:
    casino.pay(prize=prize)
    (entry,) = casino.said("claim.confirmed")
    assert (entry.data["prize"], casino.draw().state.claims[0].prize) == (prize, prize)
    casino.finish("14:11")


@pytest.mark.parametrize("outcome", ["ineligible", "not_rightful_card", "refused"])
def test_only_a_confirmed_claim_has_a_prize(casino: Casino, outcome: str) -> None:
    casino.found()
    with pytest.raises(Refused, match="no envelope"):
        casino.end(outcome, prize=50_000)
    assert casino.draw().state.claims[0].runs


def test_a_claim_there_is_not_is_refused(casino: Casino) -> None:
    for ordinal in (-1, 1, 99):
        with pytest.raises(Refused) as refusal:
            casino.found(ordinal=ordinal)
        assert refusal.value.code == "X_NO_SUCH_CLAIM"


def test_no_refusal_names_a_guest(casino: Casino) -> None:
    sentences = []
    casino.announce()
    for to in ("found", "announced", "confirmed"):
        with pytest.raises(Refused) as refusal:
            move(casino, to)
        sentences.append(refusal.value.sentence)
    text = " ".join(sentences)
    assert not any(said in text for said in (LERATO, "Lerato", "Dlamini"))


def test_claims_of_two_draws_run_side_by_side(casinos: Casinos) -> None:
    """The first session's last claims still run while the second is open."""
    casino = casinos(book=book_toml(FIRST, Session("second", "14:12", "14:20")))
    casino.load_lists()
    casino.rated(LERATO)
    casino.at("13:59")
    casino.at("14:13")
    casino.go(casino.moments("second")[0])
    running = {plan: [claim.ordinal for claim in casino.draw(plan).state.running()] for plan in ("first", "second")}
    assert running["first"] == [0, 1, 2]
    assert running["second"]
    casino.finish("14:21")
    assert house.next_instant(casino.engine) is None
