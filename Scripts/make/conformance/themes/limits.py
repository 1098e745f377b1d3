"""Sizes: at the limit, and one more."""

import base64
import hashlib

from book import FORMAT
from manifests import canonical, content


def write(theme):
    theme.about("load", "The limits of the format and of the client, each met and each exceeded by one.",
                FORMAT + "#canonical-form")
    book = theme.book
    keys = {"leaf-1": book.keys["leaf-1"]}
    hosts = [{"host": "example.com", "keys": ["leaf-1"]}]

    def row(identifier, comment, value, fine, section="#canonical-form", maximum=None, name=None, error="malformed-manifest"):
        file = theme.manifest(name or identifier, value)
        theme.add(identifier, comment, {
            "client": theme.client, "manifest": file, "maximumBytes": maximum,
            "expected": {"result": "loaded", "serial": 1, "signedBy": ["alice"]} if fine
            else {"result": "refused", "error": error}}, FORMAT + section)

    small = content(keys, hosts)
    size = len(book.manifests[theme.manifest("size", small)])
    row("client-limit", "As many bytes as the client takes.", small, True, "#loading", size, "size")
    row("client-limit-exceeded", "One more.", small, False, "#loading", size - 1, "size", "too-large")
    row("client-limit-first", "The size comes before everything: what else is wrong isn't looked at.",
        canonical(small)[:-1] + b" }", False, "#loading", 16, error="too-large")

    def text(count):
        return {**small, "keys": {**small["keys"], "lost": {"pin": book.keys["spare"]["pin"], "denied": "x" * count}}}

    row("text-4096", "A text of 4096 bytes.", text(4096), True)
    row("text-4097", "4097 bytes.", text(4097), False)
    escaped = {**small, "keys": {**small["keys"], "lost": {**keys["leaf-1"], "denied": "\n" * 2048}}}
    row("text-escaped", "Texts are counted as encoded: 2048 line breaks are 4096 bytes.", escaped, True)
    escaped = {**small, "keys": {**small["keys"], "lost": {**keys["leaf-1"], "denied": "\n" * 2048 + "x"}}}
    row("text-escaped-exceeded", "One more.", escaped, False)
    for count, fine in ((64, True), (65, False)):
        row(f"name-{count}", f"A name of {count} characters.",
            {**small, "keys": {**small["keys"], "n" * count: keys["leaf-1"]}}, fine)
        row(f"critical-{count}", f"{count} extensions; none is known here.",
            {**small, "critical": [f"x{number:03}" for number in range(count)]}, False, "#the-signed-content",
            error="unknown-extension" if fine else "malformed-manifest")
    for count, fine in ((2048, True), (2049, False)):
        uri = "https://r.example/" + "p" * (count - 18)
        assert len(uri) == count
        row(f"uri-{count}", f"A report URI of {count} characters.",
            content(keys, [{**hosts[0], "reporting": 0}], reporting=[[uri]]), fine, "#the-signed-content")
    for count, fine in ((16, True), (17, False)):
        uris = [f"https://r.example/{number}" for number in range(count)]
        row(f"uris-{count}", f"{count} URIs in one list.",
            content(keys, [{**hosts[0], "reporting": 0}], reporting=[uris]), fine, "#the-signed-content")
    many = {f"k{number:04}": keys["leaf-1"] for number in range(1025)}
    for count, fine in ((1024, True), (1025, False)):
        names = [f"k{number:04}" for number in range(count)]
        row(f"keys-of-set-{count}", f"{count} keys in one set.", content(many, [{"host": "example.com", "keys": (
            names[:512], names[512:])}]), fine, "#keys-and-key-sets")
        exceptions = [{"certificate": f"{number:064x}", "failure": "expired", "reason": "x", "until": "2027-01-01T00:00:00Z"}
                      for number in range(count)]
        row(f"exceptions-{count}", f"{count} exceptions.", content(
            keys, [{**hosts[0], "trust": {"exceptions": exceptions}}]), fine, "#trust")
    for count, fine in ((65536, True), (65537, False)):
        der = bytes(count)
        carried = {hashlib.sha256(der).hexdigest(): base64.b64encode(der).decode()}
        row(f"certificate-{count}", f"A certificate of {count} bytes, which is none.", content(
            keys, hosts, certificates=carried), False, "#the-signed-content",
            error="wrong-certificate" if fine else "malformed-manifest")
