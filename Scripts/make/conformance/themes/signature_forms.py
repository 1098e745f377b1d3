"""Which encodings of signatures and keys are valid where algorithms allow several: after Wycheproof's cases."""

import hashlib

import der
import keys
from book import FORMAT
from curves import Ed25519, P256, digest, spki_of_ed25519, spki_of_p256
from manifests import canonical, content, encoding, envelope
from world import Signer

WRONG, UNUSABLE = "invalid-signature", "unusable-signer"


def write(theme):
    theme.about(
        "load", "Signatures and keys where the algorithms leave room: numbers out of range, other encodings of the same "
        "numbers, points of small order, edge cases of the arithmetic.", FORMAT + "#forms-of-signatures")
    rows = Rows(theme)
    ed25519(rows)
    ed25519_keys(rows)
    p256_numbers(rows)
    p256_encodings(rows)
    p256_arithmetic(rows)
    p256_keys(rows)


class Rows:
    def __init__(self, theme):
        self.theme, self.signers = theme, theme.book.signers
        self.body = canonical(content(theme.book.keys, [{"host": "example.com", "keys": ["leaf-1"]}]))
        self.message = encoding(self.body)

    def add(self, identifier, comment, signer, signature, expected):
        """One signature by the named signer, the only one that the client trusts; expected is an error, or None."""
        spki = self.signers[signer].spki if signer in self.signers else self.theme.book.unusable[signer]
        data = envelope(self.body, [(hashlib.sha256(spki).hexdigest(), signature)])
        answer = {"result": "refused", "error": expected}
        if expected is None:
            answer = {"result": "loaded", "serial": 1, "signedBy": [signer]}
        self.theme.add(identifier, comment, {
            "client": {"signers": [signer], "threshold": 1, "audience": "vectors"},
            "manifest": self.theme.file(f"{self.theme.name}-{identifier}.json", data), "maximumBytes": None,
            "expected": answer})

    def key(self, name, spki):
        """A public key made for one row."""
        assert name not in self.signers and name not in self.theme.book.unusable, name
        self.signers[name] = Signer(Public(spki))
        return name

    def unusable(self, identifier, comment, spki):
        """A trusted key that clients must reject, beside one that signed."""
        name = f"signer-{identifier}"
        self.theme.book.unusable[name] = spki
        by_alice = self.theme.manifest("by-alice", self.body)
        self.theme.add(name, comment, {
            "client": {"signers": ["alice", name], "threshold": 1, "audience": "vectors"}, "manifest": by_alice,
            "maximumBytes": None, "expected": {"result": "refused", "error": UNUSABLE}})


class Public:
    """A key without a known private key."""

    def __init__(self, spki):
        self.spki = spki


class Hand:
    """Signs with alice's key, but computes each part separately."""

    def __init__(self, message, name="signer alice", torsion=Ed25519.neutral):
        seed = keys.Stream("pintle vectors ed25519 " + name).take(32)
        self.message, (self.secret, self.prefix) = message, Ed25519.secret(seed)
        self.key = Ed25519.encode(Ed25519.add(Ed25519.multiply(self.secret, Ed25519.base), torsion))
        self.nonce = int.from_bytes(hashlib.sha512(self.prefix + message).digest(), "little") % Ed25519.order
        self.point = Ed25519.multiply(self.nonce, Ed25519.base)

    def sign(self, r=None, nonce=None, message=None):
        """R as given, and S to match it: valid if R = nonce · B."""
        r = Ed25519.encode(self.point) if r is None else r
        challenge = Ed25519.challenge(r, self.key, self.message if message is None else message)
        s = ((self.nonce if nonce is None else nonce) + challenge * self.secret) % Ed25519.order
        return r + s.to_bytes(32, "little")


