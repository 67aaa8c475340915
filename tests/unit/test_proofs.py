"""Pools and their proofs: the tree restated slowly, and nothing of a proof that can be changed unseen."""

import base64
import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.pool import Pool
from draw_engine.proofs import check, prove, prove_absent
from draw_engine.references import references

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "draw-record-vectors.json").read_text())
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
REFS = st.binary(min_size=16, max_size=16)
WEIGHTS = st.one_of(st.just(1), st.integers(1, 50), st.integers(1, 2**55))
ENTRIES = st.dictionaries(REFS, WEIGHTS, min_size=1, max_size=70)


def numbered(count, weight=lambda _: 1):
    return [(hashlib.sha256(b"%d" % i).digest()[:16], weight(i)) for i in range(count)]


def sha(data):
    return hashlib.sha256(data).digest()


def split(count):
    """The largest power of two smaller than the count (RFC 9162 2.1.1)."""
    k = 1
    while k * 2 < count:
        k *= 2
    return k


def plain_tree(leaves):
    """MTH of RFC 9162 2.1.1, word for word."""
    if not leaves:
        return sha(b"")
    if len(leaves) == 1:
        return sha(b"\0" + leaves[0])
    k = split(len(leaves))
    return sha(b"\1" + plain_tree(leaves[:k]) + plain_tree(leaves[k:]))


def summed_tree(leaves):
    """The record's tree, by the same recursion: (hash, sum) of a list of lists of (ref, weight)."""
    if len(leaves) == 1:
        data = b"".join(ref + weight.to_bytes(8, "big") for ref, weight in leaves[0])
        return sha(b"\0" + data), sum(weight for _, weight in leaves[0])
    k = split(len(leaves))
    (left, left_sum), (right, right_sum) = summed_tree(leaves[:k]), summed_tree(leaves[k:])
    node = sha(b"\1" + left + left_sum.to_bytes(8, "big") + right + right_sum.to_bytes(8, "big"))
    return node, left_sum + right_sum


def slow_root(entries):
    ordered = sorted(entries)
    return summed_tree([ordered[i : i + 16] for i in range(0, len(ordered), 16)])[0].hex()


def test_the_tests_recursion_has_the_known_roots_of_certificate_transparency():
    leaves = [
        bytes.fromhex(text)
        for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
    ]
    roots = [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ]
    assert [plain_tree(leaves[: n + 1]).hex() for n in range(8)] == roots


@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 31, 32, 33, 48, 49, 64, 65, 80, 97, 113, 128, 129, 255, 257, 1000])
def test_the_root_is_that_of_the_slow_recursion(count):
    equal = numbered(count)
    assert Pool.of(equal).root == slow_root(equal)
    assert Pool.equal(ref for ref, _ in equal).root == slow_root(equal)
    weighted = numbered(count, lambda i: i * i + 1)
    assert Pool.of(weighted).root == slow_root(weighted)


@settings(max_examples=40)
@given(ENTRIES, st.randoms(use_true_random=False))
def test_the_order_of_the_entries_does_not_matter(entries, shuffle):
    listed = list(entries.items())
    shuffle.shuffle(listed)
    pool = Pool.of(listed)
    assert pool.data == Pool.of(entries.items()).data
    assert pool.root == slow_root(listed)
    assert pool.total == sum(entries.values())
    assert list(pool.refs()) == sorted(entries)


@settings(max_examples=40)
@given(st.dictionaries(REFS, st.integers(1, 50), min_size=1, max_size=70), st.data())
def test_a_ticket_belongs_to_the_running_range_that_holds_it(entries, data):
    pool = Pool.of(entries.items())
    ticket = data.draw(st.integers(0, pool.total - 1))
    one_by_one = [entry for entry in sorted(entries.items()) for _ in range(entry[1])]
    ref, weight = one_by_one[ticket]
    assert pool.entry_at(ticket) == (ref, weight)
    first, last = pool.tickets_of(ref)
    assert first <= ticket <= last
    assert last - first + 1 == weight


