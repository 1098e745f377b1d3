"""Name constraints where libraries differ, and leaves with CA:TRUE."""

from book import VALIDATION, allow, untrusted
from manifests import content

CODE = "name-constraints"


def write(theme):
    theme.about("decision", "Name constraints against wildcards, leading dots and empty lists, and leaves that say CA:TRUE.",
                VALIDATION + "#name-constraints")
    manifest = theme.manifest("all", content(theme.book.keys, [{"host": "example.com", "subs": True, "keys": ["root-1", "nc-root"]}]))

    def row(constraint, leaf, host, failure, comment):
        host = f"{host}.example.com" if host else "example.com"
        failure = {None: None, CODE: (CODE, 0), "name-mismatch": ("name-mismatch", 0), "malformed": ("malformed", 1)}[failure]
        expected = untrusted(*failure) if failure else allow("nc-root", 1)
        theme.decide(f"{constraint}.{leaf}.{host.split('.')[0]}", comment, manifest,
                     [f"nc-leaf-{leaf}", f"nc-{constraint}"], expected, host=host)

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
    row("permits-com", "leading-dot", "", "name-mismatch", "A leading dot in a certificate's name matches nothing.")
    row("permits-com", "leading-dot", "api", "name-mismatch", "Not the names below either.")
    row("permits-com", "leading-dot", "www", None, "And does no harm to its other names.")
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
