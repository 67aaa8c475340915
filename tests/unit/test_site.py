"""The site's settings: read whole, or every fault named, and no secret shown."""

import ast
from pathlib import Path

import pytest

from config.site import ListAges, SiteFaults, load_site, read_site

CONFIG = Path(__file__).parents[2] / "config"
SHIPPED = (CONFIG / "site.toml").read_text()
DIGEST = "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"


def edited(text, old, new):
    assert old in text, old
    return text.replace(old, new, 1)


def faults(text):
    with pytest.raises(SiteFaults) as found:
        read_site(text.encode())
    return found.value.faults


def test_the_shipped_settings():
    site = load_site(CONFIG / "site.toml")
    assert (site.property, site.property_name) == ("silverstar", "Silverstar Casino")
    assert site.stale_after_seconds == 30
    assert site.list_age_hours == ListAges(members=24, exclusions=24, staff=168)
    assert [feed.id for feed in site.feeds_bringing("slots")] == ["slots-1"]
    assert [feed.id for feed in site.feeds_bringing("tables")] == ["tables-1"]
    assert len([person for person in site.staff if person.role == "manager"]) >= 2


def test_no_shipped_feed_has_a_token_anybody_could_know():
    assert all(feed.token_sha256 is None for feed in load_site(CONFIG / "site.toml").feeds)


def test_relative_paths_start_from_the_files_folder(tmp_path):
    path = tmp_path / "etc" / "site.toml"
    path.parent.mkdir()
    text = edited(SHIPPED, '"sqlite:///../var/floordraw.db"', '"sqlite:///floor.db"')
    text = edited(text, '"../var/journal"', '"/srv/journal"')
    path.write_text(edited(text, '"../var/state"', '"state"'))
    site = load_site(path)
    assert site.database == f"sqlite:///{tmp_path}/etc/floor.db"
    assert site.journal_dir == Path("/srv/journal")
    assert site.state_dir == tmp_path / "etc" / "state"


def test_an_absolute_database_file_and_a_server_stay_as_written(tmp_path):
    for address in ("sqlite:////srv/floor.db", "postgresql://floor@db.example/floor", "postgresql+psycopg:///floor"):
        text = edited(SHIPPED, "sqlite:///../var/floordraw.db", address)
        assert read_site(text.encode(), tmp_path).database == address


def test_people_feeds_and_screens_are_found_by_their_ids():
    site = read_site(SHIPPED.encode())
    person = site.staff_by_id("kabelo")
    assert person is not None
    assert (person.role, person.actor) == ("crew", "crew:kabelo")
    assert site.staff_by_id("nobody") is None
    assert site.feed("slots-1") == site.feeds[0]
    assert site.feed("cms-9") is None
    assert site.screen("main") == site.screens[0]
    assert site.screen("attic") is None


def test_what_may_be_left_out():
    kept = [line for line in SHIPPED.split("[[feed]]", 1)[0].splitlines() if "stale_after" not in line]
    site = read_site("\n".join(line for line in kept if "list_age" not in line).encode())
    assert (site.stale_after_seconds, site.list_age_hours) == (30, ListAges(24, 24, 168))
    assert (site.feeds, site.screens, site.staff) == ((), (), ())


