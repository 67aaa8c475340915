"""How the floor's facts become a screen's words: money, times, masked names, sentences.

Pure functions; the zone and the currency are the rule book's. Spaces that must not break are no-break spaces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from draw_engine.clock import Millis
from draw_engine.errors import RuleBroken
from web_display.catalogue import say
from web_display.messages import DayPart, ScreenClaim

NO_BREAK = "\u00a0"
DOTS = "\u00b7\u00b7\u00b7"
NOT_KNOWN = "\u2013"
_SYMBOLS = {"ZAR": f"R{NO_BREAK}", "USD": "$", "EUR": "€", "GBP": "£"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def money(cents: int, currency: str = "ZAR") -> str:
    """An amount: "R 1 000" of 100000 cents. Groups of three, cents only where there are some. Spaces are no-break."""
    whole, part = divmod(abs(cents), 100)
    figures = f"{whole:,}".replace(",", NO_BREAK)
    sign = "\u2212" if cents < 0 else ""
    return f"{sign}{_SYMBOLS.get(currency, currency + NO_BREAK)}{figures}{f'.{part:02d}' if part else ''}"


def local(at: Millis, zone: str) -> datetime:
    """The instant on the property's own clock."""
    return (_EPOCH + timedelta(milliseconds=at)).astimezone(ZoneInfo(zone))


def utc_offset_minutes(at: Millis, zone: str) -> int:
    """How far the property's clock is ahead of UTC at that instant, in minutes."""
    ahead = local(at, zone).utcoffset()
    return 0 if ahead is None else int(ahead.total_seconds()) // 60


def time_text(at: Millis, zone: str) -> str:
    """The time for guests: "14:18"."""
    return f"{local(at, zone):%H:%M}"


def time_text_seconds(at: Millis, zone: str) -> str:
    """The time for staff: "14:18:05"."""
    return f"{local(at, zone):%H:%M:%S}"


def starts_text(at: Millis, now: Millis, zone: str) -> str:
    """When a session starts: "18:00" today, "Saturday 14 October, 14:00" on another day."""
    then = local(at, zone)
    if then.date() == local(now, zone).date():
        return f"{then:%H:%M}"
    weekday, month = _WEEKDAYS[then.weekday()], _MONTHS[then.month - 1]
    return say("starts.other_day", weekday=weekday, day=then.day, month=month, time=f"{then:%H:%M}")


def called_name(first: str, last: str) -> str:
    """First name and initial: "Thandi M.". The initial of "van der Merwe" is M, as it stands in an index."""
    words = last.split()
    main = next((word for word in words if word[0].isupper()), words[0] if words else "")
    given = " ".join(first.split())
    return f"{given} {main[0].upper()}.".strip() if main else given


def last_four(card: str | None, member: str) -> str:
    """The last four of the session's card, of the member number where there is no card."""
    return (card or member).strip()[-4:]


_STYLES = frozenset({"first_initial_last4", "first_initial", "first_last", "full_name", "first_last4", "last4"})


def screen_name(style: str, first: str, last: str, last4: str) -> str:
    """The name a guest is shown under, by the rule book's `publicity.screen_name` ("Thandi M. ···1001")."""
    digits = shown_digits(style, last4)
    return (
        f"{spoken_name(style, first, last, last4)} {DOTS}{digits}".strip()
        if digits
        else spoken_name(style, first, last, last4)
    )


def spoken_name(style: str, first: str, last: str, last4: str) -> str:
    """What of it is called out: by this a guest thinks of themselves first. Where no name may be shown, the digits."""
    if style not in _STYLES:
        raise RuleBroken(f"screen_name {style!r} is not supported")
    if style == "last4":
        return f"{DOTS}{last4}"
    if style == "first_last4":
        return " ".join(first.split()) or called_name(first, last)
    if style in {"first_last", "full_name"}:
        return " ".join(f"{first} {last}".split())
    return called_name(first, last)


def shown_digits(style: str, last4: str) -> str:
    """The digits that stand beside what is called out; "" where the rule book shows none there."""
    return last4 if style in {"first_initial_last4", "first_last4"} else ""


