"""Which keyset may follow the one that is trusted."""

import base64

from book import KEYSETS, UPDATES
from keysets import TYPE, signed
from manifests import canonical, encoding, envelope
from manifests import content as manifest_content
from steps import Steps

FEW, WRONG = "too-few-signatures", "invalid-signature"


def write(theme):
    theme.about("store", "The next keyset: versions, serials, audience, content, and what is looked at first.",
                KEYSETS + "#walking-forward")
    steps = Steps(theme)
    one = steps.keyset("1")
    chain = [one, *(steps.keyset(str(number), number) for number in range(2, 6))]
    versions(steps, chain)
    serials(steps, one)
    contents(steps, one)
    types(steps)
    order(steps, one)
    restarts(steps, chain)


def versions(steps, chain):
    row, walk, status, opened = steps.row, steps.walk, steps.status, steps.open()
    one, two, three, four, five = chain
    row("none-newer", "The one that was shipped is trusted.", one, opened, status(1))
    row("next", "The next one.", one, opened, walk(two), status(2))
    row("one-after-the-other", "One after the other.", one, opened, walk(two), walk(three), walk(four), walk(five), status(5))
    row("skipped", "One that leaves out another.", one, opened, walk(three, "skipped-version"), status(1))
    row("wrong-order", "What came too early can come again.", one, opened, walk(three, "skipped-version"), walk(two),
        walk(three), status(3))
    greatest = steps.keyset("greatest", 9007199254740991)
    row("fast-forward", "The greatest number that there is, by somebody with the root keys: it isn't the next.", one, opened,
        walk(greatest, "skipped-version"), walk(two), status(2))
    row("after-greatest", "Behind the greatest number there is none.", greatest, opened,
        walk(steps.keyset("1"), "older-version"), walk(greatest, result="unchanged"), status(9007199254740991))
    row("older", "One that came before.", one, opened, walk(two), walk(three), walk(two, "older-version"),
        walk(one, "older-version"), status(3))
    row("same", "The one that is trusted.", one, opened, walk(two), walk(two, result="unchanged"), status(2))
    row("same-as-shipped", "The one that was shipped.", one, opened, walk(one, result="unchanged"), status(1))
    more = steps.keyset("1-by-two", 1, ["root-a", "root-b"])
    row("same-signatures", "It is the signed bytes that count: signatures may have been added.", one, opened,
        walk(more, result="unchanged"), status(1))
    nobody = steps.keyset("1-by-mallory", 1, ["mallory"])
    row("same-without-signatures", "Or taken out: nothing changes.", one, opened, walk(nobody, result="unchanged"), status(1))
    other = steps.keyset("1-other", 1, expires="2027-07-01T00:00:00Z")
    row("conflicting", "The same version with other signed bytes.", one, opened, walk(other, "conflicting-version"), status(1))
    other = steps.keyset("2-other", 2, expires="2027-07-01T00:00:00Z")
    row("conflicting-next", "Of two keysets of one version the first that came counts.", one, opened, walk(two),
        walk(other, "conflicting-version"), walk(three), status(3))
    rotated = steps.keyset("2-rotated", 2, ["root-a", "root-b"], roots=(["root-b"], 1))
    row("older-roots", "The roots that came before sign nothing any more.", one, opened, walk(rotated), walk(one, FEW),
        walk(two, FEW), walk(three, FEW), status(2))
    row("version-7", "It may begin anywhere.", steps.keyset("7", 7), opened, walk(steps.keyset("8", 8)),
        walk(steps.keyset("7", 7), "older-version"), status(8))
    client = {"signers": ["alice"], "threshold": 1, "audience": "vectors"}
    row("fixed-signers", "A client with fixed signers takes no keyset.", None, opened, walk(two, "no-keyset"), client=client,
        section=UPDATES + "#keysets")


