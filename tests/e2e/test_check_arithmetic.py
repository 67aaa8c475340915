"""The guest's own arithmetic against the record's vectors and Python's verifier: nothing forged is taken."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from check_bundle import Arithmetic
from playwright.sync_api import Browser

from draw_engine.pool import Pool
from draw_engine.proofs import check, prove, prove_absent, prove_leaf
from draw_engine.references import guest_secret, references

TESTS = Path(__file__).resolve().parents[1]
VECTORS: dict[str, Any] = json.loads((TESTS / "vectors" / "draw-record-vectors.json").read_text())
SIZES = [1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 80, 97, 1000]


@pytest.fixture(scope="module")
def js(browser: Browser) -> Iterator[Arithmetic]:
    made = Arithmetic(browser, "check_arithmetic.js")
    yield made
    made.close()


@pytest.fixture(scope="module")
def tickets(browser: Browser) -> Iterator[Arithmetic]:
    made = Arithmetic(browser, "witness_arithmetic.js")
    yield made
    made.close()


def numbered(count: int, weight: Callable[[int], int] = lambda _: 1) -> Pool:
    return Pool.of((hashlib.sha256(b"%d" % i).digest()[:16], weight(i)) for i in range(count))


def stated(pool: Pool) -> dict[str, Any]:
    return {"root": pool.root, "size": pool.size, "total": str(pool.total)}


def raw_of(text: str) -> bytes:
    body = text.removeprefix("FD1:")
    return base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))


def text_of(raw: bytes) -> str:
    return "FD1:" + base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def python_takes(text: str, pool: Pool) -> bool:
    try:
        check(text, root=pool.root, size=pool.size, total=pool.total)
    except ValueError:
        return False
    return True


# -- the record's own vectors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", VECTORS["refs"], ids=lambda one: one["member"])
def test_the_references_of_the_vectors(js: Arithmetic, vector: dict[str, str]) -> None:
    assert js.call("referenceOf", vector["s"], vector["member"]) == {"gives": vector["ref"]}


def test_a_number_is_taken_in_its_composed_form(js: Arithmetic) -> None:
    (vector,) = [one for one in VECTORS["refs"] if not one["member"].isascii()]
    apart = vector["member"].replace("Ü", "U\u0308")
    assert apart != vector["member"]
    assert js.call("referenceOf", vector["s"], apart) == {"gives": vector["ref"]}


@pytest.mark.parametrize("vector", VECTORS["proofs"], ids=lambda one: one["pool"])
def test_the_proofs_of_the_vectors(js: Arithmetic, vector: dict[str, str]) -> None:
    pool = next(one for one in VECTORS["pools"] if one["name"] == vector["pool"])
    of = {name: pool[name] for name in ("root", "size", "total")}
    found = js.call("standing", vector["ref"], [vector["text"]], of)["gives"]["found"]
    assert (found["first"], found["last"]) == (vector["first_ticket"], vector["last_ticket"])


def selections() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [(pool, made) for pool in VECTORS["pools"] for made in pool.get("selections", [])]


def test_the_tickets_of_the_vectors_without_the_browsers_own_hashes(tickets: Arithmetic) -> None:
    """Plain http has no `crypto.subtle`: the page's hashes are its own."""
    tickets._page.evaluate("Object.defineProperty(globalThis.crypto, 'subtle', { value: undefined })")
    assert selections()
    for pool, made in selections():
        given = tickets.call("publicOf", made["public"])["gives"]
        asked = {name: pool[name] for name in ("root", "size", "total")} | {"ordinal": made["ordinal"], "public": given}
        assert (
            tickets.call("redone", VECTORS["draw"], VECTORS["house_seed"], asked)["gives"]["ticket"] == made["ticket"]
        )
    for one in VECTORS["public"]:
        assert tickets.call("publicOf", one["texts"]) == {"gives": one["public"]}


@pytest.mark.parametrize(("rehearsal", "commitment"), [(False, "commitment"), (True, "rehearsal_commitment")])
def test_the_commitments_of_the_vectors(tickets: Arithmetic, *, rehearsal: bool, commitment: str) -> None:
    said = {"id": VECTORS["draw"], "house_seed": VECTORS["house_seed"], "rehearsal": rehearsal}
    assert tickets.call("opensCommitment", said | {"commitment": VECTORS[commitment]}) == {"gives": True}
    assert tickets.call("opensCommitment", said | {"commitment": "0" * 64}) == {"gives": False}


