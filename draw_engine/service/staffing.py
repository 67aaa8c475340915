"""Who works here and with which role; what each needs is kept in the database, every change of a role in the log.

`site.toml` names people for a new house: whoever the database does not know yet is entered at a start. From then on the
database has the word, so that somebody who was ended stays ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from draw_engine.errors import Refused
from draw_engine.service.engine import Engine
from draw_engine.service.people_ports import DEVICE_KINDS, DeviceRow, SignInRow, StaffRow
from draw_engine.service.ports import UnitOfWork

ROLES = ("crew", "stage", "desk", "customer_services", "marketing", "manager", "auditor", "witness")
TECHNICIAN = "technician:machine"
"""The actor of a command on the machine itself: whoever may read the core's own folder."""
TWO_FOR = frozenset({"manager", "auditor", "witness"})
"""Roles that one manager alone cannot give (GLI-18: dual authorisation)."""
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_LONGEST_NAME = 80


def begin(engine: Engine, people: Iterable[tuple[str, str, str]]) -> None:
    """Enter whom the database does not know yet (`id`, name, role) and let the engine know everybody's role."""
    known = {row.id for row in engine.store.staff()}
    new = [person for person in people if person[0] not in known]
    if new:
        now = engine.now()
        with engine.change() as work:
            for person, name, role in new:
                work.put_staff(StaffRow(person, name, role, entered_at=now, changed_at=now))
                data = {"person": person, "role": role}
                work.append(at=work.instant(now), kind="staff.entered", draw=None, actor="engine", data=data)
    refresh(engine)


def refresh(engine: Engine) -> None:
    """What the engine knows of roles, as the database has it."""
    roles = {row.id: row.role for row in engine.store.staff() if row.ended_at is None}
    engine.settings.staff.clear()
    engine.settings.staff.update(roles)


def person_of(engine: Engine, person: str) -> StaffRow:
    """A person who works here. Raises Refused X_NO_SUCH_PERSON."""
    found = next((row for row in engine.store.staff() if row.id == person and row.ended_at is None), None)
    if found is None:
        raise Refused("X_NO_SUCH_PERSON", f"Nobody with the number {person[:40]} works here. See the list of people.")
    return found


def enter(
    engine: Engine,
    person: str,
    name: str,
    role: str,
    *,
    actor: str,
    valid_from: int | None = None,
    valid_until: int | None = None,
) -> StaffRow:
    """Take somebody on. `valid_from`, `valid_until` (ms): a dated sign-in, for an auditor or a witness.

    Raises Refused X_VALUE_WRONG, X_PERSON_KNOWN; the number of somebody who has left is not given again.
    """
    said = " ".join(name.split())
    if not _ID.fullmatch(person):
        raise Refused(
            "X_VALUE_WRONG", "A number is 1 to 40 small letters, digits and hyphens, such as kabelo or c-0412."
        )
    if not said or len(said) > _LONGEST_NAME or not said.isprintable():
        raise Refused("X_VALUE_WRONG", f"Type a name of at most {_LONGEST_NAME} letters.")
    _must_be_role(role)
    if valid_from is not None and valid_until is not None and valid_until <= valid_from:
        raise Refused("X_VALUE_WRONG", "The last day lies before the first. Correct the days.")
    if any(row.id == person for row in engine.store.staff()):
        raise Refused("X_PERSON_KNOWN", f"The number {person} is or was somebody's. Give another one.")
    now = engine.now()
    row = StaffRow(person, said, role, entered_at=now, changed_at=now, valid_from=valid_from, valid_until=valid_until)
    with engine.change() as work:
        work.put_staff(row)
        data = {"person": person, "role": role}
        work.append(at=work.instant(now), kind="staff.entered", draw=None, actor=actor, data=data)
    refresh(engine)
    return row


