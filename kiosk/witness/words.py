"""The words of the witness's page, by key as in `web_display.catalogue`: a further language is one more such table.

`witness.*` is composed by the server; `page.witness.*` stands in the frame or is worded by the page itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ENGLISH: Mapping[str, str] = MappingProxyType(
    {
        # Composed by the server.
        "witness.state.opened": "Open. The first selection can fall from {time}",
        "witness.state.running": "Selections fall until {time}",
        "witness.state.suspended": "Suspended by two people of the house",
        "witness.state.ended": "Over since {time}. Claims still run",
        "witness.state.done": "Everything of it is done. It waits to be certified until {time}",
        "witness.state.done_alone": "Everything of it is done. It closes now",
        "witness.state.certified": "Certified at {time}",
        "witness.state.closed": "Closed at {time}",
        "witness.none": "No draw is open. The next one opens at {time}.",
        "witness.none_today": "No draw is open, and none is to come.",
        "witness.outcome.confirmed": "Confirmed",
        "witness.outcome.refused": "Prize not taken",
        "witness.outcome.held": "Held for the guest",
        "witness.outcome.expired": "Nobody came in time",
        "witness.outcome.not_rightful_card": "Wrong person on the card",
        "witness.outcome.ineligible": "May not win",
        "witness.outcome.voided": "Voided by two people",
        "witness.outcome.running": "Claim runs",
        "witness.profession.accountant": "Accountant",
        "witness.profession.registered_auditor": "Registered auditor",
        "witness.profession.attorney": "Attorney",
        "witness.profession.advocate": "Advocate",
        "witness.give.asked": "Throw {n} ten-sided dice, and type what lies on top in the order you read it.",
        "witness.give.beacon": "The public beacon {source}: copy its line whole.",
        "witness.give.all": "What was given stands, and is not changed any more.",
        "witness.give.not_asked": "The rule book of this draw asks for no dice. "
        "The house's seed alone decides: it was fixed by the commitment above before any pool existed.",
        "witness.give.late": "No dice were given before the first pool was frozen. None are taken any more; "
        "the record says so.",
        "witness.certify.runs": "You certify here when the end has come and no claim runs any more.",
        "witness.certify.open": "All of it is done. Certify by {time}; then the draw closes without a certificate.",
        "witness.certify.open_alone": "All of it is done, and the draw is about to close.",
        "witness.certify.done": "Certified at {time}. The draw's log has your profession and hashes, never your name.",
        "witness.certify.closed": "The draw closed without a certificate on this page. Certify on paper.",
        "witness.statement.who": "I, {name}, {profession}, number {number}, do not work for {property} and have no "
        "interest in this draw. I watched {title} of {promotion} on {day}.",
        "witness.statement.commitment": "Before the first pool I saw the commitment {commitment}.",
        "witness.statement.slips": "I compared these printed checkpoints with the page, and they agreed: {seqs}.",
        "witness.statement.no_slips": "I compared no printed checkpoint with the page.",
        "witness.statement.dice": "I threw these dice and typed them myself (source {source}): {text}.",
        "witness.statement.no_dice": "The rule book asks for no dice.",
        "witness.statement.dice_missing": "The rule book asks for dice of {source}; none were given in time.",
        "witness.statement.count_one": "I saw 1 selection from a pool that was frozen for it, as listed.",
        "witness.statement.count": "I saw {n} selections, each from a pool that was frozen for it, as listed.",
        "witness.statement.outcome": "{outcome}: {n}",
        "witness.statement.head": "The log stood at entry {seq}, hash {hash}.",
        # The frame.
        "page.witness.title": "Witness",
        "page.witness.console": "Witness",
        "page.witness.skip": "To the draw",
        "page.witness.pages": "Pages",
        "page.witness.look_only": "You see what the witness sees. Only the witness can act here.",
        "page.witness.demo": "DEMO, no prizes",
        "page.witness.which": "Draws",
        "page.witness.reconnecting": "No connection since {time}. What stands here may be old.",
        "page.witness.watch": "I watch this draw",
        "page.witness.watch_what": "Then it stays open a quarter of an hour after its end, so that you can certify.",
        "page.witness.watched": "A witness watches this draw: it waits for the certificate.",
        # 1 The promise.
        "page.witness.promise": "What the house is held to",
        "page.witness.promise_what": "The house has chosen a secret seed. This commitment is its hash: "
        "once it is printed, the seed cannot be changed unseen.",
        "page.witness.commitment": "Commitment",
        "page.witness.rules": "Rule book {version}",
        "page.witness.slip": "Checkpoint of entry {seq}, {time}",
        "page.witness.slips": "Compare the paper",
        "page.witness.slips_what": "Take the printed slip and type the last 8 signs of its hash, the long line "
        "below the entry's number.",
        "page.witness.slip_ends": "Last 8 signs on the paper",
        "page.witness.compare": "Compare",
        "page.witness.agrees": "The paper agrees with the log.",
        "page.witness.differs": "The paper says {typed}, the log {ends}. Read it again. If it stays so, "
        "keep the paper and tell the promotions manager and the board.",
        "page.witness.slip_form": "Type 8 signs: digits 0 to 9 and letters a to f.",
        "page.witness.key": "Property's key",
        # 2 Dice.
        "page.witness.dice": "Dice",
        "page.witness.dice_left": "{n} dice to go",
        "page.witness.dice_left_one": "1 die to go",
        "page.witness.dice_full": "All {n} are typed",
        "page.witness.dice_over": "{n} too many",
        "page.witness.dice_field": "Digits in the order read",
        "page.witness.beacon_field": "The beacon's line",
        "page.witness.dice_strange": "Sign {n} is no digit. Type what lies on top of each die: 0 to 9.",
        "page.witness.dice_not_all": "{n} digits are typed, {asked} are asked.",
        "page.witness.beacon_empty": "Copy the beacon's line here.",
        "page.witness.read_back": "Read back",
        "page.witness.back_title": "Are these your dice?",
        "page.witness.back_what": "Compare each with the table. Once given they cannot be changed.",
        "page.witness.give": "Give these dice",
        "page.witness.change": "Change them",
        "page.witness.not_yet": "Not yet",
        "page.witness.given": "Given at {time}",
        "page.witness.given_to": "They count in every selection from now on.",
        "page.witness.keypad": "Keypad",
        "page.witness.key_back": "Take back the last digit",
        # 3 Selections.
        "page.witness.selections": "Selections",
        "page.witness.no_selections": "None yet. Each one comes here with the pool that was frozen for it.",
        "page.witness.at": "Time",
        "page.witness.award": "Award",
        "page.witness.pool": "Pool: guests in it, and its root",
        "page.witness.ticket": "Ticket",
        "page.witness.outcome": "What became of it",
        "page.witness.guests": "{n} guests in the pool. Its root:",
        "page.witness.guests_one": "1 guest in the pool. Its root:",
        "page.witness.again": "again after {n}",
        "page.witness.sum": "Ticket {ticket} of 0 to {last}: line {line} of the pool in its order",
        "page.witness.ref": "Reference {ref}",
        "page.witness.by_hand": "Redo the sum",
        "page.witness.sum_waits": "The seed is opened when the draw closes. Then this tablet redoes "
        "each ticket itself.",
        "page.witness.sum_checked": "This tablet has redone {n} of {n} tickets: all agree.",
        "page.witness.sum_checked_one": "This tablet has redone the ticket: it agrees.",
        "page.witness.sum_wrong": "This tablet finds another ticket for selections {list}. Keep this page open and "
        "tell the board.",
        "page.witness.sum_cannot": "This tablet cannot redo the tickets: the page is not on a safe connection. "
        "Use floordraw verify on the record.",
        "page.witness.seed": "Seed",
        "page.witness.opens": "The opened seed gives this commitment.",
        "page.witness.opens_not": "The opened seed does not give this commitment. Keep this page open and "
        "tell the board.",
        "page.witness.step_message": "What is hashed",
        "page.witness.step_key": "K, keyed with the seed",
        "page.witness.step_x": "First number x",
        "page.witness.step_rest": "x divided by {total} leaves",
        # 4 Certificate.
        "page.witness.certify": "Certify",
        "page.witness.certify_what": "Your name and number are kept sealed. They stand on the statement you print "
        "and nowhere else.",
        "page.witness.name": "First name and surname",
        "page.witness.profession": "Profession",
        "page.witness.profession_pick": "Pick one",
        "page.witness.number": "Registration or practice number",
        "page.witness.certify_read": "Read it through",
        "page.witness.certify_title": "Is this what you certify?",
        "page.witness.certify_do": "Certify",
        "page.witness.print": "Print the statement",
        "page.witness.statement": "Statement of the witness",
        "page.witness.sign_witness": "Witness",
        "page.witness.sign_manager": "Promotions manager",
        "page.witness.sealed": "SHA-256 of the sealed certificate, as the log has it",
        "page.witness.not_sent": "No answer came. Nobody knows whether it was taken: look at the page, then try again.",
    }
)