def serials(steps, one):
    row, opened = steps.row, steps.open()

    def numbered(version, epoch, least):
        return steps.keyset(f"{version}-epoch-{epoch}-from-{least}", version, **{
            "serial-epoch": epoch, "minimum-serial": least})

    shipped = numbered(1, 3, 100)
    for identifier, comment, epoch, least, error in (
        ("same", "Both stay.", 3, 100, None), ("minimum-rises", "The minimum rises.", 3, 101, None),
        ("minimum-falls", "The minimum falls.", 3, 99, "serials-fall"),
        ("epoch-rises", "A new epoch, the minimum stays.", 4, 100, None),
        ("epoch-rises-minimum-falls", "With a new epoch the minimum may fall.", 4, 1, None),
        ("epoch-skips", "Epochs may be left out.", 9007199254740991, 1, None),
        ("epoch-falls", "The epoch falls.", 2, 100, "serials-fall"),
        ("epoch-falls-minimum-rises", "The epoch falls, though the minimum rises.", 2, 101, "serials-fall"),
    ):
        row("serials-" + identifier, comment, shipped, opened, steps.walk(numbered(2, epoch, least), error),
            steps.status(1 if error else 2), section=KEYSETS + "#walking-forward")
    back = numbered(3, 1, 1)
    row("serials-fall-later", "Nor do they fall two versions later.", one, opened, steps.walk(numbered(2, 2, 5)),
        steps.walk(back, "serials-fall"), steps.status(2))


def contents(steps, one):
    row, walk, opened = steps.row, steps.walk, steps.open()

    def refused(identifier, comment, keyset, error, shipped=one):
        row(identifier, comment, shipped, opened, walk(keyset, error), steps.status(1))

    refused("audience", "For another environment: one of staging in production.",
            steps.keyset("audience", 2, audience="staging"), "wrong-audience")
    refused("audience-composed", "Byte for byte.", steps.keyset("audience-upper-case", 2, audience="VECTORS"),
            "wrong-audience")
    refused("extension", "An extension that isn't known.", steps.keyset("extension", 2, critical=["delegations"]),
            "unknown-extension")
    refused("unknown-field", "A field that isn't known: extensions stand in critical.",
            steps.keyset("unknown-field", 2, **{"custom-field": "value"}), "malformed-keyset")
    refused("missing-version", "Without a version.", steps.keyset("missing-version", 2, **{"keyset-version": None}),
            "malformed-keyset")
    value = steps.content(2)
    spki = base64.b64encode(steps.signers["alice"].spki).decode()
    twin = {**value, "keys": {**value["keys"], "alicia": spki}, "signers": {"keys": ["alice", "alicia"], "threshold": 2}}
    refused("same-bytes", "One key under two names.", steps.theme.keyset("same-bytes", twin), "malformed-keyset")
    ten = {f"alice-{number}": spki for number in range(9)}
    many = {**value, "keys": {**ten, **value["keys"]}, "signers": {"keys": sorted([*ten, "alice"]), "threshold": 6}}
    refused("same-bytes-ten", "One key under ten names, six of which must sign.",
            steps.theme.keyset("same-bytes-ten", dict(many, keys=dict(sorted(many["keys"].items())))), "malformed-keyset")
    keys = {"root-a": value["keys"]["root-a"], "other": base64.b64encode(steps.theme.book.unusable["p384"]).decode()}
    unusable = {**value, "keys": keys, "signers": {"keys": ["other"], "threshold": 1}}
    refused("unusable-key", "A key on P-384.", steps.theme.keyset("unusable-key", unusable), "unusable-signer")
    refused("threshold-above-keys", "A threshold of 6 for 5 keys.", steps.keyset(
        "threshold-above-keys", 2, manifests=([f"key-{number}" for number in range(5)], 6)), "malformed-keyset")
    refused("threshold-of-unknown-key", "5 of 5 keys, one of which isn't in the keyset.", steps.theme.keyset(
        "threshold-of-unknown-key",
        {**steps.content(2, manifests=([f"key-{number}" for number in range(4)], 4)),
         "signers": {"keys": [f"key-{number}" for number in range(5)], "threshold": 5}}), "malformed-keyset")
    space = canonical(value).replace(b'"version":1}', b'"version":1 }')
    refused("space", "A space in the signed bytes.", steps.theme.keyset("space", space), "malformed-keyset")
    whole = signed(canonical(value), [steps.signers["root-a"]])
    items = whole[len(b'{"signatures":'):whole.index(b',"signed":')]
    for identifier, comment, file in (
        ("file-nothing", "No bytes.", b""), ("file-nonsense", "Nonsense.", b"nonsense"),
        ("file-unsigned", "A draft.", whole.replace(items, b"[]")),
        ("file-signature-twice", "A root that signed twice.", whole.replace(items, items[:-1] + b"," + items[1:])),
        ("file-line-break", "A line break behind the file.", whole + b"\n"),
        ("file-cut-short", "The last byte is missing.", whole[:-1]),
    ):
        refused(identifier, comment, steps.theme.keyset_file(identifier, file), "malformed-file")
    refused("file-65537-bytes", "65537 bytes, whatever they are: endless data.", "keyset-loading-file-bytes-65537.json",
            "too-large")


