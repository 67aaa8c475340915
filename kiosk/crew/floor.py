"""The floor as the positions list draws it: where a position is, in words, and the banks of the tablets' map."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from draw_engine.list_rows import PositionRow
from draw_engine.service.engine import Engine
from kiosk.crew.messages import Bank, FloorMap
from kiosk.crew.words import ENGLISH, say


def place_of(engine: Engine, position: str) -> PositionRow | None:
    """The list's row of a selection's position: a table's seat ("BJ-03/4") stands at its table."""
    positions = engine.lists.at(engine.now()).positions
    return positions.get(position) or positions.get(position.partition("/")[0])


def where_text(row: PositionRow | None) -> str:
    """Where a position is: "Smoking floor, bank SM07", as much of it as the list has."""
    if row is None:
        return say("crew.place_unknown")
    zone = _zone(row.zone)
    if not row.bank:
        return zone
    return say("crew.pit" if row.kind == "table" else "crew.bank", zone=zone, bank=row.bank)


def _zone(name: str) -> str:
    return ENGLISH.get(f"crew.zone.{name}", name)


def floor_version(engine: Engine) -> str:
    """What changes when the map does; "" when the list draws none."""
    version = engine.versions.get("positions")
    listed = engine.list_rows.get("positions")
    if version is None or listed is None:
        return ""
    drawn = any(isinstance(row, PositionRow) and row.x is not None and row.y is not None for row in version.rows)
    return f"{listed.loaded_at}" if drawn else ""


def floor_map(engine: Engine) -> Mapping[str, Any]:
    """The banks of the positions list as the map draws them."""
    rows = [row for row in engine.lists.at(engine.now()).positions.values() if row.x is not None and row.y is not None]
    zones = {row.zone: _zone(row.zone) for row in rows}
    return FloorMap(floor_version(engine), zones, tuple(_banks(rows))).as_json()


def _banks(rows: Iterable[PositionRow]) -> Iterator[Bank]:
    """A bank around all its positions; a position of no bank is one of its own."""
    together: dict[tuple[str, str, str], list[PositionRow]] = {}
    for row in rows:
        together.setdefault((row.zone, row.bank, "" if row.bank else row.position), []).append(row)
    for (zone, name, _), its in together.items():
        xs, ys = [row.x or 0.0 for row in its], [row.y or 0.0 for row in its]
        yield Bank(zone, name, its[0].kind, min(xs), min(ys), max(xs), max(ys))
