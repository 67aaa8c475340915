"""Every word the screens and the console say, in one place and by key.

A further language is one more table with the same keys, entered in LANGUAGES; a test compares them. `{name}` is
filled by `say`; a key with `_one` beside it is a plural and takes `n`. Keys that start with `page.` are the ones a
page words by itself, because they count or change without the server: `page_words` hands them over with the page.

Width: leave a third more room than the English needs (look, "Words"). Spaces inside figures are no-break.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ENGLISH: Mapping[str, str] = MappingProxyType(
    {
        # Floor screen, composed by the server.
        "session.may_fall": "A winner may be selected at any moment until {time}.",
        "session.all_made": "Every selection of this session has been made.",
        "session.suspended": "The session is suspended.",
        "prize.envelopes_one": "1 envelope, {low} to {high}.",
        "prize.envelopes": "{n} envelopes, {low} to {high} each.",
        "prize.same_one": "1 envelope of {low}.",
        "prize.same": "{n} envelopes of {low} each.",
        "who.for": "For {list}.",
        "list.last": "{first} and {last}",
        "day.won": "{n} won",
        "day.held": "{n} held",
        "day.running": "{n} running",
        "day.to_come": "{n} to come",
        "day.none": "nothing to come",
        "day.part": "{title}: {facts}",
        "starts.other_day": "{weekday} {day} {month}, {time}",
        # Floor screen, worded by the page.
        "page.screen.starts_in": "{title}, {time}. It starts in",
        "page.screen.days": "d",
        "page.screen.hours": "h",
        "page.screen.minutes": "min",
        "page.screen.seconds_short": "s",
        "page.screen.seconds": "seconds",
        "page.screen.seconds_one": "second",
        "page.screen.seconds_left": "{n} seconds left",
        "page.screen.come": "Come to the {place}",
        "page.screen.come_now": "{place}, now",
        "page.screen.check_digits": "Look at the last digits of your card",
        "page.screen.same_name": "Another guest has this name",
        "page.screen.time_up": "Time is up",
        "page.screen.confirmed": "Confirmed winner",
        "page.screen.winners": "winners so\u00a0far\u00a0today",
        "page.screen.winners_one": "winner so\u00a0far\u00a0today",
        "page.screen.no_more": "No more sessions today",
        "page.screen.reconnecting": "Reconnecting",
        "page.screen.demo": "DEMO, no prizes",
        "page.screen.announced_now": "Announced now",
        "page.screen.confirmed_winners": "Confirmed winners",
        "page.screen.last_winners": "Last winners",
        "page.screen.call": "{name}, come to the {place}.",
        # Console, composed by the server.
        "headline.ready": "Selections can be made",
        "headline.postponed": "Selections are postponed",
        "headline.suspended": "The session is suspended",
        "headline.before": "No session is open",
        "headline.next": "No session is open. Next: {title}, {time}",
        "headline.opened": "{title} is open. It starts at {time}",
        "headline.ended": "{title} has ended. Running claims go on",
        "crew.demo": "Demo crew",
        "crew.walks": "Crew on the way",
        "headline.over": "The day's sessions are over",
        "feed.up": "{feed} is sending.",
        "feed.stale": "{feed} has sent nothing since {time}.",
        "feed.behind": "{feed} is working off old events. Its newest is of {time}.",
        "feed.down": "{feed} has been down since {time}.",
        "feed.unsure": "{feed} is unsure until its next snapshot.",
        "feed.unheard": "{feed} has not been heard since the start.",
        "feed.clock_behind": "Its clock is {n} s behind, or its link is slow.",
        "feed.clock_ahead": "Its clock is {n} s ahead: set it.",
        "feed.unknown_kinds": "{n} of its events are of kinds this version does not know.",
        "feed.reused": "It used a number twice: look whether two bridges send for it.",
        "feed.excluded": "{feed} is excluded from this session.",
        "list.loaded": "The {kind} list is of {time}, {n}\u00a0rows.",
        "list.old": "The {kind} list is {age}\u00a0h old. The limit is {limit}\u00a0h.",
        "list.missing": "No {kind} list has been loaded.",
        "mark.confirmed": "Award {award}, selection {ordinal}: confirmed",
        "mark.held": "Award {award}, selection {ordinal}: held",
        "mark.announced": "Award {award}, selection {ordinal}: announced",
        "mark.with_crew": "Award {award}, selection {ordinal}: with the crew",
        "mark.ended": "Award {award}, selection {ordinal}: ended, selected again",
        "log.checkpoint": "Checkpoint at {time} covers entry {seq}.",
        "log.no_checkpoint": "No checkpoint yet.",
        # Console, worded by the page.
        "page.console.parts": "{title}, {from} to {to}: {n} equal parts, one selection in each",
        "page.console.part": "Part {n}, from {from}",
        "page.console.part_past": "over",
        "page.console.part_now": "running",
        "page.console.part_to_come": "to come",
        "page.console.confirmed": "confirmed",
        "page.console.held": "held",
        "page.console.announced": "announced",
        "page.console.with_crew": "with the crew",
        "page.console.ended": "ended, selected again",
        "page.console.parts_to_come": "parts to come",
        "page.console.no_claims": "No claim is running.",
        "page.console.left": "{n}\u00a0s",
        "page.console.over": "Time is up",
        "page.console.nobody": "Nobody",
        "page.console.exclude_feed": "Exclude feed",
        "page.console.exclude_feed_title": "Exclude {feed} for this session",
        "page.console.exclude_feed_what": "Guests on this feed are not in the pool until the session ends.",
        "page.console.suspend": "Suspend session",
        "page.console.suspend_title": "Suspend {title}",
        "page.console.suspend_what": "No selection is made until it is resumed. Running clocks go on.",
        "page.console.end": "End early",
        "page.console.end_title": "End {title} now",
        "page.console.end_what": "No selection is made in it any more, and it cannot be resumed. Running clocks go on.",
        "page.console.resume": "Resume session",
        "page.console.resume_title": "Resume {title}",
        "page.console.resume_what": "Selections can be made again from now on.",
        "page.console.say_reason": "Write the reason.",
        "page.console.not_sent": "It did not reach the server. Check the network and press again.",
        "page.console.pool_none": "No selection has been made in this session.",
        "page.console.pool_says_one": "At each selection since {from}. The last one: 1 guest at {time}.",
        "page.console.pool_says": "At each selection since {from}. The last one: {n} guests at {time}.",
        "page.console.pool_plot": "Pool size at each of {n} selections, between {low} and {high}, the last {last}",
        "page.console.pool_now": "{n} guests would be in it now ({time}).",
        "page.console.pool_now_one": "1 guest would be in it now ({time}).",
        "page.console.log_entry": "Entry {seq}, {hash}",
        "page.console.no_draws": "No draw is closed yet. One is listed here when its session and claims have ended.",
        "page.console.reconnecting": "Reconnecting. What you see is of {time}.",
        "page.console.blocking": "Stands in the way",
        "page.console.warning": "Will stand in the way",
        "page.console.none": "None",
        # Console, in its frame.
        "page.console.skip": "Skip to the page",
        "page.console.demo": "DEMO, no prizes",
        "page.console.running_claims": "Running claims",
        "page.console.pool_title": "Guests in the pool",
        "page.console.feeds": "Feeds",
        "page.console.lists": "Lists",
        "page.console.log": "Log",
        "page.console.draws": "Draws",
        "page.console.reason": "Reason",
        "page.console.reason_hint": "It stands in the log. No names or telephone numbers of guests.",
        "page.console.back": "Go back",
        "page.console.award": "Award",
        "page.console.position": "Position",
        "page.console.guest": "Guest",
        "page.console.state": "State",
        "page.console.crew": "Crew",
        "page.console.left_head": "Left",
        "page.console.pages": "Pages",
        "page.console.today": "Today",
        "page.console.console": "Console",
    }
)

LANGUAGES: dict[str, Mapping[str, str]] = {"en": ENGLISH}


def add_words(words: Mapping[str, str], language: str = "en") -> None:
    """Enter a page's own words, from the room that has the page. Raises ValueError for a key that says otherwise."""
    known = LANGUAGES.get(language, {})
    taken = [key for key, text in words.items() if known.get(key, text) != text]
    if taken:
        raise ValueError(f"the catalogue has another text for {min(taken)}")
    LANGUAGES[language] = MappingProxyType({**known, **words})


def say(key: str, language: str = "en", **values: object) -> str:
    """The sentence of a key with its values filled in; `n=1` takes the key's `_one` form where there is one."""
    words = LANGUAGES[language]
    if values.get("n") == 1 and f"{key}_one" in words:
        key = f"{key}_one"
    return words[key].format(**values)


def page_words(page: str, language: str = "en") -> dict[str, str]:
    """The words a page (`screen`, `console`) needs for what it counts itself, by their last name."""
    start = f"page.{page}."
    return {key.removeprefix(start): text for key, text in LANGUAGES[language].items() if key.startswith(start)}
