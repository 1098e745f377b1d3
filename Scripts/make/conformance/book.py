"""Collects the vectors of all themes and lays out the files."""

import base64
import collections
import importlib
import json

import keysets
import manifests
import world

THEMES = [
    "host_names", "entry_selection", "order_of_decision", "positions", "requirement", "clocks", "unpinned_hosts",
    "trust", "strength", "key_encodings", "name_constraints", "customised_trust", "exceptions", "denials", "clients", "post_quantum",
    "transports", "signatures", "signature_forms", "manifest_loading", "limits", "updates",
    "keyset_loading", "keyset_rotation", "keyset_versions", "keyset_manifests",
]
NOW = "2026-11-21T00:00:00Z"
FORMAT = "docs/manifest-format.md"
VALIDATION = "docs/validation.md"
UPDATES = "docs/updates.md"
KEYSETS = "docs/keyset-format.md"


class Book:
    def __init__(self):
        self.certificates = world.all_certificates()
        self.signers = world.all_signers()
        self.unusable = world.unusable_signers(self.signers)
        self.keys = {
            name: {"pin": world.pin(certificate.key.spki)}
            for name, certificate in self.certificates.items() if certificate.key
        }
        self.keys["spare"] = {"pin": world.pin(b"spare")}
        self.manifests, self.keysets, self.used_certificates, self.themes = {}, {}, set(), {}
        for name in THEMES:
            theme = Theme(self, name.replace("_", "-"))
            importlib.import_module("themes." + name).write(theme)
            self.themes[theme.name] = theme

    def print(self, certificate):
        return self.certificates[certificate].fingerprint

    def carried(self, *names):
        """The manifest's `certificates`."""
        return {self.print(name): base64.b64encode(self.certificates[name].der).decode() for name in names}

    def files(self):
        listed = {
            name: {"der": base64.b64encode(certificate.der).decode(), "sha256": certificate.fingerprint}
            for name, certificate in self.certificates.items() if name in self.used_certificates
        }
        unused = self.certificates.keys() - self.used_certificates
        assert not unused, f"no vector is about {sorted(unused)}"
        files = {"certificates.json": text({"format": 1, "certificates": listed})}
        keys = {name: signer.spki for name, signer in self.signers.items()} | self.unusable
        assert len(set(keys.values())) == len(keys), "a key has two names"
        spkis = {name: base64.b64encode(spki).decode() for name, spki in keys.items()}
        files["signers.json"] = text({"format": 1, "signers": spkis})
        of_themes = {name: dict.fromkeys(named(theme.rows)) for name, theme in self.themes.items()}
        uses = collections.Counter(file for names in of_themes.values() for file in names)
        made = {(kind, name) for kind in FILES.values() for name in getattr(self, kind)}
        assert uses.keys() == made, f"made, or named by a row, but not both: {sorted(uses.keys() ^ made)}"
        files["shared.json"] = text({"format": 1, **self.contents(sorted(file for file in uses if uses[file] > 1))})
        for name, theme in self.themes.items():
            own = self.contents(file for file in of_themes[name] if uses[file] == 1)
            files[f"{name}.json"] = text({**theme.value(), **own})
        return files

    def contents(self, files):
        """The manifests and keysets of these names, as a file of vectors has them."""
        result = {"manifests": {}, "keysets": {}}
        for kind, name in files:
            result[kind][name] = content(getattr(self, kind)[name])
        return result


# The fields of rows that name a manifest or a keyset.
FILES = {"manifest": "manifests", "embedded": "manifests", "keyset": "keysets"}


