"""Canned floors for the crew's and the stage's pages, and a small stand-in for the door that presses go through.

People, cards, machines and amounts are made up. A scene is a `Floor`: it makes both pages' messages, takes presses by
the engine's own table of moves, and can be told to be deaf, late or to refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from scenes import PROMOTION, STAGE

from draw_engine.claim_moves import ENDED, TRANSITIONS
from draw_engine.clock import SteadyClock
from kiosk.crew.messages import (
    Bank,
    CrewClaim,
    CrewEnd,
    CrewSnapshot,
    FloorMap,
    Guest,
    StageCall,
    StageClock,
    StageLate,
    StageReview,
    StageSnapshot,
)
from kiosk.crew.words import ENGLISH
from web_display.console_messages import StaffMember

DRAW = "silverstar/playtime/2023-10-07/bonus-jackpot-1"
STAFF = (
    StaffMember("lerato", "Lerato Khumalo", "crew"),
    StaffMember("johan", "Johan Brits", "crew"),
    StaffMember("ayanda", "Ayanda Nkosi", "crew"),
    StaffMember("anita", "Anita Botes", "stage"),
    StaffMember("naledi", "Naledi Khumalo", "manager"),
)
CALLED = {"lerato": "Lerato K.", "johan": "Johan B.", "ayanda": "Ayanda N.", "naledi": "Naledi K.", "anita": "Anita B."}
GUESTS = {
    "S-0731": Guest("Nomvula Dlamini", "Nomvula D.", "5520"),
    "BJ-03/4": Guest("Annelie Botha", "Annelie B.", "0913"),
    "S-0218": Guest("Thandi Mokoena", "Thandi M.", "1001"),
    "S-1104": Guest("Pieter van Wyk", "Pieter W.", "8830"),
    "S-0044": Guest("Sipho Ndlovu", "Sipho N.", "4417"),
    "S-0905": Guest("Thandi Maseko", "Thandi M.", "7302"),
}
WHERE = {
    "S-0731": ("SMOKING", "SM07", "Smoking floor, bank SM07", 395.0, 185.0),
    "BJ-03/4": ("MAIN", "MA-PIT1", "Main floor, MA-PIT1", 40.0, 10.0),
    "S-0218": ("MAIN", "MA02", "Main floor, bank MA02", 10.0, 185.0),
    "S-1104": ("MAIN", "MA11", "Main floor, bank MA11", 150.0, 135.0),
    "S-0044": ("SMOKING", "SM01", "Smoking floor, bank SM01", 320.0, 120.0),
    "S-0905": ("MAIN", "MA03", "Main floor, bank MA03", 0.0, 235.0),
}


@dataclass
class Floor:
    """Claims of one draw, with the time; `deaf` answers 503, `refuses` is the refusal of the next press."""

    clock: SteadyClock
    claims: dict[int, CrewClaim] = field(default_factory=dict)
    ended: list[CrewEnd] = field(default_factory=list)
    late: list[StageLate] = field(default_factory=list)
    tray: list[str] = field(default_factory=lambda: [f"E-{n:04d}" for n in range(31, 66)])
    twins: set[int] = field(default_factory=set)
    has_map: bool = True
    suspended: bool = False
    deaf: bool = False
    refuses: dict[str, Any] | None = None
    pressed: list[dict[str, Any]] = field(default_factory=list)
    reviewed: list[dict[str, Any]] = field(default_factory=list)
    answers: dict[str, tuple[int, dict[str, Any]]] = field(default_factory=dict)
    heard: int = 0
    changed: Callable[[], None] = lambda: None

    def add(self, position: str, stage: str = "selected", *, ago: int = 14_000, by: str = "", left: int = 0) -> int:
        """A claim at a stage: selected `ago` ms since, taken `by`, its clock with `left` ms to run."""
        now = self.clock.now()
        zone, bank, where, x, y = WHERE[position]
        ordinal = len(self.claims) + len(self.ended)
        deadline = now + left if left or stage == "announced" else None
        self.claims[ordinal] = CrewClaim(
            key=f"2023-10-07/bonus-jackpot-1/c{ordinal}",
            draw=DRAW,
            ordinal=ordinal,
            award=ordinal + 1,
            stage=stage,
            position=position,
            where=where,
            opened_at=now - ago,
            zone=zone,
            bank=bank,
            x=x if self.has_map else None,
            y=y if self.has_map else None,
            taken_by=by,
            taken_name=CALLED.get(by, ""),
            taken_at=now - ago + 10_000 if by else None,
            guest=None if stage == "selected" else GUESTS[position],
            arrived_at=None if stage in {"selected", "taken"} else now - ago // 2,
            announced_at=deadline - 90_000 if deadline else None,
            deadline_at=deadline,
            presented_at=now - 3_000 if stage == "presented" else None,
            pocket="E-0030" if stage == "envelope" else "",
            place=STAGE,
            low=50_000,
            high=100_000,
        )
        return ordinal

    # -- the messages ----------------------------------------------------------------------------------------------

    def crew(self) -> dict[str, Any]:
        now = self.clock.now()
        return CrewSnapshot(
            server_now=now,
            utc_offset_minutes=120,
            property_name="Silverstar",
            promotion_title=PROMOTION,
            day_text="7 October 2023",
            money_prefix="R\u00a0",
            staff=STAFF,
            claims=tuple(self.claims.values()),
            ended=tuple(self.ended),
            tray=tuple(self.tray),
            floor="7" if self.has_map else "",
            suspended=self.suspended,
        ).as_json()

    def stage(self) -> dict[str, Any]:
        now = self.clock.now()
        return StageSnapshot(
            server_now=now,
            utc_offset_minutes=120,
            property_name="Silverstar",
            promotion_title=PROMOTION,
            place=STAGE,
            staff=STAFF,
            deciders=STAFF,
            calls=tuple(self._call(claim) for claim in self._at("not_there")),
            clocks=tuple(self._clock(claim) for claim in self._at("announced")),
            reviews=tuple(self._review(claim) for claim in self._at("review")),
            late=tuple(self.late),
            suspended=self.suspended,
        ).as_json()

    def _at(self, stage: str) -> Iterable[CrewClaim]:
        return (claim for claim in self.claims.values() if claim.stage == stage)

    def _call(self, claim: CrewClaim) -> StageCall:
        guest = GUESTS[claim.position]
        return StageCall(
            claim.key, DRAW, claim.ordinal, guest.called, guest.last4, STAGE, 90, claim.position, claim.taken_name,
            claim.arrived_at or 0, twin=claim.ordinal in self.twins, again=claim.announced_at is not None,
        )  # fmt: skip

    def _clock(self, claim: CrewClaim) -> StageClock:
        guest = GUESTS[claim.position]
        assert claim.deadline_at is not None
        name = f"{guest.called} \u00b7\u00b7\u00b7{guest.last4}"
        return StageClock(
            claim.key, DRAW, claim.ordinal, name, "Black", STAGE, claim.deadline_at - 90_000, claim.deadline_at,
            twin=claim.ordinal in self.twins,
        )  # fmt: skip

    def _review(self, claim: CrewClaim) -> StageReview:
        guest = GUESTS[claim.position]
        assert claim.deadline_at is not None
        code = claim.review or "SS_STAGE_UNHEARD"
        name = f"{guest.called} \u00b7\u00b7\u00b7{guest.last4}"
        sentence = ENGLISH[f"crew.review.{code}"]
        return StageReview(
            claim.key, DRAW, claim.ordinal, name, code, sentence, claim.deadline_at - 90_000, claim.deadline_at
        )

    # -- the door --------------------------------------------------------------------------------------------------

    def press(self, said: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """(status, answer) of a press; the same number again gets the same answer."""
        if self.deaf:
            return 503, {"code": "X_TRY_AGAIN", "sentence": "The core was busy."}
        if said["id"] in self.answers:
            status, answer = self.answers[said["id"]]
            return status, {**answer, "repeated": True}
        self.pressed.append(said)
        status, answer = self._carried_out(said)
        self.answers[said["id"]] = status, answer
        self.changed()
        return status, answer

    def _carried_out(self, said: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if self.refuses is not None:
            refusal, self.refuses = self.refuses, None
            return 409, refusal
        now = self.clock.now()
        verb, claim = said["verb"], self.claims.get(said["ordinal"])
        if claim is None:
            return 409, {"code": "X_CLAIM_STATE", "sentence": "The claim has ended."}
        if verb == "take" and claim.taken_by:
            return 409, {
                "code": "X_ALREADY_TAKEN",
                "sentence": f"{claim.taken_by} has claim c{claim.ordinal}. Take another one.",
            }
        stage = TRANSITIONS.get((claim.stage, verb), claim.stage)
        if verb in {"take", "hand_over"}:
            by = said["to"] if verb == "hand_over" else said["by"]
            claim = replace(claim, taken_by=by, taken_name=CALLED[by], taken_at=now, guest=GUESTS[claim.position])
        if verb == "release":
            claim = replace(claim, taken_by="", taken_name="", guest=None if stage == "selected" else claim.guest)
        more: dict[str, Any] = {}
        if stage == "announced":
            more = {"announced_at": now, "deadline_at": now + 90_000}
        elif verb in {"found", "not_there"}:
            more = {"arrived_at": now}
        elif verb == "present":
            more = {"presented_at": now}
        elif verb == "envelope":
            more = {"pocket": said["pocket"]}
            self.tray = [pocket for pocket in self.tray if pocket != said["pocket"]]
        claim = replace(claim, stage=stage, **more)
        if stage in ENDED:
            del self.claims[claim.ordinal]
            self.ended.insert(0, CrewEnd(claim.key, claim.position, stage, now, f"Ended: {stage}."))
        else:
            self.claims[claim.ordinal] = claim
        return 200, {
            "ok": True,
            "verb": verb,
            "at": now,
            "stage": stage,
            "repeated": False,
            "deadline_at": claim.deadline_at,
        }

    def review(self, said: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.reviewed.append(said)
        if said["by"] == said["second"]:
            return 409, {"code": "X_SAME_PERSON", "sentence": "The second person must be somebody else."}
        stage = {"again": "not_there", "present": "presented", "absent": "expired"}[said["decision"]]
        claim = self.claims.pop(said["ordinal"])
        if stage != "expired":
            self.claims[claim.ordinal] = replace(claim, stage=stage)
        self.changed()
        return 200, {"ok": True, "stage": stage}


def floor_map() -> dict[str, Any]:
    return FloorMap("7", {"MAIN": "Main floor", "SMOKING": "Smoking floor"}, tuple(_banks())).as_json()


def _banks() -> Iterable[Bank]:
    for zone, letters, west, count in (("MAIN", "MA", 0, 20), ("SMOKING", "SM", 320, 10)):
        for n in range(count):
            x, y = west + n // 5 * 70, 120 + n % 5 * 50
            yield Bank(zone, f"{letters}{n + 1:02d}", "slot", x, y, x + 30, y + 15)
        for n in range(3):
            yield Bank(zone, f"{letters}-PIT{n + 1}", "table", west + n * 50, 10, west + n * 50 + 30, 55)


# -- scenes -----------------------------------------------------------------------------------------------------


def queue(floor: Floor) -> None:
    """As on the look's page: one free, three under way, one of them Lerato's."""
    floor.add("S-0731")
    floor.add("BJ-03/4", "taken", ago=51_000, by="ayanda")
    floor.add("S-0218", "announced", ago=120_000, by="lerato", left=12_400)
    floor.add("S-1104", "announced", ago=100_000, by="johan", left=61_400)


def several(floor: Floor) -> None:
    """Three are free at once, one guest stands at the stage, one claim is Lerato's to go on with."""
    floor.add("S-0731")
    floor.add("S-0044", ago=9_000)
    floor.add("S-0905", ago=4_000)
    floor.add("S-0218", "presented", ago=120_000, by="johan", left=30_000)
    floor.add("S-1104", "found", ago=60_000, by="lerato")
    floor.add("BJ-03/4", "not_there", ago=60_000, by="ayanda")


