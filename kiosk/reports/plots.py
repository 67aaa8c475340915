"""What the page's script draws: figures as a part of what chance gives, and a distribution as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from draw_engine.reports_chance import Judged, surprise
from kiosk.reports.tables import decimal, grouped, reading

Point = dict[str, Any]


def against_plot(
    groups: Sequence[str], series: Sequence[tuple[str, Sequence[Judged]]], comparisons: int
) -> dict[str, Any] | None:
    """Each series' points, one a group: per cent of what chance gives. None where there is nothing to see."""
    made = [
        {"title": title, "points": [_point(one, comparisons) for one in judged]}
        for title, judged in series
        if any(one.variance > 0 for one in judged)
    ]
    return {"kind": "against", "groups": list(groups), "series": made} if made else None


def _point(judged: Judged, comparisons: int) -> Point | None:
    if not judged.mean or not judged.variance:
        return None
    per_cent = 100 / float(judged.mean)
    return {
        "value": round(judged.observed * per_cent, 2),
        "low": round(judged.low * per_cent, 2),
        "high": round(judged.high * per_cent, 2),
        "level": surprise(judged.rarity, comparisons),
        "observed": grouped(judged.observed),
        "mean": decimal(judged.mean),
        "from": grouped(judged.low),
        "to": grouped(judged.high),
        "reading": reading(judged, comparisons),
    }


def bars_plot(groups: Sequence[str], counts: Sequence[int], apart: int) -> dict[str, Any] | None:
    """Counts as bars; the last `apart` stand apart: they are of another kind."""
    if not any(counts):
        return None
    return {"kind": "bars", "groups": list(groups), "counts": list(counts), "apart": apart}
