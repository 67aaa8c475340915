"""The words of `/check`, by key as in `web_display.catalogue`: a further language is one more such table.

`check.*` is composed by the server; `page.check.*` stands in the frame or is worded by the page itself. Every sentence
says no more than what was checked: what the house says is told apart from what the phone has worked out.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ENGLISH: Mapping[str, str] = MappingProxyType(
    {
        # Composed by the server.
        "check.busy": "Many guests are checking just now. Try again in a moment.",
        "check.no_such_draw": "There is no draw of this name. Scan the code on the receipt again.",
        "check.open": "{title}, is still open. It is published when it has closed: at {time} at the earliest, later "
        "while a claim runs. Come back then.",
        "check.waiting": "{title}, is open. It is published when it has closed: at {time} at the earliest.",
        "check.no_reference": "A reference is 32 of the digits 0-9 and letters a-f.",
        "check.no_root": "A root is 64 of the digits 0-9 and letters a-f.",
        # The frame.
        "page.check.title": "Check a draw",
        "page.check.skip": "Skip to the page",
        "page.check.demo": "DEMO, no prizes",
        "page.check.needs_script": "This page works everything out on your own phone. Switch JavaScript on for it, "
        "or verify the whole draw on a computer: see below.",
        "page.check.what": "See for yourself whether you were in a draw, and whose ticket was drawn. Your phone does "
        "the arithmetic; you need not take the house's word.",
        "page.check.other": "Check something else",
        "page.check.privacy_title": "What leaves this phone",
        "page.check.privacy": "The code of your receipt and your member number stay in this browser. The house is "
        "asked with your reference for this one draw, or with the root of a proof; nobody else can tell whose they "
        "are. This page sets no cookie and keeps nothing of you: close it, and it has forgotten you.",
        # The front: a code, or a draw.
        "page.check.code": "Code from your receipt",
        "page.check.code_hint": "Scan it with the camera. Or type the check key, 64 digits and letters, as it is "
        "printed.",
        "page.check.code_draw": "Draw",
        "page.check.code_draw_hint": "It stands on the receipt.",
        "page.check.code_draw_pick": "Pick the draw",
        "page.check.code_do": "Go on",
        "page.check.code_wrong": "This is no code of a receipt. It has 64 digits and letters (0-9, a-f) as the check "
        "key, or begins with FD1: as a proof.",
        "page.check.code_short_one": "This key has 1 sign. It must have 64.",
        "page.check.code_short": "This key has {n} signs. It must have 64.",
        "page.check.code_no_draw": "Pick the draw that stands on the receipt.",
        "page.check.draws": "Published draws",
        "page.check.draws_none": "No draw has been published yet. A draw is published when it has closed.",
        "page.check.draw_closed": "Closed at {time}",
        "page.check.commitment": "Commitment, fixed before any pool",
        "page.check.roots": "Checkpoints and pools",
        "page.check.loading": "Fetching it.",
        "page.check.record_do": "Download the record",
        "page.check.checkpoints": "Signed checkpoints",
        "page.check.checkpoint": "{time}, entry {seq}",
        "page.check.checkpoint_what": "The printed slip of a checkpoint shows the same entry and hash.",
        "page.check.pools": "Pools",
        "page.check.pool": "{time}, {size} guests",
        "page.check.pool_weighted": "{time}, {size} guests with {total} entries",
        "page.check.record_digest": "Digest of the record, logged at the close",
        "page.check.own_title": "Verify a whole draw on your own computer",
        "page.check.own_what": "Download the record of a draw and the verifier into one folder. With Python 3.11 or "
        "later and nothing else:",
        "page.check.own_key": "The key is the house's public key. Take it from a printed checkpoint slip, not from "
        "here: it is the sixth of its seven lines, and must be the one that stands in this command.",
        "page.check.own_verifier": "Download the verifier",
        "page.check.own_trust": "You need not trust the verifier either: its sources are open, and the same sources "
        "make the same file.",
        # A receipt's code.
        "page.check.mine_title": "Were you in it?",
        "page.check.member": "Your member number",
        "page.check.member_hint": "As on your card. Of several cards, the one with the smallest number.",
        "page.check.member_none": "Type your member number.",
        "page.check.member_do": "Check it",
        "page.check.working": "Fetching the proofs and checking them.",
        "page.check.ref": "Your reference in this draw",
        "page.check.ref_what": "It stands on your receipt, too. It is another one in every draw.",
        "page.check.link_wrong": "This address is not complete. Scan the code on the receipt again.",
        "page.check.sum_in_one": "You were in the one selection of this draw.",
        "page.check.sum_in": "You were in {in} of {n} selections.",
        "page.check.sum_in_none_one": "You were not in the one selection of this draw.",
        "page.check.sum_in_none": "You were in none of the {n} selections.",
        "page.check.sum_won": "At {time} you were in the pool of {size} guests, and the ticket was yours.",
        "page.check.sum_won_none": "None of the tickets that were drawn was yours.",
        "page.check.sum_out_what": "Where you were not in it, this phone has checked the place at which your reference "
        "would stand: others stand there. That the whole pool is in ascending order, so that you stand nowhere else, "
        "no phone can see from one part of it. An auditor's verification does (its line pools).",
        "page.check.sum_broken_one": "1 proof does not hold. What the house says here is not shown by it.",
        "page.check.sum_broken": "{n} proofs do not hold. What the house says here is not shown by them.",
        "page.check.sum_wrong": "What the house says of this draw does not fit together.",
        "page.check.sum_broken_do": "Do not rely on this page. Show it to the rewards desk, or to an auditor, with "
        "your receipt.",
        "page.check.sum_unknown": "Nobody with this reference was judged in this draw.",
        "page.check.sum_unknown_what": "That is what the house says; it is not proved. Look at the number again: it "
        "must be the one your receipt is under. If you had no card in a machine at any of its selections, you have "
        "no place in this draw.",
        "page.check.checked": "Checked on this phone",
        "page.check.checked_place": "Its place checked on this phone",
        "page.check.not_checked": "Not proved",
        "page.check.row_title": "Award {award}",
        "page.check.row_again": "Award {award}, selected again",
        "page.check.row_pool_one": "1 guest in the pool",
        "page.check.row_pool": "{size} guests in the pool",
        "page.check.row_won": "You were in it, and the ticket was yours",
        "page.check.row_in": "You were in it; the ticket was somebody else's",
        "page.check.row_out": "You were not in it",
        "page.check.row_broken": "The proof does not hold",
        "page.check.row_missing": "The house gave no proof for this pool",
        "page.check.row_ticket": "Ticket drawn: {drawn} of 0 to {last}. Yours: {mine}.",
        "page.check.row_tickets": "Ticket drawn: {drawn} of 0 to {last}. Yours: {mine} to {to}.",
        "page.check.row_drawn": "Ticket drawn: {drawn} of 0 to {last}.",
        "page.check.row_gap": "Where your reference would have to stand, these two stand side by side:",
        "page.check.row_gap_first": "Your reference would come first. The first one is",
        "page.check.row_gap_last": "Your reference would come last. The last one is",
        "page.check.row_root": "Root",
        "page.check.about_title": "What this phone has checked",
        "page.check.about_record": "What the house sent about this draw has the digest that entry {seq} of its log "
        "has from the close. The downloaded record has the same one:",
        "page.check.about_record_not": "What the house sent about this draw is not what its log had at the close. "
        "Nothing below can be relied on.",
        "page.check.about_seed": "The seed that was opened is the one committed to before any pool existed. The slip "
        "printed when the draw opened has this commitment:",
        "page.check.about_seed_not": "The seed that was opened is not the one that was committed to.",
        "page.check.about_tickets_one": "The drawn ticket follows from that seed and the pool's root.",
        "page.check.about_tickets": "All {n} drawn tickets follow from that seed and the pools' roots.",
        "page.check.about_tickets_not": "Drawn tickets that do not follow from the seed: selections {list}.",
        "page.check.about_in_one": "1 proof leads from your reference to the root that was published.",
        "page.check.about_in": "{n} proofs lead from your reference to the roots that were published.",
        "page.check.about_out_one": "In 1 pool the place where your reference would stand holds others.",
        "page.check.about_out": "In {n} pools the place where your reference would stand holds others.",
        "page.check.about_not": "Not shown here: that the pool was the true list of those who qualified. The floor's "
        "own journal shows that to an auditor.",
        # A proof alone.
        "page.check.proof_title": "A proof",
        "page.check.proof_holds": "The proof is whole: it leads to its root.",
        "page.check.proof_broken": "This proof does not hold.",
        "page.check.proof_root": "Its root",
        "page.check.proof_size": "Guests in the pool",
        "page.check.proof_size_between": "between {low} and {high}",
        "page.check.proof_total": "Tickets in the pool",
        "page.check.proof_where": "Where in it",
        "page.check.proof_part": "Part {n} of {of}",
        "page.check.proof_published_one": "This root was published by the house for the selection of {time}, {title}, "
        "with 1 guest in its pool.",
        "page.check.proof_published": "This root was published by the house for the selection of {time}, {title}, with "
        "{size} guests in its pool.",
        "page.check.proof_published_wrong": "The house published this root for a pool of another size. The proof "
        "does not fit it.",
        "page.check.proof_unpublished": "No published draw has this root. While a draw is open its roots are not "
        "shown here. If none of them has it after the close, the proof is not of this house.",
        "page.check.proof_unasked": "The house could not be asked. Compare the root with the printed one yourself.",
        "page.check.proof_compare": "Root as printed",
        "page.check.proof_compare_hint": "Type its first 8 signs or more, or all 64.",
        "page.check.proof_compare_do": "Compare",
        "page.check.proof_compare_short": "Type at least its first 8 signs (0-9, a-f).",
        "page.check.proof_same": "These {n} signs agree with the proof's root.",
        "page.check.proof_other": "They differ: the paper says {paper}, the proof {proof}.",
        "page.check.proof_refs": "References in this part, with their tickets",
        "page.check.proof_ticket": "ticket {first}",
        "page.check.proof_tickets": "tickets {first} to {last}",
        "page.check.proof_not_who": "A proof says that these references stood in the pool. Whose they are it does "
        "not say: with the check key of your receipt you find your own.",
        # Why a proof does not hold, by the fault's name in `check_arithmetic.js`.
        "page.check.fault_prefix": "It does not begin with FD1:.",
        "page.check.fault_letters": "It has signs in it that no proof has, or is too long.",
        "page.check.fault_bits": "Its last sign says more than it may.",
        "page.check.fault_cut": "It is cut short, or something is left over.",
        "page.check.fault_root": "It is for another root than the one published.",
        "page.check.fault_leaves": "It is for a pool of another size.",
        "page.check.fault_leaf": "It names a part that the pool does not have.",
        "page.check.fault_records": "Its part does not have as many references as it must.",
        "page.check.fault_siblings": "It has too many or too few neighbours on the way to the root.",
        "page.check.fault_order": "Its references are not in ascending order.",
        "page.check.fault_weight": "A number of entries in it is not possible.",
        "page.check.fault_sum": "Its entries are more than a pool can have.",
        "page.check.fault_climb": "It does not lead to its root.",
        "page.check.fault_total": "Its entries do not come to the total that was published.",
        "page.check.fault_elsewhere": "It shows another place than the one where your reference would stand.",
        "page.check.fault_selected": "Your ticket was drawn, and the record names another reference.",
        # When something does not come.
        "page.check.unreachable": "The house's server could not be reached. Look whether this phone is in the "
        "house's network, then try again.",
        "page.check.again": "Try again",
    }
)
