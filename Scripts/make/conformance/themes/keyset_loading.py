"""Which shipped keyset a client trusts, and whose manifests it then accepts."""

import base64

import der
import keys
from book import KEYSETS
from curves import Ed25519, spki_of_ed25519
from keysets import TYPE, content, signed
from manifests import TYPE as MANIFEST
from manifests import canonical, encoding, envelope
from manifests import content as manifest_content
from world import Signer

FEW, WRONG, FILE, KEYSET = "too-few-signatures", "invalid-signature", "malformed-file", "malformed-keyset"


def write(theme):
    theme.about("load", "Keysets that are shipped with a client: which are trusted, and whose signatures of manifests count "
                "then.", KEYSETS + "#trusting-the-first")
    loading = Loading(theme)
    roles(loading)
    signatures(loading)
    files(loading)
    contents(loading)
    public_keys(loading)
    order(loading)


class Loading:
    def __init__(self, theme):
        self.theme, self.signers = theme, theme.book.signers
        self.manifest = canonical(manifest_content(theme.book.keys, [{"host": "example.com", "keys": ["leaf-1"]}]))

    def by(self, *names):
        return self.theme.manifest("by-" + "-".join(names), self.manifest, names)

    def row(self, identifier, comment, keyset, expected, manifest=None, section=None, audience="vectors"):
        """expected: the names of the signers, or an error."""
        if isinstance(expected, str):
            answer = {"result": "refused", "error": expected}
        else:
            names = sorted(expected, key=lambda name: self.signers[name].keyid)
            answer = {"result": "loaded", "serial": 1, "signedBy": names}
        self.theme.add(identifier, comment, {
            "client": {"keyset": keyset, "audience": audience}, "manifest": manifest or self.by("alice"),
            "maximumBytes": None, "expected": answer}, section and KEYSETS + section)

    def keyset(self, name, signed_by=("root-a",), **options):
        return self.theme.keyset(name, content(self.signers, **options), signed_by)

    def file(self, identifier, comment, data, expected, section=None):
        self.row(identifier, comment, self.theme.keyset_file(identifier, data), expected, section=section)


def roles(loading):
    row, keyset = loading.row, loading.keyset
    manifests = "#manifests-under-a-keyset"
    row("plain", "One root, one signer.", keyset("plain"), ["alice"])
    row("p256-root", "A root on P-256.", keyset("p256-root", ["hsm"], roots=(["hsm"], 1)), ["alice"])
    row("p256-signer", "A signer on P-256.", keyset("p256-signer", manifests=(["alice", "hsm"], 2)), ["alice", "hsm"],
        loading.by("alice", "hsm"))
    row("both-roles", "A key in both roles.", keyset("both-roles", ["alice"], roots=(["alice"], 1)), ["alice"])
    expired = keyset("expired", issued="2025-11-01T00:00:00Z", expires="2026-11-01T00:00:00Z")
    row("expired", "One that has expired is trusted all the same.", expired, ["alice"])
    row("issued-at-expiry", "Issued at the instant of its expiry.",
        keyset("issued-at-expiry", issued="2026-11-01T00:00:00Z", expires="2026-11-01T00:00:00Z"), ["alice"])
    row("version-7", "Any version may be the first.", keyset("version-7", version=7), ["alice"])
    greatest = 9007199254740991
    row("greatest-numbers", "The greatest version and epoch.",
        keyset("greatest-numbers", version=greatest, **{"serial-epoch": greatest}), ["alice"])
    two = keyset("two-of-three", manifests=(["alice", "bob", "hsm"], 2))
    row("two-of-three", "Two of three signers.", two, ["alice", "hsm"], loading.by("alice", "hsm"), manifests)
    row("two-of-three-one", "One of them.", two, FEW, None, manifests)
    row("two-of-three-one-and-root", "A root isn't a signer.", two, FEW, loading.by("alice", "root-a"), manifests)
    row("two-of-three-one-and-other", "A key that isn't in the keyset.", two, FEW, loading.by("alice", "mallory"),
        manifests)
    many = [f"key-{number}" for number in range(10)]
    row("ten-of-ten", "All of ten.", keyset("ten-of-ten", manifests=(many, 10)), many, loading.by(*many), manifests)
    row("nine-of-ten", "Nine where ten must sign.", keyset("ten-of-ten", manifests=(many, 10)), FEW,
        loading.by(*many[1:]), manifests)
    wrong = canonical(manifest_content(loading.theme.book.keys, [], serial=2))
    file = loading.theme.file("keyset-loading-wrong-manifest.json", envelope(
        loading.manifest, [(loading.signers["alice"].keyid, loading.signers["alice"].signature(encoding(wrong)))]))
    row("wrong-manifest", "A signature of a signer that is over another manifest.", keyset("plain"), WRONG, file, manifests)
    as_keyset = signed(loading.manifest, [loading.signers["alice"]])
    file = loading.theme.file("keyset-loading-manifest-signed-as-keyset.json", as_keyset)
    row("manifest-signed-as-keyset", "A manifest under the type of keysets, by a key that is in both roles.",
        keyset("both-roles", ["alice"], roots=(["alice"], 1)), WRONG, file, manifests)
    body = canonical(content(loading.signers, roots=(["alice"], 1)))
    file = loading.theme.file("keyset-loading-keyset-as-manifest.json", signed(body, [loading.signers["alice"]]))
    row("keyset-as-manifest", "A keyset in the place of a manifest, by a key that is in both roles.",
        keyset("both-roles", ["alice"], roots=(["alice"], 1)), WRONG, file, manifests)
    file = loading.theme.manifest("keyset-signed-as-manifest", body)
    row("keyset-signed-as-manifest", "A keyset under the type of manifests.",
        keyset("both-roles", ["alice"], roots=(["alice"], 1)), "malformed-manifest", file, manifests)


