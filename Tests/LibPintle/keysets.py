"""Keysets for the tests from Python and Go, as in docs/keyset-format.md; the fixtures' key signs everything."""

import base64
import hashlib
import json
import subprocess
import tempfile

TYPE = "application/vnd.pintle.keyset.v1+json"


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def make(version, key, public_key):
    """The keyset of a number, as the bytes of its file."""
    role = {"keys": ["release"], "threshold": 1}
    signed = canonical({
        "audience": "test", "expires": "2099-01-01T00:00:00Z", "issued": "2025-01-01T00:00:00Z",
        "keys": {"release": base64.b64encode(public_key).decode()}, "keyset-version": version, "minimum-serial": 1,
        "roots": role, "serial-epoch": 1, "signers": role, "type": TYPE, "version": 1,
    })
    with tempfile.NamedTemporaryFile() as message:
        message.write(b"DSSEv1 %d %s %d %s" % (len(TYPE), TYPE.encode(), len(signed), signed))
        message.flush()
        signature = subprocess.run(
            ["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", message.name], check=True,
            capture_output=True).stdout
    signatures = [{"keyid": hashlib.sha256(public_key).hexdigest(), "sig": base64.b64encode(signature).decode()}]
    return b'{"signatures":%s,"signed":%s}' % (canonical(signatures), signed)


def write(folder, key):
    """Writes the versions 1 to 3 into a folder."""
    public_key = subprocess.run(
        ["openssl", "pkey", "-in", key, "-pubout", "-outform", "DER"], check=True, capture_output=True).stdout
    for version in range(1, 4):
        (folder / f"{version}.keyset.json").write_bytes(make(version, key, public_key))
