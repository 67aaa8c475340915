"""The crew's training: the tablet's own page over a floor that is in the browser alone. The server gives the frame."""

from __future__ import annotations

from flask import Blueprint, render_template

from kiosk.crew import training_words
from kiosk.crew import words as crew_words
from kiosk.sign_in.access import staff as for_staff
from kiosk.sign_in.whom import me_for_page


def training_routes() -> Blueprint:
    """`/crew/training`: no snapshot, no socket, and no route for a press."""
    routes = Blueprint("training", __name__)

    @routes.get("/crew/training")
    @for_staff("crew", "manager")
    def page() -> str:
        words = {**crew_words.page_words("crew"), **training_words.page_words()}
        return render_template("training.html", assets="/static/console", words=words, me=me_for_page())

    return routes
