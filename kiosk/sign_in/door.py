"""Who is at the door: sign-ins and enrolled devices, known in memory and kept in the database.

A request carries a cookie with a random token; the database and this memory hold its SHA-256 alone. A restart of the
core signs nobody out. What is changed goes through the engine's thread like every other change.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from threading import RLock

from draw_engine.errors import Refused
from draw_engine.service import access_notes, staffing
from draw_engine.service.engine import Engine
from draw_engine.service.people_ports import CODE, PASSWORD, DeviceRow, SignInRow, StaffRow
from kiosk.core import Core
from kiosk.sign_in.secret_hash import Secrets, kind_of, new_code, plain_code
from kiosk.sign_in.tries import Tries

LASTS_MS = 12 * 3_600_000
"""A sign-in ends at the latest: a shift and the walk home."""
_HOUR = 3_600_000
IDLE_MS: Mapping[str, int] = {
    **dict.fromkeys(("crew", "stage", "witness"), 4 * _HOUR),
    **dict.fromkeys(("desk", "customer_services", "marketing", "manager", "auditor"), _HOUR // 2),
}
"""It ends when it was not used for so long. A tablet in the crew's hands waits for the next selection, a witness for
the session's end."""
CODE_LASTS_MS = 24 * _HOUR
CODE_COUNTS_MS = 24 * _HOUR
"""So long whoever gave a code cannot be one of two with whoever has it."""
OFFER_LASTS_MS = 15 * 60_000
_KEEP_SEEN_EVERY_MS = 60_000
HERE, ELSEWHERE = "this machine", "elsewhere"
_NOT_RIGHT = (
    "The number or the secret is not right. Away from the house's own devices a PIN does not do; use your password."
)
_SECOND_NOT_RIGHT = "The second person's number or secret is not right. They type it themselves."


@dataclass(frozen=True, slots=True)
class Person:
    """Who is signed in."""

    id: str
    name: str
    role: str

    @property
    def actor(self) -> str:
        return f"{self.role}:{self.id}"


@dataclass(frozen=True, slots=True)
class Offer:
    """A code by which one device may be enrolled."""

    kind: str
    title: str
    by: str
    until: int


