"""The desks' page and what is done there: `/desk`. Guests are looked up by POST alone; a browser stores nothing of it.

Whatever changes something carries a number of its own: sent twice, it is answered twice and done once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from draw_engine import calendar
from draw_engine.errors import Refused
from draw_engine.service import access_notes, cash, envelopes, printing, prizes, register
from draw_engine.service.engine import Engine
from draw_engine.service.pressing import digest_of
from kiosk.core import Core
from kiosk.desk import held_view as desk_held_view
from kiosk.desk.guest import Guest, guest_of
from kiosk.desk.tray_view import cash_text, counted_text
from kiosk.desk.view import desk_names
from kiosk.desk.words import page_words
from kiosk.desk.za_identity import require_sound
from kiosk.screens.view import House, current_book
from kiosk.sign_in.access import staff as for_staff
from kiosk.sign_in.access import the_gate
from kiosk.sign_in.whom import acting, me, me_for_page
from web_display import screens
from web_display.console_messages import StaffMember

MOST_BYTES = 500_000
"""A signature at most."""
_HIGHEST = 2**31 - 1
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_MOST_AMOUNTS = 200
_AMOUNT = re.compile(r"0|[1-9][0-9]{0,8}")
"""Cents in plain digits. One amount has one spelling: of two, one's count would be lost."""
_WORKS = ("desk", "customer_services", "marketing", "manager", "crew")
"""Who works at a desk; the crew draws and carries envelopes there. What each act asks for is judged by the engine."""
_COUNTER = ("desk", "customer_services", "marketing", "manager")
"""Who has a guest before them or calls one: nobody else reads guests' names and telephones (POPIA s 19)."""
_DEEPEST = 8
"""A signature's points lie five deep in what is sent."""


def desk_routes(core: Core, house: House, staff: Sequence[StaffMember]) -> Blueprint:
    """`/desk`, its look-ups and its acts."""
    routes = Blueprint("desk", __name__)

    @routes.after_request
    def keep_nothing(response: Response) -> Response:
        response.headers["Cache-Control"] = "no-store"
        return response

    @routes.get("/desk")
    @for_staff(*_WORKS)
    def desk() -> str:
        return render_template(
            "desk.html",
            assets="/static/console",
            property_name=house.property_name,
            promotion_title=core.ask(lambda engine: current_book(engine, engine.now()).title),
            words=page_words("desk"),
            actions="/desk",
            me=me_for_page(),
        )

    _look_ups(routes, core, staff)
    for path, act in _ACTS.items():
        _act_route(routes, core, path, act)
    return routes


def _look_ups(routes: Blueprint, core: Core, staff: Sequence[StaffMember]) -> None:
    @routes.post("/desk/guest")
    @for_staff(*_COUNTER)
    def guest() -> Response:
        number, keep = _said().text("number"), _kept("guest.looked_up")

        def look(engine: Engine) -> Guest:
            found = guest_of(engine, number)
            keep(engine, found.member)
            return found

        return jsonify({"ok": True, "guest": asdict(core.ask(look))})

    @routes.post("/desk/held/find")
    @for_staff(*_WORKS)
    def find() -> Response:
        typed, keep = _said().text("text"), _kept("held.looked_up")

        def look(engine: Engine) -> list[dict[str, Any]]:
            keep(engine, typed)
            return desk_held_view.find(engine, typed)

        return jsonify({"ok": True, "found": core.ask(look)})

    @routes.post("/desk/held/see")
    @for_staff(*_WORKS)
    def see() -> Response:
        of = _said().claim()
        steps = core.ask(lambda engine: desk_held_view.happened(engine, *of, staff))
        return jsonify({"ok": True, "happened": steps})

    @routes.post("/desk/held/reach")
    @for_staff(*_COUNTER)
    def reach() -> Response:
        of, keep = _said().claim(), _kept("paper.read")

        def look(engine: Engine) -> dict[str, Any]:
            found = desk_held_view.reach(engine, *of)
            keep(engine, f"contact:{of[0]} c{of[1]}")
            return found

        return jsonify({"ok": True, **core.ask(look)})


def _kept(act: str) -> Callable[[Engine, str], None]:
    """What keeps in the table of look-ups that whoever is signed in looked at this, here."""
    who, device = me().actor, the_gate().device()
    named = "" if device is None else device.id

    def keep(engine: Engine, about: str) -> None:
        access_notes.note(engine, who=who, act=act, device=named, about=access_notes.about_of(engine, about))

    return keep


