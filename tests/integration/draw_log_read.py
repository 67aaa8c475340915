"""How the tests of the draw log read it: its pages as text, and the log by SQL, with nothing of the product."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from html import unescape
from typing import Any

from casino import jhb
from draw_log_core import DrawLogCore
from loopback import FIRST
from werkzeug.test import TestResponse

HEADER = {"X-Floordraw": "1"}
DRAW = f"/console/draws/{FIRST}"


def asked(place: DrawLogCore, query: str, *values: object) -> list[Any]:
    with sqlite3.connect(place.folder / "floordraw.db") as database:
        return database.execute(query, values).fetchall()


def changed(place: DrawLogCore, query: str, *values: object) -> None:
    with sqlite3.connect(place.folder / "floordraw.db") as database:
        database.execute(query, values)


def log_of(place: DrawLogCore, *kinds: str) -> list[dict[str, Any]]:
    """The log's entries, read by nothing of the product."""
    rows = asked(place, "SELECT seq, at, kind, draw, actor, data, hash FROM log_entries ORDER BY seq")
    names = ("seq", "at", "kind", "draw", "actor", "data", "hash")
    told = [{**dict(zip(names, row, strict=True)), "data": json.loads(row[5])} for row in rows]
    return [entry for entry in told if not kinds or entry["kind"] in kinds]


def selections(place: DrawLogCore) -> dict[int, dict[str, Any]]:
    """By ordinal what the log tells of each selection, and its ending."""
    made = {entry["data"]["ordinal"]: entry for entry in log_of(place, "selection.made")}
    people = {n: (member, card) for n, member, card in asked(place, "SELECT ordinal, member, card FROM selections")}
    told: dict[int, dict[str, Any]] = {}
    for n, entry in made.items():
        of = [one for one in log_of(place) if one["data"].get("ordinal") == n]
        by_kind = {one["kind"]: one for one in of}
        ending = next(one for one in of if "prize" in one["data"])
        told[n] = {**entry["data"], "at": entry["at"], "kinds": by_kind, "ending": ending, "member": people[n][0]}
    return told


def text_of(html: str) -> str:
    """What a page says, without its marks and addresses."""
    bare = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", bare.partition("<main")[2]).split()))


def hours(at: int) -> str:
    seconds = (at - jhb("00:00")) // 1000
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def rows_of(place: DrawLogCore, **filters: str) -> list[dict[str, str]]:
    answer = place.client_of("zanele").get("/console/draws.csv", query_string=filters)
    assert answer.status_code == 200, answer.text
    assert "formula" not in answer.headers["Content-Type"]
    return list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"), newline="")))


def post(place: DrawLogCore, act: str, who: str = "nomvula", **said: Any) -> TestResponse:
    return place.client_of(who).post(f"/console/draws/{act}", json=said, headers=HEADER)


class Midway:
    """What the pages showed while the draw was open."""

    def __init__(self, place: DrawLogCore) -> None:
        client = place.client_of("nomvula")
        self.pages = [client.get(path).text for path in (DRAW, f"{DRAW}/selections/0", "/console/draws")]
        self.verified = client.post("/console/draws/verify", json={"draw": FIRST}, headers=HEADER).get_json()
        self.copy = client.get(f"/draws/{FIRST}/record.zip")
        draw = place.ask(lambda engine: engine.draw(FIRST))
        self.seed = draw.seed.hex()
        self.to_come = [one.turn.due for one in draw.state.places.values() if one.turn and one.turn.moment is not None]
