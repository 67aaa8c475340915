"""A rule book of short sessions for the eight people of the worked cases, as its TOML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ZONE = "Africa/Johannesburg"


@dataclass(frozen=True)
class Session:
    """One `[[draw]]` of a small rule book."""

    id: str
    starts: str
    ends: str
    awards: int = 3
    after_end: str = "last_pool"
    limits: str = "[]"
    seconds: int = 90
    prize: tuple[int, int] = (50_000, 100_000)
    entropy: str = "[]"
    group: str = "jackpot"


FIRST = Session("first", "14:00", "14:10")
SECOND = Session("second", "14:30", "14:40")


_TAIL = """\
[register]
windows = [["08:00", "14:00"], ["14:10", "14:30"]]
in_person = true
contact_required = true
[held]
days = 15
desk = "Customer Services Desk"
roll_if_closed = false
min_contact_attempts = 3
[publicity]
screen_name = "first_initial_last4"
"""


def book_toml(
    *sessions: Session,
    quota: int = 70,
    per: str = "day",
    carry: bool = True,
    opens_before: int = 5,
    groups: Sequence[str] = ("jackpot",),
) -> bytes:
    """A rule book of short sessions, for the eight people of the worked cases."""
    head = f"""\
schema = 1
[promotion]
id = "playtime"
property = "silverstar"
title = "Playtime"
version = "test-1"
zone = "{ZONE}"
currency = "ZAR"
day_starts_at = "06:00"
[[calendar]]
weekdays = ["sat"]
from = 2023-10-07
to = 2023-12-09
[who]
rows = [{{ tiers = ["Black", "Platinum", "Gold"], zones = ["MAIN", "SMOKING"] }}]
min_age = 18
exclude = ["refusal_of_entry", "self_excluded", "excluded_category", "staff_or_related"]
"""
    group_rows = "".join(
        f'[[award_group]]\nid = "{group}"\nquota = {quota}\nper = "{per}"\ncarry = {str(carry).lower()}\n'
        for group in groups
    )
    rows = "".join(_draw_toml(session, opens_before) for session in sessions or (FIRST, SECOND))
    return (head + group_rows + rows + _TAIL).encode()


def _draw_toml(session: Session, opens_before: int) -> str:
    return f"""\
[[draw]]
id = "{session.id}"
kind = "session"
group = "{session.group}"
title = "Playtime, {session.id}"
awards = {session.awards}
from = "{session.starts}"
to = "{session.ends}"
opens_before_minutes = {opens_before}
source = {{ type = "active_players", needs = ["slots", "tables"] }}
criteria = [
  {{ game = "slot", measure = "idle_seconds", max = 300 }},
  {{ game = "slot", measure = "minutes", min = 10 }},
]
plan = {{ type = "spread" }}
pool = {{ type = "rebuild", after_end = "{session.after_end}" }}
lateness_ms = 2000
retry_ms = 30000
entropy = {session.entropy}
prize = {{ type = "envelope", min = {session.prize[0]}, max = {session.prize[1]} }}
limits = {session.limits}
[draw.claim]
place = "Promotions Stage"
walk_up = true
clock_starts = "announced"
seconds = {session.seconds}
satisfied_by = ["present_at_stage"]
review = true
[draw.on]
no_show = "reselect"
no_show_registered = "hold"
not_rightful_card = "reselect"
ineligible = "reselect"
refused = "keep"
"""
