#!/usr/bin/env python3
"""Runs the conformance vectors (docs/vectors.md) on the reader of this folder.

    .build/venv/bin/python Tests/Programs/Reference/test_vectors.py

Of `load` rows all is compared. Of `decision` rows it is all that doesn't depend on trust evaluation: step 1, the entry,
the events; and, where trust evaluation succeeds, steps 3 to 5 on the chain that the row's certificates make. Of `store`
rows each keyset is walked to and each manifest loaded, up to a restart; what the store adds (serials, freshness, the guard)
isn't looked at.
"""

import base64
import hashlib
import json
import pathlib
import sys

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import reader

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "Vectors"
# The refusals of a store that come behind all that a reader looks at.
OF_STORES = {"older-serial", "conflicting-serial", "keyset-expired", "stale", "empty", "shrunk", "refuses-recent-chain"}


def listed(name, kind):
    return json.loads((VECTORS / f"{name}.json").read_text())[kind]


SIGNERS = {name: base64.b64decode(spki) for name, spki in listed("signers", "signers").items()}
CERTIFICATES = {
    name: base64.b64decode(item["der"]) for name, item in listed("certificates", "certificates").items()}


def content(value):
    return value["text"].encode() if "text" in value else base64.b64decode(value["base64"])


# The manifests and keysets that the rows of the theme name.
FILES = {"manifests": {}, "keysets": {}}


def take_files(theme):
    for kind, files in FILES.items():
        files.clear()
        files |= {name: content(value) for name, value in {**listed("shared", kind), **theme[kind]}.items()}


def client(value):
    if "keyset" in value:
        return reader.Keyset(FILES["keysets"][value["keyset"]], value["audience"]).client()
    return reader.Client([SIGNERS[name] for name in value["signers"]], value["threshold"], value["audience"])


def refused(refusal):
    return {"result": "refused", "error": refusal.code}


def load_row(row):
    try:
        most = {} if row["maximumBytes"] is None else {"most": row["maximumBytes"]}
        manifest = reader.Manifest(FILES["manifests"][row["manifest"]], client(row["client"]), **most)
    except reader.Refused as refusal:
        return refused(refusal)
    names = {hashlib.sha256(spki).hexdigest(): name for name, spki in SIGNERS.items()}
    return {"result": "loaded", "serial": manifest.value["serial"],
            "signedBy": [names[identity] for identity in manifest.signed_by]}


def pin(certificate):
    spki = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(spki).digest()


def chain_of(served, anchors, trust, carried):
    """The pins of the chain from the leaf to the first anchor, by names alone: for rows whose chain is trusted."""
    if "certificate" in trust:
        return [pin(x509.load_der_x509_certificate(served[0]))]
    anchors = ([] if "system-anchors" in trust else anchors) + [carried[one] for one in trust.get("anchors", [])]
    others = served[1:] + [carried[one] for one in trust.get("intermediates", [])]
    chain = [served[0]]
    while chain[-1] not in anchors:
        below = x509.load_der_x509_certificate(chain[-1])
        chain.append(next(one for one in anchors + others if one not in chain and issued(below, one)))
    return [pin(x509.load_der_x509_certificate(one)) for one in chain]


def issued(below, above):
    return below.issuer == x509.load_der_x509_certificate(above).subject


def decision(manifest, question, anchors, at, expected):
    """The answer, and what is expected of it here."""
    handshake = question["handshake"]
    chain = None
    entry = manifest.entry(reader.canonical_host(handshake["host"]) or "", handshake["port"])
    if expected["step"] > 2:
        served = [CERTIFICATES[name] for name in handshake["certificates"]]
        chain = chain_of(served, anchors, entry.get("trust", {}), manifest.value.get("certificates", {}))
    found = manifest.decide(handshake["host"], handshake["port"], at, chain)
    # Only trust evaluation reports these events, and only a transport has dispositions.
    expected = {**expected, "events": set(expected["events"]) - {"untrusted", "exception-used"}}
    expected = {key: value for key, value in expected.items() if key not in ("disposition", "failure")}
    if expected["step"] == 2:
        expected |= {"verdict": None, "reason": None, "step": None}
    return found, expected


def decision_row(row):
    manifest = reader.Manifest(FILES["manifests"][row["manifest"]], client(row["client"]))
    anchors = [CERTIFICATES[name] for name in row["anchors"]]
    return decision(manifest, row, anchors, row["instant"], row["expected"])


class Stopped(Exception):
    """What follows isn't the reader's."""


def step_of_store(state, step, row):
    """One answer of a store, and what is expected of it here; state is the client or the keyset."""
    expected = step["expected"]
    if step["action"] == "update" and expected.get("error") not in OF_STORES:
        try:
            manifest = reader.Manifest(FILES["manifests"][step["manifest"]], state["client"])
            if state["keyset"] and manifest.value["serial"] < state["keyset"].value["minimum-serial"]:
                raise reader.Refused("below-minimum-serial")
        except reader.Refused as refusal:
            return refused(refusal), expected
        return "loaded", "loaded" if expected["result"] != "refused" else expected
    if step["action"] == "update-keyset":
        if state["keyset"] is None:
            raise Stopped
        try:
            after = state["keyset"].successor(FILES["keysets"][step["keyset"]])
        except reader.Refused as refusal:
            return refused(refusal), expected
        result = "unchanged" if after is state["keyset"] else "activated"
        state |= {"keyset": after, "client": after.client()}
        return {"result": result}, expected
    return None, None


def store_row(row):
    first = row["steps"][0].get("keyset") or row["client"].get("keyset")
    audience = row["client"]["audience"]
    keyset = reader.Keyset(FILES["keysets"][first], audience) if first else None
    state = {"keyset": keyset, "client": keyset.client() if keyset else client(row["client"])}
    found, expected = [], []
    for step in row["steps"][1:]:
        if step["action"] == "open":
            break
        try:
            pair = step_of_store(state, step, row)
        except Stopped:
            break
        found.append(pair[0])
        expected.append(pair[1])
    return found, expected


def main():
    count, failures = 0, 0
    for path in sorted(VECTORS.glob("*.json")):
        if path.name in ("certificates.json", "signers.json", "shared.json"):
            continue
        theme = json.loads(path.read_text())
        take_files(theme)
        for row in theme["vectors"]:
            if theme["kind"] == "load":
                found, expected = load_row(row), row["expected"]
            elif theme["kind"] == "decision":
                found, expected = decision_row(row)
            else:
                found, expected = store_row(row)
            count += 1
            if found != expected:
                failures += 1
                print(f"{theme['theme']}/{row['id']}:\n  expected {expected}\n  found    {found}", file=sys.stderr)
    print(f"{count} vectors by the second reader, {failures} answered otherwise")
    return 1 if failures or count < 1500 else 0


if __name__ == "__main__":
    sys.exit(main())
