"""A claim's life as its tablets press it, on a core that may die at any point; a tablet sends until it is answered."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casino import Casino, seat_everybody
from claim_steps import CHECKED, SIGNED
from crash.core_process import BOOK, CoreDied, CoreLine, database_url, fork_core
from sqlalchemy import Select, Table, select

from draw_engine.store import prize_tables, tables
from draw_engine.store.database import open_database
from draw_engine.store.people_tables import metadata

SEED = "seed"
FIRST = "silverstar/playtime/2023-10-07/first"


@dataclass(frozen=True)
class Said:
    """What people ask of the core, `after` ms after the selection; `tablet` presses have a number of their own."""

    after: int
    do: str
    more: dict[str, Any]


def press(after: int, verb: str, *, by: str = "kabelo", ordinal: int = 0, **said: Any) -> Said:
    number = f"{by}-{verb}-{ordinal}-{after}"
    named = {"id": number, "verb": verb, "draw": FIRST, "ordinal": ordinal, "by": by, "said": said}
    return Said(after, "tablet", named)


def decided(after: int, decision: str, ordinal: int = 0) -> Said:
    return Said(after, "review", {"draw": FIRST, "ordinal": ordinal, "decision": decision})


def tick(after: int) -> Said:
    return Said(after, "tick", {})


CHECK_AT = {place: {"checks": checks, "identification": "sa_id"} for place, checks in CHECKED.items()}
PAID = {"amount": 75_000, "signature": SIGNED}


def made_ready(folder: Path, url: str | None = None) -> int:
    """A property with three claims that nobody has taken, and a full tray. Gives the instant."""
    casino = Casino(url or database_url(folder), folder, book=BOOK, seed=SEED)
    casino.load_lists()
    casino.tray()
    seat_everybody(casino)
    casino.at("13:59")
    while casino.moments():
        casino.go(casino.moments()[0])
    assert len(casino.draw().state.running()) == 3
    casino.close()
    return casino.clock.now()


class Life:
    """One run of a script over a copy of the ready property. `die_at`: at which point each life of the core ends."""

    def __init__(
        self, ready: Path, folder: Path, begun: int, die_at: Sequence[int] = (), url: str | None = None
    ) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(ready, folder)
        self.folder, self.url = folder, url or database_url(folder)
        self.now = begun
        self.deaths = 0
        self.answers: list[dict[str, Any]] = []
        self.reached: list[str] = []
        self._die_at = list(die_at)
        self._core: CoreLine | None = None

    def run(self, script: Sequence[Said]) -> None:
        begun = self.now
        for said in script:
            self.now = begun + said.after
            self.answers.append(self._ask(said.do, said.more))
        assert self._core is not None
        self.reached += self._core.reached
        self._core.stop()

    def _ask(self, do: str, more: dict[str, Any]) -> dict[str, Any]:
        """Ask until it is answered: a core that died is started again at the same instant."""
        while True:
            try:
                if self._core is None:
                    self._core = self._start()
                    self._core.started()
                return self._core.ask(do, self.now, **more)
            except CoreDied:
                assert self._core is not None
                self.reached += self._core.reached
                self._core = None
                self.deaths += 1

    def _start(self) -> CoreLine:
        point = self._die_at[self.deaths] if self.deaths < len(self._die_at) else None
        return fork_core(self.folder, url=self.url, seed=SEED, now=self.now, die_at=point, wrap_os=False)


LEFT_OUT = {"log_entries", "log_head", "sealed_keys", "signatures"}


def _open_columns(table: Table) -> Select[Any]:
    return select(*(one for one in table.c if one.name != "sealed_seed")).order_by(*table.primary_key)


def end_state(url: str) -> dict[str, Any]:
    """Everything that is kept in the end, but what a start adds and what is sealed anew each time."""
    database = open_database(url)
    with database.connect() as connection:
        kept: dict[str, Any] = {
            table.name: [tuple(row) for row in connection.execute(_open_columns(table))]
            for table in metadata.sorted_tables
            if table.name not in LEFT_OUT
        }
        kept["signatures"] = [row.under for row in connection.execute(select(prize_tables.signatures))]
        log = tables.log_entries
        kept["log"] = [
            (row.kind, tables.millis(row.at), row.draw, row.actor, row.data)
            for row in connection.execute(select(log).order_by(log.c.seq))
            if row.kind != "core.started"
        ]
    database.dispose()
    return kept
