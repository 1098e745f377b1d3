"""The certificates and signing keys that the vectors are about."""

import base64
import hashlib

import certificates
import constrained
import der
import encoded_keys
import keys
import post_quantum
from certificates import make

# The names of nearly every leaf.
NAMES = [
    "example.com", "*.example.com", "a.example.com", "b.a.example.com", "*.c.example.com", "x.d.example.com",
    "x.g.example.com", "off.example.com", "x.off.example.com", "x.one.example.com", "in.off.example.com",
]
SERVER = ["server"]


def authorities(add):
    """Roots 1 and 2 are anchors if a row says so; root 3 never is."""
    for number in "123":
        root = add(f"root-{number}", make(f"Root {number}", keys.EC(f"root-{number}"), authority=True))
        add(f"int-{number}", make(f"Intermediate {number}", keys.EC(f"int-{number}"), root, authority=True))
    get = add.certificates
    # Root 1's name and key, certified by root 2.
    add("root-1-by-2", make("Root 1", get["root-1"].key, get["root-2"], authority=True))
    add("root-old", make("Root of old", keys.EC("root-old"), authority=True, until="2026-10-01T00:00:00Z"))
    add("root-weak", make("Weak root", keys.RSA("root-weak", 1024), authority=True))
    add("root-sha1", make("Root by SHA-1", keys.EC("root-sha1"), authority=True, sign={"digest": "sha1"}))
    root = get["root-1"]
    add("int-old", make("Old intermediate", keys.EC("int-old"), root, authority=True, until="2026-10-01T00:00:00Z"))
    add("int-rsa", make("RSA intermediate", keys.RSA("int-rsa", 2048), root, authority=True))
    add("int-ed25519", make("Ed25519 intermediate", keys.Edwards("int-ed25519"), root, authority=True))
    add("int-weak", make("Weak intermediate", keys.RSA("int-weak", 1024), root, authority=True))
    add("int-sha1", make("Intermediate by SHA-1", keys.EC("int-sha1"), root, authority=True, sign={"digest": "sha1"}))
    add("int-client", make("Client intermediate", keys.EC("int-client"), root, authority=True, usages=["client"]))
    add("int-org", make("Constrained intermediate", keys.EC("int-org"), root, authority=True, permitted=["example.org"]))
    add("int-com", make("Constrained intermediate 2", keys.EC("int-com"), root, authority=True, permitted=["example.com"]))
    last = add("int-last", make("Last intermediate", keys.EC("int-last"), root, authority=True, path_length=0))
    add("int-below", make("Intermediate below the last", keys.EC("int-below"), last, authority=True))
    # Private CAs as common tools make them, and CAs with restrictions.
    for name, options in {
        "root-no-usage": {"lacks": ["usage"]},
        "root-not-critical": {"lacks": ["critical"]},
        "root-no-identifier": {"lacks": ["identifier"]},
        "root-bare": {"lacks": ["usage", "critical", "identifier"]},
        "root-length-no-usage": {"lacks": ["usage"], "path_length": 0},
        "root-no-signing": {"key_usage": b"\x80"},
        "root-client": {"usages": ["client"]},
        "root-org": {"permitted": ["example.org"]},
    }.items():
        add(name, make(name.replace("-", " "), keys.EC(name), authority=True, **options))
    add("root-no-authority", make("root no authority", keys.EC("root-no-authority"), lacks=["usage"], until="2046-01-01T00:00:00Z"))
    add("int-under-length", make("Intermediate under a length", keys.EC("int-under-length"), get["root-length-no-usage"],
                                 authority=True))
    add("int-no-usage", make("Intermediate without usage", keys.EC("int-no-usage"), root, authority=True, lacks=["usage"]))
    above = root
    for number in range(1, 10):
        above = add(f"tower-{number}", make(f"Tower {number}", keys.EC(f"tower-{number}"), above, authority=True))


