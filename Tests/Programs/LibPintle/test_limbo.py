#!/usr/bin/env python3
"""Where libpintle's answer isn't that of x509-limbo (https://x509-limbo.com): docs/validation.md lists these cases.

    .build/wheel/newest/bin/python Tests/Programs/LibPintle/test_limbo.py     # Scripts/check/wheel makes this environment

The certificates are made here, by the cases' descriptions. Each case that the page lists must get the answer that it says,
and the page must list exactly these. Of the cases in which both agree, only some are here.
"""

import ipaddress
import pathlib
import re
import sys
import warnings
from datetime import datetime, timezone

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID as Usage

import pintle

ROOT = pathlib.Path(__file__).resolve().parents[3]
SERVER, DNS = Usage.SERVER_AUTH, x509.DNSName
FROM, UNTIL = datetime(2024, 3, 1), datetime(2924, 3, 1)
NOW = datetime(2026, 9, 1)
SIGNER = ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
warnings.filterwarnings("ignore", message="Parsed a serial number")


def name(text):
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)] if text else [])


def key_usage(*bits):
    every = ["digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
             "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"]
    return x509.KeyUsage(**{bit: bit in bits for bit in every})


class Certificate:
    """A certificate with its key; `with_` adds extensions, critical where the second of a pair says so."""

    def __init__(self, subject, issuer=None, *, usages=None, names=("example.com",), key=None, with_=(), until=UNTIL,
                 serial=None, bits=("digital_signature",), names_critical=False, identifier=True, authority=None):
        self.subject, self.key = name(subject), key or ec.generate_private_key(ec.SECP256R1())
        above = issuer or self
        builder = x509.CertificateBuilder(above.subject, self.subject, self.key.public_key(), None, FROM, until)
        builder = builder.serial_number(x509.random_serial_number())
        if identifier:
            builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(self.key.public_key()), False)
        if authority is not None:
            builder = builder.add_extension(authority, True)
        if bits:
            builder = builder.add_extension(key_usage(*bits), False)
        if issuer:
            builder = builder.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.key.public_key()), False)
        if usages:
            builder = builder.add_extension(x509.ExtendedKeyUsage(usages), False)
        listed = [DNS(one) if isinstance(one, str) else one for one in names]
        builder = builder.add_extension(x509.SubjectAlternativeName(listed), names_critical)
        for extension, critical in with_:
            builder = builder.add_extension(extension, critical)
        # cryptography makes no such serial number by itself.
        if serial is not None:
            builder._serial_number = serial
        self.der = builder.sign(above.key, SHA256()).public_bytes(Encoding.DER)


def authority(subject, issuer=None, *, length=None, **more):
    more = {"bits": ("key_cert_sign",), "authority": x509.BasicConstraints(True, length), **more}
    return Certificate(subject, issuer, **more)


def leaf(issuer, **more):
    return Certificate(more.pop("subject", "example.com"), issuer, **{"usages": [SERVER], **more})


def identifier(key, of=True, issuer=None, serial=None):
    """An authorityKeyIdentifier with any of its parts."""
    whole = x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key())
    whole._key_identifier = whole.key_identifier if of else None
    whole._authority_cert_issuer = [x509.DirectoryName(name(issuer))] if issuer else None
    whole._authority_cert_serial_number = serial
    return whole


def of_root(names=("example.com",), **more):
    """The question about a leaf with these names below a root with this."""
    root = authority("root", **more)
    return [root], [leaf(root, names=names)], names[0], NOW


def of_leaf(host="example.com", **more):
    """The question about a leaf with this."""
    root = authority("root")
    return [root], [leaf(root, **more)], host, NOW


def of_key(**parts):
    key = ec.generate_private_key(ec.SECP256R1())
    return of_root(key=key, with_=[(identifier(key, **parts), False)])


def of_name(common, *names):
    host = names[0]
    try:
        names = [x509.IPAddress(ipaddress.ip_address(host))]
    except ValueError:
        pass
    return of_leaf(host, subject=common, names=names)


def permitted(*names):
    constraints = x509.NameConstraints([DNS("example.com")], None)
    constraints._permitted_subtrees = [DNS(one) for one in names]
    return constraints


def below(intermediate):
    root = authority("root")
    one = intermediate(root)
    return [root], [leaf(one), one], "example.com", NOW


def at_its_end(later):
    root, until = authority("root", until=datetime(2025, 4, 1)), datetime(2025, 4, 1)
    one = authority("intermediate", root, until=until)
    return [root], [leaf(one, until=until), one], "example.com", until.replace(microsecond=later)


def authority_as_leaf(length, host):
    root = authority("root")
    above = authority("first", root, length=length) if length is not None else root
    served = [authority("second", above, length=length, names=[host])] + ([above] if above is not root else [])
    return [root], served, host, NOW


def constrained(constraints, *names, host="example.com"):
    """The question about a leaf with these names below a root that permits these."""
    permitted = x509.NameConstraints([DNS("example.com")], None)
    permitted._permitted_subtrees = constraints
    root = authority("root", with_=[(permitted, True)])
    return [root], [leaf(root, names=[DNS("example.com"), *names])], host, NOW


