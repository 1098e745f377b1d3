"""The steps of rows about stores that have keysets."""

import keysets
from book import NOW, allow
from manifests import content as manifest_content

# The chain that matches the manifests of these rows.
GOOD = ["leaf-1", "int-1"]


class Steps:
    def __init__(self, theme):
        self.theme, self.signers = theme, theme.book.signers

    def row(self, identifier, comment, shipped, *steps, directory=False, section=None, client=None):
        self.theme.book.used_certificates.update(["root-1", "root-2"])
        self.theme.add(identifier, comment, {
            "client": client or {"keyset": shipped, "audience": "vectors"}, "anchors": ["root-1", "root-2"],
            "withoutManifest": "block", "directory": directory, "maximumLossPercent": 30, "steps": list(steps),
        }, section)

    def content(self, version=1, **options):
        return keysets.content(self.signers, version=version, **options)

    def keyset(self, name, version=1, signed_by=("root-a",), **options):
        return self.theme.keyset(name, self.content(version, **options), signed_by)

    def manifest(self, name, serial=1, signed_by=("alice",), **changes):
        hosts = [{"host": "example.com", "keys": ["leaf-1"]}]
        content = manifest_content(self.theme.book.keys, hosts, serial=serial, **changes)
        return self.theme.manifest(name, content, signed_by)

    @staticmethod
    def open(source="none", problems=(), embedded=None, at=NOW, keyset=None):
        """keyset: the one that is shipped from here on."""
        step = {"action": "open", "at": at, "embedded": embedded, "expected": {
            "source": source, "problems": list(problems)}}
        return step if keyset is None else {**step, "keyset": keyset}

    @staticmethod
    def walk(keyset, error=None, result="activated", at=NOW):
        return {"action": "update-keyset", "at": at, "keyset": keyset, "expected": refusal(error) or {"result": result}}

    @staticmethod
    def update(manifest, error=None, result="activated", at=NOW):
        return {"action": "update", "at": at, "manifest": manifest, "expected": refusal(error) or {"result": result}}

    def pinned(self, at=NOW):
        return {"action": "decide", "at": at, "handshake": self.theme.question(GOOD), "transport": "stands",
                "expected": allow("leaf-1", 0)}

    @staticmethod
    def status(
        keyset, source="none", serial=0, highest=None, freshness=None, expired=False, endorsed=True, at=NOW, now=None,
    ):
        """keyset: the trusted version."""
        return {"action": "status", "at": at, "expected": {
            "source": source, "serial": serial, "highestSerial": serial if highest is None else highest,
            "freshness": freshness or ("fresh" if serial else "none"), "now": now or at, "keyset": keyset,
            "keysetExpired": expired, "endorsed": endorsed}}


def refusal(error):
    return {"result": "refused", "error": error} if error else None
