"""Anybody does anything at any time, and the core starts again at any time: what must hold of claims holds.

Two short sessions with carrying and a limit of wins; presses of every verb by several people, repeats of old presses,
clock steps, downtimes, register entries, the floor, exclusions, reviews, voids. At the end both draws close and verify.
"""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from casino import Casino, seat_everybody
from claim_invariants import everything_holds, the_log_is_whole
from claim_steps import CHECKED, ON_SQLITE, SIGNED
from desk_words import DRAWN, PEOPLE, SA_ID
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from people_words import AISHA, GRACE, LERATO, NALEDI, PIETER, SIPHO, THANDI, jhb
from small_book import Session, book_toml

from draw_engine.claim_moves import RUNNING, stage_of
from draw_engine.errors import Refused
from draw_engine.service import envelopes, house, pressing, prizes, register, reviews
from draw_engine.service.pressing import StaffPress

EXAMPLES = int(os.environ.get("FLOORDRAW_TEST_EXAMPLES", "12"))
QUOTA, WINS = 7, 3
LIMITS = f'[{{ scope = "day", max = {WINS} }}]'
BOOK = book_toml(
    Session("first", "14:00", "14:06", awards=5, limits=LIMITS),
    Session("second", "14:09", "14:15", awards=3, limits=LIMITS),
    quota=QUOTA,
    opens_before=1,
)
GUESTS = [THANDI, PIETER, LERATO, SIPHO, AISHA, NALEDI, GRACE]
POSITIONS = ["S-0412", "S-0088", "S-0500", "S-0501", "S-0502"]
VERBS = sorted(pressing._VERBS)
NEXT = {
    "selected": ["take"],
    "taken": ["found"] * 3 + ["not_there"] * 3 + ["other_person", "hand_over", "release"],
    "not_there": ["announce"],
    "announced": ["present", "", "", "release"],
    "found": ["check"] * 5 + ["mismatch"],
    "presented": ["check"] * 5 + ["mismatch"],
    "checked": ["envelope"] * 5 + ["refuse"],
    "envelope": ["pay"] * 5 + ["refuse"],
    "review": ["present", ""],
}
"""What a crew presses next, as often; nothing: it waits."""
ALL = sorted(PEOPLE)
Chance = Any  # hypothesis's own source of chance: even, and known by its seed
HAPPENS = [
    *["claims_go_on"] * 8,
    *["time_passes"] * 3,
    *["two_people_decide_or_void"] * 3,
    *["anything_is_pressed", "an_old_press_is_sent_again", "the_core_starts_again"] * 2,
    *["the_wall_clock_steps", "the_stage_s_tablet_goes_or_comes"],
    *["the_session_is_suspended_or_resumed", "the_register_is_signed", "the_register_is_withdrawn"],
    *["a_guest_sits_down_or_leaves", "a_guest_is_excluded", "an_envelope_is_drawn_on_behalf"],
]
"""What happens next, as often."""


