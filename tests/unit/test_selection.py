import hashlib
import hmac
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.canonical import format_time, parse_time
from draw_engine.pool import Pool
from draw_engine.references import guest_secret, reference, references
from draw_engine.selection import (
    commitment,
    first_below,
    house_seed_of_rehearsal,
    public_digest,
    reference_key_of_rehearsal,
    salt_of_rehearsal,
    signing_key_of_rehearsal,
    spread_moments,
    ticket,
)

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "draw-record-vectors.json").read_text())
SEED = bytes.fromhex(VECTORS["house_seed"])
DRAW = VECTORS["draw"]
KEY = bytes.fromhex(VECTORS["reference_key"])
WEIGHTS = {  # as each vector's "weights" words it
    "weighted-300": lambda i: i % 7 + 1,
    "total-2^53-1": lambda i: (2**53 - 2, 1)[i],
    "total-2^53": lambda i: (2**53 - 1, 1)[i],
    "near-2^63": lambda i: 2**60 + i,
}


def vector_pool(vector):
    members = [str(100_000 + i) for i in range(vector["size"])]
    refs = references(KEY, DRAW, members)
    weight = WEIGHTS.get(vector["name"], lambda _: 1)
    return Pool.of((refs[member], weight(i)) for i, member in enumerate(members))


def by_name(vectors):
    return pytest.mark.parametrize("vector", vectors, ids=lambda vector: vector.get("name", vector.get("member")))


@by_name(VECTORS["refs"])
def test_reference_vectors(vector):
    secret = guest_secret(KEY, DRAW, vector["member"])
    assert secret.hex() == vector["s"]
    assert reference(secret, vector["member"]).hex() == vector["ref"]
    assert references(KEY, DRAW, [vector["member"]]) == {vector["member"]: bytes.fromhex(vector["ref"])}


def test_a_member_number_counts_in_its_nfc_form():
    composed, decomposed = "\u00dcnal-9", "U\u0308nal-9"
    expected = next(v["ref"] for v in VECTORS["refs"] if v["member"] == composed)
    assert reference(guest_secret(KEY, DRAW, decomposed), decomposed).hex() == expected
    assert references(KEY, DRAW, [decomposed])[decomposed].hex() == expected


def test_a_reference_lasts_for_one_draw():
    assert guest_secret(KEY, DRAW, "100001") != guest_secret(KEY, DRAW + "x", "100001")


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_reference_key_of_another_length_is_refused(length):
    with pytest.raises(ValueError, match="32 bytes"):
        guest_secret(b"k" * length, DRAW, "1")
    with pytest.raises(ValueError, match="32 bytes"):
        references(b"k" * length, DRAW, ["1"])


def test_commitment_vectors():
    assert commitment(DRAW, SEED) == VECTORS["commitment"]
    assert commitment(DRAW, SEED, rehearsal=True) == VECTORS["rehearsal_commitment"]
    with pytest.raises(ValueError, match="32 bytes"):
        commitment(DRAW, SEED[:-1])


@pytest.mark.parametrize("vector", VECTORS["public"])
def test_public_vectors(vector):
    assert public_digest(vector["texts"]) == vector["public"]


@by_name(VECTORS["pools"])
def test_pool_vectors(vector):
    pool = vector_pool(vector)
    assert pool.size == vector["size"]
    assert str(pool.total) == vector["total"]
    assert hashlib.sha256(pool.data).hexdigest() == vector["sha256_of_pool_file"]
    assert pool.root == vector["root"]
    again = Pool.read(pool.data)
    assert (again.root, again.size, again.total) == (pool.root, pool.size, pool.total)


@by_name([pool for pool in VECTORS["pools"] if "selections" in pool])
def test_selection_vectors(vector):
    pool = vector_pool(vector)
    for selection in vector["selections"]:
        made = ticket(
            SEED,
            draw=DRAW,
            ordinal=selection["ordinal"],
            root=pool.root,
            size=pool.size,
            total=pool.total,
            public=public_digest(selection["public"]),
        )
        assert str(made) == selection["ticket"]
        assert pool.entry_at(made)[0].hex() == selection["ref"]


def test_moment_vectors():
    vector = VECTORS["moments"]
    start, end = parse_time(vector["start"]), parse_time(vector["end"])
    made = spread_moments(SEED, draw=DRAW, start=start, end=end, count=vector["count"])
    assert [format_time(at) for at in made] == vector["at"]


