"""The documentation's diagram is the table's own."""

from __future__ import annotations

from pathlib import Path

from draw_engine.claim_moves import ENDED, RUNNING, TRANSITIONS, diagram

PAGE = Path(__file__).parents[2] / "docs" / "claims.md"


def test_the_page_draws_the_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    drawn = text.partition("```mermaid\n")[2].partition("```")[0]
    assert drawn == diagram()


def test_the_table_names_stages_alone_and_every_stage_can_be_left_or_is_an_end() -> None:
    stages = {*RUNNING, *ENDED}
    for (stage, _), after in TRANSITIONS.items():
        assert {stage, after} <= stages
    assert {stage for stage, _ in TRANSITIONS} >= set(RUNNING)
    assert set(TRANSITIONS.values()) | {"selected"} == stages
