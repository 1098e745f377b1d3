"""Name constraints where libraries differ, and leaves with CA:TRUE."""

from book import VALIDATION, allow, untrusted
from manifests import content

CODE = "name-constraints"


def write(theme):
    theme.about("decision", "Name constraints against wildcards, invalid names, missing masks and empty lists, and leaves that say CA:TRUE.",
                VALIDATION + "#name-constraints")
    manifest = theme.manifest("all", content(theme.book.keys, [{"host": "example.com", "subs": True, "keys": ["root-1", "nc-root"]}]))

    def row(constraint, leaf, host, failure, comment, *between):
        host = f"{host}.example.com" if host else "example.com"
        failure = {CODE: (CODE, 0), "name-mismatch": ("name-mismatch", 0), "malformed": ("malformed", 1)}.get(failure, failure)
        expected = untrusted(*failure) if failure else allow("nc-root", 1 + len(between))
        theme.decide(f"{constraint}.{leaf}.{host.split('.')[0]}", comment, manifest,
                     [f"nc-leaf-{leaf}", *between, f"nc-{constraint}"], expected, host=host)

    row("excludes-api", "wildcard", "api", CODE, "A wildcard that covers an excluded name.")
    row("excludes-api", "wildcard", "www", CODE, "The certificate is rejected for its other names too.")
    row("excludes-api", "www-and-wildcard", "www", CODE, "Also where the host is named in full beside it.")
    row("excludes-api", "upper-wildcard", "api", CODE, "Names are compared without regard to case.")
    row("excludes-api-upper", "wildcard", "api", CODE, "In the constraint as well.")
    row("excludes-api-second", "wildcard", "api", CODE, "Each excluded name counts.")
    row("permits-com-excludes-api", "wildcard", "api", CODE, "What is permitted doesn't make up for it.")
    row("excludes-api", "api", "api", CODE, "The excluded name itself.")
    row("excludes-api", "deep-wildcard", "v1.api", CODE, "A wildcard below the excluded name.")
    row("excludes-api", "www", "www", None, "Another name.")
    row("excludes-api", "apex", "", None, "A name above it.")
    row("excludes-deep", "wildcard", "api", None, "A wildcard stands for one label, so none of its names is excluded.")
    row("excludes-com", "wildcard", "www", CODE, "A wildcard below the excluded name.")
    row("excludes-all", "www", "www", CODE, "The empty name excludes all.")
    row("permits-com", "wildcard", "www", None, "All that the wildcard covers is permitted.")
    row("permits-api", "wildcard", "api", CODE, "A wildcard that covers more than what is permitted.")
    # Leading dots.
    row("permits-dot-com", "www", "www", None, "A leading dot permits the names below.")
    row("permits-dot-com", "wildcard", "www", None, "All of them.")
    row("permits-dot-com", "apex", "", CODE, "And not the name itself.")
    row("excludes-dot-com", "www", "www", CODE, "A leading dot excludes the names below.")
    row("excludes-dot-com", "apex", "", CODE, "And the name itself: the stricter reading counts.")
    row("excludes-dot-api", "api", "api", CODE, "The same one label further down.")
    row("excludes-dot-api", "wildcard", "api", CODE, "For a wildcard too.")
    row("excludes-dot-api", "www", "www", None, "Another name.")
    # Names that aren't valid: whether they are in a subtree can't be said (RFC 5280 section 4.2.1.10).
    row("permits-com", "leading-dot", "", CODE, "A leading dot in a certificate's name.")
    row("permits-com", "leading-dot", "api", CODE, "It isn't the names below either.")
    row("permits-com", "leading-dot", "www", CODE, "The certificate is rejected for its other names too.")
    row("excludes-api", "leading-dot", "www", CODE, "Also where names are only excluded.")
    row("permits-mail", "leading-dot", "www", None, "Where no host names are constrained, it does no harm to the others.")
    row("permits-mail", "leading-dot", "", "name-mismatch", "But matches nothing.")
    for leaf, comment in {
        "trailing-dot": "A dot at the end.", "empty-label": "Two dots.", "empty-name": "The empty name.",
        "part-wildcard": "A wildcard that is a part of a label.", "two-wildcards": "Two wildcards.",
        "not-ascii": "A character outside of ASCII.",
    }.items():
        row("permits-com", leaf, "www", CODE, comment)
    row("permits-com", "underscore", "www", None, "An underscore is common, and leaves no doubt.")
    row("permits-com", "below", "www", (CODE, 1), "An authority's own names count, where another is above it.", "nc-below")
    row("permits-com", "self-issued", "www", None, "But not of one that the authority has issued to itself (section 6.1.3).",
        "nc-self-issued")
    # E-mail addresses.
    row("permits-mail", "mail", "www", None, "A mailbox at the permitted host.")
    row("permits-mail", "mail-signs", "www", None, "With signs that a mailbox may have.")
    row("permits-mail", "mail-org", "www", CODE, "At another host.")
    row("permits-mail", "mail-below", "www", CODE, "A host permits only itself.")
    row("permits-mail-below", "mail-below", "www", None, "With a leading dot, the hosts below.")
    row("permits-mail-below", "mail", "www", CODE, "And not the host itself.")
    row("permits-mailbox", "mail", "www", None, "One mailbox.")
    row("permits-mailbox", "mail-signs", "www", CODE, "And no other.")
    row("excludes-mail", "mail", "www", None, "A host that isn't excluded.")
    row("excludes-mail", "mail-org", "www", CODE, "The excluded host.")
    for leaf, comment in {
        "mail-two-signs": "Two signs: it isn't clear which host it is.", "mail-quoted": "A quoted local part has other spellings.",
        "mail-dots": "Two dots in the local part.", "mail-space": "A space.", "mail-no-box": "No local part.",
        "mail-no-host": "No host.", "mail-no-sign": "Only a host.", "mail-address": "An address in place of a host name.",
        "mail-leading-dot": "A host with a leading dot.",
    }.items():
        row("permits-mail", leaf, "www", CODE, comment)
    row("excludes-mail", "mail-two-signs", "www", CODE, "Also where hosts are only excluded.")
    row("permits-com", "mail-two-signs", "www", None, "Where no e-mail is constrained, it does no harm.")
    row("permits-mail", "subject-mail", "www", None, "An e-mail address of the subject.")
    row("permits-mailbox", "subject-two-signs", "www", CODE, "One that isn't valid.")
    row("permits-mail", "subject-two-signs", "www", CODE, "Its end isn't enough.")
    # Addresses.
    row("permits-address", "address", "www", None, "An address in the permitted network.")
    row("permits-address", "address-other", "www", CODE, "One outside of it.")
    row("permits-address", "address-6", "www", CODE, "One of the other version.")
    row("permits-address-6", "address-6", "www", None, "The same for version 6.")
    row("permits-address-6", "address", "www", CODE, "And the other way round.")
    row("excludes-address", "address", "www", CODE, "An excluded address.")
    row("excludes-address", "address-other", "www", None, "One outside of the excluded network.")
    # The case java-nc-ip-malformed.
    row("permits-address-no-mask", "address", "www", CODE, "A constraint of 4 octets has no mask: it can't be compared.")
    row("excludes-address-no-mask", "address", "www", CODE, "Also where it excludes another address.")
    row("permits-address-no-mask", "www", "www", None, "But only with addresses.")
    row("permits-address-6-no-mask", "address-6", "www", CODE, "A constraint of 16 octets: the same.")
    for leaf, comment in {
        "address-with-mask": "An address of 8 octets is none.", "address-6-with-mask": "Nor is one of 32 octets.",
        "address-short": "Nor is one of 3 octets.",
    }.items():
        row("permits-address", leaf, "www", CODE, comment)
    row("excludes-address", "address-with-mask", "www", CODE, "Also where addresses are only excluded.")
    row("permits-com", "address-with-mask", "www", None, "Where no addresses are constrained, it does no harm.")
    # Constraints that are empty, or that can't be read.
    for constraint, comment in {
        "says-nothing": "Neither list.", "permits-empty-list": "An empty list of permitted names.",
        "excludes-empty-list": "An empty list of excluded names.",
        "permits-com-excludes-empty-list": "An empty list beside another.",
        "excludes-wildcard": "A wildcard is not a DNS name.", "excludes-trailing-dot": "Nor is one with a dot at its end.",
        "excludes-empty-label": "Nor is one with an empty label.",
    }.items():
        row(constraint, "www", "www", "malformed", comment)
    theme.decide("root", "The anchor's constraints count.", manifest, ["nc-leaf-wildcard"], untrusted(CODE, 0),
                 host="api.example.com", anchors=["nc-root"])
    theme.decide("root-other", "For other names they don't.", manifest, ["nc-leaf-www"], allow("nc-root", 1),
                 host="www.example.com", anchors=["nc-root"])
    # CA:TRUE without keyCertSign.
    leaf, host = "leaf-calls-itself-authority", {"host": "www.example.com"}
    theme.decide("authority-as-leaf", "A leaf with CA:TRUE whose keyUsage has no keyCertSign is a leaf.", manifest, [leaf],
                 allow("root-1", 1), section=VALIDATION + "#leaves-with-catrue", **host)
    theme.decide("authority-as-issuer", "And issues nothing.", manifest, ["under-calls-itself", leaf],
                 untrusted("not-an-authority", 1), section=VALIDATION + "#leaves-with-catrue", **host)
    theme.decide("authority-no-usage", "CA:TRUE without any keyUsage breaks RFC 5280 section 4.2.1.3.", manifest,
                 ["leaf-authority-no-usage"], untrusted("malformed", 0), section=VALIDATION + "#leaves-with-catrue", **host)
