"""The page's own arithmetic, bundled for a blank page of the browser: no server is there to help it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

TOP = Path(__file__).resolve().parents[2]
_ESBUILD = TOP / "node_modules" / ".bin" / "esbuild"
# Tickets are whole numbers without end: they cross over as text.
_CALL = """([name, given]) => {
  const plain = (value) => JSON.parse(JSON.stringify(value, (_, one) => (typeof one === "bigint" ? String(one) : one)));
  try {
    return { gives: plain(globalThis.module[name](...given)) };
  } catch (fault) {
    if (fault.constructor.name === "TypeError" || !(fault instanceof globalThis.module.ProofFault)) throw fault;
    return { fault: fault.message };
  }
}"""


class Arithmetic:
    """`call` runs an exported function of a module; {"gives": …}, or {"fault": name} for a proof that does not hold."""

    def __init__(self, browser: Browser, module: str) -> None:
        if not _ESBUILD.exists():
            pytest.skip("esbuild is not there: npm ci")
        command = [str(_ESBUILD), f"kiosk/static/{module}", "--bundle", "--format=iife", "--global-name=module"]
        made = subprocess.run(
            [*command, "--keep-names", "--log-level=error"], cwd=TOP, capture_output=True, check=True, timeout=60
        )
        self._context = browser.new_context()
        self._page = self._context.new_page()
        self._page.evaluate(f"{made.stdout.decode()}; globalThis.module = module;")

    def call(self, name: str, *given: Any) -> dict[str, Any]:
        told: dict[str, Any] = self._page.evaluate(_CALL, [name, list(given)])
        return told

    def each(self, name: str, table: list[list[Any]]) -> list[dict[str, Any]]:
        """Many calls at one crossing."""
        told: list[dict[str, Any]] = self._page.evaluate(
            f"([name, table]) => table.map((given) => ({_CALL})([name, given]))", [name, table]
        )
        return told

    def close(self) -> None:
        self._context.close()
