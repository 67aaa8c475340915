"""South African ID numbers as they are typed from the paper: length, date and check digit (python-stdnum)."""

from __future__ import annotations

from datetime import date

from stdnum.exceptions import ValidationError
from stdnum.za import idnr

from draw_engine.errors import Refused

SA_ID = "sa_id"
_ADULT = 18


def require_sound(id_type: str, id_number: str, code: str, today: date) -> None:
    """Refused `code` for a South African number that cannot be one; SS_UNDER_AGE for one of somebody under 18.

    Other papers are not judged: their numbers have no check digit that the house could know.
    """
    if id_type != SA_ID or not id_number.strip():
        return
    try:
        number = idnr.validate(id_number.replace("-", "").replace(".", "").replace("/", ""))
    except ValidationError:
        sentence = "This is no South African ID number: a digit is wrong. Read all thirteen from the paper again."
        raise Refused(code, sentence) from None
    if _age(_born(number, today), today) < _ADULT:
        raise Refused("SS_UNDER_AGE", "By this paper the guest is under 18 and may not take part. Call a manager.")


def _born(number: str, today: date) -> date:
    """The birth date within the number. Two digits of a year leave the century open: the last one that is past."""
    year, month, day = (int(number[at : at + 2]) for at in (0, 2, 4))
    for century in (today.year // 100 * 100, today.year // 100 * 100 - 100):
        try:
            born = date(century + year, month, day)
        except ValueError:  # 29 February of a year that has none in this century
            continue
        if born <= today:
            return born
    return date(today.year // 100 * 100 - 100 + year, month, min(day, 28))


def _age(born: date, today: date) -> int:
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))
