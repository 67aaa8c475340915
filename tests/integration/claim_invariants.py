"""What must hold of claims after everything anybody may do: read from the log and the tables, not from the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date

from casino import Casino
from claim_steps import rows_agree
from sqlalchemy import func, select

from draw_engine.canonical import parse_time
from draw_engine.log import Entry, first_break
from draw_engine.service.engine import OpenDraw
from draw_engine.store import prize_tables

FILLED = {"confirmed", "held", "refused"}
ENDINGS = {*FILLED, "expired", "not_rightful_card", "ineligible", "voided"}


def everything_holds(casino: Casino, *, presses: int, quota: int, wins: int) -> None:
    """All of it. `presses`: how many were answered; `quota`: awards a day; `wins`: of one person a day."""
    log = casino.log()
    assert [entry.seq for entry in log] == list(range(1, len(log) + 1))
    for draw in casino.engine.draws.values():
        entries = [entry for entry in log if entry.draw == draw.state.id]
        _folded_anew(casino, draw, entries)
        _one_after_the_other(draw, entries)
        _endings_are_earned(entries)
        rows_agree(casino, draw.plan.id)
    _awards(casino, quota=quota, wins=wins)
    _envelopes(casino, log)
    _register(casino, log)
    assert _count(casino, "presses") == presses


def the_log_is_whole(casino: Casino) -> None:
    """Its chain, which takes a moment: once at the end."""
    assert first_break([entry.shown() for entry in casino.log()]) is None


def _folded_anew(casino: Casino, draw: OpenDraw, entries: Sequence[Entry]) -> None:
    """The log, read from the database, tells of the draw what the engine has in memory."""
    anew = casino.engine.state_of(entries[0], draw.seed)
    for entry in entries[1:]:
        anew.apply(entry)
    told, kept = vars(anew), vars(draw.state)
    different = {name: (told[name], kept[name]) for name in kept if told[name] != kept[name]}
    assert not different, different


def _one_after_the_other(draw: OpenDraw, entries: Sequence[Entry]) -> None:
    """Ordinals without a gap, a claim for each, every claim ended at most once but for a void of what filled it."""
    made = [entry.data["ordinal"] for entry in entries if entry.kind == "selection.made"]
    opened = [entry.data["ordinal"] for entry in entries if entry.kind == "claim.opened"]
    assert made == opened == list(range(len(made)))
    assert sorted(draw.rows) == made
    ends: dict[int, list[str]] = {}
    for entry in entries:
        outcome = entry.kind.removeprefix("claim.")
        if entry.kind.startswith("claim.") and outcome in ENDINGS:
            ends.setdefault(entry.data["ordinal"], []).append(outcome)
    for outcomes in ends.values():
        assert len(outcomes) == 1 or (outcomes[0] in FILLED and outcomes[1:] == ["voided"]), outcomes


def _endings_are_earned(entries: Sequence[Entry]) -> None:
    """Paid or refused: found, presented in time, or attested. A no-show: announced, later than the deadline, none."""
    told: dict[int, list[Entry]] = {}
    for entry in entries:
        if entry.kind.startswith(("claim.", "envelope.")):
            told.setdefault(entry.data["ordinal"], []).append(entry)
    for of_one in told.values():
        _earned(of_one)


def _earned(entries: Iterable[Entry]) -> None:
    found = presented = reviewing = False
    deadline, attested = None, None
    for entry in entries:
        kind, data = entry.kind.removeprefix("claim."), entry.data
        if kind in ENDINGS:
            assert not reviewing, "ended while two people were to decide"
        if kind in {"confirmed", "refused"}:
            assert found or presented or attested == "present", kind
        if kind in {"expired", "held"}:
            assert deadline is not None
            assert entry.at > deadline
            assert attested != "present"
            assert not found
            assert not presented
        if kind == "found":
            assert deadline is None
            found = True
        elif kind == "announced":
            assert deadline is None or attested == "again"
            deadline, presented, attested = parse_time(data["deadline_at"]), False, None
            assert deadline == entry.at + 90_000
        elif kind == "presented":
            assert deadline is not None
            presented = parse_time(data["presented_at"]) <= deadline
            assert presented
        elif kind == "review":
            reviewing = True
        elif kind == "reviewed":
            assert reviewing
            assert len(set(data["by"])) == 2
            reviewing, attested = False, data["decision"]


def _awards(casino: Casino, *, quota: int, wins: int) -> None:
    """One winner an award of the day, the quota, the limit of wins, and nobody for an award they failed for."""
    filled: Counter[int] = Counter()
    won: Counter[str] = Counter()
    failed: dict[int, set[str]] = {}
    for draw in casino.engine.draws.values():
        for made in draw.state.selections:
            person, claim = draw.rows[made.ordinal].person, draw.state.claims[made.ordinal]
            assert person not in failed.get(made.place, set())
            if claim.outcome in FILLED:
                filled[made.place] += 1
                won[person] += 1
            elif not claim.runs and (claim.outcome != "voided" or claim.reselect):
                failed.setdefault(made.place, set()).add(person)
    assert set(filled.values()) <= {1}
    assert len(filled) <= quota
    assert max(won.values(), default=0) <= wins


def _envelopes(casino: Casino, log: Sequence[Entry]) -> None:
    """Every pocket is drawn for one claim and is where that claim is; held prizes, receipts, signatures likewise."""
    store = casino.engine.store
    rows = {(row.draw, row.ordinal): row for row in store.envelopes() if row.draw is not None}
    drawn = [
        (draw.state.id, claim.ordinal, claim.pocket, claim.outcome, claim.prize)
        for draw in casino.engine.draws.values()
        for claim in draw.state.claims
        if claim.pocket is not None
    ]
    paid = {
        (entry.draw, entry.data["ordinal"]): entry.data["prize"] for entry in log if entry.kind == "claim.confirmed"
    }
    for draw_id, ordinal, pocket, outcome, prize in drawn:
        row = rows.pop((draw_id, ordinal))
        was_paid = (draw_id, ordinal) in paid
        expected = "given" if was_paid else "presented" if outcome is None else "to_return"
        assert (row.pocket, row.state) == (pocket, expected)
        assert row.amount == (paid[draw_id, ordinal] if was_paid else None)
        assert prize == (row.amount if outcome == "confirmed" else None)
    held = {(row.draw, row.ordinal): row for row in store.held_prizes()}
    for key, row in rows.items():  # the rest was drawn on behalf of somebody
        assert row.state == ("to_return" if held[key].state == "void" else "held")
        assert held[key].pocket == row.pocket
    logged = [(entry.draw, entry.data["ordinal"]) for entry in log if entry.kind == "claim.held"]
    gone = {(entry.draw, entry.data["ordinal"]) for entry in log if entry.kind in {"claim.voided", "award.voided"}}
    assert sorted(logged) == sorted(held)
    assert all((row.state == "void") == (key in gone) for key, row in held.items())
    receipts = Counter((job.draw, job.ordinal) for job in store.print_jobs(["queued"]) if job.kind == "winner_receipt")
    assert receipts == Counter(paid.keys())
    assert all(store.signature(f"claim {draw} {ordinal}") is not None for draw, ordinal in paid)


def _register(casino: Casino, log: Sequence[Entry]) -> None:
    day = date(2023, 10, 7).isoformat()
    rows = casino.engine.store.register_entries(day)
    signed = [(entry.data["entry"], entry.at) for entry in log if entry.kind == "register.signed"]
    assert [(row.id, row.signed_at) for row in rows] == signed
    gone = {entry.data["entry"]: entry.at for entry in log if entry.kind == "register.withdrawn"}
    assert {row.id: row.withdrawn_at for row in rows if row.withdrawn_at is not None} == gone


def _count(casino: Casino, table: str) -> int:
    counted = select(func.count()).select_from(prize_tables.metadata.tables[table])
    with casino.database.connect() as connection:
        return int(connection.execute(counted).scalar_one())
