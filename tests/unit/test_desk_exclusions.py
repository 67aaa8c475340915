from datetime import date

import pytest

from draw_engine.desk_exclusions import SOURCE, kept_rows, row_of, with_rows

HEADER = b"member,category,from,to,source\n"
TODAY = date(2023, 10, 14)
AISHA = row_of("100005", "self_excluded", date(2023, 10, 13), None)


def test_a_row_is_added_in_the_list_s_own_columns():
    content = b"category,member,to,from,source\nrefusal_of_entry,7,,2023-01-01,police"
    assert with_rows(content, [AISHA]) == content + f"\nself_excluded,100005,,2023-10-13,{SOURCE}\n".encode()


def test_a_byte_order_mark_does_not_hide_the_first_column():
    assert with_rows(b"\xef\xbb\xbf" + HEADER, [AISHA]).splitlines()[-1].startswith(b"100005,")


def test_half_a_character_is_no_number():
    with pytest.raises(UnicodeEncodeError):
        with_rows(HEADER, [row_of("\ud800", "self_excluded", TODAY, None)])


@pytest.mark.parametrize(
    ("last", "file", "goes_on"),
    [
        (None, b"", True),
        (date(2023, 10, 14), b"", True),  # its last day is included
        (date(2023, 10, 13), b"", False),
        (None, b"100005,self_excluded,2023-10-13,2023-10-20,cms\n", False),  # the file knows better: until the 20th
        (None, b"100005,self_excluded,2022-01-01,2022-06-30,cms\n", True),  # history takes nothing back
        (None, b"100005,self_excluded,2022-01-01,2023-10-01,cms\n", False),  # it touched the desk's first day
        (None, b"100005,refusal_of_entry,2023-10-13,,cms\n", True),  # another category
        (None, b"100006,self_excluded,2023-10-13,,cms\n", True),  # another guest
    ],
)
def test_a_desk_s_row_goes_on_until_its_last_day_or_the_file_has_it(last, file, goes_on):
    old = with_rows(HEADER, [row_of("100005", "self_excluded", date(2023, 10, 1), last)])
    kept = kept_rows(old, HEADER + file, TODAY)
    assert [row["member"] for row in kept] == (["100005"] if goes_on else [])


def test_what_came_by_a_file_goes_with_the_next_file():
    old = HEADER + b"100005,self_excluded,2023-10-13,,cms\n"
    assert kept_rows(old, HEADER, TODAY) == []