def signatures(loading):
    row, keyset, who = loading.row, loading.keyset, loading.signers
    three = {"roots": (["root-a", "root-b", "root-c"], 2)}
    row("roots-two-of-three", "Two of three roots.", keyset("roots-two-of-three", ["root-a", "root-c"], **three), ["alice"])
    row("roots-three-of-three", "More roots than are needed.",
        keyset("roots-three-of-three", ["root-a", "root-b", "root-c"], **three), ["alice"])
    row("roots-one-of-three", "One root where two must sign.", keyset("roots-one-of-three", ["root-b"], **three), FEW)
    row("roots-one-and-signer", "A signer isn't a root.", keyset("roots-one-and-signer", ["root-b", "alice"], **three), FEW)
    row("roots-one-and-other", "A key that the keyset doesn't have never counts.",
        keyset("roots-one-and-other", ["root-b", "mallory"], **three), FEW)
    row("roots-two-and-other", "It is passed over.", keyset("roots-two-and-other", ["mallory", "root-a", "root-b"], **three),
        ["alice"])
    row("signer-only", "Signed by the signer alone.", keyset("signer-only", ["alice"]), FEW)
    body = canonical(content(who, **three))

    def file(identifier, comment, pairs, expected, data=body):
        loading.file(identifier, comment, envelope(data, sorted(pairs)), expected)

    def pair(name, message=None):
        return who[name].keyid, who[name].signature(encoding(body, TYPE) if message is None else message)

    a, b, c = pair("root-a"), pair("root-b"), pair("root-c")
    file("wrong-beside-right", "A root's signature that doesn't fit, where enough others do.",
         [a, b, (c[0], pair("mallory")[1])], WRONG)
    file("wrong-of-other", "One of a key that isn't a root is passed over, right or wrong.",
         [a, b, (who["mallory"].keyid, a[1])], ["alice"])
    file("wrong-of-signer", "One of a signer, too.", [a, b, (who["alice"].keyid, a[1])], ["alice"])
    file("exchanged", "Two signatures exchanged.", [(a[0], b[1]), (b[0], a[1])], WRONG)
    file("as-manifest", "Signatures under the type of manifests.",
         [pair(name, encoding(body, MANIFEST)) for name in ("root-a", "root-b")], WRONG)
    file("bare-bytes", "Signatures over the signed bytes alone.", [pair(name, body) for name in ("root-a", "root-b")], WRONG)
    file("changed", "A changed byte in what was signed.", [a, b], WRONG, body.replace(b'"minimum-serial":1', b'"minimum-serial":2'))
    order = Ed25519.order
    above = int.from_bytes(a[1][32:], "little") + order
    file("malleable", "S increased by the order of the group.", [(a[0], a[1][:32] + above.to_bytes(32, "little")), b], WRONG)
    on_p256 = canonical(content(who, roots=(["hsm"], 1)))
    edwards = who["root-a"].signature(encoding(on_p256, TYPE))
    file("wrong-algorithm", "An Ed25519 signature under the name of a key on P-256.", [(who["hsm"].keyid, edwards)], WRONG,
         on_p256)
    file("sha384", "ECDSA with SHA-384.",
         [(who["hsm"].keyid, who["hsm"].key.sign(encoding(on_p256, TYPE), "sha384")[1])], WRONG, on_p256)
    plain = canonical(content(who))
    ecdsa = who["hsm"].signature(encoding(plain, TYPE))
    file("wrong-algorithm-ed25519", "An ECDSA signature under the name of an Ed25519 key.", [(who["root-a"].keyid, ecdsa)],
         WRONG, plain)


