"""`kill -9` at every point of a claim's life (R1): sent again with their numbers, the presses lead to the same end.

From the selection over the walk, the announcement, the check and the envelope to the signed receipt in the print queue.
"""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from crash.claim_life import CHECK_AT, FIRST, PAID, Life, Said, decided, end_state, made_ready, press, tick
from crash.runs import quick_folder

DEVICE = [
    press(15_000, "take"),
    press(60_000, "found"),
    press(75_000, "check", **CHECK_AT["device"]),
    press(80_000, "envelope", pocket="E-0001"),
    press(95_000, "pay", **PAID),
]
STAGE = [
    press(15_000, "take", ordinal=1),
    press(20_000, "hand_over", ordinal=1, to="nomvula"),
    press(60_000, "not_there", by="nomvula", ordinal=1),
    press(70_000, "announce", by="nomvula", ordinal=1),
    press(159_000, "present", by="nomvula", ordinal=1),
    press(159_500, "release", by="nomvula", ordinal=1),
    press(159_700, "take", ordinal=1),
    press(170_000, "check", ordinal=1, **CHECK_AT["stage"]),
    press(171_000, "envelope", ordinal=1, pocket="E-0002"),
    press(180_000, "refuse", ordinal=1),
]
FAILED = [
    press(15_000, "take", ordinal=2),
    press(60_000, "found", ordinal=2),
    press(75_000, "check", ordinal=2, **CHECK_AT["device"]),
    press(80_000, "envelope", ordinal=2, pocket="E-0003"),
    press(82_000, "mismatch", ordinal=2, reason="owner"),
    tick(82_000),  # the re-selection is due at once
    press(90_000, "take"),
    press(91_000, "other_person"),
    tick(91_000),
    Said(95_000, "void", {"draw": FIRST, "ordinal": 1, "reselect": True}),
    tick(95_000),
]
LIVES = {"device": DEVICE, "stage": STAGE, "failed": FAILED}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = quick_folder(tmp_path_factory.mktemp("claims-killed"))
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def ready(folder: Path) -> tuple[Path, int]:
    made = folder / "ready"
    made.mkdir()
    return made, made_ready(made)


def undisturbed(ready: tuple[Path, int], folder: Path, name: str) -> tuple[Life, dict[str, Any]]:
    life = Life(ready[0], folder / f"{name}-undisturbed", ready[1])
    life.run(LIVES[name])
    assert not life.deaths
    assert not any("refused" in answer for answer in life.answers), life.answers
    return life, end_state(life.url)


AROUND = ("before begin", "presses", "before commit", "after commit", "push")
"""Of the second and third life these alone: their other statements are those of the first. Without ALL of each."""
ALL = bool(os.environ.get("FLOORDRAW_TEST_ALL"))


def points_of_presses(life: Life, name: str) -> list[int]:
    return [
        number
        for number, point in enumerate(life.reached, 1)
        if point.startswith(("press", "void")) and ((ALL and name == "device") or any(part in point for part in AROUND))
    ]


def without_repeats(answers: list[dict[str, Any]]) -> list[Any]:
    return [(answer.get("ok") or {}) | {"repeated": False} for answer in answers]


@pytest.mark.parametrize("name", LIVES)
def test_killed_at_every_point_and_again_when_it_is_sent_again_it_ends_the_same(
    ready: tuple[Path, int], folder: Path, name: str
) -> None:
    whole, expected = undisturbed(ready, folder, name)
    start = next(n for n, point in enumerate(whole.reached) if point.startswith("press"))
    again = itertools.cycle(range(start, start + 24))
    points = points_of_presses(whole, name)
    assert len(points) > (4 if ALL else 2) * len(LIVES[name])
    for point in points:
        life = Life(ready[0], folder / name, ready[1], [point, next(again)])
        life.run(LIVES[name])
        what = (whole.reached[point - 1], life.deaths)
        assert life.deaths >= 1, what
        assert without_repeats(life.answers) == without_repeats(whole.answers), what
        found = end_state(life.url)
        assert found == expected, what


def test_a_claim_s_life_has_every_point_that_matters(ready: tuple[Path, int], folder: Path) -> None:
    """What the runs above are worth: they cannot kill where nothing is reached."""
    life, kept = undisturbed(ready, folder, "device")
    wanted = {
        "press take: after insert log_entries claim.taken",
        "press found: before insert presses",
        "press envelope: after update envelopes",
        "press pay: after insert signatures",
        "press pay: before insert print_jobs",
        "press pay: after insert print_jobs",
        "press pay: after insert presses",
        "press pay: before commit of claim.confirmed",
        "press pay: after commit of claim.confirmed",
        "press pay: push of claim.confirmed",
    }
    assert wanted <= set(life.reached)
    receipts = [row for row in kept["print_jobs"] if "winner_receipt" in row]
    assert len(receipts) == 1
    assert kept["signatures"] == [f"claim {FIRST} 0"]


NO_SHOW = [
    press(15_000, "take"),
    press(60_000, "not_there"),
    press(70_000, "announce"),
    tick(160_249),
    tick(160_250),
]


def test_killed_in_its_expiry_a_claim_is_ended_or_waits_for_two_people_never_both(
    ready: tuple[Path, int], folder: Path
) -> None:
    """Dead at the end of the ninety seconds: what was committed stands; else a press may have been lost."""
    whole = Life(ready[0], folder / "no-show-whole", ready[1])
    whole.run(NO_SHOW)
    points = [
        n
        for n, name in enumerate(whole.reached, 1)
        if name.startswith("tick")
        and n > _announced(whole)
        and (ALL or n % 4 == 0 or any(part in name for part in AROUND))
    ]
    seen = set()
    for point in points:
        life = Life(ready[0], folder / "no-show", ready[1], [point])
        life.run([*NO_SHOW, tick(160_300)])
        kinds = [kind for kind, *_, data in end_state(life.url)["log"] if '"ordinal":0' in data]
        ended = [kind for kind in kinds if kind in {"claim.expired", "claim.review"}]
        assert len(ended) == 1, (whole.reached[point - 1], ended)
        seen.add(ended[0])
        if ended == ["claim.review"]:
            life = Life(ready[0], folder / "no-show", ready[1], [point])
            life.run([*NO_SHOW, decided(200_000, "absent")])
            assert life.answers[-1] == {"ok": "expired"}
    assert seen == {"claim.expired", "claim.review"}


def _announced(life: Life) -> int:
    return max(n for n, name in enumerate(life.reached, 1) if name.startswith("press announce"))


ON_A_SERVER = (
    "press take: after insert presses",
    "press pay: before insert print_jobs",
    "press pay: before commit of claim.confirmed",
    "press pay: after commit of claim.confirmed",
)


@pytest.mark.postgres
def test_killed_over_a_database_server_too(folder: Path, new_postgres: Callable[[], str]) -> None:
    def life(die_at: list[int]) -> Life:
        made, url = folder / f"server-{len(list(folder.iterdir()))}", new_postgres()
        made.mkdir()
        lives = Life(made, folder / "server", made_ready(made, url), die_at, url)
        lives.run(DEVICE)
        return lives

    whole = life([])
    expected = end_state(whole.url)
    for name in ON_A_SERVER:
        again = life([whole.reached.index(name) + 1])
        assert again.deaths == 1, name
        assert without_repeats(again.answers) == without_repeats(whole.answers), name
        assert end_state(again.url) == expected, name
