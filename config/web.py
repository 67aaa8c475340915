"""`[web]` of site.toml: where tablets and desks reach the core over HTTPS, and what it is called by.

Without it the core is reached from its own machine alone, by plain http on the loopback address.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from config.fields import Form, Once, wrong

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
"""The names of the machine itself, by which commands reach the core."""
_LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)")
_CERTIFICATE, _KEY = "server.crt", "server.key"


@dataclass(frozen=True, slots=True)
class Web:
    """Where HTTPS is served. `names`: host names and IP addresses, as a browser writes them, without brackets or port.

    `port` serves the core's pages, `screens_port` the floor screens. `certificate`: PEM, the server's own first, then
    what signed it; `own_files`: the settings say where certificate and key are, so `floordraw tls` leaves them alone.
    """

    listen: str
    names: tuple[str, ...]
    certificate: Path
    key: Path
    port: int = 8443
    screens_port: int = 8444
    own_files: bool = False

    @property
    def first_name(self) -> str:
        """The name that addresses are written with: the first, in brackets where it is an IPv6 address."""
        return bracketed(self.names[0])

    @property
    def trust_name(self) -> str:
        """The name of the page `/trust`: an IP address where there is one.

        It needs no name server, and of an IP address no browser remembers that it must be https.
        """
        return bracketed(next((name for name in self.names if is_address(name)), self.names[0]))


def is_address(name: str) -> bool:
    """Whether a host is named by its IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def bracketed(name: str) -> str:
    """A host as it stands in an address: `[fd00::5]`, `10.0.5.20`, `floordraw.casino.example`."""
    return f"[{name}]" if ":" in name else name


# -- the form of the table --------------------------------------------------------------------------------------


def _listen(value: str) -> str:
    if not is_address(value) or "%" in value:
        raise wrong('Write this machine\'s own IP address, or "0.0.0.0" for all it has, in quotes.')
    return str(ipaddress.ip_address(value))


def _name(value: str) -> str:
    if is_address(value) and "%" not in value:
        address = ipaddress.ip_address(value)
        if address.is_unspecified or address.is_multicast:
            raise wrong("Write the address that tablets reach this machine by; this one is no machine's.")
        return str(address)
    low = value.lower()
    if not 0 < len(low) <= 253 or not all(map(_LABEL.fullmatch, low.split("."))) or low.split(".")[-1].isdigit():
        raise wrong("Write a name such as floordraw.casino.example or an IP address: no https://, no port, no *.")
    return low


def _file(value: str) -> str:
    if not value.strip() or "\0" in value:
        raise wrong("Write a file's path.")
    return value


_Port = Annotated[int, Field(ge=1, le=65535)]
_File = Annotated[str, AfterValidator(_file)]


class WebForm(Form):
    """The table as it is written."""

    listen: Annotated[str, AfterValidator(_listen)]
    port: _Port = 8443
    screens_port: _Port = 8444
    names: Annotated[list[Annotated[str, AfterValidator(_name)]], Once, Field(min_length=1, max_length=50)]
    certificate: _File | None = None
    key: _File | None = None

    @model_validator(mode="after")
    def _whole(self) -> WebForm:
        if (self.certificate is None) != (self.key is None):
            raise wrong("Name both certificate and key, or neither: then `floordraw tls init` makes them.")
        if self.port == self.screens_port:
            raise wrong("Give the screens a port of their own: screens_port is the same as port.")
        return self

    def built(self, folder: Path, state_dir: Path) -> Web:
        """The settings; paths start from `folder`, those left out lie in `state_dir`."""
        tls = state_dir / "tls"
        return Web(
            listen=self.listen,
            names=tuple(self.names),
            certificate=tls / _CERTIFICATE if self.certificate is None else folder / self.certificate,
            key=tls / _KEY if self.key is None else folder / self.key,
            port=self.port,
            screens_port=self.screens_port,
            own_files=self.certificate is not None,
        )
