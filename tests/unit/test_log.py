import base64
import copy
import hashlib
import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.ed25519 import verify
from draw_engine.log import (
    Entry,
    Head,
    body_hash,
    checkpoint_text,
    entry_hash,
    first_break,
    next_entry,
    read_slip,
    slip_text,
)

T0 = 1_696_680_000_000  # 2023-10-07T12:00:00.000Z
DRAW = "silverstar/playtime/2023-10-07/bonus-jackpot-1"


def chain(length=8):
    """A log whose odd entries stand withheld, as a record has it."""
    head, made = None, []
    for i in range(length):
        head = next_entry(
            head,
            at=T0 + 1000 * i,
            kind="feed.heard" if i % 2 else "claim.found",
            draw=None if i % 2 else DRAW,
            actor="engine",
            data={"claim": f"c{i}", "ordinal": i},
            salt=bytes([i]) * 16,
        )
        made.append(head.withheld() if i % 2 else head.shown())
    return made


def test_an_entry_restated_by_hand():
    entry = next_entry(
        Head(seq=6, at=T0, hash="ab" * 32),
        at=T0 + 5,
        kind="claim.found",
        draw="d",
        actor="floor:7",
        data={"ordinal": 0, "claim": "c0"},
        salt=b"\x01" * 16,
    )
    body = hashlib.sha256(
        b'{"actor":"floor:7","data":{"claim":"c0","ordinal":0},"salt":"' + b"01" * 16 + b'"}'
    ).hexdigest()
    prev = "ab" * 32
    whole = hashlib.sha256(
        f'{{"at":"2023-10-07T12:00:00.005Z","body":"{body}","draw":"d","kind":"claim.found",'
        f'"prev":"{prev}","seq":7}}'.encode()
    ).hexdigest()
    assert (entry.seq, entry.at, entry.prev, entry.body, entry.hash) == (7, T0 + 5, "ab" * 32, body, whole)
    assert entry.shown() == {
        "seq": 7,
        "at": "2023-10-07T12:00:00.005Z",
        "kind": "claim.found",
        "draw": "d",
        "actor": "floor:7",
        "data": {"ordinal": 0, "claim": "c0"},
        "salt": "01" * 16,
        "prev": "ab" * 32,
        "hash": whole,
    }
    assert entry.withheld() == {
        "seq": 7,
        "at": "2023-10-07T12:00:00.005Z",
        "kind": "claim.found",
        "draw": "d",
        "body": body,
        "prev": "ab" * 32,
        "hash": whole,
    }
    assert body_hash("floor:7", {"claim": "c0", "ordinal": 0}, "01" * 16) == body
    stated = entry.withheld()
    assert entry_hash(**{name: stated[name] for name in ("seq", "at", "kind", "draw", "prev", "body")}) == whole


def made_after(head, at=T0):
    return next_entry(head, at=at, kind="k", draw=None, actor="engine", data={}, salt=bytes(16))


def test_the_first_entry():
    first = made_after(None)
    assert (first.seq, first.prev, first.at) == (1, "0" * 64, T0)
    assert first.shown()["draw"] is None


def test_an_entrys_time_is_the_later_of_the_clock_and_the_entry_before():
    assert made_after(Head(seq=3, at=T0 + 9, hash="0" * 64)).at == T0 + 9
    assert made_after(Head(seq=3, at=T0 - 9, hash="0" * 64)).at == T0
    first = made_after(None)
    assert made_after(first, T0 - 1).at == T0


def test_a_head_is_enough_to_append():
    first = made_after(None)
    assert made_after(Head(first.seq, first.at, first.hash), T0 + 1) == made_after(first, T0 + 1)


@pytest.mark.parametrize("salt", [b"", b"x" * 15, b"x" * 32])
def test_a_salt_is_16_bytes(salt):
    with pytest.raises(ValueError, match="16 random bytes"):
        next_entry(None, at=T0, kind="k", draw=None, actor="engine", data={}, salt=salt)


@pytest.mark.parametrize("value", [1.5, 2**53, b"x", float("nan")])
def test_data_without_a_canonical_form_is_not_logged(value):
    with pytest.raises(ValueError, match=r"^\$\.data\.a: "):
        next_entry(None, at=T0, kind="k", draw=None, actor="engine", data={"a": value}, salt=bytes(16))


def test_an_entry_cannot_be_changed():
    entry = made_after(None)
    assert isinstance(entry, Entry)
    with pytest.raises(AttributeError):
        entry.seq = 2


def test_a_whole_chain_holds_from_any_entry_on():
    entries = chain()
    assert first_break(entries) is None
    assert first_break(iter(entries[3:])) is None
    assert first_break([]) is None