def leaves(add):
    get = add.certificates
    one = get["int-1"]

    def leaf(name, issuer=one, key=None, **options):
        options = {"names": NAMES, "usages": SERVER, **options}
        return add(name, make(options.pop("subject", name), key or keys.EC(name), issuer, **options))

    leaf("leaf-1")
    leaf("leaf-2", get["int-2"])
    leaf("leaf-3", get["int-3"])
    leaf("leaf-1-renewed", key=get["leaf-1"].key, since="2026-10-01T00:00:00Z", until="2027-10-01T00:00:00Z")
    leaf("leaf-direct", get["root-1"])
    leaf("self", key=keys.EC("self"), issuer=None)
    leaf("self-other", key=get["self"].key, issuer=None, until="2027-07-01T00:00:00Z")
    leaf("self-strange", issuer=None, names=["strange.example.org"], usages=["code"])
    leaf("self-weak", issuer=None, key=keys.RSA("self-weak", 1024))
    # Dates.
    leaf("expired", until="2026-11-01T00:00:00Z")
    leaf("future", since="2026-12-01T00:00:00Z")
    leaf("under-old", get["int-old"])
    leaf("under-root-old", get["root-old"])
    # Issued by these anchors.
    for name in ("no-usage", "not-critical", "no-identifier", "bare", "length-no-usage", "no-signing", "no-authority", "client",
                 "org"):
        leaf(f"under-root-{name}", get[f"root-{name}"])
    leaf("under-length-below", get["int-under-length"])
    leaf("under-int-no-usage", get["int-no-usage"])
    # Names.
    leaf("other-name", names=["other.example.org"])
    leaf("common-name", subject="example.com", names=())
    leaf("addresses", names=["10.0.0.5", "2001:db8::1"])
    leaf("address-as-name", names=["dns:10.0.0.5"])
    leaf("wildcard", names=["*.example.com"])
    leaf("partial", names=["w*.example.com"])
    leaf("inner-wildcard", names=["www.*.example.com"])
    leaf("underscore", names=["a_b.example.com"])
    leaf("upper", names=["EXAMPLE.COM"])
    leaf("unnamed", subject=None)
    leaf("under-org", get["int-org"])
    leaf("under-com", get["int-com"], names=["example.com"])
    # Usages.
    leaf("usage-none", usages=None)
    leaf("usage-any", usages=["any"])
    leaf("usage-sgc", usages=["netscape-sgc"])
    leaf("usage-client", usages=["client"], names=["client.example.com"])
    leaf("usage-both", usages=["server", "client"])
    leaf("under-client", get["int-client"])
    # Wrong issuers.
    leaf("by-leaf", get["leaf-1"])
    leaf("under-last", get["int-last"])
    leaf("under-below", get["int-below"])
    leaf("tower-8-leaf", get["tower-8"])
    leaf("tower-9-leaf", get["tower-9"])
    # Strength.
    leaf("rsa-1024", key=keys.RSA("rsa-1024", 1024))
    leaf("rsa-2048", key=keys.RSA("rsa-2048", 2048))
    leaf("p224", key=keys.EC("p224", "p224"))
    leaf("p384", key=keys.EC("p384", "p384"))
    leaf("ed25519", key=keys.Edwards("ed25519"))
    leaf("ed448", key=keys.Edwards("ed448", "ed448"))
    leaf("x25519", key=keys.Agreement("x25519"))
    leaf("explicit", key=keys.Explicit("explicit"))
    leaf("exponent-1", key=keys.RSA("exponent-1", 2048, exponent=1))
    leaf("exponent-even", key=keys.RSA("exponent-1", 2048, exponent=65536))
    leaf("sha1", sign={"digest": "sha1"})
    leaf("sha384", sign={"digest": "sha384"})
    leaf("rsa-pkcs1", get["int-rsa"])
    leaf("rsa-md5", get["int-rsa"], sign={"digest": "md5"})
    leaf("rsa-pss", get["int-rsa"], sign={"pss": True})
    leaf("eddsa", get["int-ed25519"])
    leaf("under-weak", get["int-weak"])
    leaf("under-sha1", get["int-sha1"])
    leaf("under-root-weak", get["root-weak"])
    leaf("under-root-sha1", get["root-sha1"])
    # Several failures at once.
    leaf("expired-other-name", names=["other.example.org"], until="2026-11-01T00:00:00Z")
    leaf("weak-everything", key=keys.RSA("weak-everything", 1024), names=["other.example.org"], usages=["client"],
         since="2026-01-01T00:00:00Z", until="2026-11-01T00:00:00Z", sign={"digest": "sha1"})
    # Mistakes of form.
    unknown = certificates.extension("1.3.6.1.4.1.99999.1", der.null())
    leaf("critical-unknown", more=[certificates.extension("1.3.6.1.4.1.99999.1", der.null(), critical=True)])
    leaf("noncritical-unknown", more=[unknown])
    leaf("repeated-extension", more=[unknown, unknown])

    def numbered(count):
        return [certificates.extension(f"1.3.6.1.4.1.99999.2.{number}", der.null()) for number in range(count)]

    leaf("extensions-64", more=numbered(59))
    leaf("extensions-65", more=numbered(60))
    leaf("padded", more=[certificates.extension("1.3.6.1.4.1.99999.3", der.octets(bytes(56_000)))])
    leaf("bad-signature", spoil=lambda data: data[:-1] + bytes([data[-1] ^ 1]))
    leaf("trailing-byte", spoil=lambda data: data + b"\x00")
    leaf("cut-short", spoil=lambda data: data[:-1])
    # A length with a superfluous byte: BER, not DER.
    leaf("long-length", spoil=lambda data: b"\x30\x83\x00" + data[2:])
    add("no-certificate", certificates.Certificate("none", None, b"no certificate"))
    add("empty", certificates.Certificate("none", None, b""))


