"""Trust evaluation without customisations: path, dates, names, usages, form."""

from book import VALIDATION, allow, untrusted
from manifests import content


def write(theme):
    theme.about("decision", "Trust evaluation as any TLS client does it, where the entry doesn't say otherwise. The pinned "
                "key stands on each chain, so that only trust decides.", VALIDATION + "#the-failures")
    keys = theme.book.keys
    pinned = ["leaf-1", "root-1", "root-2", "root-3", "self", "root-old"]
    hosts = ["example.com", "a.example.com", "b.a.example.com", "www.example.com", "a_b.example.com", "10.0.0.5", "10.0.0.6",
             "2001:db8::1", "1.a.example.com", "www.a.example.com"]
    manifest = theme.manifest("all", content(keys, [
        {"host": host, "keys": pinned} for host in hosts if "_" not in host
    ] + [{"host": "under.test", "keys": pinned}, {"host": "w.example.com", "keys": pinned}] + [
        {"host": "example.com", "port": 8443, "keys": pinned, "subs": True}]))

    def row(identifier, comment, served, expected, **more):
        theme.decide(identifier, comment, manifest, served, expected, **more)

    root = allow("root-1", 2)
    # Paths.
    row("path", "Leaf, intermediate, anchor.", ["leaf-1", "int-1"], allow("leaf-1", 0))
    row("path-with-root", "The anchor may be served as well.", ["leaf-1", "int-1", "root-1"], allow("leaf-1", 0))
    row("path-direct", "An anchor may sign the leaf itself.", ["leaf-direct"], allow("root-1", 1))
    row("path-repeated", "A certificate that is served twice.", ["leaf-1", "int-1", "int-1"], allow("leaf-1", 0))
    row("missing-intermediate", "The server left out the intermediate.", ["leaf-1"], untrusted("missing-intermediate", 0))
    row("wrong-intermediate", "It sent another.", ["leaf-1", "int-2"], untrusted("missing-intermediate", 0))
    row("unknown-issuer", "The path ends below a root that is no anchor.", ["leaf-3", "int-3"],
        untrusted("unknown-issuer", 1))
    row("unknown-root", "Also where the root is served.", ["leaf-3", "int-3", "root-3"], untrusted("unknown-issuer", 2))
    row("self-signed", "A self-signed leaf that is no anchor.", ["self"], untrusted("self-signed", 0))
    row("self-signed-anchor", "A self-signed leaf that is an anchor.", ["self"], allow("self", 0), anchors=["self"])
    row("no-anchors", "Without any anchor no path ends.", ["leaf-1", "int-1", "root-1"], untrusted("unknown-issuer", 2),
        anchors=[])
    row("leaf-signs", "The leaf's issuer is a leaf itself.", ["by-leaf", "leaf-1", "int-1"],
        untrusted("not-an-authority", 1))
    row("path-length", "An authority that allows none below it.", ["under-last", "int-last"], root)
    row("path-length-exceeded", "And one below it.", ["under-below", "int-below", "int-last"],
        untrusted("path-too-long", 2))

    def tower(top):
        return [f"tower-{top}-leaf", *(f"tower-{number}" for number in range(top, 0, -1))]

    row("eight-intermediates", "At most eight intermediates are taken.", tower(8), allow("root-1", 9),
        section="docs/validation.md#what-is-done")
    row("nine-intermediates", "Nine are too many.", tower(9), untrusted("path-too-long", 9),
        section="docs/validation.md#what-is-done")
    row("bad-signature", "The leaf's signature isn't its issuer's.", ["bad-signature", "int-1"],
        untrusted("bad-signature", 0))
    row("name-constraints", "An authority above permits other names only.", ["under-org", "int-org"],
        untrusted("name-constraints", 0))
    row("name-constraints-fulfilled", "An authority above permits the names.", ["under-com", "int-com"], root)
    row("no-certificate", "Nothing was served.", [], untrusted("unusable-chain"), section="docs/validation.md#what-goes-in")
    row("certificates-32", "At most 32 certificates are looked at.", ["leaf-1", "int-1"] + ["int-2"] * 30,
        allow("leaf-1", 0), section="docs/validation.md#what-goes-in")
    row("certificates-33", "33 are too many.", ["leaf-1", "int-1"] + ["int-2"] * 31, untrusted("unusable-chain"),
        section="docs/validation.md#what-goes-in")
    row("bytes", "Less than 256 KiB in all.", ["leaf-1", "int-1"] + ["padded"] * 4, allow("leaf-1", 0),
        section="docs/validation.md#what-goes-in")
    row("too-many-bytes", "More than 256 KiB in all.", ["leaf-1", "int-1"] + ["padded"] * 5, untrusted("unusable-chain"),
        section="docs/validation.md#what-goes-in")
    # Dates.
    row("expired", "The leaf has expired.", ["expired", "int-1"], untrusted("expired", 0))
    row("not-yet-valid", "The leaf isn't valid yet.", ["future", "int-1"], untrusted("not-yet-valid", 0))
    row("not-before-early", "A second before notBefore.", ["leaf-1", "int-1"], untrusted("not-yet-valid", 0),
        at="2026-05-31T23:59:59Z")
    row("not-before", "The second of notBefore is valid.", ["leaf-1", "int-1"], allow("leaf-1", 0),
        at="2026-06-01T00:00:00Z")
    fresh = theme.manifest("fresh", content(keys, [{"host": "example.com", "keys": pinned}], **{
        "expires": "2028-01-01T00:00:00Z", "refresh-after": "2028-01-01T00:00:00Z"}))
    theme.decide("not-after-early", "A second before notAfter.", fresh, ["leaf-1", "int-1"], allow("leaf-1", 0),
                 at="2027-05-31T23:59:59Z")
    theme.decide("not-after", "The second of notAfter counts as past.", fresh, ["leaf-1", "int-1"], untrusted("expired", 0),
                 at="2027-06-01T00:00:00Z")
    row("expired-intermediate", "The intermediate has expired.", ["under-old", "int-old"], untrusted("expired", 1))
    row("expired-anchor", "The anchor has expired: dates are checked on it too.", ["under-root-old"],
        untrusted("expired", 1), anchors=["root-old"])
    row("anchor-before-expiry", "Before that it was good.", ["under-root-old"], allow("root-old", 1), anchors=["root-old"],
        at="2026-09-30T23:59:59Z")
    # Names.
    name = "name-mismatch"
    row("name-mismatch", "The leaf is another host's.", ["other-name", "int-1"], untrusted(name, 0))
    row("common-name", "The common name doesn't count.", ["common-name", "int-1"], untrusted(name, 0))
    row("no-subject", "A leaf without a subject has its names only.", ["unnamed", "int-1"], root)
    row("name-upper-case", "Names in certificates are compared without regard to case.", ["upper", "int-1"], root)
    row("host-upper-case", "So is what is asked.", ["leaf-1", "int-1"], allow("leaf-1", 0), host="EXAMPLE.com.")
    row("wildcard", "A wildcard stands for one label.", ["wildcard", "int-1"],
        allow("root-1", 2, "www.example.com"), host="www.example.com")
    row("wildcard-apex", "Not for none.", ["wildcard", "int-1"], untrusted(name, 0))
    row("wildcard-deep", "Not for two.", ["wildcard", "int-1"], untrusted(name, 0, "www.a.example.com"),
        host="www.a.example.com")
    row("wildcard-partial", "Wildcards only as the whole first label.", ["partial", "int-1"],
        untrusted(name, 0, "www.example.com"), host="www.example.com")
    row("wildcard-inner", "Wildcards only as the first label.", ["inner-wildcard", "int-1"],
        untrusted(name, 0, "www.a.example.com"), host="www.a.example.com")
    entry = "example.com:8443"
    row("wildcard-underscore", "A wildcard stands for letters, digits and hyphens.", ["wildcard", "int-1"],
        untrusted(name, 0, entry), host="a_b.example.com", port=8443)
    row("named-underscore", "An underscore has to be named in full.", ["underscore", "int-1"],
        allow("root-1", 2, entry), host="a_b.example.com", port=8443)
    row("address", "Addresses are compared with iPAddress.", ["addresses", "int-1"], allow("root-1", 2, "10.0.0.5"),
        host="10.0.0.5")
    row("address-mapped", "An IPv4-mapped address is the IPv4 address.", ["addresses", "int-1"],
        allow("root-1", 2, "10.0.0.5"), host="::ffff:10.0.0.5")
    row("address-ipv6", "IPv6 too, in any form.", ["addresses", "int-1"], allow("root-1", 2, "2001:db8::1"),
        host="[2001:DB8:0::1]")
    row("address-other", "Another address.", ["addresses", "int-1"], untrusted(name, 0, "10.0.0.6"), host="10.0.0.6")
    row("address-as-name", "An address in a dNSName doesn't count.", ["address-as-name", "int-1"],
        untrusted(name, 0, "10.0.0.5"), host="10.0.0.5")
    # Usages.
    usage = "wrong-usage"
    section = {"section": "docs/validation.md#what-is-asked-for-beyond-libcrypto"}
    row("usage-none", "Without an Extended Key Usage it may be a server's.", ["usage-none", "int-1"], root, **section)
    row("usage-client", "An Extended Key Usage for clients only.", ["usage-client", "int-1"], untrusted(usage, 0, "under.test"),
        host="under.test")
    row("usage-both", "For both.", ["usage-both", "int-1"], root)
    row("usage-any", "anyExtendedKeyUsage doesn't count.", ["usage-any", "int-1"], untrusted(usage, 0), **section)
    row("usage-sgc", "Nor does the server-gated cryptography of the nineties.", ["usage-sgc", "int-1"], untrusted(usage, 0),
        **section)
    row("usage-of-intermediate", "An intermediate for clients only.", ["under-client", "int-client"], untrusted(usage, 1),
        **section)
    # Form.
    goes_in = {"section": "docs/validation.md#what-goes-in"}
    row("critical-unknown", "A critical extension that nobody knows.", ["critical-unknown", "int-1"],
        untrusted("malformed", 0))
    row("noncritical-unknown", "One that isn't critical.", ["noncritical-unknown", "int-1"], root)
    row("repeated-extension", "An extension that stands twice.", ["repeated-extension", "int-1"],
        untrusted("malformed", 0), **section)
    row("extensions-64", "At most 64 extensions.", ["extensions-64", "int-1"], root, **section)
    row("extensions-65", "65 are too many.", ["extensions-65", "int-1"], untrusted("malformed", 0), **section)
    row("extensions-65-unused", "Also where the path doesn't need the certificate.", ["leaf-1", "int-1", "extensions-65"],
        untrusted("malformed", 2), **goes_in)
    for identifier, comment in {
        "trailing-byte": "A byte behind the certificate.", "cut-short": "A certificate that ends too early.",
        "long-length": "A length in more bytes than it needs: BER, not DER.", "no-certificate": "Something else.",
        "empty": "No bytes.",
    }.items():
        row(f"{identifier}-leaf", comment, [identifier, "int-1"], untrusted("malformed", 0), **goes_in)
        row(f"{identifier}-unused", comment + " The path doesn't need it, and it fails all the same.",
            ["leaf-1", "int-1", identifier], untrusted("malformed", 2), **goes_in)
    # The order of several failures.
    row("explains-others", "Of several failures the one that explains the others is named: the path first.", ["expired"],
        untrusted("missing-intermediate", 0), section="docs/validation.md#what-is-done")
