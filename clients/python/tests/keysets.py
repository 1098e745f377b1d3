"""Keysets and manifests for the tests from Python and Go, as in docs/keyset-format.md and docs/manifest-format.md."""

import base64
import hashlib
import json
import subprocess
import tempfile

KEYSET = "application/vnd.pintle.keyset.v1+json"
MANIFEST = "application/vnd.pintle.manifest.v1+json"


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def public_key(key):
    return subprocess.run(
        ["openssl", "pkey", "-in", key, "-pubout", "-outform", "DER"], check=True, capture_output=True).stdout


def sign(kind, content, key):
    """A signed file of a media type, by the key in a file."""
    signed = canonical(content)
    with tempfile.NamedTemporaryFile() as message:
        message.write(b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(signed), signed))
        message.flush()
        signature = subprocess.run(
            ["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", message.name], check=True,
            capture_output=True).stdout
    signatures = [{"keyid": hashlib.sha256(public_key(key)).hexdigest(), "sig": base64.b64encode(signature).decode()}]
    return b'{"signatures":%s,"signed":%s}' % (canonical(signatures), signed)


def make(version, key, signer=None):
    """The keyset of a number, as the bytes of its file; its root is `key`, and its signer too, if there is no other."""
    names = {"release": key, "signer": signer or key}
    roles = ["release"] if signer is None else ["release", "signer"]
    return sign(KEYSET, {
        "audience": "test", "expires": "2099-01-01T00:00:00Z", "issued": "2025-01-01T00:00:00Z",
        "keys": {name: base64.b64encode(public_key(names[name])).decode() for name in roles},
        "keyset-version": version, "minimum-serial": 1, "roots": {"keys": ["release"], "threshold": 1},
        "serial-epoch": 1, "signers": {"keys": roles[-1:], "threshold": 1}, "type": KEYSET, "version": 1,
    }, key)


def release(manifest, serial, key):
    """A signed manifest as another release, as the bytes of its file."""
    content = json.loads(manifest)["signed"]
    return sign(MANIFEST, {**content, "serial": serial}, key)


def write(folder, key):
    """Writes the versions 1 to 3 into a folder."""
    for version in range(1, 4):
        (folder / f"{version}.keyset.json").write_bytes(make(version, key))