def critical(extension):
    key = ec.generate_private_key(ec.SECP256R1())
    return of_root(key=key, identifier=extension is not x509.SubjectKeyIdentifier, with_=[
        ((extension.from_public_key if extension is x509.SubjectKeyIdentifier else extension.from_issuer_public_key)(
            key.public_key()), True)])


def mail(text):
    return x509.RFC822Name._init_without_validation(text)


def of_usages(*others):
    return of_leaf(usages=[SERVER, *others])


PRECERTIFICATE = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.4.4")
ADDRESS, SIX = ipaddress.ip_address("192.0.2.1"), ipaddress.ip_address("::1")
NETWORK = x509.IPAddress(ipaddress.ip_network("192.0.2.0/24"))
ACCESS = x509.UnrecognizedExtension(x509.OID_AUTHORITY_INFORMATION_ACCESS, b"malformed")

# Limbo expects a failure, and libpintle accepts.
ACCEPTED = {
    "rfc5280::nc::permitted-dns-match-noncritical": lambda: of_root(with_=[(permitted("example.com"), False)]),
    "rfc5280::nc::invalid-dnsname-leading-period": lambda: of_root(
        names=["foo.example.com"], with_=[(permitted(".example.com"), True)]),
    "rfc5280::nc::not-allowed-in-ee-noncritical": lambda: of_leaf(with_=[(permitted("example.com"), False)]),
    "rfc5280::nc::not-allowed-in-ee-critical": lambda: of_leaf(with_=[(permitted("example.com"), True)]),
    "rfc5280::pc::ica-noncritical-pc": lambda: below(
        lambda root: authority("intermediate", root, with_=[(x509.PolicyConstraints(3, None), False)])),
    "rfc5280::serial::serial-number-too-long": lambda: of_leaf(serial=(1 << 175) + 1),
    "rfc5280::serial::serial-number-zero": lambda: of_leaf(serial=0),
    "webpki::aki::root-with-aki-missing-keyidentifier": lambda: of_key(of=False),
    "webpki::aki::root-with-aki-authoritycertissuer": lambda: of_key(issuer="myCN"),
    "webpki::aki::root-with-aki-authoritycertserialnumber": lambda: of_key(serial=1234),
    "webpki::aki::root-with-aki-all-fields": lambda: of_key(issuer="myCN", serial=1234),
    "webpki::aki::root-with-aki-ski-mismatch": lambda: of_root(
        with_=[(identifier(ec.generate_private_key(ec.SECP256R1())), False)]),
    "webpki::cn::cabf-cn-ipv4-hex-mismatch": lambda: of_name("0xC0A80101", "192.168.1.1"),
    "webpki::cn::cabf-cn-ipv4-leading-zeros-mismatch": lambda: of_name("192.168.001.001", "192.168.1.1"),
    "webpki::cn::cabf-cn-ipv6-uppercase-mismatch": lambda: of_name("2001:DB8::8A2E:370:7334", "2001:db8::8a2e:370:7334"),
    "webpki::cn::cabf-cn-ipv6-uncompressed-mismatch": lambda: of_name("2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"),
    "webpki::cn::cabf-cn-ipv6-non-rfc5952-mismatch": lambda: of_name("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
    "webpki::cn::cabf-cn-punycode-not-in-san": lambda: of_name("xn--nxasmq6b.com", "xn--n3h.com"),
    "webpki::cn::cabf-cn-utf8-vs-punycode-mismatch": lambda: of_name("test-\u6e2c\u8a66.com", "xn--test--wg5h0h.com"),
    "webpki::cn::cabf-cn-not-in-san": lambda: of_name("notinsan.example.com", "valid.example.com", "another.example.com"),
    "webpki::cn::cabf-cn-case-mismatch": lambda: of_name("Example.COM", "example.com"),
    "webpki::eku::ee-anyeku": lambda: of_usages(Usage.ANY_EXTENDED_KEY_USAGE),
    "webpki::eku::ee-critical-eku": lambda: of_leaf(usages=None, with_=[(x509.ExtendedKeyUsage([SERVER]), True)]),
    "webpki::eku::ee-without-eku": lambda: of_leaf(usages=None),
    "webpki::eku::root-has-eku": lambda: of_root(usages=[SERVER]),
    "webpki::eku::ee-precertificate-with-serverauth": lambda: of_usages(PRECERTIFICATE),
    "webpki::eku::ee-codesigning-with-serverauth": lambda: of_usages(Usage.CODE_SIGNING),
    "webpki::eku::ee-emailprotection-with-serverauth": lambda: of_usages(Usage.EMAIL_PROTECTION),
    "webpki::eku::ee-timestamping-with-serverauth": lambda: of_usages(Usage.TIME_STAMPING),
    "webpki::eku::ee-ocspsigning-with-serverauth": lambda: of_usages(Usage.OCSP_SIGNING),
    "webpki::san::san-critical-with-nonempty-subject": lambda: of_leaf(subject="something-else", names_critical=True),
    "webpki::malformed-aia": lambda: of_leaf(with_=[(ACCESS, False)]),
    "webpki::ee-basicconstraints-ca": lambda: of_leaf(authority=x509.BasicConstraints(True, None)),
    "webpki::forbidden-rsa-key-not-divisable-by-8-in-leaf": lambda: of_leaf(key=rsa.generate_private_key(65537, 2052)),
    "webpki::forbidden-rsa-not-divisable-by-8-in-root": lambda: of_root(key=rsa.generate_private_key(65537, 2052)),
    # A list of revoked certificates comes with these, and libpintle reads none.
    "crl::revoked-certificate-with-crl": of_leaf,
    "crl::crlnumber-missing": of_leaf,
    "crl::crlnumber-critical": of_leaf,
    "crl::issuer-missing-crlsign": of_leaf,
    "rfc5280::ski::root-missing-ski": lambda: of_root(identifier=False),
    "rfc5280::root-non-critical-basic-constraints": lambda: of_root(
        authority=None, with_=[(x509.BasicConstraints(True, None), False)]),
}
# Limbo expects success, and libpintle rejects.
REJECTED = {
    "pathlen::validation-ignores-pathlen-in-leaf": lambda: authority_as_leaf(0, "example.com"),
    "rfc5280::ca-as-leaf": lambda: authority_as_leaf(None, "ca.example.com"),
    "rfc5280::validity::notafter-exact": lambda: at_its_end(0),
    "rfc5280::validity::notafter-fractional": lambda: at_its_end(5000),
}
# Limbo expects a failure, and libpintle rejects, too: where that took more than libcrypto, and what roots restrict.
ALSO_REJECTED = {
    "rfc5280::nc::nc-permits-invalid-dns-san": lambda: constrained([DNS("example.com")], DNS(".example.com")),
    "rfc5280::nc::nc-permits-invalid-email-san": lambda: constrained(
        [mail("example.com")], mail("good@example.com"), mail("invalid@address@example.com")),
    "rfc5280::nc::nc-permits-invalid-ip-san": lambda: constrained(
        [NETWORK], x509.IPAddress(ADDRESS), x509.IPAddress(NETWORK.value)),
    "rfc5280::nc::invalid-ipv4-address": lambda: constrained([x509.IPAddress(ADDRESS)], x509.IPAddress(ADDRESS)),
    "rfc5280::nc::invalid-ipv6-address": lambda: constrained([x509.IPAddress(SIX)], x509.IPAddress(SIX)),
    "rfc5280::nc::invalid-email-address": lambda: constrained(
        [mail("invalid@invalid@example.com")], mail("example@example.com")),
    "rfc5280::aki::critical-aki": lambda: critical(x509.AuthorityKeyIdentifier),
    "rfc5280::ski::critical-ski": lambda: critical(x509.SubjectKeyIdentifier),
    "rfc5280::root-missing-basic-constraints": lambda: of_root(authority=None),
    "rfc5280::root-inconsistent-ca-extensions": lambda: of_root(bits=("digital_signature",)),
    "rfc5280::unknown-critical-extension-root": lambda: of_root(
        with_=[(x509.UnrecognizedExtension(x509.ObjectIdentifier("1.3.6.1.4.1.55738.666.1"), b""), True)]),
}


def ask(anchors, served, host, at):
    """Whether it is accepted, and otherwise the failure."""
    settings = {"signers": [SIGNER], "threshold": 1, "audience": "limbo", "without_manifest": "notPinned"}
    with pintle.Store(**settings, anchors=[one.der for one in anchors]) as store:
        decision = store.evaluate(host, 443, [one.der for one in served], 0x0304, validation="replaced",
                                  at=int(at.replace(tzinfo=timezone.utc).timestamp()))
    return decision.failures[0][0] if decision.failures else "accepted"


def main():
    page = (ROOT / "docs" / "validation.md").read_text()
    start = page.index("## x509-limbo")
    listed = set(re.findall(r"`((?:webpki|rfc5280|pathlen|crl)::[a-z0-9:-]+)`", page[start:page.index("\n## ", start)]))
    wrong = [f"{case}: {'is not on the page' if case not in listed else 'is only on the page'}"
             for case in listed ^ (ACCEPTED.keys() | REJECTED.keys())]
    for cases, is_accepted in ((ACCEPTED, True), (REJECTED, False), (ALSO_REJECTED, False)):
        for case, question in cases.items():
            answer = ask(*question())
            if (answer == "accepted") != is_accepted:
                wrong.append(f"{case}: {answer}")
            if "--show" in sys.argv:
                print(case, answer)
    for one in wrong:
        print(one, file=sys.stderr)
    print(f"x509-limbo: {len(ACCEPTED)} cases are accepted and {len(REJECTED)} rejected against its expectation, as listed")
    return 1 if wrong else 0


sys.exit(main())
