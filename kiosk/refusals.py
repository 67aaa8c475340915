"""What a request is told when the answer is no: a stable code, a sentence, and whether to try again."""

from __future__ import annotations

import errno

import structlog
from flask import Flask, Response, jsonify, render_template, request
from sqlalchemy.exc import OperationalError
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from draw_engine.errors import Refused, RuleBroken
from draw_engine.lists import ListFaults
from kiosk.core import Core, where
from kiosk.sign_in.access import asks_for_a_page
from kiosk.sign_in.words import page_words

_log = structlog.get_logger(__name__)
_STATUS = {
    "X_NO_PERMISSION": 403,
    "X_NOT_SIGNED_IN": 401,
    "X_OTHER_PERSON": 401,
    "X_SECRET_TO_CHOOSE": 401,
    "X_WRONG_SECRET": 403,
    "X_CODE_WRONG": 403,
    "X_LOCKED_OUT": 429,
    "X_TOO_MANY_TRIES": 429,
    "X_TOO_LARGE": 413,
    "X_CORE_STOPPED": 503,
    "X_TRY_AGAIN": 503,
    "X_NO_SUCH_DRAW": 404,
    "X_NO_SUCH_SCREEN": 404,
}
_ASSETS = "/static/console"
_DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def _said(code: str, sentence: str, status: int, **facts: object) -> tuple[Response, int]:
    """The answer: JSON for a page's own script or a program; a page for a person who came by an address."""
    if asks_for_a_page():
        words = page_words("refused")
        text = render_template("refused.html", assets=_ASSETS, words=words, code=code, sentence=sentence)
        return Response(text, mimetype="text/html"), status
    return jsonify({"code": code, "sentence": sentence, **facts}), status


def refusals(app: Flask, core: Core) -> None:
    """Answer every refusal as JSON with its code and sentence; a fault tells its kind and place to the log alone."""

    def refused(refusal: Refused) -> tuple[Response, int]:
        status = _STATUS.get(refusal.code, 409)
        if refusal.code == "X_NO_PERMISSION" and request.path.startswith("/floor-"):
            status = 401
        return _said(refusal.code, refusal.sentence, status, **refusal.facts)

    def faulty(found: ListFaults) -> tuple[Response, int]:
        lines = [f"line {fault.line}, {fault.column or 'file'}: {fault.sentence}" for fault in found.faults]
        return jsonify({"code": "X_LIST_FAULTS", "sentence": "\n".join([str(found), *lines])}), 422

    def busy(_trouble: OperationalError) -> tuple[Response, int]:
        sentence = "The database cannot be written just now; nothing was changed. Try again in a moment."
        return jsonify({"code": "X_TRY_AGAIN", "sentence": sentence}), 503

    def full(trouble: OSError) -> BaseResponse | tuple[Response, int]:
        if trouble.errno not in _DISK_FULL:
            return broken(trouble)
        sentence = "The disk of the core cannot take more; nothing was kept. Free some space, then send again."
        return jsonify({"code": "X_DISK_FULL", "sentence": sentence}), 503

    def broken(fault: Exception) -> BaseResponse | tuple[Response, int]:
        if isinstance(fault, HTTPException):
            if fault.code == 404:
                return _said("X_HTTP_404", "There is no page at this address. Go on from where you begin.", 404)
            sentence = fault.description or fault.name
            if fault.code == 413:
                return refused(Refused("X_TOO_LARGE", "This is more than can be taken here at once."))
            return jsonify({"code": f"X_HTTP_{fault.code}", "sentence": sentence}), fault.code or 500
        # The kind and the place only: a fault's text may hold a guest's number.
        _log.error("request.failed", kind=type(fault).__name__, where=where(fault))
        sentence = "Something went wrong here; nothing was changed. Tell the technician the time."
        return jsonify({"code": "X_FAULT", "sentence": sentence}), 500

    def nested(_fault: RecursionError) -> tuple[Response, int]:
        sentence = "What was sent cannot be read: it is nested too deeply. Load the page again."
        return jsonify({"code": "X_VALUE_WRONG", "sentence": sentence}), 409

    app.register_error_handler(RecursionError, nested)
    app.register_error_handler(Exception, broken)
    app.register_error_handler(Refused, refused)
    app.register_error_handler(ListFaults, faulty)
    app.register_error_handler(OperationalError, busy)

    def late(_trouble: TimeoutError) -> tuple[Response, int]:
        sentence = "The core has not finished this yet. Look whether it was done before you try again."
        return jsonify({"code": "X_TRY_AGAIN", "sentence": sentence}), 503

    def stopped(_fault: RuleBroken) -> tuple[Response, int]:
        sentence = core.broken or "The core could not do this; nothing was changed. Tell who looks after it."
        return jsonify({"code": "X_CORE_STOPPED", "sentence": sentence}), 503

    app.register_error_handler(OSError, full)
    app.register_error_handler(TimeoutError, late)
    app.register_error_handler(RuleBroken, stopped)
