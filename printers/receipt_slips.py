"""Receipts (SS-117): for a prize paid on the floor, and for a held prize handed over. Two copies: guest's, the file's.

Only the guest's copy carries the guest's secret `s`, as text and in the check address (draw record, "References").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from printers.amounts import figures, in_words
from printers.layout import Field, Gap, Part, Qr, Rule, Text
from printers.slip_facts import HouseFacts, Words, grouped, masked_card, when


def receipt(data: Mapping[str, Any], house: HouseFacts, say: Words) -> list[tuple[Part, ...]]:
    """The guest's copy with the check key, and the copy for the file with the declaration and the signature."""
    title = say("receipt.claim" if data["held"] else "receipt.winner")
    facts = _facts(data, say)
    declared = (Rule(), Text(say("receipt.declaration")), *_signature(data, say))
    return [
        (
            Text(title, "center", bold=True),
            Text(say("copy.guest"), "center"),
            *facts,
            *declared,
            *_check(data, house, say),
        ),
        (Text(title, "center", bold=True), Text(say("copy.house"), "center"), *facts, *declared),
    ]


def _facts(data: Mapping[str, Any], say: Words) -> tuple[Part, ...]:
    cents, currency = int(data["amount"]), str(data["currency"])
    pocket: tuple[Part, ...] = (Field(say("envelope"), data["pocket"]),) if data["pocket"] else ()
    position: tuple[Part, ...] = (Field(say("position"), data["position"]),) if data["position"] else ()
    return (
        Rule(),
        Field(say("serial"), data["serial"], bold=True),
        Field(say("promotion"), data["promotion"]),
        Field(say("draw"), data["title"]),
        Field(say("draw.id"), data["draw"]),
        Field(say("claim"), data["claim"]),
        Field(say("award"), str(data["award"])),
        *position,
        Field(say("guest"), data["guest"], bold=True),
        Field(say("card"), masked_card(data["card"], say)),
        *pocket,
        Rule(),
        Text(say("receipt.amount"), "center"),
        Text(figures(cents, currency), "center", bold=True, big=True),
        Text(in_words(cents, currency), "center", bold=True),
        Rule(),
        Field(say("receipt.paid_at"), when(int(data["paid_at"]), data["zone"], say)),
        Field(say("receipt.staff"), data["staff"]),
    )


def _signature(data: Mapping[str, Any], say: Words) -> tuple[Part, ...]:
    signed = say("receipt.signed" if data["signed"] else "receipt.not_signed")
    return (Gap(2), Text("_" * 32), Text(say("receipt.signature")), Text(signed))


def _check(data: Mapping[str, Any], house: HouseFacts, say: Words) -> tuple[Part, ...]:
    address = f"{house.check_address}#s={data['secret']}&draw={data['draw']}"
    return (
        Rule(),
        Text(say("receipt.check", address=house.check_address)),
        Qr(address, say("receipt.qr")),
        Text(say("receipt.key"), bold=True),
        Text(grouped(data["secret"])),
        Text(say("receipt.ref"), bold=True),
        Text(grouped(data["ref"])),
    )