def types(steps):
    """One key in all roles, so that only the type keeps them apart."""
    row, walk, opened = steps.row, steps.walk, steps.open()
    alice = {"roots": (["alice"], 1)}
    one = steps.keyset("1-of-alice", 1, ["alice"], **alice)
    body = canonical(steps.content(2, **alice))
    who = steps.signers["alice"]

    def keyset(name, data):
        return steps.theme.keyset_file("type-" + name, data)

    manifest = canonical(manifest_content(steps.theme.book.keys, [{"host": "example.com", "keys": ["leaf-1"]}]))
    by_type = envelope(body, [(who.keyid, who.signature(encoding(body)))])
    row("type-of-manifests", "A keyset under the type of manifests.", one, opened, walk(keyset("of-manifests", by_type), WRONG),
        steps.status(1))
    proper = envelope(manifest, [(who.keyid, who.signature(encoding(manifest)))])
    row("type-manifest", "A manifest in the place of a keyset.", one, opened, walk(keyset("manifest", proper), WRONG),
        steps.status(1))
    row("type-manifest-as-keyset", "A manifest under the type of keysets.", one, opened,
        walk(keyset("manifest-as-keyset", signed(manifest, [who])), "malformed-keyset"), steps.status(1))
    named = canonical({**steps.content(2, **alice), "type": "application/vnd.pintle.manifest.v1+json"})
    row("type-in-content", "A keyset that says it is a manifest.", one, opened,
        walk(keyset("in-content", signed(named, [who])), "malformed-keyset"), steps.status(1))
    file = steps.theme.file("keyset-versions-keyset-as-manifest.json", signed(body, [who]))
    row("type-keyset-as-manifest", "A keyset in the place of a manifest.", one, opened, steps.update(file, WRONG),
        steps.status(1), section=KEYSETS + "#the-file")


def order(steps, one):
    """Which error comes first if several things are wrong."""
    who = steps.signers
    two = steps.content(2)

    def row(identifier, comment, value, error, signed_by=("root-a",)):
        file = steps.theme.keyset("order-" + identifier, value, signed_by)
        steps.row("order-" + identifier, comment, one, steps.open(), steps.walk(file, error), steps.status(1))

    bad_key = {**two, "keys": {**two["keys"], "alice": base64.b64encode(b"no key").decode()}}
    row("signatures-before-content", "Nothing is read that isn't signed by the roots that are trusted.",
        b'{"nonsense":1}', FEW, ["mallory"])
    row("content-behind-signatures", "Signed by them, it is read.", b'{"nonsense":1}', "malformed-keyset")
    row("signatures-before-audience", "Nor is its audience.", {**two, "audience": "staging"}, FEW, ["mallory"])
    row("audience-before-extension", "Audience before extensions.",
        {**two, "audience": "staging", "critical": ["delegations"]}, "wrong-audience")
    row("extension-before-version", "Extensions before versions.", {**two, "critical": ["delegations"], "keyset-version": 9},
        "unknown-extension")
    row("audience-before-version", "Audience before versions.", {**two, "audience": "staging", "keyset-version": 9},
        "wrong-audience")
    row("version-before-keys", "Versions before keys.", {**bad_key, "keyset-version": 9}, "skipped-version")
    rooted = {"roots": (["root-b"], 1)}
    row("version-before-own-signatures", "Versions before the signatures of its own roots.", steps.content(9, **rooted),
        "skipped-version")
    key = {**steps.content(2, **rooted)}
    key["keys"] = {**key["keys"], "alice": base64.b64encode(b"no key").decode()}
    row("keys-before-own-signatures", "Keys before the signatures of its own roots.", key, "unusable-signer")
    row("own-signatures", "Then its own roots'.", steps.content(2, **rooted), FEW)
    spoilt = [(who["root-a"].keyid, who["root-a"].signature(encoding(canonical(steps.content(2, **rooted)), TYPE))),
              (who["root-b"].keyid, who["mallory"].signature(b""))]
    file = steps.theme.keyset_file("order-own-spoilt", envelope(canonical(steps.content(2, **rooted)), sorted(spoilt)))
    steps.row("order-own-signature-wrong", "One of its own roots that doesn't fit.", one, steps.open(),
              steps.walk(file, WRONG), steps.status(1))
    shipped = steps.keyset("1-of-two", 1, ["root-a"], roots=(["root-a", "root-b"], 1))
    body = canonical(steps.content(2))
    pairs = [(who["root-a"].keyid, who["root-a"].signature(encoding(body, TYPE))),
             (who["root-b"].keyid, who["mallory"].signature(b""))]
    file = steps.theme.keyset_file("order-old-spoilt", envelope(body, sorted(pairs)))
    steps.row("order-old-signature-wrong", "One of the trusted keyset's roots that doesn't fit, where enough others do.",
              shipped, steps.open(), steps.walk(file, WRONG), steps.status(1))
    falling = steps.keyset("1-epoch-3", 1, **{"serial-epoch": 3})
    bad = steps.theme.keyset("order-serials-before-keys", bad_key)
    steps.row("order-serials-before-keys", "Serials before keys.", falling, steps.open(), steps.walk(bad, "serials-fall"),
              steps.status(1))


    # A further root of each kind, whose signature is right, and then looks right.
    shipped = steps.keyset("1")
    for kind, name, other in (("p256", "hsm", None), ("ed25519", "root-b", "root-c")):
        both = {"roots": (["root-a", name], 2)}
        second = steps.keyset(f"2-with-{kind}", 2, ["root-a", name], **both)
        body = canonical(steps.content(3, **both))
        wrong = who[other].signature(encoding(body, TYPE)) if other else who[name].signature(encoding(body))
        third = steps.theme.keyset_file(f"3-with-{kind}", envelope(body, sorted([
            (who["root-a"].keyid, who["root-a"].signature(encoding(body, TYPE))), (who[name].keyid, wrong)])))
        steps.row(f"key-type-{kind}", "A further root, all of whom must sign; its next signature only looks right.", shipped,
                  steps.open(), steps.walk(second), steps.walk(third, WRONG), steps.status(2))


