"""What happened to one claim, step by step: each entry of the log as a sentence, with who and when."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from draw_engine.canonical import parse_time
from draw_engine.log import Entry
from kiosk.draw_log.view import DrawFacts, People, word
from web_display import screens
from web_display.catalogue import say

_MARKS = {
    "claim.announced": "run",
    "claim.presented": "run",
    "claim.review": "late",
    "press.refused": "late",
    "dispute.noted": "late",
    "claim.held": "held",
    "envelope.on_behalf": "held",
    **dict.fromkeys(("claim.checked", "envelope.drawn", "claim.confirmed", "prize.handed_over"), "won"),
    **dict.fromkeys(("claim.expired", "claim.not_rightful_card", "claim.ineligible", "claim.voided"), "gone"),
    **dict.fromkeys(("award.voided", "claim.mismatch", "claim.card_misused"), "gone"),
}
_QUIET = frozenset({"claim.opened", "claim.review_reason", "pool.judged"})
"""What the step beside it says already, or says without a figure; the entry stands in the log's table."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: a sentence, its code if it has one, who, when ("14:18:05", and the day where it is another one)."""

    time: str
    mark: str
    sentence: str
    who: str
    code: str = ""


def steps(facts: DrawFacts, people: People, entries: Sequence[Entry]) -> list[Step]:
    """The steps these entries tell, in their order."""
    told = _Told(facts, people, entries)
    return [told.step(entry) for entry in entries if entry.kind not in _QUIET]


