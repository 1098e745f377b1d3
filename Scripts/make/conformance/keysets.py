"""Writes keysets: a second, independent writer of docs/keyset-format.md."""

import base64

from manifests import encoding, envelope

TYPE = "application/vnd.pintle.keyset.v1+json"


def content(signers, roots=(["root-a"], 1), manifests=(["alice"], 1), version=1, **changes):
    """A keyset; roots and manifests are names of keys and a threshold. A change to None removes a field."""
    names = sorted({*roots[0], *manifests[0]})
    keyset = {
        "audience": "vectors",
        "expires": "2027-06-01T00:00:00Z",
        "issued": "2026-11-01T00:00:00Z",
        "keys": {name: base64.b64encode(signers[name].spki).decode() for name in names},
        "keyset-version": version,
        "minimum-serial": 1,
        "roots": {"keys": sorted(roots[0]), "threshold": roots[1]},
        "serial-epoch": 1,
        "signers": {"keys": sorted(manifests[0]), "threshold": manifests[1]},
        "type": TYPE,
        "version": 1,
    }
    keyset.update(changes)
    return {name: value for name, value in keyset.items() if value is not None}


def signed(body, signers, kind=TYPE):
    """The file, signed properly."""
    return envelope(body, sorted((signer.keyid, signer.signature(encoding(body, kind))) for signer in signers))
