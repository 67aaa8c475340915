"""The ninety seconds from the announcement, to the millisecond, and the register at its end (rules 12, 15, 17)."""

from __future__ import annotations

import pytest
from casino import Casino
from claim_steps import Casinos, rows_agree, selected_alone
from desk_words import desk_casino, sign
from people_words import AISHA, LERATO, SIGNED_HEADER, THANDI, THANDI_SECOND, iso, jhb
from small_book import FIRST, Session, book_toml

from draw_engine.errors import Refused
from draw_engine.service import expiry


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    return selected_alone(casinos)


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


@pytest.mark.parametrize("after", [90_001, 90_249, 90_250, 500_000])
def test_presented_later_is_late_whatever_the_clock_of_the_tablet_says(casino: Casino, after: int) -> None:
    at = casino.clock.now()
    casino.announce()
    casino.go(at + after)
    head = casino.engine.store.head()
    with pytest.raises(Refused) as refusal:
        casino.present(ordinal=0)
    assert refusal.value.code == "SS_LATE_AFTER_90S"
    assert f"{(after - 90_000) / 1000:.3f} s" in refusal.value.sentence
    assert casino.engine.store.head() == head
    casino.go(at + max(after, 90_250))
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


def test_a_press_in_time_that_still_waits_is_let_first_however_long_it_takes(casino: Casino) -> None:
    deadline = casino.announce()
    waiting = {0}
    casino.engine.press_waits = lambda draw, ordinal, by: (
        draw == casino.draw().state.id and by == deadline and ordinal in waiting
    )
    casino.clock.set(deadline + 9_000)
    casino.tick()
    assert not casino.said("claim.expired")
    casino.present(stamped_at=deadline - 1)
    waiting.clear()
    casino.tick()
    (entry,) = casino.said("claim.presented")
    assert (entry.at, entry.data["presented_at"]) == (deadline + 9_000, iso(deadline - 1))
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
    assert expiry.next_expiry(casino.engine) == deadline + 250
    casino.go(deadline + 250)
    (entry,) = casino.said("claim.expired")
    assert (entry.at, entry.actor, entry.data["prize"]) == (deadline + 250, "engine", None)
    assert not expiry.expire_due(casino.engine, casino.clock.now())
    assert not expiry.expire_due(casino.engine, casino.clock.now() + 1_000_000)
    assert len(casino.said("claim.expired")) == 1
    casino.finish("14:11")


def test_claims_whose_time_is_up_together_end_in_the_order_of_their_deadlines(casinos: Casinos) -> None:
    """One transaction: expired, held and interrupted side by side, each row as its entry says."""
    casino = desk_casino(casinos, now="13:59:40", book=book_toml(Session("first", "14:00", "14:10", awards=5)))
    sign(casino, LERATO)
    for seat, member in enumerate((LERATO, THANDI, AISHA)):
        casino.rated(member, seat=str(seat))
    casino.send()
    casino.tick()
    while len(casino.draw().state.claims) < 5:
        casino.go(casino.moments()[0])
    order = [3, 0, 4, 1, 2]
    for ordinal in order:
        casino.clock.set(casino.clock.now() + 10)
        casino.announce(ordinal=ordinal)
    heads = len(casino.log())
    reviewed = {order[1]: expiry.INTERRUPTED, order[3]: "SS_STAGE_UNHEARD"}
    deadlines = {claim.deadline_at: claim.ordinal for claim in casino.draw().state.claims}
    casino.engine.interrupted = lambda _draw, _ordinal, deadline: reviewed.get(deadlines[deadline])
    casino.clock.set(max(filter(None, deadlines)) + 250)
    casino.tick()
    told = [entry for entry in casino.log()[heads:] if entry.kind.startswith("claim.")][:5]
    assert [entry.data["ordinal"] for entry in told] == order
    persons = {ordinal: casino.draw().rows[ordinal].person for ordinal in order}
    signed_before = {n for n in order if casino.draw().state.claims[n].opened_at > casino.said("register.signed")[0].at}
    for entry in told:
        ordinal = entry.data["ordinal"]
        held = persons[ordinal] == LERATO and ordinal in signed_before
        expected = "review" if ordinal in reviewed else "held" if held else "expired"
        assert entry.kind == f"claim.{expected}"
        assert entry.data.get("reason") == reviewed.get(ordinal)
    rows_agree(casino)
    held_rows = {row.ordinal for row in casino.engine.store.held_prizes()}
    assert held_rows == {entry.data["ordinal"] for entry in told if entry.kind == "claim.held"}


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

SIGNED_AT = [
    pytest.param(LERATO, -1, "held", id="a-millisecond-before"),
    pytest.param(LERATO, 0, "expired", id="in-the-same-millisecond"),
    pytest.param(LERATO, 1, "expired", id="a-millisecond-after"),
    pytest.param(LERATO, -86_400_000, "expired", id="the-day-before"),
    pytest.param(LERATO, -7 * 3_600_000, "held", id="that-morning"),
    pytest.param(THANDI, -60_000, "expired", id="somebody-else"),
]


@pytest.mark.parametrize(("member", "before", "outcome"), SIGNED_AT)
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
