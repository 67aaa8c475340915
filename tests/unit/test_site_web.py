"""[web] of the site's settings: names, addresses and files, each fault in words; absent, the machine itself alone."""

from pathlib import Path

import pytest

from config.site import SiteFaults, read_site
from config.web import Web

SHIPPED = (Path(__file__).parents[2] / "config" / "site.toml").read_text()
WEB = """
[web]
listen = "0.0.0.0"
names = ["floordraw.casino.example", "10.0.5.20"]
"""
OWN = frozenset({"localhost", "127.0.0.1", "::1"})


def read(web, folder=Path()):
    return read_site((SHIPPED + web).encode(), folder)


def only_fault(web):
    with pytest.raises(SiteFaults) as found:
        read(web)
    [fault] = found.value.faults
    return fault


def test_without_it_the_core_has_the_machine_s_own_names_alone():
    site = read("")
    assert (site.web, site.hosts) == (None, OWN)


def test_what_is_left_out_lies_in_the_state_folder():
    site = read(WEB.replace("0.0.0.0", "10.0.5.20"), Path("/etc/floor"))
    tls = Path("/etc/floor/../var/state/tls")
    assert site.web == Web(
        listen="10.0.5.20",
        names=("floordraw.casino.example", "10.0.5.20"),
        certificate=tls / "server.crt",
        key=tls / "server.key",
        port=8443,
        screens_port=8444,
        own_files=False,
    )
    assert site.hosts == OWN | {"floordraw.casino.example", "10.0.5.20"}


def test_the_property_s_own_files_start_from_the_settings_folder():
    site = read(f'{WEB}certificate = "web.pem"\nkey = "/srv/web.key"\n', Path("/etc/floor"))
    assert site.web is not None
    assert (site.web.certificate, site.web.key) == (Path("/etc/floor/web.pem"), Path("/srv/web.key"))
    assert site.web.own_files


def test_names_are_read_as_a_browser_writes_them():
    site = read(WEB.replace('"10.0.5.20"', '"FLOOR", "FD00:0::05"'))
    assert site.web is not None
    assert site.web.names == ("floordraw.casino.example", "floor", "fd00::5")
    assert site.web.trust_name == "[fd00::5]"
    assert site.web.first_name == "floordraw.casino.example"


def test_the_trust_page_has_a_name_where_there_is_no_address():
    site = read(WEB.replace(', "10.0.5.20"', ""))
    assert site.web is not None
    assert site.web.trust_name == "floordraw.casino.example"


NAMES = '"floordraw.casino.example", "10.0.5.20"'
FAULTS = {
    "an address of a page": (NAMES, '"https://floordraw.casino.example"', "web.names[1]", "X_VALUE_WRONG"),
    "a name with a port": (NAMES, '"floordraw:8443"', "web.names[1]", "X_VALUE_WRONG"),
    "a star": (NAMES, '"*.casino.example"', "web.names[1]", "X_VALUE_WRONG"),
    "an underscore": (NAMES, '"floor_draw"', "web.names[1]", "X_VALUE_WRONG"),
    "an end with a hyphen": (NAMES, '"floor-"', "web.names[1]", "X_VALUE_WRONG"),
    "half an address": (NAMES, '"10.0.5"', "web.names[1]", "X_VALUE_WRONG"),
    "an empty part": (NAMES, '"floor..example"', "web.names[1]", "X_VALUE_WRONG"),
    "another script": (NAMES, '"flöör.example"', "web.names[1]", "X_VALUE_WRONG"),
    "no machine's address": (NAMES, '"10.0.5.20", "0.0.0.0"', "web.names[2]", "X_VALUE_WRONG"),
    "a zone": (NAMES, '"fe80::1%eth0"', "web.names[1]", "X_VALUE_WRONG"),
    "nothing": (NAMES, "", "web.names", "X_VALUE_WRONG"),
    "a name twice": (NAMES, '"floor", "FLOOR"', "web.names", "X_VALUE_WRONG"),
    "a name to listen on": ('"0.0.0.0"', '"localhost"', "web.listen", "X_VALUE_WRONG"),
    "nothing to listen on": ('listen = "0.0.0.0"', "", "web.listen", "X_KEY_MISSING"),
    "a port": ("[web]", "[web]\nport = 65536", "web.port", "X_VALUE_WRONG"),
    "one port for both": ("[web]", "[web]\nport = 8444", "web", "X_VALUE_WRONG"),
    "a certificate alone": ("[web]", '[web]\ncertificate = "a"', "web", "X_VALUE_WRONG"),
    "a key alone": ("[web]", '[web]\nkey = "a"', "web", "X_VALUE_WRONG"),
    "an unknown key": ("[web]", "[web]\nports = 1", "web.ports", "X_KEY_UNKNOWN"),
}


@pytest.mark.parametrize(("old", "new", "place", "code"), FAULTS.values(), ids=FAULTS)
def test_one_fault(old, new, place, code):
    fault = only_fault(WEB.replace(old, new))
    assert (fault.place, fault.code) == (place, code)
    assert fault.sentence.endswith((".", "?"))
    assert fault.line
