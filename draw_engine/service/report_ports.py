"""What the reports ask of the store, beside what it gives anyway: the lists a draw was judged by, and late voids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from draw_engine.log import Entry

if TYPE_CHECKING:
    from draw_engine.service.list_ports import LoadedList


class ReportStore(Protocol):
    """Reading for the reports; it may be asked from any thread."""

    def lists_between(self, kinds: tuple[str, ...], first: int, last: int) -> list[LoadedList]:
        """The versions of these lists in force at some instant from `first` to `last` (ms), oldest first."""

    def voided_after_close(self) -> list[Entry]:
        """Every `award.voided`, in the order of the log: they come after their draw's close."""
