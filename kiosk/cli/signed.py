"""How a command acts through the running core: by a person who signs in, or by the machine's own token."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click
import requests

from config.site import load_site
from draw_engine.errors import Refused
from kiosk.cli.faults import answer_of
from kiosk.sign_in.access import HEADER
from kiosk.sign_in.machine_token import read_machine_token

SECRET, SECOND_SECRET = "FLOORDRAW_SECRET", "FLOORDRAW_SECOND_SECRET"
"""Environment variables for scripts: an environment is not seen in a list of processes."""
BY = click.option("--by", required=True, help="who does it: your number")


def answers(core_url: str) -> bool:
    """Whether anything answers at the core's address."""
    try:
        requests.get(f"{core_url}/sign-in", timeout=60)
    except requests.ConnectionError:
        return False
    return True


@contextmanager
def signed_in(core_url: str, by: str) -> Iterator[requests.Session]:
    """A session of somebody who has signed in; it is signed out afterwards. Asks for the secret."""
    secret = os.environ.get(SECRET) or click.prompt(f"PIN or password of {by}", hide_input=True, err=True)
    with requests.Session() as session:
        session.headers[HEADER] = "1"
        answer_of(session.post(f"{core_url}/sign-in", json={"number": by, "secret": secret}, timeout=60))
        try:
            yield session
        finally:
            with suppress(requests.RequestException):
                session.post(f"{core_url}/sign-out", timeout=10)


def second_of(second: str) -> dict[str, str]:
    """The second person of an act, with the secret they type now."""
    secret = os.environ.get(SECOND_SECRET) or click.prompt(f"PIN or password of {second}", hide_input=True, err=True)
    return {"second": second, "second_secret": secret}


@contextmanager
def as_machine(site_file: Path) -> Iterator[requests.Session]:
    """A session with the running core's own token: whoever may read its folder has it.

    Raises Refused X_NO_MACHINE_TOKEN when there is none.
    """
    if not site_file.exists():
        raise Refused("X_NO_MACHINE_TOKEN", f"{site_file} is not there. Give --site with this property's settings.")
    token = read_machine_token(load_site(site_file).state_dir)
    with requests.Session() as session:
        session.headers.update({HEADER: "1", "Authorization": f"Bearer {token}"})
        yield session
