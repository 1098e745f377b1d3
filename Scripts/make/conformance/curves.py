"""P-256 and edwards25519 in plain arithmetic, for signatures and keys that no library would make."""

import hashlib

import der


class P256:
    """NIST P-256 (SEC 2 version 2, section 2.4.2). Points are pairs of coordinates; None is the point at infinity."""

    p = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
    b = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
    n = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    base = (
        0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
    )

    @classmethod
    def add(cls, first, second):
        if first is None or second is None:
            return first or second
        (x1, y1), (x2, y2), p = first, second, cls.p
        if x1 == x2:
            if (y1 + y2) % p == 0:
                return None
            slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, p)
        else:
            slope = (y2 - y1) * pow(x2 - x1, -1, p)
        x = (slope * slope - x1 - x2) % p
        return x, (slope * (x1 - x) - y1) % p

    @classmethod
    def multiply(cls, number, point):
        result = None
        for bit in bin(number % cls.n)[2:]:
            result = cls.add(result, result)
            if bit == "1":
                result = cls.add(result, point)
        return result

    @classmethod
    def lift(cls, x):
        """The point with this x and an even y, or None where there is none."""
        square = (x**3 - 3 * x + cls.b) % cls.p
        y = pow(square, (cls.p + 1) // 4, cls.p)
        if y * y % cls.p != square:
            return None
        return x, y if y % 2 == 0 else cls.p - y

    @classmethod
    def key_of(cls, message, r, s, point):
        """The public key for which r (with its point) and s are a signature over the message."""
        inverse = pow(r, -1, cls.n)
        hashed = digest(message)
        return cls.add(
            cls.multiply(s * inverse, point), cls.multiply(-hashed * inverse, cls.base))

    @classmethod
    def verifies(cls, key, message, r, s):
        if not (0 < r < cls.n and 0 < s < cls.n):
            return False
        inverse = pow(s, -1, cls.n)
        point = cls.add(
            cls.multiply(digest(message) * inverse, cls.base), cls.multiply(r * inverse, key))
        return point is not None and point[0] % cls.n == r


def digest(message):
    return int.from_bytes(hashlib.sha256(message).digest(), "big")


def spki_of_p256(x, y):
    head = der.sequence(der.oid("1.2.840.10045.2.1"), der.oid("1.2.840.10045.3.1.7"))
    return der.sequence(head, der.bits(b"\x04" + x.to_bytes(32, "big") + y.to_bytes(32, "big")))


class Ed25519:
    """edwards25519 (RFC 8032 section 5.1). Points are pairs of coordinates."""

    p = 2**255 - 19
    order = 2**252 + 27742317777372353535851937790883648493
    d = -121665 * pow(121666, -1, p) % p
    neutral = (0, 1)

    @classmethod
    def add(cls, first, second):
        (x1, y1), (x2, y2), p = first, second, cls.p
        product = cls.d * x1 * x2 * y1 * y2
        return (x1 * y2 + x2 * y1) * pow(1 + product, -1, p) % p, (y1 * y2 + x1 * x2) * pow(1 - product, -1, p) % p

    @classmethod
    def multiply(cls, number, point):
        result = cls.neutral
        for bit in bin(number)[2:]:
            result = cls.add(result, result)
            if bit == "1":
                result = cls.add(result, point)
        return result

    @classmethod
    def lift(cls, y):
        """The point with this y and an even x, or None where there is none."""
        p, square = cls.p, (y * y - 1) * pow(cls.d * y * y + 1, -1, cls.p) % cls.p
        x = pow(square, (p + 3) // 8, p)
        if x * x % p != square:
            x = x * pow(2, (p - 1) // 4, p) % p
        if x * x % p != square:
            return None
        return x if x % 2 == 0 else p - x, y

    @classmethod
    def small(cls):
        """The eight points of small order: multiples of one of order 8."""
        y = 2
        while True:
            point = cls.lift(y)
            eighth = point and cls.multiply(cls.order, point)
            if eighth and cls.multiply(4, eighth) != cls.neutral:
                return [cls.multiply(number, eighth) for number in range(8)]
            y += 1

    @classmethod
    def encode(cls, point, beyond=0, sign=None):
        """The point's bytes; not canonical if y is written with p added, or x = 0 with a sign."""
        x, y = point
        sign = x & 1 if sign is None else sign
        return (y + beyond * cls.p | sign << 255).to_bytes(32, "little")

    @classmethod
    def secret(cls, seed):
        """The scalar of a private key, and the prefix for its nonces."""
        hashed = hashlib.sha512(seed).digest()
        number = int.from_bytes(hashed[:32], "little")
        return number & (1 << 254) - 8 | 1 << 254, hashed[32:]

    @classmethod
    def challenge(cls, r, key, message):
        return int.from_bytes(hashlib.sha512(r + key + message).digest(), "little") % cls.order


Ed25519.base = Ed25519.lift(4 * pow(5, -1, Ed25519.p) % Ed25519.p)


def spki_of_ed25519(key, parameters=b""):
    return der.sequence(der.sequence(der.oid("1.3.101.112"), parameters), der.bits(key))
