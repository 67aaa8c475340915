"""A press of a tablet is carried out once, however often it is sent: its number, its answer, its effect."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from casino import Casino
from claim_steps import CHECKED, ON_SQLITE, SIGNED, WAYS, Casinos, as_kept, bring, move, selected_alone
from people_words import LERATO
from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError

from draw_engine.claim_moves import stage_of
from draw_engine.errors import Refused
from draw_engine.service import pressing
from draw_engine.service.pressing import StaffPress
from draw_engine.store import prize_tables
from draw_engine.store.unit_of_work import TransactionOfTables

RUNNING = [stage for stage in WAYS if stage in {"taken", "not_there", "announced", "review", "found", "presented"}]
RUNNING += ["checked", "envelope"]


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    """Lerato has just been selected; there are envelopes in the tray."""
    made = selected_alone(casinos)
    made.tray()
    return made


def asked(casino: Casino, verb: str, number: str = "", **changed: Any) -> StaffPress:
    own = {name: changed.pop(name) for name in ("by", "ordinal", "draw", "stamped_at") if name in changed}
    return StaffPress(
        id=number or f"press-of-{verb}",
        verb=verb,
        draw=own.get("draw", casino.draw().state.id),
        ordinal=own.get("ordinal", 0),
        by=own.get("by", "kabelo"),
        stamped_at=own.get("stamped_at", casino.clock.now()),
        said=changed,
    )


def press(casino: Casino, verb: str, number: str = "", **changed: Any) -> Mapping[str, Any]:
    return pressing.press(casino.engine, asked(casino, verb, number, **changed))


def refused(casino: Casino, verb: str, number: str = "", **changed: Any) -> Refused:
    with pytest.raises(Refused) as refusal:
        press(casino, verb, number, **changed)
    return refusal.value


def kept_presses(casino: Casino) -> int:
    with casino.database.connect() as connection:
        return int(connection.execute(select(func.count()).select_from(prize_tables.presses)).scalar_one())


# -- once ------------------------------------------------------------------------------------------------------


def test_the_same_number_again_is_given_the_same_answer_and_changes_nothing(casino: Casino) -> None:
    casino.go(casino.clock.now() + 1_000)
    first = press(casino, "take")
    assert first == {
        "ok": True,
        "verb": "take",
        "at": casino.clock.now(),
        "stage": "taken",
        "deadline_at": None,
        "reason": "",
        "repeated": False,
    }
    before = as_kept(casino)
    casino.go(casino.clock.now() + 5_000)
    for restart in (False, True):
        if restart:
            casino.restart()
        assert press(casino, "take") == {**first, "repeated": True}
    assert as_kept(casino)[1:] == before[1:]
    assert len(casino.said("claim.taken")) == 1
    # The answer is that of the press, also when the claim has long gone on.
    for verb in ("not_there", "announce"):
        press(casino, verb)
    assert press(casino, "take") == {**first, "repeated": True}


OTHER = [
    {"verb": "not_there"},
    {"by": "ayanda"},
    {"ordinal": 1},
    {"draw": "silverstar/playtime/2023-10-07/second"},
    {"said": "more"},
]


@pytest.mark.parametrize("other", OTHER)
def test_a_number_that_was_another_press_s_is_refused_and_does_nothing(casino: Casino, other: dict[str, Any]) -> None:
    press(casino, "take", "press-0001")
    before = as_kept(casino), kept_presses(casino)
    changed = dict(other)
    verb = changed.pop("verb", "take")
    for _ in range(2):
        assert refused(casino, verb, "press-0001", **changed).code == "X_IDEMPOTENT_REPLAY"
    assert (as_kept(casino), kept_presses(casino)) == before
    assert press(casino, "take", "press-0001")["repeated"] is True


def test_when_it_is_sent_again_makes_no_other_press_of_it(casino: Casino) -> None:
    press(casino, "take", "press-0001", stamped_at=casino.clock.now() - 400)
    assert press(casino, "take", "press-0001", stamped_at=casino.clock.now() + 9_000)["repeated"] is True


@ON_SQLITE
def test_a_thousand_repeats_of_every_press_of_a_claim_leave_one_of_each(casino: Casino) -> None:
    """A tablet that gets no answer goes on and on: 1,000 times each."""
    way = [
        asked(casino, "take"),
        asked(casino, "found"),
        asked(casino, "check", checks=CHECKED["device"], identification="sa_id"),
        asked(casino, "envelope", pocket="E-0001"),
        asked(casino, "pay", amount=75_000, signature=SIGNED),
    ]
    answers = [pressing.press(casino.engine, one) for one in way]
    head, rows = casino.engine.store.head(), as_kept(casino)
    for _ in range(1_000):
        for one, answer in zip(way, answers, strict=True):
            assert pressing.press(casino.engine, one) == {**answer, "repeated": True}
    assert (casino.engine.store.head(), as_kept(casino)) == (head, rows)
    assert kept_presses(casino) == len(way)
    assert len([job for job in casino.engine.store.print_jobs(["queued"]) if job.kind == "winner_receipt"]) == 1
    casino.tick()
    casino.finish("14:11")


BAD_NUMBERS = ["", "short", "x" * 65, "press 0001", "press-0001\n", "präss-0001", "../../etc"]


@pytest.mark.parametrize("number", BAD_NUMBERS)
def test_a_press_needs_a_number_of_its_own(casino: Casino, number: str) -> None:
    with pytest.raises(Refused, match="X_VALUE_WRONG"):
        pressing.press(casino.engine, StaffPress(number, "take", casino.draw().state.id, 0, "kabelo", 1, {}))
    assert kept_presses(casino) == 0
    assert stage_of(casino.last_claim()) == "selected"


# -- refused ---------------------------------------------------------------------------------------------------


def test_a_refused_press_is_kept_logged_and_refused_the_same_again(casino: Casino) -> None:
    first = refused(casino, "announce", by="mandla")
    assert first.code == "X_CLAIM_STATE"
    (entry,) = casino.said("press.refused")
    assert entry.data == {"verb": "announce", "claim": "c0", "code": "X_CLAIM_STATE"}
    assert (entry.actor, entry.draw) == ("stage:mandla", casino.draw().state.id)
    # By now it would be allowed: the press was answered, and its answer stands.
    press(casino, "take")
    press(casino, "not_there")
    again = refused(casino, "announce", by="mandla")
    assert (again.code, again.sentence) == (first.code, first.sentence)
    assert len(casino.said("press.refused")) == 1
    assert press(casino, "announce", "press-of-announce-2", by="mandla")["stage"] == "announced"


def test_a_late_press_gets_the_late_answer_however_often(casino: Casino) -> None:
    for verb in ("take", "not_there"):
        press(casino, verb)
    deadline = press(casino, "announce", by="mandla")["deadline_at"]
    casino.go(deadline + 400)
    sentences = {refused(casino, "present", stamped_at=deadline + 123).sentence for _ in range(3)}
    (said,) = sentences
    assert "0.123 s late" in said
    assert [entry.data["code"] for entry in casino.said("press.refused")] == ["SS_LATE_AFTER_90S"]
    assert casino.last_claim().outcome == "expired"


def test_a_press_stamped_in_time_counts_though_it_comes_to_the_engine_late(casino: Casino) -> None:
    for verb in ("take", "not_there"):
        press(casino, verb)
    deadline = press(casino, "announce", by="mandla")["deadline_at"]
    casino.clock.set(deadline + 249)
    assert press(casino, "present", by="mandla", stamped_at=deadline)["stage"] == "presented"
    assert press(casino, "present", by="mandla", stamped_at=deadline + 60_000)["repeated"] is True


WRONG = [
    ("fly", {}, "X_VALUE_WRONG"),
    ("take", {"by": "nobody"}, "X_NO_PERMISSION"),
    ("take", {"ordinal": 7}, "X_NO_SUCH_CLAIM"),
    ("found", {"ordinal": 7}, "X_NO_SUCH_CLAIM"),
    ("check", {"ordinal": 7, "checks": ["name"]}, "X_NO_SUCH_CLAIM"),
    ("pay", {"ordinal": 7, "amount": 75_000, "signature": SIGNED}, "X_NO_SUCH_CLAIM"),
    ("take", {"draw": "silverstar/playtime/2023-10-07/third"}, "X_NO_SUCH_DRAW"),
    ("hand_over", {"to": "zanele"}, "X_NO_PERMISSION"),
    ("hand_over", {"to": ["kabelo"]}, "X_VALUE_WRONG"),
    ("check", {}, "X_CHECK_INCOMPLETE"),
    ("check", {"checks": "name"}, "X_CHECK_INCOMPLETE"),
    ("check", {"checks": [["name"]]}, "X_CHECK_INCOMPLETE"),
    ("mismatch", {"reason": "face"}, "X_CLAIM_STATE"),
    ("envelope", {"pocket": 7}, "X_VALUE_WRONG"),
    ("envelope", {"pocket": "E" * 201}, "X_VALUE_WRONG"),
    ("pay", {"amount": "75000", "signature": SIGNED}, "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE"),
    ("pay", {"amount": True, "signature": SIGNED}, "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE"),
    ("pay", {"amount": 75_000, "signature": "signed"}, "SS_SIGNATURE_REQUIRED"),
]


@ON_SQLITE
@pytest.mark.parametrize(("verb", "said", "code"), WRONG)
def test_what_cannot_be_meant_is_refused_with_its_code_and_kept(
    casino: Casino, verb: str, said: dict[str, Any], code: str
) -> None:
    claim = repr(casino.last_claim())
    for _ in range(2):
        assert refused(casino, verb, "press-0001", **said).code == code
    (entry,) = casino.said("press.refused")
    assert entry.data["code"] == code
    assert LERATO not in json.dumps(entry.data)
    assert (repr(casino.last_claim()), kept_presses(casino)) == (claim, 1)


def test_after_the_close_a_refused_press_is_logged_outside_the_draw(casino: Casino) -> None:
    """The draw's own kinds after its close are closed (draw record, "The log")."""
    casino.finish("14:11")
    assert casino.draw().state.closed_at is not None
    assert refused(casino, "take").code == "X_CLAIM_STATE"
    (entry,) = casino.said("press.refused")
    assert (entry.draw, entry.data["claim"]) == (None, "c0")


