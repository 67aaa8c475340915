"""The screens' messages, the words in them, and the push."""

from __future__ import annotations

import json
import logging
import re
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import kiosk.console.claims  # noqa: F401 - it enters the console's further words
from draw_engine.errors import RuleBroken
from kiosk.sign_in.words import for_every_page
from web_display import screens
from web_display.catalogue import ENGLISH, LANGUAGES, page_words, say
from web_display.console_messages import ConsoleSnapshot, DrawLine, PartMark, SessionPart
from web_display.messages import Ended, NextSession, RecentWinner, RunningSession, ScreenClaim, ScreenSnapshot, Won
from web_display.push import Pusher, Room

ZONE = "Africa/Johannesburg"
# 2023-10-07T12:18:05Z, a Saturday; 14:18:05 in Johannesburg (UTC+2, no daylight saving).
NOW = 1_696_681_085_000


def snapshot(**more: object) -> ScreenSnapshot:
    plain = ScreenSnapshot(
        server_now=NOW,
        utc_offset_minutes=120,
        property_name="Silverstar",
        promotion_title="Playtime Bonus Jackpots",
        statutory_line="No persons under 18.",
    )
    return replace(plain, **more)


class TestWords:
    @pytest.mark.parametrize(
        ("cents", "text"),
        [
            (0, "R\u00a00"),
            (85_000, "R\u00a0850"),
            (100_000, "R\u00a01\u00a0000"),
            (5_000_000, "R\u00a050\u00a0000"),
            (123_456_789, "R\u00a01\u00a0234\u00a0567.89"),
            (50_005, "R\u00a0500.05"),
        ],
    )
    def test_money_breaks_nowhere(self, cents, text):
        assert screens.money(cents) == text

    def test_a_currency_without_a_sign_of_its_own_is_named(self):
        assert screens.money(100_000, "BWP") == "BWP\u00a01\u00a0000"

    def test_times_are_the_propertys(self):
        assert screens.time_text(NOW, ZONE) == "14:18"
        assert screens.time_text_seconds(NOW, ZONE) == "14:18:05"
        assert screens.utc_offset_minutes(NOW, ZONE) == 120

    def test_a_zone_with_summer_time(self):
        assert screens.utc_offset_minutes(NOW, "America/New_York") == -240
        assert screens.utc_offset_minutes(NOW + 60 * 86_400_000, "America/New_York") == -300

    def test_another_day_is_named(self):
        assert screens.starts_text(NOW + 3_600_000, NOW, ZONE) == "15:18"
        assert screens.starts_text(NOW + 7 * 86_400_000, NOW, ZONE) == "Saturday 14 October, 14:18"

    def test_a_late_start_is_today_until_midnight_at_the_property(self):
        to_midnight = (9 * 3600 + 41 * 60 + 55) * 1000
        assert screens.starts_text(NOW + to_midnight - 1, NOW, ZONE) == "23:59"
        assert screens.starts_text(NOW + to_midnight, NOW, ZONE) == "Sunday 8 October, 00:00"

    @pytest.mark.parametrize(
        ("first", "last", "called"),
        [
            ("Thandi", "Mokoena", "Thandi M."),
            ("Pieter", "van Wyk", "Pieter W."),
            ("Anna Maria", "de la Rey", "Anna Maria R."),
            ("Pieter", "Van Wyk", "Pieter V."),
            ("Šárka", "łoś", "Šárka Ł."),
            ("  Johan ", " Botha ", "Johan B."),
            ("Johan", "", "Johan"),
            ("", "Botha", "B."),
        ],
    )
    def test_first_name_and_initial(self, first, last, called):
        assert screens.called_name(first, last) == called

    @pytest.mark.parametrize(
        ("form", "shown", "called", "digits"),
        [
            ("first_initial_last4", "Thandi M. ···1001", "Thandi M.", "1001"),
            ("first_initial", "Thandi M.", "Thandi M.", ""),
            ("first_last", "Thandi Mokoena", "Thandi Mokoena", ""),
            ("full_name", "Thandi Mokoena", "Thandi Mokoena", ""),
            ("first_last4", "Thandi ···1001", "Thandi", "1001"),
            ("last4", "···1001", "···1001", ""),
        ],
    )
    def test_the_rule_books_forms_of_a_name(self, form, shown, called, digits):
        assert screens.screen_name(form, "Thandi", "Mokoena", "1001") == shown
        assert screens.spoken_name(form, "Thandi", "Mokoena", "1001") == called
        assert screens.shown_digits(form, "1001") == digits

    def test_an_unknown_form_shows_nobody(self):
        with pytest.raises(RuleBroken):
            screens.screen_name("everything", "Thandi", "Mokoena", "1001")

    def test_last_four_are_the_cards_then_the_members(self):
        assert screens.last_four("6001001", "100002") == "1001"
        assert screens.last_four(None, "100002") == "0002"
        assert screens.last_four("", "100002") == "0002"

    def test_prize_and_audience(self):
        assert screens.prize_text(35, 50_000, 100_000) == "35 envelopes, R\u00a0500 to R\u00a01\u00a0000 each."
        assert screens.prize_text(1, 50_000, 100_000) == "1 envelope, R\u00a0500 to R\u00a01\u00a0000."
        assert screens.prize_text(2, 50_000, 50_000) == "2 envelopes of R\u00a0500 each."
        assert screens.who_text(["Black", "Platinum", "Gold"]) == "For Black, Platinum and Gold."
        assert screens.who_text(["Gold"]) == "For Gold."
        assert screens.who_text([]) == ""

    @pytest.mark.parametrize(
        ("title", "short"),
        [
            ("Playtime Bonus Jackpots, session 2", "Session 2"),
            ("Playtime Bonus Jackpots", "Playtime Bonus Jackpots"),
            ("Electronic draw", "Electronic draw"),
        ],
    )
    def test_a_session_is_called_by_its_short_title(self, title, short):
        assert screens.short_title(title, "Playtime Bonus Jackpots") == short

    def test_a_session_never_says_when(self):
        assert screens.session_sentence(12, "16:00") == "A winner may be selected at any moment until 16:00."
        assert screens.session_sentence(0, "16:00") == "Every selection of this session has been made."

    def test_nothing_on_a_floor_screen_urges(self):
        floor = [text for key, text in ENGLISH.items() if not key.startswith(("page.console", "headline", "feed"))]
        for urging in ("soon", "next winner", "play now", "hurry", "chance", "lucky", "!"):
            assert not [text for text in floor if urging in text.casefold()]

    def test_a_day_in_words(self):
        assert screens.day_part("Session 1", "14:00", won=33, held=2).caption == "Session 1: 33 won, 2 held"
        assert screens.day_part("Session 2", "18:00", to_come=35).caption == "Session 2: 35 to come"

    def test_a_hash_for_the_eye(self):
        full = "dc3782eb" + "00" * 24 + "3f059e12"
        assert screens.hash_short(full) == "dc37 82eb … 3f05 9e12"

    def test_every_mark_and_feed_state_has_its_words(self):
        for kind in ("confirmed", "held", "announced", "with_crew", "ended"):
            assert "15" in screens.mark_sentence(kind, 12, 15)
        for state in ("up", "stale", "behind", "down", "unsure", "unheard", "excluded"):
            assert screens.feed_sentence("slots-1", state, NOW, ZONE).startswith("slots-1")
        assert screens.feed_sentence("tables-1", "stale", NOW, ZONE) == "tables-1 has sent nothing since 14:18:05."

    def test_page_words_are_whole(self):
        assert page_words("screen")["reconnecting"] == "Reconnecting"
        assert "exclude_feed" in page_words("console")
        assert not page_words("nothing")

    def test_plurals_take_their_own_form(self):
        assert say("page.screen.winners", n=1) == "winner so\u00a0far\u00a0today"
        assert say("page.screen.winners", n=2) == "winners so\u00a0far\u00a0today"

    @pytest.mark.parametrize(
        ("state", "line"),
        [
            ({"ready": True, "suspended": False, "running": True}, "Selections can be made"),
            ({"ready": False, "suspended": False, "running": True}, "Selections are postponed"),
            ({"ready": True, "suspended": True, "running": True}, "The session is suspended"),
            ({"ready": True, "suspended": False, "running": False}, "No session is open"),
        ],
    )
    def test_the_consoles_line_says_whether_it_can_select(self, state, line):
        assert screens.headline(**state) == line


