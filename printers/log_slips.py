"""A signed checkpoint on paper: its seven lines, readable and as a code, for a stranger to hold against a log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from printers.layout import Field, Part, Qr, Rule, Text
from printers.slip_facts import HouseFacts, Words, grouped, when


def checkpoint_sheet(data: Mapping[str, Any], _house: HouseFacts, say: Words) -> list[tuple[Part, ...]]:
    """The slip of a checkpoint. `data["slip"]`: its seven lines, each with its line feed."""
    slip = str(data["slip"])
    title: tuple[Part, ...] = (Field(say("draw"), data["title"]),) if data["title"] else ()
    return [
        (
            Text(say("checkpoint"), "center", bold=True),
            Text(say(f"checkpoint.{data['occasion']}"), "center"),
            Rule(),
            *title,
            Field(say("checkpoint.made_at"), when(int(data["at"]), data["zone"], say)),
            *_commitment(str(data.get("commitment") or ""), say),
            Rule(),
            Text(say("checkpoint.says")),
            Qr(slip, say("checkpoint.qr")),
            *(Text(line) for line in slip.removesuffix("\n").split("\n")),
        )
    ]


def _commitment(commitment: str, say: Words) -> tuple[Part, ...]:
    return (Text(say("checkpoint.commitment")), Text(grouped(commitment))) if commitment else ()
