"""The integrity monitor's tables: cash at day's end against what it can be, selections that lead to their page."""

from __future__ import annotations

import pytest

from draw_engine.service.prize_ports import CashCountRow
from kiosk.reports import words  # noqa: F401 - what the tables say
from kiosk.reports.monitor import Monitor
from kiosk.reports.monitor_view import envelope_section
from kiosk.reports.tables import Table, selection
from kiosk.reports.words import ENGLISH
from web_display.catalogue import add_words

add_words(ENGLISH)
ZONE = "Africa/Johannesburg"
AT = 1_696_708_800_000  # 7 October 2023, 20:00 UTC: 22:00 there


def cash_table(*rows: CashCountRow) -> Table:
    found = Monitor((), (), (), (), (), rows)
    section = envelope_section(found, "ZAR", ZONE, lambda actor: actor.partition(":")[2].title(), 1)
    return next(table for table in section.tables if table.id == "cash")


@pytest.mark.parametrize(
    ("cents", "least", "most", "text", "mark"),
    [
        (150_000, 150_000, 150_000, "Agrees", "plain"),
        (150_000, 100_000, 200_000, "Can be right", "plain"),
        (90_000, 100_000, 200_000, "R\u00a0100 missing, at least", "late"),
        (250_000, 100_000, 200_000, "R\u00a0500 too much, at least", "late"),
    ],
)
def test_cash_stands_against_what_it_can_be(cents: int, least: int, most: int, text: str, mark: str) -> None:
    row = CashCountRow("2023-10-07", AT, 2, cents, least, most, agree=True, by="manager:nomvula marketing:riaan")
    (cells,) = cash_table(row).rows
    assert [cell.raw for cell in cells[1:5]] == [2, cents / 100, least / 100, most / 100]
    assert (cells[5].text, cells[5].mark) == (text, mark)
    assert cells[6].text == "Nomvula, Riaan"


def test_amounts_that_disagree_with_their_batches_are_marked() -> None:
    row = CashCountRow("2023-10-07", AT, 2, 150_000, 100_000, 200_000, agree=False, by="manager:nomvula")
    (cells,) = cash_table(row).rows
    assert (cells[5].mark, cells[5].small) == ("late", "Amounts typed and batches counted in do not agree.")


def test_without_a_count_it_says_so() -> None:
    table = cash_table()
    assert (list(table.rows), table.none) == ([], "No cash of closed envelopes was counted on these days.")


def test_a_selection_leads_to_its_page() -> None:
    cell = selection("silverstar/playtime/2023-10-07/first", 3)
    assert (cell.text, cell.raw) == ("3", 3)
    assert cell.href == "/console/draws/silverstar/playtime/2023-10-07/first/selections/3"