TOP = Path(__file__).resolve().parents[2]


def _bundled(script: Path) -> dict[Path, str]:
    """A page's script and all it imports from here."""
    found: dict[Path, str] = {}
    todo = [script.resolve()]
    while todo:
        path = todo.pop()
        if path not in found:
            found[path] = path.read_text()
            todo += [(path.parent / name).resolve() for name in re.findall(r'from "(\.[^"]*)"', found[path])]
    return found


class TestPages:
    """What the pages ask of the catalogue is there, and they keep to the policy that forbids anything inline."""

    def test_every_language_says_everything(self):
        places = re.compile(r"\{\w+\}")
        english = LANGUAGES["en"]
        assert ENGLISH.items() <= english.items()
        for words in LANGUAGES.values():
            assert words.keys() == english.keys()
            for key, text in words.items():
                assert sorted(places.findall(text)) == sorted(places.findall(english[key])), key

    @pytest.mark.parametrize(("page", "room"), [("screen", "web_display"), ("console", "kiosk")])
    def test_every_word_a_script_says_is_known(self, page, room):
        scripts = _bundled(TOP / room / "static" / f"{page}.js")
        said = {key for script in scripts.values() for key in re.findall(r'say\("([a-z_]+)"', script)}
        assert said
        assert said <= page_words(page).keys()

    @pytest.mark.parametrize(("page", "room"), [("screen", "web_display"), ("console", "kiosk")])
    def test_a_page_needs_nothing_else_and_has_nothing_inline(self, page, room):
        strict = Environment(
            loader=FileSystemLoader(TOP / room / "templates"), undefined=StrictUndefined, autoescape=True
        )
        html = strict.get_template(f"{page}.html").render(
            assets="/a",
            screen="hall",
            property_name="S & S",
            promotion_title="<P>",
            words=page_words(page),
            me={"id": "nomvula", "name": "<Nomvula>", "role": "manager"},
            **for_every_page(),
        )
        assert not re.search(r"<P>|<Nomvula>", html)
        assert not re.search(r"<style|<script(?![^>]*\ssrc=)|\sstyle=|\son[a-z]+=", html)
        data = re.search(r'data-words="([^"]*)"', html)
        assert data
        assert "Reconnecting" in data[1]


