"""What a good secret is, how codes are typed, and that a hash is argon2id of RFC 9106's second recommended setting."""

from __future__ import annotations

import re
from threading import Event, Thread
from typing import Literal

import pytest
from argon2 import PasswordHasher, extract_parameters
from argon2.low_level import Type

from draw_engine.errors import Refused
from kiosk.sign_in.secret_hash import Secrets, kind_of, new_code, plain_code

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.mark.parametrize("secret", ["583920", "000001492", "739105826417"])
def test_digits_are_a_pin(secret: str) -> None:
    assert kind_of(secret) == "pin"


@pytest.mark.parametrize("secret", ["the brown mug is mine", "Tafelberg-om-vyf", "0123456789abcdef"])
def test_anything_long_is_a_password(secret: str) -> None:
    assert kind_of(secret) == "password"


@pytest.mark.parametrize(
    "secret", ["", "1234", "123456", "111111", "121212", "112112", "password", "aaaaaaaaaaaaaaaa", "x" * 201, "58392a"]
)
def test_what_is_easily_guessed_is_refused(secret: str) -> None:
    with pytest.raises(Refused) as refusal:
        kind_of(secret)
    assert refusal.value.code == "X_SECRET_WEAK"


def test_a_hash_is_argon2id_of_rfc_9106() -> None:
    """Section 4: argon2id, t=3, m=2^16 (64 MiB), 128-bit salt, 256-bit tag; lanes cost time here, one does."""
    said = extract_parameters(Secrets().hash("583920"))
    assert (said.type, said.time_cost, said.memory_cost, said.hash_len, said.salt_len) == (Type.ID, 3, 65_536, 32, 16)


def test_right_and_wrong() -> None:
    secrets = Secrets(QUICK)
    kept = secrets.hash("583920")
    assert secrets.is_right(kept, "583920")
    assert not secrets.is_right(kept, "583921")
    assert not secrets.is_right(None, "583920")
    assert not secrets.is_right("no hash", "583920")
    assert not secrets.is_right(kept, "5" * 100_000)
    assert not secrets.is_right(kept, "\ud800")  # half a letter cannot be hashed


def test_codes_are_of_letters_that_nobody_mistakes_and_differ() -> None:
    made = {new_code() for _ in range(200)}
    assert len(made) == 200
    assert all(re.fullmatch(r"[A-HJKMNP-TV-Z2-9]{8}", code) for code in made)


@pytest.mark.parametrize("typed", ["K7Q2MXPR", "k7q2-mxpr", " k7q2 mxpr "])
def test_a_code_is_taken_however_it_is_typed(typed: str) -> None:
    assert plain_code(typed) == "K7Q2MXPR"


def test_strangers_never_have_all_the_turns() -> None:
    """However many guess from the floor's Wi-Fi, somebody at the house's own devices comes in."""
    started, go_on = Event(), Event()

    class Slow(PasswordHasher):
        def verify(self, _hash: str | bytes, _said: str | bytes) -> Literal[True]:
            started.set()
            assert go_on.wait(10)
            return True

    secrets = Secrets(Slow(time_cost=1, memory_cost=8, parallelism=1))
    kept = secrets.hash("583920")
    stranger = Thread(target=lambda: secrets.is_right(kept, "x", stranger=True), daemon=True)
    stranger.start()
    assert started.wait(10)
    assert not secrets._strangers.acquire(blocking=False)
    assert secrets._turns.acquire(blocking=False)  # a turn is left, which no stranger may take
    secrets._turns.release()
    go_on.set()
    stranger.join(10)
    assert secrets.is_right(kept, "583920")
