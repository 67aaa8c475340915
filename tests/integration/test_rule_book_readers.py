"""Both readers of a rule book agree on sound books, and spoilt ones give a list of faults, never an accident."""

from datetime import date

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.rule_book_faults import RuleBookFaults, check, report
from draw_engine.rule_book_toml import read

ids = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,20}", fullmatch=True)
words = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=20)


def toml(value):
    """A value as TOML writes it; the tests' own writer."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return '"' + "".join(c if c.isalnum() or c in " -_:." else f"\\U{ord(c):08X}" for c in value) + '"'
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return "{ " + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + " }"


@st.composite
def books(draw):
    """Sound books of many shapes: up to four sessions in two groups, over midnight too."""
    number = draw(st.integers(1, 4))
    begins = draw(st.integers(0, 23))
    tiers, zones = (draw(st.lists(words, min_size=1, max_size=3, unique=True)) for _ in range(2))
    groups = draw(
        st.lists(ids.filter(lambda i: i not in ("day", "draw", "promotion")), min_size=1, max_size=2, unique=True)
    )
    names = draw(st.lists(ids, min_size=number, max_size=number, unique=True))
    used = [groups[n % len(groups)] for n in range(number)]
    groups = [group for group in groups if group in used]
    hour = [f"{(begins + n * 5 + 1) % 24:02d}:{draw(st.integers(0, 59)):02d}" for n in range(number)]
    end = [f"{(begins + n * 5 + draw(st.integers(2, 4))) % 24:02d}:59" for n in range(number)]
    bound = draw(st.lists(st.integers(1, 2**53 - 1), min_size=2, max_size=2).map(sorted))
    answer = draw(st.sampled_from(["hold", "reselect"]))
    plans = [
        {
            "id": names[n],
            "kind": "session",
            "group": used[n],
            "title": draw(words),
            "awards": draw(st.integers(1, 50)),
            "from": hour[n],
            "to": end[n],
            "opens_before_minutes": draw(st.integers(0, 60)),
            "source": {"type": "active_players", "needs": ["slots", "tables"][: draw(st.integers(1, 2))]},
            "criteria": [{"game": "slot", "measure": "minutes", "min": 1, "max": 9, "tiers": tiers[:1]}][
                : draw(st.integers(0, 1))
            ],
            "plan": {"type": "spread"},
            "pool": {"type": "rebuild", "after_end": draw(st.sampled_from(["last_pool", "carry"]))},
            "lateness_ms": draw(st.integers(1_000, 60_000)),
            "retry_ms": draw(st.integers(1000, 60_000)),
            "entropy": [{"source": "dice", "pattern": "[0-9]{33}", "after": "opened"}][: draw(st.integers(0, 1))],
            "claim": {
                "place": draw(words),
                "walk_up": True,
                "clock_starts": "announced",
                "seconds": draw(st.integers(1, 3600)),
                "satisfied_by": ["present_at_stage"],
                "review": True,
            },
            "on": {
                "refused": "keep",
                "no_show": "reselect",
                "no_show_registered": answer,
                "not_rightful_card": "reselect",
                "ineligible": "reselect",
            },
            "limits": [{"scope": used[n], "max": draw(st.integers(1, 9))}][: draw(st.integers(0, 1))],
            "prize": {"type": "envelope", "min": bound[0], "max": bound[1]},
        }
        for n in range(number)
    ]
    return {
        "schema": 1,
        "promotion": {
            "id": draw(ids),
            "property": draw(ids),
            "title": draw(words),
            "version": draw(words),
            "zone": draw(st.sampled_from(["Africa/Johannesburg", "Asia/Kolkata", "UTC"])),
            "currency": draw(st.sampled_from(["ZAR", "AUD", "USD"])),
            "day_starts_at": f"{begins:02d}:00",
        },
        "calendar": [
            {
                "weekdays": ["wed", "sat"],
                "from": date(2023, 10, 7),
                "to": date(2023, 12, 6),
                "never": [date(2023, 11, 1)],
            }
        ],
        "who": {
            "rows": [{"tiers": tiers, "zones": zones}],
            "min_age": draw(st.integers(0, 99)),
            "exclude": ["self_excluded"],
        },
        "award_group": [
            {
                "id": group,
                "quota": 200,
                "per": draw(st.sampled_from(["day", "session", "promotion"])),
                "carry": draw(st.booleans()),
            }
            for group in groups
        ],
        "draw": plans,
        **(
            {
                "register": {
                    "windows": [[hour[0][:2] + ":00", hour[0][:2] + ":00"]],
                    "in_person": True,
                    "contact_required": False,
                }
            }
            if False
            else {}
        ),
        "publicity": {"screen_name": "first_initial_last4"},
    } | (
        {
            "register": {
                "windows": [[f"{begins:02d}:00", f"{(begins + 1) % 24:02d}:00"]],
                "in_person": True,
                "contact_required": draw(st.booleans()),
            },
            "held": {"days": 9, "desk": draw(words), "roll_if_closed": True, "min_contact_attempts": 0},
        }
        if answer == "hold"
        else {}
    )


def written(book):
    return "\n".join(f"{key} = {toml(value)}" for key, value in book.items()).encode()


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books())
def test_both_readers_agree_on_sound_books(book):
    data = written(book)
    assert check(data) == read(data)
    assert report(data)[0]


anything = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | words | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ids.filter(str.isalnum), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def spoilt(draw):
    """A sound book in which one value, anywhere, is anything; or is gone."""
    book = draw(books())
    table, key = book, draw(st.sampled_from(sorted(book)))
    while isinstance(table[key], dict | list) and table[key] and draw(st.integers(0, 3)):
        table = table[key]
        key = draw(st.sampled_from(sorted(table))) if isinstance(table, dict) else draw(st.integers(0, len(table) - 1))
    if draw(st.booleans()):
        table[key] = draw(anything)
    else:
        del table[key]
    return book


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(spoilt())
def test_whatever_the_file_says_there_is_a_book_or_a_list_of_faults(book):
    data = written(book)
    try:
        checked = check(data)
    except RuleBookFaults as found:
        faults = found.faults
    else:
        assert checked == read(data)
        assert report(data)[0]
        return
    assert faults
    assert all("\n" not in str(fault) and fault.sentence.endswith(".") for fault in faults)
    sound, text = report(data)
    assert not sound
    assert len(text.splitlines()) == len(faults) + 1