class _Told:
    def __init__(self, facts: DrawFacts, people: People, entries: Sequence[Entry]) -> None:
        self._facts = facts
        self._people = people
        self._deadline: int | None = None
        self._reasons = {entry.seq: entry.data["reason"] for entry in entries if entry.kind == "claim.review_reason"}

    def step(self, entry: Entry) -> Step:
        if entry.kind == "claim.announced":
            self._deadline = parse_time(entry.data["deadline_at"])
        worded = _SENTENCES.get(entry.kind)
        sentence, code = worded(self, entry) if worded else (self.plain(entry), "")
        return Step(self._time(entry.at), _MARKS.get(entry.kind, "wait"), sentence.strip(), self._who(entry), code)

    def _time(self, at: int) -> str:
        there = screens.local(at, self._facts.zone)
        if there.date() == screens.local(self._facts.opened_at, self._facts.zone).date():
            return f"{there:%H:%M:%S}"
        return f"{there.day} {there:%B}, {there:%H:%M:%S}"

    def _who(self, entry: Entry) -> str:
        two = entry.data.get("by")
        if isinstance(two, list):
            return self._people.two([str(one) for one in two])
        return self._people.actor(entry.actor)

    def plain(self, entry: Entry, key: str = "", **values: object) -> str:
        """The sentence of the entry's kind, its own members filled in."""
        said = _members(entry) | values
        name = f"draws.step.{key or entry.kind}"
        return say(name, **said) if word(name) else entry.kind

    def coded(self, entry: Entry, code: str) -> tuple[str, str]:
        why = word(f"draws.code.{code}") or word(f"draws.reason.{code}", code)
        return self.plain(entry, why=why[:1].lower() + why[1:]), code

    def handed_over(self, entry: Entry) -> tuple[str, str]:
        return self.plain(entry, to=self._people.named(entry.data["to"])), ""

    def announced(self, entry: Entry) -> tuple[str, str]:
        return self.plain(entry, time=self._facts.time(self._deadline)), ""

    def presented(self, entry: Entry) -> tuple[str, str]:
        at = parse_time(entry.data["presented_at"])
        ms = 0 if self._deadline is None else self._deadline - at
        if ms < 0:
            return self.plain(entry, "claim.presented_late", n=-ms // 1000), "SS_LATE_AFTER_90S"
        return self.plain(entry, n=ms // 1000), ""

    def reviewed(self, entry: Entry) -> tuple[str, str]:
        reason = self._reasons.get(entry.seq - 1, "")
        because = say("draws.step.claim.review_reason", reason=reason) if reason else ""
        decided = self.plain(entry, "claim.reviewed." + entry.data["decision"])
        return f"{decided} {because}", ""

    def checked(self, entry: Entry) -> tuple[str, str]:
        checks = screens.listed([word(f"draws.check.{one}", one) for one in entry.data["checks"]])
        shown = word(f"draws.id.{entry.data['identification'] or 'none'}", entry.data["identification"])
        return self.plain(entry, checks=checks, identification=shown), ""

    def confirmed(self, entry: Entry) -> tuple[str, str]:
        prize = entry.data["prize"]
        if prize is None:
            return self.plain(entry, "claim.confirmed_bare"), ""
        return self.plain(entry, prize=screens.money(prize, self._facts.currency)), ""

    def paid(self, entry: Entry) -> tuple[str, str]:
        return self.plain(entry, prize=screens.money(entry.data["amount"], self._facts.currency)), ""

    def voided(self, entry: Entry) -> tuple[str, str]:
        return self.plain(entry, "claim.voided_again" if entry.data["reselect"] else "claim.voided"), ""

    def moved(self, entry: Entry) -> tuple[str, str]:
        places = {name: word(f"desk.place.{entry.data[name]}", entry.data[name]) for name in ("from", "to")}
        given = self._people.named(entry.data["given_by"])
        return self.plain(entry, from_place=places["from"], to_place=places["to"], given=given), ""

    def contacted(self, entry: Entry) -> tuple[str, str]:
        channel = word(f"desk.channel.{entry.data['channel']}", entry.data["channel"])
        outcome = word(f"desk.outcome.{entry.data['outcome']}", entry.data["outcome"])
        return self.plain(entry, channel=channel, outcome=outcome), ""

    def postponed(self, entry: Entry) -> tuple[str, str]:
        return self.plain(entry, why=word(f"draws.why.{entry.data['reason']}", entry.data["reason"])), ""

    def frozen(self, entry: Entry) -> tuple[str, str]:
        return self.plain(entry, root=screens.hash_short(entry.data["root"])), ""


_SENTENCES: Mapping[str, Callable[[_Told, Entry], tuple[str, str]]] = {
    "claim.handed_over": _Told.handed_over,
    "claim.arrived": lambda told, entry: (
        told.plain(entry, f"claim.arrived.{entry.data['arrival']}"),
        "SS_NOT_AT_DEVICE" if entry.data["arrival"] == "not_there" else "",
    ),
    "claim.card_misused": lambda told, entry: told.coded(entry, entry.data["code"]),
    "claim.announced": _Told.announced,
    "claim.presented": _Told.presented,
    "claim.review": lambda told, entry: told.coded(entry, entry.data["reason"]),
    "claim.reviewed": _Told.reviewed,
    "claim.checked": _Told.checked,
    "claim.mismatch": lambda told, entry: told.coded(entry, entry.data["code"]),
    "claim.confirmed": _Told.confirmed,
    "claim.refused": lambda told, entry: (told.plain(entry), "SS_SIGNATURE_REFUSED"),
    "claim.held": lambda told, entry: (told.plain(entry), "SS_NO_SHOW_REGISTERED"),
    "claim.expired": lambda told, entry: (told.plain(entry), "SS_NO_SHOW_NOT_REGISTERED"),
    "claim.voided": _Told.voided,
    "press.refused": lambda told, entry: told.coded(entry, entry.data["code"]),
    "envelope.moved": _Told.moved,
    "prize.contacted": _Told.contacted,
    "prize.handed_over": _Told.paid,
    "selection.postponed": _Told.postponed,
    "pool.frozen": _Told.frozen,
}


# -- the draw's own events ------------------------------------------------------------------------------------------

_EVENTS = frozenset(
    {
        *("session.suspended", "session.resumed", "session.ended_early", "feed.excluded", "entropy.given"),
        *("selection.postponed", "selection.lapsed", "draw.certified", "award.voided"),
    }
)


def events(facts: DrawFacts, people: People, entries: Sequence[Entry]) -> list[Step]:
    """What happened in a draw besides its claims: suspended, a feed excluded, put off, lapsed, certified."""
    told = _Told(facts, people, entries)
    return [
        Step(told._time(entry.at), "plain", _event(entry), told._who(entry))  # noqa: SLF001 - its own class
        for entry in entries
        if entry.kind in _EVENTS
    ]


def _members(entry: Entry) -> dict[str, Any]:
    """An entry's members as its sentence has them; a reason's own full stop is the sentence's."""
    said = {name: value for name, value in entry.data.items() if name != "by"}
    return said | ({"reason": str(said["reason"]).removesuffix(".")} if "reason" in said else {})


def _event(entry: Entry) -> str:
    said = _members(entry)
    why = word(f"draws.why.{entry.data.get('reason')}", str(entry.data.get("reason", "")))
    return say(f"draws.event.{entry.kind}", **said, why=why).strip()