ONE_FAULT = {
    "unknown key": ("stale_after_seconds", "stale_after_second", "stale_after_second", "X_KEY_UNKNOWN"),
    "missing key": ('property = "silverstar"', "", "property", "X_KEY_MISSING"),
    "property": ('property = "silverstar"', 'property = "silver/star"', "property", "X_VALUE_WRONG"),
    "a database of no kind": ("sqlite:///../var/floordraw.db", "mysql://db/floor", "database", "X_VALUE_WRONG"),
    "a database nowhere": ("sqlite:///../var/floordraw.db", "sqlite:///", "database", "X_VALUE_WRONG"),
    "an empty folder": ('"../var/journal"', '""', "journal_dir", "X_VALUE_WRONG"),
    "an open address": ("http://127.0.0.1:8080/check", "http://casino.example/check", "check_address", "X_VALUE_WRONG"),
    "an address with a #": ("http://127.0.0.1:8080/check", "https://c.example/#", "check_address", "X_VALUE_WRONG"),
    "no address": ("http://127.0.0.1:8080/check", "https://[", "check_address", "X_VALUE_WRONG"),
    "no line": ("No persons under 18. Winners know when to stop. 0800 006 008", "", "statutory_line", "X_VALUE_WRONG"),
    "stale at once": ("stale_after_seconds = 30", "stale_after_seconds = 0", "stale_after_seconds", "X_VALUE_WRONG"),
    "an age": ("members = 24", 'members = "24"', "list_age_hours.members", "X_VALUE_WRONG"),
    "what a feed brings": ('["tables"]', '["table"]', "feed[2].brings[1]", "X_VALUE_WRONG"),
    "a feed that brings nothing": ('["tables"]', "[]", "feed[2].brings", "X_VALUE_WRONG"),
    "a feed twice": ('"tables-1"', '"slots-1"', "feed[2].id", "X_RULES_CONFLICT"),
    "a screen twice": ('"smoking-floor"', '"main"', "screen[2].name", "X_RULES_CONFLICT"),
    "a person twice": ('id = "zanele"', 'id = "kabelo"', "staff[2].id", "X_RULES_CONFLICT"),
    "a role": ('role = "stage"', 'role = "boss"', "staff[3].role", "X_VALUE_WRONG"),
}


@pytest.mark.parametrize(("old", "new", "place", "code"), ONE_FAULT.values(), ids=ONE_FAULT)
def test_one_fault(old, new, place, code):
    [fault] = faults(edited(SHIPPED, old, new))
    assert (fault.place, fault.code) == (place, code)
    assert fault.sentence.endswith((".", "?"))
    assert code == "X_KEY_MISSING" or fault.line


def test_every_fault_at_once():
    text = edited(edited(SHIPPED, "stale_after_seconds = 30", "stale_after_seconds = 601"), '"stage"', '"stages"')
    found = faults(edited(text, "sqlite:///../var/floordraw.db", "nothing"))
    assert [fault.place for fault in found] == ["database", "stale_after_seconds", "staff[3].role"]
    assert 'did you mean "stage"' in found[2].sentence


def test_secrets_are_never_shown():
    tokens = edited(SHIPPED, 'brings = ["slots"]', f'brings = ["slots"]\ntoken_sha256 = "{DIGEST}"')
    text = edited(tokens, "sqlite:///../var/floordraw.db", "postgresql://floor:hunter2@db/floor")
    site = read_site(text.encode())
    assert site.feeds[0].token_sha256 == DIGEST
    assert "hunter2" in site.database
    assert "hunter2" not in repr(site)
    assert DIGEST not in repr(site)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sqlite:///../var/floordraw.db", "postgres://floor:hunter2@db/floor"),
        ('database = "sqlite:///../var/floordraw.db"', 'database = ["hunter2"]'),
        ('brings = ["slots"]', 'brings = ["slots"]\ntoken_sha256 = "hunter2"'),
        ('brings = ["slots"]', 'brings = ["slots"]\ntoken_sha256 = { hunter2 = 1 }'),
    ],
)
def test_a_fault_of_a_secret_does_not_show_it(old, new):
    with pytest.raises(SiteFaults) as found:
        read_site(edited(SHIPPED, old, new).encode())
    assert "hunter2" not in str(found.value)
    assert found.value.__cause__ is None


def test_a_token_used_twice_is_a_fault_and_not_shown():
    text = edited(SHIPPED, 'brings = ["slots"]', f'brings = ["slots"]\ntoken_sha256 = "{DIGEST}"')
    text = edited(text, 'brings = ["tables"]', f'brings = ["tables"]\ntoken_sha256 = "{DIGEST}"')
    [fault] = faults(text)
    assert fault.place == "feed[2].token_sha256"
    assert DIGEST not in str(fault)


def test_a_file_that_is_no_toml():
    [fault] = faults(SHIPPED.replace('property = "silverstar"', "property = silverstar"))
    assert fault.code == "X_TOML_UNREADABLE"
    assert fault.line == SHIPPED[: SHIPPED.index("property =")].count("\n") + 1


def test_the_settings_know_nothing_of_the_engine():
    # A bridge reads them and must not carry the rules with it.
    for name in ("site", "faults", "fields", "toml_text", "words"):
        tree = ast.parse((CONFIG / f"{name}.py").read_text())
        modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        modules += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
        assert not [module for module in modules if module.startswith("draw_engine")]
