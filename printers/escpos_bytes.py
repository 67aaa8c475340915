"""A slip as the bytes a receipt printer understands, made with python-escpos, and as a text picture for people.

Every slip begins with ESC @, so that a torn one before it leaves nothing behind; letters are in one fixed code page
(the library's own choosing switches pages inside a line); codes are drawn by the printer (GS ( k), so that no image
data can hold a real-time command; each sheet is cut after its end line, so an uncut one is a torn one.
"""

from __future__ import annotations

from dataclasses import dataclass

from escpos.constants import QR_ECLEVEL_M
from escpos.printer import Dummy

from printers.layout import PAGE, Line, Qr, Sheet, Slip, picture_of, set_sheet
from printers.slips import torn_mark

QR_DOTS = 5
"""The side of a code's smallest square, in dots: the largest code of a slip is then 395 of 512 dots wide."""

REAL_TIME = (b"\x10\x04", b"\x10\x05", b"\x10\x14")
"""What a printer carries out at once, even inside data: no slip may hold it."""

_CUT = "- " * 21


@dataclass(frozen=True, slots=True)
class PrintedSlip:
    """The bytes of a slip, and for each line of its picture after which byte it is on the paper."""

    data: bytes
    lines: tuple[tuple[int, str], ...]

    def picture(self, sent: int | None = None) -> str:
        """The slip as a person sees it; with `sent`, what is on the paper after so many bytes."""
        if sent is None or sent >= len(self.data):
            return "".join(f"{text}\n" for _, text in self.lines)
        return "".join(f"{text}\n" for at, text in self.lines if at <= sent) + f"{torn_mark()}\n"


def encode(slip: Slip, *, profile: str = "default") -> PrintedSlip:
    """The slip's bytes and picture.

    Raises ValueError when the profile's printer lacks the code page, or for bytes that would be a real-time command.
    """
    printer = Dummy(profile=profile)
    printer.hw("INIT")
    printer.charcode(PAGE.upper())
    lines: list[tuple[int, str]] = []
    for sheet in slip.sheets:
        _encode_sheet(printer, sheet, lines)
    data = bytes(printer.output)
    if any(command in data for command in REAL_TIME):
        raise ValueError("this slip holds what a printer would take for a command of the moment")
    return PrintedSlip(data, tuple(lines))


def _encode_sheet(printer: Dummy, sheet: Sheet, lines: list[tuple[int, str]]) -> None:
    for item in set_sheet(sheet):
        if isinstance(item, Qr):
            printer.set(align="center")
            printer.qr(item.data, ec=QR_ECLEVEL_M, size=QR_DOTS, native=True)
            printer.set(align="left")
        else:
            _encode_line(printer, item)
        lines += [(len(printer.output), text) for text in picture_of(item)]
    printer.cut(mode="PART")
    lines.append((len(printer.output), _CUT))


def _encode_line(printer: Dummy, line: Line) -> None:
    """Each style is put back behind its line: what comes next never depends on what came before."""
    if line.align != "left":
        printer.set(align=line.align)
    if line.bold:
        printer.set(bold=True)
    if line.big:
        printer.set(custom_size=True, width=2, height=2)
    printer.text(line.text + "\n")
    if line.big:
        printer.set(custom_size=True, width=1, height=1)
    if line.bold:
        printer.set(bold=False)
    if line.align != "left":
        printer.set(align="left")
