"""What the core knows of the people around a deadline: which presses wait, whether anybody could press at all."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from draw_engine.errors import Refused

DOWN_MS = 2_000
"""A core that did not beat for so long took no presses: it was down, or stood still."""
UNHEARD_MS = 5_000
"""A stage of which nothing was heard for so long is unheard (A22)."""
COMES_BACK_MS = 30_000
"""A tablet whose press found trouble has sent it again within this."""
READ_WITHIN_MS = 5_000
"""A press counts from its first byte when the rest comes within this: a slow line must not hold a claim for ever."""
NO_ANSWER = frozenset({"X_TRY_AGAIN", "X_CORE_STOPPED"})

_KEPT = 4_096


@dataclass(frozen=True, slots=True)
class Presented:
    """A press that says a guest is at the stage: its number, the claim, and when it was first received (ms)."""

    press: str
    draw: str
    ordinal: int
    stamped_at: int


class WaitingPresses:
    """Presses of a guest's presenting that were received and have no answer yet: one in time wins over the expiry.

    One whose answer was trouble (a locked database) is waited for a while longer: the tablet sends it again, and its
    first stamp counts. When it does not come back the claim is put to two people, as when nobody could press.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, Presented] = {}
        self._troubled: dict[str, tuple[Presented, int]] = {}
        self._entering: dict[object, int] = {}
        self._given_up: deque[Presented] = deque(maxlen=_KEPT)

    def first(self, pressed: Presented) -> Presented:
        """The press as it was first received, when this is a repeat of one that had no answer."""
        with self._lock:
            before = self._waiting.get(pressed.press) or self._troubled.get(pressed.press, (None, 0))[0]
        same = before is not None and (before.draw, before.ordinal) == (pressed.draw, pressed.ordinal)
        return before if before is not None and same else pressed

    @contextmanager
    def held(self, pressed: Presented | None, now: Callable[[], int] = lambda: 0) -> Iterator[None]:
        """Wait for a press's answer; None = a press of something else. A refusal is an answer, trouble is none."""
        if pressed is None:
            yield
            return
        with self._lock:
            self._waiting[pressed.press] = pressed
        answered = False
        try:
            yield
            answered = True
        except Refused as refusal:
            answered = refusal.code not in NO_ANSWER
            raise
        finally:
            with self._lock:
                self._waiting.pop(pressed.press, None)
                self._troubled.pop(pressed.press, None)
                if not answered:
                    self._troubled[pressed.press] = (pressed, now())

    @contextmanager
    def entering(self, stamped_at: int) -> Iterator[None]:
        """A press was received at this instant and is still being read: it may be of any claim."""
        token = object()
        with self._lock:
            self._entering[token] = stamped_at
        try:
            yield
        finally:
            with self._lock:
                del self._entering[token]

    def waits(self, draw: str, ordinal: int, deadline: int, now: int) -> bool:
        """Whether a presenting of this claim received by its deadline still has no answer, and may yet get one."""
        with self._lock:
            for press, (pressed, since) in list(self._troubled.items()):
                if now - since > COMES_BACK_MS:
                    del self._troubled[press]
                    self._given_up.append(pressed)
            held = [*self._waiting.values(), *(pressed for pressed, _ in self._troubled.values())]
            read = any(at <= deadline and now - at <= READ_WITHIN_MS for at in self._entering.values())
        return read or _any_in_time(held, draw, ordinal, deadline)

    def lost(self, draw: str, ordinal: int, deadline: int) -> bool:
        """Whether a presenting received by the deadline had no answer and did not come back."""
        with self._lock:
            given_up = tuple(self._given_up)
        return _any_in_time(given_up, draw, ordinal, deadline)


def _any_in_time(pressed: Iterable[Presented], draw: str, ordinal: int, deadline: int) -> bool:
    return any((one.draw, one.ordinal) == (draw, ordinal) and one.stamped_at <= deadline for one in pressed)


class Beats:
    """When the core could take presses: a beat every fifth of a second from a thread of its own."""

    def __init__(self) -> None:
        self._beats: deque[int] = deque(maxlen=_KEPT)

    def note(self, now: int) -> None:
        """It is there at `now` (ms)."""
        self._beats.append(now)

    def missed(self, at: int, now: int) -> bool:
        """Whether the core stood still at `at`: no beat for DOWN_MS around it."""
        beats = [*tuple(self._beats), now]
        after = next((n for n, beat in enumerate(beats) if beat > at), len(beats) - 1)
        return after > 0 and beats[after] - beats[after - 1] >= DOWN_MS


class StageEar:
    """When a tablet of the stage was heard. `always`: a simulated announcer stands there."""

    def __init__(self) -> None:
        self.always = False
        self._heard: deque[int] = deque(maxlen=_KEPT)

    def heard(self, at: int) -> None:
        """A page of the stage said that it is live."""
        self._heard.append(at)

    def was_there(self, deadline: int) -> bool:
        """Whether a stage was heard in the five seconds up to the deadline."""
        return self.always or any(deadline - UNHEARD_MS <= at <= deadline for at in tuple(self._heard))