class Door:
    """The sign-ins of one core. `load` first, on the engine's thread."""

    def __init__(self, core: Core, secrets_kept: Secrets | None = None) -> None:
        self._core = core
        self._secrets = secrets_kept or Secrets()
        self._lock = RLock()
        self._staff: dict[str, StaffRow] = {}
        self._devices: dict[str, DeviceRow] = {}
        self._sign_ins: dict[str, SignInRow] = {}
        self._offers: dict[str, Offer] = {}
        self.tries = Tries()
        self.on_end: list[Callable[[str], None]] = []
        """Told the digest of every sign-in that has ended, and of every device taken away: its sockets are cut."""
        self.on_load: list[Callable[[], None]] = []
        """Told when staff or devices have been read again."""

    def load(self, engine: Engine) -> None:
        """Read staff, devices and sign-ins from the database; those that are no more are told of."""
        with self._lock:
            before = {*self._sign_ins, *self._devices}
            self._staff = {row.id: row for row in engine.store.staff()}
            self._devices = {row.token_sha256: row for row in engine.store.devices() if row.revoked_at is None}
            kept = self._sign_ins
            rows = {row.token_sha256: row for row in engine.store.sign_ins(after=engine.now())}
            # What memory saw last is younger than what was kept.
            self._sign_ins = {
                token: replace(row, seen_at=max(row.seen_at, kept[token].seen_at)) if token in kept else row
                for token, row in rows.items()
            }
            gone = before - {*self._sign_ins, *self._devices}
        for tell in self.on_load:
            tell()
        self._tell_ended(gone)

    # -- who asks ---------------------------------------------------------------------------------------------------

    def device(self, token: str) -> DeviceRow | None:
        """The enrolled device of a cookie."""
        return self._devices.get(_sha256(token)) if token else None

    def sign_in_of(self, token: str, now: int, *, used: bool = True) -> SignInRow | None:
        """The sign-in of a cookie; None when there is none, or it has ended. `used`: somebody did something."""
        if not token:
            return None
        digest = _sha256(token)
        with self._lock:
            row = self._sign_ins.get(digest)
            if row is None:
                return None
            person = self._staff.get(row.staff)
            if person is None or not _may_be_in(person, now) or now >= ends_at(row, person.role):
                del self._sign_ins[digest]
            else:
                if used and now > row.seen_at:
                    row = self._sign_ins[digest] = replace(row, seen_at=now)
                return row
        self._tell_ended({digest})
        return None

    def person(self, row: SignInRow) -> Person:
        """Whose sign-in it is."""
        found = self._staff[row.staff]
        return Person(found.id, found.name, found.role)

    def must_change(self, person: str) -> bool:
        """Whether they came in by a code and choose a secret of their own first."""
        return self._staff[person].secret_kind == CODE

    def people(self) -> list[StaffRow]:
        """Who works here, by name."""
        return sorted((row for row in self._staff.values() if row.ended_at is None), key=lambda row: row.name)

    def devices(self) -> list[DeviceRow]:
        """The enrolled devices, the oldest first."""
        return sorted(self._devices.values(), key=lambda row: row.enrolled_at)

    def signed_in(self) -> list[SignInRow]:
        """The sign-ins there are."""
        with self._lock:
            return list(self._sign_ins.values())

    # -- in and out -------------------------------------------------------------------------------------------------

    def sign_in(self, number: str, secret: str, *, device: DeviceRow | None, address: str, here: bool) -> str:
        """The cookie of a new sign-in. Raises Refused X_WRONG_SECRET, X_LOCKED_OUT, X_TOO_MANY_TRIES."""
        place = HERE if here else ELSEWHERE if device is None else device.id
        row = self._proved(number, secret, place, address, _NOT_RIGHT)
        token = secrets.token_urlsafe(32)
        known = None if device is None else device.id

        def keep(engine: Engine) -> SignInRow:
            now = engine.now()
            made = SignInRow(_sha256(token), row.id, known, began_at=now, seen_at=now, ends_at=now + LASTS_MS)
            with engine.change():
                staffing.keep_sign_in(engine, made)
                access_notes.note(engine, who=row.actor, act="sign_in", device=known or place)
            return made

        made = self._core.ask(keep)
        with self._lock:
            self._sign_ins[made.token_sha256] = made
        return token

    def sign_out(self, token: str) -> None:
        """End a sign-in; harmless when it has ended."""
        with self._lock:
            row = self._sign_ins.pop(_sha256(token), None)
        if row is None:
            return

        def keep(engine: Engine) -> None:
            with engine.change():
                staffing.keep_sign_in(engine, replace(row, ended_at=engine.now()))
                access_notes.note(engine, who=self._staff[row.staff].actor, act="sign_out", device=row.device or "")

        self._core.ask(keep)
        self._tell_ended({row.token_sha256})

    def second(
        self, number: str, secret: str, *, beside: str, device: DeviceRow | None, address: str, here: bool
    ) -> Person:
        """The second person beside `beside` (id), who proves it on the spot.

        Raises Refused X_WRONG_SECRET, X_LOCKED_OUT, X_GAVE_THE_CODE (one of the two gave the other a code today: who
        gave it could be both).
        """
        place = HERE if here else ELSEWHERE if device is None else device.id
        row = self._proved(number, secret, place, address, _SECOND_NOT_RIGHT)
        if row.secret_kind == CODE:
            raise Refused("X_WRONG_SECRET", "They sign in once by themselves first and choose a secret of their own.")
        first = self._staff.get(beside)
        if first is not None and (self._gave_today(first, row) or self._gave_today(row, first)):
            self._note(row.actor, "second.refused", place, code="X_GAVE_THE_CODE")
            raise Refused("X_GAVE_THE_CODE", "One of you gave the other a sign-in code today. Ask somebody else.")
        self._note(row.actor, "second", place)
        return Person(row.id, row.name, row.role)

    def _gave_today(self, one: StaffRow, other: StaffRow) -> bool:
        """Whether `one` gave `other` their last code within a day."""
        giver = (other.code_by or "").partition(":")[2]
        return giver == one.id and self._core.stamp() - (other.code_at or 0) < CODE_COUNTS_MS

    def change_secret(self, person: str, old: str, new: str, *, address: str, place: str, token: str) -> None:
        """Choose another secret; of their sign-ins `token`'s alone goes on. Refused X_WRONG_SECRET, X_SECRET_WEAK."""
        row = self._proved(person, old, place, address, "The secret you have now is not right.")
        kind = kind_of(new)
        if self._secrets.is_right(row.secret, new):
            raise Refused("X_SECRET_WEAK", "This is the secret you have. Choose another one.")
        self.put_secret(person, new, kind, stays=_sha256(token))
        self._note(row.actor, "secret.changed", place)

    def put_secret(
        self, person: str, secret: str, kind: str, *, until: int | None = None, stays: str = "", by: str = ""
    ) -> None:
        """Keep a secret for them. `stays`: the SHA-256 of the token of the one sign-in of theirs that goes on."""
        hashed = self._secrets.hash(secret)
        self.change(lambda engine: staffing.put_secret(engine, person, hashed, kind, until=until, stays=stays, by=by))

    def give_code(self, person: str, *, by: str = staffing.TECHNICIAN) -> tuple[str, int]:
        """A code for their next sign-in, and until when it holds; their old secret opens nothing any more.

        `by`: the actor who gives it. Whoever has the code is that person: it is kept who gave it.
        """
        code = new_code()
        until = self._core.stamp() + CODE_LASTS_MS
        self.put_secret(person, code, CODE, until=until, by=by)
        self._note(by, "secret.code", "", about=person)
        self.tries.unlock(person)
        return code, until

    def unlock(self, person: str, *, by: str) -> None:
        """Let them try again everywhere. `by`: the actor who says so; it is kept."""
        self._note(by, "unlocked", "", about=person)
        self.tries.unlock(person)

    # -- devices ----------------------------------------------------------------------------------------------------

    def offer(self, kind: str, title: str, by: str) -> tuple[str, int]:
        """A code by which one device is enrolled, and until when it holds."""
        code, until = new_code(), self._core.stamp() + OFFER_LASTS_MS
        with self._lock:
            self._offers = {key: one for key, one in self._offers.items() if one.until > self._core.stamp()}
            self._offers[code] = Offer(kind, title, by, until)
        return code, until

    def enrol(self, code: str, *, address: str) -> tuple[str, DeviceRow]:
        """The cookie of a newly enrolled device, by its code. Raises Refused X_CODE_WRONG, X_TOO_MANY_TRIES."""
        now = self._core.stamp()
        if not self.tries.may_ask(address, now):
            raise Refused("X_TOO_MANY_TRIES", "Too many tries from here. Wait a minute.")
        with self._lock:
            offer = self._offers.pop(plain_code(code), None)
        if offer is None or now >= offer.until:
            raise Refused("X_CODE_WRONG", "This code is not right, or no longer. Ask a manager for a new one.")
        token = secrets.token_urlsafe(32)
        made: list[DeviceRow] = []

        def keep(engine: Engine) -> None:
            name = secrets.token_hex(4)
            row = staffing.enrol(
                engine, kind=offer.kind, title=offer.title, token_sha256=_sha256(token), device=name, by=offer.by
            )
            access_notes.note(engine, who=offer.by, act="device.enrolled", device=name)
            made.append(row)

        self.change(keep)
        return token, made[0]

    # -- changing ---------------------------------------------------------------------------------------------------

    def change(self, act: Callable[[Engine], object]) -> None:
        """Do something on the engine's thread that changes staff, devices or sign-ins, then read them again."""

        def done(engine: Engine) -> None:
            with engine.change():
                act(engine)
            staffing.refresh(engine)
            self.load(engine)

        self._core.ask(done)

    def keep_seen(self, engine: Engine) -> None:
        """Keep, now and then, when each sign-in was last used: a restart must not end those that are in use."""
        kept = {row.token_sha256: row for row in engine.store.sign_ins(after=engine.now())}
        with self._lock:
            late = [
                row
                for token, row in self._sign_ins.items()
                if token in kept and row.seen_at - kept[token].seen_at > _KEEP_SEEN_EVERY_MS
            ]
        if late:
            with engine.change() as work:
                for row in late:
                    work.put_sign_in(row)

    def end_idle(self, now: int) -> None:
        """Cut what has ended by time alone: an open socket must not outlive its sign-in."""
        with self._lock:
            over = {
                token
                for token, row in self._sign_ins.items()
                if (person := self._staff.get(row.staff)) is None
                or not _may_be_in(person, now)
                or now >= ends_at(row, person.role)
            }
            for token in over:
                del self._sign_ins[token]
        self._tell_ended(over)

    # -- inside -----------------------------------------------------------------------------------------------------

    def _proved(self, number: str, secret: str, place: str, address: str, sentence: str) -> StaffRow:
        """The person whose secret it is. Every way of not being so takes as long and reads the same."""
        now = self._core.stamp()
        # A device of the house is counted by itself: strangers in its network cannot keep it from asking.
        if not self.tries.may_ask(address if place in {HERE, ELSEWHERE} else f"device {place}", now):
            raise Refused("X_TOO_MANY_TRIES", "Too many tries from here. Wait a minute, then try again.")
        person = number.strip().lower()[:60]
        row = self._staff.get(person)
        until = self.tries.locked_until(person, place, now)
        if until is not None:
            raise _locked_out(until, now)
        may = row is not None and _may_be_in(row, now) and _may_here(row, place, now)
        said = plain_code(secret) if row is not None and row.secret_kind == CODE else secret
        kept = row.secret if may and row is not None else None
        is_right = self._secrets.is_right(kept, said, stranger=place == ELSEWHERE)
        # Of many that were sent at once, those after the fifth wrong one learn nothing.
        until = self.tries.locked_until(person, place, now)
        if until is not None:
            raise _locked_out(until, now)
        if is_right and row is not None:
            self.tries.right(person, place)
            return row
        until = self.tries.wrong(person, place, now, known=row is not None)
        # Out there anybody may guess as many numbers as they like: that must not fill the table, nor the disk's time.
        if place != ELSEWHERE or self.tries.may_ask("notes of elsewhere", now):
            who = row.actor if row is not None else ""
            self._note(who, "sign_in.refused" if until is None else "sign_in.locked", place, code="X_WRONG_SECRET")
        if until is not None:
            raise _locked_out(until, now)
        raise Refused("X_WRONG_SECRET", sentence)

    def _note(self, who: str, act: str, device: str, code: str = "", about: str = "") -> None:
        def keep(engine: Engine) -> None:
            named = access_notes.about_of(engine, about) if about else ""
            access_notes.note(engine, who=who, act=act, device=device, about=named, code=code)

        self._core.ask(keep)

    def _tell_ended(self, tokens: set[str]) -> None:
        for token in tokens:
            for tell in self.on_end:
                tell(token)


def ends_at(row: SignInRow, role: str) -> int:
    """When a sign-in ends if nothing more is done with it (ms)."""
    return min(row.ends_at, row.seen_at + IDLE_MS[role])


def _may_be_in(row: StaffRow, now: int) -> bool:
    begun = row.valid_from is None or now >= row.valid_from
    return row.ended_at is None and begun and (row.valid_until is None or now < row.valid_until)


def _may_here(row: StaffRow, place: str, now: int) -> bool:
    """A PIN is short: it does at the house's own devices alone. A code ends."""
    if row.secret_kind == CODE:
        return row.secret_until is None or now < row.secret_until
    return row.secret_kind == PASSWORD or place != ELSEWHERE


def _locked_out(until: int, now: int) -> Refused:
    minutes = max(1, -(-(until - now) // 60_000))
    wait = "a minute" if minutes == 1 else f"{minutes} minutes"
    return Refused("X_LOCKED_OUT", f"Too many wrong tries. Wait {wait}, or ask a manager to unlock you.")


def _sha256(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
