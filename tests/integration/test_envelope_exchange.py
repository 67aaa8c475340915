"""An envelope that cannot be paid is exchanged by two people; the guest loses nothing by a crew's slip."""

from __future__ import annotations

from typing import Any

import pytest
from casino import Casino
from claim_steps import SIGNED, Casinos, bring, selected_alone

from draw_engine.claim_moves import code_of, stage_of
from draw_engine.errors import Refused
from draw_engine.service import claims, reviews

TWO: dict[str, Any] = {"by": "nomvula", "second": "kabelo", "reason": "It held R400."}


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    """Lerato has an envelope in her hands."""
    made = selected_alone(casinos)
    made.tray()
    bring(made, "envelope")
    return made


def exchange(casino: Casino, **changed: Any) -> None:
    reviews.exchange(casino.engine, casino.draw(), 0, now=casino.clock.now(), **(TWO | changed))


def pockets(casino: Casino) -> dict[str, str]:
    return {row.pocket: row.state for row in casino.engine.store.envelopes() if row.state != "tray"}


def test_the_guest_picks_another_one_and_is_paid_from_it(casino: Casino) -> None:
    first = str(casino.draw().state.claims[0].pocket)
    exchange(casino)
    assert stage_of(casino.draw().state.claims[0]) == "checked"
    assert pockets(casino) == {first: "withdrawn"}
    at, actor = casino.clock.now(), "crew:kabelo"
    with pytest.raises(Refused, match="SS_ENVELOPE_USED"):
        claims.envelope(casino.engine, casino.draw(), 0, pocket=first, actor=actor, now=at)
    another = casino.engine.store.envelopes(state="tray")[0].pocket
    claims.envelope(casino.engine, casino.draw(), 0, pocket=another, actor=actor, now=at)
    casino.restart()
    claims.pay(casino.engine, casino.draw(), 0, amount=75_000, signature=SIGNED, actor=actor, now=at)
    assert pockets(casino) == {first: "withdrawn", another: "given"}
    (entry,) = casino.said("envelope.exchanged")
    assert entry.data == {
        "claim": "c0",
        "ordinal": 0,
        "pocket": first,
        "by": ["crew:kabelo", "manager:nomvula"],
        "reason": "It held R400.",
    }
    casino.finish("14:11")


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        pytest.param({"second": "nomvula"}, "X_SAME_PERSON", id="the same twice"),
        pytest.param({"second": ""}, "X_SECOND_PERSON_REQUIRED", id="alone"),
        pytest.param({"by": "kabelo", "second": "nomvula"}, "X_NO_PERMISSION", id="no manager decides"),
        pytest.param({"reason": " "}, "X_REASON_REQUIRED", id="no reason"),
    ],
)
def test_it_takes_two_people_and_a_reason(casino: Casino, changed: dict[str, str], code: str) -> None:
    before = casino.engine.store.head()
    with pytest.raises(Refused) as refusal:
        exchange(casino, **changed)
    assert refusal.value.code == code
    assert casino.engine.store.head() == before


def test_only_an_envelope_on_the_table_can_be_exchanged(casinos: Casinos) -> None:
    casino = selected_alone(casinos)
    casino.tray()
    bring(casino, "checked")
    with pytest.raises(Refused, match="X_CLAIM_STATE"):
        exchange(casino)


@pytest.mark.parametrize(("reason", "code"), [("card", "SS_CARD_MISMATCH"), ("owner", "SS_NOT_RIGHTFUL_OWNER")])
def test_what_did_not_agree_at_the_check_keeps_its_own_code(casinos: Casinos, reason: str, code: str) -> None:
    casino = selected_alone(casinos)
    bring(casino, "found")
    claims.mismatch(casino.engine, casino.draw(), 0, reason=reason, actor="crew:kabelo", now=casino.clock.now())
    assert code_of(casino.draw().state.claims[0]) == code


@pytest.mark.parametrize(
    ("stage", "code"),
    [
        ("taken", ""),
        ("not_there", "SS_NOT_AT_DEVICE"),
        ("expired", "SS_NO_SHOW_NOT_REGISTERED"),
        ("held", "SS_NO_SHOW_REGISTERED"),
        ("refused", "SS_SIGNATURE_REFUSED"),
        ("review", "SS_TIMER_INTERRUPTED"),
        ("confirmed", ""),
    ],
)
def test_every_stage_that_needs_a_reason_has_its_code(casinos: Casinos, stage: str, code: str) -> None:
    casino = selected_alone(casinos)
    casino.tray()
    bring(casino, stage)
    assert code_of(casino.draw().state.claims[0]) == code