def claim(ident: str, name: str) -> ScreenClaim:
    return ScreenClaim(ident, name, "Promotions Stage", NOW, NOW + 90_000)


class TestCollisions:
    def test_two_of_one_name_are_both_marked(self):
        claims = [claim("c1", "Thandi M. ···1001"), claim("c2", "Pieter W. ···8830"), claim("c3", "thandi  M. ···2002")]
        assert [c.collision for c in screens.mark_collisions(claims)] == [True, False, True]

    def test_somebody_on_the_floor_counts_too(self):
        claims = [claim("c1", "Thandi M. ···1001"), claim("c2", "Pieter W. ···8830")]
        marked = screens.mark_collisions(claims, others=["Pieter W.", "Sipho D."])
        assert [c.collision for c in marked] == [False, True]

    def test_a_mark_goes_when_its_reason_goes(self):
        marked = replace(claim("c1", "Thandi M. ···1001"), collision=True)
        assert not screens.mark_collisions([marked])[0].collision


class TestShapes:
    def test_a_screen_message_is_json_and_names_exactly_its_fields(self):
        full = snapshot(
            next_session=NextSession("Session 2", NOW, "18:00", 35, "p", "w"),
            session=RunningSession("Session 1", NOW, "16:00", 35, 12, "s"),
            claims=(claim("c1", "Thandi M. ···1001"),),
            recent=(RecentWinner("Sipho D. ···4417", "R\u00a0850"),),
            won=Won("c9", "Thandi M.", "1001", "R\u00a0850", NOW),
            ended=(Ended("c8", "Johan B. ···2096", NOW),),
            day=(screens.day_part("Session 1", "14:00", won=1),),
        )
        message = json.loads(json.dumps(full.as_json()))
        assert message == full.as_json()
        assert set(message) == {
            "version", "server_now", "utc_offset_minutes", "property_name", "promotion_title", "statutory_line",
            "demo", "next_session", "session", "claims", "recent", "won", "ended", "taken_back", "winners_today", "day",
            "suspended", "suspended_sentence",
        }  # fmt: skip
        # What a guest may never read: an amount on a running claim, a moment to come, a reason, a name of staff.
        assert set(message["claims"][0]) == {"id", "name", "place", "announced_at", "deadline_at", "collision"}
        assert set(message["session"]) == {
            "title", "ends_at", "ends_text", "awards", "to_come", "sentence", "prize_text", "who_text",
        }  # fmt: skip
        assert message["version"] == 1

    def test_nothing_is_null_but_what_may_be(self):
        message = snapshot().as_json()
        assert {name for name, value in message.items() if value is None} == {"next_session", "session", "won"}
        assert message["claims"] == []

    def test_a_part_that_has_not_begun_carries_no_selection(self):
        mark = PartMark("with_crew", 14, "s")
        assert SessionPart(14, "14:41", "now", (mark,)).marks == (mark,)
        with pytest.raises(RuleBroken):
            SessionPart(14, "14:41", "to_come", (mark,))

    def test_a_console_message_is_json(self):
        full = ConsoleSnapshot(
            server_now=NOW,
            utc_offset_minutes=120,
            property_name="Silverstar",
            promotion_title="Playtime",
            headline="Selections can be made",
            ready=True,
            draws=(DrawLine("d1", "Session 1", "closed", {"record.json": "/draws/d1/record.json"}),),
        )
        message = json.loads(json.dumps(full.as_json()))
        assert message["draws"][0]["records"] == {"record.json": "/draws/d1/record.json"}
        assert message["counts"] == {
            "confirmed": 0, "held": 0, "announced": 0, "with_crew": 0, "ended": 0, "to_come": 0,
        }  # fmt: skip


