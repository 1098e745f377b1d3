"""Any key, or one at the leaf and one above it."""

from book import FORMAT, allow, allow_both, denied, match, mismatch, reported
from manifests import content


def write(theme):
    theme.about("decision", "What an entry asks of the chain: any key of its set, or with require: leaf-and-ca one at the "
                "leaf and one above it.", FORMAT + "#order")
    keys = theme.book.keys
    chain = ["leaf-1", "int-1"]

    def row(identifier, comment, expected, active, backup=(), served=chain, both=True, mode="enforce", changes=None,
            **more):
        entry = {"host": "example.com", "mode": mode, "keys": (list(active), list(backup)), **more}
        if both:
            entry["require"] = "leaf-and-ca"
        manifest = theme.manifest(identifier, content(keys, [entry], **(changes or {})))
        theme.decide(identifier, comment, manifest, served, expected)

    leaf, middle, root = match("leaf-1", 0), match("int-1", 1), match("root-1", 2)
    row("both", "Leaf and authority match.", allow_both(leaf, middle), ["leaf-1", "int-1"])
    row("leaf-only", "Only the leaf matches.", mismatch(kind="authority-missing", leaf=leaf), ["leaf-1", "int-2"])
    row("authority-only", "Only an authority matches.", mismatch(kind="leaf-missing", authority=middle),
        ["leaf-2", "int-1"])
    row("neither", "Neither matches.", mismatch(), ["leaf-2", "int-2"])
    for kind, active, expected in (
        ("both", ["leaf-1", "int-1"], allow("leaf-1", 0)), ("leaf-only", ["leaf-1", "int-2"], allow("leaf-1", 0)),
        ("authority-only", ["leaf-2", "int-1"], allow("int-1", 1)), ("neither", ["leaf-2", "int-2"], mismatch()),
    ):
        row(f"any-{kind}", "Without require one match is enough.", expected, active, both=False)
    row("root-is-authority", "The root stands above the leaf as well.", allow_both(leaf, root), ["leaf-1", "root-1"])
    row("nearest-authority", "Of two authorities the nearer to the leaf is named.", allow_both(leaf, middle),
        ["leaf-1", "int-1", "root-1"])
    row("two-authorities", "Two above the leaf don't make up for the leaf.",
        mismatch(kind="leaf-missing", authority=middle), ["int-1", "root-1"])
    row("leaf-backup", "A backup key at the leaf counts, and is an event.",
        allow_both(leaf, middle, events=["backup-key-matched"]), ["int-1"], ["leaf-1"])
    row("authority-backup", "So does one above it.", allow_both(leaf, middle, events=["backup-key-matched"]), ["leaf-1"],
        ["int-1"])
    row("only-backups", "Backup keys alone are enough.", allow_both(leaf, middle, events=["backup-key-matched"]), [],
        ["int-1", "leaf-1"])
    row("report-leaf-only", "In report-only half a match is allowed and reported.",
        reported(kind="authority-missing", leaf=leaf), ["leaf-1"], mode="report-only")
    row("report-both", "In report-only both match.", allow_both(leaf, middle, events=["report-only"]),
        ["leaf-1", "int-1"], mode="report-only")
    fingerprint = theme.book.print("self")
    row("one-certificate", "A chain of one certificate can't have both, although the key is leaf and root.",
        mismatch(kind="authority-missing", leaf=match("self", 0)), ["self"], served=["self"],
        trust={"certificate": fingerprint}, changes={"certificates": theme.book.carried("self")})
    row("two-certificates", "Leaf and anchor are enough.", allow_both(match("leaf-direct", 0), match("root-1", 1)),
        ["leaf-direct", "root-1"], served=["leaf-direct"])
    row("served-authority", "An authority that was served and isn't in the validated chain doesn't count.",
        mismatch(kind="authority-missing", leaf=leaf), ["leaf-1", "int-2"], served=[*chain, "int-2"])
    # Which key is named if several match.
    row("both-lists", "A key that is active and backup is active.", allow("leaf-1", 0), ["leaf-1"], ["leaf-1"], both=False)
    row("both-lists-both", "Also where two are asked for.", allow_both(leaf, middle), ["leaf-1", "int-1"],
        ["int-1", "leaf-1"])
    keys = {**keys, "a-twin": keys["leaf-1"], "z-twin": keys["leaf-1"]}
    row("twin-of-backup", "One pin as an active key and as a backup key: the active one is named.", allow("z-twin", 0),
        ["z-twin"], ["a-twin"], both=False)
    row("twin-of-active", "One pin as two active keys: the first by name is named.", allow("a-twin", 0),
        ["leaf-1", "a-twin"], both=False)
    row("backup-nearer", "The certificate nearest to the leaf comes first, also where its key is a backup key.",
        allow("leaf-1", 0, events=["backup-key-matched"]), ["int-1"], ["leaf-1"], both=False)
    twins = {**keys, **{name: {**keys["leaf-1"], "denied": "lost"} for name in ("z-lost", "b-lost")}}
    manifest = theme.manifest("denied-twins", content(twins, [{"host": "example.com", "keys": ["leaf-1"]}]))
    theme.decide("denied-twins", "One pin as two denied keys: the first by name is named.", manifest, chain,
                 denied("b-lost", 0))
    # A denial above two matches.
    lost = {**keys, "root-1": {**keys["root-1"], "denied": "lost"}}
    for both in (True, False):
        entry = {"host": "example.com", "keys": ["leaf-1", "int-1"]}
        if both:
            entry["require"] = "leaf-and-ca"
        name = "denied-above-" + ("both" if both else "one")
        manifest = theme.manifest(name, content(lost, [entry]))
        theme.decide(name, "A denied key behind all that is asked for still blocks.", manifest, chain, denied("root-1", 2))
