"""What takes a manager and a second person, and a reason. The door has asked both for their secrets.

How it asks: kiosk/sign_in/whom.py.
"""

from __future__ import annotations

import unicodedata

from draw_engine.errors import Refused
from draw_engine.service.engine import Engine

_MAY_DIRECT = frozenset({"manager"})
_MAY_SECOND = frozenset({"manager", "customer_services", "marketing", "desk", "crew", "stage"})
_INDEPENDENT = frozenset({"auditor", "witness"})
"""Who judges what the house decides decides none of it (NIGC 543.23(c)); the witness is not of the house at all."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs"})
"""Control, formatting and half characters: what a text of the log may not hold."""


def two_people(engine: Engine, by: str, second: str) -> list[str]:
    """The two actors of something that needs two, ascending. Refused X_SAME_PERSON, X_NO_PERMISSION."""
    if not by or not second:
        raise Refused("X_SECOND_PERSON_REQUIRED", "This needs two people: name the one who does it and a second one.")
    if by == second:
        raise Refused("X_SAME_PERSON", "The second person must be somebody else. Ask a colleague.")
    roles = engine.settings.staff
    for person in (by, second):
        if person not in roles:
            raise Refused("X_NO_PERMISSION", f"{person} does not work here. See the list of people.")
    if roles[by] not in _MAY_DIRECT:
        raise Refused("X_NO_PERMISSION", "Only a manager may do this. Ask the promotions manager.")
    if roles[second] in _INDEPENDENT:
        sentence = "An auditor or a witness judges what was decided, so they cannot decide it. Ask another colleague."
        raise Refused("X_NO_PERMISSION", sentence)
    if roles[second] not in _MAY_SECOND:
        raise Refused("X_NO_PERMISSION", "The second person may not confirm this. Ask another colleague.")
    return sorted(f"{roles[person]}:{person}" for person in (by, second))


def said_reason(reason: str) -> str:
    """What was said, in one line. Raises Refused X_REASON_REQUIRED: it stands in the log, so it must be readable."""
    said = " ".join(reason.split())
    if not said:
        raise Refused("X_REASON_REQUIRED", "Say why in a few words; it stands in the log.")
    if len(said) > 500:
        raise Refused("X_REASON_REQUIRED", "Say it in at most 500 characters.")
    if any(unicodedata.category(letter) in _UNSEEN for letter in said):
        raise Refused("X_REASON_REQUIRED", "Say it in plain letters: it holds a sign that nobody can see or print.")
    return said
