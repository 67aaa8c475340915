"""The members of an event, one by one: each gives the value read or refuses it (`X_EVENT_INVALID`), naming the member.

No sentence repeats what the event holds: it may be a guest's number.
"""

from __future__ import annotations

import re
from typing import Any
from unicodedata import normalize

from draw_engine.canonical import MAX_NUMBER, parse_time
from draw_engine.clock import Millis
from draw_engine.errors import Refused

# Positions and feeds come to stand in the record, whose ids are of this form (draw record 1, "Common forms");
# a table's position is recorded with "/" and its seat, 128 characters together.
_ID = re.compile(r"[A-Za-z0-9._/:-]{1,128}")
_POSITION = re.compile(r"[A-Za-z0-9._/:-]{1,111}")
_SEAT = re.compile(r"[A-Za-z0-9._:-]{1,16}")
# No control characters and no half characters: numbers stand in lines of text and in UTF-8.
_NUMBER = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,128}")
_MEMBER_NAME = re.compile(r"[a-z][a-z_]{0,31}")
_SECONDS = re.compile(r"[0-5][0-9]\.[0-9]{3}Z")
_REASON = re.compile(r"[^\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]{1,500}")


def invalid(sentence: str) -> Refused:
    """The refusal of an event whose members are not what the page says."""
    return Refused("X_EVENT_INVALID", sentence)


def name(value: Any, member: str) -> str:
    """A feed's id or a kind."""
    if type(value) is str and _ID.fullmatch(value):
        return value
    raise invalid(f"{member!r} must be 1 to 128 of the characters A-Z a-z 0-9 . _ / : -.")


def reason(value: dict[str, Any]) -> str:
    """Why a link was lost or came back, in a text of up to 500 characters."""
    text = value.get("reason")
    if type(text) is str and _REASON.fullmatch(text):
        return text
    raise invalid("'reason' must be a text of 1 to 500 characters.")


_minutes: dict[str, Millis] = {}


def time(text: Any, member: str) -> Millis:
    """Milliseconds of a time of exact form; the minute's part is remembered, since events come in its order."""
    if type(text) is str and len(text) == 24 and _SECONDS.fullmatch(text, 17):
        minute = _minutes.get(text[:17])
        if minute is None:
            minute = _minute(text[:17], member)
        return minute + int(text[17:19]) * 1000 + int(text[20:23])
    raise invalid(f"{member!r} must be a time of the form 2023-10-07T12:00:00.000Z.")


def _minute(text: str, member: str) -> Millis:
    try:
        minute = parse_time(f"{text}00.000Z")
    except ValueError:
        raise invalid(f"{member!r} must be a time of the form 2023-10-07T12:00:00.000Z.") from None
    if len(_minutes) >= 4096:
        _minutes.clear()
    _minutes[text] = minute
    return minute


def position(value: dict[str, Any]) -> str:
    """The machine or table, without the seat."""
    text = value.get("position")
    if type(text) is str and _POSITION.fullmatch(text):
        return text
    raise invalid("'position' must be 1 to 111 of the characters A-Z a-z 0-9 . _ / : -.")


def seat(value: Any) -> str:
    """A seat is a name; a bridge that counts seats may send the number."""
    if type(value) is str and _SEAT.fullmatch(value):
        return value
    if type(value) is int and 0 <= value <= 9999:
        return str(value)
    raise invalid("'seat' must be 1 to 16 of the characters A-Z a-z 0-9 . _ : -, or a whole number up to 9999.")


def number(value: dict[str, Any], member: str) -> str:
    """A member or card number as the card system has it, in NFC as the lists have it."""
    text = value.get(member)
    if type(text) is str and _NUMBER.fullmatch(text):
        return text if text.isascii() else normalize("NFC", text)
    raise invalid(f"{member!r} must be a text of 1 to 128 characters without control characters.")


def amount(value: dict[str, Any], member: str) -> int:
    """A whole number of games or cents, not negative."""
    amount = value.get(member)
    if type(amount) is int and 0 <= amount <= MAX_NUMBER:
        return amount
    raise invalid(f"{member!r} must be a whole number from 0 to 2^53-1.")


def only(value: dict[str, Any], names: frozenset[str]) -> None:
    """Refuse a member the page does not name: a misspelt one must not be lost in silence."""
    for member in value:
        if member not in names:
            raise invalid(f"This kind of event has no {_shown(member)}; take it out or mend its name.")


def _shown(member: object) -> str:
    return repr(member) if type(member) is str and _MEMBER_NAME.fullmatch(member) else "such member"