def test_every_ticket_of_a_small_pool():
    pool = Pool.of([(b"b" * 16, 2), (b"a" * 16, 1), (b"c" * 16, 3)])
    assert [pool.entry_at(t)[0][:1] for t in range(6)] == [b"a", b"b", b"b", b"c", b"c", b"c"]
    assert [pool.tickets_of(c * 16) for c in (b"a", b"b", b"c")] == [(0, 0), (1, 2), (3, 5)]
    equal = Pool.equal([b"b" * 16, b"a" * 16])
    assert [equal.entry_at(t) for t in range(2)] == [(b"a" * 16, 1), (b"b" * 16, 1)]
    assert equal.tickets_of(b"b" * 16) == (1, 1)
    for outside in (-1, 6):
        with pytest.raises(ValueError, match="0 to 5"):
            pool.entry_at(outside)


def test_membership():
    pool = Pool.equal(ref for ref, _ in numbered(40))
    assert all(ref in pool for ref, _ in numbered(40))
    assert not any(ref in pool for ref, _ in numbered(60)[40:])
    assert b"\xff" * 16 not in pool
    assert b"" not in pool
    assert "text" not in pool
    assert b"x" * 16 not in Pool.of([])
    with pytest.raises(KeyError):
        pool.index(b"\xff" * 16)


def test_a_pool_cannot_be_changed():
    pool = Pool.equal([b"a" * 16])
    with pytest.raises(AttributeError):
        pool.data = b""


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ([(b"a" * 16, 1), (b"a" * 16, 1)], "record 1: its reference is the same"),
        ([(b"a" * 16, 1), (b"a" * 16, 2)], "record 1: its reference is the same"),
        ([(b"a" * 15, 1)], "record 0: a reference is 16 bytes, not 15"),
        ([(b"a" * 17, 1)], "record 0: a reference is 16 bytes, not 17"),
        ([(b"a" * 16, 0)], "record 0: the weight 0"),
        ([(b"a" * 16, -1)], "record 0: the weight -1"),
        ([(b"a" * 16, 2**63)], "record 0: the weight 9223372036854775808"),
        ([(b"a" * 16, 2**63 - 1), (b"b" * 16, 1)], "sum"),
        ([(bytes([i]) * 16, 2**62) for i in range(4)], "sum"),
    ],
)
def test_entries_that_make_no_pool(entries, says):
    with pytest.raises(ValueError, match=says):
        Pool.of(entries)


def test_refs_that_make_no_pool():
    with pytest.raises(ValueError, match="the same"):
        Pool.equal([b"a" * 16, b"b" * 16, b"a" * 16])
    with pytest.raises(ValueError, match="record 1: a reference is 16 bytes, not 8"):
        Pool.equal([b"a" * 16, b"b" * 8, b"c" * 24])


def record(ref, weight=1):
    return ref + weight.to_bytes(8, "big")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (record(b"a" * 16)[:-1], "records of 24 bytes"),
        (record(b"a" * 16) + b"\0", "records of 24 bytes"),
        (record(b"b" * 16) + record(b"a" * 16), "record 1: its reference is below"),
        (record(b"a" * 16) + record(b"b" * 16) + record(b"b" * 16), "record 2: its reference is the same"),
        # the first half of the references alike: the second half decides
        (record(b"a" * 8 + b"y" * 8) + record(b"a" * 8 + b"x" * 8), "record 1: its reference is below"),
        (record(b"a" * 16, 0), "record 0: the weight 0"),
        (record(b"a" * 16) + record(b"b" * 16, 2**63), "record 1: the weight 9223372036854775808"),
        (record(b"a" * 16, 2**62) + record(b"b" * 16, 2**62), "sum"),
    ],
)
def test_bytes_that_are_no_pool_file(data, says):
    with pytest.raises(ValueError, match=says):
        Pool.read(data)


def test_references_alike_in_their_first_half_are_in_order_by_their_second():
    data = record(b"a" * 8 + b"x" * 8) + record(b"a" * 8 + b"y" * 8)
    assert Pool.read(data).size == 2


def test_the_largest_total_is_kept():
    pool = Pool.read(record(b"a" * 16, 2**63 - 2) + record(b"b" * 16))
    assert pool.total == 2**63 - 1
    assert pool.entry_at(2**63 - 2) == (b"b" * 16, 1)
    assert check(prove(pool, b"b" * 16), root=pool.root, size=2, total=pool.total)[b"b" * 16] == (2**63 - 2, 2**63 - 2)