def nothing(_floor: Floor) -> None:
    """Nobody has been selected."""


def machine(floor: Floor) -> None:
    floor.add("S-0731", "taken", ago=80_000, by="lerato")
    floor.add("S-1104", "announced", ago=100_000, by="johan", left=61_400)


def at_stage(floor: Floor) -> None:
    """Somebody to call, two clocks, one who came too late."""
    floor.add("S-0731", "not_there", ago=60_000, by="lerato")
    floor.add("S-0218", "announced", ago=120_000, by="lerato", left=12_400)
    floor.add("S-1104", "announced", ago=100_000, by="johan", left=61_400)
    now = floor.clock.now()
    floor.late.append(StageLate("old/c9", "Zanele P. \u00b7\u00b7\u00b76174", now - 7_000, now - 6_750))


def stage_many(floor: Floor) -> None:
    """Twins to call, five clocks, a review."""
    floor.twins = {
        floor.add("S-0218", "not_there", ago=70_000, by="lerato"),
        floor.add("S-0905", "not_there", by="johan"),
    }
    for position, left in (("S-0731", 5_400), ("S-1104", 20_400), ("S-0044", 45_400), ("BJ-03/4", 80_400)):
        floor.add(position, "announced", ago=100_000, by="johan", left=left)
    floor.add("S-0044", "review", ago=200_000, by="ayanda", left=-4_000)


SCENES: dict[str, Callable[[Floor], None]] = {
    "queue": queue,
    "several": several,
    "nothing": nothing,
    "machine": machine,
    "found": lambda floor: floor.add("S-0731", "found", ago=80_000, by="lerato"),
    "presented": lambda floor: floor.add("S-0731", "presented", ago=180_000, by="johan", left=20_000),
    "checked": lambda floor: floor.add("S-0731", "checked", ago=80_000, by="lerato"),
    "envelope": lambda floor: floor.add("S-0731", "envelope", ago=80_000, by="lerato"),
    "not-there": lambda floor: floor.add("S-0731", "not_there", ago=80_000, by="lerato"),
    "announced": lambda floor: floor.add("S-0731", "announced", ago=80_000, by="lerato", left=61_400),
    "stage": at_stage,
    "stage-many": stage_many,
}
