"""Certificates for one key in several encodings: the usual one of its algorithm, and others that libraries read."""

import der
import keys
from certificates import make

EC, P256 = der.oid("1.2.840.10045.2.1"), der.oid("1.2.840.10045.3.1.7")
RSA, PSS, OLD_RSA = (der.oid(text) for text in ("1.2.840.113549.1.1.1", "1.2.840.113549.1.1.10", "2.5.8.1.1"))
NAMES = ["example.com", "a.example.com"]
PLACES = ("leaf", "intermediate", "root")


class Encoded:
    """A key whose SubjectPublicKeyInfo is encoded in another way; its identifier is that of the usual form."""

    def __init__(self, usual, spki):
        self.usual, self.spki, self.sign = usual, spki, usual.sign


def long(element):
    """The element with its length in one byte more than needed."""
    first = element[1]
    return element[:1] + (bytes([0x81, first]) if first < 0x80 else bytes([first + 1, 0]) + element[2:3]) + (
        element[2:] if first < 0x80 else element[3:])


def even_point(name):
    """A P-256 key whose point ends with a zero bit, as a bit string with an unused bit must."""
    number = 0
    while (key := keys.EC(f"{name} {number}")).spki[-1] & 1:
        number += 1
    key.name = f"{name} {number}"
    return key


def ec_forms(key):
    point = key.spki[-65:]
    head = der.sequence(EC, P256)
    return {
        "usual": (key.spki, "An uncompressed point on a named curve."),
        "compressed": (der.sequence(head, der.bits(bytes([2 + (point[64] & 1)]) + point[1:33])), "A compressed point."),
        "hybrid": (der.sequence(head, der.bits(bytes([6 + (point[64] & 1)]) + point[1:])), "A point in hybrid form."),
        "explicit": (keys.Explicit(key.name).spki, "A curve that is spelt out."),
        "long-length": (der.sequence(long(head), der.bits(point)), "A length in more bytes than it needs."),
        "unused-bit": (der.sequence(head, der.bits(point, 1)), "A bit string with an unused bit."),
    }


def rsa_forms(key):
    modulus, exponent = der.integer(key.modulus), der.integer(65537)
    plain = key.modulus.to_bytes(key.size // 8, "big")
    numbers = der.sequence(modulus, exponent)

    def spki(numbers, algorithm=der.sequence(RSA, der.null())):
        return der.sequence(algorithm, der.bits(numbers))

    return {
        "usual": (key.spki, "rsaEncryption with NULL."),
        "no-parameters": (spki(numbers, der.sequence(RSA)), "rsaEncryption without parameters."),
        "other-parameters": (spki(numbers, der.sequence(RSA, der.sequence())), "rsaEncryption with other parameters."),
        "pss": (spki(numbers, der.sequence(PSS)), "id-RSASSA-PSS without parameters."),
        "pss-parameters": (spki(numbers, key.pss_algorithm("sha256")), "id-RSASSA-PSS with parameters."),
        "old-name": (spki(numbers, der.sequence(OLD_RSA, der.null())), "The algorithm's name from X.509 of 1988."),
        "modulus-zero": (spki(der.sequence(der.value(2, bytes(2), plain), exponent)), "A modulus with two leading zeros."),
        "modulus-negative": (spki(der.sequence(der.value(2, plain), exponent)), "A modulus that is negative in DER."),
        "exponent-zero": (spki(der.sequence(modulus, der.value(2, b"\0\1\0\1"))), "An exponent with a leading zero."),
        "long-length": (spki(long(numbers)), "A length in more bytes than it needs."),
        "trailing": (spki(numbers + b"\0"), "A byte behind the key's numbers."),
    }


def edwards_forms(key):
    name = der.oid(key.oid)
    size = 32 if key.oid.endswith("112") else 57
    return {
        "usual": (key.spki, "No parameters."),
        "null": (der.sequence(der.sequence(name, der.null()), der.bits(key.spki[-size:])), "NULL as parameters."),
        "long-length": (der.sequence(long(der.sequence(name)), der.bits(key.spki[-size:])),
                        "A length in more bytes than it needs."),
    }


def unreduced(kind):
    """y = 3 with p added: a second encoding that still fits. A leaf's certificate needs no signature of its key."""
    if kind == "ed25519":
        value, identifier = (2**255 - 19 + 3).to_bytes(32, "little"), "1.3.101.112"
    else:
        value, identifier = (2**448 - 2**224 - 1 + 3).to_bytes(57, "little"), "1.3.101.113"
    return der.sequence(der.sequence(der.oid(identifier)), der.bits(value))


def forms():
    """For each algorithm, the key at each place, and its encodings."""
    found = {}
    for place in PLACES:
        name = "encoded " + place
        found["ec", place] = (key := even_point(name)), ec_forms(key)
        found["rsa", place] = (key := keys.RSA(name, 2048)), rsa_forms(key)
        for kind in ("ed25519", "ed448"):
            found[kind, place] = (key := keys.Edwards(name, kind)), edwards_forms(key)
    return found


# OpenSSL can't read these encodings, so it builds no path through them: only a leaf can have them.
LEAF_ONLY = {("ed25519", "null"), ("ed448", "null")}


def add(add):
    """Adds `ALGORITHM-FORM-PLACE`, and `under-encoded-ALGORITHM-PLACE`, which fits below all of them."""
    root, above = add.certificates["root-1"], add.certificates["int-1"]
    for (algorithm, place), (key, encodings) in forms().items():
        sign = {"pss": True} if algorithm == "rsa" else {}
        for form, (spki, _) in encodings.items():
            if place != "leaf" and (algorithm, form) in LEAF_ONLY:
                continue
            encoded = key if form == "usual" else Encoded(key, spki)
            name, title = f"{algorithm}-{form}-{place}", f"Encoded {algorithm} {place}"
            if place == "leaf":
                add(name, make(title, encoded, above, names=NAMES, usages=["server"]))
            else:
                add(name, make(title, encoded, root if place == "intermediate" else None, authority=True,
                               sign=sign if place == "root" else None))
        if place != "leaf":
            name = f"under-{algorithm}-{place}"
            add(name, make(name, keys.EC(name), add.certificates[f"{algorithm}-usual-{place}"], names=NAMES,
                           usages=["server"], sign=sign))
    for kind in ("ed25519", "ed448"):
        key = keys.Edwards("unreduced", kind)
        add(f"{kind}-unreduced-leaf", make("unreduced", Encoded(key, unreduced(kind)), above, names=NAMES, usages=["server"]))
    # secp224r1 by its other name, wap-wsg-idm-ecid-wtls12.
    key = keys.EC("wireless", "p224")
    spki = der.sequence(der.sequence(EC, der.oid("2.23.43.1.4.12")), der.bits(key.spki[-57:]))
    add("ec-wireless-leaf", make("wireless", Encoded(key, spki), above, names=NAMES, usages=["server"]))
    key = add.certificates["ec-usual-leaf"].key
    client = Encoded(key, ec_forms(key)["compressed"][0])
    add("ec-compressed-client", make("client", client, above, names=["client.example.com"], usages=["client"]))
