"""Who may do what at the desk and with envelopes: a person of the staff list, and a second one where two are needed."""

from __future__ import annotations

from collections.abc import Collection

from draw_engine.errors import Refused
from draw_engine.service.engine import Engine

_WORDS = {
    "crew": "the promotions crew",
    "stage": "the announcer",
    "desk": "the rewards desk",
    "customer_services": "customer services",
    "marketing": "marketing",
    "manager": "a manager",
}


def actor_of(engine: Engine, by: str, roles: Collection[str] | None = None) -> str:
    """The actor `role:id` of a person. Raises Refused X_NO_PERMISSION: not on the staff list, or of another role.

    `roles` None: whoever is on the staff list may.
    """
    role = engine.settings.staff.get(by)
    if role is None:
        raise Refused("X_NO_PERMISSION", "Pick who you are from the staff list; whoever is not on it may not do this.")
    if roles is not None and role not in roles:
        asked = " or ".join(_WORDS.get(name, name) for name in _WORDS if name in roles)
        raise Refused("X_NO_PERMISSION", f"This is not for your role. Ask {asked}.")
    return f"{role}:{by}"


def two_actors(
    engine: Engine,
    by: str,
    second: str,
    roles: Collection[str] | None = None,
    second_roles: Collection[str] | None = None,
) -> tuple[str, str]:
    """The two actors, in the order given. Raises Refused X_SECOND_PERSON_REQUIRED, X_SAME_PERSON, X_NO_PERMISSION."""
    if not by or not second:
        raise Refused("X_SECOND_PERSON_REQUIRED", "This needs two people: name the one who does it and a second one.")
    if by == second:
        raise Refused("X_SAME_PERSON", "The second person must be somebody else. Ask a colleague.")
    return actor_of(engine, by, roles), actor_of(engine, second, second_roles)
