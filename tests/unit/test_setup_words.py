"""What the rule books' page works out: lines beside the locked ones, the crew's load, a floor on another day, words."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draw_engine.canonical import format_time, parse_time
from kiosk.rehearsal.figures import crew_load
from kiosk.rehearsal.floors import moved, offered
from kiosk.setup.view import compared
from kiosk.setup.words import ENGLISH

KIOSK = Path(__file__).parents[2] / "kiosk"
MINUTE = 60_000


def marks(new, old):
    return [(row["mark"], row["text"], row["was"]) for row in compared(new, old)]


def test_without_a_locked_book_nothing_is_marked():
    assert marks(["Days: 10", "  October"], None) == [("", "Days: 10", ""), ("", "October", "")]


def test_what_differs_is_marked_with_what_it_was():
    old = ["Held prizes: 15 days", "  an alarm", "  seconds = 90 (line 63)", "gone for good"]
    new = ["Held prizes: 30 days", "  an alarm", "  seconds = 90 (line 70)"]
    assert marks(new, old) == [
        ("changed", "Held prizes: 30 days", "Held prizes: 15 days"),
        ("", "an alarm", ""),
        ("", "seconds = 90 (line 70)", ""),  # that it stands on another line means nothing
        ("gone", "gone for good", ""),
    ]
    assert marks(["a", "b"], ["a"]) == [("", "a", ""), ("new", "b", "")]


LINES = st.lists(st.sampled_from(["A", "B", "  c", "  d", "  e"]), max_size=12)


@given(new=LINES, old=LINES)
def test_both_books_can_be_read_back(new, old):
    rows = compared(new, old)
    bare = [line.strip() for line in new]
    assert [row["text"] for row in rows if row["mark"] != "gone"] == bare
    before = [row["was"] if row["mark"] == "changed" else row["text"] for row in rows if row["mark"] != "new"]
    assert before == [line.strip() for line in old]


def test_crew_load_by_hand():
    """0:10 to 1:10, 0:50 to 2:00, 0:55 to 1:00: three at 0:55, two in minute 1, the second one to the end of it."""
    spans = [(10_000, 70_000), (50_000, 120_000), (55_000, 60_000)]
    assert crew_load(spans, 0) == [3, 2]
    assert crew_load([], 0) == []
    assert crew_load([(5_000, 5_000)], 0) == []
    assert crew_load([(3 * MINUTE, 3 * MINUTE + 1)], MINUTE) == [0, 0, 1]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 30)), max_size=12))
def test_crew_load_is_what_counting_every_instant_gives(made):
    spans = [(first * 7_000, (first + length) * 7_000) for first, length in made]
    instants = sorted({at for span in spans for at in span} | {m * MINUTE for m in range(10)})
    counted = {}
    for at in instants:
        running = sum(1 for first, last in spans if first <= at < last)
        counted[at // MINUTE] = max(counted.get(at // MINUTE, 0), running)
    last = max((minute for minute, claims in counted.items() if claims), default=-1)
    assert crew_load(spans, 0) == [counted[minute] for minute in range(last + 1)]


def test_a_floor_is_moved_whole():
    week = 7 * 86_400_000
    event = {
        "feed": "slots-1",
        "seq": 4,
        "at": "2023-10-07T12:00:00.123Z",
        "kind": "snapshot",
        "sessions": [
            {"position": "S-1", "opened_at": "2023-10-07T11:00:00.000Z", "last_play_at": None},
            {"position": "S-2", "opened_at": "2023-10-07T11:30:00.000Z", "last_play_at": "2023-10-07T11:59:00.000Z"},
        ],
    }
    (told,) = moved(iter([event]), week)
    assert told == {
        **event,
        "at": "2023-10-14T12:00:00.123Z",
        "sessions": [
            {"position": "S-1", "opened_at": "2023-10-14T11:00:00.000Z", "last_play_at": None},
            {"position": "S-2", "opened_at": "2023-10-14T11:30:00.000Z", "last_play_at": "2023-10-14T11:59:00.000Z"},
        ],
    }
    assert format_time(parse_time(event["at"])) == event["at"]  # and the one it was made from is as it was


def test_floors_on_offer(tmp_path):
    journal, floors = tmp_path / "journal", tmp_path / "floors"
    assert [floor.kind for floor in offered(journal, floors)] == ["made", "made"]
    journal.mkdir()
    for name, content in {
        "2023-10-07-1.jsonl.gz": b"x" * 9,
        "2023-10-14-1.jsonl": b"x" * 5,
        "2023-10-21-1.jsonl": b"",
        "2023-10-14-1.floor": b"kept",
        "readme.jsonl": b"x",
    }.items():
        (journal / name).write_bytes(content)
    for name, file in (("saturday", "events.jsonl"), ("empty", "notes.txt"), (".hidden", "events.jsonl")):
        (floors / name).mkdir(parents=True)
        (floors / name / file).touch()
    told = [(floor.id, str(floor.day), floor.bytes) for floor in offered(journal, floors)]
    assert told[:3] == [
        ("day:2023-10-14-1", "2023-10-14", 5),
        ("day:2023-10-07-1", "2023-10-07", 9),
        ("folder:saturday", "None", 0),
    ]


@pytest.mark.parametrize("room", ["static", "templates"])
def test_the_page_has_every_word_it_says(room):
    """And says none that a person could read in the script."""
    files = sorted((KIOSK / room).glob("setup*.js")) or [KIOSK / room / "setup.html"]
    text = "\n".join(file.read_text() for file in files)
    keys = set(re.findall(r'say\("([a-z_]+)"', text)) | set(re.findall(r"words\.([a-z_]+)", text))
    keys -= {"js"}  # a file's name
    missing = {key for key in keys if f"page.setup.{key}" not in ENGLISH and f"page.setup.{key}_one" not in ENGLISH}
    assert not missing
