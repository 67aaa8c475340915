"""Who may reach a route: every route says so, or the app does not start (docs/architecture.md, "Who may").

`public`: anyone who can connect. `staff(*roles)`: whoever is signed in with one of these roles. `screen`: an enrolled
screen, anyone signed in, this machine. `this_machine`: whatever runs here. `machine`: a command here that shows the
core's own token. `bridge`: a feed's or spool's own token, which the view itself asks for.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

from flask import Flask, Response, current_app, redirect, request
from werkzeug.http import parse_cookie
from werkzeug.wrappers import Response as BaseResponse

from draw_engine.errors import Refused, RuleBroken
from draw_engine.service.people_ports import DeviceRow, SignInRow
from kiosk.sign_in.door import Door, Person

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
ROLES = ("crew", "stage", "desk", "customer_services", "marketing", "manager", "auditor", "witness")
View = TypeVar("View", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Rule:
    """A route's access rule. `kind`: public, staff, screen, this_machine or bridge; `roles`: of staff alone."""

    kind: str
    roles: frozenset[str] = frozenset()
    machine: bool = False
    """Of `staff`: a command on this machine with the core's own token may, too."""


def public(view: View) -> View:
    """Mark a route for anyone who can connect."""
    return _marked(view, Rule("public"))


def staff(*roles: str, machine: bool = False) -> Callable[[View], View]:
    """Mark a route for those signed in with one of these roles; at least one is named. `machine`: for commands, too."""
    if not roles or set(roles) - set(ROLES):
        raise RuleBroken(f"a route is for no role that exists: {roles}")
    return lambda view: _marked(view, Rule("staff", frozenset(roles), machine))


def screen(view: View) -> View:
    """Mark a route for enrolled screens and for anyone signed in."""
    return _marked(view, Rule("screen"))


def this_machine(view: View) -> View:
    """Mark a route for commands on this machine."""
    return _marked(view, Rule("this_machine"))


def bridge(view: View) -> View:
    """Mark a route for a feed's bridge or a printer's spool, with its own token."""
    return _marked(view, Rule("bridge"))


def machine(view: View) -> View:
    """Mark a route for commands on this machine that show the core's own token (`floordraw staff`, lists)."""
    return _marked(view, Rule("machine"))


def _marked(view: View, rule: Rule) -> View:
    view.access_rule = rule  # type: ignore[attr-defined]
    return view


def rule_of(app: Flask, endpoint: str) -> Rule:
    """A route's rule. Raises RuleBroken when it has none."""
    rule = getattr(app.view_functions[endpoint], "access_rule", None)
    if not isinstance(rule, Rule):
        raise RuleBroken(f"the route {endpoint} has no access rule")
    return rule


def require_rules(app: Flask) -> None:
    """Raises RuleBroken when a route has no access rule: such an app must not start."""
    for route in app.url_map.iter_rules():
        if not isinstance(getattr(app.view_functions[route.endpoint], "access_rule", None), Rule):
            raise RuleBroken(f"the route {route.rule} has no access rule")


HEADER = "X-Floordraw"
"""What a page of ours sends with everything that changes something: a page elsewhere cannot without asking first."""
GATE = "floordraw_gate"
SESSION, DEVICE = "floordraw", "floordraw_device"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_DEVICE_LASTS_SECONDS = 400 * 86_400


def from_this_machine() -> bool:
    """Whether the request came from this machine, by one of its own names: another name may be a foreign page's."""
    return _host() in LOOPBACK_HOSTS and _peer_is_here()


def _host() -> str | None:
    try:
        return urlsplit(f"//{request.host}").hostname
    except ValueError:
        return None


def _peer_is_here() -> bool:
    try:
        peer = ip_address(request.remote_addr or "127.0.0.1")
    except ValueError:
        return False
    mapped = getattr(peer, "ipv4_mapped", None)
    return (mapped or peer).is_loopback


