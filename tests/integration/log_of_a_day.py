"""The log of a small casino's day, in a database that a test may copy and change as it likes."""

from __future__ import annotations

import base64
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from casino import Casino, FixedSeeds, seat_everybody

from config.site import Site, read_site
from draw_engine import log
from draw_engine.canonical import format_time, jcs
from draw_engine.service.publishing import shown
from draw_engine.store.sealing import Signer
from kiosk.upkeep.log_check import check_log

SITE = """\
property = "silverstar"
property_name = "Silverstar"
database = "sqlite:///floordraw.db"
journal_dir = "journal"
state_dir = "state"
check_address = "http://127.0.0.1:8080/check"
statutory_line = "No persons under 18."
rules_must_be_locked = false
"""


class LoggedDay:
    """Two sessions, played and closed; `slips` are the texts that were printed, by the entry they sign."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "day.db"
        casino = Casino(f"sqlite:///{self.file}", folder)
        casino.load_lists()
        seat_everybody(casino)
        casino.finish("14:41")
        made = casino.engine.store.checkpoints(1, 1 << 40)
        self.slips = {one.seq: log.slip_text(shown(one), rehearsal=False) for one in made}
        self.length = len(casino.log())
        self.kinds = {entry.seq: entry.kind for entry in casino.log()}
        self.casino = casino
        casino.close()

    def copied(self, folder: Path) -> ChangedLog:
        return ChangedLog(self.file, folder)


class ChangedLog:
    """A copy of a day's database, without the constraints that would keep an intruder's hand honest."""

    def __init__(self, file: Path, folder: Path) -> None:
        copy = folder / "floordraw.db"
        for left in folder.glob("floordraw.db*"):
            left.unlink()
        shutil.copy(file, copy)
        self.database = sqlite3.connect(copy, isolation_level=None)
        self.database.execute("PRAGMA ignore_check_constraints=ON")
        self.database.execute("PRAGMA synchronous=OFF")
        self.database.row_factory = sqlite3.Row
        self.site: Site = read_site(SITE.encode(), folder)

    def run(self, statement: str, *values: Any) -> None:
        self.database.execute(statement, values)

    def value(self, statement: str, *values: Any) -> Any:
        return self.database.execute(statement, values).fetchone()[0]

    def rows(self) -> list[dict[str, Any]]:
        return [dict(row) for row in self.database.execute("SELECT * FROM log_entries ORDER BY seq")]

    def move(self, seq: int, to: int) -> None:
        self.run("UPDATE log_entries SET seq = ? WHERE seq = ?", to, seq)

    def cut_after(self, last: int, *, with_checkpoints: bool = True, with_end: bool = True) -> None:
        """End the log earlier, and hide it as far as the arguments say."""
        self.run("DELETE FROM log_entries WHERE seq > ?", last)
        if with_checkpoints:
            self.run("DELETE FROM checkpoints WHERE seq > ?", last)
        if with_end:
            self.run(
                "UPDATE log_head SET (seq, at, hash) = (SELECT seq, at, hash FROM log_entries WHERE seq = ?)", last
            )

    def write_anew(self, change: Callable[[dict[str, Any]], None], *, key: bytes | None = None) -> None:
        """Change entries and make everything after them follow: the chain, its end, and with a key the checkpoints."""
        signer = Signer(FixedSeeds("seed").signing_key() if key is None else key)
        before: log.Entry | None = None
        for row in self.rows():
            row["data"] = json.loads(row["data"])
            change(row)
            if row["kind"] == "checkpoint.made" and before is not None:
                row["data"] = {"seq": before.seq, "hash": before.hash}
                self._sign(signer, before, row["at"])
            told = {name: row[name] for name in ("at", "kind", "draw", "actor", "data")}
            before = log.next_entry(before, salt=bytes.fromhex(row["salt"]), **told)
            self._put(before)
        assert before is not None
        self.run("UPDATE log_head SET seq = ?, at = ?, hash = ?", before.seq, before.at, before.hash)

    def _put(self, entry: log.Entry) -> None:
        data = jcs(entry.data).decode()
        told = (entry.at, entry.kind, entry.draw, entry.actor, data, entry.salt, entry.prev, entry.body, entry.hash)
        self.run(
            "UPDATE log_entries SET at = ?, kind = ?, draw = ?, actor = ?, data = ?, salt = ?, prev = ?, body = ?,"
            " hash = ? WHERE seq = ?",
            *told,
            entry.seq,
        )

    def _sign(self, signer: Signer, head: log.Entry, at: int) -> None:
        text = log.checkpoint_text(
            property="silverstar", seq=head.seq, hash=head.hash, at=format_time(at), rehearsal=False
        )
        key, signature = (base64.b64encode(raw).decode() for raw in (signer.public_key, signer.sign(text)))
        self.run(
            "UPDATE checkpoints SET at = ?, hash = ?, public_key = ?, signature = ? WHERE seq = ?",
            at, head.hash, key, signature, head.seq,
        )  # fmt: skip


def first_named(log: ChangedLog, *slips: str) -> int:
    """The entry that the first line of a failing check names."""
    sound, lines = check_log(log.site, slips)
    assert not sound
    assert lines[0].startswith("FAILS at entry ")
    assert all(line.startswith("FAILS") and line.endswith(".") for line in lines)
    return int(lines[0].removeprefix("FAILS at entry ").partition(":")[0])