class Floor(RuleBasedStateMachine):
    """The casino and its people. `make` gives the URL of an empty database and a folder."""

    make: Callable[[], tuple[str, Path]]

    def __init__(self) -> None:
        super().__init__()
        url, folder = type(self).make()
        self.casino = Casino(url, folder, book=BOOK, now="13:48")
        self.casino.settings = replace(self.casino.settings, staff=PEOPLE)
        self.folder = folder
        self.unheard = False
        self._start()
        self.casino.load_lists()
        self.numbers = itertools.count()
        self.sent: list[tuple[StaffPress, dict[str, Any] | Refused]] = []
        self.entries: list[int] = []
        for member in (LERATO, PIETER):
            self._sign(member)
        seat_everybody(self.casino)
        self.casino.at("13:59:30")
        self.casino.playing.clear()
        self.casino.playing.update(dict(zip(POSITIONS, GUESTS, strict=False)))
        self.casino.tray(amounts={50_000: 40, 75_000: 40, 100_000: 20})
        while len(self.casino.draw().state.claims) < 3:
            self.casino.go(self.casino.moments()[0])

    def _start(self) -> None:
        self.casino.restart()
        self.casino.engine.interrupted = lambda _draw, _ordinal, _deadline: "SS_STAGE_UNHEARD" if self.unheard else None
        house.start_log(self.casino.engine, "test")
        self.casino.tick()

    def _do(self, command: Callable[[], object]) -> None:
        """As the core does: what is due first, then the command; an expected no is an answer."""
        self.casino.tick()
        self.casino.engine.ready()
        with suppress(Refused):
            command()
        self.casino.engine.ready()

    def _now(self) -> int:
        return self.casino.engine.now()

    def _claim(self) -> tuple[str, int]:
        """Some claim that runs; now and then one that ended, or there is not."""
        draws = list(self.casino.engine.draws.values())
        running = [(draw.state.id, claim.ordinal) for draw in draws for claim in draw.state.running()]
        if running and self.chance.random() < 0.85:
            return self.chance.choice(running)
        draw = self.chance.choice(draws)
        return draw.state.id, self.chance.randint(0, len(draw.state.claims))

    @initialize(chance=st.randoms(use_true_random=True))
    def chance_is_seeded(self, chance: Chance) -> None:
        self.chance = chance

    @rule(what=st.sampled_from(HAPPENS))
    def something_happens(self, what: str) -> None:
        getattr(self, what)()

    # -- tablets -----------------------------------------------------------------------------------------------

    def _press(self, verb: str, claim: tuple[str, int], by: str) -> None:
        number = f"press-{next(self.numbers):06d}"
        stamped = self._now() - (self.chance.randint(0, 300) if self.chance.random() < 0.3 else 0)
        asked = StaffPress(number, verb, claim[0], claim[1], by, stamped, self._said(verb, claim))
        self.casino.tick()
        self.casino.engine.ready()
        answer: dict[str, Any] | Refused
        try:
            answer = pressing.press(self.casino.engine, asked)
            assert answer["repeated"] is False
        except Refused as refusal:
            answer = refusal
        self.casino.engine.ready()
        self.sent.append((asked, answer))

    def _said(self, verb: str, claim: tuple[str, int]) -> dict[str, Any]:
        draw = self.casino.engine.draw(claim[0])
        found = claim[1] < len(draw.state.claims) and draw.state.claims[claim[1]].found_at is not None
        wrong = self.chance.random() < 0.1
        if verb == "hand_over":
            return {"to": self.chance.choice(ALL if wrong else ["ayanda", "nomvula", "kabelo"])}
        if verb == "check":
            return {"checks": CHECKED["device" if found else "stage"][: 3 if wrong else 4], "identification": ""}
        if verb == "mismatch":
            return {"reason": "shoe" if wrong else self.chance.choice(["card", "owner"])}
        if verb == "envelope":
            left = envelopes.tray(self.casino.engine)
            return {"pocket": f"E-{self.chance.randint(0, 110):04d}" if wrong or not left else left[0]}
        if verb == "pay":
            amount = 123 if wrong else self.chance.choice([50_000, 75_000, 100_000])
            return {"amount": amount, "signature": None if self.chance.random() < 0.1 else SIGNED}
        return {}

    def anything_is_pressed(self) -> None:
        self._press(self.chance.choice(VERBS), self._claim(), self.chance.choice(ALL))

    def claims_go_on(self) -> None:
        for _ in range(self.chance.randint(1, 8)):
            self._goes_on()
            if self.chance.random() < 0.3:
                self.casino.go(self._now() + self.chance.randint(1, 20_000))

    def _goes_on(self) -> None:
        draw_id, ordinal = self._claim()
        claims = self.casino.engine.draw(draw_id).state.claims
        if ordinal < len(claims) and claims[ordinal].runs:
            by = (claims[ordinal].taken_by or "crew:kabelo").partition(":")[2]
            verb = self.chance.choice(NEXT[stage_of(claims[ordinal])])
            if verb:
                self._press(verb, (draw_id, ordinal), by)

    def an_old_press_is_sent_again(self) -> None:
        if not self.sent:
            return
        asked, answer = self.chance.choice(self.sent)
        head = self.casino.engine.store.head()
        again = replace(asked, stamped_at=asked.stamped_at + self.chance.randint(0, 200_000))
        if isinstance(answer, Refused):
            with pytest.raises(Refused) as refusal:
                pressing.press(self.casino.engine, again)
            assert (refusal.value.code, refusal.value.sentence) == (answer.code, answer.sentence)
        else:
            assert pressing.press(self.casino.engine, again) == {**answer, "repeated": True}
        with pytest.raises(Refused, match="X_IDEMPOTENT_REPLAY"):
            pressing.press(self.casino.engine, replace(asked, verb="found" if asked.verb == "take" else "take"))
        assert self.casino.engine.store.head() == head

    # -- time --------------------------------------------------------------------------------------------------

    def time_passes(self) -> None:
        self.casino.go(self._now() + self.chance.choice([1, 249, 15_000, 60_000, 90_250, 90_250]))

    def the_core_starts_again(self) -> None:
        down = self.chance.choice([0, 500, 2_500, 30_000, 120_000])
        self.casino.clock.set(self.casino.clock.now() + down)
        self._start()
        self.casino.send()

    # -- two people --------------------------------------------------------------------------------------------

    def two_people_decide_or_void(self) -> None:
        waiting = [
            (draw, claim.ordinal)
            for draw in self.casino.engine.draws.values()
            for claim in draw.state.running()
            if claim.review is not None
        ]
        who = {
            "by": self.chance.choice(["nomvula", "nomvula", "kabelo"]),
            "second": self.chance.choice(["themba", "nomvula"]),
        }
        said = {**who, "reason": "the tablets were off", "now": self._now()}
        if waiting and self.chance.random() < 0.8:
            draw, ordinal = self.chance.choice(waiting)
            decision = self.chance.choice(["present", "absent", "again"])
            self._do(lambda: reviews.decide(self.casino.engine, draw, ordinal, decision, **said))
        elif self.chance.random() < 0.4:
            draw_id, ordinal = self._claim()
            draw, reselect = self.casino.engine.draw(draw_id), self.chance.random() < 0.5
            self._do(lambda: reviews.void(self.casino.engine, draw, ordinal, reselect=reselect, **said))

    # -- the desk and the floor --------------------------------------------------------------------------------

    def the_wall_clock_steps(self) -> None:
        self.casino.clock.off = self.chance.choice([0, 900, 1_001, -1_500, 60_000])
        self.casino.tick()

    def the_stage_s_tablet_goes_or_comes(self) -> None:
        self.unheard = not self.unheard

    def the_session_is_suspended_or_resumed(self) -> None:
        draw = list(self.casino.engine.draws.values())[-1]
        act = house.resume if draw.state.suspended else house.suspend
        self._do(lambda: act(self.casino.engine, draw, by="nomvula", second="themba", reason="a drill"))

    def the_register_is_signed(self) -> None:
        self._do(lambda: self._sign(self.chance.choice(GUESTS)))

    def _sign(self, member: str) -> None:
        said = {"by": "bheki", "in_person": True, "id_type": "sa_id", "id_number": SA_ID, "phone": "082 000 0001"}
        person = {"member": member, "email": "", "signature": DRAWN, "now": self._now()}
        self.entries.append(register.sign(self.casino.engine, **person, **said))

    def the_register_is_withdrawn(self) -> None:
        said = {"by": "bheki", "in_person": True, "id_type": "sa_id", "id_number": SA_ID, "now": self._now()}
        entry = self.chance.choice(self.entries or [1])
        self._do(lambda: register.withdraw(self.casino.engine, entry, **said))

    def a_guest_sits_down_or_leaves(self) -> None:
        position, member = self.chance.choice(POSITIONS), self.chance.choice(GUESTS)
        if position in self.casino.playing:
            self.casino.leaves(position)
        elif member not in self.casino.playing.values():
            self.casino.sits(member, position, card=f"70{member}")
        self.casino.tick()
        self.casino.send()

    def a_guest_is_excluded(self) -> None:
        member, day = self.chance.choice(GUESTS), date(2023, 10, 7)
        said = {"first": day, "last": day, "by": "bheki"}
        if self.chance.random() < 0.3:
            self._do(lambda: house.exclude_guest(self.casino.engine, member, "self_excluded", **said))

    def an_envelope_is_drawn_on_behalf(self) -> None:
        held = prizes.held(self.casino.engine)
        if held:
            row, pocket = self.chance.choice(held), next(iter(envelopes.tray(self.casino.engine)), "")
            draw = self.casino.engine.draw(row.draw)
            said = {"pocket": pocket, "by": "sibusiso", "second": "kabelo", "now": self._now()}
            self._do(lambda: prizes.draw_on_behalf(self.casino.engine, draw, row.ordinal, **said))

    # -- what must hold ----------------------------------------------------------------------------------------

    @invariant()
    def all_of_it_holds(self) -> None:
        everything_holds(self.casino, presses=len(self.sent), quota=QUOTA, wins=WINS)

    def teardown(self) -> None:
        try:
            self._to_the_end()
            everything_holds(self.casino, presses=len(self.sent), quota=QUOTA, wins=WINS)
            the_log_is_whole(self.casino)
            self.casino.verify_closed()
        finally:
            self.casino.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    def _to_the_end(self) -> None:
        """Everything that was put off is taken up again; whoever is selected is found, or comes, and is paid."""
        self.unheard, self.casino.clock.off = False, 0
        self.casino.go(max(self._now(), jhb("14:15")))
        for _ in range(200):
            for draw in list(self.casino.engine.draws.values()):
                self._finish(draw.plan.id)
            if all(draw.state.closed_at is not None for draw in self.casino.engine.draws.values()):
                return
            self.casino.go(self._now() + 31_000)
        raise AssertionError("a draw does not close")

    def _finish(self, plan: str) -> None:
        draw = self.casino.draw(plan)
        if draw.state.suspended and draw.state.closed_at is None:
            house.resume(self.casino.engine, draw, by="nomvula", second="themba", reason="it is over")
        for claim in draw.state.running():
            stage = stage_of(claim)
            assert stage in RUNNING
            if stage == "review":
                said = {"by": "nomvula", "second": "themba", "reason": "seen on camera", "now": self._now()}
                reviews.decide(self.casino.engine, draw, claim.ordinal, "present", **said)
            elif stage == "not_there":
                self.casino.announce(plan, claim.ordinal)
            self.casino.pay(plan, claim.ordinal)


def run(make: Callable[[], tuple[str, Path]], examples: int) -> None:
    machine = type("Floor", (Floor,), {"make": staticmethod(make)})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@ON_SQLITE
def test_whatever_anybody_does_claims_stay_whole(
    new_database: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fdatasync", lambda _: None)
    run(lambda: (new_database(), _new(tmp_path)), EXAMPLES)


@pytest.mark.postgres
def test_whatever_anybody_does_claims_stay_whole_on_a_server_too(
    new_postgres: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fdatasync", lambda _: None)
    run(lambda: (new_postgres(), _new(tmp_path)), max(1, EXAMPLES // 10))


_folders = itertools.count()


def _new(tmp_path: Path) -> Path:
    made = tmp_path / f"floor-{next(_folders)}"
    made.mkdir()
    return made
