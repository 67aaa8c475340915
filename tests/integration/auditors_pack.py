"""An auditor's copy, read by nothing of the product's: selections, claims, and who was in each pool, on which card."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime
from hashlib import sha256
from typing import Any


def millis(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode())))


class Pack:
    """One auditor's copy: its selections in order, and each one's pool as {person: (weight, tier, zone, kind)}."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.record = json.loads(files["record.json"])
        self.log = [entry for entry in self.record["log"] if "data" in entry]
        self.persons = {
            sha256(b"floordraw/1/ref\n" + bytes.fromhex(row["s"]) + row["member"].encode()).hexdigest()[:32]: row[
                "member"
            ]
            for row in rows(files["judging/references.csv"])
        }
        self.places = {row["position"]: row for name in files if "/positions." in name for row in rows(files[name])}
        self.loaded = self._lists()
        names = [name for name in files if name.startswith("judging/journal/")]
        self.events = [json.loads(line)["event"] for name in names for line in files[name].splitlines()]
        self.selections = self.record["selections"]
        self.claims = {claim["ordinal"]: claim for claim in self.record["claims"]}
        self.pools = {pool["id"]: self._pool(pool) for pool in self.record["pools"]}

    def _lists(self) -> list[tuple[int, dict[str, dict[str, str]]]]:
        """The members' lists with the instants from which they were in force."""
        by_digest = {name.split(".")[-2]: rows(self.files[name]) for name in self.files if "/members." in name}
        (opening,) = [entry for entry in self.log if entry["kind"] == "lists.in_force"]
        said = json.dumps(opening["data"])
        (first,) = [digest for digest in by_digest if digest in said]
        found = [(0, first)]
        found += [
            (millis(entry["at"]), entry["data"]["sha256"])
            for entry in self.log
            if entry["kind"] == "list.loaded" and entry["data"]["list"] == "members"
        ]
        return [(at, {row["member"]: row for row in by_digest[digest]}) for at, digest in found]

    def members_at(self, at: int) -> dict[str, dict[str, str]]:
        return [members for since, members in self.loaded if since <= at][-1]

    def _playing(self, until: int) -> dict[str, str]:
        """member number -> where their session was open, by the events up to an instant."""
        open_now: dict[str, str] = {}
        for event in self.events:
            if millis(event["at"]) <= until:
                if event["kind"] in {"card_in", "rating_opened"}:
                    open_now[event["position"]] = event["member"]
                elif event["kind"] in {"card_out", "rating_closed"}:
                    open_now.pop(event["position"], None)
        return {member: position for position, member in open_now.items()}

    def _pool(self, pool: dict[str, Any]) -> dict[str, tuple[int, str, str, str]]:
        data, at = self.files[pool["file"]], millis(pool["frozen_at"])
        # After the end a pool goes back to the last one before it: where everybody played is what stood then.
        ends = millis(self.record["terms"]["moments"]["end"])
        basis = max(millis(other["frozen_at"]) for other in self.record["pools"] if millis(other["frozen_at"]) < ends)
        members = self.members_at(at)
        playing = self._playing(min(at, basis) if at >= ends else at)
        by_person = {self._person(number): number for number in playing if number in members}
        found = {}
        for i in range(0, len(data), 24):
            person = self.persons[data[i : i + 16].hex()]
            number = by_person[person]
            place = self.places[playing[number]]
            weight = int.from_bytes(data[i + 16 : i + 24], "big")
            found[person] = (weight, members[number]["tier"], place["zone"], place["kind"])
        return found

    def _person(self, number: str) -> str:
        members = self.loaded[0][1]
        mine = members[number]["person"] or number
        return min(other for other, row in members.items() if (row["person"] or other) == mine)

    def won(self, ordinal: int) -> bool:
        return self.claims[ordinal]["outcome"] in {"confirmed", "held"}
