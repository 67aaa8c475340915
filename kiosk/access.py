"""Who may reach a route. Until staff sign in, the machine itself alone: every route says so, or the app does not start.

`loopback`: a browser or command on this machine. `bridge`: a feed's bearer token. `public`: anyone who can connect.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

from flask import Flask, Response, request

from draw_engine.errors import Refused, RuleBroken

_LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
View = TypeVar("View", bound=Callable[..., Any])


def loopback(view: View) -> View:
    """Mark a route for people and commands on this machine."""
    view.access_rule = "loopback"  # type: ignore[attr-defined]
    return view


def bridge(view: View) -> View:
    """Mark a route for a feed's bridge, with its token."""
    view.access_rule = "bridge"  # type: ignore[attr-defined]
    return view


def require_rules(app: Flask) -> None:
    """Raises RuleBroken when a route has no access rule: such an app must not start."""
    for rule in app.url_map.iter_rules():
        if not hasattr(app.view_functions[rule.endpoint], "access_rule"):
            raise RuleBroken(f"the route {rule.rule} has no access rule")


def from_this_machine() -> bool:
    """Whether the request was made to this machine by one of its own names: another name may be a foreign page's."""
    return urlsplit(f"//{request.host}").hostname in _LOOPBACK_HOSTS


def guard(app: Flask) -> None:
    """Refuse foreign hosts and foreign pages: a page elsewhere must not be able to press a button here."""

    @app.before_request
    def _same_machine() -> None:
        if not from_this_machine():
            raise Refused("X_NO_PERMISSION", "Open this page as http://127.0.0.1 on the machine it runs on.")
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] != request.host:
            raise Refused("X_NO_PERMISSION", "This request came from another site's page; it was not carried out.")

    @app.after_request
    def _headers(response: Response) -> Response:
        response.headers.setdefault(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; "
            "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        )
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        response.headers.setdefault("Referrer-Policy", "no-referrer")
        response.headers.setdefault("Cache-Control", "no-cache")
        return response


def feed_of_token(tokens: Mapping[str, str]) -> str:
    """The feed whose token the request bears. `tokens`: feed -> SHA-256 (hex) of its token. Refused X_NO_PERMISSION."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    digest = hashlib.sha256(token.strip().encode()).hexdigest()
    found = None
    for feed, expected in tokens.items():
        if hmac.compare_digest(digest, expected):
            found = feed
    if scheme.lower() != "bearer" or found is None:
        raise Refused("X_NO_PERMISSION", "Send this feed's token: `floordraw feeds add ID` prints a new one.")
    return found
