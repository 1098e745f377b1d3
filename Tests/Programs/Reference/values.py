"""Values for mutants, near the limits and rules of the formats."""

import re

NUMBERS = [0, 1, 2, 3, 64, 65, 1024, 1025, 65535, 65536, 65537, 2**53 - 1, 2**53, 2**63 - 1, 2**63, 10**17, -1, 0.5, 1e3]
HOSTS = [
    "example.com", "a.example.com", "b.a.example.com", "localhost", "0x", "a.0x", "a.0x1f", "a.0xg", "a.5", "10.0.0.5",
    "10.0.0.05", "10.0.0.256", "2001:db8::1", "2001:DB8::1", "::", "::1", "1::", "2001:0:0:1::1", "::ffff:10.0.0.5",
    "::10.0.0.5", "::ffff:0:0", "1:2:3:4:5:6:7:8", "1::3:4:5:6:7:8", "fe80::1%1", "[::1]", "xn--ls8h.la", "xn--0.example",
    "xn--.example", "-a.example", "a-.example", "a_b.example", "Example.com", "example.com.", "a..b", ".", "",
    "a" * 63 + ".example", "a" * 64 + ".example", ".".join(["b" * 61] * 4) + ".ab.de", ".".join(["b" * 61] * 4) + ".abc.de",
]
LABELS = [
    "host:x", "host:x:0", "host:x:1", "host:x:01", "host:x:65535", "host:x:65536", "host:x:", "host::x", "host:", "host:X",
    "host:x.", "host:x:1:1", "host:::1", "host:[::1]", "host:[::1]:1", "host:[::1]:0", "host:[::1:1", "host:::1]:1",
    "host:[x]:1", "host:[10.0.0.5]:1", "host:10.0.0.5", "host:10.0.0.5:80", "host:10.0.0.05", "host:0x:1", "host:a_b",
    "host:1:2:3:4:5:6:7:8", "host:[1:2:3:4:5:6:7:8]:99999", "host:-a", "hosts", "host", "host:[", "host:]", "host:[]:1",
]
TEXTS = [
    *HOSTS, *LABELS, "a", "é", "\u2028", "\U0001f4a9", "\u007f", "\u0000", "\n" * 2048, "\n" * 2048 + "x", "é" * 2048,
    "é" * 2048 + "x", "\u0001" * 682 + "abcd", "\u0001" * 682 + "abcde", "x" * 4096, "x" * 4097, "x" * 64, "x" * 65,
    "\"", "\\", "/", "0" * 40, "0" * 64, "f" * 64, "F" * 64, "g" * 64, "", " ", "AAAA", "AAA=", "AA==", "AB==", "A===",
    "AAAA====", "https://r.example/x", "urn:x", "https://" + "r" * 2040, "https://" + "r" * 2041, "2026-11-21T00:00:00Z",
    "2026-02-29T00:00:00Z", "2028-02-29T23:59:59Z", "1900-02-29T00:00:00Z", "2026-06-30T23:59:60Z", "0000-12-31T00:00:00Z",
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-11-21T24:00:00Z", "+026-11-21T00:00:00Z", "enforce", "report-only",
    "off", "unpinned", "block", "allow", "deny", "leaf", "intermediate", "root", "leaf-and-ca", "any", "1.2", "1.3", "1.1",
    "ecdsa", "eddsa", "rsa-pss", "rsa-pkcs1", "expired", "weak-key", "name-mismatch",
]
SHAPES = [
    re.compile(pattern) for pattern in (
        r"[+0-9]{4}-[0-9]{2}-[0-9]{2}T.*Z", "[0-9a-fA-Fg]{40,64}", "[A-Za-z0-9+/]{24,}={0,4}|A.*=", "host:.*", "https?:.*|urn:.*",
        "[a-z][a-z-]{2,15}", r"[a-zA-Z0-9.:_-]+")]
PIECES = [
    "", "a", "a", "b", "A", "0", "1", "-", "_", ".", ":", "[", "]", "é", "\n", "\"", "\\", "=", "xn--", "\u0001", "/"]
# All fields of the formats.
FIELDS = """
    active anchors audience backup certificate certificates commit compiler critical denied drastic-change exceptions expires
    failure host hosts include-subdomains intermediates issued key-set key-sets keys keyset-version minimum-ec-bits
    minimum-rsa-bits minimum-serial minimum-tls mode on-expiry on-stale pin port position previous provenance reason
    refresh-after reporting require roots serial serial-epoch server-name signatures signers sources system-anchors threshold
    trust type unpinned-hosts until version
""".split()
SPELLINGS = [
    (":1", ":01"), (":1", ":1.0"), (":1", ":1e0"), (":1", ":-1"), (":1", ":+1"), (":1", ":true"), (":0", ":-0"), (":0", ":00"),
    (":1", ':"1"'), (",", ", "), (":", ": "), ("{", "{ "), ("]", ",]"), ("}", ",}"), ("[", "[,"), ("\\n", "\\u000a"),
    ("\\u0001", "\\u0001\\u001F"), ("a", "\\u0061"), ("/", "\\/"), ("\"", "'"), ("\"", ""), (",", ""), (",", ",,"), ("}", "}\n"),
    ("e", "\\ud800"), ("e", "\\u00e9"), ("e", "\t"), ("\\", "\\\\"), ("Z", "z"), ("=", ""), ("A", "B"), ("+", "-"),
]