@pytest.mark.parametrize(("at", "member"), [(i, member) for i, entry in enumerate(chain()) for member in entry])
def test_an_edit_is_found_and_named(at, member):
    entries = chain()
    edits = {
        "seq": entries[at]["seq"] + 100,
        "at": "2023-10-07T12:00:00.001Z",
        "kind": "claim.lost",
        "draw": "another",
        "actor": "manager:1",
        "data": {"claim": "c0"},
        "salt": "ff" * 16,
        "body": "ff" * 32,
        "prev": "ff" * 32,
        "hash": "ff" * 32,
    }
    entries[at] = entries[at] | {member: edits[member]}
    seq, sentence = first_break(entries)
    assert seq == entries[at]["seq"]
    assert "changed" in sentence or "64 zeros" in sentence


def rehashed(entry, **changes):
    changed = entry | changes
    body = changed.get("body") or body_hash(changed["actor"], changed["data"], changed["salt"])
    outer = {name: changed[name] for name in ("seq", "at", "kind", "draw", "prev")}
    return changed | {"hash": entry_hash(body=body, **outer)}


@pytest.mark.parametrize("at", range(7))
def test_an_edit_with_its_own_hash_made_anew_breaks_at_the_next_entry(at):
    entries = chain()
    entries[at] = rehashed(entries[at], kind="claim.lost")
    assert first_break(entries) == (at + 2, f"its prev is not the hash of entry {at + 1}: one of the two was changed")


@pytest.mark.parametrize("at", range(1, 7))
def test_a_deletion_is_found_at_the_entry_after_it(at):
    entries = chain()
    del entries[at]
    seq, sentence = first_break(entries)
    assert seq == at + 2
    assert sentence == f"it follows entry {at}: an entry is missing, doubled or out of order"


def test_a_deletion_hidden_by_numbering_and_hashing_anew_breaks_where_the_new_hashes_end():
    entries = chain()
    del entries[2]
    entries[2] = rehashed(entries[2], seq=3, prev=entries[1]["hash"])
    assert first_break(entries)[0] == 5


@pytest.mark.parametrize("at", range(7))
def test_a_swap_is_found(at):
    entries = chain()
    entries[at], entries[at + 1] = entries[at + 1], entries[at]
    seq, sentence = first_break(entries)
    assert seq == (at + 2 if at else 1)  # with the first two swapped, entry 1 comes after entry 2
    assert "order" in sentence


@pytest.mark.parametrize("at", range(1, 8))
def test_an_insertion_is_found(at):
    entries = chain()
    before = entries[at - 1]
    forged = rehashed(entries[0], seq=at + 1, at=before["at"], prev=before["hash"])
    entries.insert(at, forged)
    assert first_break(entries)[0] == at + 1  # the true entry of that seq follows a second one


def test_an_entry_earlier_than_the_one_before_is_found_although_it_is_hashed_rightly():
    entries = chain(2)
    late = rehashed(entries[1], at="2023-10-07T11:59:59.999Z")
    assert first_break([entries[0], late]) == (2, "its at is earlier than that of entry 1")


def test_the_first_entry_of_a_log_follows_nothing():
    first = chain(1)[0]
    assert first_break([rehashed(first, prev="ab" * 32)])[0] == 1
    assert first_break([rehashed(first, seq=2)])[0] == 2


@pytest.mark.parametrize(
    "change",
    [
        {"seq": "3"},
        {"seq": True},
        {"seq": 0},
        {"seq": 2**53},
        {"at": None},
        {"at": 5},
        {"at": "2023-10-07T12:00:00Z"},
        {"kind": None},
        {"draw": 7},
        {"actor": None},
        {"data": []},
        {"data": {"a": 1.5}},
        {"data": {"\u00e9": 1}},
        {"salt": "FF" * 16},
        {"salt": "ff" * 15},
        {"prev": "FF" * 32},
        {"hash": None},
        {"more": 1},
    ],
)
def test_an_entry_of_another_form_is_named_and_nothing_is_raised(change):
    entries = chain()
    entries[2] = entries[2] | change
    seq, _ = first_break(entries)
    assert seq == (change["seq"] if type(change.get("seq")) is int else 3)


@pytest.mark.parametrize("member", ["seq", "at", "kind", "draw", "actor", "data", "salt", "prev", "hash"])
def test_a_member_left_out_is_named(member):
    entries = chain()
    del entries[2][member]
    assert first_break(entries) == (3, "it has not exactly the members of a shown or of a withheld entry")


def test_what_is_no_entry_at_all_is_named():
    assert first_break([*chain(2), "text"])[0] == 3


@settings(max_examples=80)
@given(st.data())
def test_no_single_character_of_a_chain_can_be_changed(data):
    entries = chain(4)
    at = data.draw(st.integers(0, 3))
    member = data.draw(st.sampled_from(sorted(name for name in entries[at] if isinstance(entries[at][name], str))))
    text = entries[at][member]
    where = data.draw(st.integers(0, len(text) - 1))
    to = data.draw(st.characters(codec="utf-8").filter(lambda c: c != text[where]))
    broken = copy.deepcopy(entries)
    broken[at][member] = text[:where] + to + text[where + 1 :]
    assert first_break(broken)[0] == at + 1


