"""A forger who holds a published record: changes it, adds it up, chains it and signs it anew with a key of his own."""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from verify_forger_arithmetic import Tree, jcs, keyed

KEY = Ed25519PrivateKey.from_private_bytes(sha256(b"another forger's key").digest())
PUBLIC_KEY = base64.b64encode(KEY.public_key().public_bytes_raw()).decode()


class ForgedRecord:
    """The record in `folder`; `write` makes it hold again but for what was changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.raw: dict[str, Any] = json.loads((folder / "record.json").read_bytes())

    def data(self, kind: str, **where: Any) -> dict[str, Any]:
        """The data of the one entry of a kind that has these values; change it in place."""
        (found,) = self.entries(kind, **where)
        told: dict[str, Any] = found["data"]
        return told

    def entries(self, kind: str, **where: Any) -> list[dict[str, Any]]:
        return [
            entry
            for entry in self.raw["log"]
            if entry["kind"] == kind and "data" in entry and where.items() <= _plain(entry["data"]).items()
        ]

    def repool(self, pool: str, change: Callable[[set[bytes]], None]) -> None:
        """Other members for a pool; whoever its ticket falls on now is the selected one."""
        file = self.folder / f"{pool}.pool"
        data = file.read_bytes()
        refs = {data[i : i + 16] for i in range(0, len(data), 24)}
        change(refs)
        tree = Tree(dict.fromkeys(refs, 1))
        file.write_bytes(tree.file)
        stated = {"size": tree.size, "total": str(tree.total), "root": tree.root}
        (row,) = [row for row in self.raw["pools"] if row["id"] == pool]
        row |= stated
        self.data("pool.frozen", id=pool).update(stated)
        (row,) = [row for row in self.raw["selections"] if row["pool"] == pool]
        drawn = {"ticket": str(self._ticket(row["ordinal"], stated))}
        drawn["ref"] = tree.holder(int(drawn["ticket"])).hex()
        row |= drawn
        self.data("selection.made", pool=pool).update(drawn)

    def _ticket(self, ordinal: int, pool: dict[str, Any]) -> int:
        message = {"draw": self.raw["terms"]["draw"], "ordinal": ordinal, "pool": pool, "v": 1}
        key = keyed(bytes.fromhex(self.raw["house_seed"]), message | {"public": sha256(b"[]").hexdigest()})
        return int.from_bytes(keyed_bytes(key), "big") % int(pool["total"])

    def write(self) -> None:
        digested = {name: value for name, value in self.raw.items() if name not in {"checkpoints", "log"}}
        digested["pools"] = [pool | {"file": None} for pool in self.raw["pools"]]
        self.data("draw.closed")["record"] = sha256(jcs(digested)).hexdigest()
        self._chain()
        (self.folder / "record.json").write_bytes(jcs(self.raw))

    def _chain(self) -> None:
        prev = self.raw["log"][0]["prev"]
        for entry in self.raw["log"]:
            entry["prev"] = prev
            if entry["kind"] == "checkpoint.made":
                entry["data"] = {"seq": entry["seq"] - 1, "hash": prev}
            body = entry.get("body")
            if body is None:
                body = sha256(jcs({name: entry[name] for name in ("actor", "data", "salt")})).hexdigest()
            outer = {name: entry[name] for name in ("seq", "at", "kind", "draw", "prev")}
            prev = entry["hash"] = sha256(jcs(outer | {"body": body})).hexdigest()
        by_seq = {entry["seq"]: entry["hash"] for entry in self.raw["log"]}
        for checkpoint in self.raw["checkpoints"]:
            checkpoint["hash"] = by_seq[checkpoint["seq"]]
            text = "\n".join(str(checkpoint[name]) for name in ("property", "seq", "hash", "at"))
            signature = KEY.sign(f"floordraw/1/checkpoint\n{text}\n".encode())
            checkpoint |= {"public_key": PUBLIC_KEY, "signature": base64.b64encode(signature).decode()}


def keyed_bytes(key: bytes) -> bytes:
    """x_0: HMAC(key, 0 as four bytes)."""
    return hmac.digest(key, bytes(4), "sha256")


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if not isinstance(value, dict | list)}