def _act_route(routes: Blueprint, core: Core, path: str, act: _Act) -> None:
    @routes.post(path, endpoint=path.removeprefix("/desk/").replace("/", "_"))
    @for_staff(*_WORKS)
    def done() -> Response:
        said = _said()
        return jsonify(core.ask(lambda engine: _once(engine, path, said, act)))


# -- once -----------------------------------------------------------------------------------------------------------


def _once(engine: Engine, path: str, said: _Said, act: _Act) -> dict[str, Any]:
    """Do it, or give the answer it was given before: number, answer and effect are one transaction.

    Refused X_IDEMPOTENT_REPLAY for a number that something else bore.
    """
    number = said.text("id")
    if not _ID.fullmatch(number):
        raise Refused("X_VALUE_WRONG", "What was sent has no number of its own. Load the page again.")
    same = {"path": path, **said.values}
    digest = digest_of(engine, same)
    before = engine.store.press(number)
    if before is not None:
        if before[0] != digest:
            raise Refused("X_IDEMPOTENT_REPLAY", "Something else was sent under this number. Press again.")
        return {**json.loads(before[1]), "repeated": True}
    with engine.change() as work:
        answer = {"ok": True, **(act(engine, said, engine.now()) or {})}
        work.add_press(number, stamped_at=engine.now(), digest=digest, answer=json.dumps(answer))
    return {**answer, "repeated": False}


@dataclass(frozen=True, slots=True)
class _Said:
    """What was sent, read strictly: what cannot be read is refused before anything is done."""

    values: Mapping[str, Any] = field(repr=False)

    def text(self, name: str, most: int = 300) -> str:
        value = self.values.get(name, "")
        if not isinstance(value, str) or len(value) > most or not _is_whole_text(value):
            raise _unreadable(name)
        return value

    def whole(self, name: str) -> int:
        value = self.values.get(name)
        if type(value) is not int or not 0 <= value <= _HIGHEST:
            raise _unreadable(name)
        return value

    def yes(self, name: str) -> bool:
        return self.values.get(name) is True

    def claim(self) -> tuple[str, int]:
        return self.text("draw"), self.whole("ordinal")

    def drawn(self, name: str) -> Mapping[str, Any] | None:
        value = self.values.get(name)
        if value is not None and not isinstance(value, dict):
            raise _unreadable(name)
        return value

    def amounts(self) -> dict[int, int]:
        """{cents: how many}; JSON has the cents as text."""
        value = self.values.get("amounts")
        if not isinstance(value, dict) or len(value) > _MOST_AMOUNTS:
            raise _unreadable("amounts")
        if not all(_AMOUNT.fullmatch(cents) and type(many) is int for cents, many in value.items()):
            raise Refused("X_VALUE_WRONG", "Type how many envelopes hold each amount, as whole numbers.")
        return {int(cents): many for cents, many in value.items()}


def _unreadable(name: str) -> Refused:
    return Refused("X_VALUE_WRONG", f"What was sent as {name} cannot be read. Load the page again.")


def _said() -> _Said:
    if (request.content_length or 0) > MOST_BYTES:
        raise Refused("X_TOO_LARGE", "This is more than a form can hold. Clear the signature and sign again.")
    try:
        body = request.get_json(silent=True)
    except RecursionError:
        body = None
    if not isinstance(body, dict) or not _is_shallow(body, _DEEPEST):
        raise Refused("X_VALUE_WRONG", "A form is sent as JSON. Load the page again.")
    return _Said(acting(body))


def _is_shallow(value: object, levels: int) -> bool:
    """Whether nothing in it lies deeper than that: what reads it further need not mind its depth."""
    if not isinstance(value, dict | list):
        return True
    inside = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_shallow(each, levels - 1) for each in inside)


def _is_whole_text(text: str) -> bool:
    """Whether it can be stored as it is: neither half a character (a lone surrogate) nor NUL in it."""
    return not any("\ud800" <= sign <= "\udfff" or sign == "\0" for sign in text)


# -- the acts -------------------------------------------------------------------------------------------------------

_Act = Callable[[Engine, _Said, int], Mapping[str, Any] | None]


def _paper(engine: Engine, said: _Said, now: int, code: str) -> dict[str, str]:
    """The identification that was shown. Refused `code` for a South African number that is none."""
    shown = {name: said.text(name) for name in ("id_type", "id_number")}
    require_sound(**shown, code=code, today=calendar.local(engine.zone, now).date())
    return shown


def _two(said: _Said) -> dict[str, str]:
    return {name: said.text(name) for name in ("by", "second")}