@pytest.mark.parametrize("vector", VECTORS["proofs"], ids=lambda vector: vector["pool"])
def test_proof_vectors(vector):
    stated = next(pool for pool in VECTORS["pools"] if pool["name"] == vector["pool"])
    key, draw = bytes.fromhex(VECTORS["reference_key"]), VECTORS["draw"]
    weight = (lambda i: i % 7 + 1) if vector["pool"] == "weighted-300" else (lambda _: 1)
    refs = references(key, draw, [str(100_000 + i) for i in range(stated["size"])])
    pool = Pool.of((ref, weight(i)) for i, ref in enumerate(refs.values()))
    ref = bytes.fromhex(vector["ref"])
    assert refs[vector["member"]] == ref
    assert prove(pool, ref) == vector["text"]
    ranges = check(vector["text"], root=stated["root"], size=stated["size"], total=int(stated["total"]))
    assert ranges[ref] == (int(vector["first_ticket"]), int(vector["last_ticket"]))


@settings(max_examples=25)
@given(ENTRIES)
def test_every_entrants_proof_verifies_and_gives_their_tickets(entries):
    pool = Pool.of(entries.items())
    for ref in entries:
        ranges = check(prove(pool, ref), root=pool.root, size=pool.size, total=pool.total)
        assert ranges[ref] == pool.tickets_of(ref)
        assert all(ranges[other] == pool.tickets_of(other) for other in ranges)
        assert len(ranges) <= 16


@settings(max_examples=60)
@given(ENTRIES, REFS, st.data())
def test_who_is_not_in_it_is_shown_the_two_beside_their_place(entries, stranger, data):
    pool = Pool.of(entries.items())
    near = int.from_bytes(data.draw(st.sampled_from(sorted(entries))), "big") + data.draw(st.sampled_from([-1, 1]))
    for ref in {stranger, max(0, min(near, 2**128 - 1)).to_bytes(16, "big")} - set(entries):
        texts = prove_absent(pool, ref)
        shown = [one for text in texts for one in check(text, root=pool.root, size=pool.size, total=pool.total)]
        assert shown == sorted(shown)
        assert len(texts) == (2 if len(shown) > 16 else 1)
        beside = [one for one in sorted(entries) if one < ref][-1:] + [one for one in sorted(entries) if one > ref][:1]
        assert set(beside) <= set(shown)
    with pytest.raises(ValueError, match="is in the pool"):
        prove_absent(pool, max(entries))


def changed_anywhere(text, data):
    at = data.draw(st.integers(0, len(text) - 1))
    to = data.draw(st.sampled_from([c for c in ALPHABET + "=:+/ \n" if c != text[at]]))
    return text[:at] + to + text[at + 1 :]


@settings(max_examples=60)
@given(ENTRIES, st.data())
def test_a_proof_with_one_character_changed_fails(entries, data):
    pool = Pool.of(entries.items())
    text = prove(pool, data.draw(st.sampled_from(sorted(entries))))
    with pytest.raises(ValueError):  # noqa: PT011 - which fault it is depends on where
        check(changed_anywhere(text, data), root=pool.root, size=pool.size, total=pool.total)


@settings(max_examples=60)
@given(ENTRIES, st.data())
def test_a_proof_with_one_bit_changed_fails(entries, data):
    pool = Pool.of(entries.items())
    raw = bytearray(decoded(prove(pool, data.draw(st.sampled_from(sorted(entries))))))
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(ValueError):  # noqa: PT011 - which fault it is depends on where
        check(encoded(bytes(raw)), root=pool.root, size=pool.size, total=pool.total)


@settings(max_examples=60)
@given(ENTRIES, st.data())
def test_a_proof_fails_against_another_root_or_total(entries, data):
    pool = Pool.of(entries.items())
    text = prove(pool, data.draw(st.sampled_from(sorted(entries))))
    at = data.draw(st.integers(0, 63))
    to = data.draw(st.sampled_from([c for c in "0123456789abcdefABCDEF" if c != pool.root[at]]))
    with pytest.raises(ValueError, match="root"):
        check(text, root=pool.root[:at] + to + pool.root[at + 1 :], size=pool.size, total=pool.total)
    digits = str(pool.total)
    at = data.draw(st.integers(0, len(digits) - 1))
    to = data.draw(st.sampled_from([c for c in "0123456789" if c != digits[at]]))
    with pytest.raises(ValueError, match="total"):
        check(text, root=pool.root, size=pool.size, total=int(digits[:at] + to + digits[at + 1 :]))


