"""An amount of money as a slip says it: in figures, and in words that nobody alters with one stroke of a pen."""

from __future__ import annotations

MOST_CENTS = 1_000_000_00
"""The largest amount that can be put into words: one million."""

_SIGNS = {"ZAR": "R"}
_UNITS = {"ZAR": ("rand", "rand"), "USD": ("dollar", "dollars"), "EUR": ("euro", "euros"), "GBP": ("pound", "pounds")}
_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def figures(cents: int, currency: str) -> str:
    """`R 1,250.00`; another currency by its three letters. ASCII alone: a wrong code page cannot alter it."""
    _check(cents)
    return f"{_SIGNS.get(currency, currency)} {cents // 100:,}.{cents % 100:02}"


def in_words(cents: int, currency: str) -> str:
    """`Seven hundred and fifty rand`, `… and fifty cents` where there are cents. ValueError over a million."""
    _check(cents)
    whole, rest = divmod(cents, 100)
    one, many = _UNITS.get(currency, (currency, currency))
    said = f"{_number(whole)} {one if whole == 1 else many}"
    if rest:
        said += f" and {_number(rest)} {'cent' if rest == 1 else 'cents'}"
    return said[0].upper() + said[1:]


def _check(cents: int) -> None:
    if not 0 <= cents <= MOST_CENTS:
        raise ValueError("an amount on a slip is from nothing to one million")


def _number(n: int) -> str:
    if n == 1_000_000:
        return "one million"
    thousands, rest = divmod(n, 1000)
    if not thousands:
        return _below_thousand(rest)
    said = f"{_below_thousand(thousands)} thousand"
    if not rest:
        return said
    return f"{said} and {_below_thousand(rest)}" if rest < 100 else f"{said} {_below_thousand(rest)}"


def _below_thousand(n: int) -> str:
    hundreds, rest = divmod(n, 100)
    if not hundreds:
        return _below_hundred(rest)
    said = f"{_SMALL[hundreds]} hundred"
    return f"{said} and {_below_hundred(rest)}" if rest else said


def _below_hundred(n: int) -> str:
    if n < 20:
        return _SMALL[n]
    tens, ones = divmod(n, 10)
    return f"{_TENS[tens]}-{_SMALL[ones]}" if ones else _TENS[tens]