class Gate:
    """Decides for every request of an application. `hosts`: the names it is called by beside this machine's own.

    `machine_token`: what a command on this machine shows; whoever can read the core's folder has it.
    """

    def __init__(
        self,
        door: Door,
        now: Callable[[], int],
        hosts: frozenset[str] = frozenset(),
        machine_token: str = "",
    ) -> None:
        self.door = door
        self.now = now
        self._hosts = LOOPBACK_HOSTS | hosts
        self._machine_token = machine_token

    def require_host(self) -> None:
        """Refused X_NO_PERMISSION for a name that is not ours (DNS rebinding), or this machine's own from elsewhere."""
        host = _host()
        if host not in self._hosts or (host in LOOPBACK_HOSTS and not _peer_is_here()):
            raise Refused("X_NO_PERMISSION", "Open this page by the address that the house gave it.")

    def require_own_page(self, rule: Rule) -> None:
        """Refuse what a page elsewhere makes a browser send."""
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] != request.host:
            raise Refused("X_NO_PERMISSION", "This request came from another site's page; it was not carried out.")
        if request.method in _SAFE or rule.kind == "bridge":
            return
        if request.headers.get(HEADER) is None:
            raise Refused("X_NO_PERMISSION", "Load the page again: what it sent lacks its own mark.")
        if request.headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}:
            raise Refused("X_NO_PERMISSION", "This request came from another site's page; it was not carried out.")

    def let_in(self, rule: Rule, *, used: bool = True) -> None:
        """Raises Refused X_NOT_SIGNED_IN, X_SECRET_TO_CHOOSE or X_NO_PERMISSION. `used`: a person did something."""
        if rule.kind in {"public", "bridge"}:
            return
        if rule.kind == "this_machine" and not from_this_machine():
            raise Refused("X_NO_PERMISSION", "This is for the machine itself.")
        if rule.kind == "machine" and not self.is_command():
            raise Refused("X_NO_PERMISSION", "This is for `floordraw` on the machine itself, by who runs the core.")
        if rule.kind in {"this_machine", "machine"} or (rule.machine and self.is_command()):
            return
        person = self.signed_in(used=used)
        if rule.kind == "screen":
            device = self.device()
            if person is None and not from_this_machine() and (device is None or device.kind != "screen"):
                raise Refused("X_NOT_SIGNED_IN", "Sign in, or enrol this screen with a code from the console.")
            return
        if person is None:
            raise Refused("X_NOT_SIGNED_IN", "Sign in first; what you did is not lost.")
        if self.door.must_change(person.id):
            raise Refused("X_SECRET_TO_CHOOSE", "Choose a PIN or password of your own first.")
        if person.role not in rule.roles:
            raise Refused("X_NO_PERMISSION", "This is not for your role.")

    def is_command(self) -> bool:
        """Whether a command on this machine asks, with the core's own token."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        right = bool(self._machine_token) and hmac.compare_digest(token.strip().encode(), self._machine_token.encode())
        return scheme.lower() == "bearer" and right and from_this_machine()

    # -- who --------------------------------------------------------------------------------------------------------

    def signed_in(self, *, used: bool = True) -> Person | None:
        """Who is signed in on this request; None when nobody is."""
        row = self.sign_in(used=used)
        return None if row is None else self.door.person(row)

    def sign_in(self, *, used: bool = True) -> SignInRow | None:
        """The sign-in of this request's cookie."""
        return self.door.sign_in_of(self.token(), self.now(), used=used)

    def device(self) -> DeviceRow | None:
        """The enrolled device this request comes from."""
        return self.door.device(_cookie(DEVICE))

    def token(self) -> str:
        """The token of this request's cookie; "" when there is none."""
        return _cookie(self.cookie)

    def knows(self, cookies: str) -> bool:
        """Whether a Cookie header over TLS is of somebody signed in, or of an enrolled device."""
        try:
            said = parse_cookie(cookies)
        except UnicodeError:
            return False
        token = said.get(f"__Host-{SESSION}", "")
        row = self.door.sign_in_of(token, self.now(), used=False)
        return row is not None or self.door.device(said.get(DEVICE, "")) is not None

    @property
    def cookie(self) -> str:
        """The cookie's name; a browser takes one that begins with __Host- over TLS alone."""
        return f"__Host-{SESSION}" if request.is_secure else SESSION

    def place(self) -> dict[str, Any]:
        """device, address and here, as `Door` asks for them."""
        return {"device": self.device(), "address": request.remote_addr or "", "here": from_this_machine()}

    def give(self, answer: Response, token: str) -> Response:
        """Send a sign-in's cookie; an empty token takes it away."""
        answer.set_cookie(
            self.cookie,
            token,
            max_age=None if token else 0,
            httponly=True,
            secure=request.is_secure,
            samesite="Strict",
            path="/",
        )
        return answer

    def give_device(self, answer: Response, token: str) -> Response:
        """Send a device's cookie."""
        answer.set_cookie(
            DEVICE,
            token,
            max_age=_DEVICE_LASTS_SECONDS,
            httponly=True,
            secure=request.is_secure,
            samesite="Strict",
            path="/",
        )
        return answer


def _cookie(name: str) -> str:
    try:
        return request.cookies.get(name, "")
    except UnicodeError:  # bytes that are no UTF-8 are nobody's token
        return ""


def guard(app: Flask, gate: Gate) -> None:
    """Ask the gate before every request, and send what keeps a page safe with every answer."""
    app.extensions[GATE] = gate

    @app.before_request
    def _may() -> BaseResponse | None:
        gate.require_host()
        if request.endpoint is None:
            gate.require_own_page(Rule("public"))
            return None  # no such route: Flask answers so
        rule = rule_of(app, request.endpoint)
        gate.require_own_page(rule)
        try:
            # A page asks for itself how long the sign-in lasts: that is no use of it.
            the_gate().let_in(rule, used=request.endpoint != "sign_in.who")
        except Refused as refusal:
            if refusal.code in {"X_NOT_SIGNED_IN", "X_SECRET_TO_CHOOSE"} and asks_for_a_page():
                return redirect(f"/sign-in?{urlencode({'to': request.path})}")
            raise
        return None

    @app.after_request
    def _headers(response: Response) -> Response:
        response.headers.setdefault(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; "
            "connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
            "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        )
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        response.headers.setdefault("Referrer-Policy", "no-referrer")
        response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        response.headers.setdefault("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()")
        response.headers.setdefault("Cache-Control", "no-cache")
        return response


def the_gate() -> Gate:
    """The gate of the application that answers this request."""
    gate: Gate = current_app.extensions[GATE]
    return gate


def asks_for_a_page() -> bool:
    """Whether a person is about to look at the answer: a browser went to an address."""
    return (
        request.method == "GET"
        and request.accept_mimetypes.best_match(["application/json", "text/html"]) == "text/html"
    )


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
