"""A text as a QR code for a page: one path, a unit a module, to be scaled by the page."""

from __future__ import annotations

import qrcode  # type: ignore[import-untyped]  # it ships no types

_QUIET = 4


def qr_svg(text: str, *, dense: bool = False) -> bytes:
    """An SVG. `dense`: with the least error correction, for a long text on a clean screen."""
    level = qrcode.constants.ERROR_CORRECT_L if dense else qrcode.constants.ERROR_CORRECT_M
    code = qrcode.QRCode(error_correction=level, border=_QUIET)
    code.add_data(text)
    code.make(fit=True)
    rows = code.get_matrix()
    dark = "".join(
        f"M{column} {line}h1v1h-1z" for line, row in enumerate(rows) for column, is_dark in enumerate(row) if is_dark
    )
    size = len(rows)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" shape-rendering="crispEdges">'
        f'<path fill="#fff" d="M0 0h{size}v{size}H0z"/><path d="{dark}"/></svg>'
    ).encode()
