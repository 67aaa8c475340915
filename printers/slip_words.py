"""The words on slips. A name in braces is filled in; another language is another table with the same keys."""

from __future__ import annotations

from collections.abc import Mapping

ENGLISH: Mapping[str, str] = {
    "days": "Mon Tue Wed Thu Fri Sat Sun",
    "months": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "reprint": "REPRINT {n}",
    "reprint.first": "First printed {when}. An earlier copy of this slip may be about; only one of them counts.",
    "torn": "~ ~ ~ torn here ~ ~ ~",
    "end": "- end of slip {job} -",
    "copy.guest": "Guest's copy",
    "copy.house": "Copy for the file",
    "promotion": "Promotion",
    "draw": "Draw",
    "draw.id": "Draw no.",
    "claim": "Claim",
    "award": "Award",
    "position": "Place",
    "guest": "Guest",
    "card": "Card",
    "card.masked": "**** {last}",
    "none": "none",
    "day": "Day",
    "serial": "Receipt no.",
    "envelope": "Envelope",
    # receipts
    "receipt.winner": "Receipt for a prize",
    "receipt.claim": "Receipt for a held prize",
    "receipt.paid_at": "Received",
    "receipt.staff": "Paid by",
    "receipt.amount": "Amount received",
    "receipt.declaration": (
        "I have received this amount. I declare that none of the exclusions in rules 1 and 3 of this promotion applies "
        "to me: I am 18 or older, I am neither self-excluded nor refused entry nor in an excluded category, and I am "
        "not a director, member, partner, employee, agent or consultant of the casino or of a company that runs or "
        "markets this promotion, nor a spouse, life partner, business partner or close relative of one. I know that a "
        "false declaration forfeits the prize."
    ),
    "receipt.signature": "Guest's signature",
    "receipt.signed": "The guest signed on the tablet.",
    "receipt.not_signed": "To be signed here.",
    "receipt.check": (
        "You can check this draw yourself. Scan this code, or go to {address} and enter the draw number and your check "
        "key once the draw's record is published. Keep the key to yourself: it is yours alone."
    ),
    "receipt.key": "Your check key",
    "receipt.ref": "Your reference in the record",
    "receipt.qr": "check address with the guest's key",
    # decline register
    "decline": "Register entry",
    "decline.says": (
        "The guest asked not to be called up in front of others. If one of these draws selects the guest, the prize is "
        "kept, and the house makes contact as below."
    ),
    "decline.covers": "Covers",
    "decline.id": "Identified",
    "decline.id_number": "{type}, number ending {last}",
    "decline.contact": "Contact",
    "decline.signed_at": "Signed",
    "decline.clerk": "Clerk",
    "decline.entry": "Entry no.",
    "id.sa_id": "South African ID",
    "id.passport": "passport",
    "id.drivers_licence": "driver's licence",
    "id.patron_manager": "Patron Manager's confirmation",
    # envelope label
    "label": "Sealed prize - do not open",
    "label.date": "Won on",
    "label.claim_by": "Claim by",
    "label.desk": "Claim at",
    "desk.customer_services": "Customer Services Desk",
    "desk.guest_relations": "Guest Relations Desk",
    "desk.marketing": "Marketing Department",
    "label.rep": "Drawn by",
    "label.witness": "Witness",
    "label.rule": "To be opened by the guest alone, in person, with identification.",
    # checkpoint
    "checkpoint": "Checkpoint of the draw log",
    "checkpoint.opening": "Opening: before any entropy or pool of this draw",
    "checkpoint.hourly": "Hourly, while a draw is open",
    "checkpoint.closing": "Closing: with the draw's record",
    "checkpoint.frozen": "With the pool frozen, before any selection",
    "checkpoint.made_at": "Made",
    "checkpoint.commitment": "The draw's seed is committed to by",
    "checkpoint.says": (
        "Keep this slip. `floordraw verify` holds it against the published record: a log that was altered afterwards "
        "does not match it. The code holds the seven lines below."
    ),
    "checkpoint.qr": "the seven lines",
    # return list
    "return": "Envelopes to return",
    "return.says": "Not claimed in time. Hand these sealed envelopes over against signature.",
    "return.desk": "From",
    "return.count": "Envelopes",
    "return.line": "{pocket}  {claim}  award {award}  until {claim_by}",
    "return.none": "No envelope is to be returned.",
    "return.given": "Given by",
    "return.received": "Received by",
}