@settings(max_examples=40)
@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**41), st.integers(1, 10**9), st.integers(1, 60))
def test_one_moment_in_each_equal_part(seed, start, length, count):
    made = spread_moments(seed, draw="d", start=start, end=start + length, count=count)
    for n, at in enumerate(made):
        assert start + n * length // count <= at < start + -(-(n + 1) * length // count)


@pytest.mark.parametrize(("start", "end", "count"), [(5, 5, 1), (6, 5, 1), (0, 5, 0)])
def test_moments_need_a_span_and_a_count(start, end, count):
    with pytest.raises(ValueError, match="moments"):
        spread_moments(SEED, draw=DRAW, start=start, end=end, count=count)


def test_a_ticket_takes_the_first_throw_below_the_limit_and_throws_the_rest_away():
    limit = 2**256 - 2**256 % 10  # ...6 of 2^256 are left over for a total of 10
    assert 2**256 % 10 == 6
    assert first_below(10, iter([limit, 2**256 - 1, limit - 1])) == 9
    assert first_below(10, iter([limit + 5, 13])) == 3
    assert first_below(10, iter([13, 14])) == 3


@pytest.mark.parametrize("total", [1, 2, 2**53, 2**62])
def test_a_total_that_divides_the_space_throws_nothing_away(total):
    assert first_below(total, iter([2**256 - 1])) == total - 1


@pytest.mark.parametrize("total", [3, 7, 10, 1197, 2**63 - 1])
def test_every_ticket_is_as_likely_because_the_limit_is_a_multiple_of_the_total(total):
    limit = 2**256 // total * total
    assert first_below(total, iter([limit - 1, 0])) == total - 1
    assert first_below(total, iter([limit, 1 % total])) == 1 % total


@pytest.mark.parametrize("total", [0, -1])
def test_nobody_is_selected_from_an_empty_pool(total):
    with pytest.raises(ValueError, match="without entries"):
        first_below(total, iter([1]))
    with pytest.raises(ValueError, match="without entries"):
        ticket(SEED, draw=DRAW, ordinal=0, root="0" * 64, size=0, total=total, public=public_digest([]))


def test_a_ticket_restated_by_hand():
    root, public = "ab" * 32, public_digest([])
    message = (
        f'{{"draw":"{DRAW}","ordinal":7,"pool":{{"root":"{root}","size":3,"total":"12345"}},"public":"{public}","v":1}}'
    ).encode()
    key = hmac.new(SEED, message, "sha256").digest()
    x = int.from_bytes(hmac.new(key, b"\0\0\0\0", "sha256").digest(), "big")
    assert ticket(SEED, draw=DRAW, ordinal=7, root=root, size=3, total=12345, public=public) == x % 12345


@pytest.mark.parametrize(
    "change",
    [{"draw": "other"}, {"ordinal": 1}, {"root": "cd" * 32}, {"size": 301}, {"total": 2**62 - 1}, {"public": "0" * 64}],
)
def test_every_part_of_what_is_printed_moves_the_ticket(change):
    stated = {"draw": DRAW, "ordinal": 0, "root": "ab" * 32, "size": 300, "total": 2**62, "public": public_digest([])}
    assert ticket(SEED, **stated) != ticket(SEED, **(stated | change))


def test_a_seed_of_another_length_is_refused():
    with pytest.raises(ValueError, match="32 bytes"):
        ticket(SEED[:16], draw=DRAW, ordinal=0, root="0" * 64, size=1, total=1, public=public_digest([]))


def test_a_rehearsals_randomness_is_the_pages():
    S = b"rehearse"  # noqa: N806 - the page's letter for it
    assert house_seed_of_rehearsal(S, DRAW) == hmac.new(S, DRAW.encode(), "sha256").digest()
    assert reference_key_of_rehearsal(S) == hmac.new(S, b"floordraw/1/rehearsal-reference", "sha256").digest()
    assert signing_key_of_rehearsal(S) == hmac.new(S, b"floordraw/1/rehearsal-key", "sha256").digest()
    assert salt_of_rehearsal(S, 12) == hmac.new(S, b"floordraw/1/rehearsal-salt\n12", "sha256").digest()[:16]
