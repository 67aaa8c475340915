"""The desks' slips: a register entry (SS-056), a held envelope's label (SS-042), the list of envelopes to return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from printers.layout import Field, Gap, Part, Rule, Text
from printers.slip_facts import HouseFacts, Words, day, masked_card, when


def decline_slip(data: Mapping[str, Any], _house: HouseFacts, say: Words) -> list[tuple[Part, ...]]:
    """An entry of the decline register, for the guest."""
    id_type = say.get(f"id.{data['id_type']}", str(data["id_type"]))
    covers = [Field(say("decline.covers") if n == 0 else "", title) for n, title in enumerate(data["covers"])]
    return [
        (
            Text(say("decline"), "center", bold=True),
            Rule(),
            Field(say("decline.entry"), str(data["entry"]), bold=True),
            Field(say("promotion"), data["promotion"]),
            Field(say("day"), day(data["day"], say)),
            *covers,
            Field(say("guest"), data["guest"], bold=True),
            Field(say("card"), masked_card(data["card"], say)),
            Field(say("decline.id"), say("decline.id_number", type=id_type, last=str(data["id_number"])[-4:])),
            Field(say("decline.contact"), data["contact"]),
            Field(say("decline.signed_at"), when(int(data["signed_at"]), data["zone"], say)),
            Field(say("decline.clerk"), data["clerk"]),
            Rule(),
            Text(say("decline.says")),
            Gap(2),
            Text("_" * 32),
            Text(say("receipt.signature")),
            Text(say("receipt.signed")),
        )
    ]


def envelope_label(data: Mapping[str, Any], _house: HouseFacts, say: Words) -> list[tuple[Part, ...]]:
    """The mark on an envelope that was drawn on the guest's behalf; it stays sealed."""
    return [
        (
            Text(say("label"), "center", bold=True),
            Rule(),
            Text(data["guest"], "center", bold=True, big=True),
            Text(masked_card(data["card"], say), "center", bold=True),
            Rule(),
            Field(say("envelope"), data["pocket"], bold=True),
            Field(say("promotion"), data["promotion"]),
            Field(say("draw.id"), data["draw"]),
            Field(say("claim"), data["claim"]),
            Field(say("award"), str(data["award"])),
            Field(say("label.date"), day(data["date"], say)),
            Field(say("label.claim_by"), day(data["claim_by"], say), bold=True),
            Field(say("label.desk"), say.get(f"desk.{data['desk']}", str(data["desk"]))),
            Field(say("label.rep"), data["rep"]),
            Field(say("label.witness"), data["witness"]),
            Rule(),
            Text(say("label.rule")),
        )
    ]


def return_list(data: Mapping[str, Any], _house: HouseFacts, say: Words) -> list[tuple[Part, ...]]:
    """The envelopes that go back, with lines for both signatures."""
    lines = [
        Text(
            say(
                "return.line",
                pocket=one["pocket"],
                claim=one["claim"],
                award=one["award"],
                claim_by=day(one["claim_by"], say),
            )
        )
        for one in data["pockets"]
    ]
    return [
        (
            Text(say("return"), "center", bold=True),
            Rule(),
            Field(say("promotion"), data["promotion"]),
            Field(say("return.desk"), say.get(f"desk.{data['desk']}", str(data["desk"]))),
            Field(say("day"), day(data["day"], say)),
            Field(say("return.count"), str(len(lines)), bold=True),
            Rule(),
            *(lines or [Text(say("return.none"))]),
            Rule(),
            Text(say("return.says")),
            Gap(2),
            Text("_" * 32),
            Text(say("return.given")),
            Gap(2),
            Text("_" * 32),
            Text(say("return.received")),
        )
    ]
