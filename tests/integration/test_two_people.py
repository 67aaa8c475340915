"""What needs two people: who they may be, what is refused, and what the log says of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from casino import Casino, seat_everybody
from people_words import jhb

from draw_engine.errors import Refused
from draw_engine.service import house, selecting
from draw_engine.service.engine import Engine, OpenDraw

Casinos = Callable[..., Casino]
Deed = Callable[..., None]


def exclude(engine: Engine, draw: OpenDraw, **who: str) -> None:
    house.exclude_feed(engine, draw, "tables-1", **who)


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    made = casinos(now="13:56")
    made.engine.settings.staff["nkosi"] = "witness"
    made.load_lists()
    seat_everybody(made)
    made.send()
    made.tick()
    return made


PEOPLE = [
    pytest.param("", "kabelo", "X_SECOND_PERSON_REQUIRED", id="nobody-first"),
    pytest.param("nomvula", "", "X_SECOND_PERSON_REQUIRED", id="nobody-second"),
    pytest.param("nomvula", "nomvula", "X_SAME_PERSON", id="the-same"),
    pytest.param("nomvula", "stranger", "X_NO_PERMISSION", id="a-stranger-second"),
    pytest.param("stranger", "nomvula", "X_NO_PERMISSION", id="a-stranger-first"),
    pytest.param("kabelo", "nomvula", "X_NO_PERMISSION", id="only-a-manager-may-begin"),
    pytest.param("zanele", "nomvula", "X_NO_PERMISSION", id="an-auditor-may-not-begin"),
    pytest.param("nomvula", "bheki", "X_NO_PERMISSION", id="a-role-that-may-not-second"),
    pytest.param("nomvula", "zanele", "X_NO_PERMISSION", id="an-auditor-judges-and-does-not-decide"),
    pytest.param("nomvula", "nkosi", "X_NO_PERMISSION", id="a-witness-is-not-of-the-house"),
]
DEEDS = [
    pytest.param(exclude, id="exclude"),
    pytest.param(house.suspend, id="suspend"),
    pytest.param(house.end_early, id="end"),
]


@pytest.mark.parametrize(("by", "second", "code"), PEOPLE)
@pytest.mark.parametrize("deed", DEEDS)
def test_it_takes_two_different_people_who_may(casino: Casino, deed: Deed, by: str, second: str, code: str) -> None:
    head = casino.engine.store.head()
    with pytest.raises(Refused) as refusal:
        deed(casino.engine, casino.draw(), by=by, second=second, reason="no link")
    assert refusal.value.code == code
    assert refusal.value.sentence.endswith(".")
    assert casino.engine.store.head() == head


@pytest.mark.parametrize("reason", ["", "   ", "x" * 501, "no\x00link", "\ud800", "link \u202ekcab"])
@pytest.mark.parametrize("deed", DEEDS)
def test_a_reason_is_asked_for(casino: Casino, deed: Deed, reason: str) -> None:
    with pytest.raises(Refused) as refusal:
        deed(casino.engine, casino.draw(), by="nomvula", second="kabelo", reason=reason)
    assert refusal.value.code == "X_REASON_REQUIRED"


@pytest.mark.parametrize("second", ["themba", "kabelo"])
def test_the_log_names_both_in_order_and_that_they_were_taken_at_their_word(casino: Casino, second: str) -> None:
    house.suspend(casino.engine, casino.draw(), by="nomvula", second=second, reason=" evacuation ")
    (entry,) = casino.said("session.suspended")
    role = {"themba": "manager", "kabelo": "crew"}[second]
    assert entry.actor == "manager:nomvula"
    assert entry.data == {
        "by": sorted(["manager:nomvula", f"{role}:{second}"]),
        "reason": "evacuation",
        "authenticated": True,
    }


def test_a_thing_that_is_done_is_not_done_again(casino: Casino) -> None:
    engine, draw = casino.engine, casino.draw()
    with pytest.raises(Refused, match="X_ALREADY_DONE"):
        house.resume(engine, draw, by="nomvula", second="kabelo", reason="all clear")
    house.suspend(engine, draw, by="nomvula", second="kabelo", reason="evacuation")
    with pytest.raises(Refused, match="X_ALREADY_DONE"):
        house.suspend(engine, draw, by="themba", second="kabelo", reason="evacuation")
    house.resume(engine, draw, by="nomvula", second="kabelo", reason="all clear")
    exclude(engine, draw, by="nomvula", second="kabelo", reason="no link")
    with pytest.raises(Refused, match="X_ALREADY_DONE"):
        exclude(engine, draw, by="nomvula", second="kabelo", reason="no link")
    assert [entry.kind for entry in casino.said("session.suspended", "session.resumed", "feed.excluded")] == [
        "session.suspended",
        "session.resumed",
        "feed.excluded",
    ]


def test_a_feed_the_draw_does_not_need_cannot_be_excluded(casino: Casino) -> None:
    with pytest.raises(Refused, match="X_NO_SUCH_FEED"):
        house.exclude_feed(casino.engine, casino.draw(), "bingo-1", by="nomvula", second="kabelo", reason="no link")


def test_nothing_about_a_closed_session_can_be_changed(casino: Casino) -> None:
    casino.finish("14:11")
    draw = casino.draw()
    assert draw.state.closed_at is not None
    for deed in (exclude, house.suspend, house.resume, house.end_early):
        with pytest.raises(Refused, match="SS_OUTSIDE_SESSION"):
            deed(casino.engine, draw, by="nomvula", second="kabelo", reason="too late")


def test_both_are_remembered_over_a_restart(casino: Casino) -> None:
    house.suspend(casino.engine, casino.draw(), by="nomvula", second="kabelo", reason="evacuation")
    exclude(casino.engine, casino.draw(), by="nomvula", second="kabelo", reason="no link")
    casino.restart()
    assert casino.draw().state.suspended
    assert casino.draw().state.excluded_feeds == {"tables-1"}
    house.resume(casino.engine, casino.draw(), by="nomvula", second="kabelo", reason="all clear")
    casino.restart()
    assert not casino.draw().state.suspended
    casino.finish("14:11")


def test_an_exclusion_holds_for_its_own_session_only(casino: Casino) -> None:
    exclude(casino.engine, casino.draw(), by="nomvula", second="kabelo", reason="no link")
    casino.finish("14:26")
    assert casino.draw("second").state.excluded_feeds == set()
    casino.finish("14:41")


def test_a_reason_of_several_lines_stands_in_the_log_as_one(casino: Casino) -> None:
    said = " no link;\r\n  the line\tis cut "
    house.suspend(casino.engine, casino.draw(), by="nomvula", second="kabelo", reason=said)
    assert casino.said("session.suspended")[-1].data["reason"] == "no link; the line is cut"


@pytest.mark.parametrize(("by", "actor"), [("", "engine"), ("bheki", "guest_relations:bheki")])
def test_a_list_is_loaded_by_somebody_or_by_the_engine(casino: Casino, by: str, actor: str) -> None:
    content = b"member,category,from,to,source\n"
    assert house.load_list_by(casino.engine, "exclusions", content, by=by) == 0
    assert casino.said("list.loaded")[-1].actor == actor


def test_a_stranger_loads_no_list(casino: Casino) -> None:
    head = casino.engine.store.head()
    with pytest.raises(Refused, match="X_NO_PERMISSION"):
        house.load_list_by(casino.engine, "exclusions", b"member,category,from,to,source\n", by="stranger")
    assert casino.engine.store.head() == head
    assert casino.clock.now() == jhb("13:56")


def test_the_register_is_not_loaded_from_a_file(casino: Casino) -> None:
    with pytest.raises(Refused, match="X_NO_SUCH_LIST"):
        house.load_list_by(casino.engine, "register", b"member,at,phone\n100001,2023-10-07 13:00,\n", by="bheki")
    assert "register" not in casino.engine.versions


def test_half_a_character_is_no_member_number(casino: Casino) -> None:
    day = date(2023, 10, 7)
    with pytest.raises(Refused, match="X_VALUE_WRONG"):
        house.exclude_guest(casino.engine, "10\ud800", "self_excluded", first=day, last=None, by="bheki")
    assert house.exclude_guest(casino.engine, "100004", "self_excluded", first=day, last=None, by="bheki") == 1


def test_ended_early_it_selects_nobody_any_more_and_cannot_be_resumed(casino: Casino) -> None:
    engine, draw = casino.engine, casino.draw()
    made = len(draw.state.selections)
    house.end_early(engine, draw, by="nomvula", second="kabelo", reason="evacuation")
    with pytest.raises(Refused, match="X_ALREADY_DONE"):
        house.end_early(engine, draw, by="themba", second="kabelo", reason="evacuation")
    with pytest.raises(Refused, match="X_ALREADY_DONE"):
        house.resume(engine, draw, by="nomvula", second="kabelo", reason="all clear")
    engine.load()  # as after a restart
    draw = casino.draw()
    assert draw.state.ended_early
    (reason,) = [
        one for one in selecting.reasons_not_to_select(engine, draw, engine.now()) if one.postpones == "paused"
    ]
    assert (reason.code, "ended by two people" in reason.sentence) == ("SS_SESSION_SUSPENDED", True)
    casino.finish("14:11")  # its end closes it, and both copies verify
    assert len(casino.draw().state.selections) == made
