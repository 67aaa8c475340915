"""The draw log's questions on both databases: the same rows, narrowed the same; notes kept and counted."""

from __future__ import annotations

from collections.abc import Callable

from casino import Casino
from claim_steps import bring, selected_alone

from draw_engine.service import notes
from kiosk.draw_log.claim import entries_about, kept_of, tier_then
from kiosk.draw_log.rows import Filters, Narrowed, contacts_of, counts_of, crew_of, reading, rows_of_draw, voided_since
from kiosk.draw_log.view import glance, narrowing

Casinos = Callable[..., Casino]
MATCHING = (
    Filters(),
    Filters(first_day="2023-10-07", last_day="2023-10-07", session="playtime/first", crew="crew:kabelo"),
    Filters(outcome="held", tier="Black", zone="MAIN"),
    Filters(award="1"),
    Filters(award="bj-03"),
    Filters(award="First"),
)
NOT_MATCHING = (
    Filters(first_day="2023-10-08"),
    Filters(outcome="running"),
    Filters(outcome="voided"),
    Filters(zone="PRIVE"),
    Filters(tier="Gold"),
    Filters(award="%"),
)


def test_both_databases_answer_the_same(casinos: Casinos) -> None:
    """Lerato, of tier Black, was selected at a table of the main hall; she had signed, and did not come."""
    casino = selected_alone(casinos)
    bring(casino, "held")
    seen = glance(casino.engine)
    draw = casino.draw().state.id
    entries = seen.store.entries_of(draw)
    with reading(seen.store) as connection:
        (row,) = rows_of_draw(connection, draw)
        for asked in MATCHING:
            narrowed = Narrowed(connection, asked, **narrowing(seen, asked))
            assert (narrowed.count(), narrowed.page(1, 50), list(narrowed.all())) == (1, [row], [row]), asked
        for asked in NOT_MATCHING:
            narrowed = Narrowed(connection, asked, **narrowing(seen, asked))
            assert (narrowed.count(), narrowed.page(1, 50), list(narrowed.all())) == (0, [], []), asked
        assert (row.code, row.crew, row.announcer) == ("SS_NO_SHOW_REGISTERED", "crew:kabelo", "stage:zodwa")
        assert (row.attempt, row.held_state, row.contacts) == (1, "to_draw", 0)
        assert (crew_of(connection), counts_of(connection, [draw])) == (["crew:kabelo"], {draw: (1, 1)})
        assert (voided_since(connection), contacts_of(connection, draw)) == (set(), [])
        assert tier_then(connection, row.member, row.made_at) == "Black"
        kept = kept_of(connection, draw, 0)
        assert (kept.envelope, kept.held is not None and kept.held.state) == (None, "to_draw")
        about = [entry.kind for entry in entries_about(connection, draw, 0, entries)]
        assert about[:4] == ["pool.judged", "pool.frozen", "selection.made", "claim.opened"]
        assert about[-1] == "claim.held"


def test_notes_are_numbered_over_all_claims_and_counted_by_claim(casinos: Casinos) -> None:
    casino = selected_alone(casinos)
    now = casino.clock.now()
    for text in ("First.", "Second,\n with  a line."):
        notes.add(casino.engine, casino.draw(), 0, text=text, by="nomvula", now=now)
    casino.restart()
    draw = casino.draw().state.id
    told = notes.notes_of(casino.engine, draw, 0)
    assert [(note.n, note.text, note.by, note.whole) for note in told] == [
        (1, "First.", "manager:nomvula", True),
        (2, "Second,\nwith a line.", "manager:nomvula", True),
    ]
    assert casino.engine.store.note_counts([draw, "other"]) == {(draw, 0): 2}
