"""The words of the guests' check: what the page asks for is in the catalogue, and nothing lies there unused."""

import re
from pathlib import Path

from kiosk.check.words import ENGLISH

KIOSK = Path(__file__).parents[2] / "kiosk"
PAGE = (KIOSK / "templates" / "check.html").read_text(encoding="utf-8")
SCRIPTS = [file.read_text(encoding="utf-8") for file in sorted((KIOSK / "static").glob("check*.js"))]
SERVER = [file.read_text(encoding="utf-8") for file in sorted((KIOSK / "check").glob("*.py")) if file.stem != "words"]


def asked() -> set[str]:
    """Every key by its last name: in the frame, said by a script, named in a script's table, a fault of a proof."""
    scripts = "\n".join(SCRIPTS)
    told = set(re.findall(r"words\.(\w+)", PAGE))
    told |= set(re.findall(r'say\("(\w+)"', scripts))
    told |= set(re.findall(r'"((?:row|pool|about|proof|checked|not)_\w+)"', scripts)) | {"checked"}
    told |= {f"fault_{name}" for name in re.findall(r'(?:unless\(.*, |ProofFault\()"(\w+)"\)', scripts)}
    return told


def there() -> set[str]:
    return {key.removeprefix("page.check.") for key in ENGLISH if key.startswith("page.")}


def plain(keys: set[str]) -> set[str]:
    """Without the forms for one: they go with their plural."""
    return {key for key in keys if not key.endswith("_one")}


def test_what_the_page_says_is_in_the_catalogue() -> None:
    assert len(SCRIPTS) >= 6
    assert plain(asked()) - there() == set()


def test_nothing_lies_in_the_catalogue_unused() -> None:
    scripts = "\n".join(SCRIPTS)
    named = {key for key in there() if f'"{key}"' in scripts}
    assert plain(there()) - asked() - named == set()
    singular = {key.removesuffix("_one") for key in there() if key.endswith("_one")}
    assert singular <= there()


def test_what_the_server_says_is_in_the_catalogue() -> None:
    told = set(re.findall(r'say\(\s*"(check\.\w+)"', "\n".join(SERVER)))
    assert told == {key for key in ENGLISH if key.startswith("check.")}
