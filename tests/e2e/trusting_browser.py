"""Chromium's own store of trusted authorities, filled as a device's settings do it: FOLDER DER.

By libnss3, which Chromium on Linux brings along; run as a process of its own.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

TRUSTED_AUTHORITY = 0x08 | 0x10
"""CERTDB_VALID_CA and CERTDB_TRUSTED_CA of NSS's certdb.h."""


class Trust(ctypes.Structure):
    """CERTCertTrust: for servers, for mail, for programs."""

    _fields_ = (("servers", ctypes.c_uint), ("mail", ctypes.c_uint), ("programs", ctypes.c_uint))


def trust(folder: Path, der: bytes) -> None:
    """Make the store in `folder` and put the authority into it."""
    nss, smime = ctypes.CDLL("libnss3.so"), ctypes.CDLL("libsmime3.so")
    for function in (nss.PK11_GetInternalKeySlot, nss.CERT_GetDefaultCertDB, smime.CERT_DecodeCertFromPackage):
        function.restype = ctypes.c_void_p
    folder.mkdir(parents=True)
    assert nss.NSS_InitReadWrite(f"sql:{folder}".encode()) == 0
    slot = ctypes.c_void_p(nss.PK11_GetInternalKeySlot())
    assert nss.PK11_InitPin(slot, None, b"") == 0
    authority = ctypes.c_void_p(smime.CERT_DecodeCertFromPackage(der, len(der)))
    assert nss.PK11_ImportCert(slot, authority, ctypes.c_ulong(0), b"the house", 0) == 0
    store = ctypes.c_void_p(nss.CERT_GetDefaultCertDB())
    assert nss.CERT_ChangeCertTrust(store, authority, ctypes.byref(Trust(TRUSTED_AUTHORITY, 0, 0))) == 0
    nss.NSS_Shutdown()


if __name__ == "__main__":
    trust(Path(sys.argv[1]), Path(sys.argv[2]).read_bytes())
