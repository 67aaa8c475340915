"""Dates, times and money in plain English, whatever the machine's own language is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def day_words(day: date) -> str:
    """`7 October 2023`."""
    return f"{day_of_year_words(day)} {day.year}"


def day_of_year_words(day: date) -> str:
    """`7 October`."""
    return f"{day.day} {_MONTHS[day.month - 1]}"


def long_day_words(day: date) -> str:
    """`Saturday 7 October 2023`."""
    return f"{WEEKDAYS[day.weekday()]} {day_words(day)}"


def days_words(days: Sequence[date]) -> list[str]:
    """Days by month, a line each: `October 2023: 7, 14, 21, 28`."""
    months: dict[tuple[int, int], list[int]] = {}
    for day in days:
        months.setdefault((day.year, day.month), []).append(day.day)
    return [f"{_MONTHS[m - 1]} {y}: {', '.join(map(str, numbers))}" for (y, m), numbers in months.items()]


def money(cents: int, currency: str) -> str:
    """`ZAR 1,000.00` of 100000."""
    return f"{currency} {cents // 100:,}.{cents % 100:02d}"


def wall(moment: time) -> str:
    """`14:00`."""
    return moment.isoformat("minutes")


def span_words(seconds: int) -> str:
    """`90 seconds`, `5 minutes`, `2 hours`: the largest unit that is exact."""
    for unit, length in (("hour", 3600), ("minute", 60)):
        if seconds and seconds % length == 0 and seconds != length * 1.5:
            return counted(seconds // length, unit)
    return counted(seconds, "second")


def counted(number: int, noun: str) -> str:
    """`1 day`, `2 days`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
