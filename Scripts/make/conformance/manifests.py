"""Writes manifests: a second, independent writer of docs/manifest-format.md."""

import base64
import hashlib
import json

TYPE = "application/vnd.pintle.manifest.v1+json"


def canonical(value):
    """RFC 8785, for the values of the format: integers, and strings with ASCII names."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def encoding(body, kind=TYPE):
    """DSSE's pre-authentication encoding."""
    return f"DSSEv1 {len(kind)} {kind} {len(body)} ".encode() + body


def envelope(body, signatures):
    """The file, from signed bytes and pairs of a key's identity and a signature, unchanged."""
    items = [{"keyid": keyid, "sig": base64.b64encode(signature).decode()} for keyid, signature in signatures]
    return b'{"signatures":' + canonical(items) + b',"signed":' + body + b"}"


def signed(body, signers):
    """The file, signed properly."""
    pairs = sorted((signer.keyid, signer.signature(encoding(body))) for signer in signers)
    return envelope(body, pairs)


def content(keys, hosts=(), **changes):
    """A manifest with these hosts: dictionaries as in the format, sorted here, `subs` short for include-subdomains.

    An entry's `keys` is a list of active keys, or a pair of lists with the backup keys; the key set is made of it.
    """
    entries, sets = [], {}
    for host in hosts:
        entry = {"mode": "enforce", **host}
        if entry.pop("subs", False):
            entry["include-subdomains"] = 1
        if "keys" in entry:
            active, backup = entry["keys"] if isinstance(entry["keys"], tuple) else (entry["keys"], [])
            del entry["keys"]
            label = entry["host"]
            if "port" in entry:
                label = f'[{label}]:{entry["port"]}' if ":" in label else f'{label}:{entry["port"]}'
            entry["key-set"] = "host:" + label
            sets["host:" + label] = {"active": sorted(active), "backup": sorted(backup)}
        if entry["mode"] == "off":
            entry.pop("key-set", None)
        entries.append(entry)
    entries.sort(key=lambda entry: (entry["host"].encode(), entry.get("port", 0)))
    used = {name for keyset in sets.values() for name in keyset["active"] + keyset["backup"]}
    manifest = {
        "audience": "vectors",
        "expires": "2027-01-01T00:00:00Z",
        "hosts": entries,
        "issued": "2026-11-01T00:00:00Z",
        "key-sets": sets,
        "keys": {name: key for name, key in keys.items() if name in used or "denied" in key},
        "on-stale": "enforce",
        "provenance": {"compiler": "vectors", "sources": hashlib.sha256(b"vectors").hexdigest()},
        "refresh-after": "2026-12-01T00:00:00Z",
        "serial": 1,
        "type": TYPE,
        "unpinned-hosts": "allow",
        "version": 1,
    }
    manifest.update(changes)
    return {name: value for name, value in manifest.items() if value is not None}
