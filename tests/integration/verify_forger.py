"""A forger of draw records: whatever story it is told it adds up, chains and signs, so that a test breaks one rule."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from verify_forger_arithmetic import Tree, fast_verify, jcs, ref, spread_moment, ticket, time

from draw_engine.verify import Report, verify

KEY = Ed25519PrivateKey.from_private_bytes(sha256(b"the forger's key").digest())
PUBLIC_KEY = base64.b64encode(KEY.public_key().public_bytes_raw()).decode()
SEED = sha256(b"the forger's seed").digest()
DRAW = "forged/draw"
PEOPLE = ("ann", "ben", "cat", "dan", "eve")
DICE = "01234567890123456789"
_CLAIM_ROW = {"found": "found_at", "announced": "announced_at"}


class Forger:
    """Tell it what happened, in order; `write` makes the record. Times are seconds after noon."""

    def __init__(self, kind: str = "session", **terms: Any) -> None:
        session = kind == "session"
        self.now = 0.0
        self.seed = SEED
        self.entries: list[dict[str, Any]] = []
        self.pools: dict[str, Tree] = {}
        self.before_digest: list[Callable[[dict[str, Any]], None]] = []
        self.after_digest: list[Callable[[dict[str, Any]], None]] = []
        self.withhold = False
        self.closing_digest: str | None = None
        self.first_seq = 1
        self.terms: dict[str, Any] = {
            "draw": DRAW,
            "property": "forged",
            "promotion": "promotion",
            "kind": kind,
            "title": "A forged draw",
            "rules_version": "1",
            "rules_sha256": "0" * 64,
            "moments": {"how": "spread", "start": time(600), "end": time(1200), "count": 2} if session else None,
            "places": [1, 2],
            "carried": [],
            "claim_window_ms": 90_000,
            "lateness_ms": 2000 if session else None,
            "retry_ms": 30_000 if session else None,
            "pool": "refreeze" if session else "keep",
            "entropy": [{"source": "dice", "pattern": "[0-9]{20}", "after": "opened" if session else "frozen"}],
            "rehearsal": False,
        } | terms
        tag = b"floordraw/1/rehearsal\n" if self.terms["rehearsal"] else b"floordraw/1/house\n"
        commitment = sha256(tag + DRAW.encode() + b"\n" + self.seed).hexdigest()
        self.terms.setdefault("commitment", commitment)

    # What happened

    def log(
        self, kind: str, data: dict[str, Any], *, actor: str = "engine", draw: str | None = DRAW, **more: Any
    ) -> Any:
        self.entries.append({"at": time(self.now), "kind": kind, "draw": draw, "actor": actor, "data": data} | more)
        return self.entries[-1]

    def open(self, dice: str | None = DICE) -> Forger:
        self.log("draw.opened", self.terms)
        self.checkpoint()
        if self.terms["kind"] == "session" and dice:
            self.give(dice)
        return self

    def checkpoint(self) -> None:
        self.log("checkpoint.made", {}, draw=None)

    def give(self, text: str, source: str = "dice") -> None:
        self.log("entropy.given", {"source": source, "text": text}, actor="witness:2")

    def freeze(self, people: Iterable[str] | dict[str, int] = PEOPLE, basis: str | None = None) -> str:
        weights = people if isinstance(people, dict) else dict.fromkeys(people, 1)
        tree = Tree({ref(person): weight for person, weight in weights.items()})
        pool = f"p{len(self.pools)}"
        self.pools[pool] = tree
        self.log("pool.judged", {"pool": pool, "verdicts": "1" * 64})
        live_session = self.terms["kind"] == "session" and not self.terms["rehearsal"]
        journal = {"segment": "2024-03-02-1", "length": 1, "sha256": "2" * 64} if live_session else None
        stated = {"id": pool, "size": tree.size, "total": str(tree.total), "root": tree.root}
        self.log("pool.frozen", stated | {"left_out": {"SS_NOT_ACTIVE": 1}, "journal": journal, "basis": basis})
        return pool

    def moment(self, n: int) -> float:
        """The n-th spread moment, in seconds after noon."""
        return spread_moment(self.seed, DRAW, self.terms["moments"], n)

    @property
    def ordinal(self) -> int:
        return sum(e["kind"] == "selection.made" for e in self.entries)

    def select(
        self,
        place: int | None = None,
        *,
        moment: int | None = None,
        after: int | None = None,
        people: Iterable[str] | dict[str, int] | None = None,
        pool: str | None = None,
        basis: str | None = None,
        claim: bool = True,
        at: float | None = None,
    ) -> int:
        """Select, in a session from a pool frozen for it, now or at a moment's own time; the ordinal comes back."""
        session = self.terms["kind"] == "session"
        if place is None:
            place = self.terms["places"][moment] if moment is not None else self._place_of(after)
        if moment is not None and at is None:
            at = self.moment(moment)
        self.now = self.now if at is None else at
        if pool is None:
            pool = self.freeze(self._without_failed(place) if people is None else people, basis) if session else "p0"
        texts = [e["data"]["text"] for e in self.entries if e["kind"] == "entropy.given"]
        ordinal, tree = self.ordinal, self.pools[pool]
        number = ticket(self.seed, DRAW, ordinal, tree, texts)
        turn = {"place": place, "moment": moment, "after": after}
        held = {"ticket": str(number), "ref": tree.holder(number).hex(), "position": "S-1" if session else None}
        data = {"ordinal": ordinal, "pool": pool, "public_count": len(texts)} | turn | held
        self.log("selection.made", data)
        if claim:
            self.claim("opened", ordinal)
        return ordinal

    def _place_of(self, ordinal: int | None) -> int:
        return next(
            e["data"]["place"]
            for e in self.entries
            if e["kind"] == "selection.made" and e["data"]["ordinal"] == ordinal
        )

    def _without_failed(self, place: int) -> list[str]:
        failed = {
            e["data"]["ref"] for e in self.entries if e["kind"] == "selection.made" and e["data"]["place"] == place
        }
        return [person for person in PEOPLE if ref(person).hex() not in failed]

    def ref_of(self, ordinal: int) -> str:
        return next(
            e["data"]["ref"] for e in self.entries if e["kind"] == "selection.made" and e["data"]["ordinal"] == ordinal
        )

    def claim(self, kind: str, ordinal: int, wait: float = 0, **data: Any) -> Any:
        self.now += wait
        return self.log(f"claim.{kind}", {"claim": f"c{ordinal}", "ordinal": ordinal} | data, actor="crew:9")

    def announce(self, ordinal: int, wait: float = 10) -> None:
        self.claim("announced", ordinal, wait, deadline_at=time(self.now + wait + self.terms["claim_window_ms"] / 1000))

    def press(self, ordinal: int, wait: float = 10, *, presented: float | None = None) -> None:
        at = self.now + wait
        self.claim("presented", ordinal, wait, presented_at=time(at if presented is None else presented))

    def review(self, ordinal: int, decision: str, by: Any = ("manager:1", "stage:2")) -> None:
        self.claim("review", ordinal, 1, reason="SS_STAGE_UNHEARD")
        self.claim("reviewed", ordinal, 1, decision=decision, by=list(by))

    def void(self, ordinal: int, *, reselect: bool, by: Any = ("manager:1", "stage:2"), wait: float = 1) -> None:
        self.claim("voided", ordinal, wait, prize=None, by=list(by), reason="a mistake", reselect=reselect)

    def win(self, ordinal: int, wait: float = 10) -> int:
        self.claim("found", ordinal, wait)
        self.claim("confirmed", ordinal, wait, prize=50_000)
        return ordinal

    def no_show(self, ordinal: int, ending: str = "expired") -> int:
        self.announce(ordinal)
        self.claim(ending, ordinal, self.terms["claim_window_ms"] / 1000 + 0.25, prize=None)
        return ordinal

    def duplicate(self, ordinal: int, of: int) -> None:
        self.log("selection.duplicate", {"ordinal": ordinal, "of": of})

    def postpone(self, reason: str, *, at: float, moment: int | None = None, after: int | None = None) -> None:
        self.now = at
        self.log("selection.postponed", self._turn(moment, after) | {"reason": reason})

    def lapse(
        self, reason: str, *, at: float, moment: int | None = None, after: int | None = None, **more: Any
    ) -> None:
        self.now = at
        self.log("selection.lapsed", self._turn(moment, after) | {"reason": reason} | more)

    def _turn(self, moment: int | None, after: int | None) -> dict[str, Any]:
        place = self.terms["places"][moment] if moment is not None else self._place_of(after)
        return {"place": place, "moment": moment, "after": after}

    def judge_nobody(self) -> None:
        self.log("pool.judged", {"pool": None, "verdicts": "1" * 64})

    def entry(self, kind: str, nth: int = 0) -> dict[str, Any]:
        """The nth entry of a kind, to be bent before the record is made."""
        return [e for e in self.entries if e["kind"] == kind][nth]

    def drop(self, kind: str, nth: int = 0) -> None:
        self.entries.remove(self.entry(kind, nth))

    # The record

    def record(self) -> dict[str, Any]:
        """The record of the story: arrays as the log tells them, digest, chain and signatures holding."""
        made: dict[str, Any] = {
            "v": 1,
            "terms": self.terms,
            "opened_at": self.entries[0]["at"],
            "closed_at": time(self.now),
            "house_seed": self.seed.hex(),
            "public": [{"at": e["at"]} | e["data"] for e in self.entries if e["kind"] == "entropy.given"],
            "pools": [self._pool_row(e) for e in self.entries if e["kind"] == "pool.frozen"],
            "selections": [self._selection_row(e) for e in self.entries if e["kind"] == "selection.made"],
            "claims": [self._claim_row(e) for e in self.entries if e["kind"] == "claim.opened"],
        }
        for change in self.before_digest:
            change(made)
        digested = made | {"pools": [p | {"file": None} for p in made["pools"]]}
        digested["selections"] = [s | {"proof": None} for s in made["selections"]]
        self.log("draw.closed", {"record": self.closing_digest or sha256(jcs(digested)).hexdigest()})
        made["log"] = self._chain()
        made["checkpoints"] = self._checkpoints(made["log"])
        for change in self.after_digest:
            change(made)
        return made

    def _pool_row(self, entry: dict[str, Any]) -> dict[str, Any]:
        stated = {name: entry["data"][name] for name in ("id", "size", "total", "root")}
        return stated | {"frozen_at": entry["at"], "file": None if self.withhold else f"{stated['id']}.pool"}

    def _selection_row(self, entry: dict[str, Any]) -> dict[str, Any]:
        data = entry["data"]
        tree = self.pools.get(data["pool"])
        proof = tree.proof(bytes.fromhex(data["ref"])) if self.withhold and tree else None
        return data | {"at": entry["at"], "outcome": self._outcome(data["ordinal"]), "proof": proof}

    def _outcome(self, ordinal: int) -> str:
        endings = [e for e in self._of(ordinal) if "prize" in e["data"] or e["kind"] == "selection.duplicate"]
        return endings[-1]["kind"].split(".")[1] if endings else "confirmed"

    def _of(self, ordinal: int) -> list[dict[str, Any]]:
        kinds = ("claim.", "selection.duplicate")
        return [e for e in self.entries if e["kind"].startswith(kinds) and e["data"].get("ordinal") == ordinal]

    def _claim_row(self, opened: dict[str, Any]) -> dict[str, Any]:
        told = dict.fromkeys(("found_at", "announced_at", "deadline_at", "presented_at", "ended_at", "prize"))
        row: dict[str, Any] = told | {"id": opened["data"]["claim"], "ordinal": opened["data"]["ordinal"]}
        row |= {"opened_at": opened["at"], "outcome": self._outcome(row["ordinal"])}
        for e in self._of(row["ordinal"]):
            kind, data = e["kind"].removeprefix("claim."), e["data"]
            if kind in _CLAIM_ROW:
                row[_CLAIM_ROW[kind]] = e["at"]
            if kind == "announced":
                row |= {"deadline_at": data["deadline_at"], "presented_at": None}
            if kind == "presented":
                row["presented_at"] = row["presented_at"] or data["presented_at"]
            if "prize" in data:
                row |= {"ended_at": e["at"], "prize": data["prize"]}
        row["ended_at"] = row["ended_at"] or time(self.now)
        return row

    def _chain(self) -> list[dict[str, Any]]:
        chained: list[dict[str, Any]] = []
        prev = "0" * 64 if self.first_seq == 1 else "9" * 64
        for seq, told in enumerate(self.entries, self.first_seq):
            withheld = told.get("withheld", False)
            data = {"seq": seq - 1, "hash": prev} | told["data"] if told["kind"] == "checkpoint.made" else told["data"]
            salt = sha256(b"salt" + str(seq).encode()).hexdigest()[:32]
            body = sha256(jcs({"actor": told["actor"], "data": data, "salt": salt})).hexdigest()
            outer = {name: told[name] for name in ("at", "kind", "draw")} | {"seq": seq, "prev": prev}
            made = sha256(jcs(outer | {"body": body})).hexdigest()
            shown = {"body": body} if withheld else {"actor": told["actor"], "data": data, "salt": salt}
            chained.append(outer | shown | {"hash": made})
            prev = made
        return chained

    def _checkpoints(self, log: list[dict[str, Any]]) -> list[dict[str, Any]]:
        heads = [(e["data"]["seq"], e["data"]["hash"], e["at"]) for e in log if e["kind"] == "checkpoint.made"]
        heads.append((log[-1]["seq"], log[-1]["hash"], log[-1]["at"]))
        return [self.sign(*head) for head in heads]

    def sign(self, seq: int, head: str, at: str, *, key: Ed25519PrivateKey = KEY, **bent: Any) -> dict[str, Any]:
        """A checkpoint; `bent` changes a member before it is signed."""
        tag = "floordraw/1/rehearsal-checkpoint" if self.terms["rehearsal"] else "floordraw/1/checkpoint"
        made = {"property": self.terms["property"], "seq": seq, "hash": head, "at": at} | bent
        text = f"{tag}\n{made['property']}\n{made['seq']}\n{made['hash']}\n{made['at']}\n"
        signature = base64.b64encode(key.sign(text.encode())).decode()
        return made | {
            "public_key": base64.b64encode(key.public_key().public_bytes_raw()).decode(),
            "signature": signature,
        }

    def slip(self, checkpoint: dict[str, Any]) -> str:
        tag = "floordraw/1/rehearsal-checkpoint" if self.terms["rehearsal"] else "floordraw/1/checkpoint"
        lines = [tag, *(str(checkpoint[name]) for name in ("property", "seq", "hash", "at", "public_key", "signature"))]
        return "\n".join(lines) + "\n"

    def write(self, folder: Path) -> dict[str, Any]:
        """Write the auditor's copy, or the public one when `withhold` is set; the record comes back."""
        record = self.record()
        (folder / "record.json").write_bytes(jcs(record))
        if not self.withhold:
            for name, tree in self.pools.items():
                (folder / f"{name}.pool").write_bytes(tree.file)
        return record

    def verified(self, folder: Path, **options: Any) -> Report:
        """What `verify` says of it, the key given. Signatures are verified by `cryptography`: it is far faster."""
        self.write(folder)
        with patch("draw_engine.verify.checkpoints.verify", fast_verify):
            return verify(folder, **({"key": PUBLIC_KEY} | options))


