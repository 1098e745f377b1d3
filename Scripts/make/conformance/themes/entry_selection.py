"""Which entry governs."""

from book import FORMAT, allow, answer, mismatch, no_entry, off
from manifests import content


def write(theme):
    theme.about(
        "decision", "Which of several host entries governs a question: one only, the most specific.",
        FORMAT + "#which-entry-applies")
    keys = theme.book.keys
    entries = [
        {"host": "example.com", "subs": True}, {"host": "a.example.com"},
        {"host": "b.example.com"}, {"host": "b.example.com", "port": 8443},
        {"host": "c.example.com", "subs": True}, {"host": "c.example.com", "port": 8443, "subs": True},
        {"host": "d.example.com", "port": 8443},
        {"host": "f.example.com"}, {"host": "f.example.com", "port": 1, "subs": True},
        {"host": "port.test", "port": 8443, "subs": True}, {"host": "exact.port.test"},
        {"host": "near.port.test", "subs": True},
        {"host": "edge.test", "port": 1}, {"host": "edge.test", "port": 65535}, {"host": "top", "subs": True},
        {"host": "10.0.0.5", "port": 8443},
    ]
    manifest = theme.manifest("all", content(keys, [{**entry, "mode": "off"} for entry in entries]))

    def governs(identifier, comment, host, port, entry):
        expected = no_entry() if entry is None else off(entry)
        theme.decide(identifier, comment, manifest, [], expected, host=host, port=port)

    governs("exact-before-ancestor", "An entry for the very host comes first.", "a.example.com", 443, "a.example.com")
    governs("b-a-example-com", "With example.com (subdomains) and a.example.com (no subdomains), b.a.example.com is "
            "governed by example.com: protection is never lost by adding an entry.", "b.a.example.com", 443, "example.com")
    governs("deep-below-exact", "Any depth below the entry without subdomains.", "x.y.a.example.com", 443, "example.com")
    governs("exact-with-port", "The entry for this host and port comes before the one for all ports.", "b.example.com",
            8443, "b.example.com:8443")
    governs("exact-other-port", "On other ports the one for all ports governs.", "b.example.com", 443, "b.example.com")
    governs("below-exact-with-port", "Neither covers names below.", "x.b.example.com", 8443, "example.com")
    governs("ancestor-with-port", "Of one ancestor the entry with this port comes first.", "x.c.example.com", 8443,
            "c.example.com:8443")
    governs("ancestor-other-port", "On other ports the one for all ports governs.", "x.c.example.com", 443,
            "c.example.com")
    governs("ancestor-itself-with-port", "The same holds of the name itself.", "c.example.com", 8443,
            "c.example.com:8443")
    governs("only-port-missed", "An entry for one port doesn't cover others; the ancestor does.", "d.example.com", 443,
            "example.com")
    governs("only-port-hit", "On its port it does.", "d.example.com", 8443, "d.example.com:8443")
    governs("exact-all-ports-before-ancestor-with-port", "The very host for all ports comes before an ancestor with "
            "this port.", "exact.port.test", 8443, "exact.port.test")
    governs("near-all-ports-before-far-with-port", "The nearest ancestor comes first, whatever its port.",
            "x.near.port.test", 8443, "near.port.test")
    governs("far-with-port", "Where nothing is nearer, the far one with this port.", "x.far.port.test", 8443,
            "port.test:8443")
    governs("far-other-port", "And on another port nothing.", "x.far.port.test", 443, None)
    governs("exact-before-same-name-with-other-port", "An entry with another port has no part in it.", "f.example.com",
            443, "f.example.com")
    governs("below-port-specific-subs", "The port's entry includes subdomains, the one for all ports doesn't.",
            "x.f.example.com", 1, "f.example.com:1")
    governs("below-port-specific-subs-other-port", "On another port the name is the ancestor's.", "x.f.example.com", 443,
            "example.com")
    governs("port-1", "The least port.", "edge.test", 1, "edge.test:1")
    governs("port-65535", "The greatest port.", "edge.test", 65535, "edge.test:65535")
    governs("between-ports", "Neither.", "edge.test", 443, None)
    governs("top-level-ancestor", "An ancestor may be a single label.", "a.b.top", 443, "top")
    governs("sibling", "A sibling is no ancestor.", "bottom", 443, None)
    governs("address-with-port", "Addresses may name a port.", "10.0.0.5", 8443, "10.0.0.5:8443")
    governs("address-other-port", "And then cover no other.", "10.0.0.5", 443, None)

    # With chains: what the entry says counts, and no other entry's keys.
    chain = ["leaf-1", "int-1"]
    near = theme.manifest("near", content(keys, [
        {"host": "example.com", "subs": True, "keys": ["leaf-1"]}, {"host": "a.example.com", "keys": ["leaf-2"]},
    ]))
    theme.decide("never-merged", "Pins of two entries are never merged: example.com's would match.", near, chain,
                 mismatch("a.example.com"), host="a.example.com")
    theme.decide("never-merged-below", "Below a.example.com they are example.com's.", near, chain, allow("leaf-1", 0),
                 host="b.a.example.com")
    theme.decide("never-merged-opposite", "And a.example.com's own keys match.", near, ["leaf-2", "int-2"],
                 allow("leaf-2", 0, "a.example.com"), host="a.example.com")
    outside = theme.manifest("off", content(keys, [
        {"host": "example.com", "subs": True, "keys": ["leaf-2"]}, {"host": "one.example.com", "mode": "off"},
        {"host": "off.example.com", "mode": "off", "subs": True}, {"host": "in.off.example.com", "keys": ["leaf-1"]},
    ]))
    theme.decide("off-host", "mode off takes a name out.", outside, chain, off("one.example.com"), host="one.example.com")
    theme.decide("off-host-below", "Without subdomains it takes the name only.", outside, chain, mismatch(),
                 host="x.one.example.com")
    theme.decide("off-subtree", "With subdomains it takes the subtree.", outside, chain, off("off.example.com"),
                 host="x.off.example.com")
    theme.decide("on-inside-off", "An entry inside pins again.", outside, chain, allow("leaf-1", 0, "in.off.example.com"),
                 host="in.off.example.com")
    theme.decide("beside-off", "Names beside the subtree are pinned as before.", outside, chain, mismatch(),
                 host="a.example.com")
    expired = theme.manifest("expired", content(keys, [
        {"host": "example.com", "subs": True, "keys": ["leaf-2"]},
        {"host": "a.example.com", "keys": ["leaf-2"], "expires": "2026-11-20T00:00:00Z", "on-expiry": "unpinned"},
    ]))
    theme.decide("expired-does-not-yield", "An expired entry still governs: its ancestor doesn't take its place.", expired,
                 chain, answer("notPinned", "expired", 1, "a.example.com", ["entry-expired"], clock="entry"),
                 host="a.example.com")
