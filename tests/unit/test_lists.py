"""The lists: read whole or not at all, every fault named, and what is in force at an instant."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from hashlib import sha256

import pytest
from floor_words import EXCLUSIONS_HEADER, MEMBERS_HEADER, POSITIONS_HEADER, ZONE, jhb
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.list_rows import ExclusionRow, MemberRow, PositionRow, RegisterRow
from draw_engine.lists import ListFault, ListFaults, ListsInForce, ListVersion, read_list

LOADED = jhb("2023-10-07 09:00")
THANDI = "100001,Thandi,Mokoena,Gold,1985-03-12,0820000001,t@example.org,"


def read(kind: str, text: str) -> ListVersion:
    return read_list(kind, text.encode(), LOADED, ZONE)


def faults(kind: str, data: str | bytes) -> list[ListFault]:
    with pytest.raises(ListFaults) as found:
        read_list(kind, data if isinstance(data, bytes) else data.encode(), LOADED, ZONE)
    assert found.value.kind == kind
    return list(found.value.faults)


# -- reading -------------------------------------------------------------------------------------------------------


def test_members() -> None:
    text = f"{MEMBERS_HEADER}\n{THANDI}\n200001,,,Black,1985-03-12,,,100001\n"
    version = read("members", text)
    assert version.rows == (
        MemberRow(
            "100001", "Thandi", "Mokoena", "Gold", date(1985, 3, 12), "0820000001", "t@example.org", "100001", LOADED
        ),
        MemberRow("200001", "", "", "Black", date(1985, 3, 12), "", "", "100001", LOADED),
    )
    assert (version.kind, version.sha256) == ("members", sha256(text.encode()).hexdigest())


def test_exclusions_and_staff() -> None:
    text = f"{EXCLUSIONS_HEADER}\n1,self_excluded,2023-10-01,,desk\n2,staff_or_related,2023-10-01,2023-10-01,\n"
    assert read("exclusions", text).rows == (
        ExclusionRow("1", "self_excluded", date(2023, 10, 1), None, "desk", LOADED),
        ExclusionRow("2", "staff_or_related", date(2023, 10, 1), date(2023, 10, 1), "", LOADED),
    )
    (fault,) = faults("staff", text)
    assert (fault.line, fault.column) == (2, "category")


def test_positions_and_register() -> None:
    text = f"{POSITIONS_HEADER},feed,x,y\nS-1,slot,MAIN,A,,cms-1,1.5,-2\nBJ-1,table,PRIVE,,7,,,\n"
    assert read("positions", text).rows == (
        PositionRow("S-1", "slot", "MAIN", "A", None, "cms-1", 1.5, -2.0, LOADED),
        PositionRow("BJ-1", "table", "PRIVE", "", 7, "", None, None, LOADED),
    )
    text = "member,at,phone\n1,2023-10-07 13:20,0820000001\n1,2023-10-07T11:20:00.005Z,\n"
    assert read("register", text).rows == (
        RegisterRow("1", jhb("2023-10-07 13:20"), "0820000001", LOADED),
        RegisterRow("1", jhb("2023-10-07 13:20:00.005"), "", LOADED),
    )


def test_known_from_may_stand_on_any_row() -> None:
    text = "member,known_from,at,phone\n1,2023-10-07 06:00,2023-10-07 13:20,\n1,,2023-10-07 13:20,\n"
    assert [row.known_from for row in read("register", text).rows] == [jhb("2023-10-07 06:00"), LOADED]


def test_the_file_may_have_a_mark_quotes_and_windows_line_ends() -> None:
    text = f'\ufeff{MEMBERS_HEADER}\r\n1,"Jo, Ann","O""Neil",Gold,1985-03-12,,,\r\n\r\n'
    (row,) = read("members", text).rows
    assert isinstance(row, MemberRow)
    assert (row.first_name, row.last_name) == ("Jo, Ann", 'O"Neil')


def test_numbers_are_kept_in_nfc() -> None:
    (row,) = read("members", f"{MEMBERS_HEADER}\nA\u0308,,,Gold,1985-03-12,,,\n").rows
    assert isinstance(row, MemberRow)
    assert (row.member, row.person) == ("\u00c4", "\u00c4")


def test_every_fault_is_named() -> None:
    text = "\n".join(
        [
            MEMBERS_HEADER,
            THANDI,
            ",A,B,Gold,1985-03-12,,,",
            "2,A,B,,12/03/1985,,,",
            "3,A,B,Gold,2023-02-29,,",
            "4,A ,B,Gold,1985-03-12,,,",
            '5,"A\nB",B,Gold,1985-03-12,,,',
            "100001,A,B,Gold,1985-03-12,,,",
            f"{'9' * 129},A,B,Gold,19850312,,,",
        ]
    )
    assert [(fault.line, fault.column) for fault in faults("members", text)] == [
        (3, "member"),
        (4, "tier"),
        (4, "born"),
        (5, ""),
        (6, "first_name"),
        (7, "first_name"),
        (9, "member"),
        (10, "member"),
        (10, "born"),
    ]


def test_faults_say_what_to_do_and_nothing_of_the_guest() -> None:
    text = f"{MEMBERS_HEADER}\n{THANDI}\n100001,Thandi,Mokoena,Gold,1985-13-12,,,\n"
    with pytest.raises(ListFaults) as found:
        read("members", text)
    said = str(found.value) + " ".join(fault.sentence for fault in found.value.faults)
    assert "born must be a date of the form 2023-10-07." in said
    assert "line 2 already" in said
    assert not [word for word in ("100001", "Thandi", "Mokoena") if word in said]


SEMICOLONS = MEMBERS_HEADER.replace(",", ";")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [(1, column) for column in MEMBERS_HEADER.split(",")]),
        (f"{MEMBERS_HEADER},nickname\n", [(1, "nickname")]),
        (f"{MEMBERS_HEADER},tier\n", [(1, "tier")]),
        (SEMICOLONS, [*((1, column) for column in MEMBERS_HEADER.split(",")), (1, SEMICOLONS[:40])]),
        (MEMBERS_HEADER.replace(",born", ""), [(1, "born")]),
        (f'{MEMBERS_HEADER}\n1,"A"B,B,Gold,1985-03-12,,,\n', [(2, "")]),
        (f'{MEMBERS_HEADER}\n1,"A,B,Gold,1985-03-12,,,\n', [(2, "")]),
    ],
    ids=["empty", "a column too many", "a column twice", "semicolons", "a column missing", "quotes", "an open quote"],
)  # fmt: skip
def test_faults_of_the_file(text: str, expected: list[tuple[int, str]]) -> None:
    assert [(fault.line, fault.column) for fault in faults("members", text)] == expected


def test_not_utf_8_and_no_such_kind() -> None:
    data = f"{MEMBERS_HEADER}\n{THANDI}\n".encode() + b"2,Andr\xe9,,Gold,1985-03-12,,,\n"
    assert [(fault.line, fault.column) for fault in faults("members", data)] == [(3, "")]
    assert "kinds are members, exclusions" in faults("winners", "")[0].sentence


def test_a_file_without_a_header_tells_nothing_of_the_guest_in_its_first_line() -> None:
    found = faults("members", THANDI + "\n")
    said = repr(found)
    assert {fault.line for fault in found} == {1}
    assert not [cell for cell in THANDI.split(",") if cell and cell in said]
    assert any(fault.column == "telephone" for fault in faults("members", MEMBERS_HEADER + ",telephone\n"))


@pytest.mark.parametrize(
    ("kind", "header", "row", "column"),
    [
        ("exclusions", EXCLUSIONS_HEADER, "1,banned,2023-10-01,,", "category"),
        ("exclusions", EXCLUSIONS_HEADER, "1,self_excluded,,,", "from"),
        ("exclusions", EXCLUSIONS_HEADER, "1,self_excluded,2023-10-02,2023-10-01,", "to"),
        ("positions", POSITIONS_HEADER, "S 1,slot,MAIN,,", "position"),
        ("positions", POSITIONS_HEADER, "S-1,roulette,MAIN,,", "kind"),
        ("positions", POSITIONS_HEADER, "S-1,slot,,,", "zone"),
        ("positions", POSITIONS_HEADER, "S-1,slot,MAIN,,0", "seats"),
        ("positions", POSITIONS_HEADER, "S-1,slot,MAIN,,\u0667", "seats"),
        ("positions", POSITIONS_HEADER, "S-1,slot,MAIN,,999999999999", "seats"),
        ("positions", POSITIONS_HEADER + ",x", "S-1,slot,MAIN,,,1e5", "x"),
        ("positions", POSITIONS_HEADER + ",y", "S-1,slot,MAIN,,,nan", "y"),
        ("register", "member,at,phone", "1,13:20,", "at"),
        ("register", "member,at,phone", "1,2023-10-07 25:20,", "at"),
        ("register", "member,at,phone,known_from", "1,2023-10-07 13:20,,soon", "known_from"),
    ],
)
def test_faults_of_a_cell(kind: str, header: str, row: str, column: str) -> None:
    assert [(fault.line, fault.column) for fault in faults(kind, f"{header}\n{row}\n")] == [(2, column)]


def test_a_position_twice_is_a_fault_unless_it_is_known_from_another_time() -> None:
    header = POSITIONS_HEADER + ",known_from"
    assert faults("positions", f"{header}\nS-1,slot,MAIN,,,\nS-1,slot,PRIVE,,,\n")[0].line == 3
    assert len(read("positions", f"{header}\nS-1,slot,MAIN,,,\nS-1,slot,PRIVE,,,2023-10-07 12:00\n").rows) == 2


@given(
    st.binary(max_size=60) | st.text(max_size=60).map(str.encode),
    st.sampled_from(["members", "exclusions", "positions"]),
)
@settings(max_examples=25)
def test_any_bytes_are_a_list_or_have_faults(data: bytes, kind: str) -> None:
    header = {"members": MEMBERS_HEADER, "exclusions": EXCLUSIONS_HEADER, "positions": POSITIONS_HEADER}[kind]
    for text in (data, header.encode() + b"\n" + data):
        with suppress(ListFaults):
            assert read_list(kind, text, LOADED, ZONE).sha256 == sha256(text).hexdigest()


# -- in force at an instant ----------------------------------------------------------------------------------------


def in_force(
    members: str = "", exclusions: str = "", staff: str = "", positions: str = "", desk: tuple[ExclusionRow, ...] = ()
) -> ListsInForce:
    return ListsInForce(
        members=read("members", f"{MEMBERS_HEADER},known_from\n{members}"),
        exclusions=read("exclusions", f"{EXCLUSIONS_HEADER},known_from\n{exclusions}"),
        staff=read("staff", f"{EXCLUSIONS_HEADER},known_from\n{staff}"),
        positions=read("positions", f"{POSITIONS_HEADER},known_from\n{positions}"),
        zone=ZONE,
        desk=desk,
    )


def test_nothing_loaded() -> None:
    nothing = ListsInForce(members=None, exclusions=None, staff=None, positions=None, zone=ZONE)
    at = nothing.at(LOADED)
    assert (dict(at.members), at.categories(["1"]), at.person_of("1")) == ({}, frozenset(), ("1", ("1",)))
    assert nothing.persons() == set()


def test_a_row_counts_from_when_it_was_known() -> None:
    lists = in_force("1,,,Silver,1985-03-12,,,,2023-10-07 06:00\n1,,,Gold,1985-03-12,,,,2023-10-07 14:30\n")
    noon = jhb("2023-10-07 14:30")
    assert "1" not in lists.at(jhb("2023-10-07 05:59:59.999")).members
    assert lists.at(jhb("2023-10-07 06:00")).members["1"].tier == "Silver"
    assert lists.at(noon - 1).members["1"].tier == "Silver"
    assert lists.at(noon).members["1"].tier == "Gold"
    assert lists.at(noon - 1).members["1"].tier == "Silver"  # and back again


def test_a_position_may_move_to_another_zone() -> None:
    lists = in_force(positions="S-1,slot,MAIN,,,\nS-1,slot,PRIVE,,,2023-10-07 12:00\n")
    at = jhb("2023-10-07 12:00")
    assert [lists.at(t).positions["S-1"].zone for t in (at - 1, at)] == ["MAIN", "PRIVE"]


def test_both_days_of_an_exclusion_are_included_by_the_local_calendar() -> None:
    lists = in_force(exclusions="1,self_excluded,2023-10-13,2023-10-14,,2023-10-01 00:00\n")
    midnight, after = jhb("2023-10-13 00:00"), jhb("2023-10-15 00:00")
    times = (midnight - 1, midnight, after - 1, after)
    assert ["1" in lists.at(t).excluded for t in times] == [False, True, True, False]


def test_an_exclusion_from_the_desk_holds_at_once() -> None:
    entered = jhb("2023-10-07 14:20")
    lists = in_force(desk=(ExclusionRow("1", "refusal_of_entry", date(2023, 10, 7), None, "desk", entered),))
    assert lists.at(entered - 1).categories(["1"]) == frozenset()
    assert lists.at(entered).categories(["1"]) == {"refusal_of_entry"}


def test_exclusions_and_staff_come_together() -> None:
    lists = in_force(
        exclusions="1,self_excluded,2023-10-01,,,\n2,excluded_category,2023-10-01,,,\n",
        staff="1,staff_or_related,2023-10-01,,,\n",
    )
    at = lists.at(LOADED)
    assert at.categories(["1"]) == {"self_excluded", "staff_or_related"}
    assert at.categories(["1", "2", "3"]) == {"self_excluded", "staff_or_related", "excluded_category"}


def test_a_person_is_named_by_the_first_number_in_byte_order() -> None:
    row = ",,,Gold,1985-03-12,,,"
    lists = in_force("".join(f"{member}{row}{person},\n" for member, person in (
        ("9", "P"), ("10", "P"), ("\uffee", "Q"), ("\U00010000", "Q"), ("7", ""), ("8", "7"), ("6", "6"),
    )))  # fmt: skip
    at = lists.at(LOADED)
    assert at.person_of("9") == at.person_of("10") == ("10", ("10", "9"))
    # By UTF-16 unit, as JSON sorts, it would be the other way round.
    assert at.person_of("\U00010000") == ("\uffee", ("\uffee", "\U00010000"))
    assert at.person_of("8") == ("7", ("7", "8"))
    assert at.person_of("6") == ("6", ("6",))
    assert lists.persons() == {"10", "\uffee", "7", "6"}


def test_a_number_that_joins_a_person_later() -> None:
    lists = in_force("2,,,Gold,1985-03-12,,,P,\n1,,,Gold,1985-03-12,,,P,2023-10-07 12:00\n")
    noon = jhb("2023-10-07 12:00")
    assert [lists.at(t).person_of("2").m for t in (noon - 1, noon)] == ["2", "1"]


def test_the_same_object_until_something_changes() -> None:
    lists = in_force("1,,,Gold,1985-03-12,,,,\n", exclusions="1,self_excluded,2023-10-01,,,2023-10-07 12:00\n")
    first = lists.at(LOADED)
    assert lists.at(jhb("2023-10-07 11:59:59.999")) is first
    second = lists.at(jhb("2023-10-07 12:00"))
    assert second is not first
    assert lists.at(jhb("2023-10-07 23:59:59.999")) is second
    assert lists.at(jhb("2023-10-08 00:00")) is not second
    assert second.local_date == date(2023, 10, 7)