def failing(report: Report) -> dict[str, str]:
    """The checks that fail, by name."""
    return {check.name: check.sentence for check in report.checks if not check.ok}


def a_session(**terms: Any) -> Forger:
    """An open session with its dice, nothing selected yet."""
    return Forger("session", **terms).open()


def a_won_session(**terms: Any) -> Forger:
    """A session of two places, both won at the device."""
    draw = a_session(**terms)
    draw.win(draw.select(moment=0))
    draw.win(draw.select(moment=1))
    return draw


def first_won(**terms: Any) -> Forger:
    """A session whose first place is won; the second moment is still to come."""
    draw = a_session(**terms)
    draw.win(draw.select(moment=0))
    return draw


def an_electronic_draw(people: Any = PEOPLE, **terms: Any) -> Forger:
    """An open electronic draw with its pool frozen, signed and its dice thrown."""
    draw = Forger("electronic", **terms).open()
    draw.now += 60
    draw.freeze(people)
    draw.checkpoint()
    draw.give(DICE)
    return draw


def assert_fails(draw: Forger, folder: Path, checks: str, says: str, **options: Any) -> None:
    """The record is refused by exactly these checks (names with blanks between), one of which says this."""
    report = draw.verified(folder, **options)
    failed = failing(report)
    assert set(failed) == set(checks.split()), failed
    assert any(says in sentence for sentence in failed.values()), failed
    assert report.exit_code == 1


def assert_holds(draw: Forger, folder: Path, **options: Any) -> Report:
    report = draw.verified(folder, **options)
    assert failing(report) == {}
    assert report.exit_code == 0
    return report


def bend(name: str, i: int, **changes: Any) -> Callable[[dict[str, Any]], None]:
    """A change of one row of one of the record's arrays."""

    def change(record: dict[str, Any]) -> None:
        record[name][i].update(changes)

    return change