# -- who may ---------------------------------------------------------------------------------------------------

ROLES = {"kabelo": "crew", "nomvula": "manager", "mandla": "stage", "bheki": "desk", "zanele": "auditor"}
ON_THE_FLOOR, AT_THE_STAGE = frozenset({"crew", "manager"}), frozenset({"crew", "manager", "stage"})
MAY = {
    **dict.fromkeys(("take", "release", "hand_over", "found", "other_person", "not_there"), ON_THE_FLOOR),
    **dict.fromkeys(("check", "mismatch", "envelope", "pay", "refuse"), ON_THE_FLOOR),
    **dict.fromkeys(("announce", "present"), AT_THE_STAGE),
}
AT = {
    "take": "selected",
    "release": "taken",
    "hand_over": "taken",
    "found": "taken",
    "other_person": "taken",
    "not_there": "taken",
    "announce": "not_there",
    "present": "announced",
    "check": "found",
    "mismatch": "found",
    "envelope": "checked",
    "pay": "envelope",
    "refuse": "checked",
}
SAID: dict[str, dict[str, Any]] = {
    "hand_over": {"to": "ayanda"},
    "check": {"checks": CHECKED["device"], "identification": ""},
    "mismatch": {"reason": "card"},
    "envelope": {"pocket": "E-0001"},
    "pay": {"amount": 75_000, "signature": SIGNED},
}


