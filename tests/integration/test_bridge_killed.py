"""The bridge's processes, killed between any two steps: nothing lost, nothing doubled, no number left out."""

import json
import random  # noqa: TID251 - when the next kill comes, from a fixed seed
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from fake_core import BUSY, TOKENS, FakeCore, until

from floor_bridge.outbox import Outbox


@pytest.fixture
def core():
    made = FakeCore()
    yield made
    made.close()


def seqs(lines):
    return [seq for seq, _ in lines]


CHILD = textwrap.dedent(
    """
    import os, signal, sys
    from pathlib import Path
    from floor_bridge.outbox import Outbox, SetAside

    path, kill_at = Path(sys.argv[1]), int(sys.argv[2])
    outbox = Outbox(path, "slots-1", limit=100, keep=3)
    steps = 0

    def step(statement):
        global steps
        steps += 1
        if steps == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    outbox._base.set_trace_callback(step)
    for n in range(4):
        last = outbox.put([{"at": "2023-10-07T12:00:00.000Z", "n": outbox.next_seq + i} for i in range(3)])
        print("put", last, flush=True)
        lines = outbox.batch(2, 10_000)
        outbox.answer(lines[-1][0], [SetAside(*lines[0], "X_EVENT_INVALID", "no")])
        print("answered", lines[-1][0], flush=True)
    print("steps", steps, flush=True)
    """
)


def run_child(path, kill_at):
    done = subprocess.run(
        [sys.executable, "-c", CHILD, path, str(kill_at)], capture_output=True, text=True, check=False
    )
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr
    said = [line.split() for line in done.stdout.splitlines()]
    return done.returncode, {word: int(number) for word, number in said}


def check_whole(path, said):
    """What the child was told is on disk is there, once, with no gap; what is beyond it is whole steps."""
    outbox = Outbox(path, "slots-1", limit=100, keep=3)
    waiting = outbox.batch(100, 100_000)
    assert seqs(waiting) == list(range(outbox.answered + 1, outbox.next_seq))
    assert [json.loads(line) for _, line in waiting] == [
        {"at": "2023-10-07T12:00:00.000Z", "n": seq, "seq": seq} for seq in seqs(waiting)
    ]
    last, answered = outbox.next_seq - 1, outbox.answered
    assert last in {said.get("put", 0), said.get("put", 0) + 3}
    assert answered in {said.get("answered", 0), said.get("answered", 0) + 2}
    assert [one.seq for one in outbox.set_aside()] == list(range(1, answered + 1, 2))
    assert outbox.find(range(1, last + 1))[0] == {
        seq for seq in range(max(1, answered - 2), last + 1) if seq > answered or seq % 2 == 0
    }
    outbox.close()


def test_killed_between_any_two_steps(tmp_path):
    steps = run_child(tmp_path / "whole", -1)[1]["steps"]
    assert steps > 30
    for kill_at in range(1, steps + 1):
        code, said = run_child(tmp_path / str(kill_at), kill_at)
        assert code == -signal.SIGKILL
        check_whole(tmp_path / str(kill_at), said)


LIVE = textwrap.dedent(
    f"""
    import signal, sys, threading
    from pathlib import Path
    from floor_bridge.floor_spec import FloorSpec, Habits, TierSpec, ZoneSpec
    from floor_bridge.run import simulate

    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    simulate(sys.argv[1], {TOKENS!r}, seed=1, spec={BUSY!r}, state_dir=Path(sys.argv[2]), stop=stop)
    """
)


def test_a_bridge_that_is_killed_again_and_again_loses_and_doubles_nothing(core, tmp_path):
    dice = random.Random(3)
    for life in range(5):
        before = len(core.numbers("slots-1"))
        core.faults = [dice.choice(["lose", "die", "", ""]) for _ in range(6)]
        child = subprocess.Popen([sys.executable, "-c", LIVE, core.url, tmp_path])
        until(lambda before=before: len(core.numbers("slots-1")) > before + 10)
        time.sleep(dice.random() / 2)
        child.send_signal(signal.SIGTERM if life == 4 else signal.SIGKILL)
        assert child.wait(5) == (0 if life == 4 else -signal.SIGKILL)
    for feed in TOKENS:
        events = core.events(feed)
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        ups = [at for at, event in enumerate(events) if event["kind"] == "feed_up"]
        assert len(ups) == 5
        assert all(events[at + 1]["kind"] == "snapshot" for at in ups)
        assert events[-1]["kind"] == "feed_down"
    assert core.reused == 0