@settings(max_examples=60)
@given(ENTRIES, st.data())
def test_a_proof_fails_against_a_size_of_another_leaf_count_and_the_last_leafs_against_any_other(entries, data):
    pool = Pool.of(entries.items())
    size = data.draw(st.integers(-1, 120).filter(lambda n: n != pool.size))
    last = prove(pool, max(entries))
    with pytest.raises(ValueError, match=r"leaves|records"):
        check(last, root=pool.root, size=size, total=pool.total)
    if -(-size // 16) != -(-pool.size // 16):
        with pytest.raises(ValueError, match="leaves"):
            check(prove(pool, min(entries)), root=pool.root, size=size, total=pool.total)


def decoded(text):
    body = text.removeprefix("FD1:")
    return base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))


def encoded(raw):
    return "FD1:" + base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def forged(pool, leaf_data, index=0, count=1):
    head = bytes.fromhex(pool.root) + index.to_bytes(4, "big") + count.to_bytes(4, "big")
    return encoded(head + len(leaf_data).to_bytes(2, "big") + leaf_data)


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda text: text.lower(), "begins with FD1"),
        (lambda text: "FD2" + text[3:], "begins with FD1"),
        (lambda text: " " + text, "begins with FD1"),
        (lambda text: text + "=", "base64url"),
        (lambda text: text + "\n", "base64url"),
        (lambda text: text + "A", "base64url|cut short|left over"),
        (lambda text: text + "AAAA", "left over"),
        (lambda text: text[:-4], "cut short|left over"),
        (lambda text: text[:30], "cut short|base64url"),
        (lambda text: text + "A" * 4000, "too long"),
        (lambda text: encoded(decoded(text)[:-40]), "neighbour"),
        (lambda text: encoded(decoded(text) + b"\0" * 40), "neighbour"),
        (lambda _: "FD1:", "cut short"),
        (lambda _: "", "begins with FD1"),
    ],
)
def test_texts_that_are_no_proof(edit, says):
    pool = Pool.equal(ref for ref, _ in numbered(40))
    text = prove(pool, numbered(1)[0][0])
    with pytest.raises(ValueError, match=says):
        check(edit(text), root=pool.root, size=pool.size, total=pool.total)


def test_bits_left_over_in_the_last_character_are_refused():
    pool = Pool.equal(ref for ref, _ in numbered(17))
    text = next(t for ref in pool.refs() if len(t := prove(pool, ref)) % 4 != 0)
    last = ALPHABET.index(text[-1])
    with pytest.raises(ValueError, match="canonical base64url"):
        check(text[:-1] + ALPHABET[last ^ 1], root=pool.root, size=pool.size, total=pool.total)


@pytest.mark.parametrize(
    ("leaf", "size", "says"),
    [
        (record(b"b" * 16) + record(b"a" * 16), 2, "ascending"),
        (record(b"a" * 16) + record(b"a" * 16), 2, "ascending"),
        (record(b"a" * 16, 0) + record(b"b" * 16, 2), 2, "weight"),
        (record(b"a" * 16, 2**63) + record(b"b" * 16), 2, "weight"),
        (record(b"a" * 16, 2**62) + record(b"b" * 16, 2**62), 2, "2\\^63"),
    ],
)
def test_a_tree_over_a_leaf_that_no_pool_has_is_refused(leaf, size, says):
    class Forged:
        root = sha(b"\0" + leaf).hex()

    total = sum(int.from_bytes(leaf[i + 16 : i + 24], "big") for i in range(0, len(leaf), 24))
    with pytest.raises(ValueError, match=says):
        check(forged(Forged, leaf), root=Forged.root, size=size, total=total)


def test_a_leaf_index_outside_the_tree_is_refused():
    pool = Pool.equal([b"a" * 16])
    with pytest.raises(ValueError, match="not one of 1"):
        check(forged(pool, pool.data, index=1), root=pool.root, size=1, total=1)


def test_an_empty_pool_proves_nobody():
    pool = Pool.of([])
    assert (pool.size, pool.total, pool.root) == (0, 0, hashlib.sha256(b"").hexdigest())
    with pytest.raises(KeyError):
        prove(pool, b"a" * 16)
    with pytest.raises(ValueError, match="leaves"):
        check(forged(pool, b"", count=0), root=pool.root, size=0, total=0)
