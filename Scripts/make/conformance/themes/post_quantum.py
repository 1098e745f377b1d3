"""ML-DSA, which some kinds of clients verify, and algorithms that none accepts."""

from book import VALIDATION, allow, denied, mismatch, untrusted
from manifests import content
from post_quantum import OTHERS, SIZES, USAGES


def write(theme):
    theme.about(
        "decision", "ML-DSA (RFC 9881): accepted by clients whose libcrypto verifies it, and rejected by name by others; "
        "and algorithms that no client accepts.", VALIDATION + "#ml-dsa")
    keys, unverified = theme.book.keys, untrusted("malformed", 0)
    roots = [f"root-ml-dsa-{size}" for size in SIZES]
    pinned = ["root-1", *roots]

    def row(identifier, comment, served, verified, expected=unverified, *, name="plain", lost=(), certificates=None,
            pinned=pinned, trust=None, **question):
        denials = {key: {**keys[key], "denied": "lost"} for key in lost}
        entry = {"host": question.get("host", "example.com"), "keys": pinned, **({"trust": trust} if trust else {})}
        more = {"certificates": certificates} if certificates else {}
        theme.decide(
            identifier, comment, theme.manifest(name, content({**keys, **denials}, [entry], **more)), served, expected,
            anchors=["root-1", *roots], expected_by={"openssl-3.5": verified} if verified else None, **question)

    for size in SIZES:
        root = allow(f"root-ml-dsa-{size}", 1)
        row(f"{size}-key", f"A leaf's key of ML-DSA-{size}.", [f"ml-dsa-{size}-key", "int-1"], allow("root-1", 2))
        row(f"{size}-signature", f"A signature of ML-DSA-{size}.", [f"ml-dsa-{size}-signature"], root)
        row(f"{size}", "Both.", [f"ml-dsa-{size}"], root)
    row("intermediate", "Only the key of an intermediate is ML-DSA's.", ["under-int-ml-dsa-65", "int-ml-dsa-65"],
        allow("root-1", 2))
    row("wrong-signature", "Zeros in place of a signature.", ["ml-dsa-65-wrong"], untrusted("bad-signature", 0))
    row("mismatch", "A key that isn't listed.", ["ml-dsa-65"], mismatch(), pinned=["root-1"], name="mismatch")
    row("pinned-leaf", "The leaf's key is pinned.", ["ml-dsa-65"], allow("ml-dsa-65", 0), pinned=["ml-dsa-65"],
        name="leaf")
    row("denied", "A denied key.", ["ml-dsa-65"], denied("root-ml-dsa-65", 1), name="denied",
        lost=["root-ml-dsa-65"])
    row("token", "The one certificate that the entry names.", ["ml-dsa-65-self"], allow("ml-dsa-65-self", 0),
        pinned=["ml-dsa-65-self"], trust={"certificate": theme.book.print("ml-dsa-65-self")}, name="token",
        certificates=theme.book.carried("ml-dsa-65-self"))
    row("client", "A client's certificate.", ["ml-dsa-65-client"], allow("root-ml-dsa-65", 1, "client.example.com"),
        untrusted("malformed", 0, "client.example.com"), name="client", peer="client", host="client.example.com")
    row("signatures", "The format has no word for ML-DSA's signatures, so an entry that lists words rejects them.",
        ["ml-dsa-65"], untrusted("weak-signature", 0), trust={"signatures": ["ecdsa", "eddsa"]},
        name="signatures")
    row("minimum-bits", "Minimums for RSA and elliptic curves don't count.", ["ml-dsa-44"], allow("root-ml-dsa-44", 1),
        trust={"minimum-rsa-bits": 4096, "minimum-ec-bits": 384}, name="minimum-bits")
    row("signature-null", "NULL as parameters of the signature's algorithm.", ["ml-dsa-65-null-signature"],
        untrusted("weak-signature", 0), untrusted("missing-intermediate", 0))
    # The same for all clients.
    row("key-null", "NULL as parameters of the key's algorithm.", ["ml-dsa-65-null", "int-1"], None,
        untrusted("key-encoding", 0))
    row("key-short", "A key that is too short.", ["ml-dsa-65-short", "int-1"], None)
    row("key-long", "A key that is too long.", ["ml-dsa-65-long", "int-1"], None)
    for name in USAGES:
        row(name, "A keyUsage that RFC 9881 section 5 forbids.", [f"ml-dsa-65-{name}", "int-1"], None)
    for name in OTHERS:
        row(name, "A key of an algorithm that no client accepts.", [name, "int-1"], None)
