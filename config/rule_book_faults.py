"""Reads a rule book's TOML and lists every fault in it; the text of `floordraw rules check FILE`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from pydantic import ValidationError

from config.faults import UNREADABLE, Fault, faults_of, with_lines
from config.rule_book_checks import conflicts
from config.rule_book_form import RuleBookForm
from config.rule_book_summary import summary
from config.rule_book_windows import window_conflicts
from config.toml_text import TomlText
from config.words import counted
from draw_engine.rule_book import RuleBook

_MOST_LINES = 2_000
"""The longest book known has some 150. Each line may have a dozen faults, and all of them are listed."""


class RuleBookFaults(Exception):  # noqa: N818 - it names what it carries
    """The rule book has faults: all of them, in the order of the file."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__(f"{counted(len(faults), 'fault')} in the rule book:\n" + "\n".join(map(str, faults)))
        self.faults = tuple(faults)


def check(data: bytes) -> RuleBook:
    """The rule book of the file's bytes. Raises RuleBookFaults with every fault."""
    return _checked(data, _text(data))


def report(data: bytes) -> tuple[bool, str]:
    """Whether the book is sound, and what `floordraw rules check` prints: a summary for people, or a line a fault."""
    try:
        toml = _text(data)
        book = _checked(data, toml)
    except RuleBookFaults as found:
        count = counted(len(found.faults), "fault")
        lines = [f"{count} found. Nothing can be drawn by this rule book.", *map(str, found.faults)]
        return False, "\n".join(lines) + "\n"
    return True, "\n".join(["No fault found.", "", *summary(book, toml)]) + "\n"


def _text(data: bytes) -> TomlText:
    if data.count(b"\n") > _MOST_LINES:
        sentence = f"A rule book has at most {_MOST_LINES} lines. See whether it is the right file."
        raise RuleBookFaults([Fault("the file", UNREADABLE, sentence)])
    return TomlText(data)


def _checked(data: bytes, toml: TomlText) -> RuleBook:
    if toml.fault is not None:
        raise RuleBookFaults([toml.fault])
    faults: list[Fault] = []
    form: RuleBookForm | None = None
    try:
        form = RuleBookForm.model_validate(toml.values)
    except ValidationError as error:
        faults += faults_of(error, RuleBookForm)
    faults += conflicts(toml.values)
    faults += window_conflicts(toml.values)
    if form is None or faults:
        raise RuleBookFaults(with_lines(faults, toml.line_of))
    return form.built(hashlib.sha256(data).hexdigest())
