"""Any order of presses, refusals, restarts and days: every envelope is in one place, and the log says which.

Hypothesis plays the crew, the desks, the clock and the power switch. What is expected comes from a small ledger kept
here by hand, and again from the log alone.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from typing import Any

from casino import Casino, seat_everybody
from desk_words import announced, checked, count, desk_casino, draw_on_behalf, hand_over, move, pay, scan, sign
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from people_words import LERATO, PIETER, THANDI, jhb
from small_book import Session, book_toml

from draw_engine.claim_moves import stage_of
from draw_engine.errors import Refused
from draw_engine.log import Entry
from draw_engine.service import claims, envelopes, expiry, prizes, reviews

Casinos = Callable[..., Casino]

DAY_MS = 86_400_000
RARELY = st.sampled_from([False, False, True])
POSSIBLE = (50_000, 75_000, 100_000)
CLAIMS = st.integers(0, 3)
POCKETS = st.integers(0, 9)
AMOUNTS = st.sampled_from([*POSSIBLE, *POSSIBLE, 49_900, 75_050, 100_100])
REGISTERED = (LERATO, PIETER, THANDI)
BOOK = book_toml(Session("first", "14:00", "14:10", awards=8))


def replayed(log: Iterable[Entry]) -> dict[str, tuple[str, int | None]]:
    """pocket -> (state, amount), from the log alone."""
    found: dict[str, tuple[str, int | None]] = {}
    of_claim: dict[tuple[str, str], str] = {}
    for entry in log:
        data = entry.data
        key = (str(data.get("of") or entry.draw), str(data.get("claim")))
        if entry.kind == "envelopes.counted":
            known = len(found)
            found |= {f"E-{n:04d}": ("tray", None) for n in range(known + 1, known + 1 + data["envelopes"])}
        elif entry.kind in {"envelope.drawn", "envelope.on_behalf"}:
            of_claim[key] = data["pocket"]
            found[data["pocket"]] = ("presented" if entry.kind == "envelope.drawn" else "held", None)
        elif entry.kind == "envelope.withdrawn":
            found[data["pocket"]] = ("withdrawn", None)
        elif key in of_claim:
            pocket = of_claim[key]
            found[pocket] = moved(entry, found[pocket])
    return found


def moved(entry: Entry, before: tuple[str, int | None]) -> tuple[str, int | None]:
    """What an entry about a claim does to its envelope."""
    state, amount = before
    if entry.kind == "claim.confirmed":
        return "given", entry.data["prize"]
    if entry.kind == "prize.handed_over":
        return "handed_over", entry.data["amount"]
    if entry.kind == "prize.returned":
        return "returned", amount
    ended = {"claim.refused", "claim.not_rightful_card", "claim.ineligible", "claim.voided", "prize.overdue"}
    if entry.kind in ended | {"award.voided"} and state in {"presented", "held"}:
        return "to_return", amount
    return before


class Ledger(RuleBasedStateMachine):
    """What is expected of a casino with claims that nobody has taken: `places` says where each envelope is.

    Three of the four claims played with are of guests in the register, so that many a prize comes to be held.
    """

    def __init__(self, casino: Casino) -> None:
        super().__init__()
        self.casino = casino
        rows = casino.draw().rows.values()
        signed, others = (
            [row.ordinal for row in rows if (row.person in REGISTERED) is there] for there in (True, False)
        )
        self.claims = [*signed[:3], others[0]]
        self.places: dict[str, tuple[str, int | None]] = {}
        self.used: dict[int, str] = {}
        """ordinal -> its pocket"""

    def tried(self, verb: Callable[..., Any], *args: Any, **named: Any) -> str | None:
        """None when it was done, else the code it was refused with."""
        try:
            verb(*args, **named)
        except Refused as refused:
            return refused.code
        return None

    def stage(self, ordinal: int) -> str:
        return stage_of(self.casino.draw().state.claims[ordinal])

    def pocket(self, n: int) -> str:
        """Mostly one that lies in the tray."""
        trays = [pocket for pocket in self.places if self.in_tray(pocket)]
        return trays[n % len(trays)] if n < 7 and trays else f"E-{n:04d}"

    def in_tray(self, pocket: str) -> bool:
        return self.places.get(pocket, ("", None))[0] == "tray"

    def put(self, pocket: str, state: str, amount: int | None = None) -> None:
        self.places[pocket] = (state, amount)

    # -- the trays ---------------------------------------------------------------------------------------------

    @initialize()
    def some_are_counted_in(self) -> None:
        self.count_in(6, 75_000)

    @rule(many=st.integers(1, 2), amount=AMOUNTS)
    @precondition(lambda self: len(self.places) < 8)
    def count_in(self, many: int, amount: int) -> None:
        done = self.tried(count, self.casino, {amount: many})
        assert (done is None) == (amount in POSSIBLE)
        if done is None:
            first = len(self.places)
            for n in range(first + 1, first + 1 + many):
                self.put(f"E-{n:04d}", "tray")

    @rule(n=POCKETS, sure=RARELY)
    def take_out(self, n: int, *, sure: bool) -> None:
        if not sure:
            return
        pocket = self.pocket(n)
        engine = self.casino.engine
        done = self.tried(envelopes.withdraw, engine, pocket=pocket, by="nomvula", second="kabelo", now=engine.now())
        assert (done is None) == self.in_tray(pocket)
        if done is None:
            self.put(pocket, "withdrawn")

    # -- the crew ----------------------------------------------------------------------------------------------

    @rule(which=CLAIMS, n=POCKETS)
    def find_and_scan(self, which: int, n: int) -> None:
        ordinal, pocket = self.claims[which], self.pocket(n)
        free = self.stage(ordinal) == "selected"
        assert (self.tried(checked, self.casino, ordinal) is None) == free
        possible = self.stage(ordinal) == "checked" and self.in_tray(pocket)
        assert (self.tried(scan, self.casino, ordinal, pocket) is None) == possible
        if possible:
            self.put(pocket, "presented")
            self.used[ordinal] = pocket

    @rule(which=CLAIMS, amount=AMOUNTS)
    def pay(self, which: int, amount: int) -> None:
        ordinal = self.claims[which]
        possible = self.stage(ordinal) == "envelope" and amount in POSSIBLE
        assert (self.tried(pay, self.casino, amount, ordinal) is None) == possible
        if possible:
            self.put(self.used[ordinal], "given", amount)

    @rule(which=CLAIMS, sure=RARELY)
    @precondition(lambda self: self.used)
    def refuse(self, which: int, *, sure: bool) -> None:
        if not sure:
            return
        ordinal = self.claims[which]
        before, engine = self.stage(ordinal), self.casino.engine
        draw, now = self.casino.draw(), engine.now()
        done = self.tried(claims.refuse, engine, draw, ordinal, actor="crew:kabelo", now=now)
        assert (done is None) == (before in {"checked", "envelope"})
        if done is None and before == "envelope":
            self.put(self.used[ordinal], "to_return")

    @rule(which=CLAIMS)
    def stay_away(self, which: int) -> None:
        ordinal = self.claims[which]
        if self.stage(ordinal) != "selected":
            return
        announced(self.casino, ordinal)
        self.casino.clock.set(self.casino.clock.now() + 90_250)
        expiry.expire_due(self.casino.engine, self.casino.engine.now())
        person = self.casino.draw().rows[ordinal].person
        assert self.stage(ordinal) == ("held" if person in REGISTERED else "expired")

    @rule(which=CLAIMS, sure=RARELY)
    @precondition(lambda self: self.used)
    def void(self, which: int, *, sure: bool) -> None:
        if not sure:
            return
        ordinal = self.claims[which]
        engine = self.casino.engine
        people = {"by": "nomvula", "second": "kabelo", "reason": "a dispute", "reselect": False, "now": engine.now()}
        done = self.tried(reviews.void, engine, self.casino.draw(), ordinal, **people)
        pocket = self.used.get(ordinal)
        if done is None and pocket is not None and self.places[pocket][0] in {"presented", "held"}:
            self.put(pocket, "to_return")

    # -- the desk ----------------------------------------------------------------------------------------------

    def prize(self, ordinal: int) -> str | None:
        found = [one.state for one in prizes.held(self.casino.engine) if one.ordinal == ordinal]
        return found[0] if found else None

    def over(self) -> bool:
        return self.casino.engine.now() >= jhb("2023-10-23 00:00")

    @rule(which=CLAIMS, n=POCKETS)
    def draw_on_behalf(self, which: int, n: int) -> None:
        ordinal, pocket = self.claims[which], self.pocket(n)
        possible = self.prize(ordinal) == "to_draw" and self.in_tray(pocket) and not self.over()
        assert (self.tried(draw_on_behalf, self.casino, ordinal, pocket=pocket) is None) == possible
        if possible:
            self.put(pocket, "held")
            self.used[ordinal] = pocket

    @rule(which=CLAIMS, back=RARELY)
    def hand_on(self, which: int, *, back: bool) -> None:
        """To Marketing, on to the desk, and sometimes back to Marketing."""
        way = [("kabelo", "marketing", "sibusiso"), ("sibusiso", "customer_services", "lindiwe")]
        for given_by, to, received_by in [*way, ("lindiwe", "marketing", "sibusiso")] if back else way:
            ordinal = self.claims[which]
            self.tried(move, self.casino, ordinal, to=to, given_by=given_by, received_by=received_by)

    @rule(which=CLAIMS, amount=AMOUNTS)
    def hand_over(self, which: int, amount: int) -> None:
        ordinal = self.claims[which]
        custody = [one.custody for one in prizes.held(self.casino.engine) if one.ordinal == ordinal]
        possible = (
            self.prize(ordinal) == "held"
            and custody == ["customer_services"]
            and not self.over()
            and amount in POSSIBLE
        )
        assert (self.tried(hand_over, self.casino, ordinal, amount=amount) is None) == possible
        if possible:
            self.put(self.used[ordinal], "handed_over", amount)

    @rule(which=CLAIMS)
    def give_back(self, which: int) -> None:
        ordinal = self.claims[which]
        pocket = self.used.get(ordinal)
        possible = pocket is not None and self.places[pocket][0] == "to_return"
        engine, draw, now = self.casino.engine, self.casino.draw(), self.casino.engine.now()
        done = self.tried(prizes.give_back, engine, draw, ordinal, by="sibusiso", second="lindiwe", now=now)
        assert (done is None) == possible
        if done is None and pocket is not None:
            self.put(pocket, "returned")

    # -- more of it at once: many an envelope goes its whole way ------------------------------------------------

    @rule(which=CLAIMS, n=POCKETS, amount=AMOUNTS)
    def serve(self, which: int, n: int, amount: int) -> None:
        self.find_and_scan(which, n)
        self.pay(which, amount)

    @rule(which=CLAIMS, n=POCKETS)
    def keep(self, which: int, n: int) -> None:
        self.stay_away(which)
        self.draw_on_behalf(which, n)

    @rule(which=CLAIMS, amount=AMOUNTS)
    def collect(self, which: int, amount: int) -> None:
        self.hand_on(which, back=False)
        self.hand_over(which, amount)

    # -- time and power ----------------------------------------------------------------------------------------

    @rule(days=st.sampled_from([1, 1, 1, 14]))
    def days_pass(self, days: int) -> None:
        """The night's work is done where the session is over: only the desk is open then."""
        self.casino.clock.set(self.casino.clock.now() + days * DAY_MS)
        prizes.expire_due(self.casino.engine, self.casino.engine.now())
        if self.over():
            self.places |= {
                pocket: ("to_return", None) for pocket, (where, _) in self.places.items() if where == "held"
            }

    @rule()
    def restart(self) -> None:
        self.casino.restart()

    # -- what holds --------------------------------------------------------------------------------------------

    @invariant()
    def every_envelope_is_where_the_ledger_has_it(self) -> None:
        rows = self.casino.engine.store.envelopes()
        assert {row.pocket: (row.state, row.amount) for row in rows} == self.places
        drawn = [(row.draw, row.ordinal) for row in rows if row.draw is not None]
        assert len(drawn) == len(set(drawn)), "two envelopes for one claim"
        assert {row.ordinal: row.pocket for row in rows if row.draw is not None} == self.used

    @rule()
    def audit(self) -> None:
        """The log alone says the same, and what was counted in is the sum of the places."""
        assert replayed(self.casino.log()) == self.places
        engine = self.casino.engine
        found = envelopes.variance(engine, engine.now())
        where = Counter(state for state, _ in self.places.values())
        assert found.counted == len(self.places) == sum(where.values())
        for state in ("tray", "presented", "given", "held", "handed_over", "to_return", "returned", "withdrawn"):
            assert getattr(found, state) == where[state]

    def teardown(self) -> None:
        self.audit()


