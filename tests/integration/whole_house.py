"""Every page of a core as `floordraw serve` registers them, a person of each role, and the floor's Wi-Fi."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from loopback import SLOTS, TOKENS, Loopback
from signing import MARKED, Keys, SignedClient, employ, quick_secrets

from draw_engine.store.journal import read_segment
from kiosk import floor_pages
from kiosk.app import Pages
from kiosk.https.trust_pages import trust_routes
from kiosk.printing.view import Printers
from kiosk.screens.view import House
from kiosk.sign_in.access import DEVICE, ROLES, SESSION
from kiosk.upkeep.metrics import Metrics
from web_display.console_messages import StaffMember

HOST = "http://floordraw.test"
WIFI: dict[str, Any] = {"environ_base": {"REMOTE_ADDR": "10.20.30.40"}, "base_url": HOST}
MACHINE_TOKEN = "the core's own token"
PEOPLE = {
    "manager": "nomvula",
    "crew": "kabelo",
    "auditor": "zanele",
    "desk": "mpho",
    "stage": "zodwa",
    "customer_services": "lindiwe",
    "marketing": "sizwe",
    "witness": "wim",
}
assert set(PEOPLE) == set(ROLES)
HOUSE = House("Silverstar", "No persons under 18.", demo=False)


class WholeHouse(Loopback):
    """`whole` is the application; `as_role` signs somebody of a role in, out on the floor."""

    def __init__(self, folder: Path, empty: Path, **said: Any) -> None:
        super().__init__(folder, empty, **said)
        people = [StaffMember(person, person.title(), role) for role, person in PEOPLE.items()]
        printers = Printers()
        metrics = Metrics(self.core, site=self.site, printers=printers, pusher=lambda: self.whole.pusher)
        self.whole = Pages(
            self.core,
            house=HOUSE,
            tokens={feed.id: str(feed.token_sha256) for feed in self.site.feeds},
            screens={screen.name: screen.title for screen in self.site.screens},
            staff=people,
            read_segment=lambda segment: read_segment(self.site.journal_dir, segment),
            site_toml=(folder / "site.toml").read_bytes(),
            blueprints=[
                *floor_pages.blueprints(self.core, HOUSE, people, printers),
                metrics.routes(),
                trust_routes(self.site),
            ],
            rooms=floor_pages.rooms(HOUSE, people, printers),
            hosts=frozenset({"floordraw.test"}),
            machine_token=MACHINE_TOKEN,
            secrets_kept=quick_secrets(),
        )
        employ(self.whole, [(one.id, one.name, one.role) for one in people] + [("themba", "Themba", "manager")])
        self.keys = Keys(self.whole.door)

    def token(self, person: str) -> str:
        return self.keys.cookie(person, self.clock.now()).partition("=")[2]

    def as_person(self, person: str) -> FlaskClient:
        client = self.whole.app.test_client()
        if person:
            client.set_cookie(SESSION, self.token(person), domain="floordraw.test")
        return client

    def as_role(self, role: str) -> FlaskClient:
        """A browser on the floor's Wi-Fi; role "": nobody is signed in."""
        return self.as_person(PEOPLE.get(role, ""))

    def signed(self) -> SignedClient:
        client = SignedClient(self.whole.app, use_cookies=False)
        client.keys, client.pages = self.keys, self.whole
        return client

    def with_device(self, kind: str, title: str, role: str = "") -> FlaskClient:
        """A browser on an enrolled device."""
        code, _ = self.whole.door.offer(kind, title, "manager:nomvula")
        token, _ = self.whole.door.enrol(code, address="10.20.30.41")
        client = self.as_role(role)
        client.set_cookie(DEVICE, token, domain="floordraw.test")
        return client


__all__ = ["HOST", "MACHINE_TOKEN", "MARKED", "PEOPLE", "SLOTS", "TOKENS", "WIFI", "WholeHouse"]
