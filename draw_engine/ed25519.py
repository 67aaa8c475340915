"""Ed25519 verification (RFC 8032 5.1.7) with nothing but whole numbers, so that `verify` needs no package.

Strict: S below the group order, point encodings canonical, the equation without the cofactor (as OpenSSL has it).
Only public values pass through here: it need not, and does not, run in constant time. It cannot sign.
"""

from __future__ import annotations

from hashlib import sha512

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_SQRT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)

# A point in extended coordinates: (X, Y, Z, T) with x = X/Z, y = Y/Z, x*y = T/Z (RFC 8032 5.1.4).
_Point = tuple[int, int, int, int]
_NEUTRAL: _Point = (0, 1, 1, 0)


def verify(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether the 64 bytes are the signature of the message under the 32-byte public key. Never raises for bytes."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    s = int.from_bytes(signature[32:], "little")
    a = _decoded(public_key)
    if s >= _ORDER or a is None:
        return False
    k = int.from_bytes(sha512(signature[:32] + public_key + message).digest(), "little") % _ORDER
    # [S]B = R + [k]A, checked as encode([S]B + [k](-A)) = R: so an R encoded in another way fails too.
    return _encoded(_two_products(s, k, _negated(a))) == signature[:32]


def _decoded(encoding: bytes) -> _Point | None:
    """The point of 32 bytes (RFC 8032 5.1.3), or None when they are not the canonical encoding of one."""
    number = int.from_bytes(encoding, "little")
    y, sign = number & (2**255 - 1), number >> 255
    if y >= _P:
        return None
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = u * pow(v, 3, _P) * pow(u * pow(v, 7, _P), (_P - 5) // 8, _P) % _P
    if (v * x * x - u) % _P:
        x = x * _SQRT_OF_MINUS_ONE % _P
        if (v * x * x - u) % _P:
            return None
    if x == 0 and sign:
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _encoded(point: _Point) -> bytes:
    inverse = pow(point[2], -1, _P)
    x, y = point[0] * inverse % _P, point[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _negated(point: _Point) -> _Point:
    x, y, z, t = point
    return -x % _P, y, z, -t % _P


def _added(left: _Point, right: _Point) -> _Point:
    x1, y1, z1, t1 = left
    x2, y2, z2, t2 = right
    a = (y1 - x1) * (y2 - x2) % _P
    b = (y1 + x1) * (y2 + x2) % _P
    c = 2 * t1 * t2 * _D % _P
    d = 2 * z1 * z2 % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _doubled(point: _Point) -> _Point:
    x, y, z, _ = point
    a, b = x * x % _P, y * y % _P
    h = a + b
    e = h - (x + y) ** 2 % _P
    g = a - b
    f = 2 * z * z % _P + g
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _two_products(s: int, k: int, point: _Point) -> _Point:
    """[s]B + [k]point in one run over the bits of both."""
    terms = (_NEUTRAL, _BASE, point, _added(_BASE, point))
    made = _NEUTRAL
    for i in range(max(s.bit_length(), k.bit_length()) - 1, -1, -1):
        made = _doubled(made)
        term = (s >> i & 1) | (k >> i & 1) << 1
        if term:
            made = _added(made, terms[term])
    return made


def _base() -> _Point:
    """B: y = 4/5, x even (RFC 8032 5.1)."""
    point = _decoded((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))
    assert point is not None
    return point


_BASE = _base()