def ed25519(rows):
    hand = Hand(rows.message)
    right = rows.signers["alice"].signature(rows.message)
    assert hand.sign() == right

    def add(identifier, comment, signature, expected=WRONG):
        rows.add("ed25519-" + identifier, comment, "alice", signature, expected)

    r, s, order = right[:32], int.from_bytes(right[32:], "little"), Ed25519.order
    add("right", "As every library writes it.", right, None)
    for count in (1, 2, 4, 8, 14):
        add(f"s-plus-{count}-l", f"S + {count} L: the same number for whoever doesn't check that S is below L.",
            r + (s + count * order).to_bytes(32, "little"))
    for bit in (253, 254, 255):
        add(f"s-bit-{bit}", f"Bit {bit} of S is set.", r + (s | 1 << bit).to_bytes(32, "little"))
    add("s-plus-p", "S + p.", r + (s + Ed25519.p).to_bytes(32, "little"))
    add("s-negated", "L - S.", r + (order - s).to_bytes(32, "little"))
    neutral = Ed25519.encode(Ed25519.neutral)
    for name, point in {"zero": bytes(32), "neutral": neutral, "order": order.to_bytes(32, "little"),
                        "p": Ed25519.p.to_bytes(32, "little")}.items():
        for other, number in {"zero": 0, "one": 1, "order": order}.items():
            add(f"r-{name}-s-{other}", f"R of the bytes of {name}, S of {other}: no message is looked at.",
                point + number.to_bytes(32, "little"))
    add("r-not-a-point", "R is no point, S fits it.", hand.sign(b"\xff" * 32))
    for bit in (0, 7, 127, 254, 255):
        changed = (int.from_bytes(r, "little") ^ 1 << bit).to_bytes(32, "little")
        add(f"r-bit-{bit}", f"Bit {bit} of R is another one, S fits it.", hand.sign(changed))
    # R as the neutral element: such a signature reveals the private key, but is valid.
    add("r-of-order-1", "R is the neutral element: the equation holds.", hand.sign(neutral, 0), None)
    add("r-of-order-1-beyond-p", "The same with p added to its y: R is compared as bytes.",
        hand.sign(Ed25519.encode(Ed25519.neutral, beyond=1), 0))
    add("r-of-order-1-sign", "The same with the sign of x = 0 set.",
        hand.sign(Ed25519.encode(Ed25519.neutral, sign=1), 0))
    small = Ed25519.small()
    for number, order_of in ((4, 2), (2, 4), (1, 8)):
        add(f"r-of-order-{order_of}", f"R is of order {order_of}: right only where the equation is multiplied by 8.",
            hand.sign(Ed25519.encode(small[number]), 0))
        mixed = Ed25519.encode(Ed25519.add(hand.point, small[number]))
        add(f"r-with-order-{order_of}", f"R has a part of order {order_of}: right only where the equation is multiplied by 8.",
            hand.sign(mixed))
    # Other members of the family.
    context = b"SigEd25519 no Ed25519 collisions"
    add("ph", "Ed25519ph: the message's SHA-512 is signed.",
        prefixed(hand, context + b"\x01\x00", hashlib.sha512(rows.message).digest()))
    add("ctx", "Ed25519ctx, with a context.", prefixed(hand, context + b"\x00\x06pintle", rows.message))
    add("ctx-empty", "Ed25519ctx, without one.", prefixed(hand, context + b"\x00\x00", rows.message))
    add("prehashed", "Ed25519 over the message's SHA-512.",
        rows.signers["alice"].signature(hashlib.sha512(rows.message).digest()))
    add("of-p256", "An ECDSA signature under an Ed25519 key's name.", rows.signers["hsm"].signature(rows.message))
    for name, comment, signature in (
        ("r-only", "S is missing.", r), ("62", "62 bytes.", right[:62]), ("66", "66 bytes.", right + b"\x20\x20"),
        ("byte-first", "A zero byte before R.", b"\x00" + right), ("byte-between", "A zero byte before S.",
                                                                    r + b"\x00" + right[32:]),
        ("key-behind", "The public key behind it.", right + hand.key), ("twice", "Twice.", right + right),
        ("der", "R and S as DER.", der.sequence(der.octets(r), der.octets(right[32:]))),
        ("big-endian", "S with its bytes the other way round.", r + right[:31:-1]),
        ("exchanged", "S before R.", right[32:] + r), ("hexadecimal", "In hexadecimal.", right.hex().encode()),
    ):
        add(name, comment, signature)
    # A key with a component of small order is treated like any other: only the equation decides.
    hand = Hand(rows.message, "signer mixed", small[1])
    name = rows.key("mixed-order", spki_of_ed25519(hand.key))
    found = {}
    for nonce in range(1, 100):
        point = Ed25519.encode(Ed25519.multiply(nonce, Ed25519.base))
        found.setdefault(Ed25519.challenge(point, hand.key, rows.message) % 8 == 0, hand.sign(point, nonce))
    rows.add("ed25519-key-with-order-8", "A key with a part of order 8: right only where the equation is multiplied by 8.",
             name, found[False], WRONG)
    rows.add("ed25519-key-with-order-8-that-vanishes", "A signature by which that part vanishes: the equation holds.",
             name, found[True], None)


