"""The pages of the console and which of them a role sees: the bar at the top of each is made from this."""

from __future__ import annotations

from typing import Any

_PAGES = (
    ("console", "today", "/console", frozenset({"manager", "auditor"})),
    ("draws", "draws", "/console/draws", frozenset({"manager", "auditor", "witness"})),
    ("reports", "reports", "/console/reports", frozenset({"manager", "auditor"})),
    ("setup", "setup", "/console/setup", frozenset({"manager", "auditor"})),
    ("people", "people", "/console/people", frozenset({"manager", "auditor"})),
    ("roster", "roster", "/console/roster", frozenset({"manager", "auditor"})),
    ("desk", "desk", "/desk", frozenset({"manager"})),
)
"""Name, word of the catalogue, address, whose it is."""
PAGE_WORDS = {
    "today": "Today",
    "draws": "Draw log",
    "reports": "Reports",
    "setup": "Rule books",
    "people": "People",
    "roster": "Roster",
}


def nav(current: str, role: str) -> list[dict[str, Any]]:
    """The bar of a page for a role: [{title: word of the catalogue, href, current}]."""
    return [
        {"title": PAGE_WORDS.get(word, "Desk"), "href": href, "current": name == current}
        for name, word, href, roles in _PAGES
        if role in roles
    ]


HOME = {
    **dict.fromkeys(("manager", "auditor"), "/console"),
    **dict.fromkeys(("desk", "customer_services", "marketing"), "/desk"),
    "crew": "/crew",
    "stage": "/stage",
    "witness": "/witness",
}
"""Where each role begins."""
