"""`python -m draw_engine.verify.bundle OUT`: the verifier as one file that a bare `python3 verify.pyz …` runs.

The same sources make the same bytes: members in order of name, one fixed time, stored and not compressed (what a
compressor makes differs from one build of it to the next).
"""

from __future__ import annotations

import ast
import sys
import zipfile
from collections.abc import Iterator, Sequence
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import TextIO

_SHEBANG = b"#!/usr/bin/env python3\n"
_START = """import sys

if sys.version_info < (3, 11):
    print("This needs Python 3.11 or later.", file=sys.stderr)
    sys.exit(64)

from draw_engine.verify.__main__ import main

sys.exit(main(sys.argv[1:], sys.stdout))
"""
_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can say
_PACKAGE = "draw_engine"
_ROOT = Path(__file__).resolve().parent.parent.parent


def bundle() -> bytes:
    """The bytes of verify.pyz: all of this package, and what it imports of the engine."""
    members = {"__main__.py": _START.encode()} | {name: (_ROOT / name).read_bytes() for name in _sources()}
    made = BytesIO(_SHEBANG)
    made.seek(0, SEEK_END)
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            member = zipfile.ZipInfo(name, _TIME)
            member.create_system, member.external_attr = 3, 0o644 << 16  # the same wherever it is built
            archive.writestr(member, members[name])
    return made.getvalue()


def _sources() -> set[str]:
    """Paths below the project of every module needed, found by following the imports."""
    waiting = [
        f"{_PACKAGE}/verify/{file.name}" for file in Path(__file__).parent.glob("*.py") if file.name != "bundle.py"
    ]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [path for module in _imported(name) for path in _paths(module)]
    return found


def _imported(name: str) -> Iterator[str]:
    for node in ast.walk(ast.parse((_ROOT / name).read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _paths(module: str) -> Iterator[str]:
    """The module's file and the packages it lies in; nothing for a module of the standard library, or for a name."""
    parts = module.split(".")
    if parts[0] != _PACKAGE:
        return
    for i in range(1, len(parts) + 1):
        path = "/".join(parts[:i])
        yield from (file for file in (f"{path}.py", f"{path}/__init__.py") if (_ROOT / file).is_file())


def main(argv: Sequence[str], out: TextIO) -> int:
    """Write the bundle to the file that is named."""
    if len(argv) != 1:
        print("usage: python -m draw_engine.verify.bundle OUT", file=out)
        return 64
    Path(argv[0]).write_bytes(bundle())
    print(f"{argv[0]}: run it with python3 {argv[0]} DIR", file=out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdout))
