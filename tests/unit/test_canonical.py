import json
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.canonical import MAX_NUMBER, NotCanonical, format_time, jcs, parse_time, read_jcs, read_json

NAMES = st.text(st.sampled_from(string.ascii_lowercase + string.digits + "_"), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_NUMBER, MAX_NUMBER) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


def test_the_string_and_the_literals_of_rfc_8785_3_2_2():
    given_text = (
        r'{"string": "\u20ac$\u000F\u000aA' + "'" + r'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}'
    )
    expected = '{"literals":[null,true,false],"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    assert jcs(json.loads(given_text)) == expected.encode()


def test_control_characters_take_the_short_form_where_there_is_one_and_lower_case_hex_elsewhere():
    assert jcs("\b\t\n\f\r\x00\x1f\x7f\u2028") == b'"\\b\\t\\n\\f\\r\\u0000\\u001f\x7f\xe2\x80\xa8"'


def test_members_stand_in_ascending_order_whatever_the_order_they_came_in():
    assert jcs({"b": 1, "a_b": 2, "a": 3, "A": 4, "aa": 5, "1": 6, "10": 7}) == (
        b'{"1":6,"10":7,"A":4,"a":3,"a_b":2,"aa":5,"b":1}'
    )


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        0.5,
        float("nan"),
        float("inf"),
        2**53,
        -(2**53),
        b"x",
        {1},
        object(),
        {1: 2},
        {None: 1},
        {"\u00e9": 1},
        "\ud800",
    ],
)
@pytest.mark.parametrize("wrap", [lambda v: v, lambda v: [v], lambda v: {"a": {"b": v}}])
def test_what_has_no_canonical_form_is_refused_wherever_it_stands(value, wrap):
    with pytest.raises(NotCanonical):
        jcs(wrap(value))


def test_the_refusal_says_where():
    with pytest.raises(NotCanonical, match=r"\$\.terms\.places\[1\]: float"):
        jcs({"terms": {"places": [1, 2.5]}})


@pytest.mark.parametrize(
    "text",
    [
        "-0",
        "1.0",
        "1e3",
        "1E3",
        "0.1",
        "9007199254740992",
        "-9007199254740992",
        "1" * 5000,
        "01",
        "+1",
        "NaN",
        "Infinity",
        "-Infinity",
        '{"a":1,"a":1}',
        '{"a":{"b":1,"b":2}}',
        "",
        "[1",
        "{'a':1}",
        "[" * 100_000,
    ],
)
def test_json_that_is_refused_however_it_is_spaced(text):
    with pytest.raises(ValueError):  # noqa: PT011 - the reader of JSON words some of them itself
        read_json(text.encode())
    with pytest.raises(ValueError):  # noqa: PT011 - the reader of JSON words some of them itself
        read_jcs(text.encode())


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": 1}',
        b' {"a":1}',
        b'{"a":1}\n',
        b'{"b":1,"a":1}',
        b'"\\u0041"',
        b'"\\/"',
        b'"\\u000A"',
        b'"\\u20ac"',
        b'"\\ud83d\\ude00"',
        b'"\\ud800"',
        b"\xef\xbb\xbf1",
        b"\xff",
        b'"\xed\xa0\x80"',
    ],
)
def test_bytes_that_say_something_but_not_in_the_canonical_form(data):
    with pytest.raises(ValueError):  # noqa: PT011 - the reader of JSON words some of them itself
        read_jcs(data)


def test_the_largest_whole_numbers_are_kept():
    for data in (b"9007199254740991", b"-9007199254740991", b"0", b"-1"):
        assert jcs(read_jcs(data)) == data


@settings(max_examples=60)
@given(VALUES)
def test_reading_gives_back_what_was_written(value):
    data = jcs(value)
    assert read_jcs(data) == value
    assert json.loads(data) == value


@settings(max_examples=60)
@given(VALUES, st.data())
def test_a_blank_added_anywhere_is_seen(value, data):
    text = jcs(value)
    at = data.draw(st.integers(0, len(text)))
    changed = text[:at] + b" " + text[at:]
    try:
        read = read_jcs(changed)
    except ValueError:
        return
    assert read != value  # inside a text the blank is part of what is said


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (951_782_400_001, "2000-02-29T00:00:00.001Z"),
        (1_696_680_203_097, "2023-10-07T12:03:23.097Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
    ],
)
def test_times_as_the_calendar_has_them(at, text):
    assert format_time(at) == text
    assert parse_time(text) == at


@settings(max_examples=60)
@given(st.integers(0, 4_102_444_800_000))
def test_a_time_is_read_back_to_the_millisecond(at):
    assert parse_time(format_time(at)) == at


@pytest.mark.parametrize(
    "text",
    [
        "2023-10-07T12:03:23Z",
        "2023-10-07T12:03:23.09Z",
        "2023-10-07T12:03:23.0970Z",
        "2023-10-07 12:03:23.097Z",
        "2023-10-07T12:03:23.097+00:00",
        "2023-10-07T12:03:23.097z",
        "2023-10-07T12:03:23,097Z",
        "2023-02-30T12:00:00.000Z",
        "2023-10-07T24:00:00.000Z",
        "2023-10-07T12:60:00.000Z",
        "2023-10-07T12:00:60.000Z",
        "0000-10-07T12:00:00.000Z",
        "2023-10-07T12:03:23.097Z\n",
        "\u0662023-10-07T12:03:23.097Z",
        "",
    ],
)
def test_times_of_another_form_are_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 - the calendar words some of them itself
        parse_time(text)
