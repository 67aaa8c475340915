"""The master key's paper: what is mistyped is found, and never shown again."""

from __future__ import annotations

import base64
import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.errors import Refused
from draw_engine.store.paper_key import key_from_paper, on_paper

KEYS = st.binary(min_size=32, max_size=32)
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def letters_of(key: bytes) -> str:
    return base64.b32encode(key).decode().rstrip("=")


@settings(max_examples=30)
@given(KEYS)
def test_what_was_written_down_is_the_key_however_it_is_typed(key: bytes) -> None:
    paper = on_paper(letters_of(key))
    assert [len(group) for group in paper.split()] == [4] * 14
    assert key_from_paper(paper) == key
    assert key_from_paper(paper.lower().replace(" ", "-")) == key
    assert key_from_paper(paper.replace("O", "0").replace("I", "1").replace("B", "8").replace(" ", "\n")) == key
    assert key_from_paper(letters_of(key)) == key  # a copy made before the last group was


@settings(max_examples=50)
@given(KEYS, st.integers(0, 55), st.sampled_from(ALPHABET))
def test_one_wrong_letter_is_found(key: bytes, place: int, letter: str) -> None:
    typed = list(on_paper(letters_of(key)).replace(" ", ""))
    if typed[place] == letter:
        return
    typed[place] = letter
    with pytest.raises(Refused, match="X_KEY_MISTYPED") as refused:
        key_from_paper("".join(typed))
    assert letters_of(key)[:8] not in refused.value.sentence


def test_the_last_group_is_what_the_page_says() -> None:
    letters = letters_of(bytes(range(32)))
    digest = hashlib.sha256(b"floordraw/master-key/" + letters.encode()).digest()
    assert on_paper(letters).endswith(f" {base64.b32encode(digest).decode()[:4]}")


@pytest.mark.parametrize("typed", ["", "ABCD", "A" * 57, "9" * 56, "é" * 52])
def test_what_is_no_paper_is_refused(typed: str) -> None:
    with pytest.raises(Refused, match="X_KEY_MISTYPED"):
        key_from_paper(typed)
