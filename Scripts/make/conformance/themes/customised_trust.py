"""What an entry's trust changes: anchors, intermediates, names, and the named certificate."""

from book import VALIDATION, allow, mismatch, untrusted
from manifests import content


def write(theme):
    theme.about("decision", "An entry's trust: anchors besides the system's or in their place, intermediates, the one "
                "certificate, the name to verify.", VALIDATION + "#what-trust-changes")
    book = theme.book
    prints = book.print

    def row(identifier, comment, served, expected, trust, carried=(), *, pinned=("root-1", "root-3", "int-1"), host=None,
            name=None, **more):
        entry = {"host": "example.com", "subs": True, "keys": list(pinned), "trust": trust}
        changes = {"certificates": book.carried(*carried)} if carried else {}
        manifest = theme.manifest(name or identifier, content(book.keys, [entry], **changes))
        theme.decide(identifier, comment, manifest, served, expected, host=host or "example.com", **more)

    one, three = ["leaf-1", "int-1"], ["leaf-3", "int-3"]
    beside = {"anchors": [prints("root-3")]}
    instead = {**beside, "system-anchors": 0}
    row("anchor-beside-system", "An anchor of the policy's own.", three, allow("root-3", 2), beside, ["root-3"])
    row("anchor-system-still", "The system's count as well.", one, allow("int-1", 1), beside, ["root-3"],
        name="anchor-beside-system")
    row("anchor-instead", "In place of the system's.", three, allow("root-3", 2), instead, ["root-3"])
    row("anchor-instead-system", "The system's count no more.", [*one, "root-1"], untrusted("unknown-issuer", 2), instead,
        ["root-3"], name="anchor-instead")
    row("anchor-not-named", "What another entry names has no effect here.", three, untrusted("unknown-issuer", 1),
        {"minimum-rsa-bits": 2048}, ["root-3"])
    row("system-anchors-off", "Without any anchors no path ends.", [*one, "root-1"], untrusted("unknown-issuer", 2),
        {"system-anchors": 0})
    row("anchor-intermediate", "An intermediate ends a path, because the policy says so.", one, allow("int-1", 1),
        {"anchors": [prints("int-1")], "system-anchors": 0}, ["int-1"])
    row("anchor-intermediate-not-served", "Also where the server leaves it out.", ["leaf-1"], allow("int-1", 1),
        {"anchors": [prints("int-1")], "system-anchors": 0}, ["int-1"], name="anchor-intermediate")
    row("anchor-intermediate-of-other", "But not for the leaves of another.", three, untrusted("unknown-issuer", 1),
        {"anchors": [prints("int-1")], "system-anchors": 0}, ["int-1"], name="anchor-intermediate")
    row("anchor-leaf", "A leaf that somebody else signed is no anchor.", ["leaf-3"], untrusted("missing-intermediate", 0),
        {"anchors": [prints("leaf-3")]}, ["leaf-3"])
    row("anchor-self-signed-leaf", "One that signed itself is one.", ["self"], allow("self", 0),
        {"anchors": [prints("self")]}, ["self"], pinned=["self"])
    row("anchor-self-signed-other", "Another certificate for the same key isn't.", ["self-other"],
        untrusted("self-signed", 0), {"anchors": [prints("self")]}, ["self"], pinned=["self"],
        name="anchor-self-signed-leaf")
    forms_of_anchors(theme, row)
    shipped = {"intermediates": [prints("int-1")]}
    row("intermediate", "An intermediate that servers leave out.", ["leaf-1"], allow("int-1", 1), shipped, ["int-1"])
    row("intermediate-served-too", "Serving it does no harm.", one, allow("int-1", 1), shipped, ["int-1"],
        name="intermediate")
    row("intermediate-not-trusted", "It is not an anchor.", ["leaf-3"], untrusted("unknown-issuer", 1),
        {"intermediates": [prints("int-3")]}, ["int-3"])
    row("intermediate-of-other", "Another one doesn't help.", ["leaf-1"], untrusted("missing-intermediate", 0),
        {"intermediates": [prints("int-3")]}, ["int-3"], name="intermediate-not-trusted")
    # The one certificate.
    token = {"certificate": prints("self")}
    row("certificate", "The one certificate, byte for byte.", ["self"], allow("self", 0), token, ["self"], pinned=["self"])
    row("certificate-other-of-key", "Another one for the same key isn't it.", ["self-other"],
        untrusted("wrong-certificate", 0), token, ["self"], pinned=["self"], name="certificate")
    row("certificate-good-chain", "A good chain isn't it either.", one, untrusted("wrong-certificate", 0), token, ["self"],
        pinned=["self"], name="certificate")
    row("certificate-not-leaf", "It must be the leaf.", ["leaf-1", "self"], untrusted("wrong-certificate", 0), token,
        ["self"], pinned=["self"], name="certificate")
    row("certificate-and-more", "What is served besides doesn't matter.", ["self", "int-2"], allow("self", 0), token,
        ["self"], pinned=["self"], name="certificate")
    row("certificate-not-pinned", "Trusting the certificate doesn't replace the pin.", ["self"], mismatch(), token, ["self"],
        pinned=["spare"], name="certificate-spare")
    row("certificate-none", "Nothing was served.", [], untrusted("unusable-chain"), token, ["self"], pinned=["self"],
        name="certificate")
    row("certificate-strange", "Path, name and usage are not looked at.", ["self-strange"], allow("self-strange", 0),
        {"certificate": prints("self-strange")}, ["self-strange"], pinned=["self-strange"])
    row("certificate-expired", "Its dates are.", ["expired"], untrusted("expired", 0),
        {"certificate": prints("expired")}, ["expired"], pinned=["expired"])
    row("certificate-future", "Both of them.", ["future"], untrusted("not-yet-valid", 0),
        {"certificate": prints("future")}, ["future"], pinned=["future"])
    row("certificate-last-second", "The last second before notAfter.", ["expired"], allow("expired", 0),
        {"certificate": prints("expired")}, ["expired"], pinned=["expired"], name="certificate-expired",
        at="2026-10-31T23:59:59Z")
    row("certificate-not-after", "The second of notAfter counts as past.", ["expired"], untrusted("expired", 0),
        {"certificate": prints("expired")}, ["expired"], pinned=["expired"], name="certificate-expired",
        at="2026-11-01T00:00:00Z")
    row("certificate-weak", "So is the strength of its key.", ["self-weak"], untrusted("weak-key", 0),
        {"certificate": prints("self-weak")}, ["self-weak"], pinned=["self-weak"])
    row("certificate-tls", "And the TLS version.", ["self"], untrusted("old-tls-version"),
        {**token, "minimum-tls": "1.3"}, ["self"], pinned=["self"], tls="1.2")
    row("certificate-of-authority", "It may be one that an authority signed; the chain is that certificate alone.", one,
        mismatch(), {"certificate": prints("leaf-1")}, ["leaf-1"], pinned=["int-1", "root-1"])
    row("certificate-no-anchors", "Anchors don't matter.", ["self"], allow("self", 0), token, ["self"], pinned=["self"],
        name="certificate", anchors=[])
    # The name.
    other = {"server-name": "other.example.org"}
    row("server-name", "The name to verify instead.", ["other-name", "int-1"], allow("int-1", 1), other)
    row("server-name-in-place", "In place of the host, not besides it.", one, untrusted("name-mismatch", 0), other,
        name="server-name")
    row("server-name-below", "Also for subdomains of the entry.", ["other-name", "int-1"], allow("int-1", 1), other,
        name="server-name", host="b.a.example.com")
    row("server-name-address", "It may be an address.", ["addresses", "int-1"], allow("int-1", 1),
        {"server-name": "10.0.0.5"})
    row("server-name-address-other", "Which is compared as one.", ["address-as-name", "int-1"],
        untrusted("name-mismatch", 0), {"server-name": "10.0.0.5"}, name="server-name-address")


