"""Where a demo writes down what time it is on its floor: its clock stands still while it is stopped."""

from __future__ import annotations

DEMO_CLOCK = "demo.clock"
"""Of the settings' table; the value in ms since 1970 UTC."""
