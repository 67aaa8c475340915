"""The two ways a thing can not happen: an expected "no" for people, and a broken rule that must stop everything."""

from __future__ import annotations


class Refused(Exception):  # noqa: N818 - the field's word for it, and not an error
    """An expected "no": nothing was changed.

    `code` is one of the stable reason codes of rules 0.2 (`SS_…`, `X_…`); `sentence` says what to do next. `facts` are
    figures that a page shows (`late_ms`).
    """

    def __init__(self, code: str, sentence: str, **facts: int) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence
        self.facts = facts


class RuleBroken(Exception):  # noqa: N818 - it names the fact
    """Something that cannot happen did: the transaction stops, nothing is kept, somebody must look."""