def played(casinos: Casinos) -> Casino:
    """A casino at the end of a session whose eight claims nobody has taken, three of its guests in the register."""
    casino = desk_casino(casinos, now="13:55", book=BOOK)
    for member in REGISTERED:
        sign(casino, member)
    seat_everybody(casino)
    casino.send()
    casino.at("14:09:59.999")
    assert len(casino.draw().state.claims) == 8
    registered = {row.person in REGISTERED for row in casino.draw().rows.values()}
    assert registered == {True, False}, "the seed selected only guests in the register, or none"
    return casino


def copied(whole: Casino) -> Casino:
    """The same casino again, on its own copy of the database and the journal: a session need be played only once."""
    folder = Path(tempfile.mkdtemp(dir=whole.folder))
    with closing(connect(str(whole.database.url.database))) as source, closing(connect(folder / "copy.db")) as copy:
        source.backup(copy)
    shutil.copytree(whole.folder / "journal", folder / "journal")
    casino = Casino(f"sqlite:///{folder / 'copy.db'}", folder, book=BOOK, now="14:09:59.999")
    casino.settings = whole.settings
    casino.restart()
    return casino


def test_any_order_of_presses_keeps_every_envelope_in_one_place(casinos: Casinos) -> None:
    whole = played(casinos)
    sqlite = whole.database.dialect.name == "sqlite"
    made: list[Casino] = []

    def make() -> Casino:
        made.append(copied(whole) if sqlite else played(casinos))
        return made[-1]

    class Played(Ledger):
        def __init__(self) -> None:
            super().__init__(make())

        def teardown(self) -> None:
            super().teardown()
            if sqlite:
                self.casino.close()

    run_state_machine_as_test(
        Played,
        settings=settings(
            max_examples=40 if sqlite else 4,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
