"""Requirements for keys, signatures and TLS versions."""

from book import VALIDATION, allow, untrusted
from manifests import content


def write(theme):
    theme.about("decision", "Keys and signatures: the validator's own minimum, and what an entry's trust asks for beyond it.",
                VALIDATION + "#what-is-asked-for-beyond-libcrypto")
    keys = theme.book.keys
    pinned = ["root-1", "root-weak", "root-sha1", "self"]
    root = allow("root-1", 2)

    def row(identifier, comment, served, expected, trust=None, **more):
        entry = {"host": "example.com", "keys": pinned}
        name = "plain"
        if trust:
            entry["trust"], name = trust, more.pop("name", identifier)
        section = more.pop("section", VALIDATION + "#what-trust-changes" if trust else None)
        theme.decide(identifier, comment, theme.manifest(name, content(keys, [entry])), served, expected, section=section,
                     **more)

    own = [
        ("rsa-2048", "RSA of 2048 bits.", None), ("rsa-1024", "RSA of 1024 bits.", "weak-key"),
        ("p384", "A curve of 384 bits.", None), ("p224", "A curve of 224 bits.", "weak-key"),
        ("ed25519", "Ed25519.", None), ("ed448", "Ed448.", None), ("x25519", "X25519, which signs nothing.", "malformed"),
        ("explicit", "A curve that is spelt out.", "key-encoding"),
        ("exponent-1", "An RSA exponent of 1: every message is its own signature.", "malformed"),
        ("exponent-even", "An even RSA exponent.", "malformed"),
        ("sha1", "A signature with SHA-1.", "weak-signature"), ("sha384", "A signature with SHA-384.", None),
    ]
    for name, comment, failure in own:
        row(name, comment, [name, "int-1"], untrusted(failure, 0) if failure else root)
    row("rsa-md5", "A signature with MD5.", ["rsa-md5", "int-rsa"], untrusted("weak-signature", 0))
    row("rsa-pkcs1", "PKCS #1 v1.5 with SHA-256.", ["rsa-pkcs1", "int-rsa"], root)
    row("rsa-pss", "PSS with SHA-256.", ["rsa-pss", "int-rsa"], root)
    row("eddsa", "Ed25519's own.", ["eddsa", "int-ed25519"], root)
    row("weak-intermediate", "A weak key above the leaf.", ["under-weak", "int-weak"], untrusted("weak-key", 1))
    row("sha1-intermediate", "A signature with SHA-1 on the intermediate.", ["under-sha1", "int-sha1"],
        untrusted("weak-signature", 1))
    row("weak-anchor", "The anchor's key counts.", ["under-root-weak"], untrusted("weak-key", 1), anchors=["root-weak"])
    row("sha1-anchor", "The anchor's own signature doesn't: it is never relied upon.", ["under-root-sha1"],
        allow("root-sha1", 1), anchors=["root-sha1"])
    # Raised minima.
    row("minimum-rsa-equal", "As many bits as are asked for.", ["rsa-2048", "int-1"], root, {"minimum-rsa-bits": 2048})
    row("minimum-rsa-above", "One more.", ["rsa-2048", "int-1"], untrusted("weak-key", 0), {"minimum-rsa-bits": 2049})
    row("minimum-rsa-below", "A value below the validator's own changes nothing.", ["rsa-1024", "int-1"],
        untrusted("weak-key", 0), {"minimum-rsa-bits": 1024})
    row("minimum-rsa-of-other-keys", "It is about RSA only.", ["leaf-1", "int-1"], root, {"minimum-rsa-bits": 65536})
    row("minimum-rsa-above-leaf", "It is about the whole path.", ["rsa-pkcs1", "int-rsa"], untrusted("weak-key", 1),
        {"minimum-rsa-bits": 4096})
    row("minimum-ec-equal", "As many bits as are asked for.", ["leaf-1", "int-1"], root, {"minimum-ec-bits": 256})
    row("minimum-ec-above", "One more: the leaf's P-256 is named first.", ["leaf-1", "int-1"], untrusted("weak-key", 0),
        {"minimum-ec-bits": 257})
    row("minimum-ec-of-path", "A leaf of 384 bits under an intermediate of 256.", ["p384", "int-1"],
        untrusted("weak-key", 1), {"minimum-ec-bits": 384})
    row("minimum-ec-below", "A value below the validator's own changes nothing.", ["p224", "int-1"],
        untrusted("weak-key", 0), {"minimum-ec-bits": 160})
    row("minimum-ec-ed25519", "Ed25519 counts as 256 bits.", ["ed25519", "int-1"], root, {"minimum-ec-bits": 256},
        name="minimum-ec-equal")
    row("minimum-ec-ed25519-above", "And no more.", ["ed25519", "int-1"], untrusted("weak-key", 0), {"minimum-ec-bits": 257},
        name="minimum-ec-above")
    row("minimum-ec-ed448", "Ed448 counts as 448 bits: the intermediate of 256 is named.", ["ed448", "int-1"],
        untrusted("weak-key", 1), {"minimum-ec-bits": 448})
    row("minimum-ec-ed448-above", "And no more.", ["ed448", "int-1"], untrusted("weak-key", 0), {"minimum-ec-bits": 449})
    # Families of signatures.
    for identifier, served, families, place in (
        ("ecdsa", ["leaf-1", "int-1"], ["ecdsa"], None),
        ("ecdsa-not-taken", ["leaf-1", "int-1"], ["eddsa", "rsa-pss"], 0),
        ("rsa-pkcs1", ["rsa-pkcs1", "int-rsa"], ["ecdsa", "rsa-pkcs1"], None),
        ("rsa-pkcs1-not-taken", ["rsa-pkcs1", "int-rsa"], ["ecdsa", "rsa-pss"], 0),
        ("rsa-pss", ["rsa-pss", "int-rsa"], ["ecdsa", "rsa-pss"], None),
        ("rsa-pss-not-taken", ["rsa-pss", "int-rsa"], ["ecdsa", "rsa-pkcs1"], 0),
        ("eddsa", ["eddsa", "int-ed25519"], ["ecdsa", "eddsa"], None),
        ("eddsa-not-taken", ["eddsa", "int-ed25519"], ["ecdsa"], 0),
        ("of-intermediate", ["eddsa", "int-ed25519"], ["eddsa"], 1),
    ):
        row(f"signatures-{identifier}", f"Signatures of {' and '.join(families)} are taken.", served,
            root if place is None else untrusted("weak-signature", place), {"signatures": families},
            name="signatures-" + "-".join(families))
    row("signatures-of-anchor", "The anchor's own signature doesn't count here either.", ["under-root-sha1"],
        allow("root-sha1", 1), {"signatures": ["ecdsa"]}, anchors=["root-sha1"], name="signatures-ecdsa")
    row("signatures-sha1", "A family that is taken doesn't excuse SHA-1.", ["sha1", "int-1"],
        untrusted("weak-signature", 0), {"signatures": ["ecdsa"]}, name="signatures-ecdsa")
    # TLS versions.
    for least in ("1.2", "1.3"):
        for tls in ("1.2", "1.3", None):
            good = tls is not None and tls >= least
            row(f"tls-{least}-{tls or 'untold'}", f"TLS {least} is asked for, and " + (
                f"{tls} was negotiated." if tls else "the transport doesn't say what was negotiated."), ["leaf-1", "int-1"],
                root if good else untrusted("old-tls-version"), {"minimum-tls": least}, tls=tls, name=f"tls-{least}")
    row("tls-untold", "Without a minimum the version doesn't matter.", ["leaf-1", "int-1"], root, tls=None)
    row("tls-after-others", "An old version is the last to be named.", ["expired", "int-1"], untrusted("expired", 0),
        {"minimum-tls": "1.3"}, tls="1.2", name="tls-1.3")
