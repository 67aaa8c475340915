"""The API's own description: complete, and true under a tool that makes requests from it (schemathesis).

Signed in as a manager over the whole application: no fault, no status and no kind of content that it does not say.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance
from schemathesis.specs.openapi.checks import status_code_conformance as status_conformance
from test_roles import routes as routes_of
from whole_house import MARKED, WholeHouse

from kiosk.api_description import description, routes
from kiosk.sign_in.access import SESSION

FILES = {"GET /static/console/<path:filename>", "GET /static/screens/<path:file>"}
CHECKS = (not_a_server_error, status_conformance, content_type_conformance, response_schema_conformance)
EXAMPLES = 4


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[WholeHouse]:
    made = WholeHouse(tmp_path_factory.mktemp("described"), migrated)
    made.load_lists()
    yield made
    made.close()


def test_every_route_is_described_and_nothing_else(place: WholeHouse) -> None:
    assert sorted(f"{one.method} {one.rule}" for one in routes()) == sorted(set(routes_of(place.whole.app)) - FILES)


def test_it_is_served_to_who_may_read_it(place: WholeHouse) -> None:
    assert place.signed().get("/api.json").get_json() == description()


schema = schemathesis.openapi.from_dict(description())


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_what_is_sent_by_the_description_is_answered_by_it(place: WholeHouse, case: Any) -> None:
    answer = case.call(
        app=place.whole.app, base_url="http://localhost", headers=MARKED, cookies={SESSION: place.token("nomvula")}
    )
    case.validate_response(answer, checks=CHECKS)
    assert place.core.broken is None