def mark_collisions(claims: Sequence[ScreenClaim], others: Iterable[str] = ()) -> tuple[ScreenClaim, ...]:
    """The claims with `collision` set where first name and initial occur twice.

    `others`: masked or called names of further guests who could take the call for theirs (the pool it was drawn
    from, the other running claims' guests not on screen); the claim's own guest must not be among them.
    """
    seen = Counter(_called(claim.name) for claim in claims)
    elsewhere = {_called(name) for name in others}
    return tuple(
        replace(claim, collision=seen[_called(claim.name)] > 1 or _called(claim.name) in elsewhere) for claim in claims
    )


def _called(name: str) -> str:
    return " ".join((name.partition(DOTS)[0] or name).split()).casefold()


def listed(words: Sequence[str]) -> str:
    """Words as a list: "Black, Platinum and Gold"."""
    if len(words) < 2:
        return "".join(words)
    return say("list.last", first=", ".join(words[:-1]), last=words[-1])


def who_text(tiers: Sequence[str]) -> str:
    """Whom it is for: "For Black, Platinum and Gold."; nothing when nobody in particular is meant."""
    return say("who.for", list=listed(tiers)) if tiers else ""


def prize_text(envelopes: int, low: int, high: int, currency: str = "ZAR") -> str:
    """What can be won, of amounts in cents: "35 envelopes, R 500 to R 1 000 each."."""
    key = "prize.same" if low == high else "prize.envelopes"
    return say(key, n=envelopes, low=money(low, currency), high=money(high, currency))


def short_title(draw_title: str, promotion_title: str) -> str:
    """A draw's title within its promotion: "Session 1" of "Playtime Bonus Jackpots, session 1"."""
    rest = draw_title.removeprefix(promotion_title).lstrip(" ,:-\u2013")
    return f"{rest[0].upper()}{rest[1:]}" if rest else draw_title


def session_sentence(to_come: int, ends: str) -> str:
    """The line of a running session: that a selection may fall until `ends` ("16:00"), never when."""
    return say("session.may_fall", time=ends) if to_come else say("session.all_made")


def day_part(title: str, from_text: str, *, won: int = 0, held: int = 0, running: int = 0, to_come: int = 0) -> DayPart:
    """A session of the day with its caption: "Session 1: 33 won, 2 held"."""
    counted = (("won", won), ("held", held), ("running", running), ("to_come", to_come))
    facts = ", ".join(say(f"day.{name}", n=n) for name, n in counted if n) or say("day.none")
    caption = say("day.part", title=title, facts=facts)
    return DayPart(title, from_text, won, held, running, to_come, caption)


def hash_short(full: str) -> str:
    """A hexadecimal hash for the eye: "dc37 82eb … 3f05 9e12"."""
    groups = [full[i : i + 4] for i in range(0, len(full), 4)]
    return f"{' '.join(groups[:2])} … {' '.join(groups[-2:])}" if len(groups) > 4 else " ".join(groups)


def mark_sentence(kind: str, award: int, ordinal: int) -> str:
    """What a mark on the ruler means: "Award 12, selection 15: announced"."""
    return say(f"mark.{kind}", award=award, ordinal=ordinal)


def feed_sentence(feed: str, state: str, since: Millis | None, zone: str) -> str:
    """A feed's state in words: `state` as in `FeedLine`, or "behind" for one that works off a backlog."""
    return say(f"feed.{state}", feed=feed, time=time_text_seconds(since, zone) if since is not None else NOT_KNOWN)


def list_sentence(kind: str, state: str, *, age_hours: int, limit_hours: int, rows: int, loaded: str) -> str:
    """A list's state in words: "The staff list is 161 h old. The limit is 168 h."; `loaded` = when, in words."""
    key = {"fine": "list.loaded", "missing": "list.missing"}.get(state, "list.old")
    return say(key, kind=kind, age=age_hours, limit=limit_hours, n=f"{rows:,}".replace(",", NO_BREAK), time=loaded)


def headline(*, ready: bool, suspended: bool, running: bool) -> str:
    """The console's one line: whether it can select now."""
    if suspended:
        return say("headline.suspended")
    if not running:
        return say("headline.before")
    return say("headline.ready" if ready else "headline.postponed")