def prefixed(hand, prefix, message):
    """Ed25519ctx or Ed25519ph (RFC 8032 section 5.1), by the prefix of its hashes."""
    r = Ed25519.encode(hand.point)
    challenge = int.from_bytes(hashlib.sha512(prefix + r + hand.key + message).digest(), "little")
    s = (hand.nonce + challenge * hand.secret) % Ed25519.order
    return r + s.to_bytes(32, "little")


def ed25519_keys(rows):
    def unusable(identifier, comment, key):
        rows.unusable("ed25519-" + identifier, comment, spki_of_ed25519(key))

    small = Ed25519.small()
    for number, point in enumerate(small):
        order = 8 // (number & -number if number else 8)
        unusable(f"small-order-{number}", f"A key of order {order}: anybody can sign by it.", Ed25519.encode(point))
    for name, point in {"1": small[0], "2": small[4]}.items():
        unusable(f"order-{name}-sign", f"The key of order {name}, with the sign of x = 0 set.",
                 Ed25519.encode(point, sign=1))
    for name, point in {"1": small[0], "4": small[2], "4-sign": small[6]}.items():
        unusable(f"order-{name}-beyond-p", f"A key of order {name[0]}, with p added to its y.",
                 Ed25519.encode(point, beyond=1))
    for y in (3, 18):
        unusable(f"y-{y}-beyond-p", f"A key with y = {y}, with p added to it: the same key has other bytes.",
                 Ed25519.encode(Ed25519.lift(y), beyond=1))
    assert Ed25519.lift(2) is None and Ed25519.lift(3) and Ed25519.lift(18)
    unusable("not-a-point", "A key that is no point: nothing is ever signed by it.", Ed25519.encode((0, 2)))
    # With a key of order 1 anybody can sign: the message doesn't matter.
    rows.add("ed25519-forged-by-order-1", "What anybody can sign by the key of order 1, for any message.",
             "signer-ed25519-small-order-0", Ed25519.encode(Ed25519.base) + (1).to_bytes(32, "little"), UNUSABLE)
    key = rows.signers["alice"].spki[-32:]
    rows.unusable("ed25519-null", "An Ed25519 key whose algorithm has parameters, NULL (RFC 8410 section 3).",
                  spki_of_ed25519(key, der.null()))
    rows.unusable("ed25519-31-bytes", "An Ed25519 key of 31 bytes.", spki_of_ed25519(key[:-1]))
    rows.unusable("ed25519-33-bytes", "An Ed25519 key of 33 bytes.", spki_of_ed25519(key + b"\x00"))
    rows.unusable("ed25519-raw", "An Ed25519 key without its SubjectPublicKeyInfo.", key)
    rows.unusable("x25519", "A key that agrees and doesn't sign.", keys.Agreement("signer x25519").spki)