class Adder:
    def __init__(self):
        self.certificates = {}

    def __call__(self, name, certificate):
        assert name not in self.certificates, name
        self.certificates[name] = certificate
        return certificate


def all_certificates():
    add = Adder()
    authorities(add)
    leaves(add)
    encoded_keys.add(add)
    constrained.add(add)
    post_quantum.add(add)
    return add.certificates


class Signer:
    """A key that signs manifests or keysets."""

    def __init__(self, key):
        self.key, self.spki = key, key.spki
        self.keyid = hashlib.sha256(key.spki).hexdigest()

    def signature(self, message):
        return self.key.sign(message)[1]


def all_signers():
    signers = {name: Signer(keys.Edwards("signer " + name)) for name in ("alice", "bob", "carol", "mallory")}
    # For keysets: roots, and keys with the numbers that The Update Framework's tests use.
    names = ["root-a", "root-b", "root-c", *(f"key-{number}" for number in range(10))]
    signers |= {name: Signer(keys.Edwards("signer " + name)) for name in names}
    signers["hsm"] = Signer(keys.EC("signer hsm"))
    return signers


def unusable_signers(signers):
    """Public keys that clients must reject, and why."""
    point = signers["hsm"].spki[-65:]
    compressed = bytes([2 + (point[64] & 1)]) + point[1:33]
    head = der.sequence(der.oid("1.2.840.10045.2.1"), der.oid("1.2.840.10045.3.1.7"))
    return {
        "rsa": keys.RSA("int-rsa", 2048).spki,
        "p384": keys.EC("signer p384", "p384").spki,
        "ed448": keys.Edwards("signer ed448", "ed448").spki,
        "hsm-compressed": der.sequence(head, der.bits(compressed)),
        "alice-long-length": b"\x30\x81" + signers["alice"].spki[1:],
        "alice-trailing-byte": signers["alice"].spki + b"\x00",
        "no-key": b"no key",
    }


def pin(spki):
    return base64.b64encode(hashlib.sha256(spki).digest()).decode()
