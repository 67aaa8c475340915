"""A session with seventy guests in five leaves, drawn and paid; what a guest checks of it afterwards.

Who is selected first is paid and has a printed receipt. One guest takes the card out after the first selection, one
plays outside the promotion's zones, one of the list is not there at all.
"""

from __future__ import annotations

import re
from pathlib import Path

from casino import jhb
from draw_log_core import DrawLogCore
from loopback import FIRST, pressed
from people_words import MEMBERS, POSITIONS

from draw_engine.references import guest_secret
from draw_engine.service.engine import Engine
from printers.escpos_bytes import encode
from printers.slip_facts import HouseFacts
from printers.slips import slip_of

SEATS = 70
ADDRESS = re.compile(rb"http://[^\s#]+/check#s=[0-9a-f]{64}&draw=[A-Za-z0-9/_-]+?(?=\x1d)")
OUTSIDE = "200900"
AWAY = "200950"


def number(n: int) -> str:
    """The member number of who sits at the n-th machine."""
    return str(200_100 + n)


class CheckCore(DrawLogCore):
    """`play` plays the session; `leaver` is who left, `winners` who was selected, in order (member numbers)."""

    def __init__(self, folder: Path, empty: Path) -> None:
        super().__init__(folder, empty)
        self.leaver = ""
        self.winners: list[str] = []

    def play(self) -> None:
        """Until the draw has closed."""
        self.open_up()
        while self.ask(_is_open):
            self.play_on()
            self._work_on()
            assert self.clock.now() < jhb("14:30"), "the session does not come to its end"

    def open_up(self) -> None:
        """Until ten seconds before the session."""
        rows = [f"{number(n)},Guest,Number{n},Gold,1980-01-01,,,\n" for n in range(SEATS)]
        rows += [f"{one},Guest,Else,Gold,1980-01-01,,,\n" for one in (OUTSIDE, AWAY)]
        seats = "".join(f"S-1{n:03},slot,MAIN,,,slots-1\n" for n in range(SEATS))
        self.load_lists(members=MEMBERS + "".join(rows), positions=POSITIONS + seats)
        self.at("13:48")
        self.seat(**{f"S_1{n:03}": number(n) for n in range(SEATS)}, S_0600=OUTSIDE)
        while self.clock.now() < jhb("13:59:50"):
            self.clock.set(self.clock.now() + 10_000)
            self.core.beats.note(self.clock.now())
            self.heard([self.line("played", position=one, games=1, coin_in=500) for one in self._playing])

    def _work_on(self) -> None:
        made = self.ask(lambda engine: len(engine.draw(FIRST).state.claims) if FIRST in engine.draws else 0)
        if made <= len(self.winners):
            return
        ordinal = len(self.winners)
        self.winners.append(self.ask(lambda engine: str(engine.draw(FIRST).rows[ordinal].member)))
        self.ask(lambda engine: pressed(engine, FIRST, ordinal, "found", "confirmed"))
        if not self.leaver:
            leaves = next(n for n in range(SEATS) if number(n) not in self.winners)
            self.leaver = number(leaves)
            self._playing.remove(f"S-1{leaves:03}")
            self.heard([self.line("card_out", position=f"S-1{leaves:03}")])

    def secret(self, member: str) -> str:
        """The check key that a guest would be given."""
        return self.ask(lambda engine: guest_secret(engine.reference_key("playtime"), FIRST, member).hex())

    def fragment(self, member: str) -> str:
        """What stands behind the # of their code."""
        return f"s={self.secret(member)}&draw={FIRST}"

    def printed_code(self) -> str:
        """The address in the QR code of the first receipt: read from the bytes that went to the printer."""
        jobs = self.ask(lambda engine: engine.store.print_jobs_of(FIRST, 0))
        (job,) = [one for one in jobs if one.kind == "winner_receipt"]
        house = HouseFacts("Silverstar", "No persons under 18.", self.site.check_address)
        slip = slip_of(job.kind, job.data, house, job=job.id)
        (found,) = ADDRESS.findall(encode(slip).data)
        return str(found.decode())


def _is_open(engine: Engine) -> bool:
    return FIRST not in engine.draws or engine.draw(FIRST).state.closed_at is None
