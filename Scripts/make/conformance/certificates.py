"""Writes certificates (RFC 5280), with or without mistakes."""

import hashlib
import ipaddress

import der

USAGES = {
    "server": "1.3.6.1.5.5.7.3.1", "client": "1.3.6.1.5.5.7.3.2", "code": "1.3.6.1.5.5.7.3.3", "any": "2.5.29.37.0",
    "netscape-sgc": "2.16.840.1.113730.4.1",
}
FROM, UNTIL = "2026-01-01T00:00:00Z", "2046-01-01T00:00:00Z"
LEAF_FROM, LEAF_UNTIL = "2026-06-01T00:00:00Z", "2027-06-01T00:00:00Z"


class Certificate:
    def __init__(self, subject, key, data):
        self.subject, self.key, self.der = subject, key, data

    @property
    def fingerprint(self):
        return hashlib.sha256(self.der).hexdigest()


def extension(identifier, body, critical=False):
    return der.sequence(der.oid(identifier), *([der.boolean(True)] if critical else []), der.octets(body))


def key_identifier(key):
    return hashlib.sha1(getattr(key, "usual", key).spki).digest()


def general_name(name):
    """A DNS name or an address; `mail:` in front says otherwise, and `address:` has any bytes in hexadecimal."""
    kind, _, rest = name.partition(":")
    if kind == "mail":
        return der.value(0x81, rest.encode())
    if kind == "address":
        return der.value(0x87, bytes.fromhex(rest))
    try:
        return der.value(0x87, ipaddress.ip_address(name.removeprefix("ip:")).packed)
    except ValueError:
        return der.value(0x82, name.removeprefix("dns:").encode())


def general_names(names):
    return der.sequence(*(general_name(name) for name in names))


def make(
    subject, key, issuer=None, *, names=(), authority=False, path_length=None, usages=None, key_usage=None,
    permitted=None, since=None, until=None, more=(), sign=None, serial=None, version=2, spoil=None, lacks=(),
):
    """A certificate for `key`; self-signed without an issuer.

    names: of the Subject Alternative Name; usages: of the Extended Key Usage, or None; permitted: the DNS names that
    name constraints permit; more: further extensions; sign: keyword arguments of the signature; spoil: a function that
    changes the finished bytes; lacks: what a CA's certificate lacks: `usage`, `critical`, `identifier`.
    """
    signer = issuer.key if issuer else key
    issuer_name = der.name(issuer.subject if issuer else subject)
    extensions = []
    if authority:
        length = [] if path_length is None else [der.integer(path_length)]
        extensions.append(extension("2.5.29.19", der.sequence(der.boolean(True), *length), critical="critical" not in lacks))
    if key_usage is None:
        key_usage = b"\x06" if authority else b"\x80"
    unused = 1 if key_usage == b"\x06" else 7
    if "usage" not in lacks:
        extensions.append(extension("2.5.29.15", der.bits(key_usage, unused), critical=True))
    if "identifier" not in lacks:
        extensions.append(extension("2.5.29.14", der.octets(key_identifier(key))))
    if issuer:
        extensions.append(extension("2.5.29.35", der.sequence(der.value(0x80, key_identifier(issuer.key)))))
    if usages is not None:
        extensions.append(extension("2.5.29.37", der.sequence(*(der.oid(USAGES[usage]) for usage in usages))))
    if names:
        extensions.append(extension("2.5.29.17", general_names(names), critical=subject is None))
    if permitted is not None:
        trees = [der.sequence(der.value(0x82, name.encode())) for name in permitted]
        extensions.append(extension("2.5.29.30", der.sequence(der.value(0xA0, *trees)), critical=True))
    extensions += more
    sign = sign or {}
    algorithm, _ = signer.sign(b"", **sign)
    if serial is None:
        serial = int.from_bytes(hashlib.sha256(f"{subject} {since} {until} {names}".encode() + key.spki).digest()[:8], "big") | 1
    since = since or (FROM if authority else LEAF_FROM)
    until = until or (UNTIL if authority else LEAF_UNTIL)
    fields = [
        der.value(0xA0, der.integer(version)), der.integer(serial), algorithm, issuer_name,
        der.sequence(der.time(since), der.time(until)), der.name(subject), key.spki,
        der.value(0xA3, der.sequence(*extensions)),
    ]
    content = der.sequence(*fields)
    data = der.sequence(content, algorithm, der.bits(signer.sign(content, **sign)[1]))
    return Certificate(subject, key, spoil(data) if spoil else data)