CHECKPOINT = {
    "property": "silverstar",
    "seq": 58,
    "hash": "66074d608b46d5e326bebd91a49883aeed7ff7e1383fd28fd157897cea751d1b",
    "at": "2023-10-07T12:21:56.293Z",
    "public_key": "2Ptv1/sR1D0bNvfquVUpRUWKRJmbxt4tItQjWflx2AU=",
    "signature": "GZrOcDIQ3++ICvavhl7b6f1pQsQEO+VwrnGyEQS0NvP5HL7Ojav8GFiPLzMuM9DgEo9mKzXOvV7JomPvopdhAw==",
}
SLIP = "floordraw/1/checkpoint\n" + "".join(
    f"{CHECKPOINT[name]}\n" for name in ("property", "seq", "hash", "at", "public_key", "signature")
)


def signed_part(checkpoint=CHECKPOINT, *, rehearsal=False):
    return checkpoint_text(
        **{name: checkpoint[name] for name in ("property", "seq", "hash", "at")}, rehearsal=rehearsal
    )


def test_a_published_checkpoint_and_its_slip():
    """One of the example session's checkpoints: its slip has seven lines, its signature is over the first five."""
    assert slip_text(CHECKPOINT, rehearsal=False) == SLIP
    assert SLIP.count("\n") == 7
    assert signed_part() == "".join(SLIP.splitlines(keepends=True)[:5]).encode()
    key, signature = (base64.b64decode(CHECKPOINT[name]) for name in ("public_key", "signature"))
    assert verify(key, signature, signed_part())
    assert not verify(key, signature, signed_part(rehearsal=True))


def test_a_rehearsals_slip_says_so_in_its_first_line():
    assert signed_part(rehearsal=True).splitlines()[0] == b"floordraw/1/rehearsal-checkpoint"
    assert read_slip(slip_text(CHECKPOINT, rehearsal=True)) == CHECKPOINT | {"rehearsal": True}


@pytest.mark.parametrize("text", [SLIP, SLIP.removesuffix("\n")])
def test_a_slip_is_read_back(text):
    assert read_slip(text) == CHECKPOINT | {"rehearsal": False}


@settings(max_examples=20)
@given(st.binary(min_size=32, max_size=32), st.integers(1, 2**53 - 1), st.booleans())
def test_a_slip_carries_its_checkpoint_and_signature_to_paper_and_back(secret, seq, rehearsal):
    key = Ed25519PrivateKey.from_private_bytes(secret)
    checkpoint = CHECKPOINT | {"seq": seq}
    signed = signed_part(checkpoint, rehearsal=rehearsal)
    checkpoint["public_key"] = base64.b64encode(key.public_key().public_bytes_raw()).decode()
    checkpoint["signature"] = base64.b64encode(key.sign(signed)).decode()
    assert read_slip(slip_text(checkpoint, rehearsal)) == checkpoint | {"rehearsal": rehearsal}


@pytest.mark.parametrize(
    "edit",
    [
        lambda _: "",
        lambda text: text + "\n",
        lambda text: "\n" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("floordraw/1/", "floordraw/2/"),
        lambda text: text.replace("\n58\n", "\n058\n"),
        lambda text: text.replace("\n58\n", "\n0\n"),
        lambda text: text.replace("\n58\n", "\n+58\n"),
        lambda text: text.replace("\n58\n", "\n\u0665\u0668\n"),
        lambda text: text.replace("\n58\n", "\n9007199254740992\n"),
        lambda text: text.replace("silverstar", "silver star"),
        lambda text: text.replace("66074d", "66074D"),
        lambda text: text.replace("66074d", "6074d"),
        lambda text: text.replace(".293Z", "Z"),
        lambda text: text.replace("x2AU=", "x2AU"),
        lambda text: text.replace("x2AU=", "x2AV="),
        lambda text: text.replace("hAw==", "hAx=="),
        lambda text: text.replace(CHECKPOINT["public_key"], base64.b64encode(b"k" * 31).decode()),
        lambda text: text.replace(CHECKPOINT["signature"], base64.b64encode(b"s" * 65).decode()),
        lambda text: text.replace("/", "_"),
        lambda text: "\n".join(text.split("\n")[:6]) + "\n",
        lambda _: json.dumps(CHECKPOINT),
    ],
)
def test_texts_that_are_no_slip_are_refused(edit):
    with pytest.raises(ValueError, match=r"a slip is|the slip's|a checkpoint names|is not a time"):
        read_slip(edit(SLIP))


@pytest.mark.parametrize(
    "change",
    [
        {"property": "silver\nstar"},
        {"property": ""},
        {"property": "x" * 129},
        {"seq": 0},
        {"hash": "AB" * 32},
        {"hash": "ab" * 31},
        {"at": "2023-10-07"},
    ],
)
def test_nothing_of_another_form_is_signed(change):
    with pytest.raises(ValueError, match=r"a checkpoint names|is not a time"):
        signed_part(CHECKPOINT | change)
