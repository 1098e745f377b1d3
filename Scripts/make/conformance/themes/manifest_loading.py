"""The canonical form of the signed content."""

import base64
import copy
import hashlib

from book import FORMAT
from manifests import canonical, content

SECTIONS = {"form": "#canonical-form", "content": "#the-signed-content", "hosts": "#hosts", "trust": "#trust",
            "keys": "#keys-and-key-sets", "loading": "#loading"}


def write(theme):
    theme.about("load", "The one canonical encoding: what is accepted, and one mistake each. All files are signed properly.",
                FORMAT + "#canonical-form")
    book = theme.book
    first, second = sorted(book.print(name) for name in ("root-3", "int-3"))
    base = content(
        {**{name: book.keys[name] for name in ("leaf-1", "int-1", "spare")},
         "lost": {**book.keys["leaf-2"], "denied": "lost \"é\" \\ \u0001\n"},
         "top": {**book.keys["root-1"], "position": "root"}},
        [{"host": "example.com", "subs": True, "keys": (["int-1", "leaf-1"], ["spare"]), "reporting": 0,
          "expires": "2027-01-01T00:00:00Z", "on-expiry": "block", "require": "leaf-and-ca",
          "trust": {"anchors": [first, second], "minimum-tls": "1.3", "exceptions": [
              {"certificate": first, "failure": "expired", "reason": "late", "until": "2027-01-01T00:00:00Z"}]}},
         {"host": "example.com", "port": 8443, "keys": ["top"]}, {"host": "off.example.com", "mode": "off"},
         {"host": "10.0.0.5", "keys": ["top"]}],
        certificates=book.carried("root-3", "int-3"), reporting=[["https://r.example/1"]], serial=7,
        **{"previous": hashlib.sha256(b"previous").hexdigest()})
    text = canonical(base)
    places = {host["host"] + str(host.get("port", "")): number for number, host in enumerate(base["hosts"])}
    host, ported, off = places["example.com"], places["example.com8443"], places["off.example.com"]
    address = places["10.0.0.5"]

    def row(identifier, comment, body, error=None, section="form", client=None, maximum=None):
        if isinstance(body, bytes):
            serial = base["serial"]
        else:
            serial, body = body.get("serial"), canonical(body)
        file = theme.manifest(identifier, body)
        expected = ({"result": "refused", "error": error} if error
                    else {"result": "loaded", "serial": serial, "signedBy": ["alice"]})
        theme.add(identifier, comment, {"client": client or theme.client, "manifest": file, "maximumBytes": maximum,
                                        "expected": expected}, FORMAT + SECTIONS[section])
        return file

    def changed(path, value):
        """The manifest with one value replaced, added, or, for None, left out."""
        result = copy.deepcopy(base)
        place = result
        for step in path[:-1]:
            place = place[step]
        if value is None:
            del place[path[-1]]
        else:
            place[path[-1]] = value
        return result

    bad = "malformed-manifest"

    def good(identifier, comment, path, value, section="content"):
        row(identifier, comment, changed(path, value), None, section)

    def refuse(identifier, comment, path, value, section="content"):
        row(identifier, comment, changed(path, value), bad, section)

    def spell(identifier, comment, old, new, section="form"):
        assert text.count(old) >= 1, old
        row(identifier, comment, text.replace(old, new, 1), bad, section)

    plain = row("everything", "Nearly every field.", base)
    row("empty", "No host, no key.", content({}, []))
    # Notation.
    serial = b'"serial":7'
    spell("space", "A space behind a colon.", serial, b'"serial": 7')
    spell("line-break", "A line break between fields.", b"," + serial, b",\n" + serial)
    spell("leading-zero", "A number with a leading zero.", serial, b'"serial":07')
    spell("fraction", "A number with a fraction.", serial, b'"serial":7.0')
    spell("exponent", "A number with an exponent.", serial, b'"serial":7e0')
    spell("negative", "A negative number.", serial, b'"serial":-7')
    spell("plus", "A number with a sign.", serial, b'"serial":+7')
    spell("number-as-text", "A number as a string.", serial, b'"serial":"7"')
    spell("true", "A Boolean.", b'"include-subdomains":1', b'"include-subdomains":true')
    spell("null", "null.", b'"on-stale":"enforce"', b'"on-stale":null')
    spell("repeated-field", "A field that stands twice.", serial, serial + b"," + serial)
    spell("other-order", "Two fields in another order.", serial + b',"type":"' + base["type"].encode() + b'"',
          b'"type":"' + base["type"].encode() + b'",' + serial)
    spell("trailing-comma", "A comma behind the last item.", b'["int-1","leaf-1"]', b'["int-1","leaf-1",]')
    spell("trailing-bytes", "Bytes behind the object.", b'"version":1}', b'"version":1} }')
    spell("needless-escape", "An escape that isn't needed.", b'"late"', b'"l\\u0061te"')
    spell("escaped-slash", "A slash with a backslash.", b"https://r", b"https:\\/\\/r")
    spell("escape-upper-case", "An escape in upper case.", b"\\u0001", b"\\u001F")
    spell("escape-long", "An escape in its long form where there is a short one.", b"\\n", b"\\u000a")
    spell("control-character", "A control character as it is.", b"\\n", b"\n")
    spell("utf-8-overlong", "UTF-8 that is longer than it needs to be.", b'"late"', b'"l\xc1\xa1te"')
    spell("utf-8-surrogate", "Half of a surrogate pair in UTF-8.", b'"late"', b'"\xed\xa0\x80"')
    spell("utf-8-cut", "UTF-8 that ends too early.", b'"late"', b'"\xc3"')
    spell("latin-1", "Another encoding.", b'"late"', b'"\xe9"')
    good("utf-8", "Characters outside ASCII as they are.", ("keys", "lost", "denied"), "\u00e9\u2028\U0001d11e\u007f", "form")
    # Header.
    for name in ("audience", "expires", "hosts", "issued", "key-sets", "keys", "on-stale", "provenance", "refresh-after",
                 "serial", "type", "unpinned-hosts", "version"):
        refuse(f"missing-{name}", f"The field {name} is missing.", (name,), None)
    refuse("unknown-field", "A field that the format doesn't have.", ("surplus",), 1)
    refuse("unknown-field-of-host", "The same in a host entry.", ("hosts", host, "weight"), 1, "hosts")
    refuse("version-2", "Another version of the format.", ("version",), 2)
    refuse("other-type", "Another type.", ("type",), "application/vnd.pintle.manifest.v2+json")
    refuse("serial-0", "Serials begin with 1.", ("serial",), 0)
    good("serial-1", "The least serial.", ("serial",), 1)
    good("serial-greatest", "The greatest serial.", ("serial",), 2**53 - 1)
    refuse("serial-too-great", "One more.", ("serial",), 2**53)
    refuse("empty-audience", "An empty audience.", ("audience",), "")
    for field in ("on-stale",):
        for action in ("enforce", "report-only", "unpinned", "block"):
            good(f"{field}-{action}", "An action.", (field,), action)
        refuse(f"{field}-unknown", "No action.", (field,), "ignore")
    refuse("unpinned-hosts-unknown", "Neither allow nor deny.", ("unpinned-hosts",), "block")
    refuse("previous-short", "A digest of 63 digits.", ("previous",), "0" * 63)
    refuse("previous-upper-case", "A digest in upper case.", ("previous",), "A" * 64)
    good("commit-40", "A commit of 40 digits.", ("provenance", "commit"), "0" * 40)
    good("commit-64", "A commit of 64 digits.", ("provenance", "commit"), "f" * 64)
    refuse("commit-41", "A commit of 41 digits.", ("provenance", "commit"), "0" * 41)
    # Instants.
    for identifier, comment, instant in (
        ("date", "A date alone.", "2026-11-01"), ("offset", "An offset.", "2026-11-01T00:00:00+00:00"),
        ("lower-case", "Letters in lower case.", "2026-11-01t00:00:00z"), ("fraction", "A fraction.", "2026-11-01T00:00:00.0Z"),
        ("leap-second", "A leap second.", "2016-12-31T23:59:60Z"), ("hour-24", "Hour 24.", "2026-11-01T24:00:00Z"),
        ("day-30-of-february", "A day that isn't there.", "2026-02-30T00:00:00Z"),
        ("day-29-of-february", "A leap day in another year.", "2026-02-29T00:00:00Z"),
        ("month-13", "Month 13.", "2025-13-01T00:00:00Z"), ("year-0", "The year 0.", "0000-01-01T00:00:00Z"),
    ):
        refuse(f"instant-{identifier}", comment, ("issued",), instant, "form")
    good("instant-leap-day", "A leap day.", ("issued",), "2024-02-29T23:59:59Z", "form")
    good("instant-year-1", "The year 1.", ("issued",), "0001-01-01T00:00:00Z", "form")
    good("instant-year-9999", "The year 9999.", ("expires",), "9999-12-31T23:59:59Z", "form")
    good("instants-equal", "issued, refresh-after and expires at once.", ("refresh-after",), base["issued"])
    refuse("refresh-before-issued", "refresh-after before issued.", ("refresh-after",), "2026-10-31T23:59:59Z")
    refuse("refresh-after-expires", "refresh-after behind expires.", ("refresh-after",), "2027-01-01T00:00:01Z")
    good("refresh-at-expires", "refresh-after at expires.", ("refresh-after",), "2027-01-01T00:00:00Z")
    # Hosts.
    for identifier, comment, name in (
        ("upper-case", "A host in upper case.", "Off.example.com"), ("trailing-dot", "A trailing dot.", "off.example.com."),
        ("empty-label", "An empty label.", "off..example.com"), ("underscore", "An underscore.", "o_f.example.com"),
        ("hyphen-first", "A hyphen at a label's edge.", "-off.example.com"), ("wildcard", "A pattern.", "*.off.example.com"),
        ("u-label", "A U-label.", "off.b\u00fccher.example"), ("empty", "No host.", ""),
        ("number", "A last label of digits.", "off.5"), ("hexadecimal", "Of 0x and hexadecimal digits.", "off.0x5"),
        ("0x", "Of 0x alone, which URL parsers read as 0.", "off.0x"),
        ("label-64", "A label of 64 octets.", "o" * 64), ("port", "A port.", "off.example.com:443"),
        ("ipv6-upper-case", "An address in another form.", "2001:DB8::1"),
        ("ipv6-in-full", "Zeros written out.", "2001:db8:0:0:0:0:0:1"), ("ipv6-brackets", "Brackets.", "[2001:db8::1]"),
        ("ipv4-mapped", "An IPv4-mapped address.", "::ffff:10.0.0.9"), ("ipv4-octal", "A leading zero.", "10.0.0.09"),
        ("ipv6-one-group", "A single group of zeros cut.", "2001:db8:1:1:1:1::1"),
        ("ipv6-later-run", "The second of two equal runs cut.", "2001:0:0:1::1"),
    ):
        refuse(f"host-{identifier}", comment, ("hosts", off, "host"), name, "hosts")
    good("host-label-63", "A label of 63 octets.", ("hosts", off, "host"), "o" * 63, "hosts")
    good("host-a-label", "An A-label.", ("hosts", off, "host"), "off.xn--bcher-kva.example", "hosts")
    good("host-a-label-symbol", "An A-label for a symbol, which IDNA2008 doesn't have.", ("hosts", off, "host"),
         "off.xn--ls8h.la", "hosts")
    good("host-a-label-undecodable", "A-labels aren't decoded: this one stands for nothing.", ("hosts", off, "host"),
         "off.xn--0.example", "hosts")
    by_host = sorted(base["hosts"], key=lambda entry: (entry["host"].encode(), entry.get("port", 0)))
    assert by_host == base["hosts"]
    refuse("hosts-unsorted", "Hosts that aren't sorted.", ("hosts",), base["hosts"][::-1], "hosts")
    refuse("hosts-twice", "A host that stands twice.", ("hosts",), [base["hosts"][0], *base["hosts"]], "hosts")
    exchanged = [*base["hosts"]]
    exchanged[host], exchanged[ported] = exchanged[ported], exchanged[host]
    refuse("hosts-port-first", "The entry without a port comes first.", ("hosts",), exchanged, "hosts")
    for port, fine in ((1, True), (65535, True), (0, False), (65536, False)):
        (good if fine else refuse)(f"port-{port}", f"Port {port}.", ("hosts", ported, "port"), port, "hosts")
    refuse("subdomains-0", "A default that is written out.", ("hosts", host, "include-subdomains"), 0, "hosts")
    refuse("subdomains-of-address", "An address has no subdomains.", ("hosts", address, "include-subdomains"), 1, "hosts")
    refuse("mode-unknown", "No mode.", ("hosts", host, "mode"), "warn", "hosts")
    refuse("mode-missing", "Without a mode.", ("hosts", host, "mode"), None, "hosts")
    refuse("key-set-missing", "An entry that pins needs a key set.", ("hosts", ported, "key-set"), None, "hosts")
    refuse("key-set-undefined", "A key set that isn't there.", ("hosts", ported, "key-set"), "nobody", "hosts")
    refuse("expires-alone", "expires without on-expiry.", ("hosts", ported, "expires"), "2027-01-01T00:00:00Z", "hosts")
    refuse("on-expiry-alone", "on-expiry without expires.", ("hosts", ported, "on-expiry"), "block", "hosts")
    refuse("on-expiry-unknown", "No action.", ("hosts", host, "on-expiry"), "ignore", "hosts")
    refuse("require-unknown", "A requirement that isn't known.", ("hosts", host, "require"), "any", "hosts")
    for field, value in (("key-set", base["hosts"][ported]["key-set"]), ("reporting", 0), ("require", "leaf-and-ca"),
                         ("trust", {"minimum-tls": "1.3"}), ("expires", "2027-01-01T00:00:00Z")):
        refuse(f"off-with-{field}", f"{field} has no effect with mode off.", ("hosts", off, field), value, "hosts")
    good("off-with-subdomains", "What mode off may have.", ("hosts", off, "include-subdomains"), 1, "hosts")
    # Reporting.
    refuse("reporting-dangling", "An index beyond the list.", ("hosts", host, "reporting"), 1)
    refuse("reporting-unused", "A list that no entry refers to.", ("hosts", host, "reporting"), None)
    refuse("reporting-empty-list", "A list without URIs.", ("reporting",), [[]])
    refuse("reporting-space", "A URI with a space.", ("reporting",), [["https://r.example/a b"]])
    refuse("reporting-unsorted", "Lists that aren't sorted.", ("reporting",), [["https://r.example/2"], ["https://r.example/1"]])
    for identifier, comment, uris in (
        ("http", "A URI that isn't https: a reader asks for its form only.", ["http://r.example/1"]),
        ("user", "A URI with a user name.", ["https://user@r.example/1"]),
        ("word", "What is no URI at all.", ["r"]),
        ("twice", "A URI that stands in its list twice: the list is in order of preference.", ["urn:r", "urn:r"]),
    ):
        good(f"reporting-{identifier}", comment, ("reporting",), [uris])
    # Trust.
    trust = ("hosts", host, "trust")
    refuse("trust-empty", "A trust that says nothing.", trust, {}, "trust")
    refuse("trust-unknown-field", "An unknown field.", (*trust, "revocation"), 1, "trust")
    refuse("anchors-empty", "An empty list.", (*trust, "anchors"), [], "trust")
    refuse("anchors-unsorted", "A list that isn't sorted.", (*trust, "anchors"), [second, first], "trust")
    refuse("anchors-twice", "An item that stands twice.", (*trust, "anchors"), [first, first], "trust")
    refuse("anchors-dangling", "A certificate that isn't there.", (*trust, "anchors"), ["0" * 64], "trust")
    refuse("intermediates-dangling", "A certificate that isn't there.", (*trust, "intermediates"), ["0" * 64], "trust")
    refuse("certificate-dangling", "A certificate that isn't there.", (*trust, "certificate"), "0" * 64, "trust")
    good("exception-of-other-certificate", "An exception's certificate needn't be carried.",
         (*trust, "exceptions", 0, "certificate"), "0" * 64, "trust")
    exception = base["hosts"][host]["trust"]["exceptions"][0]
    refuse("exception-unknown", "A failure that can't be excused.", (*trust, "exceptions", 0, "failure"), "unknown-issuer",
           "trust")
    for field in ("certificate", "failure", "reason", "until"):
        refuse(f"exception-without-{field}", f"An exception without {field}.", (*trust, "exceptions", 0, field), None, "trust")
    refuse("exceptions-unsorted", "Exceptions that aren't sorted.", (*trust, "exceptions"),
           [{**exception, "failure": "weak-key"}, exception], "trust")
    refuse("exceptions-twice", "Two for the same failure of one certificate.", (*trust, "exceptions"),
           [exception, {**exception, "reason": "later"}], "trust")
    refuse("system-anchors-1", "A default that is written out.", (*trust, "system-anchors"), 1, "trust")
    good("system-anchors-0", "The system's anchors don't count.", (*trust, "system-anchors"), 0, "trust")
    refuse("minimum-tls-unknown", "TLS 1.1 can't be asked for.", (*trust, "minimum-tls"), "1.1", "trust")
    for field in ("minimum-rsa-bits", "minimum-ec-bits"):
        for bits, fine in ((1, True), (65536, True), (0, False), (65537, False)):
            (good if fine else refuse)(f"{field}-{bits}", f"{bits} bits.", (*trust, field), bits, "trust")
    refuse("server-name-upper-case", "A name that isn't canonical.", (*trust, "server-name"), "Other.example", "trust")
    refuse("signatures-unsorted", "Families that aren't sorted.", (*trust, "signatures"), ["rsa-pss", "ecdsa"], "trust")
    refuse("signatures-unknown", "An unknown family.", (*trust, "signatures"), ["dsa"], "trust")
    # Keys and key sets.
    refuse("pin-31-bytes", "A pin of 31 bytes.", ("keys", "top", "pin"), base64.b64encode(bytes(31)).decode(), "keys")
    pin = base["keys"]["top"]["pin"]
    refuse("pin-stray-bits", "Bits behind the last byte.", ("keys", "top", "pin"), pin[:-2] + chr(ord(pin[-2]) + 1) + "=", "keys")
    refuse("pin-hexadecimal", "A pin in hexadecimal.", ("keys", "top", "pin"), "0" * 64, "keys")
    refuse("pin-prefix", "A pin as policies write it.", ("keys", "top", "pin"), "sha256/" + pin, "keys")
    refuse("pin-missing", "A key without a pin.", ("keys", "top", "pin"), None, "keys")
    refuse("position-unknown", "No position.", ("keys", "top", "position"), "anchor", "keys")
    refuse("denied-empty", "A denial without a reason.", ("keys", "lost", "denied"), "", "keys")
    refuse("key-name-upper-case", "A name in upper case.", ("keys", "Top"), base["keys"]["top"], "keys")
    refuse("key-name-empty", "An empty name.", ("keys", ""), base["keys"]["top"], "keys")
    good("key-unused", "A key that nothing refers to.", ("keys", "unused"), base["keys"]["top"], "keys")
    sets = ("key-sets", "host:example.com")
    refuse("set-undefined-key", "A key that isn't there.", (*sets, "backup"), ["nobody"], "keys")
    refuse("set-unsorted", "Keys that aren't sorted.", (*sets, "active"), ["leaf-1", "int-1"], "keys")
    refuse("set-without-keys", "A set without keys.", sets, {"active": [], "backup": []}, "keys")
    good("set-of-backups", "A set of backup keys only.", sets, {"active": [], "backup": ["spare"]}, "keys")
    refuse("set-without-backup", "Both lists are always there.", (*sets, "backup"), None, "keys")
    good("set-unused", "A set that nothing refers to.", ("key-sets", "unused"), {"active": ["top"], "backup": []}, "keys")
    good("set-key-in-both-lists", "A key that is active and backup.", sets, {"active": ["top"], "backup": ["top"]}, "keys")
    for identifier, label in (
        ("no-entry", "nobody.example"), ("port", "nobody.example:65535"), ("ipv4", "10.0.0.9"), ("ipv4-port", "10.0.0.9:1"),
        ("ipv6", "2001:db8::9"), ("ipv6-port", "[2001:db8::9]:8443"),
    ):
        good(f"set-label-{identifier}", "A label that an entry could have, though none has.", (
            "key-sets", f"host:{label}"), {"active": ["top"], "backup": []}, "keys")
    for identifier, comment, label in (
        ("port-0", "Port 0.", "x.example:0"), ("port-01", "A port with a leading zero.", "x.example:01"),
        ("port-65536", "Port 65536.", "x.example:65536"), ("port-empty", "A colon without a port.", "x.example:"),
        ("empty", "No label.", ""), ("upper-case", "A host in upper case.", "X.example"),
        ("trailing-dot", "A trailing dot.", "x.example."), ("underscore", "An underscore.", "x_y.example"),
        ("number", "A last label that is a number.", "x.0x"), ("two-ports", "Two ports.", "x.example:1:2"),
        ("brackets", "Brackets without a port.", "[2001:db8::9]"), ("brackets-name", "Brackets around a name.", "[x.example]:1"),
        ("brackets-ipv4", "Brackets around an IPv4 address.", "[10.0.0.9]:1"),
        ("ipv6-upper-case", "An address that isn't canonical.", "2001:DB8::9"),
    ):
        refuse(f"set-label-{identifier}", f"No label of an entry: {comment[0].lower()}{comment[1:]}", (
            "key-sets", f"host:{label}"), {"active": ["top"], "backup": []}, "keys")
    # Audience, extensions, certificates.
    for identifier, comment, audience in (
        ("control", "Any text may be an audience, with control characters too.", "vec\u0001tors"),
        ("4096", "4096 bytes as encoded: an escape counts as it is written, the quotation marks don't.", "\n" * 2048),
    ):
        row(f"audience-{identifier}", comment, changed(("audience",), audience), None, "content",
            {**theme.client, "audience": audience})
    row("audience-4097", "One more.", changed(("audience",), "\n" * 2048 + "x"), bad, "content",
        {**theme.client, "audience": "\n" * 2048 + "x"})
    for identifier, comment, audience in (
        ("other", "Another environment's manifest.", "production"), ("case", "Compared byte for byte.", "Vectors"),
        ("prefix", "In full.", "vector"), ("space", "As it is.", "vectors "), ("empty", "No audience matches none.", ""),
    ):
        theme.add(f"audience-{identifier}", comment, {
            "client": {**theme.client, "audience": audience}, "manifest": plain, "maximumBytes": None,
            "expected": {"result": "refused", "error": "wrong-audience"}}, FORMAT + "#loading")
    composed = theme.manifest("audience-composed", canonical(changed(("audience",), "caf\u00e9")))
    for identifier, audience, fine in (("composed", "caf\u00e9", True), ("decomposed", "cafe\u0301", False)):
        theme.add(f"audience-{identifier}", "Texts that look the same and are written otherwise are different.", {
            "client": {**theme.client, "audience": audience}, "manifest": composed, "maximumBytes": None,
            "expected": {"result": "loaded", "serial": 7, "signedBy": ["alice"]} if fine
            else {"result": "refused", "error": "wrong-audience"}}, FORMAT + "#loading")
    row("critical", "An extension that version 1 doesn't know.", changed(("critical",), ["quantum"]), "unknown-extension",
        "loading")
    refuse("critical-empty", "An empty list.", ("critical",), [])
    refuse("critical-unsorted", "A list that isn't sorted.", ("critical",), ["b", "a"])
    row("critical-other-audience", "The audience comes before the extensions.", {
        **changed(("critical",), ["quantum"]), "audience": "elsewhere"}, "wrong-audience", "loading")
    carried = base["certificates"]
    row("certificate-exchanged", "A certificate under another's digest.", changed(
        ("certificates",), {first: carried[second], second: carried[first]}), "wrong-certificate", "loading")
    nothing = base64.b64encode(b"no certificate").decode()
    row("certificate-none", "Bytes that are no certificate, under their own digest.", changed(
        ("certificates", hashlib.sha256(b"no certificate").hexdigest()), nothing), "wrong-certificate", "loading")
    row("certificate-wrong-and-audience", "The audience comes before the certificates.", {
        **changed(("certificates",), {first: carried[second], second: carried[first]}), "audience": "elsewhere"},
        "wrong-audience", "loading")
    refuse("certificates-empty", "An object that may be absent and is empty.", ("certificates",), {})
    refuse("certificate-empty", "A certificate without bytes.", ("certificates", first), "")
    good("certificate-unused", "A certificate that nothing refers to.", ("certificates", book.print("root-2")),
         book.carried("root-2")[book.print("root-2")])
    for name, at in (("expired", "2026-01-01T00:00:00Z"), ("refresh", "2026-11-01T00:00:00Z")):
        value = {**base, "issued": "2025-01-01T00:00:00Z", "refresh-after": "2025-06-01T00:00:00Z",
                 "expires": at if name == "expired" else base["expires"]}
        row(f"freshness-{name}", "Freshness doesn't refuse a manifest.", value, None, "loading")
