"""Held prizes and envelopes to give back in words: until when, with whom, what can be done with each now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from typing import Any

from draw_engine import envelopes as envelope_rules
from draw_engine import held as rules
from draw_engine.held import Search
from draw_engine.service import guests
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.held_prizes import HeldPrize, contact_of, held, require_waiting, row_of, terms_of
from draw_engine.service.prize_ports import AttemptRow, EnvelopeRow, MoveRow
from kiosk.desk.guest import number_of
from kiosk.desk.messages import HeldLine
from kiosk.desk.words import say
from web_display import screens
from web_display.console_messages import StaffMember

_WAITING = (rules.TO_DRAW, rules.HELD)
_SETTLED_SHOWN = 200


def held_lines(engine: Engine, desks: Mapping[str, str]) -> list[HeldLine]:
    """The prizes that wait, the days that are left first; then envelopes to give back; then what is settled."""
    back = {(row.draw, row.ordinal): row for row in engine.store.envelopes(state=envelope_rules.TO_RETURN)}
    prizes = held(engine)
    lines = [_line(engine, prize, desks, back.pop((prize.draw, prize.ordinal), None)) for prize in prizes]
    lines += [_left_over(engine, row) for row in back.values()]
    waiting = [line for line in lines if line.acts]
    settled = [line for line in lines if not line.acts]
    return [*sorted(waiting, key=_urgency), *settled[-_SETTLED_SHOWN:][::-1]]


def _urgency(line: HeldLine) -> tuple[int, int, int]:
    order = {rules.TO_DRAW: 0, rules.HELD: 1}
    return (order.get(line.state, 2), line.days_left, line.ordinal)


def _line(engine: Engine, prize: HeldPrize, desks: Mapping[str, str], back: EnvelopeRow | None) -> HeldLine:
    draw = engine.draw(prize.draw)
    state = rules.TO_RETURN if back is not None else prize.state
    over = prize.days_left < 0
    waits = state in _WAITING
    return HeldLine(
        draw=prize.draw,
        ordinal=prize.ordinal,
        claim=prize.claim,
        award=prize.award,
        of=of_text(draw),
        guest=prize.guest,
        last4=prize.card,
        state=state,
        state_sentence=say(f"desk.state.{state}"),
        custody=prize.custody,
        custody_text=_place(prize.custody, desks) if state not in {rules.RETURNED, rules.VOID} else "",
        pocket=prize.pocket or "",
        claim_by_text=day_text(prize.claim_by),
        days_left=prize.days_left,
        days_text=_days(prize.days_left) if waits or over else say(f"desk.state.{state}"),
        contact_text=contact_text(prize.search, terms_of(draw).min_contact_attempts),
        alarm=prize.alarm and prize.days_left <= _alarm_days(draw),
        overdue=over and state not in {rules.HANDED_OVER, rules.RETURNED, rules.VOID},
        acts=_acts(state, prize),
        moves_to=rules.CUSTODY.get(prize.custody, ()) if prize.pocket and (waits or back is not None) else (),
    )


def _alarm_days(draw: OpenDraw) -> int:
    """From when on too few attempts are an alarm: the second half of the days."""
    return terms_of(draw).days // 2


def _acts(state: str, prize: HeldPrize) -> tuple[str, ...]:
    """What can be done, the usual next step first."""
    if state == rules.TO_RETURN:
        return ("give_back", "move")
    if state == rules.TO_DRAW:
        return ("draw", "contact")
    if state == rules.HELD:
        here = prize.custody == rules.CUSTOMER_SERVICES
        return ("hand_over", "contact", "move") if here else ("move", "contact")
    return ()


def _left_over(engine: Engine, row: EnvelopeRow) -> HeldLine:
    """An envelope its winner would not take, or of a voided claim: nobody is looked for, two people give it back."""
    assert row.draw is not None
    assert row.ordinal is not None
    draw = engine.draw(row.draw)
    return HeldLine(
        draw=row.draw,
        ordinal=row.ordinal,
        claim=f"c{row.ordinal}",
        award=draw.state.selections[row.ordinal].place,
        of=of_text(draw),
        guest=guests.full_name(engine, draw, row.ordinal),
        last4=guests.last_four(draw, row.ordinal),
        state=rules.TO_RETURN,
        state_sentence=say("desk.state.to_return"),
        custody=rules.PROMOTIONS,
        custody_text=say("desk.place.promotions"),
        pocket=row.pocket,
        claim_by_text="",
        days_left=0,
        days_text=say("desk.not_taken"),
        contact_text="",
        acts=("give_back",),
    )


def of_text(draw: OpenDraw) -> str:
    """Which draw, in words: "session 1, Saturday 7 October"."""
    title = screens.short_title(draw.plan.title, draw.book.title)
    return f"{title[:1].lower()}{title[1:]}, {day_text(draw.day)}"


def day_text(day: date) -> str:
    """A day in words: "Sunday 22 October"."""
    return f"{day:%A} {day.day} {day:%B}"


def _days(left: int) -> str:
    if left < 0:
        return say("desk.overdue", n=-left)
    return say("desk.days_left", n=left) if left else say("desk.last_day")


def _place(place: str, desks: Mapping[str, str]) -> str:
    return desks.get(place) or say(f"desk.place.{place}")


def contact_text(found: Search, needed: int) -> str:
    """How the guest was looked for: "2 of 3 attempts to reach the guest; none over a second channel yet"."""
    if found.reached:
        return say("desk.reached")
    missing = [
        say(f"desk.contacts_{what}")
        for what, n in (("channel", found.missing_channels), ("day", found.missing_days))
        if n and found.attempts
    ]
    if missing:
        return say("desk.contacts_missing", tries=found.attempts, needed=needed, missing=screens.listed(missing))
    return say("desk.contacts", tries=found.attempts, needed=needed)


# -- asked for one prize ------------------------------------------------------------------------------------------


def happened(engine: Engine, draw_id: str, ordinal: int, staff: Sequence[StaffMember]) -> list[dict[str, str]]:
    """What was done about a held prize, oldest first: {key, at, sentence, by}. No number or address is in it."""
    draw = engine.draw(draw_id)
    names = {person.id: person.name for person in staff}
    prize = next((one for one in held(engine) if (one.draw, one.ordinal) == (draw_id, ordinal)), None)
    if prize is None:
        return []
    steps = [(prize.held_at, "held", say("desk.held_since"), "")]
    steps += [(one.moved_at, f"m{one.id}", *_move_words(one, names)) for one in prize.moves]
    steps += [(one.attempted_at, f"a{one.id}", *_attempt_words(one, names)) for one in prize.attempts]
    return [
        {"key": key, "at": _when(at, draw.book.zone), "sentence": sentence, "by": by}
        for at, key, sentence, by in sorted(steps, key=lambda step: step[0])
    ]


def _when(at: int, zone: str) -> str:
    there = screens.local(at, zone)
    return f"{there.day} {there:%B}, {there:%H:%M}"


def _person(actor: str, names: Mapping[str, str]) -> str:
    _, _, person = actor.partition(":")
    return names.get(person, person or say("desk.place.winner"))


def _move_words(move: MoveRow, names: Mapping[str, str]) -> tuple[str, str]:
    places = {"tray": say("desk.place.tray"), "returned": say("desk.place.returned")}
    here, there = (
        places.get(place) or say(f"desk.place.{place}") for place in (move.from_place, move.to_place)
    )  # fmt: skip
    by = say("desk.moved_by", given=_person(move.given_by, names), received=_person(move.received_by, names))
    return say("desk.moved", from_place=here, to_place=there), by


def _attempt_words(attempt: AttemptRow, names: Mapping[str, str]) -> tuple[str, str]:
    channel, outcome = say(f"desk.channel.{attempt.channel}"), say(f"desk.outcome.{attempt.outcome}")
    return say("desk.tried", channel=channel, outcome=outcome), _person(attempt.by, names)


def reach(engine: Engine, draw_id: str, ordinal: int) -> dict[str, Any]:
    """The guest's telephone and e-mail, for whoever is about to call. Refused once nobody is to be reached any more."""
    draw = engine.draw(draw_id)
    require_waiting(draw, row_of(engine, draw, ordinal), engine.now())
    return asdict(contact_of(engine, draw, ordinal))


def find(engine: Engine, typed: str) -> list[dict[str, Any]]:
    """The held prizes whose member or card has this whole number."""
    number = number_of(typed)
    persons = engine.lists.at(engine.now()).person_of
    found = []
    for row in engine.store.held_prizes():
        made = engine.draw(row.draw).rows[row.ordinal]
        if number and number in {made.member, made.person, made.card, *persons(made.member).numbers}:
            found.append({"draw": row.draw, "ordinal": row.ordinal})
    return found
