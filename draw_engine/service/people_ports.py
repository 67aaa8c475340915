"""What sign-in asks of the store: staff, enrolled devices, sign-ins and the table of look-ups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

SECRET_KINDS = PIN, PASSWORD, CODE = "pin", "password", "code"
"""A PIN (on the house's own devices), a password (anywhere), a code that is good for one sign-in."""
DEVICE_KINDS = ("crew", "stage", "desk", "console", "kiosk", "screen", "witness")


@dataclass(frozen=True, slots=True)
class StaffRow:
    """A person of the house. `secret`: argon2 hash, None = cannot sign in; `secret_until`: end of a code (ms).

    `valid_from`, `valid_until`: a dated sign-in, the second excluded; `ended_at`: works here no more.
    `code_by`, `code_at`: the actor who gave them their last code, and when (ms).
    """

    id: str
    name: str
    role: str
    entered_at: int
    changed_at: int
    secret: str | None = field(default=None, repr=False)
    secret_kind: str | None = None
    secret_until: int | None = None
    valid_from: int | None = None
    valid_until: int | None = None
    ended_at: int | None = None
    code_by: str | None = None
    code_at: int | None = None

    @property
    def actor(self) -> str:
        return f"{self.role}:{self.id}"


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """An enrolled device; its token is kept as SHA-256 (hex). `title`: what people call it; a screen's is its name."""

    id: str
    kind: str
    title: str
    token_sha256: str = field(repr=False)
    enrolled_at: int
    enrolled_by: str
    revoked_at: int | None = None


@dataclass(frozen=True, slots=True)
class SignInRow:
    """One sign-in, by the SHA-256 (hex) of its token. Times in ms; `ends_at`: at the latest; `seen_at`: last used."""

    token_sha256: str = field(repr=False)
    staff: str
    device: str | None
    began_at: int
    seen_at: int
    ends_at: int
    ended_at: int | None = None


@dataclass(frozen=True, slots=True)
class AccessEntry:
    """A sign-in, a look-up or the read of a protected field: who, on what, which act, about whom (a keyed digest)."""

    n: int
    at: int
    who: str
    device: str
    act: str
    about: str
    code: str


class PeopleWork(Protocol):
    """The part of a transaction that writes them."""

    def put_staff(self, row: StaffRow) -> None:
        """Enter a person, or keep what has changed of them."""

    def put_device(self, row: DeviceRow) -> None: ...

    def put_sign_in(self, row: SignInRow) -> None: ...

    def note_access(self, *, at: int, who: str, device: str, act: str, about: str, code: str) -> int:
        """Append to the table of look-ups; gives its number, from 1 without a gap."""


class PeopleStore(Protocol):
    """The part of the store that reads them."""

    def staff(self) -> list[StaffRow]: ...

    def devices(self) -> list[DeviceRow]: ...

    def sign_ins(self, *, after: int) -> list[SignInRow]:
        """The sign-ins that have not been ended and whose end lies after an instant (ms)."""

    def access_entries(self, first: int, last: int) -> Sequence[AccessEntry]:
        """The look-ups from number `first` to `last`, both included."""

    def last_access(self) -> int:
        """The number of the youngest look-up; 0 when there is none."""