def p256_numbers(rows):
    r, s = numbers(rows)
    n, p = P256.n, P256.p

    def add(identifier, comment, first, second, expected=WRONG):
        rows.add("p256-" + identifier, comment, "hsm", der.sequence(signed(first), signed(second)), expected)

    add("right", "As every library writes it.", r, s, None)
    add("s-negated", "n - s, which is as right as s: anybody can make the one of the other.", r, n - s, None)
    special = {"0": 0, "n": n, "n-plus-1": n + 1, "minus-1": -1}
    for name, number in {**special, "1": 1, "n-minus-1": n - 1, "p": p, "p-plus-1": p + 1}.items():
        add(f"r-{name}", f"r = {spelt(name)}.", number, s)
        add(f"s-{name}", f"s = {spelt(name)}.", r, number)
    for first in special:
        for second in special:
            add(f"r-{first}-s-{second}", f"r = {spelt(first)}, s = {spelt(second)}: no message is looked at.",
                special[first], special[second])
    for name, change in {
        "plus-n": lambda number: number + n, "minus-n": lambda number: number - n, "negated": lambda number: -number,
        "plus-256-n": lambda number: number + 256 * n, "plus-2-to-256": lambda number: number + (1 << 256),
        "plus-2-to-320": lambda number: number + (1 << 320),
    }.items():
        add(f"r-{name}", f"r {spelt(name)}.", change(r), s)
        add(f"s-{'itself-' if name == 'negated' else ''}{name}", f"s {spelt(name)}.", r, change(s))
    add("r-mirrored", "n - r.", n - r, s)
    add("exchanged", "s before r.", s, r)
    for name in ("sha1", "sha384", "sha512"):
        signature = rows.signers["hsm"].key.sign(rows.message, name)[1]
        rows.add(f"p256-{name}", f"A digest by SHA-{name[3:]}.", "hsm", signature, WRONG)
    alice = rows.signers["alice"].signature(rows.message)
    rows.add("p256-of-ed25519", "An Ed25519 signature under a P-256 key's name.", "hsm", alice, WRONG)


def p256_encodings(rows):
    r, s = numbers(rows)
    first, second = signed(r), signed(s)
    body, long_r = first + second, signed(r, extra=1)
    whole = der.sequence(first, second)

    def wrap(*parts):
        return der.sequence(*parts)

    def header(data, head):
        return data[:1] + head + data[2:]

    size = len(body)
    for identifier, comment, signature in (
        ("length-long", "The sequence's length in the long form.", header(whole, b"\x81" + bytes([size]))),
        ("length-zero-first", "The sequence's length with a leading zero.", header(whole, b"\x82\x00" + bytes([size]))),
        ("length-more", "The sequence's length is one too many.", header(whole, bytes([size + 1]))),
        ("length-less", "The sequence's length is one too few.", header(whole, bytes([size - 1]))),
        ("length-2-to-32", "The sequence's length is 2^32 too many.",
         header(whole, b"\x85\x01\x00\x00\x00" + bytes([size]))),
        ("length-2-to-64", "The sequence's length is 2^64 too many.",
         header(whole, b"\x89\x01" + bytes(7) + bytes([size]))),
        ("length-greatest", "The sequence's length is 2^64 - 1.", header(whole, b"\x88" + b"\xff" * 8)),
        ("length-ff", "The sequence's length is FF.", header(whole, b"\xff")),
        ("indefinite", "An indefinite length.", header(whole, b"\x80") + b"\x00\x00"),
        ("indefinite-unended", "An indefinite length without its end.", header(whole, b"\x80")),
        ("empty", "An empty sequence.", wrap()),
        ("one-number", "One number.", wrap(first)),
        ("three-numbers", "Three numbers.", wrap(first, second, second)),
        ("two-bytes-more", "Two bytes behind the sequence.", whole + b"\x05\x00"),
        ("null-inside", "NULL behind the numbers.", wrap(body, der.null())),
        ("byte-inside", "A byte behind the numbers.", wrap(body, b"\x00")),
        ("byte-first", "A byte before the sequence.", b"\x00" + whole),
        ("null-first", "NULL before the numbers.", wrap(der.null(), body)),
        ("sequence-in-sequence", "A sequence in a sequence.", wrap(whole)),
        ("set", "A set in place of the sequence.", b"\x31" + whole[1:]),
        ("context-tag", "Another tag in place of the sequence's.", b"\xa0" + whole[1:]),
        ("not-constructed", "A sequence that isn't constructed.", b"\x10" + whole[1:]),
        ("bit-string", "In a bit string.", der.bits(whole)),
        ("octet-string", "In an octet string.", der.octets(whole)),
        ("r-length-long", "The length of r in the long form.", wrap(b"\x02\x81" + first[1:], second)),
        ("s-length-long", "The length of s in the long form.", wrap(first, b"\x02\x81" + second[1:])),
        ("s-length-zero-first", "The length of s with a leading zero.", wrap(first, b"\x02\x82\x00" + second[1:])),
        ("r-length-more", "The length of r is one too many.", wrap(header(first, bytes([first[1] + 1])), second)),
        ("s-length-more", "The length of s is one too many.", wrap(first, header(second, bytes([second[1] + 1])))),
        ("r-length-less", "The length of r is one too few.", wrap(header(first, bytes([first[1] - 1])), second)),
        ("r-leading-zero", "A leading zero of r that isn't needed.", wrap(long_r, second)),
        ("s-leading-zero", "A leading zero of s that isn't needed.", wrap(first, signed(s, extra=1))),
        ("r-zero-behind", "A zero behind r.", wrap(der.value(2, first[2:], b"\x00"), second)),
        ("r-empty", "r without a byte.", wrap(der.value(2), second)),
        ("s-empty", "s without a byte.", wrap(first, der.value(2))),
        ("r-missing-zero", "A number above 2^255 without its leading zero: it is negative.",
         wrap(der.value(2, max(r, P256.n - r).to_bytes(32, "big")), second)),
        ("s-missing-zero", "The same of s.", wrap(first, der.value(2, max(s, P256.n - s).to_bytes(32, "big")))),
        ("r-leading-ff", "A leading FF of r.", wrap(der.value(2, b"\xff", first[2:]), second)),
        ("r-octets", "r as an octet string.", wrap(der.octets(first[2:]), second)),
        ("s-enumerated", "s as an enumerated.", wrap(first, b"\x0a" + second[1:])),
        ("r-null", "NULL in place of r.", wrap(der.null(), second)),
        ("r-false", "FALSE in place of r.", wrap(der.boolean(False), second)),
        ("r-infinite", "Infinity, a real, in place of r.", wrap(b"\x09\x01\x40", second)),
        ("s-object", "An empty object identifier in place of s.", wrap(first, b"\x06\x00")),
        ("s-constructed", "s as constructed.", wrap(first, b"\x22" + second[1:])),
        ("cut", "The last byte is missing.", whole[:-1]),
        ("cut-resized", "The last byte is missing, the length fits.", wrap(body[:-1])),
        ("no-signature", "A signature of zero bytes each.", bytes(len(whole))),
        ("raw-64", "r and s as 64 bytes (IEEE P1363).", raw(r) + raw(s)),
        ("raw-little-endian", "The same, least byte first.", raw(r)[::-1] + raw(s)[::-1]),
        ("raw-hexadecimal", "The DER in hexadecimal.", whole.hex().encode()),
    ):
        rows.add("p256-" + identifier, comment, "hsm", signature, WRONG)