@ON_SQLITE
@pytest.mark.parametrize("verb", MAY)
def test_each_verb_is_for_its_roles_alone(casino: Casino, verb: str) -> None:
    bring(casino, AT[verb])
    if verb in {"found", "other_person", "not_there"}:
        move(casino, "release")  # it is the taker's word alone: nobody has it, whoever takes it says so
    stage = stage_of(casino.last_claim())
    for by, role in ROLES.items():
        if role not in MAY[verb]:
            refusal = refused(casino, verb, f"press-by-{by}", by=by, **SAID.get(verb, {}))
            assert (refusal.code, stage_of(casino.last_claim())) == ("X_NO_PERMISSION", stage), by
    if stage == "selected" and verb != "take":
        press(casino, "take", by="nomvula")
    assert press(casino, verb, by="nomvula", **SAID.get(verb, {}))["ok"] is True


@ON_SQLITE
@pytest.mark.parametrize("verb", ["found", "other_person", "not_there"])
def test_what_was_seen_at_the_device_is_said_by_whoever_walked_there(casino: Casino, verb: str) -> None:
    press(casino, "take")
    for by in ("ayanda", "nomvula"):
        refusal = refused(casino, verb, f"press-by-{by}", by=by)
        assert (refusal.code, "kabelo" in refusal.sentence) == ("X_NO_PERMISSION", True)
    press(casino, "hand_over", to="ayanda")
    assert refused(casino, verb, "press-by-kabelo").code == "X_NO_PERMISSION"
    assert press(casino, verb, "press-by-ayanda-2", by="ayanda")["ok"] is True


