"""`/check`: where a guest checks a published draw on their own phone. Public, without a cookie, nothing kept.

A receipt's code leads here with its secret behind the `#`, which no browser sends. What the page asks for: a published
draw, the proofs of a reference (which says nothing of who it is), where a root was published, the public copy.
"""

from __future__ import annotations

import base64
import re

from flask import Blueprint, Response, jsonify, render_template, request

from draw_engine.errors import Refused
from kiosk.check.published import Published, VerifierFile
from kiosk.core import Core
from kiosk.screens.view import House
from kiosk.sign_in.access import public
from web_display.catalogue import page_words, say

_ROOT = re.compile(r"[0-9a-f]{64}")
_A_MINUTE, _AN_HOUR, _A_DAY = (f"public, max-age={seconds}" for seconds in (60, 3_600, 86_400))


def check_routes(core: Core, house: House) -> Blueprint:
    """The page and what it asks for."""
    published = Published(core)
    verifier = VerifierFile()
    routes = Blueprint("check", __name__)

    @routes.get("/check")
    @public
    def page() -> Response:
        engine = published.seen().engine
        text = render_template(
            "check.html",
            assets="/static/console",
            property_name=house.property_name,
            demo=house.demo,
            words=page_words("check"),
            draws=published.listed(),
            waiting=[say("check.waiting", title=facts.title_day, time=end) for facts, end in published.waiting()],
            key=base64.b64encode(engine.signer.public_key).decode(),
        )
        return _for(Response(text, mimetype="text/html"), _A_MINUTE)

    @routes.get("/check/draw/<path:draw_id>")
    @public
    def draw(draw_id: str) -> Response:
        return _for(jsonify(published.draw(draw_id)), _AN_HOUR)

    @routes.get("/check/proofs/<ref>/<path:draw_id>")
    @public
    def proofs(ref: str, draw_id: str) -> Response:
        # Nothing of a guest stays on a phone, not in its cache either.
        return _for(jsonify(published.proofs(draw_id, ref)), "no-store")

    @routes.get("/check/root/<root>")
    @public
    def root(root: str) -> Response:
        if not _ROOT.fullmatch(root):
            raise Refused("X_VALUE_WRONG", say("check.no_root"))
        return _for(jsonify({"root": root, "found": published.root(root)}), _A_MINUTE)

    @routes.get("/check/record/<path:draw_id>")
    @public
    def record(draw_id: str) -> Response:
        answer = Response(published.record(draw_id), mimetype="application/json")
        answer.headers["Content-Disposition"] = 'attachment; filename="record.json"'
        answer.add_etag()
        return _for(answer, _A_DAY)

    @routes.get("/check/verify.pyz")
    @public
    def pyz() -> Response:
        answer = Response(verifier.data(), mimetype="application/zip")
        answer.headers["Content-Disposition"] = 'attachment; filename="verify.pyz"'
        answer.add_etag()
        return _for(answer, _AN_HOUR)

    return routes


def _for(answer: Response, kept: str) -> Response:
    answer.headers["Cache-Control"] = kept
    answer.make_conditional(request)
    return answer
