"""One pool judged again, and compared with what was frozen: who is in one and not in the other, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from draw_engine import calendar, verdicts
from draw_engine.eligibility import Basis, Entrant, Judgement, judge, judge_after_end
from draw_engine.feeds import Floor
from draw_engine.pool import Pool
from draw_engine.verify.judging_claims import Claims
from draw_engine.verify.judging_files import References, Rules, Site
from draw_engine.verify.judging_lists import ListHistory
from draw_engine.verify.record import Happening, Record


@dataclass(frozen=True, slots=True)
class Judge:
    """All that pools are judged by but the floor."""

    record: Record
    rules: Rules
    site: Site
    references: References
    lists: ListHistory
    claims: Claims

    def excluded_feeds(self, seq: int) -> frozenset[str]:
        """The feeds that two people had left out before entry `seq`."""
        excluded = self.record.happened("feed.excluded")
        return frozenset(str(entry.data.get("feed")) for entry in excluded if entry.seq < seq)

    def unknown_feeds(self, floor: Floor, seq: int, t: int) -> list[str]:
        """The needed feeds that were neither up at `t` nor excluded, each with its state."""
        excluded = self.excluded_feeds(seq)
        states = [floor.feed_at(feed, t) for feed in self.site.needed(self.rules.plan) if feed not in excluded]
        return [f"{state.feed} was {state.state}" for state in states if state.unknown]

    def floor_at(self, floor: Floor, seq: int, t: int, place: int) -> Judgement:
        """Everyone on the floor at `t`. Raises ValueError when the floor has heard something after it."""
        book, plan, day = self.rules
        gaming_day = calendar.gaming_day(book, t)
        audience = calendar.audience_on(book, gaming_day)
        start, end = calendar.session_bounds(book, plan, day)
        return judge(
            floor.at(t),
            self.lists.at(seq),
            t=t,
            promotion_day=calendar.is_promotion_day(book, gaming_day),
            start=start,
            end=end,
            tiers=audience.tiers if audience else (),
            zones=audience.zones if audience else (),
            criteria=plan.criteria,
            min_age=book.min_age,
            exclude=book.exclude,
            excluded_feeds=self.excluded_feeds(seq),
            failed=self.claims.failed(seq, place),
            at_limit=self.claims.at_limit(seq, self.lists.at(seq).at(t)),
        )

    def basis_at(self, basis: Mapping[str, Basis], seq: int, t: int, place: int) -> Judgement:
        """Those of a basis pool who may still win at `t`."""
        return judge_after_end(
            basis,
            self.lists.at(seq),
            t=t,
            exclude=self.rules.book.exclude,
            failed=self.claims.failed(seq, place),
            at_limit=self.claims.at_limit(seq, self.lists.at(seq).at(t)),
        )


class Frozen(NamedTuple):
    """A pool as the record has it: its entries of the log, and its file where there is one."""

    judged: Happening
    frozen: Happening
    made: Happening
    pool: Pool | None

    @property
    def id(self) -> str:
        return str(self.frozen.data["id"])


def members_of(judged: Judgement, references: References, pool: Pool | None) -> dict[str, Basis]:
    """The members of a pool by person, for a re-selection after the end: as judged, and as far as they are in it."""
    by_person = references.by_person
    return {
        entrant.person: Basis(entrant.member, entrant.card, entrant.position)
        for entrant in judged.entrants
        if pool is None or (entrant.person in by_person and by_person[entrant.person].ref in pool)
    }


def faults_of_pool(frozen: Frozen, judged: Judgement, references: References) -> Iterator[str]:
    """Everybody in one and not in the other; the persons left out; where the selected one was."""
    by_person = references.by_person
    entrants = {by_person[entrant.person].ref: entrant for entrant in judged.entrants if entrant.person in by_person}
    nameless = [entrant for entrant in judged.entrants if entrant.person not in by_person]
    for entrant in nameless:
        yield f"somebody at {entrant.position} was judged in and has no line in references.csv"
    if frozen.pool is not None:
        yield from _strangers(frozen.pool, entrants, judged, references)
    elif nameless or Pool.equal(entrants).root != frozen.frozen.data["root"]:
        yield f"{len(judged.entrants)} were judged in, and they are not this pool; who differs only its file can tell"
    left_out, stated = judged.left_out, frozen.frozen.data["left_out"]
    for code in sorted(left_out.keys() | stated.keys()):
        if left_out.get(code, 0) != stated.get(code, 0):
            yield f"left out as {code}: {left_out.get(code, 0)}, logged {stated.get(code, 0)}"
    selected = entrants.get(bytes.fromhex(frozen.made.data["ref"]))
    if selected is not None and selected.position != frozen.made.data["position"]:
        yield (
            f"{frozen.made.data['ref']}, selected at {frozen.made.data['position']}, "
            f"was judged in at {selected.position}"
        )


def _strangers(
    pool: Pool, entrants: Mapping[bytes, Entrant], judged: Judgement, references: References
) -> Iterator[str]:
    for ref, entrant in sorted(entrants.items()):
        if ref not in pool:
            line = references.by_person[entrant.person].line
            yield f"{ref.hex()} (line {line} of references.csv) at {entrant.position} was judged in and is not in it"
    others = [ref for ref in pool.refs() if ref not in entrants]
    reasons = _reasons(judged) if others else {}
    for ref in others:
        person = references.person_of.get(ref)
        if person is None:
            yield f"{ref.hex()} is in it, and no line of references.csv gives this reference"
        else:
            yield f"{ref.hex()} is in it and was not judged in: {reasons.get(person, 'no session of theirs was open')}"


def _reasons(judged: Judgement) -> dict[str, str]:
    """By person: the code, where, and the figure that failed."""
    said = {}
    for verdict, _ in verdicts.read(judged.verdicts):
        if verdict.code == "SS_OTHER_CARD_COUNTED":
            continue
        figure = ""
        if verdict.figure is not None and verdict.limit is not None:
            figure = f", {verdict.measure} {verdict.figure} against {verdict.limit}"
        elif verdict.measure:
            figure = f", {verdict.measure}"
        said[verdict.person] = f"{verdict.code} at {verdict.position}{figure}"
    return said


def same_verdicts(frozen: Frozen, judged: Judgement) -> bool:
    """Whether the verdicts are to the byte those whose digest was logged; their form is the engine's own."""
    logged: str = frozen.judged.data["verdicts"]
    return sha256(judged.verdicts).hexdigest() == logged
