import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slip_facts_made import ALL, HOUSE, RECEIPT, SECRET

from printers.layout import COLUMNS, LABEL_COLUMNS, Field, Line, Qr, printable, set_sheet, wrap
from printers.slips import slip_of


def lines_of(kind, data=None, **said):
    slip = slip_of(kind, ALL[kind] if data is None else data, HOUSE, job=17, **said)
    return [list(set_sheet(sheet)) for sheet in slip.sheets]


def texts(items):
    return [item.text for item in items if isinstance(item, Line)]


@given(st.text(max_size=120), st.integers(5, 60))
@settings(max_examples=60)
def test_no_line_is_wider_than_the_paper_and_no_letter_is_lost(text, columns):
    lines = wrap(text, columns)
    assert all(len(line) <= columns for line in lines)
    kept = "".join(lines).replace(" ", "")
    assert kept == "".join(printable(part) for part in text.split("\n")).replace(" ", "")


@given(st.text(max_size=60))
@settings(max_examples=60)
def test_nothing_in_a_name_can_command_the_printer(text):
    for byte in printable(text).encode("cp1252"):
        assert byte >= 0x20
        assert byte != 0x7F


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("Zoë Ndlovu-Müller", "Zoë Ndlovu-Müller"),
        ("Siân O\u2019Brien", "Siân O\u2019Brien"),
        ("Zoe\u0308", "Zoë"),  # two code points, one letter
        ("Đặng Thị Ánh", "Dang Thi Ánh"),
        ("Łukasz Nowak", "Lukasz Nowak"),
        ("\u01c3Xóõ \u01c1Gana", "!Xóõ ||Gana"),
        ("Šárka Žižková", "Šárka Žižková"),
        ("Ivan Петров", "Ivan ??????"),
        ("A\x1b@B\x10\x04C\nD", "A@BC D"),
    ],
)
def test_letters_the_page_lacks_become_the_nearest_it_has(name, printed):
    assert printable(name) == printed


def test_a_long_word_breaks_behind_a_slash_and_hex_where_the_line_ends():
    assert wrap("silverstar/playtime/2023-10-07/bonus", 22) == ["silverstar/playtime/", "2023-10-07/bonus"]
    assert wrap("ab" * 21, 40) == ["ab" * 20, "ab"]


@pytest.mark.parametrize("kind", ALL)
def test_every_slip_fits_and_ends_with_its_end_line(kind):
    for items in lines_of(kind):
        for item in items:
            if isinstance(item, Line):
                assert len(item.text) <= (COLUMNS // 2 if item.big else COLUMNS)
        assert items[-1].text == "- end of slip 17 -"


def test_the_secret_stands_on_the_guests_copy_alone():
    guests, files = lines_of("winner_receipt")
    squeezed = ["".join("".join(texts(items)).split()) for items in (guests, files)]
    assert SECRET in squeezed[0]
    assert SECRET not in squeezed[1]
    assert [item.data for item in guests if isinstance(item, Qr)]
    assert not [item for item in files if isinstance(item, Qr)]


def test_a_reprint_says_so_with_the_time_of_the_first_and_a_first_print_does_not():
    assert not any("REPRINT" in text for items in lines_of("winner_receipt") for text in texts(items))
    first_at = 1_696_681_260_000
    for items in lines_of("winner_receipt", reprints=2, first_printed_at=first_at):
        heading = texts(items)[:6]
        assert "REPRINT 2" in heading
        assert any("Sat 7 Oct 2023, 14:21:00" in text for text in heading)
        assert any(RECEIPT["serial"] in text for text in texts(items))


def test_a_card_shows_its_last_four_signs_even_when_more_were_given():
    said = [
        text for items in lines_of("winner_receipt", RECEIPT | {"card": "6000123456784821"}) for text in texts(items)
    ]
    assert any(text.endswith("**** 4821") for text in said)
    assert not any("60001234" in text for text in said)


def test_a_receipt_that_was_not_signed_on_the_tablet_asks_for_it():
    said = [text for items in lines_of("winner_receipt", RECEIPT | {"signed": False}) for text in texts(items)]
    assert "To be signed here." in said
    assert "The guest signed on the tablet." not in said


@pytest.mark.parametrize("kind", ALL)
def test_facts_that_are_missing_are_an_error_and_no_half_slip(kind):
    with pytest.raises((KeyError, TypeError, ValueError)):
        slip_of(kind, {"zone": "Africa/Johannesburg"}, HOUSE, job=1)


@pytest.mark.parametrize("kind", ALL)
def test_no_label_is_cut_short(kind):
    slip = slip_of(kind, ALL[kind], HOUSE, job=1)
    labels = [part.label for sheet in slip.sheets for part in sheet.parts if isinstance(part, Field)]
    assert [label for label in labels if len(label) >= LABEL_COLUMNS] == []
