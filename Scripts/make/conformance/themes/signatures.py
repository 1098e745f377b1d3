"""Whose signatures make a manifest valid."""

import base64

from book import FORMAT
from manifests import canonical, content, encoding, envelope, signed


def write(theme):
    theme.about("load", "Signatures: trusted keys, thresholds, what is signed, and what is no signature.",
                FORMAT + "#signatures")
    book = theme.book
    value = content(book.keys, [{"host": "example.com", "keys": ["leaf-1"]}])
    body = canonical(value)
    who = book.signers

    def row(identifier, comment, file, trusted, threshold, expected, section=None):
        if isinstance(expected, list):
            names = sorted(expected, key=lambda name: who[name].keyid)
            expected = {"result": "loaded", "serial": value["serial"], "signedBy": names}
        else:
            expected = {"result": "refused", "error": expected}
        theme.add(identifier, comment, {
            "client": {"signers": list(trusted), "threshold": threshold, "audience": "vectors"},
            "manifest": file, "maximumBytes": None, "expected": expected}, section)

    def by(*names):
        return theme.manifest("by-" + "-".join(names), body, names)

    few, wrong = "too-few-signatures", "invalid-signature"
    row("ed25519", "An Ed25519 key.", by("alice"), ["alice"], 1, ["alice"])
    row("p256", "An ECDSA key on P-256.", by("hsm"), ["hsm"], 1, ["hsm"])
    row("both-kinds", "One of each.", by("alice", "hsm"), ["alice", "hsm"], 2, ["alice", "hsm"])
    row("unknown-key", "A key that isn't trusted.", by("mallory"), ["alice"], 1, few)
    row("unknown-key-beside", "Its signature is passed over.", by("alice", "mallory"), ["alice"], 1, ["alice"])
    row("unknown-key-never-counts", "And never counts.", by("alice", "mallory"), ["alice", "bob"], 2, few)
    row("one-of-two", "One signature where two are asked for.", by("alice"), ["alice", "bob"], 2, few)
    row("one-of-two-enough", "One signature where one is asked for, of two keys.", by("alice"), ["alice", "bob"], 1,
        ["alice"])
    row("two-of-three", "Two of three keys.", by("alice", "carol"), ["alice", "bob", "carol"], 2, ["alice", "carol"])
    row("three-of-three", "All of three keys.", by("alice", "bob", "carol"), ["alice", "bob", "carol"], 3,
        ["alice", "bob", "carol"])
    row("more-than-needed", "More signatures than are needed.", by("alice", "bob", "carol"), ["alice", "bob", "carol"], 1,
        ["alice", "bob", "carol"])
    row("key-twice", "A trusted key that is given twice counts once.", by("alice"), ["alice", "alice"], 1, ["alice"])
    row("key-twice-beside", "Beside another one too.", by("alice", "bob"), ["alice", "bob", "alice"], 2, ["alice", "bob"])
    row("key-twice-once-short", "And its one signature is one.", by("alice"), ["alice", "bob", "alice"], 2, few)

    def file(identifier, pairs, data=body):
        return theme.file(f"{theme.name}-{identifier}.json", envelope(data, sorted(pairs)))

    def pair(name, message=None):
        return who[name].keyid, who[name].signature(encoding(body) if message is None else message)

    row("bare-bytes", "A signature over the signed bytes without the pre-authentication encoding.",
        file("bare-bytes", [pair("alice", body)]), ["alice"], 1, wrong)
    row("other-type", "A signature over another type.",
        file("other-type", [pair("alice", encoding(body, "application/json"))]), ["alice"], 1, wrong)
    changed = body.replace(b'"serial":1', b'"serial":2')
    row("changed", "A changed byte in what was signed.", file("changed", [pair("alice")], changed), ["alice"], 1, wrong)
    row("changed-two-signed", "However many signed it.", file("changed-two", [pair("alice"), pair("bob")], changed),
        ["alice", "bob"], 1, wrong)
    forged = (who["bob"].keyid, who["mallory"].signature(encoding(body)))
    row("wrong-beside-right", "A trusted key's signature that doesn't fit refuses the file, also where enough others do.",
        file("wrong-beside-right", [pair("alice"), forged]), ["alice", "bob"], 1, wrong)
    row("wrong-of-unknown-key", "One of a key that isn't trusted is passed over, right or wrong.",
        file("wrong-of-unknown", [pair("alice"), forged]), ["alice"], 1, ["alice"])
    row("exchanged", "Two signatures exchanged.", file("exchanged", [
        (who["alice"].keyid, pair("bob")[1]), (who["bob"].keyid, pair("alice")[1])]), ["alice", "bob"], 1, wrong)
    keyid, right = pair("alice")
    row("ed25519-short", "63 bytes.", file("ed25519-short", [(keyid, right[:-1])]), ["alice"], 1, wrong)
    row("ed25519-long", "65 bytes.", file("ed25519-long", [(keyid, right + b"\x00")]), ["alice"], 1, wrong)
    order = 2**252 + 27742317777372353535851937790883648493
    above = int.from_bytes(right[32:], "little") + order
    row("ed25519-malleable", "S increased by the order of the group (RFC 8032 section 5.1.7).",
        file("ed25519-malleable", [(keyid, right[:32] + above.to_bytes(32, "little"))]), ["alice"], 1, wrong)
    keyid, right = pair("hsm")
    row("p256-long-length", "A DER length in two bytes where one does.",
        file("p256-long-length", [(keyid, b"\x30\x81" + right[1:])]), ["hsm"], 1, wrong)
    row("p256-trailing-byte", "A byte behind the DER.", file("p256-trailing-byte", [(keyid, right + b"\x00")]), ["hsm"], 1,
        wrong)
    size = right[3]
    numbers = right[4:4 + size], right[6 + size:]
    raw = b"".join(number.lstrip(b"\x00").rjust(32, b"\x00") for number in numbers)
    row("p256-raw", "The two integers without DER.", file("p256-raw", [(keyid, raw)]), ["hsm"], 1, wrong)
    # Trusted keys.
    unusable = FORMAT + "#the-file"
    for name, comment in {
        "rsa": "Keys of other kinds don't sign manifests: RSA.", "p384": "ECDSA on P-384.", "ed448": "Ed448.",
        "hsm-compressed": "A key in another encoding than its one: a compressed point.",
        "alice-long-length": "A DER length in two bytes where one does.",
        "alice-trailing-byte": "A byte behind the DER.", "no-key": "Something else.",
    }.items():
        row(f"signer-{name}", comment, by("alice"), ["alice", name], 1, "unusable-signer", unusable)
    for threshold in (0, 2, 3):
        row(f"threshold-{threshold}", f"{threshold} signatures of one key can't be asked for.", by("alice"),
            ["alice", "alice"], threshold, "unusable-threshold", FORMAT + "#loading")
    row("no-signers", "No trusted key at all.", by("alice"), [], 1, "unusable-threshold", FORMAT + "#loading")
    # The order of loading.
    spoilt = body.replace(b'"serial":1', b'"serial": 1')
    row("parsed-after-verified", "Bytes that aren't verified aren't parsed: the signature is refused, not the content.",
        file("unsigned-nonsense", [pair("alice")], spoilt), ["alice"], 1, wrong, FORMAT + "#loading")
    row("parsed-when-verified", "Signed properly, the content is refused.",
        theme.file(f"{theme.name}-signed-nonsense.json", signed(spoilt, [who["alice"]])), ["alice"], 1,
        "malformed-manifest", FORMAT + "#loading")
    row("audience-after-signatures", "The audience is looked at behind the signatures.",
        file("audience", [pair("alice")], body.replace(b'"vectors"', b'"elsewhere"', 1)), ["alice"], 1, wrong,
        FORMAT + "#loading")
    # The list of signatures.
    whole = signed(body, [who["alice"], who["bob"]])
    item, other = ({"keyid": keyid, "sig": base64.b64encode(right).decode()} for keyid, right in
                   sorted([pair("alice"), pair("bob")]))

    def listed(identifier, comment, text, expected="malformed-file"):
        data = b'{"signatures":' + text + b',"signed":' + body + b"}"
        row(f"list-{identifier}", comment, theme.file(f"{theme.name}-list-{identifier}.json", data), ["alice", "bob"], 1,
            expected, FORMAT + "#the-file")

    listed("empty", "No signature.", b"[]")
    listed("unsorted", "Signatures that aren't sorted.", canonical([other, item]))
    listed("twice", "A key that signed twice.", canonical([item, item]))
    listed("space", "A space.", canonical([item]).replace(b'","', b'", "'))
    listed("other-order", "Fields in another order.",
           f'[{{"sig":"{item["sig"]}","keyid":"{item["keyid"]}"}}]'.encode())
    listed("unknown-field", "An unknown field.", canonical([{**item, "x": 1}]))
    listed("missing-field", "A missing field.", canonical([{"keyid": item["keyid"]}]))
    listed("upper-case", "A keyid in upper case.", canonical([{**item, "keyid": item["keyid"].upper()}]))
    listed("short-keyid", "A keyid of 63 digits.", canonical([{**item, "keyid": item["keyid"][:-1]}]))
    listed("empty-signature", "An empty signature.", canonical([{**item, "sig": ""}]))
    listed("unpadded", "Base64 without padding.", canonical([{**item, "sig": item["sig"].rstrip("=")}]))
    listed("url-safe", "Base64 in another alphabet.", canonical([{**item, "sig": "-_" + item["sig"][2:]}]))
    stray = item["sig"][:-3] + chr(ord(item["sig"][-3]) + 1) + "=="
    assert base64.b64decode(stray) == base64.b64decode(item["sig"])
    listed("stray-bits", "Bits behind the last byte that aren't zero.", canonical([{**item, "sig": stray}]))
    listed("null", "null in its place.", b"null")
    fillers = [{"keyid": f"{number:064x}", "sig": "AAAA"} for number in range(64)]
    listed("64", "64 signatures, most of them nobody's.",
           canonical(sorted([item, *fillers[:63]], key=lambda one: one["keyid"])),
           [name for name in ("alice", "bob") if who[name].keyid == item["keyid"]])
    listed("65", "65 signatures.", canonical(sorted([item, *fillers], key=lambda one: one["keyid"])))
    for identifier, comment, data in (
        ("line-break", "A line break behind the file.", whole + b"\n"),
        ("byte-order-mark", "A byte order mark.", b"\xef\xbb\xbf" + whole),
        ("space-first", "A space before the file.", b" " + whole), ("nothing", "No bytes.", b""),
        ("object", "An empty object.", b"{}"), ("cut-short", "The last byte is missing.", whole[:-1]),
        ("brace-more", "A closing brace too many, which makes it part of what is signed.", whole + b"}"),
        ("signed-first", "signed before signatures.", b'{"signed":' + body + b',"signatures":[]}'),
        ("field-more", "A field behind signed.", whole[:-1] + b',"x":1}'),
        ("signed-list", "signed is a list.", envelope(b"[]", [pair("alice", encoding(b"[]"))])),
    ):
        expected = wrong if identifier == "brace-more" else "malformed-file"
        row(f"file-{identifier}", comment, theme.file(f"{theme.name}-file-{identifier}.json", data), ["alice"], 1, expected,
            FORMAT + "#the-file")
