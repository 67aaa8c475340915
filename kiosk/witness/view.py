"""What the witness is shown: commitment, checkpoints, dice, each pool and ticket as they come; never a guest's name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from draw_engine import calendar
from draw_engine.draw_state import DrawState, Selected
from draw_engine.selection import public_digest
from draw_engine.service import entropy, witnessing
from draw_engine.service.checkpoints import head_entry
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.publishing import shown
from kiosk.screens.view import House, current_book
from web_display import screens
from web_display.catalogue import say
from web_display.messages import VERSION

_MOST_SLIPS = 12


def witness_snapshot(engine: Engine, house: House) -> Mapping[str, Any]:
    """Everything the witness's page shows, as it is now; the open draws, else the day's last."""
    now = engine.now()
    book = current_book(engine, now)
    return {
        "version": VERSION,
        "server_now": now,
        "utc_offset_minutes": screens.utc_offset_minutes(now, book.zone),
        "demo": house.demo,
        "none": _none(engine, now),
        "draws": [_draw(engine, draw, now) for draw in _on_show(engine, now)],
        "professions": [{"id": one, "title": say(f"witness.profession.{one}")} for one in witnessing.PROFESSIONS],
    }


def _on_show(engine: Engine, now: int) -> list[OpenDraw]:
    """The open draws, the youngest first; then the last that closed today: its statement may still be printed."""
    today = engine.gaming_day(now)
    draws = sorted(engine.draws.values(), key=lambda draw: draw.state.opened_at, reverse=True)
    closed = [draw for draw in draws if draw.state.closed_at is not None and draw.day == today]
    return [draw for draw in draws if draw.state.closed_at is None] + closed[:1]


def _none(engine: Engine, now: int) -> str:
    opens = [
        (calendar.opens_at(book.rules, plan, day), book.rules.zone)
        for book in engine.books.values()
        for day in calendar.promotion_days(book.rules)
        if day >= engine.gaming_day(now)
        for plan in book.rules.draws
    ]
    coming = min(((at, zone) for at, zone in opens if at > now), default=None)
    if coming is None:
        return say("witness.none_today")
    return say("witness.none", time=screens.starts_text(coming[0], now, coming[1]))


def _draw(engine: Engine, draw: OpenDraw, now: int) -> dict[str, Any]:
    state, zone = draw.state, draw.book.zone
    certified = witnessing.certified_at(engine, draw)
    return {
        "id": state.id,
        "title": screens.short_title(draw.plan.title, draw.book.title),
        "day_text": _day(draw),
        "state": _state(engine, draw, certified, now),
        "watched": witnessing.is_watched(engine, draw),
        "closed": state.closed_at is not None,
        "commitment": state.terms["commitment"],
        "rehearsal": state.terms["rehearsal"],
        "rules_version": state.terms["rules_version"],
        "rules_sha256": state.terms["rules_sha256"],
        "checkpoints": list(_checkpoints(engine, state)),
        "sources": [_source(source) for source in entropy.sources_of(state)],
        "give": _give(state),
        "public": public_digest([text for _, _, text in state.public]),
        "selections": [_selection(state, made, zone) for made in state.selections],
        "house_seed": draw.seed.hex() if state.closed_at is not None else None,
        "certify": _certify(engine, draw, certified, now),
    }


def _day(draw: OpenDraw) -> str:
    return f"{draw.day.day} {draw.day:%B %Y}"


def _state(engine: Engine, draw: OpenDraw, certified: int | None, now: int) -> str:
    key, at = _stage(engine, draw, certified, now)
    return say(f"witness.state.{key}", time=screens.time_text(at, draw.book.zone))


def _stage(engine: Engine, draw: OpenDraw, certified: int | None, now: int) -> tuple[str, int]:
    """Where the draw is, and the instant that its sentence names."""
    state, until = draw.state, witnessing.closes_at(engine, draw)
    stages = (
        ("closed", state.closed_at is not None, state.closed_at or 0),
        ("certified", certified is not None, certified or 0),
        ("done" if until > now else "done_alone", witnessing.is_done(draw, now), until),
        ("suspended", state.suspended, now),
        ("ended", now >= state.end, state.end),
        ("running", now >= state.start, state.end),
    )
    return next(((key, at) for key, holds, at in stages if holds), ("opened", state.start))


def _checkpoints(engine: Engine, state: DrawState) -> Iterable[dict[str, Any]]:
    """The opening's first, then the youngest: what was printed of this draw so far."""
    head = engine.store.head()
    last = state.closed_seq or (head.seq if head else state.opened_seq)
    found = engine.store.checkpoints(state.opened_seq, last)
    for one in [*found[:1], *found[1:][-_MOST_SLIPS:]]:
        yield {**shown(one), "at": one.at}