def p256_arithmetic(rows):
    """Edge cases of verifying, with keys that are computed from the message and the signature."""
    n, message = P256.n, rows.message

    def add(identifier, comment, r, s, point):
        key = P256.key_of(message, r, s, point)
        assert P256.verifies(key, message, r, s), identifier
        name = rows.key(f"p256-{identifier}", spki_of_p256(*key))
        rows.add(f"p256-{identifier}", comment, name, der.sequence(signed(r), signed(s)), None)

    some = P256.multiply(0x1234567, P256.base)
    low = next(x for x in range(1, 100) if P256.lift(x))
    high = next(x for x in range(n - 1, n - 100, -1) if P256.lift(x))
    beyond = next(x for x in range(n + 1, n + 100) if P256.lift(x))
    add("x-beyond-n", "The point's x lies between n and p, and r = x - n.", beyond - n, 0x99, P256.lift(beyond))
    rows.add("p256-x-beyond-n-as-r", "The same with x itself as r.", "p256-x-beyond-n",
             der.sequence(signed(beyond), signed(0x99)), WRONG)
    add("small-r", "The least r that there is.", low, 0x123456789, P256.lift(low))
    add("small-r-and-s", "The least r, and s = 1: eight bytes.", low, 1, P256.lift(low))
    add("great-r", "The greatest r that there is.", high, 0x123456789, P256.lift(high))
    add("s-of-1", "s = 1.", some[0] % n, 1, some)
    add("s-of-n-minus-1", "s = n - 1.", some[0] % n, n - 1, some)
    add("s-of-2-to-128", "s = 2^128.", some[0] % n, 1 << 128, some)
    add("s-inverse-small", "s whose inverse is 2.", some[0] % n, pow(2, -1, n), some)
    add("r-equals-s", "s = r.", some[0] % n, some[0] % n, some)
    hashed = digest(message) % n
    # The two terms of the sum are the same point, which is doubled: Q = (e / r) G, with R = (2 e / s) G.
    nonce = 0x7654321
    double = P256.multiply(nonce, P256.base)
    key = P256.multiply(hashed * pow(double[0], -1, n), P256.base)
    s = 2 * hashed * pow(nonce, -1, n) % n
    assert P256.verifies(key, message, double[0] % n, s)
    name = rows.key("p256-doubled", spki_of_p256(*key))
    rows.add("p256-doubled", "Both halves of the sum are the same point.", name,
             der.sequence(signed(double[0] % n), signed(s)), None)
    # The terms cancel each other out for every s: Q = -(e / r) G.
    key = P256.multiply(-hashed * pow(double[0], -1, n), P256.base)
    name = rows.key("p256-infinity", spki_of_p256(*key))
    assert not P256.verifies(key, message, double[0] % n, 5)
    rows.add("p256-infinity", "The halves of the sum cancel out: the point at infinity has no x.", name,
             der.sequence(signed(double[0] % n), signed(5)), WRONG)


