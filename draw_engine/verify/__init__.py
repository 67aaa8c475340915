"""`verify`: redo a draw from its record alone (draw record 1, "Verifying"). Standard library only.

verify(path, key=…, slips=…, journal=False) -> Report
"""

from draw_engine.verify.checking import verify
from draw_engine.verify.report import Check, Report

__all__ = ["Check", "Report", "verify"]
