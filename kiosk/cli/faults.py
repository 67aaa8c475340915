"""What the commands share: refusals and faults become sentences, and an answer of the running core is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import requests

from config.rule_book_faults import RuleBookFaults
from config.site import SiteFaults
from draw_engine.errors import Refused, RuleBroken
from draw_engine.lists import ListFaults

DEFAULT_SITE = Path("config/site.toml")
DEFAULT_RULES = Path("config/rule_books/silverstar-playtime.toml")
DEFAULT_PORT = 8080
DEFAULT_SCREENS_PORT = 8081
SITE = click.option("--site", "site_file", type=click.Path(path_type=Path), default=DEFAULT_SITE, show_default=True)
RULES = click.option(
    "--rules", "rules", type=click.Path(path_type=Path), multiple=True, default=[DEFAULT_RULES], show_default=True
)
CORE = click.option(
    "--core",
    "core_url",
    default=f"http://127.0.0.1:{DEFAULT_PORT}",
    show_default=True,
    callback=lambda _context, _option, url: url.rstrip("/"),
)


class Commands(click.Group):
    """Turns refusals and faults into sentences; the exit code is 1 then."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (Refused, RuleBookFaults, SiteFaults, ListFaults, RuleBroken) as known:
            raise click.ClickException(_of_ours(known)) from None
        except requests.RequestException as trouble:
            raise click.ClickException(_of_the_line(trouble)) from None
        except OSError as trouble:
            raise click.ClickException(f"{trouble.filename or 'The disk'}: {trouble.strerror or trouble}.") from None
        except Exception as fault:
            # Not imported for this alone: `verify` starts without a database.
            if not type(fault).__module__.startswith("sqlalchemy."):
                raise
            said = "The database cannot be used. Look at `database` in site.toml, and whether its server runs"
            raise click.ClickException(f"{said} ({type(fault).__name__}).") from None


def _of_ours(known: Exception) -> str:
    if isinstance(known, Refused):
        return f"{known.sentence} ({known.code})"
    if isinstance(known, ListFaults):
        lines = [f"line {fault.line}, {fault.column or 'file'}: {fault.sentence}" for fault in known.faults]
        return "\n".join([str(known), *lines])
    return f"It cannot go on: {known}." if isinstance(known, RuleBroken) else str(known)


def _of_the_line(trouble: requests.RequestException) -> str:
    if isinstance(trouble, requests.ReadTimeout):
        return "The core has not answered yet. Look whether it was done before you try again."
    if isinstance(trouble, requests.ConnectionError):
        return "The core does not answer. Start it with `floordraw serve`, or say with --core where it is."
    return "That is no address of a core. Give --core as http://127.0.0.1:8080."


def answer_of(response: requests.Response) -> dict[str, Any]:
    """The JSON object of the core's answer. Raises Refused as the core refused, or when it was not the core."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if isinstance(body, dict) and response.status_code == 200 and body.get("ok") is True:
        return body
    if isinstance(body, dict) and isinstance(body.get("code"), str):
        raise Refused(body["code"], str(body.get("sentence", "The core did not take it.")))
    raise no_core(response)


def no_core(response: requests.Response) -> Refused:
    """What is said when something else answers at the core's address."""
    said = f"Something else than a core answered there (HTTP {response.status_code}). Say with --core where it is."
    return Refused("X_NO_CORE", said)
