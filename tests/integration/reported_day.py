"""A day of two sessions for the reports: guests move and change cards, several people work, everything is published."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

from casino import Casino
from claim_steps import SIGNED
from desk_words import count, desk_casino
from people_words import GRACE, JOHAN, LERATO, NALEDI, PIETER, POSITIONS, SIPHO, THANDI, THANDI_SECOND, jhb
from small_book import Session, book_toml

from draw_engine.errors import Refused
from draw_engine.service import claims, envelopes, house, pressing, reviews
from draw_engine.service.publishing import auditor_pack, published_copy
from draw_engine.store.journal import read_segment

MEMBERS = """\
member,first_name,last_name,tier,born,phone,email,person
100001,Thandi,Mokoena,Gold,1985-03-12,,,100001
100002,Pieter,van der Merwe,Platinum,1970-06-01,,,
100003,Lerato,Dlamini,Black,1979-01-20,,,
100004,Sipho,Nkosi,Gold,1988-08-08,,,
100006,Johan,Botha,Silver,1966-02-02,,,
100007,Naledi,Khumalo,Gold,1990-01-01,,,
100008,Grace,Molefe,Platinum,1983-04-04,,,
200001,Thandi,Mokoena,Platinum,1985-03-12,,,100001
"""
"""Thandi's second card is of another tier than her first."""
PLACES = POSITIONS + "S-0700,slot,SMOKING,,,slots-1\nS-0701,slot,SMOKING,,,slots-1\n"
FATES = (
    "paid",
    "came",
    "paid",
    "no_show",
    "paid",
    "wrong_card",
    "came",
    "late",
    "paid",
    "void_again",
    "paid",
    "refused",
)
"""What becomes of a draw's claims, in turn; of the selections after the end, all are paid."""
CREW = ("crew:kabelo", "crew:ayanda", "crew:kabelo")
STAGE = ("stage:mandla", "stage:zodwa")
TWO = {"by": "nomvula", "second": "themba", "reason": "the wrong guest was called"}


