"""Events are read strictly, and their lines are the journal's bytes."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest
from floor_words import jhb, utc
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine import canonical, event_fields
from draw_engine import floor_events as told
from draw_engine.errors import Refused
from draw_engine.event_lines import JournalBroken, digest, journal_line, read_journal, read_line
from draw_engine.floor_events import admit, positions_of, read_event

AT = "2023-10-07T12:18:05.000Z"
AT_MS = 1_696_681_085_000
HEAD: dict[str, Any] = {"feed": "cms-1", "seq": 17, "at": AT}

# The page's example and one of every other kind, with what each is read as.
KINDS: list[tuple[dict[str, Any], told.FloorEvent]] = [
    (
        {"kind": "card_in", "position": "S-0412", "member": "100001"},
        told.CardIn("cms-1", 17, AT_MS, "S-0412", "100001", None),
    ),
    (
        {"kind": "card_in", "position": "S-0412", "member": "100001", "card": "6001"},
        told.CardIn("cms-1", 17, AT_MS, "S-0412", "100001", "6001"),
    ),
    (
        {"kind": "played", "position": "S-0412", "games": 3, "coin_in": 450},
        told.Played("cms-1", 17, AT_MS, "S-0412", 3, 450),
    ),
    ({"kind": "card_out", "position": "S-0412"}, told.CardOut("cms-1", 17, AT_MS, "S-0412")),
    (
        {"kind": "rating_opened", "position": "BJ-03", "seat": "4", "member": "100003", "average_bet": 20000},
        told.RatingOpened("cms-1", 17, AT_MS, "BJ-03", "4", "100003", 20000),
    ),
    (
        {"kind": "rating_changed", "position": "BJ-03", "seat": 4, "average_bet": 0},
        told.RatingChanged("cms-1", 17, AT_MS, "BJ-03", "4", 0),
    ),
    (
        {"kind": "rating_paused", "position": "BJ-03", "seat": "4"},
        told.RatingPaused("cms-1", 17, AT_MS, "BJ-03", "4"),
    ),
    (
        {"kind": "rating_resumed", "position": "BJ-03", "seat": "4"},
        told.RatingResumed("cms-1", 17, AT_MS, "BJ-03", "4"),
    ),
    (
        {"kind": "rating_closed", "position": "BJ-03", "seat": "4"},
        told.RatingClosed("cms-1", 17, AT_MS, "BJ-03", "4"),
    ),
    ({"kind": "heartbeat"}, told.Heartbeat("cms-1", 17, AT_MS)),
    ({"kind": "snapshot", "sessions": []}, told.Snapshot("cms-1", 17, AT_MS, ())),
    ({"kind": "feed_down", "reason": "no answer"}, told.FeedDown("cms-1", 17, AT_MS, "no answer")),
    ({"kind": "feed_up", "reason": "answers"}, told.FeedUp("cms-1", 17, AT_MS, "answers")),
    ({"kind": "jackpot", "what": {"of": ["it", None, True, 5]}}, told.UnknownKind("cms-1", 17, AT_MS, "jackpot")),
]


@pytest.mark.parametrize(("body", "expected"), KINDS, ids=[f"{n}-{body['kind']}" for n, (body, _) in enumerate(KINDS)])
def test_every_kind_is_read(body: dict[str, Any], expected: told.FloorEvent) -> None:
    assert read_event(HEAD | body) == expected


def test_a_snapshot_gives_what_is_open() -> None:
    sessions = [
        {"position": "S-1", "member": "1", "opened_at": AT},
        {
            "position": "BJ-1",
            "seat": "2",
            "member": "2",
            "card": "c",
            "opened_at": "2023-10-07T12:00:00.001Z",
            "last_play_at": AT,
            "games": 4,
            "coin_in": 900,
            "average_bet": 5000,
            "paused": True,
        },
    ]
    event = read_event(HEAD | {"kind": "snapshot", "sessions": sessions})
    assert isinstance(event, told.Snapshot)
    assert event.sessions == (
        told.SnapshotSession("S-1", None, "1", None, AT_MS, None, 0, 0, None, paused=False),
        told.SnapshotSession("BJ-1", "2", "2", "c", jhb("2023-10-07 14:00:00.001"), AT_MS, 4, 900, 5000, paused=True),
    )
    assert positions_of(event) == ("S-1", "BJ-1")


CARD_IN = HEAD | {"kind": "card_in", "position": "S-1", "member": "1"}
PLAYED = HEAD | {"kind": "played", "position": "S-1", "games": 1, "coin_in": 1}
SESSION = {"position": "S-1", "member": "1", "opened_at": AT}


def snapshot(**changed: Any) -> dict[str, Any]:
    return HEAD | {"kind": "snapshot", "sessions": [SESSION | changed]}


INVALID: dict[str, Any] = {
    "no object": [],
    "no seq": {key: value for key, value in CARD_IN.items() if key != "seq"},
    "no position": {key: value for key, value in CARD_IN.items() if key != "position"},
    "seq true": CARD_IN | {"seq": True},
    "seq text": CARD_IN | {"seq": "17"},
    "seq negative": CARD_IN | {"seq": -1},
    "seq too large": CARD_IN | {"seq": 2**53},
    "seq with a fraction": CARD_IN | {"seq": 17.0},
    "feed empty": CARD_IN | {"feed": ""},
    "feed with a space": CARD_IN | {"feed": "cms 1"},
    "feed a number": CARD_IN | {"feed": 1},
    "kind a number": CARD_IN | {"kind": 1},
    "kind a list": CARD_IN | {"kind": []},
    "at without milliseconds": CARD_IN | {"at": "2023-10-07T12:18:05Z"},
    "at with an offset": CARD_IN | {"at": "2023-10-07T12:18:05.000+02:00"},
    "at on 30 February": CARD_IN | {"at": "2023-02-30T12:18:05.000Z"},
    "at in second 60": CARD_IN | {"at": "2023-10-07T12:18:60.000Z"},
    "at in hour 24": CARD_IN | {"at": "2023-10-07T24:00:00.000Z"},
    "at in other digits": CARD_IN | {"at": "2023-10-07T12:18:0\u0665.000Z"},
    "at a number": CARD_IN | {"at": AT_MS},
    "position too long": CARD_IN | {"position": "S" * 112},
    "position with a line end": CARD_IN | {"position": "S-1\n"},
    "member empty": CARD_IN | {"member": ""},
    "member too long": CARD_IN | {"member": "1" * 129},
    "member with a tab": CARD_IN | {"member": "1\t2"},
    "member half a character": CARD_IN | {"member": "\ud800"},
    "member a number": CARD_IN | {"member": 100001},
    "card null": CARD_IN | {"card": None},
    "another member": CARD_IN | {"membr": "1"},
    "games with a fraction": PLAYED | {"games": 1.5},
    "games true": PLAYED | {"games": True},
    "games negative": PLAYED | {"games": -1},
    "coin in missing": {key: value for key, value in PLAYED.items() if key != "coin_in"},
    "coin in too large": PLAYED | {"coin_in": 2**53},
    "seat null": HEAD | {"kind": "rating_paused", "position": "BJ-1", "seat": None},
    "seat with a slash": HEAD | {"kind": "rating_paused", "position": "BJ-1", "seat": "1/2"},
    "seat true": HEAD | {"kind": "rating_paused", "position": "BJ-1", "seat": True},
    "average bet a text": HEAD | {"kind": "rating_changed", "position": "BJ-1", "seat": "1", "average_bet": "R5"},
    "no reason": HEAD | {"kind": "feed_down"},
    "reason empty": HEAD | {"kind": "feed_down", "reason": ""},
    "sessions missing": HEAD | {"kind": "snapshot"},
    "sessions no list": HEAD | {"kind": "snapshot", "sessions": {}},
    "a session no object": HEAD | {"kind": "snapshot", "sessions": ["S-1"]},
    "a position twice": HEAD | {"kind": "snapshot", "sessions": [SESSION, SESSION]},
    "a session without opening": snapshot(opened_at=None),
    "opened after the snapshot": snapshot(opened_at="2023-10-07T12:18:05.001Z"),
    "played after the snapshot": snapshot(last_play_at="2023-10-07T12:18:05.001Z"),
    "paused a text": snapshot(paused="no"),
    "paused a number": snapshot(paused=0),
    "another member of a session": snapshot(touched_at=AT),
    "games of a session": snapshot(games=-1),
    "an unknown kind with a fraction": HEAD | {"kind": "jackpot", "amount": 1.5},
    "an unknown kind with half a character": HEAD | {"kind": "jackpot", "who": "\udfff"},
}


@pytest.mark.parametrize("value", INVALID.values(), ids=INVALID.keys())
def test_what_is_not_on_the_page_is_refused(value: Any) -> None:
    with pytest.raises(Refused) as refusal:
        read_event(value)
    assert refusal.value.code == "X_EVENT_INVALID"


def test_a_refusal_does_not_repeat_what_the_event_holds() -> None:
    for value in (
        {"member": "4111-secret\n"},
        {"card": "4111-secret\n"},
        {"4111-secret": 1},
        {"position": "4111 secret"},
    ):
        with pytest.raises(Refused) as refusal:
            read_event(CARD_IN | value)
        assert "4111" not in str(refusal.value)


def test_a_number_is_read_in_nfc() -> None:
    event = read_event(CARD_IN | {"member": "A\u0308-1", "card": "A\u0308"})
    assert isinstance(event, told.CardIn)
    assert (event.member, event.card) == ("\u00c4-1", "\u00c4")


@given(st.integers(-(10**13), 4 * 10**13))
@settings(max_examples=25)
def test_times_are_read_as_the_record_reads_them(at: int) -> None:
    text = utc(at)
    if len(text) == 24:
        assert event_fields.time(text, "at") == at == canonical.parse_time(text)


@given(st.text("0123456789-T:.Z ", min_size=20, max_size=26) | st.from_regex(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"))
@settings(max_examples=25)
def test_a_time_is_refused_exactly_when_the_record_refuses_it(text: str) -> None:
    try:
        expected = canonical.parse_time(text)
    except ValueError:
        with pytest.raises(Refused):
            event_fields.time(text, "at")
    else:
        assert event_fields.time(text, "at") == expected


def admitted(value: dict[str, Any], *, feed: str = "cms-1", now: int = AT_MS, owners: Any = ()) -> None:
    admit(read_event(value), feed=feed, now=now, owner=dict(owners).get)


def test_a_clock_may_be_two_seconds_ahead() -> None:
    admitted(CARD_IN, now=AT_MS - 2_000)
    with pytest.raises(Refused, match=r"X_CLOCK_AHEAD.*2001 ms ahead"):
        admitted(CARD_IN, now=AT_MS - 2_001)


def test_a_token_speaks_for_its_own_feed() -> None:
    with pytest.raises(Refused, match="X_WRONG_FEED"):
        admitted(CARD_IN, feed="cms-2")


def test_a_position_belongs_to_one_feed() -> None:
    admitted(CARD_IN, owners={"S-1": "cms-1"})
    for value in (CARD_IN, snapshot()):
        with pytest.raises(Refused, match="X_POSITION_OTHER_FEED"):
            admitted(value, owners={"S-1": "cms-2"})


@pytest.mark.parametrize(
    "line", [b"", b"{", b"\xff{}", b'{"a":1,"a":2}', b"[" * 100_000, b'{"a":' + b"9" * 5000 + b"}"]
)
def test_what_is_not_json_is_unreadable(line: bytes) -> None:
    with pytest.raises(Refused) as refusal:
        read_line(line)
    assert refusal.value.code == "X_EVENT_UNREADABLE"


def nested(levels: int) -> bytes:
    """An event of an unknown kind, itself the first of so many levels."""
    arrays = levels - 1
    event = json.dumps(HEAD | {"kind": "jackpot", "in": 0})
    return event.replace('"in": 0', f'"in": {"[" * arrays}1{"]" * arrays}').encode()


def at_depth(frames: int, act: Any) -> Any:
    """What `act` gives when it is called this much deeper in the stack."""
    return act() if frames == 0 else at_depth(frames - 1, act)


def test_what_is_kept_can_be_read_again_from_any_stack() -> None:
    """One line that a start cannot read, deeper in its stack than the intake was, would stop every start."""
    kept = read_line(nested(32))
    read_event(kept)
    line = journal_line(kept, AT_MS)
    assert at_depth(500, lambda: list(read_journal(line))) == [(kept, AT_MS)]
    for levels in (34, 500, 900):
        with pytest.raises(Refused, match="X_EVENT_INVALID"):
            read_event(read_line(nested(levels)))


# -- lines of the journal ------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
EVENTS = st.dictionaries(
    st.text("abcxyz_09", min_size=1, max_size=6),
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXTS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abz", max_size=2), inner, max_size=3),
        max_leaves=5,
    ),
    max_size=5,
)


@given(EVENTS, st.integers(0, 4 * 10**12))
@settings(max_examples=25)
def test_a_line_is_the_canonical_bytes(event: dict[str, Any], received_at: int) -> None:
    line = journal_line(event, received_at)
    assert line == canonical.jcs({"event": event, "received_at": utc(received_at)}) + b"\n"
    assert digest(event) == sha256(canonical.jcs(event)).digest()
    assert list(read_journal(line * 2)) == [(event, received_at)] * 2


LINE = journal_line(CARD_IN, AT_MS)


def test_a_journal_gives_back_what_was_heard() -> None:
    more = LINE + journal_line(PLAYED, AT_MS + 7)
    assert list(read_journal(more)) == [(CARD_IN, AT_MS), (PLAYED, AT_MS + 7)]
    assert list(read_journal(b"")) == []


BROKEN = {
    "no end": LINE + LINE[:-1],
    "an empty line": LINE + b"\n" + LINE,
    "spaces": LINE + json.dumps(json.loads(LINE)).encode() + b"\n",
    "other members": LINE + canonical.jcs({"event": {}, "received_at": AT, "x": 1}) + b"\n",
    "no event": LINE + canonical.jcs({"event": [], "received_at": AT}) + b"\n",
    "no time": LINE + canonical.jcs({"event": {}, "received_at": 5}) + b"\n",
    "a fraction": LINE + LINE.replace(b"17", b"17.5"),
    "minus nought": LINE + LINE.replace(b"17", b"-0"),
    "not a number": LINE + LINE.replace(b"17", b"NaN"),
    "not an object": LINE + b"[]\n",
    "not UTF-8": LINE + b"\xff\n",
    "too deep": LINE + b"[" * 100_000 + b"\n",
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_line_of_the_journal_is_named(data: bytes) -> None:
    lines = read_journal(data)
    assert next(lines) == (CARD_IN, AT_MS)
    with pytest.raises(JournalBroken, match="line 2 "):
        list(lines)
