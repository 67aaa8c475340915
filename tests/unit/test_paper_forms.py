"""The paper forms: every one numbered once, whole, in words of the catalogue, and asking for no number of a paper."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from config.site import read_site
from kiosk.upkeep.paper_forms import FORMS, write_forms
from web_display import catalogue

SITE = b"""\
property = "silverstar"
property_name = "Silver & Star"
database = "sqlite:///x.db"
journal_dir = "journal"
state_dir = "state"
check_address = "http://127.0.0.1:8080/check"
statutory_line = "No persons under 18."
"""


class Read(HTMLParser):
    """The numbers, headings and cells of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.sections = 0
        self.numbers: list[str] = []
        self.titles: list[str] = []
        self._in = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.sections += tag == "section"
        self._in = dict(attrs).get("class") or tag

    def handle_data(self, data: str) -> None:
        if self._in == "number":
            self.numbers.append(data.strip())
        elif self._in == "h1":
            self.titles.append(data.strip())
        self._in = ""


def test_each_copy_of_each_form_has_a_number_of_its_own(tmp_path: Path) -> None:
    file, free = write_forms(read_site(SITE, tmp_path), tmp_path / "out", first=98, copies=2)
    text = file.read_text(encoding="utf-8")
    page = Read()
    page.feed(text)
    assert page.numbers == [f"Form P-{n:03d}" for n in range(98, 98 + 2 * len(FORMS))]
    assert free == 98 + 2 * len(FORMS)
    assert page.sections == len(page.titles) == 2 * len(FORMS)
    assert "Silver &amp; Star" in text
    assert text.count("No persons under 18.") == page.sections
    assert list((tmp_path / "out").iterdir()) == [file]


def test_the_columns_fill_the_sheet_and_each_has_room_for_its_later_entry() -> None:
    for form in FORMS:
        assert bool(form.columns) != bool(form.lines)
        if form.columns:
            assert sum(share for _, share in form.columns) == 100
            assert form.columns[-1][0] == "entered"
        for part in [*(name for name, _ in form.columns), *form.lines, "hint"]:
            assert catalogue.say(f"forms.{form.key}.{part}")
