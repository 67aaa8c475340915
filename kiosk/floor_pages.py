"""The pages of those who work the floor: the crew's and the stage's tablets, the desks, and the printers' queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from flask import Blueprint

from kiosk.api_description import api_routes
from kiosk.app import CREW, DESK, STAGE, Producer
from kiosk.check import words as check_words
from kiosk.check.routes import check_routes
from kiosk.core import Core
from kiosk.crew import training_words
from kiosk.crew import words as crew_words
from kiosk.crew.routes import crew_routes
from kiosk.crew.training import training_routes
from kiosk.crew.view import crew_snapshot, stage_snapshot
from kiosk.desk import words as desk_words
from kiosk.desk.papers import desk_paper_routes
from kiosk.desk.routes import desk_routes
from kiosk.desk.view import desk_snapshot
from kiosk.draw_log import words as draw_log_words
from kiosk.draw_log.routes import draw_log_routes
from kiosk.printing.queue import print_routes
from kiosk.printing.view import Printers
from kiosk.reports import words as reports_words
from kiosk.reports.routes import reports_routes
from kiosk.screens.view import House
from kiosk.setup import words as setup_words
from kiosk.setup.rehearsals import Rehearsals
from kiosk.setup.routes import setup_routes
from kiosk.witness import words as witness_words
from kiosk.witness.routes import witness_routes
from kiosk.witness.view import witness_snapshot
from web_display.catalogue import add_words
from web_display.console_messages import StaffMember
from web_display.push import Room


def blueprints(
    core: Core,
    house: House,
    staff: Sequence[StaffMember],
    printers: Printers,
    *,
    state_dir: Path | None = None,
    rehearsals: Rehearsals | None = None,
) -> list[Blueprint]:
    """Their routes; the words they say are entered in the catalogue. `state_dir`: whose core this is."""
    add_words(check_words.ENGLISH)
    add_words(crew_words.ENGLISH)
    add_words(desk_words.ENGLISH)
    add_words(draw_log_words.ENGLISH)
    add_words(reports_words.ENGLISH)
    add_words(setup_words.ENGLISH)
    add_words(training_words.ENGLISH)
    add_words(witness_words.ENGLISH)
    return [
        crew_routes(core, house, staff),
        desk_routes(core, house, staff),
        desk_paper_routes(core, staff),
        print_routes(core, house, printers),
        draw_log_routes(core, house, staff),
        reports_routes(core, house, staff, state_dir),
        setup_routes(core, house, staff, rehearsals),
        witness_routes(core, house),
        training_routes(),
        check_routes(core, house),
        api_routes(),
    ]


def rooms(house: House, staff: Sequence[StaffMember], printers: Printers) -> Mapping[Room, Producer]:
    """What each of their rooms is shown."""
    return {
        CREW: lambda engine: crew_snapshot(engine, house, staff),
        STAGE: lambda engine: stage_snapshot(engine, house, staff),
        DESK: lambda engine: desk_snapshot(engine, house, staff, printers),
        Room("/witness", "witness"): lambda engine: witness_snapshot(engine, house),
    }
