"""The record's judgings one after the other, each from the floor as it was heard up to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from draw_engine.canonical import format_time
from draw_engine.eligibility import Basis, Judgement
from draw_engine.verify.judging_files import PackBroken, read
from draw_engine.verify.judging_journal import Segment, numbers
from draw_engine.verify.judging_pools import Frozen, Judge, faults_of_pool, members_of, same_verdicts
from draw_engine.verify.pools import PoolFiles
from draw_engine.verify.record import Happening
from draw_engine.verify.report import Check

_SEGMENT = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SHOWN = 5


class Walk:
    """Judges everything again; afterwards `postponed` has the faults of what was put off, `notices` what to know."""

    def __init__(self, judge: Judge, folder: Path) -> None:
        self.postponed: list[str] = []
        self.notices: list[str] = []
        self.rederived = 0
        self._judge = judge
        self._record = judge.record
        self._folder = folder
        self._files = PoolFiles(judge.record)
        self._segments: dict[str, Segment] = {}
        self._members: dict[str, dict[str, Basis]] = {}
        self._timely: list[tuple[str, Segment, int]] = []  # pool, and which of the segment's judgings it was
        self._other_verdicts: list[str] = []
        self._users = {made.data["pool"]: made for made in self._record.happened("selection.made")}

    def checks(self) -> Iterator[Check]:
        """One check for each pool; the journal's own comes last, when all of it has been heard."""
        happenings = self._record.happenings
        for i, happening in enumerate(happenings):
            if happening.kind == "pool.judged" and happening.data["pool"] is not None:
                yield self._check_of_pool(happening)
            elif happening.kind == "pool.judged":
                following = happenings[i + 1] if i + 1 < len(happenings) else None
                self._look_at(happening, following)
            elif happening.kind == "selection.postponed" and happening.data["reason"] == "stale_feed":
                self._look_at(happening, None)
        for segment in self._segments.values():
            segment.hear_bytes(segment.size)
        faults = [fault for segment in self._segments.values() for fault in segment.faults]
        lines = sum(segment.lines for segment in self._segments.values())
        yield Check.of("journal", faults, f"lines heard again: {lines}, none held back from a pool")
        self._say()

    def _say(self) -> None:
        for pool, segment, judging in self._timely:
            if segment.late[judging]:
                self.notices.append(
                    f"pool {pool}: {len(segment.late[judging])} events had happened by then and had not arrived: "
                    f"{numbers(segment.late[judging])}"
                )
        if self._other_verdicts:
            self.notices.append(
                f"the verdicts of {', '.join(self._other_verdicts)} have another digest, though the pool is the same: "
                "they were judged by another version of the engine, or a figure of somebody left out differs"
            )

    def _segment(self, name: str) -> Segment:
        if name not in self._segments:
            if not _SEGMENT.fullmatch(name):
                raise PackBroken(f"{name} is no name of a segment of the journal")
            data = read(self._folder, f"journal/{name}.jsonl")
            self._segments[name] = Segment(name, data, self._judge.site.stale_after_ms)
        return self._segments[name]

    # -- pools ---------------------------------------------------------------------------------------------------

    def _check_of_pool(self, judged: Happening) -> Check:
        pool_id = judged.data["pool"]
        entry, made = self._record.frozen.get(pool_id), self._users.get(pool_id)
        if entry is None or made is None:
            sentence = "it was not frozen, or nobody was selected from it: see the check pools"
            return Check(f"pool {pool_id}", ok=False, sentence=sentence)
        frozen = Frozen(judged, entry, made, self._files.get(pool_id))
        faults: list[str] = []
        try:
            again = self._judged_again(frozen, faults)
        except PackBroken as broken:
            return Check(f"pool {pool_id}", ok=False, sentence="; ".join([*faults, str(broken)]))
        if again is not None:
            self._members[pool_id] = members_of(again, self._judge.references, frozen.pool)
            faults += faults_of_pool(frozen, again, self._judge.references)
            if not faults and not same_verdicts(frozen, again):
                self._other_verdicts.append(pool_id)
        if faults:
            return Check(f"pool {pool_id}", ok=False, sentence="; ".join(faults))
        return Check(f"pool {pool_id}", ok=True, sentence=_holds(frozen))

    def _judged_again(self, frozen: Frozen, faults: list[str]) -> Judgement | None:
        """The judgement, or None where it cannot be made; `faults` gets what is wrong with the prefix and the feeds."""
        segment = self._prefix(frozen, faults)
        seq, t, place = frozen.judged.seq, frozen.judged.at, frozen.made.data["place"]
        basis = frozen.frozen.data["basis"]
        if basis is not None:
            if basis not in self._members:
                faults.append(f"its basis {basis} could not be judged again before it")
                return None
            return self._judge.basis_at(self._members[basis], seq, t, place)
        if segment is None:
            return None
        segment.judged_at(t)
        self._timely.append((frozen.id, segment, len(segment.late) - 1))
        unknown = self._judge.unknown_feeds(segment.floor, seq, t)
        faults += [f"needed feed {state}: it had to be postponed" for state in unknown if t < self._record.end]
        return self._judge.floor_at(segment.floor, seq, t, place)

    def _prefix(self, frozen: Frozen, faults: list[str]) -> Segment | None:
        """The segment heard exactly up to the pool's prefix; None where that cannot be."""
        stated = frozen.frozen.data["journal"]
        segment = self._segment(stated["segment"])
        name, length = f"judging/journal/{segment.name}.jsonl", stated["length"]
        if length > segment.size:
            faults.append(f"{name} has {segment.size} bytes; it was judged from {length}")
            return None
        if length < segment.length:
            faults.append(f"its prefix of {length} bytes is shorter than what had been heard before it")
            return None
        segment.hear_bytes(length)
        digest, whole = segment.digest(length), segment.length == length
        if digest == stated["sha256"]:
            segment.sound = segment.lines
        else:
            faults.append(
                f"the first {length} bytes of {name} have the SHA-256 {digest}, logged {stated['sha256']}: "
                f"one of the lines {segment.sound + 1} to {segment.lines + (not whole)} was changed"
            )
        if digest == stated["sha256"] and not whole:
            faults.append(f"its prefix of {length} bytes ends within line {segment.lines + 1} of {name}")
        if segment.received_at > frozen.judged.at:
            received = format_time(segment.received_at)
            faults.append(f"its prefix of {name} holds what was received at {received}, after it was judged")
            return None
        return segment

    # -- what was put off ----------------------------------------------------------------------------------------

    def _look_at(self, happening: Happening, following: Happening | None) -> None:
        """An empty pool (with the entry that follows from it), or a stale feed: whether the journal says so too."""
        if happening.kind == "pool.judged" and (following is None or not _follows_from_nobody(following)):
            self.postponed.append(f"{happening} found nobody, and no postponement or lapse follows from it")
            return
        self.rederived += 1
        try:
            fault = self._fault_of_nobody(happening, following) if following else self._fault_of_stale(happening)
        except PackBroken as broken:
            fault = str(broken)
        if fault:
            self.postponed.append(f"{happening} at {format_time(happening.at)}: {fault}")

    def _fault_of_stale(self, postponed: Happening) -> str | None:
        for segment in self._hearings(postponed):
            if self._judge.unknown_feeds(segment.floor, postponed.seq, postponed.at):
                return None
        return "a stale feed is given as the reason, though every needed feed was up or excluded"

    def _fault_of_nobody(self, judged: Happening, following: Happening) -> str | None:
        seq, t, place = judged.seq, judged.at, following.data["place"]
        if following.data["after"] is not None and t >= self._record.end:
            members = self._members_after_end(seq)
            return None if members is None else self._somebody(self._judge.basis_at(members, seq, t, place))
        found: str | None = None
        for segment in self._hearings(judged):
            if segment.received_at > t:
                return f"the journal holds what was received at {format_time(segment.received_at)} before it"
            found = self._somebody(self._judge.floor_at(segment.floor, seq, t, place))
            if found is None:
                return None
        return found

    def _somebody(self, again: Judgement) -> str | None:
        if not again.entrants:
            return None
        known = self._judge.references.by_person
        refs = [known[one.person].ref.hex() if one.person in known else "somebody" for one in again.entrants]
        shown = [f"{ref} at {one.position}" for ref, one in zip(refs, again.entrants, strict=True)]
        more = " and more" if len(shown) > _SHOWN else ""
        return f"it found nobody, though {len(shown)} were judged in: {', '.join(shown[:_SHOWN])}{more}"

    def _members_after_end(self, seq: int) -> dict[str, Basis] | None:
        """The members a re-selection after the end is made from; None where their pool could not be judged again."""
        basis = [
            made.data["pool"]
            for made in self._record.happened("selection.made")
            if made.seq < seq and made.data["moment"] is not None and made.at < self._record.end
        ]
        if not basis or self._judge.rules.plan.after_end != "last_pool":
            return {}
        return self._members.get(basis[-1])

    def _hearings(self, happening: Happening) -> Iterator[Segment]:
        """The floor at an entry that names no prefix: before its millisecond, then with what came within it."""
        later = [h for h in self._record.happened("pool.frozen") if h.seq > happening.seq]
        earlier = [h for h in self._record.happened("pool.frozen") if h.seq < happening.seq]
        named = (later or earlier[-1:])[0].data["journal"]
        segment = self._segment(named["segment"])
        most = named["length"] if later else segment.size
        segment.hear_before(happening.at, most)
        yield segment
        if segment.hear_received_at(happening.at, most):
            yield segment


def _follows_from_nobody(entry: Happening) -> bool:
    if entry.kind == "selection.postponed":
        return bool(entry.data["reason"] == "empty_pool")
    return entry.kind == "selection.lapsed" and entry.data["after"] is not None


def _holds(frozen: Frozen) -> str:
    data = frozen.frozen.data
    source = f"the members of {data['basis']}" if data["basis"] else f"{data['journal']['length']} bytes of journal"
    return f"judged again from {source}: {data['size']} in, {sum(data['left_out'].values())} left out, as frozen"
