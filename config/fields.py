"""The forms that values of a TOML file take: each says in a sentence what to write instead."""

from __future__ import annotations

import difflib
import re
import unicodedata
from datetime import date, datetime, time
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from config.faults import NOT_SUPPORTED_TYPE, WRONG_TYPE, names, shown

YEARS = range(2000, 2200)
"""The years a date may lie in."""

_WALL_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
_PART_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,59}")
_ID = re.compile(r"[A-Za-z0-9._/:-]{1,128}")


def wrong(sentence: str) -> PydanticCustomError:
    """A wrong value; the sentence says what to write."""
    return PydanticCustomError(WRONG_TYPE, "{sentence}", {"sentence": sentence})


def not_supported(what: str, *, instead: str = "", key: str | None = None) -> PydanticCustomError:
    """A known variant that nobody built. `key`: where in the table it stands."""
    context: dict[str, Any] = {"what": what, "instead": instead} | ({} if key is None else {"key": key})
    return PydanticCustomError(NOT_SUPPORTED_TYPE, "{what} is not supported yet{instead}.", context)


class Form(BaseModel):
    """A table with exactly these keys. `later`: variants known by one key, each a table with other keys of its own."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=False)
    later: ClassVar[dict[str, tuple[str, ...]]] = {}

    @model_validator(mode="before")
    @classmethod
    def _refuse_later(cls, table: Any) -> Any:
        for key, variants in cls.later.items():
            value = table.get(key) if isinstance(table, dict) else None
            if isinstance(value, str) and value in variants:
                raise not_supported(f'{key} = "{value}"', key=key)
        return table


def closed(built: tuple[str, ...], later: tuple[str, ...] = ()) -> AfterValidator:
    """One of a closed set of words; those of `later` are known and not built."""

    def one_of(value: str) -> str:
        if value in built:
            return value
        if value in later:
            raise not_supported(shown(value), instead=f": write {names(map(shown, built))}")
        close = difflib.get_close_matches(value, [*built, *later], n=1)
        hint = f" (did you mean {shown(close[0])}?)" if close else ""
        raise wrong(f"Write {names(map(shown, built))} instead of {shown(value)}{hint}.")

    return AfterValidator(one_of)


def _text(value: str) -> str:
    if not value.strip() or value != value.strip():
        raise wrong("Write a text that is not empty and has no space at either end.")
    if len(value) > 200 or any(unicodedata.category(c)[0] == "C" for c in value):
        raise wrong("Write at most 200 characters on one line, none of them a control character.")
    return value


def _part_id(value: str) -> str:
    if not _PART_ID.fullmatch(value):
        raise wrong("Write an id of at most 60 letters, digits and . _ : - that begins with a letter or digit.")
    return value


def _id(value: str) -> str:
    if not _ID.fullmatch(value):
        raise wrong("Write an id of 1 to 128 letters, digits and . _ / : - alone.")
    return value


def _wall_time(value: Any) -> time:
    if isinstance(value, str) and _WALL_TIME.fullmatch(value):
        return time.fromisoformat(value)
    hint = ' (the day\'s end is "00:00")' if value == "24:00" else ""
    raise wrong(f'Write a time of day as "14:00", in quotes, instead of {shown(value)}{hint}.')


def _day(value: Any) -> date:
    if isinstance(value, date) and not isinstance(value, datetime):
        if value.year in YEARS:
            return value
        raise wrong(f"Write a year from {YEARS[0]} to {YEARS[-1]}.")
    raise wrong(f"Write a date as 2023-10-07, without quotes or a time, instead of {shown(value)}.")


def each_once(values: list[Any]) -> list[Any]:
    """A list in which nothing stands twice."""
    twice = [value for n, value in enumerate(values) if value in values[:n]]
    if twice:
        raise wrong(f"{shown(twice[0])} stands twice in the list: take one out.")
    return values


def _true(value: bool) -> bool:  # noqa: FBT001 - pydantic calls it
    if not value:
        raise not_supported("false", instead=": write true")
    return value


Text = Annotated[str, AfterValidator(_text)]
PartId = Annotated[str, AfterValidator(_part_id)]
"""An id that becomes a part of a longer one, of an address or of a file's name: no slash."""
Id = Annotated[str, AfterValidator(_id)]
WallTime = Annotated[time, BeforeValidator(_wall_time)]
Day = Annotated[date, BeforeValidator(_day)]
TrueAlone = Annotated[bool, AfterValidator(_true)]
"""A switch whose other side nobody built."""
Once = AfterValidator(each_once)
Texts = Annotated[list[Text], Once, Field(min_length=1)]
Days = Annotated[list[Day], Once]
