"""What every slip needs: the house's own facts, words with gaps to fill, and instants as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class HouseFacts:
    """What stands on every slip of a property, and where a guest checks a draw."""

    property_name: str
    statutory_line: str
    check_address: str


class Words:
    """A table of words; called with a key and what fills the gaps."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self._table = table

    def __call__(self, key: str, **said: object) -> str:
        text = self._table[key]
        return text.format(**{name: str(value) for name, value in said.items()}) if said else text

    def get(self, key: str, otherwise: str) -> str:
        return self._table.get(key, otherwise)


def when(at: int, zone: str, say: Words) -> str:
    """`Sat 7 Oct 2023, 16:05:07` of an instant in ms, in the property's zone."""
    moment = (_EPOCH + timedelta(milliseconds=at)).astimezone(ZoneInfo(zone))
    return f"{_day(moment, say)}, {moment:%H:%M:%S}"


def day(date: str, say: Words) -> str:
    """`Sat 7 Oct 2023` of a date as 2023-10-07."""
    return _day(datetime.fromisoformat(date), say)


def _day(moment: datetime, say: Words) -> str:
    weekday, month = say("days").split()[moment.weekday()], say("months").split()[moment.month - 1]
    return f"{weekday} {moment.day} {month} {moment.year}"


def grouped(text: str) -> str:
    """Hex in groups of four, as a person copies it."""
    return " ".join(text[i : i + 4] for i in range(0, len(text), 4))


def masked_card(card: str, say: Words) -> str:
    """A card by its last four signs alone, however many were given; a guest without one."""
    return say("card.masked", last=card[-4:]) if card else say("none")