def p256_keys(rows):
    head = der.sequence(der.oid("1.2.840.10045.2.1"), der.oid("1.2.840.10045.3.1.7"))
    point = rows.signers["hsm"].spki[-65:]
    x, y = int.from_bytes(point[1:33], "big"), int.from_bytes(point[33:], "big")
    low_x, low_y = P256.lift(next(x for x in range(1, 100) if P256.lift(x)))

    def unusable(identifier, comment, spki):
        rows.unusable("p256-" + identifier, comment, spki)

    unusable("explicit", "P-256 with its curve spelt out.", keys.Explicit("signer explicit").spki)
    unusable("hybrid", "A point in the hybrid form.", der.sequence(head, der.bits(bytes([6 + (y & 1)]) + point[1:])))
    unusable("infinity", "The point at infinity.", der.sequence(head, der.bits(b"\x00")))
    unusable("off-curve", "A point beside the curve.", spki_of_p256(x, y ^ 1))
    unusable("zero", "Both coordinates 0.", spki_of_p256(0, 0))
    unusable("beyond-p", "A point with p added to its x: the same key has other bytes.", spki_of_p256(low_x + P256.p, low_y))
    unusable("of-another-curve", "The same point, said to be on secp256k1.", der.sequence(
        der.sequence(der.oid("1.2.840.10045.2.1"), der.oid("1.3.132.0.10")), der.bits(point)))
    unusable("no-curve", "A key that doesn't say its curve.",
             der.sequence(der.sequence(der.oid("1.2.840.10045.2.1")), der.bits(point)))
    unusable("for-agreement", "A key for ECDH only (RFC 5480 section 2.1.2).", der.sequence(
        der.sequence(der.oid("1.3.132.1.12"), der.oid("1.2.840.10045.3.1.7")), der.bits(point)))
    unusable("unused-bits", "A bit string with unused bits.", der.sequence(head, der.bits(point, unused=1)))
    unusable("point-only", "A point without its SubjectPublicKeyInfo.", point)


def numbers(rows):
    """r and s of the signature that a library writes."""
    signature = rows.signers["hsm"].signature(rows.message)
    size = signature[3]
    return int.from_bytes(signature[4:4 + size], "big"), int.from_bytes(signature[6 + size:], "big")


def signed(number, extra=0):
    """A DER integer, negative ones too, with more leading zeros than it needs."""
    size = (number + (number < 0)).bit_length() // 8 + 1 + extra
    return der.value(2, number.to_bytes(size, "big", signed=True))


def raw(number):
    return number.to_bytes(32, "big")


def spelt(name):
    return name.replace("-minus-", " - ").replace("-plus-", " + ").replace("minus-", "-" if name == "minus-1" else "minus ") \
        .replace("plus-", "plus ").replace("-to-", "^").replace("256-n", "256 n")
