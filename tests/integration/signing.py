"""Signing in, for tests that are about something else: whoever a request names as `by` is signed in for it.

Nothing is stood in for: the real door is asked, with quick hashes. Tests of the door itself use a bare client.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import requests
from argon2 import PasswordHasher
from flask import Flask, request
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from draw_engine.service import staffing
from draw_engine.service.people_ports import PIN as A_PIN
from kiosk.app import Pages
from kiosk.sign_in.access import GATE, HEADER, SESSION
from kiosk.sign_in.door import Door, Person
from kiosk.sign_in.machine_token import read_machine_token
from kiosk.sign_in.secret_hash import Secrets

PIN = "583920"
MARKED = {HEADER: "1"}
MANAGER = "nomvula"


def quick_secrets() -> Secrets:
    """Argon2 with the least it takes: a test signs in often."""
    return Secrets(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


def employ(pages: Pages, people: Iterable[tuple[str, str, str]]) -> None:
    """Enter (id, name, role); each has the PIN."""
    rows = list(people)
    hashed = quick_secrets().hash(PIN)
    pages.core.ask(lambda engine: staffing.begin(engine, rows))
    for person, _name, _role in rows:
        pages.core.ask(lambda engine, person=person: staffing.put_secret(engine, person, hashed, A_PIN))
    pages.core.ask(pages.door.load)


class Keys:
    """The sign-ins of a door, one a person, made when first asked for and again when one has ended."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._tokens: dict[str, str] = {}

    def cookie(self, person: str, now: int) -> str:
        token = self._tokens.get(person, "")
        if self._door.sign_in_of(token, now) is None:
            token = self._door.sign_in(person, PIN, device=None, address=f"test of {person}", here=True)
            self._tokens[person] = token
        return f"{SESSION}={token}"


class SignedClient(FlaskClient):
    """Sends each request as the person of its `by`, else as a manager; the second person's PIN goes with theirs."""

    keys: Keys
    pages: Pages

    def open(self, *args: Any, **said: Any) -> TestResponse:
        headers = {**MARKED, **dict(said.pop("headers", None) or {})}
        body = said.get("json")
        by = body.get("by") if isinstance(body, Mapping) else None
        known = {row.id for row in self.pages.door.people()}
        if "Authorization" not in headers and "Cookie" not in headers:
            person = by if isinstance(by, str) and by in known else MANAGER
            headers["Cookie"] = self.keys.cookie(person, self.pages.core.stamp())
        if isinstance(body, Mapping) and body.get("second") and "second_secret" not in body:
            said["json"] = {**body, "second_secret": PIN}
        return super().open(*args, headers=headers, **said)


def signed_client(pages: Pages) -> SignedClient:
    """A client of these pages whose staff have been employed."""
    client = SignedClient(pages.app, use_cookies=False)
    client.keys, client.pages = Keys(pages.door), pages
    return client


class SignedCore:
    """The same over HTTP with a running `floordraw serve`: each person comes by a code and chooses the PIN."""

    def __init__(self, url: str, state_dir: Path) -> None:
        self.url = url
        self._state_dir = state_dir
        self._sessions: dict[str, requests.Session] = {}

    def post(self, path: str, *, timeout: float = 60, **said: Any) -> requests.Response:
        """As the person of `by`."""
        person = str(said.get("by") or MANAGER)
        body = {**said, "second_secret": PIN} if said.get("second") else said
        session = self._sessions.get(person) or self._come_in(person)
        answer = session.post(f"{self.url}{path}", json=body, timeout=timeout)
        if answer.status_code == 401:
            self._sign_in(session, person, PIN)
            answer = session.post(f"{self.url}{path}", json=body, timeout=timeout)
        if answer.status_code == 403 and answer.json()["code"] == "X_WRONG_SECRET" and said.get("second"):
            self._come_in(str(said["second"]))
            answer = session.post(f"{self.url}{path}", json=body, timeout=timeout)
        return answer

    def get(self, path: str, *, by: str = MANAGER, timeout: float = 60) -> requests.Response:
        session = self._sessions.get(by) or self._come_in(by)
        return session.get(f"{self.url}{path}", timeout=timeout)

    def load_list(self, kind: str, content: bytes, timeout: float = 60) -> requests.Response:
        """By the machine's own token, as the nightly job does."""
        headers = {**MARKED, "Authorization": f"Bearer {read_machine_token(self._state_dir)}"}
        return requests.post(f"{self.url}/lists/{kind}", data=content, headers=headers, timeout=timeout)

    def _come_in(self, person: str) -> requests.Session:
        headers = {**MARKED, "Authorization": f"Bearer {read_machine_token(self._state_dir)}"}
        given = requests.post(f"{self.url}/machine/staff/code", json={"person": person}, headers=headers, timeout=60)
        session = requests.Session()
        session.headers.update(MARKED)
        code = given.json()["code"]
        self._sign_in(session, person, code)
        chosen = session.post(f"{self.url}/sign-in/secret", json={"old": code, "new": PIN}, timeout=60)
        assert chosen.status_code == 200, chosen.text
        self._sessions[person] = session
        return session

    def _sign_in(self, session: requests.Session, person: str, secret: str) -> None:
        said = {"number": person, "secret": secret}
        answer = session.post(f"{self.url}/sign-in", json=said, timeout=60)
        assert answer.status_code == 200, answer.text


class Trusting:
    """Stands in for the gate where routes are tried without a core: whoever `by` names is signed in."""

    def __init__(self, staff: Mapping[str, str]) -> None:
        self._staff = staff
        self.door = self

    def signed_in(self, *, used: bool = True) -> Person | None:  # noqa: ARG002 - the gate's own name
        body = request.get_json(silent=True)
        by = body.get("by") if isinstance(body, dict) else None
        return Person(by, by.title(), self._staff.get(by, "")) if isinstance(by, str) and by else None

    def second(self, number: str, _secret: str, *, beside: str) -> Person:  # noqa: ARG002 - as the door's
        return Person(number, number.title(), self._staff.get(number, ""))

    def place(self) -> dict[str, Any]:
        return {}

    def device(self) -> None:
        return None


def trust(app: Flask, staff: Mapping[str, str]) -> None:
    """Take everybody at their word in this application."""
    app.extensions[GATE] = Trusting(staff)
