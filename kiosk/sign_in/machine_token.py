"""The token a command on the machine shows to the core: made anew at each start, readable by the core's user alone."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from draw_engine.errors import Refused

FILE = "machine.token"


def make_machine_token(state_dir: Path) -> str:
    """Make it and keep it (0600)."""
    token = secrets.token_urlsafe(32)
    made = state_dir / f"{FILE}.new"
    made.unlink(missing_ok=True)
    handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(token)
    made.replace(state_dir / FILE)
    return token


def read_machine_token(state_dir: Path) -> str:
    """The running core's token. Raises Refused X_NO_MACHINE_TOKEN."""
    try:
        return (state_dir / FILE).read_text(encoding="ascii").strip()
    except OSError:
        raise Refused(
            "X_NO_MACHINE_TOKEN",
            "The core's token cannot be read: start the core first, and run this as the user it runs as.",
        ) from None
