"""The closed vocabulary of the log: every kind of entry and the members its data has, no more and no fewer.

What the draw record fixes is fixed there ("The log"); the rest is free there and closed here, so that no name or number
of a guest can slip into an entry unseen. A kind that is not in the table stops the transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from draw_engine.errors import RuleBroken
from draw_engine.log import Entry

_CLAIM = ("claim", "ordinal")
_TURN = ("place", "moment", "after")
_TWO = ("by", "reason")
_OF = ("of", "claim")

KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # The core and what it hears.
        "core.started": ("version",),
        "clock.stepped": ("by_ms",),
        "clock.overridden": ("session", "reason"),
        **{f"feed.{state}": ("feed",) for state in ("up", "stale", "down", "unsure", "unheard")},
        "feed.seq_reused": ("feed",),
        "list.loaded": ("list", "sha256", "rows"),
        "printer.changed": ("printer", "state"),
        # Who may do what: staff and their roles, enrolled devices, and the digest of the table of look-ups.
        "staff.entered": ("person", "role"),
        "staff.role": ("person", "role", "by"),
        "staff.ended": ("person",),
        "device.enrolled": ("device", "device_kind"),
        "device.revoked": ("device",),
        "access.digest": ("from", "to", "sha256"),
        # Who is to work when: a line of the roster is entered and taken off.
        "roster.entered": ("shift", "day", "person", "duty", "zone?", "from", "to"),
        "roster.removed": ("shift",),
        # Rule books: loaded, rehearsed, locked by two people.
        "rules.loaded": ("rules_sha256", "promotion", "version"),
        "rules.rehearsed": ("rules_sha256", "sha256"),
        "rules.locked": ("rules_sha256", "promotion", "version", *_TWO),
        "rules.retired": ("rules_sha256", *_TWO),
        # A draw (draw record, "The log").
        "draw.opened": (
            *("draw", "property", "promotion", "kind", "title", "rules_version", "rules_sha256", "commitment"),
            *("moments", "places", "carried", "claim_window_ms", "lateness_ms", "retry_ms", "pool", "entropy"),
            "rehearsal",
        ),
        "lists.in_force": ("lists",),
        "entropy.given": ("source", "text"),
        "pool.judged": ("pool", "verdicts"),
        "pool.frozen": ("id", "size", "total", "root", "left_out", "journal", "basis"),
        "selection.made": (*_TURN, "ordinal", "pool", "public_count", "ticket", "ref", "position"),
        "selection.postponed": (*_TURN, "reason"),
        "selection.lapsed": (*_TURN, "reason", "to?"),
        "draw.closed": ("record",),
        "checkpoint.made": ("seq", "hash"),
        # A session, by two people.
        "session.suspended": (*_TWO, "authenticated"),
        "session.resumed": (*_TWO, "authenticated"),
        "feed.excluded": ("feed", *_TWO, "authenticated"),
        "session.ended_early": (*_TWO, "authenticated"),
        "draw.certified": ("by", "profession", "number"),
        "certificate.sealed": ("sha256",),
        # A claim (rules 12 to 17).
        "claim.opened": _CLAIM,
        "claim.taken": _CLAIM,
        "claim.handed_over": (*_CLAIM, "to"),
        "claim.released": _CLAIM,
        "claim.arrived": (*_CLAIM, "arrival"),
        "claim.card_misused": (*_CLAIM, "code"),
        "claim.found": _CLAIM,
        "claim.announced": (*_CLAIM, "deadline_at"),
        "claim.presented": (*_CLAIM, "presented_at"),
        "claim.review": (*_CLAIM, "reason"),
        "claim.review_reason": (*_CLAIM, "reason"),
        "claim.reviewed": (*_CLAIM, "decision", "by"),
        "claim.checked": (*_CLAIM, "checks", "identification"),
        "claim.mismatch": (*_CLAIM, "code"),
        "envelope.drawn": (*_CLAIM, "pocket"),
        "envelope.exchanged": (*_CLAIM, "pocket", *_TWO),
        **{
            f"claim.{outcome}": (*_CLAIM, "prize")
            for outcome in ("confirmed", "refused", "held", "expired", "not_rightful_card", "ineligible")
        },
        "claim.voided": (*_CLAIM, "prize", "by", "reason", "reselect"),
        "award.voided": (*_CLAIM, *_TWO),
        "press.refused": ("verb", "claim", "code"),
        "dispute.noted": (*_OF, "sha256"),
        # The desks: register, envelopes, held prizes, slips.
        "register.signed": ("entry", "day"),
        "register.withdrawn": ("entry",),
        "paper.kept": ("under", "n", "sha256"),
        "envelopes.counted": ("batch", "envelopes", "total", "by"),
        "envelopes.day_counted": ("day", "left", "expected", "difference", "by"),
        "cash.counted": ("day", "envelopes", "cents", "least", "most", "by"),
        "envelope.withdrawn": ("pocket", "by"),
        "envelope.on_behalf": (*_OF, "pocket", "by"),
        "envelope.moved": (*_OF, "from", "to", "given_by", "received_by"),
        "prize.contacted": (*_OF, "channel", "outcome"),
        "prize.overdue": _OF,
        "prize.handed_over": (*_CLAIM, "amount", "pocket"),
        "prize.returned": (*_CLAIM, "pocket", "by"),
        "slip.settled": ("job", "kind", "decision"),
        "slip.reprinted": ("job", "kind", "n"),
    }
)
"""kind -> the members of its data; one that ends in ? may be missing."""


def require_known(entries: Iterable[Entry]) -> None:
    """Raise RuleBroken for an entry the vocabulary does not have; the message holds names of members alone."""
    for entry in entries:
        members = KINDS.get(entry.kind)
        if members is None:
            raise RuleBroken(f"the log knows no {entry.kind}")
        said = set(entry.data)
        needed = {member for member in members if not member.endswith("?")}
        if not needed <= said <= {member.rstrip("?") for member in members}:
            raise RuleBroken(f"{entry.kind} does not have these members: {', '.join(sorted(said))}")
