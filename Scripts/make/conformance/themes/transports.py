"""What a transport must do."""

from book import allow, answer, denied, mismatch, no_entry, off, reported, untrusted
from manifests import content

PAST = "2026-11-21T00:00:00Z"


def write(theme):
    theme.about("decision", "What a transport does with an answer: with validation of its own (stands), and where asking takes "
                "the place of it (replaced), so that trust is evaluated for hosts that aren't pinned too.",
                "docs/vectors.md#what-is-asked")
    book = theme.book
    lost = {**book.keys, "lost": {**book.keys["leaf-2"], "denied": "lost"}}
    hosts = [
        {"host": "example.com", "keys": ["leaf-1"]}, {"host": "a.example.com", "mode": "report-only", "keys": ["leaf-1"]},
        {"host": "off.example.com", "mode": "off"},
        {"host": "b.a.example.com", "keys": ["leaf-1"], "expires": PAST, "on-expiry": "unpinned"},
    ]
    manifest = theme.manifest("all", content(lost, hosts))
    good, other = ["leaf-1", "int-1"], ["leaf-direct"]
    expired = answer("notPinned", "expired", 1, "b.a.example.com", ["entry-expired"], clock="entry")

    def refused(expected, code, certificate):
        return {**expected, "disposition": "cancel", "failure": {"code": code, "certificate": certificate}}

    def taken(expected):
        return {**expected, "disposition": "useCredential"}

    for identifier, comment, host, served, stands, replaced in (
        ("allowed", "A match.", "example.com", good, allow("leaf-1", 0), None),
        ("blocked", "A mismatch.", "example.com", other, mismatch(), None),
        ("reported", "A mismatch that is only reported.", "a.example.com", other, reported("a.example.com"), None),
        ("denied", "A denied key.", "example.com", ["leaf-2", "int-2"], denied("lost", 0), None),
        ("untrusted", "A chain that isn't trusted.", "example.com", ["leaf-1"], untrusted("missing-intermediate", 0), None),
        ("no-entry", "Not pinned, a good chain.", "x.d.example.com", good, no_entry(), taken(no_entry())),
        ("no-entry-untrusted", "Not pinned, an unknown authority.", "x.d.example.com", ["leaf-3", "int-3"], no_entry(),
         refused(no_entry(), "unknown-issuer", 1)),
        ("no-entry-expired", "Not pinned, an expired leaf.", "x.d.example.com", ["expired", "int-1"], no_entry(),
         refused(no_entry(), "expired", 0)),
        ("no-entry-name", "Not pinned, another host's leaf.", "x.d.example.com", ["other-name", "int-1"], no_entry(),
         refused(no_entry(), "name-mismatch", 0)),
        ("no-entry-nothing", "Not pinned, nothing served.", "x.d.example.com", [], no_entry(),
         refused(no_entry(), "unusable-chain", None)),
        ("no-entry-denied", "Not pinned: a denied key isn't looked for.", "x.d.example.com", ["leaf-2", "int-2"], no_entry(),
         taken(no_entry())),
        ("off", "Taken out, a good chain.", "off.example.com", good, off("off.example.com"), taken(off("off.example.com"))),
        ("off-untrusted", "Taken out, an unknown authority.", "off.example.com", ["leaf-3", "int-3"], off("off.example.com"),
         refused(off("off.example.com"), "unknown-issuer", 1)),
        ("expired-entry", "No longer pinned, a good chain.", "b.a.example.com", good, expired, taken(expired)),
        ("expired-entry-untrusted", "No longer pinned, self-signed.", "b.a.example.com", ["self"], expired,
         refused(expired, "self-signed", 0)),
    ):
        for transport, expected in (("stands", stands), ("replaced", replaced or stands)):
            theme.decide(f"{identifier}-{transport}", comment, manifest, served, expected, host=host, transport=transport)
    # Customisations of an entry that no longer pins have no effect.
    entry = {"host": "example.com", "keys": ["leaf-3"], "expires": PAST, "on-expiry": "unpinned",
             "trust": {"anchors": [book.print("root-3")]}}
    custom = theme.manifest("customised", content(book.keys, [entry], certificates=book.carried("root-3")))
    gone = {**expired, "entry": "example.com"}
    theme.decide("expired-trust", "The trust of an entry that no longer pins doesn't count.", custom, ["leaf-3", "int-3"],
                 refused(gone, "unknown-issuer", 1), transport="replaced")
    theme.decide("expired-trust-before", "Before that it did.", custom, ["leaf-3", "int-3"], allow("leaf-3", 0),
                 transport="replaced", at="2026-11-20T23:59:59Z")
