"""The words of `/trust`: how a device learns to trust the house's certificate."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

KINDS = ("android", "ipad", "windows")
"""The devices of the page, in the order they are shown where nothing is known of the reader's."""

ENGLISH: Mapping[str, str] = MappingProxyType(
    {
        "trust.title": "Trust this house's certificate",
        "trust.what": "Once on every tablet and desk. Until then the device warns that the connection to {property} is "
        "not private.",
        "trust.nothing_title": "Nothing to install",
        "trust.nothing_own": "{property} has a certificate that its devices trust already. If yours warns, ask whoever "
        "looks after the house's devices.",
        "trust.nothing_closed": "This core is reached from its own machine alone. The technician opens it to tablets: "
        "docs/https.md.",
        "trust.download": "Download certificate",
        "trust.download_what": "{file}, valid until {until}. It can vouch for this house's own names alone.",
        "trust.names": "Names it vouches for",
        "trust.compare": "Compare before you sign in",
        "trust.words": "Its words",
        "trust.words_what": "Somebody at the console's machine reads theirs: floordraw tls show. Other words, another "
        "house or an old certificate: do not install it.",
        "trust.digits": "Its SHA-256 fingerprint",
        "trust.digits_what": "What counts is what the device itself shows of the installed certificate, against the "
        "console's machine or its printout. Whoever could change this page could change these words, too.",
        "trust.android": "Android tablet or phone",
        "trust.android.1": "Press Download certificate. Keep the file if Android asks.",
        "trust.android.2": "Open Settings and search for CA certificate. It stands under Security, then Encryption and "
        "credentials, then Install a certificate.",
        "trust.android.3": "Choose CA certificate, then Install anyway, then the file {file}. Android wants a screen "
        "lock first if there is none.",
        "trust.android.4": "Compare: in Settings search for Trusted credentials, choose User, open {name}. Its SHA-256 "
        "fingerprint must be the one above.",
        "trust.ipad": "iPad or iPhone",
        "trust.ipad.1": "Open this page in Safari. Press Download certificate, then Allow.",
        "trust.ipad.2": "Open Settings, then Profile Downloaded near the top. Press Install.",
        "trust.ipad.3": "Compare: in the profile open More Details, then the certificate. Its SHA-256 fingerprint "
        "must be the one above.",
        "trust.ipad.4": "In Settings open General, About, Certificate Trust Settings. Switch on {name}.",
        "trust.windows": "Windows PC",
        "trust.windows.1": "Press Download certificate. Keep the file if the browser asks.",
        "trust.windows.2": "Compare: open PowerShell in the folder and type Get-FileHash {file}. It must be the "
        "fingerprint above, without the colons.",
        "trust.windows.3": "Open the file. Press Install Certificate, then choose Local Machine, so that it holds for "
        "everybody at this PC.",
        "trust.windows.4": "Choose Place all certificates in the following store, then Trusted Root Certification "
        "Authorities. Press Finish, then start the browser again.",
        "trust.done": "Then sign in",
        "trust.done_what": "The device must not warn any more. If it still does, look whether the address is one of "
        "the names below.",
        "trust.open": "Open {address}",
        "trust.other": "On another device",
        "trust.other_what": "Point its camera here, or type {address}.",
        "trust.qr": "QR code of {address}",
    }
)