# -- pools of every shape -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [lambda _: 1, lambda i: i * i + 1, lambda i: 2**50 + i], ids=["one", "some", "many"])
@pytest.mark.parametrize("size", SIZES)
def test_every_leaf_gives_the_tickets_that_the_verifier_gives(
    js: Arithmetic, size: int, weight: Callable[[int], int]
) -> None:
    pool = numbered(size, weight)
    texts = [prove_leaf(pool, leaf) for leaf in range(-(-size // 16))]
    for text, told in zip(texts, js.each("checkProof", [[text, stated(pool)] for text in texts]), strict=True):
        ranges = check(text, root=pool.root, size=pool.size, total=pool.total)
        mine = [(one["ref"], int(one["first"]), int(one["last"])) for one in told["gives"]["ranges"]]
        assert mine == [(ref.hex(), first, last) for ref, (first, last) in ranges.items()]


@pytest.mark.parametrize("size", SIZES)
def test_what_a_proof_alone_fixes_of_its_pool(js: Arithmetic, size: int) -> None:
    """The total always; the size within sixteen, and from the last leaf exactly."""
    pool = numbered(size, lambda i: i + 1)
    leaves = -(-size // 16)
    for leaf in {0, leaves // 2, leaves - 1}:
        said = js.call("readProof", prove_leaf(pool, leaf))["gives"]
        low, high = (size, size) if leaf == leaves - 1 else (16 * (leaves - 1) + 1, 16 * leaves)
        assert (said["root"], said["total"], said["low"], said["high"]) == (pool.root, str(pool.total), low, high)


# -- who is not in it -----------------------------------------------------------------------------------------------


def strangers(pool: Pool) -> list[bytes]:
    """A reference for every place between two, and at both ends: right after each one that stands in the pool."""
    after = [(int.from_bytes(ref, "big") + 1).to_bytes(16, "big") for ref in pool.refs()]
    return [b"\0" * 16, *after, b"\xff" * 16]


@pytest.mark.parametrize("size", SIZES)
def test_a_place_that_is_taken_by_others_is_shown_for_whoever_is_not_in_it(js: Arithmetic, size: int) -> None:
    pool = numbered(size)
    refs = [ref.hex() for ref in pool.refs()]
    sought = [ref for ref in strangers(pool) if ref not in pool]
    given = [list(prove_absent(pool, ref)) for ref in sought]
    # Between two leaves two proofs are needed: so often as there are borders.
    assert sum(len(proofs) == 2 for proofs in given) == -(-size // 16) - 1
    table = [[ref.hex(), proofs, stated(pool)] for ref, proofs in zip(sought, given, strict=True)]
    for ref, told in zip(sought, js.each("standing", table), strict=True):
        above = sum(one < ref.hex() for one in refs)
        assert told["gives"] == {
            "below": refs[above - 1] if above else None,
            "above": refs[above] if above < size else None,
        }


def test_absence_is_shown_by_its_own_place_alone(js: Arithmetic) -> None:
    pool = numbered(80)
    refs = list(pool.refs())
    leaves = [prove_leaf(pool, leaf) for leaf in range(5)]
    within = (int.from_bytes(refs[20], "big") + 1).to_bytes(16, "big").hex()
    border = (int.from_bytes(refs[31], "big") + 1).to_bytes(16, "big").hex()
    of = stated(pool)
    takes = js.call("standing", within, [leaves[1]], of)["gives"]
    assert takes == {"below": refs[20].hex(), "above": refs[21].hex()}
    refused: list[tuple[str, list[str]]] = [
        *((within, [leaves[n]]) for n in (0, 2, 3, 4)),
        *((border, [leaves[n]]) for n in range(5)),
        *((border, pair) for pair in ([leaves[2], leaves[1]], [leaves[1], leaves[3]], [leaves[1], leaves[1]])),
        (border, [leaves[0], leaves[1]]),
        (border, [leaves[2], leaves[3]]),
        (border, []),
        (border, [leaves[1], leaves[2], leaves[3]]),
        ("0" * 32, [leaves[1]]),
        ("f" * 32, [leaves[3]]),
    ]
    for told in js.each("standing", [[ref, proofs, of] for ref, proofs in refused]):
        assert told in ({"fault": "elsewhere"}, {"fault": "order"})
    assert "gives" in js.call("standing", border, [leaves[1], leaves[2]], of)


# -- nothing forged is taken ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 16, 17, 33, 80, 1000])
def test_a_proof_with_any_one_bit_changed_is_refused(js: Arithmetic, size: int) -> None:
    pool = numbered(size)
    raw = raw_of(prove(pool, list(pool.refs())[-1]))
    forged = [
        text_of(raw[:at] + bytes([raw[at] ^ 1 << bit]) + raw[at + 1 :]) for at in range(len(raw)) for bit in range(8)
    ]
    told = js.each("checkProof", [[text, stated(pool)] for text in forged])
    assert [one for one in told if "fault" not in one] == []
    assert not any(python_takes(text, pool) for text in forged[:: max(1, len(forged) // 60)])


@pytest.mark.parametrize("size", [1, 17, 80])
def test_a_proof_with_any_one_letter_changed_is_refused(js: Arithmetic, size: int) -> None:
    pool = numbered(size)
    text = prove(pool, next(pool.refs()))
    forged = [
        text[:at] + other + text[at + 1 :] for at in range(len(text)) for other in "A-_9+/= \n" if text[at] != other
    ]
    told = js.each("checkProof", [[one, stated(pool)] for one in forged])
    assert [one for one in told if "fault" not in one] == []


def at(raw: bytes, place: int, value: int, width: int) -> bytes:
    return raw[:place] + value.to_bytes(width, "big") + raw[place + width :]


def record(ref: bytes, weight: int = 1) -> bytes:
    return ref + weight.to_bytes(8, "big")


def of_leaf(data: bytes, index: int = 0, count: int = 1) -> tuple[str, str]:
    """(proof, root) of a tree of one leaf that a forger builds to be whole in itself: only the rules can refuse it."""
    root = hashlib.sha256(b"\0" + data).digest()
    head = root + index.to_bytes(4, "big") + count.to_bytes(4, "big") + len(data).to_bytes(2, "big")
    return text_of(head + data), root.hex()


FORGED_LEAVES: dict[str, tuple[bytes, int, int, str]] = {
    "out of order": (record(b"b" * 16) + record(b"a" * 16), 2, 2, "order"),
    "the same twice": (record(b"a" * 16) + record(b"a" * 16), 2, 2, "order"),
    "no entries": (record(b"a" * 16, 0), 1, 0, "weight"),
    "too many entries": (record(b"a" * 16, 2**63), 1, 2**63, "weight"),
    "too many in all": (record(b"a" * 16, 2**62) + record(b"b" * 16, 2**62), 2, 2**63, "sum"),
    "a record and a half": (record(b"a" * 16) + b"x" * 12, 1, 1, "records"),
    "nobody": (b"", 0, 0, "records"),
    "seventeen": (b"".join(record(bytes([i]) * 16) for i in range(17)), 17, 17, "records"),
}


@pytest.mark.parametrize("name", FORGED_LEAVES)
def test_a_leaf_that_is_whole_in_itself_and_against_the_rules_is_refused(js: Arithmetic, name: str) -> None:
    data, size, total, fault = FORGED_LEAVES[name]
    text, root = of_leaf(data)
    assert js.call("checkProof", text, {"root": root, "size": size, "total": str(total)}) == {"fault": fault}
    with pytest.raises(ValueError):  # noqa: PT011 - that it is refused; each names it in its own words
        check(text, root=root, size=size, total=total)


def malformed(pool: Pool) -> dict[str, tuple[str, str]]:
    text = prove(pool, list(pool.refs())[40])
    raw = raw_of(text)
    body = text.removeprefix("FD1:")
    stretched = raw[:-1]  # its base64 leaves bits over, which must be nought
    last = text_of(stretched)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    loose = last[:-1] + letters[letters.index(last[-1]) | 1]
    return {
        "nothing": ("", "prefix"),
        "without its beginning": (body, "prefix"),
        "small letters": ("fd1:" + body, "prefix"),
        "the beginning alone": ("FD1:", "cut"),
        "padded": (text + "=", "letters"),
        "the other alphabet": ("FD1:" + body[:-1] + "+", "letters"),
        "a space": (text + " ", "letters"),
        "far too long": ("FD1:" + "A" * 4000, "letters"),
        "an impossible length": ("FD1:" + "A" * 57, "cut"),
        "bits left over": (loose, "bits"),
        "cut": (text_of(raw[:-1]), "cut"),
        "a byte left over": (text_of(raw + b"\0"), "cut"),
        "a node left over": (text_of(raw + b"\0" * 40), "siblings"),
        "a node too few": (text_of(raw[:-40]), "siblings"),
        "no data": (text_of(raw[:42]), "cut"),
        "another root": (text_of(b"\0" * 32 + raw[32:]), "climb"),
        "the leaf before": (text_of(at(raw, 32, 1, 4)), "climb"),
        "the leaf after": (text_of(at(raw, 32, 3, 4)), "climb"),
        "a leaf that is not there": (text_of(at(raw, 32, 5, 4)), "leaf"),
        "no leaves": (text_of(at(raw, 36, 0, 4)), "leaf"),
        "the longest count": (text_of(at(raw, 36, 2**32 - 1, 4)), "siblings"),
        "another length": (text_of(at(raw, 40, 360, 2)), "cut"),
    }


def test_what_is_no_proof_is_refused_by_its_fault(js: Arithmetic) -> None:
    pool = numbered(80)
    for name, (text, fault) in malformed(pool).items():
        assert js.call("checkProof", text, stated(pool)) == {"fault": fault}, name
        assert not python_takes(text, pool), name
    right = prove(pool, list(pool.refs())[40])
    wrong = {
        "root": {"root": numbered(81).root},
        "leaves": {"size": 81},
        "total": {"total": "81"},
    }
    for fault, other in wrong.items():
        assert js.call("checkProof", right, stated(pool) | other) == {"fault": fault}
    end = prove(pool, list(pool.refs())[-1])
    assert js.call("checkProof", end, stated(pool) | {"size": 79}) == {"fault": "records"}


def test_the_references_are_those_that_the_engine_gives(js: Arithmetic) -> None:
    key, draw = bytes.fromhex(VECTORS["reference_key"]), VECTORS["draw"]
    members = [str(100_000 + i) for i in range(40)]
    made = references(key, draw, members)
    for member in members:
        secret = guest_secret(key, draw, member).hex()
        assert js.call("referenceOf", secret, member) == {"gives": made[member].hex()}
