"""The words of signing in, enrolling and the people's page, and of what every page shows of who is signed in.

`page.signed_in.*` goes with every page (`for_every_page`), the others with the page of their name.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

ROLE_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "crew": "Promotions crew",
        "stage": "Stage",
        "desk": "Rewards desk",
        "customer_services": "Customer services",
        "marketing": "Marketing",
        "manager": "Promotions manager",
        "auditor": "Auditor",
        "witness": "Witness",
    }
)

_PAGES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "manager": ("console", "desk", "crew", "stage", "witness", "training"),
        "crew": ("crew", "stage", "desk", "training"),
        "auditor": ("console", "witness"),
    }
)

_SIGNED_IN: Mapping[str, str] = {
    "account": "{name}, {role}: sign out, or change PIN",
    "change": "Change PIN or password",
    "sign_out": "Sign out",
    "back": "Go back",
    "goes": "Other pages of yours",
    "page_console": "Console",
    "page_desk": "Desk",
    "page_crew": "Crew tablet",
    "page_stage": "Stage",
    "page_witness": "Witness",
    "page_training": "Training",
    "waits": "Presses of yours wait to be sent. Stay until they have arrived, then sign out.",
    "not_sent": "The server does not answer. You are still signed in; try again.",
    "still_title": "Still there?",
    "still_what": "Nothing was done here for a while. You will be signed out in",
    "still_seconds": "{n} seconds",
    "still_seconds_one": "1 second",
    "stay": "Stay signed in",
    "last_title": "Your sign-in ends",
    "last_what": "A sign-in lasts twelve hours at most. Finish what you are at, then sign in again. It ends in",
    "go_on": "Go on until then",
    "not_yours_title": "This page is not for your role",
    "not_yours_what": "You are signed in as {name}, {role}.",
    "own_page": "Go to your own page",
    "somebody_else": "Sign in as somebody else",
    "second": "Second person",
    "second_number": "Second person\u2019s number",
    "second_secret": "Second person\u2019s PIN or password",
    "second_hint": "Somebody else types this here, now. It is kept nowhere.",
    "first_is": "First person: {name}, signed in here.",
    "say_second": "Ask a colleague to type their own number.",
    "say_second_secret": "They type their PIN or password, too.",
    "need_second": "the second person\u2019s number",
    "need_second_secret": "their PIN or password",
}

_SIGN_IN: Mapping[str, str] = {
    "title": "Sign in",
    "skip": "Skip to the form",
    "number": "Staff number or name",
    "secret": "PIN or password",
    "do": "Sign in",
    "sending": "Signing in",
    "show": "Show",
    "hide": "Hide",
    "keys": "Digits",
    "key_back": "Back",
    "key_back_of": "Take away the last digit",
    "key_clear": "Clear",
    "need_number": "Type your staff number.",
    "need_secret": "Type your PIN or password.",
    "not_sent": "The server does not answer. Check the network, then try again.",
    "is_in": "{name} is signed in here.",
    "is_in_what": "{role}. Whoever signs in below takes over.",
    "go_on": "Go on as {name}",
    "sign_out": "Sign out",
    "choose_title": "Choose a PIN or password",
    "choose_what": "Your code was for once. Choose what you will sign in with from now on.",
    "change_title": "Change your PIN or password",
    "change_what": "You are signed in as {name}.",
    "old": "PIN, password or code you have now",
    "new": "New PIN or password",
    "new_hint": (
        "A PIN of 6 to 12 digits, for the house\u2019s own devices; or 12 characters and more, which do everywhere."
    ),
    "again": "The same once more",
    "need_old": "Type what you signed in with.",
    "need_new": "Type a PIN of six digits or more, or a password of twelve characters or more.",
    "not_same": "The two are not the same. Type the second one again.",
    "choose_do": "Keep it and go on",
    "change_do": "Keep it",
    "leave": "Leave it as it is",
    "demo": "DEMO, no prizes",
    "demo_title": "Look around as",
    "demo_what": "These people are made up. Press one to sign in; the PIN of all is {secret}.",
    "first_time": "First time here? Type the code that the manager gave you as your PIN.",
}

_ENROL: Mapping[str, str] = {
    "title": "Enrol this device",
    "skip": "Skip to the form",
    "what": (
        "A manager offers a code on the console, under People. "
        "It makes this tablet, desk or screen the house\u2019s own."
    ),
    "code": "Code",
    "code_hint": "Eight letters and digits. Capitals and spaces do not matter.",
    "do": "Enrol device",
    "need_code": "Type the code from the console.",
    "not_sent": "The server does not answer. Check the network, then try again.",
    "is": "This device is {title}",
    "is_what": "It is known to the house as: {kind}.",
    "again": "Another code makes it something else.",
    "done": "Enrolled as {title}",
    "done_what": "{kind}. A manager can take it away again on the console.",
    "next_sign_in": "Go to sign-in",
    "next_screen": "Open the screen",
    "kind_crew": "Crew tablet",
    "kind_stage": "Stage tablet",
    "kind_desk": "Desk",
    "kind_console": "Console",
    "kind_witness": "Witness\u2019s page",
    "kind_screen": "Floor screen",
    "kind_kiosk": "Guests\u2019 kiosk",
}

_PEOPLE: Mapping[str, str] = {
    "title": "People and devices",
    "console": "Console",
    "skip": "Skip to the page",
    "pages": "Pages",
    "people": "People",
    "devices": "Devices",
    "name": "Name",
    "number": "Number",
    "role": "Role",
    "signs_in": "Signs in with",
    "now": "Now",
    "acts": "What can be done",
    "secret_": "Nothing yet: give a code",
    "secret_pin": "PIN, on the house\u2019s devices",
    "secret_password": "Password",
    "secret_code": "A code, until {time}",
    "secret_code_over": "A code that is over: give another",
    "locked": "Locked out until {time}",
    "in_until": "Signed in until {time}, {where}",
    "in_where_none": "no device of the house",
    "not_in": "Not signed in",
    "from_until": "May sign in from {from} until {until}",
    "from_only": "May sign in from {from}",
    "until_only": "May sign in until {until}",
    "enter": "Enter a person",
    "enter_what": "Give them a code afterwards: they choose a PIN or password of their own with it.",
    "enter_do": "Enter person",
    "number_hint": "As on the staff card: small letters, digits, hyphens.",
    "name_hint": "As colleagues call them in full.",
    "from": "From",
    "until": "Until, this day included",
    "dated_hint": "For a visiting auditor or witness. Empty: from now on, without an end.",
    "two_what": "A manager, auditor or witness is entered by two people.",
    "change_role": "Change role",
    "change_role_of": "Change role of {name}",
    "role_title": "Another role for {name}",
    "role_what": "They are signed out everywhere and sign in again.",
    "role_do": "Change role",
    "give_code": "Give a code",
    "give_code_of": "Give a code to {name}",
    "code_title": "A code for {name}?",
    "code_what": "What they sign in with now opens nothing any more. The code is good once, for a day.",
    "code_do": "Give code",
    "unlock": "Unlock",
    "unlock_of": "Unlock {name}",
    "end": "End",
    "end_of": "End the work of {name} here",
    "end_title": "Does {name} no longer work here?",
    "end_what": "They are signed out at once and cannot sign in again. The log keeps what they did.",
    "end_do": "End their work here",
    "code_is": "Code for {name}",
    "code_for_device": "Code for {title}",
    "code_once": "Shown this once. Good until {time}, for one sign-in with the number {number}.",
    "code_once_device": "Shown this once. Good until {time}, for one device.",
    "code_how": "At the device, open this address and type the code:",
    "code_how_person": "They sign in with it in place of a PIN, then choose their own.",
    "print": "Print",
    "close": "Close",
    "device": "Device",
    "kind": "Kind",
    "since": "Since",
    "by": "By",
    "kind_crew": "Crew tablet",
    "kind_stage": "Stage tablet",
    "kind_desk": "Desk",
    "kind_console": "Console",
    "kind_witness": "Witness\u2019s page",
    "kind_screen": "Floor screen",
    "kind_kiosk": "Guests\u2019 kiosk",
    "no_devices": "No device is enrolled. A PIN does on this machine alone until there is one.",
    "offer": "Enrol a device",
    "offer_what": "The house\u2019s tablets, desks and screens. Only there does a PIN open anything.",
    "offer_do": "Offer a code",
    "device_title": "What it is called",
    "device_title_hint": "As people call it: Crew tablet 2. A desk by its desk\u2019s name.",
    "screen": "Floor screen",
    "revoke": "Take away",
    "revoke_of": "Take {title} away",
    "revoke_title": "Take {title} away?",
    "revoke_what": "It is the house\u2019s no more, and whoever is signed in on it is signed out.",
    "revoke_do": "Take it away",
    "need_number": "their number",
    "need_name": "their name",
    "need_role": "their role",
    "need_kind": "what kind it is",
    "need_called": "what it is called",
    "need_screen": "which screen",
    "back": "Go back",
    "needed": "Still needed: {list}.",
    "sending": "Sending",
    "pick": "Choose",
    "not_sent": "It did not reach the server. Check the network and try again.",
    "entered": "{name} is entered.",
    "role_changed": "The role is changed.",
    "ended": "{name} can sign in no more.",
    "unlocked": "{name} can try again.",
    "revoked": "{title} is taken away.",
    "read_only": "You see this page. Managers change what stands on it.",
    "you": "you",
    "technician": "Technician",
}

_REFUSED: Mapping[str, str] = {
    "title": "Not here",
    "begin": "Where you begin",
    "other": "Sign in as somebody else",
}

ENGLISH: Mapping[str, str] = MappingProxyType(
    {
        **{f"page.refused.{key}": text for key, text in _REFUSED.items()},
        **{f"page.signed_in.{key}": text for key, text in _SIGNED_IN.items()},
        **{f"page.signed_in.role_{role}": text for role, text in ROLE_WORDS.items()},
        **{f"page.sign_in.{key}": text for key, text in _SIGN_IN.items()},
        **{f"page.enrol.{key}": text for key, text in _ENROL.items()},
        **{f"page.people.{key}": text for key, text in _PEOPLE.items()},
    }
)


def page_words(page: str) -> dict[str, str]:
    """The words that go with a page, by their last name."""
    start = f"page.{page}."
    return {key.removeprefix(start): text for key, text in ENGLISH.items() if key.startswith(start)}


def for_every_page() -> dict[str, Mapping[str, Any]]:
    """{signed, signed_pages}: what every template may say of who is signed in; a context processor of the application.

    `signed_pages`: role -> names of the pages of that role, beside the ones in its own bar.
    """
    return {"signed": page_words("signed_in"), "signed_pages": _PAGES}