def _source(source: entropy.Source) -> dict[str, Any]:
    return {"name": source.name, "dice": source.dice, "text": source.text, "given_at": source.given_at}


def _give(state: DrawState) -> dict[str, Any]:
    """Which source is asked now, and the sentence over its field; `source` null when nothing can be given."""
    refusal = entropy.why_not_now(state)
    if refusal is not None:
        key = "not_asked" if refusal.code == "X_ENTROPY_NOT_ASKED" else "all" if state.public else "late"
        return {"source": None, "sentence": say(f"witness.give.{key}")}
    asked = _asked(entropy.sources_of(state))
    if asked is None:
        return {"source": None, "sentence": say("witness.give.all")}
    key = "asked" if asked.dice is not None else "beacon"
    return {"source": asked.name, "sentence": say(f"witness.give.{key}", n=asked.dice or 0, source=asked.name)}


def _asked(sources: Sequence[entropy.Source]) -> entropy.Source | None:
    """The first source after the last that was given: they are taken in their order."""
    given = [at for at, source in enumerate(sources) if source.text is not None]
    left = sources[given[-1] + 1 :] if given else sources
    return left[0] if left else None


def _selection(state: DrawState, made: Selected, zone: str) -> dict[str, Any]:
    pool = next(pool for pool in state.pools if pool.id == made.pool)
    texts = [text for _, _, text in state.public][: made.public_count]
    outcome = state.claims[made.ordinal].outcome or "running"
    return {
        "ordinal": made.ordinal,
        "at_text": screens.time_text_seconds(made.at, zone),
        "award": made.place,
        "after": made.after,
        "pool": pool.id,
        "size": pool.size,
        "total": pool.total,
        "root": pool.root,
        "public": public_digest(texts),
        "ticket": made.ticket,
        "ref": made.ref,
        "outcome": outcome,
        "outcome_text": say(f"witness.outcome.{outcome}"),
    }


def _certify(engine: Engine, draw: OpenDraw, certified: int | None, now: int) -> dict[str, Any]:
    zone = draw.book.zone
    if certified is not None:
        sentence = say("witness.certify.done", time=screens.time_text(certified, zone))
        return {"may": False, "done": True, "sentence": sentence}
    if draw.state.closed_at is not None:
        return {"may": False, "done": False, "sentence": say("witness.certify.closed")}
    if not witnessing.is_done(draw, now):
        return {"may": False, "done": False, "sentence": say("witness.certify.runs")}
    until = witnessing.closes_at(engine, draw)
    key = "open" if until > now else "open_alone"
    return {"may": True, "done": False, "sentence": say(f"witness.certify.{key}", time=screens.time_text(until, zone))}


# -- the statement ----------------------------------------------------------------------------------------------


def statement(
    engine: Engine, draw: OpenDraw, house: House, *, name: str, profession: str, number: str, slips: Sequence[int]
) -> list[str]:
    """What is certified, in sentences (SS-096): who, the commitment, the slips, the dice, the selections, the log."""
    state = draw.state
    who = {"name": " ".join(name.split()), "number": " ".join(number.split())}
    head = head_entry(engine)
    return [
        say(
            "witness.statement.who",
            **who,
            profession=say(f"witness.profession.{profession}").lower(),
            property=house.property_name,
            title=screens.short_title(draw.plan.title, draw.book.title),
            promotion=draw.book.title,
            day=_day(draw),
        ),
        say("witness.statement.commitment", commitment=state.terms["commitment"]),
        _slips_said(slips),
        *_dice_said(state),
        say("witness.statement.count", n=len(state.selections)),
        "; ".join(_outcomes(state)) + "." if state.selections else "",
        say("witness.statement.head", seq=head.seq, hash=head.hash),
    ]


def _slips_said(slips: Sequence[int]) -> str:
    if not slips:
        return say("witness.statement.no_slips")
    return say("witness.statement.slips", seqs=", ".join(str(seq) for seq in sorted(set(slips))))


def _dice_said(state: DrawState) -> Iterable[str]:
    sources = entropy.sources_of(state)
    if not sources:
        yield say("witness.statement.no_dice")
    for source in sources:
        if source.text is None:
            yield say("witness.statement.dice_missing", source=source.name)
        else:
            yield say("witness.statement.dice", source=source.name, text=source.text)


def _outcomes(state: DrawState) -> Iterable[str]:
    counted = Counter(claim.outcome or "running" for claim in state.claims)
    for outcome, n in sorted(counted.items()):
        yield say("witness.statement.outcome", outcome=say(f"witness.outcome.{outcome}"), n=n)