def _sign(engine: Engine, said: _Said, now: int) -> Mapping[str, Any]:
    entry = register.sign(
        engine,
        member=said.text("member"),
        by=said.text("by"),
        in_person=said.yes("in_person"),
        phone=said.text("phone"),
        email=said.text("email"),
        signature=said.drawn("signature"),
        now=now,
        **_paper(engine, said, now, "SS_REGISTER_ID_REQUIRED"),
    )
    return {"entry": entry}


def _withdraw(engine: Engine, said: _Said, now: int) -> None:
    shown = _paper(engine, said, now, "SS_REGISTER_ID_REQUIRED")
    entry, in_person = said.whole("entry"), said.yes("in_person")
    register.withdraw(engine, entry, by=said.text("by"), in_person=in_person, now=now, **shown)


def _draw(engine: Engine, said: _Said, now: int) -> Mapping[str, Any]:
    draw, ordinal = said.claim()
    prizes.draw_on_behalf(engine, engine.draw(draw), ordinal, pocket=said.text("pocket"), now=now, **_two(said))
    return {"pocket": said.text("pocket").strip().upper()}


def _move(engine: Engine, said: _Said, now: int) -> None:
    draw, ordinal = said.claim()
    hands = {name: said.text(name) for name in ("to", "given_by", "received_by")}
    # Both have shown who they are: who is signed in and the second person, whichever of them gives.
    if {hands["given_by"], hands["received_by"]} != {said.text("by"), said.text("second")}:
        raise Refused("X_SECOND_PERSON_REQUIRED", "Who gives the envelope and who receives it both sign here, now.")
    prizes.move(engine, engine.draw(draw), ordinal, now=now, **hands)


def _contact(engine: Engine, said: _Said, now: int) -> None:
    draw, ordinal = said.claim()
    tried = {name: said.text(name) for name in ("channel", "outcome", "by")}
    prizes.contact(engine, engine.draw(draw), ordinal, now=now, **tried)


def _hand_over(engine: Engine, said: _Said, now: int) -> None:
    name, ordinal = said.claim()
    draw = engine.draw(name)
    prizes.hand_over(
        engine,
        draw,
        ordinal,
        desk=desk_names(draw.book).get(said.text("desk"), ""),
        in_person=said.yes("in_person"),
        amount=said.whole("amount"),
        signature=said.drawn("signature"),
        by=said.text("by"),
        now=now,
        **_paper(engine, said, now, "SS_ID_REQUIRED"),
    )


def _give_back(engine: Engine, said: _Said, now: int) -> None:
    draw, ordinal = said.claim()
    prizes.give_back(engine, engine.draw(draw), ordinal, now=now, **_two(said))


def _batch(engine: Engine, said: _Said, now: int) -> Mapping[str, Any]:
    return {"batch": envelopes.count_batch(engine, amounts=said.amounts(), now=now, **_two(said))}


def _day(engine: Engine, said: _Said, now: int) -> Mapping[str, Any]:
    left, expected = said.whole("left"), len(envelopes.tray(engine))
    envelopes.count_day(engine, left=left, now=now, **_two(said))
    return {"sentence": counted_text(left, expected, screens.time_text(now, engine.zone))}


def _cash(engine: Engine, said: _Said, now: int) -> Mapping[str, Any]:
    opened, cents = said.whole("opened"), said.whole("cents")
    counted = cash.count_cash(engine, opened=opened, cents=cents, now=now, **_two(said))
    return {"sentence": cash_text(counted, current_book(engine, now).currency, screens.time_text(now, engine.zone))}


def _take_out(engine: Engine, said: _Said, now: int) -> Mapping[str, Any]:
    envelopes.withdraw(engine, pocket=said.text("pocket"), now=now, **_two(said))
    return {"pocket": said.text("pocket").strip().upper()}


def _settle(engine: Engine, said: _Said, now: int) -> None:
    printing.settle(engine, said.whole("job"), by=said.text("by"), decision=said.text("decision"), now=now)


def _again(engine: Engine, said: _Said, now: int) -> None:
    printing.reprint(engine, said.whole("job"), by=said.text("by"), now=now)


_ACTS: Mapping[str, _Act] = {
    "/desk/register": _sign,
    "/desk/register/withdraw": _withdraw,
    "/desk/held/draw": _draw,
    "/desk/held/move": _move,
    "/desk/held/contact": _contact,
    "/desk/held/hand_over": _hand_over,
    "/desk/held/give_back": _give_back,
    "/desk/envelopes/batch": _batch,
    "/desk/envelopes/day": _day,
    "/desk/envelopes/cash": _cash,
    "/desk/envelopes/withdraw": _take_out,
    "/desk/slips/settle": _settle,
    "/desk/slips/again": _again,
}
