"""Rehearsals with reviews and voids in them: what the script says, what the record shows, and that it verifies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from people_words import SIGNED_HEADER
from recording import DAY, SEED, Played, events, write
from small_book import book_toml

from draw_engine.canonical import parse_time
from draw_engine.verify import verify
from kiosk.rehearsal.rehearse import RehearsalOrder, rehearse

WINDOW = 90_000
"""Of the small book; an expiry acts 250 ms later."""


def script(*fixed: tuple[int, int, str, int], review_seconds: int = 45) -> bytes:
    tables = "".join(
        f'[[script]]\naward = {award}\nattempt = {attempt}\noutcome = "{outcome}"\nafter_seconds = {after}\n'
        for award, attempt, outcome, after in fixed
    )
    quick = "announce_seconds = 8\nverify_seconds = 20\nenvelope_seconds = 30\n"
    return f"review_seconds = {review_seconds}\n{quick}found = 1.0\nother_person = 0.0\n{tables}".encode()


def outcomes(played: Played) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for made in played.records["first"]["selections"]:
        found.setdefault(made["place"], []).append(made["outcome"])
    return found


def of_claim(played: Played, ordinal: int) -> list[tuple[str, int]]:
    """What was logged of a claim: kind, and ms since it opened."""
    told = [
        entry
        for entry in played.records["first"]["log"]
        if entry["draw"] == played.records["first"]["terms"]["draw"]
        and entry.get("data", {}).get("ordinal") == ordinal
        and entry["kind"].startswith("claim.")
    ]
    begun = parse_time(told[0]["at"])
    return [(entry["kind"], parse_time(entry["at"]) - begun) for entry in told]


def test_voids_end_an_award_or_bring_another_guest(play: Callable[..., Played]) -> None:
    crew = script((1, 1, "voided", 10), (2, 1, "reselected", 15), (2, 2, "refused", 20))
    played = play(crew=crew, session="first")
    assert outcomes(played) == {1: ["voided"], 2: ["voided", "refused"], 3: ["confirmed"]}
    voids = played.log("first", "claim.voided")
    assert [(one["data"]["reselect"], one["data"]["by"]) for one in voids] == [
        (False, ["manager:rehearsal-1", "manager:rehearsal-2"]),
        (True, ["manager:rehearsal-1", "manager:rehearsal-2"]),
    ]
    assert of_claim(played, voids[0]["data"]["ordinal"])[-1] == ("claim.voided", 10_000)
    summary = played.summary["draws"]["first"]
    assert (summary["filled"], summary["attempts"], summary["outcomes"]["voided"]) == (2, 4, 2)


REVIEWED: list[tuple[str, list[str], list[tuple[str, int]]]] = [
    (
        "review_present",
        ["confirmed"],
        [("claim.reviewed", 145_250), ("claim.checked", 195_250), ("claim.confirmed", 195_250)],
    ),
    ("review_absent", ["expired", "confirmed"], [("claim.reviewed", 145_250), ("claim.expired", 145_250)]),
    (
        "review_again",
        ["confirmed"],
        [
            ("claim.reviewed", 145_250),
            ("claim.announced", 153_250),
            ("claim.presented", 198_250),
            ("claim.checked", 248_250),
            ("claim.confirmed", 248_250),
        ],
    ),
]


@pytest.mark.parametrize(("outcome", "ended", "told"), REVIEWED)
def test_an_interrupted_claim_is_decided_as_the_script_says(
    play: Callable[..., Played], outcome: str, ended: list[str], told: list[tuple[str, int]]
) -> None:
    """Announced after 10 s, interrupted at 90 s and the grace more, decided 45 s later."""
    played = play(crew=script((1, 1, outcome, 10)), session="first")
    assert outcomes(played)[1] == ended
    (review,) = played.log("first", "claim.review")
    assert review["data"]["reason"] == "SS_TIMER_INTERRUPTED"
    at = of_claim(played, review["data"]["ordinal"])
    assert ("claim.announced", 10_000) in at
    assert ("claim.review", 10_000 + WINDOW + 250) in at
    assert [one for one in at[at.index(("claim.review", 100_250)) + 1 :] if one[0] != "claim.review_reason"] == told


def test_absent_and_in_the_register_is_held(play: Callable[..., Played], tmp_path: Path) -> None:
    everybody = [f"5{n:05d}" for n in range(24)] + ["100001", "100002", "100003"]
    signed = SIGNED_HEADER + "".join(f"{member},2023-10-07 13:00,0820000001\n" for member in everybody)
    floor = write(tmp_path / "signed", events(), lists={"register": signed})
    played = play(crew=script((2, 1, "review_absent", 5)), session="first", floor=floor)
    assert outcomes(played)[2] == ["held"]


def test_all_of_it_twice_is_the_same_to_the_byte(play: Callable[..., Played]) -> None:
    crew = script(
        (1, 1, "review_absent", 5), (1, 2, "review_again", 5), (2, 1, "reselected", 5), (3, 1, "review_present", 5)
    )
    assert play(crew=crew).bytes == play(crew=crew).bytes


def test_the_verifier_counts_them(tmp_path: Path, small_floor: Path) -> None:
    crew = script((1, 1, "review_present", 5), (2, 1, "voided", 5), (3, 1, "review_absent", 5))
    rehearse(RehearsalOrder(rules=book_toml(), day=DAY, floor=small_floor, seed=SEED, crew=crew), tmp_path / "told")
    lines = verify(tmp_path / "told" / "first").lines()
    assert any("2 reviewed: 1 absent, 1 present" in line for line in lines), lines
    assert any("1 voided" in line for line in lines)
