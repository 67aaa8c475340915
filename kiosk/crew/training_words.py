"""The words of the crew's training, by key as in `web_display.catalogue`; the tablet's own words go with the page too.

A lesson's name is a part of its keys: `see.own.taken` is what stands at the machine of the lesson `own`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_PAGE: Mapping[str, str] = {
    "title": "TRAINING",
    "training": "TRAINING",
    "training_what": "Nothing here is real: no guest, no prize, and nothing is sent.",
    "hints_on": "Hints are on",
    "hints_off": "Hints are off",
    "leave": "End training",
    "you_see": "What you see",
    "hint": "Hint",
    "lesson_of": "{n} of {all}",
    # The floor of its own.
    "zone_main": "Training floor",
    "where": "Training floor, bank {bank}",
    "place": "Promotions Stage",
    "colleague": "Training colleague",
    "promotion": "Training promotion",
    "guest_own_first": "Thandi",
    "guest_own_last": "Mokoena",
    "guest_comes_first": "Pieter",
    "guest_comes_last": "van Wyk",
    "guest_other_first": "Naledi",
    "guest_other_last": "Khumalo",
    "guest_gone_first": "Johan",
    "guest_gone_last": "Botha",
    "guest_paper_first": "Lerato",
    "guest_paper_last": "Dlamini",
    # What the trainee sees, by lesson and stage.
    "see_wait": "Nobody has been selected just now. Stay near the floor: a selection may fall at any moment.",
    "see_selected": "A selection has come in. Nobody has it yet.",
    "see_far": "You walk to {position}.",
    "see_own_taken": "A woman plays at {position}. She says she is Thandi Mokoena. The card in the machine ends 1001 "
    "and it is hers.",
    "see_own_found": "She shows her South African ID: Thandi Mokoena, and it is her face. Her card ends 1001. "
    "She still sits at {position}.",
    "see_own_checked": "You hold out the tray. She takes the envelope from pocket {pocket}.",
    "see_own_envelope": "She opens it in front of you and counts R 750. She agrees, and will sign.",
    "see_comes_taken": "The chair at {position} is empty, and no card is in the machine.",
    "see_comes_not_there": "The announcer reads the guest out.",
    "see_comes_announced": "The ninety seconds run. You are free for the next one.",
    "see_comes_presented": "A man stands at the stage: Pieter van Wyk. He shows a passport with his name and face, "
    "and his own card, which ends 2002.",
    "see_comes_checked": "You hold out the tray. He takes the envelope from pocket {pocket}.",
    "see_comes_envelope": "He opens it in front of you and counts R 500. He agrees, and will sign.",
    "see_other_taken": "A man plays at {position} on the card that ends 3003. It is his wife's, he says: "
    "Naledi Khumalo is at the restaurant.",
    "see_gone_taken": "Somebody plays at {position}, on a card of her own that ends 7788. The guest you look for "
    "has left the machine.",
    "see_gone_not_there": "The announcer reads the guest out.",
    "see_gone_announced": "The clock runs, faster than on the floor. Nobody comes to the stage.",
    "see_paper_taken": "A woman plays at {position}. She says she is Lerato Dlamini. "
    "The card in the machine ends 5005.",
    "see_paper_found": "The card ends 5005. But the ID she shows says Palesa Dlamini: she is Lerato's sister.",
    # Hints, by stage; a lesson's own answer where there is one.
    "hint_wait": "The next one comes by itself, with a sound if you allow it.",
    "hint_selected": "Press Take it. Then it is yours, and the others see that you walk.",
    "hint_own_taken": "She plays, on her own card: press On own card.",
    "hint_comes_taken": "Nobody is there: press Not here. The stage calls the guest, and you are free.",
    "hint_other_taken": "The right card, but somebody else plays on it: hold Someone else on this card "
    "until it is full.",
    "hint_gone_taken": "Another card is in the machine, so your guest is not here: press Not here.",
    "hint_paper_taken": "The right card, and she says it is hers: press On own card. The check comes next.",
    "hint_not_there": "Nothing to press. The stage has it.",
    "hint_announced": "Nothing to press. Take the next one, or wait for the clock.",
    "hint_presented": "Open it with Check the guest. Whoever of the crew is there checks.",
    "hint_own_found": "Tick the four things you have compared, then South African ID, then All is right.",
    "hint_comes_check": "Tick the four things you have compared, then Passport, then All is right.",
    "hint_paper_found": "The card is not hers: hold Not the card\u2019s owner, below.",
    "hint_checked": "Scan the pocket, type its number, or press it in the list.",
    "hint_envelope": "Tick that it was opened in front of the guest and type the whole rand. "
    "Then the guest signs on the glass, and you print.",
    # What is wrong with a press; it can be pressed again.
    "again_own": "Look again: she plays, and it is her own card.",
    "again_comes": "Look again: nobody is there.",
    "again_other": "Look again: somebody else plays on this card.",
    "again_gone": "Look again: it is another card, so the guest is not here.",
    "again_paper": "Look again: she plays on the right card and says it is hers. Whether it is, the check tells.",
    "again_fits": "Look again: name, card and face agree.",
    "again_paper_check": "Look again: the ID says another name.",
    "again_identification": "Look again: the guest showed another paper.",
    "again_pocket": "The envelope came from pocket {pocket}.",
    "again_amount": "Count again: there was {amount} in it.",
    "again_refuse": "The guest wants the prize and will sign.",
    "again_alone": "You train alone. On the floor a colleague would have it now.",
    "again_release": "On the floor somebody else would take it. Here only you are left: take it again.",
    # What became of it.
    "ended_confirmed": "Confirmed: {amount}.",
    "ended_not_rightful_card": "Wrong person on the card. Another guest is selected.",
    "ended_expired": "Nobody came in time. Another guest is selected.",
    "wrong_card": "No prize: somebody else selected. On the floor it cannot be undone.",
    "slip": "The slip",
    "slip_prints": "On the floor it comes out of the printer in two copies, the guest's and the one for the file.",
    "slip_guest": "Guest",
    "slip_card": "Card",
    "slip_position": "Machine",
    "slip_pocket": "Envelope",
    "slip_amount": "Amount",
    "slip_crew": "Crew",
    # What the tablet says otherwise on the floor.
    "press_arrived": "{press}, {time}. Training: nothing was sent.",
    "paid": "On the floor the slip prints now. Give it to the guest with the envelope\u2019s money.",
    # The list at the end.
    "report_title": "What went well",
    "report_first": "right at once",
    "report_tries_one": "right at the second try",
    "report_tries": "right after {n} wrong presses",
    "report_own": "Found on the own card, checked and paid",
    "report_comes": "Not here, called, and checked at the stage",
    "report_other": "Somebody else on the card",
    "report_gone": "Not here, and nobody came",
    "report_paper": "The ID did not agree",
    "report_taken": "You took a selection after {n}\u00a0s on average.",
    "report_all": "All of it right at once. You are ready for the floor.",
    "report_some": "Go through those with a triangle once more.",
    "report_again": "Train again",
    "report_floor": "To the floor",
}

ENGLISH: Mapping[str, str] = MappingProxyType({f"page.training.{key}": text for key, text in _PAGE.items()})


def page_words() -> dict[str, str]:
    """The words that go with the training, by their last name; they stand over the tablet's own."""
    return dict(_PAGE)
