"""What the application says of itself: JSON lines, with priorities where journald reads them, and nobody named."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys

import pytest

GUEST = "Quirine Vlinderzoon 737704419"
SAYS = f"""
import logging, structlog
from kiosk.own_log import set_up_log
set_up_log()
log = structlog.get_logger("x")
log.info("spool.sent", job=4)
log.warning("disk.not_written", kind="OSError")
log.error("core.broken", kind="OSError")
log.critical("core.gone")
logging.getLogger("werkzeug").info("{GUEST}")
logging.getLogger("werkzeug").error("cannot do %s", "{GUEST}")
try:
    raise ValueError("{GUEST}")
except ValueError:
    logging.getLogger("apscheduler").exception("of {GUEST}")
"""


def said(*, journal: bool) -> list[str]:
    """The lines of a process whose standard error is a socket, as journald's is."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with ours, theirs:
        made = os.fstat(theirs.fileno())
        named = f"{made.st_dev}:{made.st_ino}" if journal else f"{made.st_dev}:{made.st_ino + 1}"
        environment = {**os.environ, "JOURNAL_STREAM": named}
        subprocess.run([sys.executable, "-c", SAYS], stderr=theirs, env=environment, check=True, timeout=60)
        theirs.close()
        with ours.makefile(encoding="utf-8") as file:
            return file.read().splitlines()


def test_journald_gets_each_line_with_its_priority() -> None:
    lines = said(journal=True)
    # RFC 5424: 2 critical, 3 error, 4 warning, 6 informational.
    assert [line[:3] for line in lines] == ["<6>", "<4>", "<3>", "<2>", "<3>", "<3>"]
    events = [json.loads(line[3:]) for line in lines[:5]]
    assert [event.get("event") for event in events] == [
        *("spool.sent", "disk.not_written", "core.broken", "core.gone"),
        None,
    ]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", events[0]["timestamp"])


def test_anywhere_else_a_line_is_json_alone() -> None:
    assert [json.loads(line)["level"] for line in said(journal=False)[:4]] == ["info", "warning", "error", "critical"]


@pytest.mark.parametrize("journal", [True, False])
def test_what_a_library_says_names_nobody(*, journal: bool) -> None:
    lines = said(journal=journal)
    assert sum("werkzeug" in line for line in lines) == 1
    assert sum("ValueError" in line for line in lines) == 1
    assert not [line for line in lines if any(part in line for part in GUEST.split())]
