"""The page of the metrics names every metric there is, and none that there is not."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TOP = Path(__file__).parents[2]
PAGE = (TOP / "docs" / "metrics.md").read_text(encoding="utf-8")
MAKERS = {"_gauge": "", "_count": "_total", "_counter": "_total", "Histogram": ""}


def made() -> set[str]:
    """The names in the code, as they are exposed."""
    found = set()
    for module in ("metrics", "metrics_now"):
        for node in ast.walk(ast.parse((TOP / "kiosk" / "upkeep" / f"{module}.py").read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                maker = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if maker in MAKERS:
                    name = str(node.args[0].value).removeprefix("floordraw_") + MAKERS[maker]
                    found.add(f"floordraw_{name}")
    return found


def test_the_page_and_the_code_name_the_same() -> None:
    rows = "".join(line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"floordraw_\w+", rows)) == made()


def test_each_row_says_when_to_be_alarmed() -> None:
    for line in PAGE.splitlines():
        if line.startswith("| `"):
            assert all(cell.strip() for cell in line.strip("|").split("|")), line
