"""Canned hours at the desk, made as those of scenes.py: nobody in them is real."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from console_scenes import STAFF
from scenes import PROMOTION

from kiosk.desk.messages import (
    BatchLine,
    DeskSnapshot,
    HeldLine,
    PrinterLine,
    RegisterLine,
    RegisterState,
    SlipLine,
    Tray,
    WhereLine,
)
from web_display.console_messages import StaffMember

DESKS = {
    "rewards": "Rewards Guest Relations Desk",
    "customer_services": "Customer Services Desk",
    "marketing": "Marketing Department",
    "cash": "Cash desk",
}
PEOPLE = (
    *(replace(person, role="manager" if "manager" in person.role else "crew") for person in STAFF),
    StaffMember("refilwe", "Refilwe Molefe", "desk"),
    StaffMember("lindiwe", "Lindiwe Cele", "customer_services"),
    StaffMember("riaan", "Riaan Fourie", "marketing"),
    StaffMember("hester", "Hester Louw", "auditor"),
)
COUNTED_BY = "Naledi Khumalo, Riaan Fourie"
OUT_OF_PAPER = "Crew 2: Out of paper. Put in a new roll and close the cover; it goes on by itself."
SILENT = "Stage: It takes slips but answers no question. Look after each slip whether it came out, and say so."
DRAW = "silverstar/playtime/2023-10-07/bonus-jackpot-1"


def _held() -> tuple[HeldLine, ...]:
    common = {"draw": DRAW, "of": "session 1, Saturday 7 October"}
    return (
        HeldLine(
            ordinal=12, claim="c12", award=9, guest="Nokuthula van der Westhuizen-Ramaphosa", last4="4471",
            state="to_draw", state_sentence="Envelope still to be drawn",
            custody="promotions", custody_text="Promotions", pocket="",
            claim_by_text="Sunday 22 October", days_left=15, days_text="15 days left",
            contact_text="0 of 3 attempts to reach the guest", acts=("draw", "contact"), **common,
        ),
        HeldLine(
            ordinal=5, claim="c5", award=5, guest="Fatima Adams", last4="7302",
            state="held", state_sentence="Held",
            custody="customer_services", custody_text="Customer Services Desk", pocket="E-0031",
            claim_by_text="Sunday 22 October", days_left=2, days_text="2 days left", alarm=True,
            contact_text="2 of 3 attempts to reach the guest; none over a second channel yet",
            acts=("hand_over", "contact", "move"), moves_to=("marketing",), **common,
        ),
        HeldLine(
            ordinal=1, claim="c1", award=1, guest="Thabo Nkosi", last4="2210",
            state="handed_over", state_sentence="Handed over",
            custody="winner", custody_text="The guest",
            pocket="E-0002", claim_by_text="Sunday 22 October", days_left=9, days_text="Handed over",
            contact_text="The guest was reached", **common,
        ),
        HeldLine(
            ordinal=3, claim="c3", award=3, guest="Pieter van Wyk", last4="8830",
            state="to_return", state_sentence="To be given back",
            custody="marketing", custody_text="Marketing Department",
            pocket="E-0007", claim_by_text="Sunday 22 October", days_left=-1, days_text="1 day over", overdue=True,
            contact_text="3 of 3 attempts to reach the guest", acts=("give_back",), **common,
        ),
    )  # fmt: skip


def desk(now: int) -> DeskSnapshot:
    return DeskSnapshot(
        server_now=now,
        utc_offset_minutes=120,
        property_name="Silverstar",
        promotion_title=PROMOTION,
        currency="ZAR",
        today_text="7 October 2023",
        register=RegisterState(
            open=True,
            sentence="Open until 18:00",
            covers=("Session 2",),
            covers_text="Covers session 2",
            keeps_text="For a guest who will not come when called. A prize is then kept 15 days.",
        ),
        staff=PEOPLE,
        desk_names=DESKS,
        entries=(
            RegisterLine(1, "Pieter van Wyk", "8830", "09:12:44", "Refilwe Molefe", "Withdrawn at 11:30"),
            RegisterLine(2, "Annelie Botha", "0913", "11:02:10", "Refilwe Molefe"),
            RegisterLine(3, "Nokuthula van der Westhuizen-Ramaphosa", "4471", "13:58:59", "Refilwe Molefe"),
        ),
        held=_held(),
        tray=Tray(
            left=41,
            pockets_text="41 envelopes are in the trays",
            range_text="E-0004 to E-0030, E-0032 to E-0045",
            least_cents=50_000,
            most_cents=100_000,
            step_cents=10_000,
            batches=(
                BatchLine("B-1", "08:10", 35, "", "E-0001 to E-0035", COUNTED_BY, 31),
                BatchLine("B-2", "15:40", 10, "", "E-0036 to E-0045", COUNTED_BY, 10),
            ),
            where=(
                WhereLine("Given at the device or the stage", 2),
                WhereLine("Held for a guest", 1),
                WhereLine("To be given back", 1),
                WhereLine("In the trays", 41),
                WhereLine("Counted in", 45),
            ),
        ),
        roles={
            "draw": ("crew", "manager", "marketing"),
            "keep.promotions": ("crew", "manager", "marketing"),
            "keep.marketing": ("manager", "marketing"),
            "keep.customer_services": ("customer_services", "manager"),
        },
        printers=(
            PrinterLine("desk-1", "Rewards desk", "ready", "Rewards desk: Ready."),
            PrinterLine("crew-2", "Crew 2", "paper_out", OUT_OF_PAPER),
            PrinterLine("stage-1", "Stage", "silent", SILENT),
        ),
        slips=(
            SlipLine(
                17, "Winner\u2019s receipt", "Award 11, session 1", "unknown",
                "It is not known whether the slip came out.", "14:41:20",
                "Look at the printer. The whole slip is there: it came out. Torn or missing: print it again, marked "
                "REPRINT. Not needed any more: drop it.", ("came_out", "reprint", "drop"),
            ),
            SlipLine(16, "Register slip", "Entry 3", "printed", "Printed.", "13:58:59", acts=("again",)),
            SlipLine(
                15, "Winner\u2019s receipt", "Award 10, session 1", "printed",
                "Printed. Reprinted once.", "13:30:41", acts=("again",),
            ),
        ),
    )  # fmt: skip


def desk_closed(now: int) -> DeskSnapshot:
    opened = desk(now)
    shut = replace(opened.register, open=False, sentence="Opens at 16:00")
    return replace(opened, register=shut)


def desk_empty(now: int) -> DeskSnapshot:
    opened = desk(now)
    assert opened.tray
    tray = replace(
        opened.tray, left=0, pockets_text="The trays are empty", range_text="", batches=(), day_text="", day_short=False
    )
    return replace(opened, entries=(), held=(), slips=(), printers=(), tray=tray)


def desk_evening(now: int) -> DeskSnapshot:
    opened = desk(now)
    assert opened.tray
    first, second = opened.tray.batches
    tray = replace(
        opened.tray,
        day_text="Counted at 20:41:10: 9 left, 10 should be. 1 missing.",
        day_short=True,
        stated_text="Stated: over R\u00a0800\u00a0000. Still to be given for it: more than R\u00a0776\u00a0550.",
        cash_open=True,
        cash_most=11,
        cash_text=(
            "Counted at 20:48:05: 11 opened, R\u00a08\u00a0300 in them. "
            "It can be right: between R\u00a08\u00a0050 and R\u00a08\u00a0550."
        ),
        left=10,
        batches=(
            replace(first, total_text="R\u00a025\u00a0000", left=0),
            replace(second, total_text="R\u00a07\u00a0500"),
        ),
        where=(
            WhereLine("Given at the device or the stage", 32, "R\u00a022\u00a0700"),
            WhereLine("Held for a guest", 1),
            WhereLine("Held and handed over", 1, "R\u00a0750"),
            WhereLine("To be given back", 1),
            WhereLine("In the trays", 10),
            WhereLine("Counted in", 45, "R\u00a032\u00a0500"),
        ),
        programme=(
            WhereLine("Given to guests", 33, "R\u00a023\u00a0450"),
            WhereLine("Held for guests", 1),
            WhereLine("Expired or not taken", 1),
            WhereLine("Left in the trays", 10),
            WhereLine("Closed ones, all together", 12, "R\u00a09\u00a0050"),
            WhereLine("Counted in", 45, "R\u00a032\u00a0500"),
        ),
    )
    return replace(opened, tray=tray)


DESKS_SHOWN: dict[str, Callable[[int], DeskSnapshot]] = {
    "open": desk,
    "closed": desk_closed,
    "empty": desk_empty,
    "evening": desk_evening,
}