@ON_SQLITE
@pytest.mark.parametrize("stage", RUNNING)
def test_a_claim_is_handed_over_and_released_at_every_stage(casino: Casino, stage: str) -> None:
    bring(casino, stage)
    assert press(casino, "hand_over", "press-0001", to="ayanda")["stage"] == stage
    assert casino.last_claim().taken_by == "crew:ayanda"
    assert refused(casino, "hand_over", "press-0002", to="ayanda").code == "X_ALREADY_TAKEN"
    assert press(casino, "hand_over", "press-0003", by="ayanda", to="nomvula")["stage"] == stage
    assert press(casino, "release", "press-0004", by="nomvula")["stage"] == ("selected" if stage == "taken" else stage)
    assert casino.last_claim().taken_by is None
    assert press(casino, "take", "press-0005", by="ayanda")["stage"] == stage
    assert refused(casino, "take", "press-0006", by="kabelo").code == "X_ALREADY_TAKEN"


# -- two tablets -----------------------------------------------------------------------------------------------


def test_two_tablets_take_the_same_claim_one_has_it(casino: Casino) -> None:
    assert press(casino, "take", "tablet-a-1", by="kabelo")["stage"] == "taken"
    refusal = refused(casino, "take", "tablet-b-1", by="ayanda")
    assert (refusal.code, "kabelo has claim c0" in refusal.sentence) == ("X_ALREADY_TAKEN", True)
    assert casino.last_claim().taken_by == "crew:kabelo"


def test_two_announcers_press_present_one_counts_and_the_other_is_told_where_it_stands(casino: Casino) -> None:
    for verb in ("take", "not_there", "announce"):
        press(casino, verb)
    casino.go(casino.clock.now() + 30_000)
    press(casino, "present", "tablet-a-1", by="mandla")
    assert refused(casino, "present", "tablet-b-1", by="nomvula").code == "X_CLAIM_STATE"
    assert len(casino.said("claim.presented")) == 1


def test_two_tablets_with_the_same_number_count_once(casino: Casino) -> None:
    """The press that was carried over to another tablet with its owner's box."""
    assert press(casino, "take", "press-0001")["repeated"] is False
    assert press(casino, "take", "press-0001")["repeated"] is True
    assert len(casino.said("claim.taken")) == 1


# -- a transaction that fails ----------------------------------------------------------------------------------


def _locked(*_: object, **__: object) -> None:
    raise OperationalError("INSERT", {}, Exception("database is locked"))


@pytest.mark.parametrize("fails", ["add_press", "put_claim", "write_log", "add_print_job", "add_signature"])
def test_a_press_whose_transaction_fails_is_not_remembered(
    casino: Casino, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    """Whichever statement fails: nothing is kept, and the same number does it when it is sent again."""
    bring(casino, "envelope")
    before = as_kept(casino)
    with monkeypatch.context() as broken:
        broken.setattr(TransactionOfTables, fails, _locked)
        with pytest.raises(OperationalError):
            press(casino, "pay", amount=75_000, signature=SIGNED)
    casino.engine.ready()
    assert (as_kept(casino), kept_presses(casino)) == (before, 0)
    answer = press(casino, "pay", amount=75_000, signature=SIGNED)
    assert (answer["stage"], answer["repeated"]) == ("confirmed", False)
    casino.tick()
    casino.finish("14:11")


def test_a_refusal_that_could_not_be_kept_is_judged_again(casino: Casino, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(TransactionOfTables, "add_press", _locked)
        with pytest.raises(OperationalError):
            press(casino, "found")
    casino.engine.ready()
    press(casino, "take")
    assert press(casino, "found")["stage"] == "found"


def test_an_exclusion_found_at_a_press_is_its_answer_and_the_same_again(casino: Casino) -> None:
    bring(casino, "found")
    casino.load_lists(exclusions=f"member,category,from,to,source\n{LERATO},self_excluded,2023-10-07,,desk\n")
    said = SAID["check"]
    answer = press(casino, "check", **said)
    assert (answer["stage"], answer["code"]) == ("ineligible", "SS_SELF_EXCLUDED")
    assert "Another guest is selected" in answer["sentence"]
    casino.tick()
    assert press(casino, "check", **said) == {**answer, "repeated": True}