HALL = Room("/screens", "hall")
BAR = Room("/screens", "bar")
CONSOLE = Room("/console", "console")


class Sent:
    """An emitter that keeps what it was given; `hold` makes it wait until `release` is set."""

    def __init__(self) -> None:
        self.all: list[tuple[str, dict, str, str]] = []
        self.arrived = threading.Condition()
        self.release = threading.Event()
        self.release.set()
        self.entered = threading.Event()

    def __call__(self, event, data, *, namespace, room):
        self.entered.set()
        assert self.release.wait(5)
        with self.arrived:
            self.all.append((event, dict(data), namespace, room))
            self.arrived.notify_all()

    def wait_for(self, count: int) -> None:
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.all) >= count, 3), f"{len(self.all)} of {count} sent"

    def to(self, room: str) -> list[dict]:
        return [data for _, data, _, name in self.all if name == room]


class Floor:
    """A state with a clock of its own, and the producers that read it."""

    def __init__(self) -> None:
        self.now = NOW
        self.state = 0
        self.built = 0
        self.fail = 0
        self.looked = threading.Condition()

    def message(self) -> dict:
        with self.looked:
            self.built += 1
            self.looked.notify_all()
        self.now += 1
        if self.fail:
            self.fail -= 1
            raise ValueError("Thandi Mokoena")
        return {"server_now": self.now, "state": self.state}


@pytest.fixture
def floor():
    return Floor()


@pytest.fixture
def sent():
    return Sent()


@pytest.fixture
def pusher(floor, sent):
    made = Pusher(sent, {HALL: floor.message, CONSOLE: floor.message}, retry_after=0.01)
    made.start()
    sent.wait_for(2)
    yield made
    sent.release.set()
    made.stop()