class ReportedDay:
    """The casino, played until both sessions are closed. `pack` gives a draw's auditor's copy, name -> bytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        book = book_toml(
            Session("first", "14:00", "14:20", awards=14), Session("second", "14:50", "15:10", awards=9, limits="[]")
        )
        url = f"sqlite:///{folder / 'day.db'}"
        said = {"now": "13:40", "book": book, "members": MEMBERS, "positions": PLACES}
        self.casino = desk_casino(lambda **more: Casino(url, folder, **more), **said)
        self._to_come: list[tuple[int, str, int, str]] = []
        self._opened: list[tuple[str, int]] = []
        count(self.casino, {50_000: 20, 75_000: 20, 100_000: 10})
        with patch("os.fdatasync"):  # how the floor is kept is not what is tried here
            self._play()

    def close(self) -> None:
        self.casino.close()

    def pack(self, plan: str) -> dict[str, bytes]:
        draw = self.casino.draw(plan)
        journal = self.folder / "journal"
        read = {"read_segment": lambda name: read_segment(journal, name), "site_toml": b""}
        return published_copy(self.casino.engine, draw, "auditor") | auditor_pack(self.casino.engine, draw, **read)

    # -- the floor -------------------------------------------------------------------------------------------------

    def _play(self) -> None:
        casino = self.casino
        for member, position in ((THANDI, "S-0412"), (PIETER, "S-0088"), (SIPHO, "S-0500"), (NALEDI, "S-0501")):
            casino.sits(member, position, card=f"70{member}")
        casino.sits(JOHAN, "S-0503", card=f"70{JOHAN}")
        casino.rated(LERATO)
        self._until("13:50")
        casino.sits(GRACE, "S-0701", card=f"70{GRACE}")
        casino.engine.listeners.append(
            lambda entries: self._opened.extend(
                (str(entry.draw).rsplit("/", 1)[-1], entry.data["ordinal"])
                for entry in entries
                if entry.kind == "claim.opened"
            )
        )
        self._until("14:07")
        casino.leaves("S-0500")
        casino.sits(SIPHO, "S-0700", card=f"70{SIPHO}")
        self._until("14:25")
        casino.leaves("S-0412")
        casino.sits(THANDI_SECOND, "S-0502", card=f"70{THANDI_SECOND}")
        house.load_list(
            casino.engine, "members", MEMBERS.replace("Naledi,Khumalo,Gold", "Naledi,Khumalo,Black").encode()
        )
        self._until("15:25")
        assert [draw.state.closed_at is not None for draw in casino.draws_closed()] == [True, True]

    def _until(self, clock: str) -> None:
        """Let time pass; whoever is selected is seen to at once, whoever comes to the stage comes at their time."""
        casino, until = self.casino, jhb(clock)
        while casino.clock.now() < until:
            due = [
                at for at in (house.next_instant(casino.engine), *(at for at, *_ in self._to_come)) if at is not None
            ]
            casino.go(min([until, casino.clock.now() + 20_000, *(max(at, casino.clock.now()) for at in due)]))
            for come in sorted(one for one in self._to_come if one[0] <= casino.clock.now()):
                self._to_come.remove(come)
                self._comes(*come[1:])
            while self._opened:
                self._sees_to(*self._opened.pop(0))
            casino.tick()

    # -- the people at work ----------------------------------------------------------------------------------------

    def _sees_to(self, plan: str, ordinal: int) -> None:
        engine, draw, now = self.casino.engine, self.casino.draw(plan), self.casino.clock.now()
        fate = "paid" if now >= draw.state.end else FATES[ordinal % len(FATES)]
        crew, stage = CREW[ordinal % len(CREW)], STAGE[ordinal // 3 % len(STAGE)]
        claims.take(engine, draw, ordinal, actor=crew, now=now)
        if fate in {"paid", "refused"}:
            claims.found(engine, draw, ordinal, actor=crew, now=now)
            self._pays(plan, ordinal, fate)
        elif fate == "wrong_card":
            claims.other_person(engine, draw, ordinal, actor=crew, now=now)
        elif fate == "void_again":
            reviews.void(engine, draw, ordinal, reselect=True, now=now, **TWO)
        else:
            claims.not_there(engine, draw, ordinal, actor=crew, now=now)
            deadline = claims.announce(engine, draw, ordinal, actor=stage, now=now)
            if fate != "no_show":
                comes = deadline + 100 if fate == "late" else now + 5_000 + 11_000 * (ordinal % 8)
                self._to_come.append((comes, plan, ordinal, fate))

    def _comes(self, plan: str, ordinal: int, fate: str) -> None:
        engine, draw, now = self.casino.engine, self.casino.draw(plan), self.casino.clock.now()
        if fate == "late":
            said = {"verb": "present", "draw": draw.state.id, "ordinal": ordinal, "by": "mandla"}
            with suppress(Refused):
                pressing.press(engine, pressing.StaffPress(id=f"press-{plan}-{ordinal}", stamped_at=now, **said))
            return
        claims.present(engine, draw, ordinal, actor="stage:mandla", stamped_at=now, now=now)
        self._pays(plan, ordinal, "paid")

    def _pays(self, plan: str, ordinal: int, fate: str) -> None:
        engine, draw, now = self.casino.engine, self.casino.draw(plan), self.casino.clock.now()
        where = "device" if draw.state.claims[ordinal].found_at is not None else "stage"
        actor = CREW[ordinal % len(CREW)]
        checks = ["name", "card", "owner", where]
        claims.check(engine, draw, ordinal, checks=checks, identification="sa_id", actor=actor, now=now)
        claims.envelope(engine, draw, ordinal, pocket=envelopes.tray(engine)[0], actor=actor, now=now)
        if fate == "refused":
            claims.refuse(engine, draw, ordinal, actor=actor, now=now)
        else:
            amount = (50_000, 75_000, 100_000)[ordinal % 3]
            claims.pay(engine, draw, ordinal, amount=amount, signature=SIGNED, actor=actor, now=now)