def files(loading):
    body = canonical(content(loading.signers))
    whole = signed(body, [loading.signers["root-a"]])
    start = len(b'{"signatures":')
    items = whole[start:whole.index(b',"signed":')]

    def file(identifier, comment, data, expected=FILE):
        loading.file("file-" + identifier, comment, data, expected, "#the-file")

    file("nothing", "No bytes.", b"")
    file("unsigned", "No signature: a draft.", whole.replace(items, b"[]"))
    file("signature-twice", "A root that signed twice.", whole.replace(items, items[:-1] + b"," + items[1:]))
    file("unsorted", "Signatures that aren't sorted.", envelope(body, sorted(
        ((signer.keyid, signer.signature(encoding(body, TYPE))) for signer in map(loading.signers.get, ("root-a", "bob"))),
        reverse=True)))
    file("upper-case", "A keyid in upper case.", whole.replace(items, items.replace(
        loading.signers["root-a"].keyid.encode(), loading.signers["root-a"].keyid.upper().encode())))
    file("line-break", "A line break behind the file.", whole + b"\n")
    file("byte-order-mark", "A byte order mark.", b"\xef\xbb\xbf" + whole)
    file("space", "A space before signed.", whole.replace(b',"signed":', b', "signed":'))
    file("field-more", "A field behind signed.", whole[:-1] + b',"x":1}')
    file("cut-short", "The last byte is missing.", whole[:-1])
    file("brace-more", "A closing brace too many: part of what is signed, which is no keyset then.", whole + b"}", KEYSET)
    for size, expected in ((65536, ["alice"]), (65537, "too-large")):
        file(f"bytes-{size}", f"{size} bytes.", filled(loading, size), expected)


