"""A casino with a desk: its people, a guest who signs, an announced no-show, a counted tray, a held prize."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from casino import Casino
from people_words import LERATO, jhb

from draw_engine.claim_moves import stage_of
from draw_engine.draw_state import Claim
from draw_engine.errors import Refused
from draw_engine.service import claims, envelopes, prizes, register
from draw_engine.service.print_ports import PrintJob

Casinos = Callable[..., Casino]

PEOPLE = {
    "nomvula": "manager",
    "themba": "manager",
    "kabelo": "crew",
    "ayanda": "crew",
    "zanele": "auditor",
    "bheki": "desk",
    "lindiwe": "customer_services",
    "sibusiso": "marketing",
    "mandla": "stage",
}
DRAWN = {"width": 600, "height": 200, "strokes": [[[10, 20], [40, 60], [80, 20]], [[90, 90], [120, 40]]]}
SA_ID = "8503120001088"
DESK = "Customer Services Desk"


def desk_casino(casinos: Casinos, **said: Any) -> Casino:
    """A casino whose staff list has the desk's people."""
    casino = casinos(**said)
    casino.settings = replace(casino.settings, staff=PEOPLE)
    casino.restart()
    casino.load_lists()
    return casino


def sign(casino: Casino, member: str, **changed: Any) -> int:
    """A guest signs the register, with everything in order but what is named."""
    said: dict[str, Any] = {
        "by": "bheki",
        "in_person": True,
        "id_type": "sa_id",
        "id_number": SA_ID,
        "phone": "082 000 0001",
        "email": "",
        "signature": DRAWN,
        "now": casino.engine.now(),
    }
    return register.sign(casino.engine, member=member, **(said | changed))


def withdraw(casino: Casino, entry: int, **changed: Any) -> None:
    said: dict[str, Any] = {
        "by": "bheki",
        "in_person": True,
        "id_type": "sa_id",
        "id_number": SA_ID,
        "now": casino.engine.now(),
    }
    register.withdraw(casino.engine, entry, **(said | changed))


def count(casino: Casino, amounts: dict[int, int] | None = None, **changed: Any) -> str:
    said: dict[str, Any] = {"by": "nomvula", "second": "kabelo", "now": casino.engine.now()}
    counted = {50_000: 3, 75_000: 4, 100_000: 3} if amounts is None else amounts
    return envelopes.count_batch(casino.engine, amounts=counted, **(said | changed))


def select_alone(casino: Casino, member: str = LERATO) -> Claim:
    """A guest plays alone at a table and is selected for the first award."""
    casino.rated(member)
    casino.send()
    casino.tick()
    casino.go(casino.moments()[0])
    return casino.last_claim()


def announced(casino: Casino, ordinal: int, plan: str = "first") -> None:
    """The crew walks, finds nobody there, and the guest is called to the stage."""
    engine, draw, now = casino.engine, casino.draw(plan), casino.engine.now()
    claims.take(engine, draw, ordinal, actor="crew:kabelo", now=now)
    claims.not_there(engine, draw, ordinal, actor="crew:kabelo", now=now)
    claims.announce(engine, draw, ordinal, actor="stage:mandla", now=now)


def checked(casino: Casino, ordinal: int, plan: str = "first") -> None:
    """The guest was found at the device and compared with card and list."""
    engine, draw, now = casino.engine, casino.draw(plan), casino.engine.now()
    claims.take(engine, draw, ordinal, actor="crew:kabelo", now=now)
    claims.found(engine, draw, ordinal, actor="crew:kabelo", now=now)
    checks = ["name", "card", "device", "owner"]
    claims.check(engine, draw, ordinal, checks=checks, identification="", actor="crew:kabelo", now=now)


def scan(casino: Casino, ordinal: int, pocket: str, plan: str = "first") -> None:
    """The pocket of the envelope the guest has picked."""
    engine, draw, now = casino.engine, casino.draw(plan), casino.engine.now()
    claims.envelope(engine, draw, ordinal, pocket=pocket, actor="crew:kabelo", now=now)