def restarts(steps, chain):
    one, two, three, four, five = chain
    row, walk, status, opened = steps.row, steps.walk, steps.status, steps.open()
    kept = {"directory": True, "section": UPDATES + "#keysets"}
    row("restart", "What was taken is kept.", one, opened, walk(two), walk(three), opened, status(3), walk(four), opened,
        status(4), **kept)
    row("restart-each", "Each on its own.", one, opened, walk(two), opened, walk(three), opened, walk(four), opened, status(4),
        **kept)
    row("restart-after-refusal", "What was refused isn't.", one, opened, walk(three, "skipped-version"), opened, status(1),
        **kept)
    row("restart-without-folder", "Without a folder nothing is.", one, opened, walk(two), opened, status(1),
        section=UPDATES + "#keysets")
    row("restart-shipped-on-the-way", "A newer program ships one on the way: the newest is trusted.", one, opened, walk(two),
        walk(three), steps.open(keyset=two), status(3), **kept)
    row("restart-shipped-newest", "Or the newest.", one, opened, walk(two), steps.open(keyset=two), status(2), **kept)
    row("restart-shipped-newer", "Or one that is newer than all that are kept: it is trusted as shipped.", one, opened,
        walk(two), steps.open(keyset=four), status(4), walk(three, "older-version"), walk(five), status(5), **kept)
    row("restart-shipped-older", "An older program ships one from which what is kept can't be reached: it begins anew, and "
        "joins what is kept where it gets there.",
        three, opened, walk(four), steps.open(problems=["disconnected-keysets"], keyset=one), status(1), walk(two), opened,
        status(4), **kept)
    rotated = steps.keyset("2-rotated", 2, ["root-a", "root-b"], roots=(["root-b"], 1))
    third = steps.keyset("3-rotated", 3, ["root-b"], roots=(["root-b"], 1))
    row("restart-rotated", "Across a rotation of the roots.", one, opened, walk(rotated), walk(third), opened, status(3),
        walk(four, FEW), **kept)
    late = "2026-11-25T00:00:00Z"
    short = steps.keyset("2-expired", 2, expires="2026-11-10T00:00:00Z")
    row("expired-on-the-way", "Only the newest one's expiry counts.", one, opened, walk(short), status(2, expired=True),
        walk(three), status(3), walk(four, at=late), status(4, at=late), section=KEYSETS + "#walking-forward")
    old = steps.keyset("1-expired", 1, expires="2026-11-10T00:00:00Z")
    row("expired-shipped", "One that had expired when it was shipped leads on.", old, opened, status(1, expired=True),
        walk(two), status(2), section=KEYSETS + "#trusting-the-first")
