"""Certificates with ML-DSA (RFC 9881), and with keys of algorithms that no client accepts."""

import der
import keys
from certificates import extension, make
from encoded_keys import Encoded

NAMES = ["example.com"]
SIZES = (44, 65, 87)
# The unused bits and the bytes of digitalSignature with one that RFC 9881 section 5 forbids.
USAGES = {
    "key-encipherment": (5, b"\xa0"), "data-encipherment": (4, b"\x90"), "key-agreement": (3, b"\x88"),
    "encipher-only": (0, b"\x81"), "decipher-only": (7, b"\x80\x80"),
}


def unknown(oid, count):
    """A key of an algorithm that nothing here can use; its bits are derived from the name."""
    return der.sequence(der.sequence(der.oid(oid)), der.bits(keys.Stream("pintle vectors " + oid).take(count)))


# SLH-DSA-SHA2-128s, MLDSA65-ECDSA-P256-SHA512, HashML-DSA-65, and one that isn't assigned.
OTHERS = {
    "slh-dsa": ("2.16.840.1.101.3.4.3.20", 32), "composite": ("1.3.6.1.5.5.7.6.45", 1952 + 65),
    "hash-ml-dsa": ("2.16.840.1.101.3.4.3.33", 1952), "unassigned": ("1.3.6.1.4.1.32473.1", 32),
}


def add(add):
    """Leaves below `int-1`, whose key is of elliptic curves, and roots and an intermediate of ML-DSA."""
    above, ec = add.certificates["int-1"], keys.EC("post-quantum leaf")
    for size in SIZES:
        key, authority = keys.MLDSA("leaf", size), keys.MLDSA("root", size)
        root = add(f"root-ml-dsa-{size}", make(f"ML-DSA-{size} root", authority, authority=True))
        leaf = {"names": NAMES, "usages": ["server"]}
        add(f"ml-dsa-{size}-key", make("key", key, above, **leaf))
        add(f"ml-dsa-{size}-signature", make("signature", ec, root, **leaf))
        add(f"ml-dsa-{size}", make("key and signature", key, root, **leaf))
    root = add.certificates["root-ml-dsa-65"]
    middle = add("int-ml-dsa-65", make(
        "ML-DSA-65 intermediate", keys.MLDSA("intermediate", 65), add.certificates["root-1"], authority=True))
    add("under-int-ml-dsa-65", make("under it", ec, middle, **leaf))
    add("ml-dsa-65-wrong", make("wrong", ec, root, sign={"wrong": True}, **leaf))
    add("ml-dsa-65-null-signature", make("NULL beside the signature", ec, root, sign={"parameters": der.null()}, **leaf))
    key = keys.MLDSA("leaf", 65)
    add("ml-dsa-65-self", make("alone", key, **leaf))
    add("ml-dsa-65-client", make("client", key, root, names=["client.example.com"], usages=["client"]))
    bits = key.spki[-1952:]
    for name, spki in {
        "ml-dsa-65-null": der.sequence(der.sequence(der.oid(key.oid), der.null()), der.bits(bits)),
        "ml-dsa-65-short": der.sequence(der.sequence(der.oid(key.oid)), der.bits(bits[:-1])),
        "ml-dsa-65-long": der.sequence(der.sequence(der.oid(key.oid)), der.bits(bits + b"\0")),
    }.items():
        add(name, make(name, Encoded(key, spki), above, **leaf))
    for name, (unused, usage) in USAGES.items():
        more = [extension("2.5.29.15", der.bits(usage, unused), critical=True)]
        add(f"ml-dsa-65-{name}", make(name, key, above, lacks=["usage"], more=more, **leaf))
    for name, (oid, count) in OTHERS.items():
        add(name, make(name, Encoded(key, unknown(oid, count)), above, **leaf))