def pay(casino: Casino, amount: Any, ordinal: int = 0, plan: str = "first") -> None:
    """The envelope is opened, its amount typed, the receipt signed."""
    engine, draw, now = casino.engine, casino.draw(plan), casino.engine.now()
    claims.pay(engine, draw, ordinal, amount=amount, signature=DRAWN, actor="crew:kabelo", now=now)


def no_show(casino: Casino, ordinal: int, plan: str = "first") -> None:
    """The guest is announced, and does not come."""
    announced(casino, ordinal, plan)
    casino.go(casino.engine.now() + 90_250)


def held_prize(casinos: Casinos, *, drawn: bool = True, at_desk: bool = True, **said: Any) -> Casino:
    """Lerato signed the register, was selected first and did not come: her prize is held, and where it is asked for."""
    said = {"now": "13:55"} | said
    casino = desk_casino(casinos, **said)
    count(casino)
    sign(casino, LERATO)
    claim = select_alone(casino)
    no_show(casino, claim.ordinal)
    assert stage_of(casino.draw().state.claims[claim.ordinal]) == "held"
    if drawn:
        draw_on_behalf(casino)
    if drawn and at_desk:
        take_over(casino)
    return casino


def draw_on_behalf(casino: Casino, ordinal: int = 0, **changed: Any) -> None:
    said: dict[str, Any] = {"pocket": "E-0003", "by": "sibusiso", "second": "kabelo", "now": casino.engine.now()}
    prizes.draw_on_behalf(casino.engine, casino.draw(), ordinal, **(said | changed))


def take_over(casino: Casino, ordinal: int = 0) -> None:
    """The envelope goes from the representative by Marketing to the claim desk."""
    move(casino, ordinal, to="marketing", given_by="kabelo", received_by="sibusiso")
    move(casino, ordinal, to="customer_services", given_by="sibusiso", received_by="lindiwe")


def move(casino: Casino, ordinal: int = 0, *, to: str, given_by: str, received_by: str) -> None:
    now = casino.engine.now()
    prizes.move(casino.engine, casino.draw(), ordinal, to=to, given_by=given_by, received_by=received_by, now=now)


def hand_over(casino: Casino, ordinal: int = 0, **changed: Any) -> None:
    said: dict[str, Any] = {
        "desk": DESK,
        "in_person": True,
        "id_type": "sa_id",
        "id_number": SA_ID,
        "amount": 100_000,
        "signature": DRAWN,
        "by": "lindiwe",
        "now": casino.engine.now(),
    }
    prizes.hand_over(casino.engine, casino.draw(), ordinal, **(said | changed))


def the_prize(casino: Casino) -> prizes.HeldPrize:
    (found,) = prizes.held(casino.engine)
    return found


def later(casino: Casino, text: str) -> None:
    """Time passes without a floor: the desk alone is open."""
    casino.clock.set(jhb(text))


def pocket_state(casino: Casino, pocket: str) -> str:
    row = casino.engine.store.envelope(pocket)
    assert row is not None
    return row.state


def slips(casino: Casino, kind: str) -> list[PrintJob]:
    return [job for job in casino.engine.store.print_jobs(["queued"]) if job.kind == kind]


def kinds(casino: Casino) -> list[str]:
    return [entry.kind for entry in casino.log()]


def code_of(call: Callable[..., Any], *args: Any, **named: Any) -> str:
    """The code with which a verb is refused. It must not have left a trace: neither in the log nor in a slip."""
    return refusal(call, *args, **named).code


def refusal(call: Callable[..., Any], casino: Casino, *args: Any, **named: Any) -> Refused:
    before = [entry.hash for entry in casino.log()], len(casino.engine.store.print_jobs(["queued"]))
    try:
        call(casino, *args, **named)
    except Refused as refused:
        after = [entry.hash for entry in casino.log()], len(casino.engine.store.print_jobs(["queued"]))
        assert before == after, "what was refused left a trace"
        return refused
    raise AssertionError("it was not refused")
