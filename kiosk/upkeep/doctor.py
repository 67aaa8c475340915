"""`floordraw doctor`: looks at everything a session needs, changes nothing, and says of each thing what to do.

It works with the core down: what the core alone could tell is then as it was last written down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from config.site import Site, SiteFaults, load_site
from config.words import counted
from draw_engine.errors import Refused
from kiosk.upkeep.doctor_machine import clock, core_lock, disks, ports, printers_heard, programs
from kiosk.upkeep.doctor_property import backups, certificate, floor_journal, in_database, master_key
from kiosk.upkeep.findings import Finding, bad, fine

BACKUPS = Path("/var/backups/floordraw")


@dataclass(frozen=True, slots=True)
class Place:
    """What to look at. `now` gives the instant (ms); `key_files`: where the master key may lie, the likeliest first."""

    site_file: Path
    now: Callable[[], int]
    backups: Path = BACKUPS
    port: int = 8080
    screens_port: int = 8081
    key_files: tuple[Path, ...] = field(default=())


def examine(place: Place) -> list[Finding]:
    """Everything that was found, in the order in which it is best seen to."""
    site = None
    found = [clock()]
    try:
        site = load_site(place.site_file)
    except (SiteFaults, OSError) as trouble:
        found += _settings_faults(place.site_file, trouble)
    else:
        found.append(fine("settings", f"{place.site_file} has no fault."))
    found += programs()
    if site is not None:
        found += _of_property(place, site)
    return found


def _settings_faults(file: Path, trouble: SiteFaults | OSError) -> Iterator[Finding]:
    left = "What depends on the settings was not looked at."
    if isinstance(trouble, OSError):
        sentence = f"{file} cannot be read: {trouble.strerror or type(trouble).__name__}. {left}"
        yield bad("settings", "X_NO_SETTINGS", sentence, "Name the right file with --site, and run this as root.")
        return
    for fault in trouble.faults:
        yield bad("settings", "X_SITE_FAULT", str(fault), f"Correct it in {file}, then start the core again.")
    yield bad("settings", "X_SITE_FAULT", f"{counted(len(trouble.faults), 'fault')} in all. {left}", "Correct them.")


def _of_property(place: Place, site: Site) -> Iterator[Finding]:
    running, told = core_lock(site)
    yield told
    yield from disks(site)
    now, heard = place.now(), printers_heard(place.port) if running else {}
    looks: list[tuple[str, Callable[[], list[Finding]]]] = [
        ("master key", lambda: [master_key(site, _keys(place, site))]),
        ("database", lambda: in_database(site, now, running=running, heard=heard)),
        ("journal", lambda: [floor_journal(site)]),
        ("certificate", lambda: [certificate(site, now)]),
        ("backup", lambda: [backups(site, place.backups, now)]),
        ("ports", lambda: ports(site, place.port, place.screens_port, running=running)),
    ]
    for check, look in looks:
        yield from _safely(check, look)


def _keys(place: Place, site: Site) -> list[Path]:
    from kiosk.assembly import MASTER_KEY  # noqa: PLC0415 - with faults in the settings the engine is not needed

    return [*place.key_files, site.state_dir / MASTER_KEY, place.site_file.resolve().parent / MASTER_KEY]


def _safely(check: str, look: Callable[[], list[Finding]]) -> list[Finding]:
    """One look in trouble must not hide the others. A fault's own text may hold what must not be shown."""
    try:
        return look()
    except Refused as refusal:
        return [bad(check, refusal.code, refusal.sentence, "See to it, then look again.")]
    except Exception as fault:  # noqa: BLE001 - said by its kind
        sentence = f"It could not be looked at ({type(fault).__name__})."
        return [
            bad(check, "X_NOT_EXAMINED", sentence, "Run this as root, or as the core's user; else tell who built it.")
        ]
