"""Who does what a request asks for: the person signed in, and the second one, who proves it on the spot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import current_app

from draw_engine.errors import Refused
from kiosk.sign_in.access import GATE, the_gate
from kiosk.sign_in.door import Person

_UNREADABLE = "What was sent cannot be read. Load the page again."


def me() -> Person:
    """Who is signed in on this request. Raises Refused X_NOT_SIGNED_IN."""
    person = the_gate().signed_in()
    if person is None:
        raise Refused("X_NOT_SIGNED_IN", "Sign in first; what you did is not lost.")
    return person


def me_for_page() -> dict[str, str]:
    """{id, name, role} of who is signed in, for a page's frame; empty when nobody is."""
    gate = current_app.extensions.get(GATE)  # a page shown without a core has none
    person = None if gate is None else gate.signed_in(used=False)
    return {} if person is None else {"id": person.id, "name": person.name, "role": person.role}


def acting(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body of an act, with `by` set to who is signed in and the second person's secret checked and taken out.

    When the second one is the manager of the two, they change places: whoever decides stands first. Raises Refused
    X_NOT_SIGNED_IN; X_NO_PERMISSION when it names somebody else as `by`; X_SAME_PERSON; X_WRONG_SECRET; X_LOCKED_OUT.
    """
    person = me()
    said = dict(body)
    secret = said.pop("second_secret", "")
    if said.get("by") not in (None, "", person.id):
        sentence = f"This was begun by somebody else; {person.name} is signed in now. They sign in to send it."
        raise Refused("X_OTHER_PERSON", sentence)
    said["by"] = person.id
    second = said.get("second")
    if second in (None, ""):
        return said
    if not isinstance(second, str) or not isinstance(secret, str):
        raise Refused("X_VALUE_WRONG", _UNREADABLE)
    if second.strip().lower() == person.id:
        raise Refused("X_SAME_PERSON", "The second person must be somebody else. Ask a colleague.")
    if not secret:
        raise Refused("X_SECOND_PERSON_REQUIRED", "The second person types their number and secret here, now.")
    gate = the_gate()
    other = gate.door.second(second, secret, beside=person.id, **gate.place())
    said["second"] = other.id
    if person.role != "manager" and other.role == "manager":
        said["by"], said["second"] = other.id, person.id
    return said
