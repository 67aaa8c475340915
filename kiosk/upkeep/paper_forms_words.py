"""The words of the paper forms, by key as in `web_display.catalogue`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ENGLISH: Mapping[str, str] = MappingProxyType(
    {
        "forms.title": "Paper forms for a total outage",
        "forms.number": "Form {number}",
        "forms.day": "Gaming day",
        "forms.page_by": "Kept by",
        "forms.keep": "It stays with the manager until everything on it has been entered, then in the day's file.",
        "forms.never": "Nobody is selected on paper: that is done when the core runs again, by the sealed seed.",
        # The outage.
        "forms.outage": "Outage",
        "forms.outage.hint": "The manager on duty, at once. Times from one clock: the one over the stage.",
        "forms.outage.stopped": "Stood still at",
        "forms.outage.seen": "Noticed by, and what was seen",
        "forms.outage.technician": "Technician called at, by",
        "forms.outage.said": "Guests were told at, by",
        "forms.outage.slip": "Newest printed slip: entry and first eight letters of its hash",
        "forms.outage.back": "Core ran again at",
        "forms.outage.head": "Log came to entry (console, or log verify)",
        "forms.outage.lost": "Slip the log does not have: yes / no. If yes: stop, call the auditor",
        "forms.outage.forms": "Forms in use: from number to number",
        "forms.outage.suspended": "Suspended at, resumed at",
        "forms.outage.decided": "What two people decided",
        "forms.outage.entered": "Everything entered at",
        "forms.outage.manager": "Manager: name, signature",
        "forms.outage.second": "Second person: name, signature",
        # Claims in hand.
        "forms.claims": "Claims in hand",
        "forms.claims.hint": (
            "Stage and crew: each guest who had been selected when it stood still. Nobody is called again, nothing is "
            "paid: after the machine or the stage a claim has no clock, and waits."
        ),
        "forms.claims.place": "Machine or table",
        "forms.claims.guest": "Guest as on the screen, last four",
        "forms.claims.stage": "How far: selected, taken, called, presented, checked, envelope",
        "forms.claims.called": "Called at",
        "forms.claims.came": "Came at, seen by (two names)",
        "forms.claims.said": "What the guest was told",
        "forms.claims.crew": "Crew",
        "forms.claims.entered": "Entered: claim, by, at",
        # The register.
        "forms.register": "Guests who wanted to sign the decline register",
        "forms.register.hint": (
            "A line here is no entry and keeps no prize. It lets the desk call the guest back, who signs in person on "
            "the glass before selections go on. No number of a paper is written here."
        ),
        "forms.register.at": "At",
        "forms.register.card": "Card, last four",
        "forms.register.guest": "Name",
        "forms.register.contact": "Cellphone or e-mail",
        "forms.register.told": "Told that this is no entry: guest's initials",
        "forms.register.clerk": "Clerk",
        "forms.register.entered": "Signed on the glass: entry, at; or did not come back",
        # Envelopes.
        "forms.envelopes": "Envelopes: where each one is",
        "forms.envelopes.hint": (
            "Every envelope that is not in the tray. Closed ones stay closed. None is drawn and none is handed over "
            "while it stands still; if a manager did so all the same, it stands here with two names."
        ),
        "forms.envelopes.pocket": "Pocket",
        "forms.envelopes.claim": "Claim or guest",
        "forms.envelopes.state": "Closed / opened before",
        "forms.envelopes.from": "Given by: name, signature",
        "forms.envelopes.to": "Received by: name, signature",
        "forms.envelopes.at": "At",
        "forms.envelopes.where": "Lies now",
        "forms.envelopes.entered": "Entered: by, at",
        # Contact attempts.
        "forms.contacts": "Attempts to reach winners of held prizes",
        "forms.contacts.hint": "From numbers the desk had at hand. Only the guest is told more than to call back.",
        "forms.contacts.prize": "Held prize",
        "forms.contacts.at": "At",
        "forms.contacts.channel": "Telephone, SMS, e-mail, in person",
        "forms.contacts.outcome": "What came of it",
        "forms.contacts.by": "By",
        "forms.contacts.entered": "Entered: by, at",
    }
)
