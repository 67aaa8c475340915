"""What the routes take and answer, as OpenAPI 3.1: one line a route, made whole here and served at `/api.json`.

A route without a line, or a line without a route, fails a test; what the application answers is tried against it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, jsonify

from kiosk.api_routes import FIELDS, ROUTES
from kiosk.sign_in.access import HEADER, SESSION, staff

_CONTENT = {
    "json": "application/json",
    "page": "text/html",
    "csv": "text/csv",
    "zip": "application/zip",
    "toml": "application/toml",
    "script": "text/javascript",
    "metrics": "text/plain",
    "qr": "image/svg+xml",
    "certificate": "application/x-x509-ca-cert",
    "picture": "image/*",
}
_REFUSALS = {
    "400": "It cannot be read as HTTP.",
    "401": "Nobody is signed in (X_NOT_SIGNED_IN), somebody else is (X_OTHER_PERSON), or a token is not right.",
    "403": "Not for this role, page or device (X_NO_PERMISSION); a secret is not right (X_WRONG_SECRET).",
    "404": "There is no such thing.",
    "405": "The address takes another method.",
    "409": "Refused by a rule; the code says which, the sentence what to do.",
    "413": "Larger than is taken here (X_TOO_LARGE).",
    "429": "Too many tries or wrong secrets (X_TOO_MANY_TRIES, X_LOCKED_OUT).",
    "503": "The core or its disk cannot take it now; nothing was changed (X_TRY_AGAIN, X_CORE_STOPPED, X_DISK_FULL).",
}
_CONVERTER = re.compile(r"<(?:(int|path)(?:\([^)]*\))?:)?([a-z_]+)>")


@dataclass(frozen=True, slots=True)
class _Route:
    method: str
    rule: str
    about: str
    takes: str
    gives: str


def routes() -> list[_Route]:
    """Every route that is described. A line: METHOD rule | what it is for | fields (! needed) | what it gives."""
    made = []
    for line in ROUTES.strip().splitlines():
        head, about, takes, gives = (part.strip() for part in line.split("|"))
        method, rule = head.split()
        made.append(_Route(method, rule, about, takes, gives))
    return made


def description() -> dict[str, Any]:
    """The whole document."""
    paths: dict[str, Any] = {}
    for route in routes():
        at = _CONVERTER.sub(lambda found: "{" + found[2] + "}", route.rule)
        paths.setdefault(at, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Floordraw",
            "version": "1",
            "description": "Routes of the core. Every refusal has a stable code and a sentence that says what to do.",
        },
        "paths": paths,
        "components": {
            "schemas": {"Refusal": _REFUSAL},
            "securitySchemes": {
                "sign_in": {"type": "apiKey", "in": "cookie", "name": SESSION},
                "token": {"type": "http", "scheme": "bearer"},
            },
        },
        "security": [{"sign_in": []}, {"token": []}],
    }


_REFUSAL: Mapping[str, Any] = {
    "type": "object",
    "required": ["code", "sentence"],
    "properties": {"code": {"type": "string", "pattern": "^[A-Z][A-Z0-9_]+$"}, "sentence": {"type": "string"}},
}


def _operation(route: _Route) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "integer", "minimum": 0} if kind == "int" else {"type": "string", "minLength": 1},
        }
        for kind, name in _CONVERTER.findall(route.rule)
    ]
    if route.method == "POST":
        mark = {"name": HEADER, "in": "header", "required": True, "schema": {"type": "string", "enum": ["1"]}}
        parameters.append(mark)
    told: dict[str, Any] = {
        "summary": route.about,
        "parameters": parameters,
        "responses": {**_given(route.gives), **_refused()},
    }
    if route.method == "POST":
        told["requestBody"] = {"required": True, "content": _taken(route.takes)}
    else:
        parameters += [{"name": name, "in": "query", "schema": {"type": "string"}} for name in route.takes.split()]
    return told


def _taken(takes: str) -> dict[str, Any]:
    if takes.startswith("*"):
        return {takes[1:]: {"schema": {"type": "string"}}}
    names = takes.split()
    return {
        "application/json": {
            "schema": {
                "type": "object",
                "properties": {name.rstrip("!"): FIELDS.get(name.rstrip("!"), _TEXT) for name in names},
                "required": [name[:-1] for name in names if name.endswith("!")],
            }
        }
    }


_TEXT: Mapping[str, Any] = {"type": "string", "maxLength": 300}


def _given(gives: str) -> dict[str, Any]:
    if gives == "led on":
        return {"302": {"description": "To the page that is theirs."}}
    kind, _, needed = gives.partition(" ")
    content: dict[str, Any] = {}
    if kind == "json":
        content["schema"] = {"type": "object", "required": needed.split()}
    return {"200": {"description": "Done.", "content": {_CONTENT[kind]: content}}}


def _refused() -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}}
    return {status: {"description": about, "content": content} for status, about in _REFUSALS.items()} | {
        "422": {"description": "A list with faults, line by line (X_LIST_FAULTS).", "content": content},
    }


def api_routes() -> Blueprint:
    """`/api.json`."""
    made = Blueprint("api", __name__)

    @made.get("/api.json")
    @staff("manager", "auditor")
    def described() -> Response:
        return jsonify(description())

    return made