def named(value):
    """The manifests and keysets that rows name, in their order."""
    if isinstance(value, dict):
        for field, inner in value.items():
            if field in FILES and isinstance(inner, str):
                yield FILES[field], inner
            else:
                yield from named(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from named(inner)


def content(data):
    """The bytes of a manifest or keyset, readable if they are text."""
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def text(value):
    return (json.dumps(value, indent=1, ensure_ascii=True) + "\n").encode()


class Theme:
    def __init__(self, book, name):
        self.book, self.name, self.rows, self.kind = book, name, [], None
        self.section = FORMAT
        self.manifest_name = None
        self.client = {"signers": ["alice"], "threshold": 1, "audience": "vectors"}

    def about(self, kind, about, section):
        self.kind, self.text, self.section = kind, about, section

    def value(self):
        assert len({row["id"] for row in self.rows}) == len(self.rows), self.name
        return {"format": 1, "theme": self.name, "kind": self.kind, "about": self.text, "vectors": self.rows}

    def manifest(self, name, content, signers=("alice",)):
        """Adds a manifest: a value or signed bytes, and its signers; returns its name."""
        name = f"{self.name}-{name}.json"
        body = content if isinstance(content, bytes) else manifests.canonical(content)
        return self.file(name, manifests.signed(body, [self.book.signers[signer] for signer in signers]))

    def file(self, name, data):
        assert self.book.manifests.setdefault(name, data) == data, name
        return name

    def keyset(self, name, content, signed_by=("root-a",)):
        """Adds a keyset: a value or signed bytes, and its signers; returns its name."""
        body = content if isinstance(content, bytes) else manifests.canonical(content)
        return self.keyset_file(name, keysets.signed(body, [self.book.signers[signer] for signer in signed_by]))

    def keyset_file(self, name, data):
        name = f"{self.name}-{name}.json"
        assert self.book.keysets.setdefault(name, data) == data, name
        return name

    def add(self, identifier, comment, fields, section=None):
        self.rows.append({"id": identifier, "comment": comment, "section": section or self.section, **fields})

    def question(self, served=(), host="example.com", port=443, tls="1.3", peer="server"):
        served = [served] if isinstance(served, str) else list(served)
        self.book.used_certificates.update(served)
        return {"peer": peer, "host": host, "port": port, "certificates": served, "tlsVersion": tls}

    def decide(
        self, identifier, comment, manifest, served, expected, *, at=NOW, anchors=("root-1", "root-2"),
        transport="stands", section=None, expected_by=None, **question,
    ):
        self.book.used_certificates.update(anchors)
        self.add(identifier, comment, {
            "client": self.client, "manifest": manifest, "anchors": list(anchors),
            "handshake": self.question(served, **question), "instant": at, "transport": transport,
            "expected": expected, **({"expectedBy": expected_by} if expected_by else {}),
        }, section)


# Expected answers. The order of events is that of docs/manifest-format.md.
EVENTS = [
    "no-entry", "excluded", "invalid-host", "entry-expired", "refresh-due", "manifest-stale", "report-only",
    "untrusted", "denied-key", "mismatch", "exception-used", "backup-key-matched", "unreadable-chain", "no-manifest",
]
DISPOSITIONS = {"allow": "useCredential", "block": "cancel", "notPinned": "performDefaultHandling"}


def answer(verdict, reason, step, entry, events, disposition=None, **more):
    return {
        "verdict": verdict, "reason": reason, "step": step, "entry": entry,
        "events": sorted(set(events), key=EVENTS.index), "disposition": disposition or DISPOSITIONS[verdict], **more,
    }


def match(key, certificate):
    return {"key": key, "certificate": certificate}


def allow(key, certificate, entry="example.com", events=(), **more):
    return answer("allow", "matched", 4, entry, events, match=match(key, certificate), **more)


def allow_both(leaf, authority, entry="example.com", events=(), **more):
    return answer("allow", "matched-both", 4, entry, events, leaf=leaf, authority=authority, **more)


def mismatch(entry="example.com", events=(), kind="no-key", **more):
    return answer("block", "mismatch", 5, entry, [*events, "mismatch"], mismatch=kind, **more)


def reported(entry="example.com", events=(), kind="no-key", **more):
    return answer("allow", "mismatch-reported", 5, entry, ["report-only", *events, "mismatch"], mismatch=kind, **more)


def untrusted(failure, certificate=None, entry="example.com", events=()):
    return answer(
        "block", "untrusted", 2, entry, [*events, "untrusted"], failure={"code": failure, "certificate": certificate})


def denied(key, certificate, entry="example.com", events=()):
    return answer("block", "denied-key", 3, entry, [*events, "denied-key"], match=match(key, certificate))


def no_entry(**more):
    return answer("notPinned", "no-entry", 1, None, ["no-entry"], **more)


def off(entry, **more):
    return answer("notPinned", "off", 1, entry, ["excluded"], **more)


def invalid_host(events=()):
    return answer("block", "invalid-host", 1, None, [*events, "invalid-host"])