class TestPusher:
    def test_a_change_goes_to_every_room_whole(self, pusher, floor, sent):
        floor.state = 1
        pusher.changed()
        sent.wait_for(4)
        assert [(event, data["state"], space, room) for event, data, space, room in sent.all[2:]] == [
            ("snapshot", 1, "/screens", "hall"),
            ("snapshot", 1, "/console", "console"),
        ]

    def test_a_change_can_name_its_rooms(self, pusher, floor, sent):
        floor.state = 1
        pusher.changed(CONSOLE, BAR)
        sent.wait_for(3)
        floor.state = 2
        pusher.changed()
        sent.wait_for(5)
        assert [data["state"] for data in sent.to("hall")] == [0, 2]

    def test_what_says_nothing_new_is_not_sent_again(self, pusher, floor, sent):
        pusher.changed()
        with floor.looked:
            assert floor.looked.wait_for(lambda: floor.built >= 4, 3)
        floor.state = 1
        pusher.changed()
        sent.wait_for(4)
        assert [data["state"] for data in sent.to("hall")] == [0, 1]

    def test_the_engine_never_waits_and_a_busy_room_gets_the_newest(self, pusher, floor, sent):
        sent.release.clear()
        sent.entered.clear()
        floor.state = 1
        pusher.changed()
        assert sent.entered.wait(3)
        for state in range(2, 50):  # returns at once each time although the emitter stands still
            floor.state = state
            pusher.changed()
        sent.release.set()
        sent.wait_for(5)
        pusher.stop()
        seen = [data["state"] for data in sent.to("hall")]
        assert seen[0] == 0
        assert seen[-1] == 49
        assert len(seen) <= 4

    def test_who_connects_gets_the_present_state_alone(self, pusher, floor, sent):
        floor.state = 7
        assert pusher.greet(HALL, "sid-1")
        sent.wait_for(3)
        assert sent.all[2][0] == "snapshot"
        assert sent.all[2][1]["state"] == 7
        assert sent.all[2][2:] == ("/screens", "sid-1")

    def test_who_connects_to_no_room_is_told(self, pusher):
        assert not pusher.greet(BAR, "sid-1")

    def test_a_crowd_that_connects_at_once_costs_one_message(self, pusher, floor, sent):
        sent.release.clear()
        sent.entered.clear()
        pusher.greet(HALL, "first")
        assert sent.entered.wait(3)
        built = floor.built
        for n in range(50):
            pusher.greet(HALL, f"sid-{n}")
        sent.release.set()
        sent.wait_for(2 + 51)
        assert floor.built == built + 1

    def test_one_rooms_trouble_is_tried_again_and_names_nobody(self, pusher, floor, sent, caplog):
        floor.fail = 1
        floor.state = 1
        with caplog.at_level(logging.ERROR):
            pusher.changed()
            sent.wait_for(4)
        assert {room for _, data, _, room in sent.all if data["state"] == 1} == {"hall", "console"}
        assert "ValueError" in caplog.text
        assert "Mokoena" not in caplog.text

    def test_a_greeting_that_failed_reaches_them_with_the_room(self, pusher, floor, sent):
        floor.fail = 1
        pusher.greet(HALL, "sid-1")
        sent.wait_for(3)
        assert sent.all[2][3] == "hall"

    def test_a_quiet_rooms_clock_is_set_again_now_and_then(self, floor, sent):
        floor_pusher = Pusher(sent, {HALL: floor.message}, again_after=0.01)
        floor_pusher.start()
        sent.wait_for(1)
        floor.now += 10
        sent.wait_for(2)
        floor_pusher.stop()
        assert sent.all[0][1]["state"] == sent.all[1][1]["state"]

    def test_after_the_stop_nothing_goes_out(self, pusher, floor, sent):
        pusher.stop()
        floor.state = 9
        pusher.changed()
        pusher.greet(HALL, "sid-1")
        assert 9 not in [data["state"] for _, data, _, _ in sent.all]
