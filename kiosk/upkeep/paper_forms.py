"""Forms to print before they are needed: what is written down while everything stands still (docs/paper-forms.md).

A selection cannot be made on paper. The forms keep what people saw and held, so that it can be entered afterwards by
the verbs that are there, by two people, with the form's number in the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from config.site import Site
from kiosk.upkeep.paper_forms_words import ENGLISH
from web_display import catalogue

catalogue.add_words(ENGLISH)
FILE = "paper-forms.html"


@dataclass(frozen=True, slots=True)
class Form:
    """One form. `lines`: questions with room behind them; else a table of `columns` (key, share of the width)."""

    key: str
    columns: tuple[tuple[str, int], ...] = ()
    rows: int = 0
    lines: tuple[str, ...] = ()


_OUTAGE = (
    *("stopped", "seen", "technician", "said", "slip"),
    *("back", "head", "lost", "forms", "suspended"),
    *("decided", "decided", "entered", "manager", "second"),
)
FORMS = (
    Form("outage", lines=_OUTAGE),
    Form(
        "claims",
        (
            ("place", 10),
            ("guest", 15),
            ("stage", 18),
            ("called", 8),
            ("came", 18),
            ("said", 14),
            ("crew", 7),
            ("entered", 10),
        ),
        rows=11,
    ),
    Form(
        "register",
        (("at", 7), ("card", 9), ("guest", 20), ("contact", 22), ("told", 13), ("clerk", 11), ("entered", 18)),
        rows=12,
    ),
    Form(
        "envelopes",
        (
            ("pocket", 9),
            ("claim", 15),
            ("state", 10),
            ("from", 18),
            ("to", 18),
            ("at", 7),
            ("where", 13),
            ("entered", 10),
        ),
        rows=11,
    ),
    Form(
        "contacts",
        (("prize", 12), ("at", 10), ("channel", 15), ("outcome", 34), ("by", 14), ("entered", 15)),
        rows=12,
    ),
)


def write_forms(site: Site, out: Path, *, first: int = 1, copies: int = 1) -> tuple[Path, int]:
    """Write the forms as one page to print, numbered from `first`. Gives the file and the first number that is free."""
    out.mkdir(parents=True, exist_ok=True)
    sheets = [form for _ in range(copies) for form in FORMS]
    numbered = [(f"P-{number:03d}", form) for number, form in enumerate(sheets, first)]
    templates = Environment(loader=PackageLoader("kiosk"), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    text = templates.get_template("paper_forms.html").render(
        sheets=numbered, site=site, say=catalogue.say, word=lambda form, part: catalogue.say(f"forms.{form.key}.{part}")
    )
    part = out / f"{FILE}.part"
    part.write_text(text, encoding="utf-8")
    part.replace(out / FILE)
    return out / FILE, first + len(sheets)