def change_role(engine: Engine, person: str, role: str, *, actor: str, by: list[str]) -> StaffRow:
    """Give another role. `by`: the actors who decided. Their sign-ins end: a role is not changed under way.

    Raises Refused X_VALUE_WRONG, X_NO_SUCH_PERSON, X_NOTHING_CHANGED, X_LAST_MANAGER.
    """
    _must_be_role(role)
    row = person_of(engine, person)
    if row.role == role:
        raise Refused("X_NOTHING_CHANGED", "They have that role already.")
    _must_leave_a_manager(engine, row)
    now = engine.now()
    with engine.change() as work:
        work.put_staff(replace(row, role=role, changed_at=now))
        data = {"person": person, "role": role, "by": by}
        work.append(at=work.instant(now), kind="staff.role", draw=None, actor=actor, data=data)
        _end_sign_ins(engine, work, person, now)
    refresh(engine)
    return replace(row, role=role, changed_at=now)


def end(engine: Engine, person: str, *, actor: str) -> None:
    """They work here no more: no secret opens anything, every sign-in of theirs ends now."""
    row = person_of(engine, person)
    _must_leave_a_manager(engine, row)
    now = engine.now()
    with engine.change() as work:
        work.put_staff(replace(row, ended_at=now, changed_at=now, secret=None, secret_kind=None, secret_until=None))
        work.append(at=work.instant(now), kind="staff.ended", draw=None, actor=actor, data={"person": person})
        _end_sign_ins(engine, work, person, now)
    refresh(engine)


def put_secret(
    engine: Engine, person: str, secret: str, kind: str, *, until: int | None = None, stays: str = "", by: str = ""
) -> None:
    """Keep the hash of a new secret. `kind`: pin, password or code; a code has an end, `until` (ms), and a giver, `by`.

    Their sign-ins end, but for the one whose token's SHA-256 is `stays`: who came in by the old secret is out.
    """
    row = person_of(engine, person)
    now = engine.now()
    with engine.change() as work:
        known = replace(row, code_by=by, code_at=now) if by else row
        work.put_staff(replace(known, secret=secret, secret_kind=kind, secret_until=until, changed_at=now))
        _end_sign_ins(engine, work, person, now, stays)


def enrol(engine: Engine, *, kind: str, title: str, token_sha256: str, device: str, by: str) -> DeviceRow:
    """Enrol a device. `by`: the actor who offered it. Raises Refused X_VALUE_WRONG."""
    if kind not in DEVICE_KINDS:
        raise Refused("X_VALUE_WRONG", f"A device is one of: {', '.join(DEVICE_KINDS)}.")
    now = engine.now()
    row = DeviceRow(device, kind, title, token_sha256, enrolled_at=now, enrolled_by=by)
    with engine.change() as work:
        work.put_device(row)
        data = {"device": device, "device_kind": kind}
        work.append(at=work.instant(now), kind="device.enrolled", draw=None, actor=by, data=data)
    return row


def revoke(engine: Engine, device: str, *, actor: str) -> None:
    """A device is the house's no more; the sign-ins on it end now. Raises Refused X_NO_SUCH_DEVICE."""
    row = next((one for one in engine.store.devices() if one.id == device and one.revoked_at is None), None)
    if row is None:
        raise Refused("X_NO_SUCH_DEVICE", "There is no such device. Load the page again.")
    now = engine.now()
    with engine.change() as work:
        work.put_device(replace(row, revoked_at=now))
        work.append(at=work.instant(now), kind="device.revoked", draw=None, actor=actor, data={"device": device})
        for one in engine.store.sign_ins(after=now):
            if one.device == device:
                work.put_sign_in(replace(one, ended_at=now))


def keep_sign_in(engine: Engine, row: SignInRow) -> None:
    """Keep a sign-in, or what has changed of it."""
    with engine.change() as work:
        work.put_sign_in(row)


def _end_sign_ins(engine: Engine, work: UnitOfWork, person: str, now: int, stays: str = "") -> None:
    for one in engine.store.sign_ins(after=now):
        if one.staff == person and one.token_sha256 != stays:
            work.put_sign_in(replace(one, ended_at=now))


def _must_be_role(role: str) -> None:
    if role not in ROLES:
        raise Refused("X_VALUE_WRONG", f"A role is one of: {', '.join(ROLES)}.")


def _must_leave_a_manager(engine: Engine, row: StaffRow) -> None:
    managers = [one for one in engine.store.staff() if one.role == "manager" and one.ended_at is None]
    if row.role == "manager" and len(managers) == 1:
        raise Refused("X_LAST_MANAGER", "This is the only manager. Enter another one first.")
