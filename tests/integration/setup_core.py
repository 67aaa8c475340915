"""A core whose rule books' page is served, and a small floor to rehearse on."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import Any

from casino import book_toml
from loopback import Loopback
from signing import employ, quick_secrets, signed_client
from werkzeug.test import TestResponse

from kiosk import floor_pages
from kiosk.app import Pages
from kiosk.printing.view import Printers
from kiosk.screens.view import House
from kiosk.setup.rehearsals import Rehearsals
from web_display.console_messages import StaffMember

TOP = "/console/setup"
GIVEN = book_toml()
NEXT = (
    GIVEN.replace(b'"test-1"', b'"test-2"').replace(b"max = 100000", b"max = 90000").replace(b"days = 15", b"days = 30")
)
SHA = hashlib.sha256(NEXT).hexdigest()


class SetUpCore(Loopback):
    """A core whose rule books' page is served; `rehearsals` run as they do live."""

    def __init__(self, folder: Path, empty: Path, command: tuple[str, ...] | None = None) -> None:
        super().__init__(folder, empty)
        more = {} if command is None else {"command": command}
        self.rehearsals = Rehearsals(self.core, self.site.state_dir, self.site.journal_dir, **more)
        staff = [StaffMember(person.id, person.name, person.role) for person in self.site.staff]
        house = House("Silverstar", "No persons under 18.", demo=False)
        self.served = Pages(
            self.core,
            house=house,
            tokens={feed.id: str(feed.token_sha256) for feed in self.site.feeds},
            screens={},
            staff=staff,
            read_segment=lambda _segment: b"",
            site_toml=b"",
            blueprints=floor_pages.blueprints(self.core, house, staff, Printers(), rehearsals=self.rehearsals),
            rooms=floor_pages.rooms(house, staff, Printers()),
            secrets_kept=quick_secrets(),
        )
        employ(self.served, [(person.id, person.name, person.role) for person in self.site.staff])
        self.client = signed_client(self.served)

    url = ""

    def close(self) -> None:
        self.rehearsals.stop()
        super().close()

    def books(self) -> dict[str, str]:
        """Version -> state."""
        return {row["version"]: row["state"] for row in self.got(".json")["books"]}

    def got(self, path: str) -> dict[str, Any]:
        answer = self.client.get(TOP + path)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.get_json()
        return told

    def did(self, path: str, **said: Any) -> TestResponse:
        return self.client.post(TOP + path, json=said)

    def sent(self, path: str, content: bytes) -> TestResponse:
        return self.client.post(TOP + path, data=content)

    def rehearsed(
        self, digest: str = SHA, *, floor: str = "folder:saturday", day: str = "2023-10-07"
    ) -> dict[str, Any]:
        """Rehearse and wait for its end; gives the run as the page has it."""
        answer = self.did(f"/{digest}/rehearse", day=day, floor=floor, crews=2)
        assert answer.status_code == 200, answer.text
        for _ in range(600):
            run: dict[str, Any] = self.got(".json")["run"]
            if not run["runs"]:
                return run
            time.sleep(0.05)
        raise AssertionError("the rehearsal does not end")
