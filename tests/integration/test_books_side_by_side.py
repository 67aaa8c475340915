"""Which rule books one property's core takes together."""

from __future__ import annotations

from pathlib import Path

import pytest
from casino import book_toml
from test_private_files import SITE

from config.site import read_site
from draw_engine.errors import Refused
from kiosk.assembly import house_of

BOOK = book_toml()


def other(*changes: tuple[str, str]) -> bytes:
    """The same book under another id, changed."""
    text = BOOK.decode().replace('id = "playtime"', 'id = "other"')
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text.encode()


def test_two_promotions_of_one_house(tmp_path: Path) -> None:
    house = house_of(read_site(SITE, tmp_path), [BOOK, other()])
    assert [book.rules.id for book in house.books] == ["playtime", "other"]


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(BOOK, id="the same"),
        pytest.param(BOOK.replace(b"test-1", b"test-2"), id="another version"),
        pytest.param(other(("Africa/Johannesburg", "Europe/Paris")), id="another zone"),
        pytest.param(other(('day_starts_at = "06:00"', 'day_starts_at = "05:00"')), id="another day"),
    ],
)
def test_books_that_cannot_run_side_by_side_are_refused(tmp_path: Path, second: bytes) -> None:
    with pytest.raises(Refused, match="X_BOOKS_DISAGREE"):
        house_of(read_site(SITE, tmp_path), [BOOK, second])


def test_another_house_s_book_is_refused(tmp_path: Path) -> None:
    foreign = other(('property = "silverstar"', 'property = "goldreef"'))
    with pytest.raises(Refused, match="X_OTHER_PROPERTY"):
        house_of(read_site(SITE, tmp_path), [foreign])
