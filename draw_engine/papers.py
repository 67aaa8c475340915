"""What a guest shows and leaves at the desk: identification and contact (rules 11, 15)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from draw_engine.errors import Refused

ID_TYPES = ("sa_id", "passport", "drivers_licence")
"""The papers that count as positive and acceptable identification (ambiguity A-SS-33)."""

_ID_NUMBER = re.compile(r"[0-9A-Z]{4,20}")
_SA_ID = re.compile(r"[0-9]{13}")
_PHONE = re.compile(r"\+?[0-9]{7,15}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+")


@dataclass(frozen=True, slots=True)
class Identification:
    """A paper that was shown: its type and number (capital letters and digits)."""

    type: str
    number: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Contact:
    """How a guest may be reached; either may be empty."""

    phone: str = field(repr=False)
    email: str = field(repr=False)


def identification(id_type: str, id_number: str, code: str) -> Identification:
    """The paper shown. Raises Refused with `code` when it is none that counts, or its number cannot be one."""
    number = re.sub(r"[\s/.-]", "", str(id_number)).upper()
    if id_type not in ID_TYPES:
        raise Refused(code, "Ask for a South African ID, a passport or a driver's licence, and note its number.")
    if not _ID_NUMBER.fullmatch(number):
        raise Refused(code, "Type the number of the paper shown: letters and digits as they stand on it.")
    if id_type == "sa_id" and not _SA_ID.fullmatch(number):
        raise Refused(code, "A South African ID number has 13 digits. Compare it with the paper and type it again.")
    return Identification(id_type, number)


def contact(phone: str, email: str, *, required: bool) -> Contact:
    """The contact details left. Raises Refused SS_REGISTER_CONTACT_REQUIRED where none is, or one cannot be right."""
    number, address = re.sub(r"[\s()/.-]", "", str(phone)), str(email).strip()
    if required and not number and not address:
        raise Refused(
            "SS_REGISTER_CONTACT_REQUIRED", "Ask for a telephone number or an e-mail address: a prize is kept for it."
        )
    if number and not _PHONE.fullmatch(number):
        raise Refused("SS_REGISTER_CONTACT_REQUIRED", "A telephone number has 7 to 15 digits. Type it again.")
    if address and (len(address) > 254 or not _EMAIL.fullmatch(address)):
        raise Refused("SS_REGISTER_CONTACT_REQUIRED", "The e-mail address is not complete. Type it again.")
    return Contact(number, address)


def last_four(number: str) -> str:
    """The end of a number, as slips show it."""
    return number[-4:]


def masked(shown: Contact) -> str:
    """A contact as a slip shows it: the end of the telephone number, the beginning of the e-mail address."""
    phone = f"...{last_four(shown.phone)}" if shown.phone else ""
    name, _, place = shown.email.partition("@")
    email = f"{name[:1]}...@{place}" if shown.email else ""
    return ", ".join(part for part in (phone, email) if part)
