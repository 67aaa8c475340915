"""The commands of rule books: check a file; load, rehearse, lock, retire and list through the running core."""

from __future__ import annotations

import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import click
import requests

from config.rule_book_faults import report
from draw_engine.errors import Refused
from kiosk.cli.faults import CORE, answer_of
from kiosk.cli.signed import BY, second_of, signed_in

_HERE = "/console/setup"
_SECOND = click.option("--second", required=True, help="the second person's number; they type their secret")
_REASON = click.option("--reason", required=True, help="why, in a few words")
_BOOK = click.argument("book", metavar="SHA256|VERSION")
_LOOK_EVERY_SECONDS = 1.0


@click.group()
def rules() -> None:
    """Rule books."""


@rules.command("check")
@click.argument("file", type=click.Path(path_type=Path))
def rules_check(file: Path) -> None:
    """List every fault of a rule book, each with its place and what to do. Needs no core."""
    sound, text = report(file.read_bytes())
    click.echo(text, nl=False)
    sys.exit(0 if sound else 1)


@rules.command("list")
@BY
@CORE
def rules_list(by: str, core_url: str) -> None:
    """Every rule book the core knows, and the floors a book can be rehearsed on."""
    with signed_in(core_url, by) as session:
        told = answer_of(session.get(f"{core_url}{_HERE}.json", timeout=60))
    click.echo(told["headline"])
    for row in told["books"]:
        click.echo(f"{row['sha256'][:12]}  {row['title']}, {row['version']}: {row['state_text']}. {row['since_text']}")
    click.echo("Floors to rehearse on:")
    for floor in told["floors"]:
        click.echo(f"{floor['id']}  {floor['text']}")


@rules.command("load")
@click.argument("file", type=click.Path(path_type=Path))
@BY
@CORE
def rules_load(file: Path, by: str, core_url: str) -> None:
    """Load a rule book without a fault, so that it can be rehearsed and locked."""
    data = file.read_bytes()
    sound, text = report(data)
    if not sound:
        click.echo(text, nl=False)
        sys.exit(1)
    with signed_in(core_url, by) as session:
        told = answer_of(session.post(f"{core_url}{_HERE}/load", data=data, timeout=60))
    click.echo(f"{told['title']}, version {told['version']}, is loaded: {told['sha256']}")
    click.echo("Next: floordraw rules rehearse, then floordraw rules lock.")


@rules.command("rehearse")
@_BOOK
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), required=True, help="a day of the book")
@click.option("--floor", default="made:rehearsal", show_default=True, help="as `floordraw rules list` names it")
@click.option("--crews", type=click.IntRange(1, 20), default=2, show_default=True)
@BY
@CORE
def rules_rehearse(book: str, day: datetime, floor: str, crews: int, by: str, core_url: str) -> None:
    """Play a day of a loaded book beside the running floor, and say what came of it."""
    order = {"day": f"{day:%Y-%m-%d}", "floor": floor, "crews": crews}
    with signed_in(core_url, by) as session:
        digest = _digest(session, core_url, book)
        answer_of(session.post(f"{core_url}{_HERE}/{digest}/rehearse", json=order, timeout=60))
        _wait(session, core_url, digest)
        told = answer_of(session.get(f"{core_url}{_HERE}/{digest}.json", timeout=60))
    click.echo(told["figures"]["says"])
    for draw in told["figures"]["draws"]:
        click.echo(draw["title"])
        for fact in draw["facts"]:
            click.echo(f"  {fact['label']}: {fact['text']}")
    for table in told["figures"]["winners"]:
        click.echo(f"{table['title']}: {', '.join(f'{name} {count}' for name, count in table['rows']) or 'none'}")
    for note in told["figures"]["notes"]:
        click.echo(note)


@rules.command("lock")
@_BOOK
@BY
@_SECOND
@_REASON
@CORE
def rules_lock(book: str, by: str, second: str, reason: str, core_url: str) -> None:
    """Lock a rehearsed book: two people and a reason. It opens the next session that is not open yet."""
    _two_people("lock", book, by, second, reason, core_url)
    click.echo("The rule book is locked. It opens draws from the next session that is not open yet.")


@rules.command("retire")
@_BOOK
@BY
@_SECOND
@_REASON
@CORE
def rules_retire(book: str, by: str, second: str, reason: str, core_url: str) -> None:
    """Take a book out: two people and a reason. An open session is played to its end."""
    _two_people("retire", book, by, second, reason, core_url)
    click.echo("The rule book is retired. No draw opens by it any more.")


def _two_people(act: str, book: str, by: str, second: str, reason: str, core_url: str) -> None:
    with signed_in(core_url, by) as session:
        digest = _digest(session, core_url, book)
        said = {"reason": reason, **second_of(second)}
        answer_of(session.post(f"{core_url}{_HERE}/{digest}/{act}", json=said, timeout=60))


def _digest(session: requests.Session, core_url: str, book: str) -> str:
    """The SHA-256 of a book named by its beginning (six digits at least), or by a version that one book has."""
    rows: list[dict[str, Any]] = answer_of(session.get(f"{core_url}{_HERE}.json", timeout=60))["books"]
    found = [row["sha256"] for row in rows if len(book) >= 6 and row["sha256"].startswith(book)]
    found = found or [row["sha256"] for row in rows if row["version"] == book and row["state"] != "retired"]
    if len(found) != 1:
        said = "No book" if not found else "More than one book"
        raise Refused("X_NO_SUCH_RULES", f"{said} is called {book}. Name one by its SHA-256: floordraw rules list.")
    digest: str = found[0]
    return digest


def _wait(session: requests.Session, core_url: str, digest: str) -> None:
    """Until the rehearsal has ended. Raises Refused as it was refused."""
    said = ""
    while True:
        run = answer_of(session.get(f"{core_url}{_HERE}.json", timeout=60))["run"]
        if run is None or run["book"] != digest:
            raise Refused("X_NO_RESULT", "Another rehearsal was started meanwhile. Look at the page of rule books.")
        if run["step"] == "refused":
            raise Refused(run["code"], run["sentence"])
        if not run["runs"]:
            return
        if run["text"] != said:
            said = run["text"]
            click.echo(f"{said} …", err=True)
        time.sleep(_LOOK_EVERY_SECONDS)
