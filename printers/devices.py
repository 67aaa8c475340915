"""The printers of a property by what `site.toml` says of them: the one place that knows which kinds there are."""

from __future__ import annotations

from pathlib import Path

from config.site import Printer
from printers.file_printer import FilePrinter
from printers.links import PrinterPlace, Timing
from printers.sending import Device, LineDevice


def device_of(place: PrinterPlace, timing: Timing) -> Device:
    """The printer at a place; nothing is opened before it is asked for something."""
    return FilePrinter(Path(place.path)) if place.device == "file" else LineDevice(place, timing)


def place_of(printer: Printer) -> PrinterPlace:
    """Where a printer of `site.toml` is."""
    return PrinterPlace(
        device=printer.device,
        host=printer.host,
        port=printer.port,
        path=printer.path,
        baud=printer.baud,
        vendor=int(printer.vendor or "0", 16),
        product=int(printer.product or "0", 16),
    )