def filled(loading, size):
    """A file of this size: many keys, and signatures by unknown keys."""
    spare = {f"{'x' * 61}{number:03}": Signer(keys.Edwards(f"signer spare {number}")) for number in range(90)}
    who, names = {**loading.signers, **spare}, sorted(spare)
    root = who["root-a"]
    for version in (1, 10, 100, 1000):
        body = canonical(content(
            who, roots=(["root-a", *names[:63]], 1), manifests=(["alice", *names[63:]], 1), version=version))
        right = root.keyid, root.signature(encoding(body, TYPE))
        # The number of groups of four characters, beyond the first, of each of the 63 signatures.
        rest = size - len(envelope(body, [right, *((f"{number:064x}", bytes(3)) for number in range(1, 64))]))
        if rest % 4 == 0:
            counts = [1 + rest // 4 // 63 + (number < rest // 4 % 63) for number in range(63)]
            assert max(counts) <= 170, counts
            pairs = [(f"{number + 1:064x}", bytes(3 * count)) for number, count in enumerate(counts)]
            data = envelope(body, sorted([right, *pairs]))
            assert len(data) == size, len(data)
            return data
    raise AssertionError("four sizes in a row, and none fits")


def contents(loading):
    value = content(loading.signers)
    body = canonical(value)

    def add(identifier, comment, data, expected=KEYSET):
        """Signed properly, so that only the content is wrong."""
        data = data if isinstance(data, bytes) else canonical(data)
        assert data != body, identifier
        loading.file("content-" + identifier, comment, signed(data, [loading.signers["root-a"]]), expected,
                     "#the-signed-content")

    def changed(**changes):
        changed = {**value, **{name.replace("_", "-"): change for name, change in changes.items()}}
        return {name: item for name, item in changed.items() if item is not None}

    def replaced(old, new):
        assert body.count(old) == 1, old
        return body.replace(old, new)

    for name in value:
        add(f"missing-{name}", f"{name} is missing.", changed(**{name: None}))
    add("unknown-field", "A field that isn't known (an extension stands in critical).", changed(zzz=1))
    add("repeated-field", "A field that stands twice.", replaced(b'"version":1}', b'"version":1,"version":1}'))
    add("other-order", "Fields in another order.", replaced(
        b'"type":"' + TYPE.encode() + b'","version":1}', b'"version":1,"type":"' + TYPE.encode() + b'"}'))
    add("space", "A space.", replaced(b'"version":1}', b'"version": 1}'))
    add("escape", "An escape that isn't needed.", replaced(b'"audience":"vectors"', b'"audience":"\\u0076ectors"'))
    add("fraction", "A fraction.", replaced(b'"keyset-version":1', b'"keyset-version":1.0'))
    add("exponent", "An exponent.", replaced(b'"keyset-version":1', b'"keyset-version":1e0'))
    add("leading-zero", "A leading zero.", replaced(b'"keyset-version":1', b'"keyset-version":01'))
    add("number-as-text", "A number as text.", changed(keyset_version="1"))
    add("null", "null.", replaced(b'"keyset-version":1', b'"keyset-version":null'))
    for name in ("keyset-version", "minimum-serial", "serial-epoch"):
        for number in (0, -1, 9007199254740992):
            add(f"{name}-{number}", f"{name} {number}.", changed(**{name: number}))
    add("version-2", "Another version of the format.", changed(version=2))
    add("type-of-manifests", "The type of manifests.", changed(type=MANIFEST))
    add("audience-empty", "An empty audience.", changed(audience=""))
    add("audience-number", "An audience that is a number.", changed(audience=1))
    add("expires-before-issued", "It expires before it is issued.", changed(expires="2026-10-31T23:59:59Z"))
    add("expires-date", "A date without a time.", changed(expires="2027-06-01"))
    add("expires-no-day", "A day that there isn't.", changed(expires="2027-06-31T00:00:00Z"))
    add("expires-offset", "An instant with another offset.", changed(expires="2027-06-01T00:00:00+00:00"))
    add("critical-empty", "An empty list of extensions.", changed(critical=[]))
    add("critical-unsorted", "Extensions that aren't sorted.", changed(critical=["b", "a"]))
    add("critical-65", "65 extensions.", changed(critical=[f"x{number:02}" for number in range(65)]))
    # Roles.
    for role, member in (("roots", "root-a"), ("signers", "alice")):
        for identifier, comment, new in (
            ("threshold-0", "a threshold of 0", {"keys": [member], "threshold": 0}),
            ("threshold-2", "a threshold above the number of its keys", {"keys": [member], "threshold": 2}),
            ("no-keys", "no keys", {"keys": [], "threshold": 1}),
            ("key-twice", "a key twice", {"keys": [member, member], "threshold": 2}),
            ("unknown-key", "a key that isn't in keys", {"keys": [member, "zoe"], "threshold": 1}),
            ("unsorted", "keys that aren't sorted", {"keys": sorted(["alice", "root-a"], reverse=True), "threshold": 1}),
            ("no-threshold", "no threshold", {"keys": [member]}),
            ("unknown-field", "a field that isn't known", {"keys": [member], "threshold": 1, "x": 1}),
            ("list", "a list in its place", [member]),
        ):
            add(f"{role}-{identifier}", f"{role} with {comment}.", changed(**{role: new}))
    add("roots-threshold-6-of-5", "A threshold of 6 for 5 keys.", content(
        loading.signers, manifests=([f"key-{number}" for number in range(5)], 6)))
    # Keys.
    keys_of = value["keys"]
    alice = keys_of["alice"]
    add("no-keys", "No keys.", changed(keys={}))
    add("key-unused", "A key that no role has.", changed(keys={**keys_of, "bob": spki(loading, "bob")}))
    add("keys-same-bytes", "The same key under two names, both in a role, so that it would count twice.", changed(
        keys={**keys_of, "alicia": alice}, signers={"keys": ["alice", "alicia"], "threshold": 2}))
    add("keys-name-twice", "Two keys of one name.", replaced(
        f'"alice":"{alice}"'.encode(), f'"alice":"{alice}","alice":"{spki(loading, "bob")}"'.encode()))
    add("keys-unsorted", "Keys that aren't sorted.", replaced(
        canonical(keys_of), f'{{"root-a":"{keys_of["root-a"]}","alice":"{alice}"}}'.encode()))
    add("key-name", "A name in upper case.", changed(
        keys={**{name: key for name, key in keys_of.items() if name != "alice"}, "Alice": alice},
        signers={"keys": ["Alice"], "threshold": 1}))
    add("key-name-65", "A name of 65 characters.", named(value, alice, "a" * 65))
    add("key-name-64", "A name of 64 characters.", named(value, alice, "a" * 64), ["alice"])
    add("key-empty", "A key of no bytes.", changed(keys={**keys_of, "alice": ""}))
    add("key-129-bytes", "A key of 129 bytes.", changed(keys={**keys_of, "alice": base64.b64encode(bytes(129)).decode()}))
    add("key-rsa", "An RSA key, which has more than 128 bytes.", changed(
        keys={**keys_of, "alice": base64.b64encode(loading.theme.book.unusable["rsa"]).decode()}))
    add("key-base64", "Base64 without its padding.", changed(keys={**keys_of, "alice": alice.rstrip("=")}))
    add("list", "A list.", b"{\"audience\":[]}")
    add("manifest", "A manifest.", loading.manifest)


def spki(loading, name):
    return base64.b64encode(loading.signers[name].spki).decode()


def named(value, key, name):
    return {**value, "keys": {name: key, "root-a": value["keys"]["root-a"]}, "signers": {"keys": [name], "threshold": 1}}


def public_keys(loading):
    """Keys that can't be used, in either role."""
    unusable = loading.theme.book.unusable
    small = spki_of_ed25519(Ed25519.encode(Ed25519.neutral))
    for name, comment, key in (
        ("p384", "A key on P-384.", unusable["p384"]), ("ed448", "A key of Ed448.", unusable["ed448"]),
        ("x25519", "A key that doesn't sign.", keys.Agreement("signer x25519").spki),
        ("compressed", "A compressed point.", unusable["hsm-compressed"]),
        ("long-length", "A DER length in two bytes where one does.", unusable["alice-long-length"]),
        ("small-order", "A key of small order.", small),
        ("raw", "A key without its SubjectPublicKeyInfo.", loading.signers["bob"].spki[-32:]),
        ("no-key", "Something else.", b"no key"), ("null", "DER of something else.", der.null()),
    ):
        for role in ("roots", "signers"):
            value = content(loading.signers)
            member = value[role]["keys"][0]
            value["keys"] = {**value["keys"], "other": base64.b64encode(key).decode()}
            value[role] = {"keys": [*sorted([member, "other"])], "threshold": 1}
            loading.file(f"{role}-{name}", f"{comment[:-1]} among the {role}.",
                         signed(canonical(value), [loading.signers["root-a"]]), "unusable-signer")


def order(loading):
    """Which error comes first if several things are wrong."""
    who, row, keyset = loading.signers, loading.row, loading.keyset
    strange = {"roots": (["root-a", "root-b"], 2)}
    row("audience", "For another environment.", keyset("audience", audience="elsewhere"), "wrong-audience")
    row("audience-upper-case", "Byte for byte.", keyset("audience-upper-case", audience="Vectors"), "wrong-audience")
    row("audience-of-client", "Or the client is in another.", keyset("plain"), "wrong-audience", audience="vector")
    for count, more, expected in ((2048, "", ["alice"]), (2048, "x", KEYSET)):
        text = "\n" * count + more
        manifest = loading.theme.manifest(f"audience-{len(text)}", canonical(manifest_content(
            loading.theme.book.keys, [{"host": "example.com", "keys": ["leaf-1"]}], audience=text)))
        row(f"audience-escaped-{2 * count + len(more)}", "A text's bytes are counted as they are encoded.",
            keyset(f"audience-escaped-{len(text)}", audience=text), expected, manifest, "#the-signed-content", text)
    row("extension", "An extension that isn't known.", keyset("extension", critical=["delegations"]), "unknown-extension")
    row("audience-before-extension", "The audience is looked at first.",
        keyset("audience-before-extension", audience="elsewhere", critical=["delegations"]), "wrong-audience")
    bad = {"keys": {**content(who, **strange)["keys"], "alice": base64.b64encode(b"no key").decode()}}
    row("extension-before-keys", "Extensions come before keys.",
        keyset("extension-before-keys", critical=["delegations"], **strange, **bad), "unknown-extension")
    row("keys-before-signatures", "Keys come before signatures.", keyset("keys-before-signatures", **strange, **bad),
        "unusable-signer")
    row("content-before-signatures", "The content of the first one is read before its signatures are verified.",
        keyset("content-before-signatures", ["mallory"], version=0), KEYSET)
    row("audience-before-signatures", "So is its audience.",
        keyset("audience-before-signatures", ["mallory"], audience="elsewhere"), "wrong-audience")
    nonsense = loading.theme.file("keyset-loading-nonsense.json", b"nonsense")
    row("keyset-before-manifest", "A client whose keyset can't be trusted looks at no manifest.",
        keyset("signer-only", ["alice"]), FEW, nonsense)