def forms_of_anchors(theme, row):
    """What is checked of an anchor, of the policy or of the system: its restrictions, not its form."""
    prints = theme.book.print

    def named(anchor):
        return {"anchors": [prints(anchor)], "system-anchors": 0}

    # Changes nothing, and the entry has a trust without anchors.
    system = {"minimum-rsa-bits": 2048}
    forms = {
        "no-usage": "without keyUsage, as openssl req -x509 makes it",
        "not-critical": "whose basicConstraints isn't critical, as easy-rsa makes it",
        "no-identifier": "without a subjectKeyIdentifier",
        "bare": "without any of that",
        "length-no-usage": "with a path length and without keyUsage",
    }
    for form, what in forms.items():
        anchor, leaf = f"root-{form}", f"under-root-{form}"
        row(f"anchor-{form}", f"An anchor {what}: its form isn't asked for.", [leaf], allow(anchor, 1), named(anchor),
            [anchor], pinned=[anchor])
        row(f"anchor-{form}-served", "Also where the server sends it.", [leaf, anchor], allow(anchor, 1), named(anchor),
            [anchor], pinned=[anchor], name=f"anchor-{form}")
        row(f"anchor-{form}-of-system", "An anchor of the system is checked like one of the policy.", [leaf],
            allow(anchor, 1), system, pinned=[anchor], anchors=[anchor])
        row(f"anchor-{form}-of-system-served", "Also where the server sends it.", [leaf, anchor], allow(anchor, 1), system,
            pinned=[anchor], anchors=[anchor], name=f"anchor-{form}-of-system")
        row(f"anchor-{form}-of-nobody", "The same certificate, if it is not an anchor.", [leaf, anchor],
            untrusted("unknown-issuer", 1), system, pinned=[anchor], name=f"anchor-{form}-of-system")
    restricts = {
        "no-signing": ("not-an-authority", 1, "has a keyUsage without keyCertSign"),
        "no-authority": ("not-an-authority", 1, "is no authority's certificate"),
        "client": ("wrong-usage", 1, "is for clients, by its Extended Key Usage"),
        "org": ("name-constraints", 0, "permits other names"),
        "old": ("expired", 1, "has expired"),
        "weak": ("weak-key", 1, "has a weak key"),
    }
    for restriction, (code, place, what) in restricts.items():
        anchor = f"root-{restriction}"
        row(f"anchor-{restriction}", f"An anchor that {what}: what it restricts binds.",
            [f"under-root-{restriction}", anchor], untrusted(code, place), named(anchor), [anchor],
            pinned=[anchor])
        row(f"anchor-{restriction}-of-system", f"An anchor of the system that {what}.",
            [f"under-root-{restriction}", anchor], untrusted(code, place), system, pinned=[anchor], anchors=[anchor])
    row("anchor-length-exceeded", "Its path length binds.", ["under-length-below", "int-under-length"],
        untrusted("path-too-long", 2), named("root-length-no-usage"), ["root-length-no-usage"],
        pinned=["root-length-no-usage"], name="anchor-length-no-usage")
    row("anchor-length-exceeded-of-system", "So does that of an anchor of the system.",
        ["under-length-below", "int-under-length"], untrusted("path-too-long", 2), system, pinned=["root-length-no-usage"],
        anchors=["root-length-no-usage"], name="anchor-length-no-usage-of-system")
    row("intermediate-no-usage", "An intermediate that only was served is held to its form.",
        ["under-int-no-usage", "int-no-usage"], untrusted("malformed", 1), {"minimum-rsa-bits": 2048}, pinned=["root-1"])
    row("anchor-int-no-usage", "Named as an anchor it isn't.", ["under-int-no-usage"], allow("int-no-usage", 1),
        named("int-no-usage"), ["int-no-usage"], pinned=["int-no-usage"])
    row("anchor-int-no-usage-of-system", "Among the system's anchors it isn't one, because somebody else signed it.",
        ["under-int-no-usage", "int-no-usage"], untrusted("malformed", 1), system, pinned=["int-no-usage"],
        anchors=["int-no-usage"])
