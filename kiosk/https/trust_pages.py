"""`/trust`: the house's certificate authority to download, how a device trusts it, and what to compare.

For everybody, and over plain http too (`https.server.may_be_plain`): a device must read it before it trusts anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from flask import Blueprint, Response, render_template, request

from config.site import Site
from config.words import day_words
from draw_engine.errors import Refused
from kiosk.https.certificates import fingerprint, grouped
from kiosk.https.files import TlsFiles
from kiosk.https.fingerprint_words import in_words
from kiosk.https.trust_words import ENGLISH, KINDS
from kiosk.qr_code import qr_svg
from kiosk.sign_in.access import public
from web_display.catalogue import add_words, say

"""Modules left blank around the code, as ISO/IEC 18004 has it."""
_AGENTS = (("Android", "android"), ("iPad", "ipad"), ("iPhone", "ipad"), ("Macintosh", "ipad"), ("Windows", "windows"))
"""What browsers call the device they run on; an iPad's Safari says that it is a Mac."""


@dataclass(frozen=True, slots=True)
class Offered:
    """What is offered. `file`: its name once downloaded; `name`: as devices list it."""

    authority: x509.Certificate
    file: str
    name: str


def trust_routes(site: Site) -> Blueprint:
    """The page, the certificate in DER and the page's own address as a QR code."""
    add_words(ENGLISH)
    routes = Blueprint("trust", __name__)
    here = "" if site.web is None else f"http://{site.web.trust_name}:{site.web.port}/trust"

    @routes.get("/trust")
    @public
    def page() -> str:
        return render_template(
            "trust.html",
            assets="/static/console",
            property_name=site.property_name,
            say=say,
            here=here,
            closed=site.web is None,
            names=() if site.web is None else site.web.names,
            address="" if site.web is None else f"https://{site.web.first_name}:{site.web.port}",
            **_shown(_offered(site), request.headers.get("User-Agent", "")),
        )

    @routes.get("/trust/ca.crt")
    @public
    def authority() -> Response:
        offered = _offered(site)
        if offered is None:
            raise Refused("X_NO_CERTIFICATE", "There is nothing to install here: see the page /trust.")
        answer = Response(offered.authority.public_bytes(Encoding.DER), mimetype="application/x-x509-ca-cert")
        answer.headers["Content-Disposition"] = f'attachment; filename="{offered.file}"'
        return answer

    @routes.get("/trust/qr.svg")
    @public
    def code() -> Response:
        if not here:
            raise Refused("X_NO_WEB", "This core is reached from its own machine alone.")
        return Response(_code_of(here), mimetype="image/svg+xml")

    return routes


def _offered(site: Site) -> Offered | None:
    """None where devices need nothing: no HTTPS, or a certificate that they trust already."""
    if site.web is None:
        return None
    try:
        authority = TlsFiles(site).trusted()
    except Refused:
        return None
    if authority is None:
        return None
    named = authority.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
    return Offered(authority, f"{site.property}-ca.crt", str(named[0].value) if named else site.property_name)


def _shown(offered: Offered | None, agent: str) -> dict[str, Any]:
    if offered is None:
        return {"offered": None}
    digest = fingerprint(offered.authority)
    fours = grouped(digest).split(":")
    return {
        "offered": offered,
        "until": day_words(offered.authority.not_valid_after_utc.date()),
        "fingerprint_words": in_words(digest).split(),
        "fingerprint_lines": [":".join(fours[start : start + 8]) for start in range(0, len(fours), 8)],
        "guides": [guide(kind, {"file": offered.file, "name": offered.name}) for kind in ordered(agent)],
    }


def ordered(agent: str) -> Sequence[str]:
    """The kinds of device, the reader's own first."""
    own = next((kind for said, kind in _AGENTS if said in agent), KINDS[0])
    return sorted(KINDS, key=lambda kind: kind != own)


def guide(kind: str, values: Mapping[str, str]) -> dict[str, Any]:
    """The steps of one kind of device, in words."""
    keys = sorted(key for key in ENGLISH if key.startswith(f"trust.{kind}."))
    return {"kind": kind, "title": say(f"trust.{kind}"), "steps": [say(key, **values) for key in keys]}


@lru_cache(maxsize=4)
def _code_of(address: str) -> bytes:
    return qr_svg(address)
