"""Keys and signatures that are the same on each run: they are derived from names, so they must not be trusted."""

import base64
import hashlib
import json
import pathlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, mldsa, utils, x25519

import der

CURVES = {"p256": ec.SECP256R1, "p384": ec.SECP384R1, "p521": ec.SECP521R1, "p224": ec.SECP224R1}
DIGESTS = {"sha1": hashes.SHA1, "sha256": hashes.SHA256, "sha384": hashes.SHA384, "sha512": hashes.SHA512}
ECDSA_OIDS = {
    "sha1": "1.2.840.10045.4.1", "sha256": "1.2.840.10045.4.3.2", "sha384": "1.2.840.10045.4.3.3",
    "sha512": "1.2.840.10045.4.3.4",
}
RSA_OIDS = {
    "md5": ("1.2.840.113549.1.1.4", "1.2.840.113549.2.5"), "sha1": ("1.2.840.113549.1.1.5", "1.3.14.3.2.26"),
    "sha256": ("1.2.840.113549.1.1.11", "2.16.840.1.101.3.4.2.1"),
    "sha384": ("1.2.840.113549.1.1.12", "2.16.840.1.101.3.4.2.2"),
    "sha512": ("1.2.840.113549.1.1.13", "2.16.840.1.101.3.4.2.3"),
}


class Stream:
    """Bytes that are derived from a name."""

    def __init__(self, seed):
        self.seed, self.count = seed.encode(), 0

    def take(self, count):
        result = b""
        while len(result) < count:
            result += hashlib.sha256(self.seed + b"/%d" % self.count).digest()
            self.count += 1
        return result[:count]


