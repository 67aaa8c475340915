"""`floordraw staff`: who works here, by whoever runs the core; managers do the same at the console."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from draw_engine.service.staffing import ROLES
from kiosk.cli.faults import CORE, SITE, answer_of
from kiosk.cli.signed import as_machine

_ROLE = click.Choice(list(ROLES))
_DAY = click.DateTime(["%Y-%m-%d"])


@click.group()
def staff() -> None:
    """Who works here: list, enter, role, code, unlock, end. The core runs; you are the user it runs as."""


@staff.command("list")
@SITE
@CORE
def listed(site_file: Path, core_url: str) -> None:
    """Everybody who works here, with their role and whether they can sign in."""
    with as_machine(site_file) as core:
        told = answer_of(core.get(f"{core_url}/machine/staff", timeout=60))
    for row in told["people"]:
        secret = {"pin": "PIN", "password": "password", "code": "code given, not used yet", None: "cannot sign in yet"}
        locked = ", locked out" if row["locked_until"] else ""
        click.echo(f"{row['id']:<16} {row['role']:<17} {row['name']} ({secret[row['secret']]}{locked})")


@staff.command("enter")
@click.argument("person")
@click.argument("name")
@click.argument("role", type=_ROLE)
@click.option("--from", "first", type=_DAY, help="the first day of a dated sign-in, of an auditor for instance")
@click.option("--until", "last", type=_DAY, help="its last day")
@SITE
@CORE
def enter(
    person: str, name: str, role: str, first: datetime | None, last: datetime | None, site_file: Path, core_url: str
) -> None:
    """Take somebody on, and give them a code for their first sign-in."""
    days = {"from": f"{first:%Y-%m-%d}" if first else "", "until": f"{last:%Y-%m-%d}" if last else ""}
    _act(site_file, core_url, "enter", person=person, name=name, role=role, **days)
    click.echo(f"{name} works here now, as {role}.")
    _give_code(site_file, core_url, person)


@staff.command("role")
@click.argument("person")
@click.argument("role", type=_ROLE)
@SITE
@CORE
def change_role(person: str, role: str, site_file: Path, core_url: str) -> None:
    """Give somebody another role; they sign in again."""
    _act(site_file, core_url, "role", person=person, role=role)
    click.echo(f"{person} is {role} now and signs in again.")


@staff.command("code")
@click.argument("person")
@SITE
@CORE
def code(person: str, site_file: Path, core_url: str) -> None:
    """Give a code for the next sign-in: for the first one, or when the PIN is forgotten."""
    _give_code(site_file, core_url, person)


@staff.command("unlock")
@click.argument("person")
@SITE
@CORE
def unlock(person: str, site_file: Path, core_url: str) -> None:
    """Let somebody try again who typed a wrong secret too often."""
    _act(site_file, core_url, "unlock", person=person)
    click.echo(f"{person} may try again.")


@staff.command("end")
@click.argument("person")
@SITE
@CORE
def end(person: str, site_file: Path, core_url: str) -> None:
    """They work here no more: they are signed out everywhere and cannot sign in."""
    _act(site_file, core_url, "end", person=person)
    click.echo(f"{person} works here no more. The number is not given again.")


def _give_code(site_file: Path, core_url: str, person: str) -> None:
    given = _act(site_file, core_url, "code", person=person)["code"]
    click.echo(f"The code for the first sign-in, good for 24 hours and once: {given[:4]}-{given[4:]}")
    click.echo("They choose a PIN or password of their own then. It is shown only now.")


def _act(site_file: Path, core_url: str, act: str, **said: str) -> dict[str, Any]:
    with as_machine(site_file) as core:
        return answer_of(core.post(f"{core_url}/machine/staff/{act}", json=said, timeout=60))