def is_prime(number, stream):
    if any(number % small == 0 for small in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61)):
        return False
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for _ in range(20):
        power = pow(int.from_bytes(stream.take(16), "big") + 2, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def prime(size, stream, exponent):
    while True:
        number = int.from_bytes(stream.take(size // 8), "big") | 3 << size - 2 | 1
        if (number - 1) % exponent and is_prime(number, stream):
            return number


class RSA:
    """RSA in plain arithmetic, because `cryptography` uses another salt on each run."""

    def __init__(self, name, size, exponent=None):
        stream = Stream("pintle vectors rsa " + name)
        p, q = prime(size // 2, stream, 65537), prime(size // 2, stream, 65537)
        self.size, self.modulus = size, p * q
        self.secret = pow(65537, -1, (p - 1) * (q - 1))
        key = der.sequence(der.integer(self.modulus), der.integer(65537 if exponent is None else exponent))
        self.spki = der.sequence(der.sequence(der.oid("1.2.840.113549.1.1.1"), der.null()), der.bits(key))

    def power(self, block):
        return pow(int.from_bytes(block, "big"), self.secret, self.modulus).to_bytes(self.size // 8, "big")

    def sign(self, message, digest="sha256", pss=False):
        """The AlgorithmIdentifier and the signature (RFC 8017 sections 8.1 and 8.2)."""
        hashed = hashlib.new(digest, message).digest()
        if pss:
            return self.pss_algorithm(digest), self.power(self.pss_block(hashed, digest))
        algorithm, hash_oid = RSA_OIDS[digest]
        info = der.sequence(der.sequence(der.oid(hash_oid), der.null()), der.octets(hashed))
        block = b"\x00\x01" + b"\xff" * (self.size // 8 - 3 - len(info)) + b"\x00" + info
        return der.sequence(der.oid(algorithm), der.null()), self.power(block)

    def pss_block(self, hashed, digest):
        size, salt = len(hashed), hashlib.new(digest, b"salt" + hashed).digest()
        inner = hashlib.new(digest, bytes(8) + hashed + salt).digest()
        padded = bytes(self.size // 8 - 2 * size - 2) + b"\x01" + salt
        mask = b"".join(
            hashlib.new(digest, inner + number.to_bytes(4, "big")).digest() for number in range(len(padded) // size + 1))
        masked = bytearray(left ^ right for left, right in zip(padded, mask))
        masked[0] &= 0x7F
        return bytes(masked) + inner + b"\xbc"

    @staticmethod
    def pss_algorithm(digest):
        hashing = der.sequence(der.oid(RSA_OIDS[digest][1]), der.null())
        masking = der.sequence(der.oid("1.2.840.113549.1.1.8"), hashing)
        size = hashlib.new(digest).digest_size
        return der.sequence(
            der.oid("1.2.840.113549.1.1.10"),
            der.sequence(der.value(0xA0, hashing), der.value(0xA1, masking), der.value(0xA2, der.integer(size))))


class EC:
    def __init__(self, name, curve="p256"):
        kind = CURVES[curve]()
        number = int.from_bytes(Stream("pintle vectors ec " + name).take(80), "big")
        self.key = ec.derive_private_key(number % (1 << kind.key_size - 1) + 1, kind)
        self.spki = spki(self.key)

    def sign(self, message, digest="sha256"):
        hashed = utils.Prehashed(DIGESTS[digest]())
        signature = self.key.sign(
            hashlib.new(digest, message).digest(), ec.ECDSA(hashed, deterministic_signing=True))
        return der.sequence(der.oid(ECDSA_OIDS[digest])), signature


class Edwards:
    def __init__(self, name, kind="ed25519"):
        stream = Stream(f"pintle vectors {kind} " + name)
        if kind == "ed25519":
            self.key, self.oid = ed25519.Ed25519PrivateKey.from_private_bytes(stream.take(32)), "1.3.101.112"
        else:
            self.key, self.oid = ed448.Ed448PrivateKey.from_private_bytes(stream.take(57)), "1.3.101.113"
        self.spki = spki(self.key)

    def sign(self, message):
        return der.sequence(der.oid(self.oid)), self.key.sign(message)


class MLDSA:
    """`cryptography` makes another signature on each run, so the one that the vectors already have is kept."""

    KINDS = {
        44: (mldsa.MLDSA44PrivateKey, "2.16.840.1.101.3.4.3.17", 2420),
        65: (mldsa.MLDSA65PrivateKey, "2.16.840.1.101.3.4.3.18", 3309),
        87: (mldsa.MLDSA87PrivateKey, "2.16.840.1.101.3.4.3.19", 4627),
    }

    def __init__(self, name, size):
        kind, self.oid, self.size = self.KINDS[size]
        self.key = kind.from_seed_bytes(Stream(f"pintle vectors ml-dsa-{size} " + name).take(32))
        self.spki = spki(self.key)

    def sign(self, message, parameters=b"", wrong=False):
        algorithm = der.sequence(der.oid(self.oid), parameters)
        if wrong:
            return algorithm, bytes(self.size)
        for kept in kept_certificates():
            signature = kept[-self.size:]
            if message and message in kept:
                try:
                    self.key.public_key().verify(signature, message)
                    return algorithm, signature
                except InvalidSignature:
                    pass
        return algorithm, self.key.sign(message)


def kept_certificates(kept=[]):
    file = pathlib.Path(__file__).resolve().parents[3] / "Tests" / "Vectors" / "certificates.json"
    if not kept and file.exists():
        kept += (base64.b64decode(each["der"]) for each in json.loads(file.read_text())["certificates"].values())
    return kept


class Agreement:
    """A key that signs nothing."""

    def __init__(self, name):
        self.spki = spki(x25519.X25519PrivateKey.from_private_bytes(Stream("pintle vectors x25519 " + name).take(32)))


class Explicit:
    """The P-256 key of that name, with explicit curve parameters (RFC 3279 section 2.3.5)."""

    def __init__(self, name):
        numbers = EC(name).key.public_key().public_numbers()
        p = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
        b = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
        x = 0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296
        y = 0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5
        n = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551

        def point(first, second):
            return b"\x04" + first.to_bytes(32, "big") + second.to_bytes(32, "big")

        parameters = der.sequence(
            der.integer(1), der.sequence(der.oid("1.2.840.10045.1.1"), der.integer(p)),
            der.sequence(der.octets((p - 3).to_bytes(32, "big")), der.octets(b.to_bytes(32, "big"))),
            der.octets(point(x, y)), der.integer(n), der.integer(1))
        self.spki = der.sequence(
            der.sequence(der.oid("1.2.840.10045.2.1"), parameters), der.bits(point(numbers.x, numbers.y)))


def spki(private):
    return private.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
