#!/usr/bin/env python3
"""Compares the answers of two readers, libpintle and the one in this folder, for mutants of manifests and keysets.

    PINTLE_LIBRARY=.build/libpintle/libpintle.so.0 \\
      .build/venv/bin/python Tests/Programs/Reference/differential.py [COUNT [SEED]]

Each mutant is signed by a trusted key, so that it is read; what is read is then asked about hosts. Scripts/fuzz readers
runs it. The same COUNT and SEED give the same mutants. What the readers disagree on is kept in .build/fuzz-crashes.
"""

import base64
import hashlib
import json
import os
import pathlib
import sys
from datetime import datetime, timedelta, timezone

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import mutants
import reader
import values

TESTS = pathlib.Path(__file__).resolve().parents[2]
KEPT = TESTS.parent / ".build" / "fuzz-crashes"
os.environ["SSL_CERT_FILE"] = os.environ["SSL_CERT_DIR"] = os.devnull
sys.path.insert(0, str(TESTS.parent / "clients" / "python"))
sys.path.append(str(TESTS.parent / "Scripts" / "make" / "conformance"))
import committed  # noqa: E402
import pintle  # noqa: E402

# RFC 8032 section 7.1, test 1.
KEY = Ed25519PrivateKey.from_private_bytes(
    bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
SPKI = KEY.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
IDENTITY = hashlib.sha256(SPKI).hexdigest()
AUDIENCE = "vectors"
CLIENT = reader.Client([SPKI], 1, AUDIENCE)
# Events that only a transport adds.
OF_EVALUATION = {"untrusted", "exception-used"}


def listed(name, kind):
    return json.loads((TESTS / "Vectors" / f"{name}.json").read_text())[kind]


CERTIFICATES = {
    name: base64.b64decode(item["der"]) for name, item in listed("certificates", "certificates").items()}
# Signing keys of each kind and form, usable or not.
values.TEXTS.extend(listed("signers", "signers").values())
CHAIN, ANCHORS = [CERTIFICATES["leaf-1"], CERTIFICATES["int-1"]], [CERTIFICATES["root-1"]]


def seeds(folder):
    """The signed bytes of the files of the vectors, those that are taken, and the others; a keyset's root is the key
    that signs here."""
    root = listed("signers", "signers")["root-a"].encode()
    found = {}
    for data in committed.contents(folder).values():
        start = data.find(b'],"signed":') + 11
        if start > 10 and len(data) < 8192:
            found[data[start:-1].replace(root, base64.b64encode(SPKI))] = None
    taken = [body for body in found if is_taken(body, folder)]
    return taken, sorted(found.keys() - taken)


def is_taken(body, folder):
    try:
        if folder == "manifests":
            reader.Manifest(signed(body, reader.MANIFEST_TYPE), CLIENT)
        else:
            reader.Keyset(signed(body, reader.KEYSET_TYPE), AUDIENCE)
        return True
    except reader.Refused:
        return False


def signed(body, kind, chance=None):
    """The file, mostly with that signature alone; or with others beside it, which are nobody's."""
    signature = KEY.sign(f"DSSEv1 {len(kind)} {kind} {len(body)} ".encode() + body)
    items = [{"keyid": IDENTITY, "sig": base64.b64encode(signature).decode()}]
    if chance and chance.random() < 0.1:
        items += [{"keyid": f"{chance.getrandbits(256):064x}", "sig": "AAAA"} for _ in range(chance.choice([1, 2, 63, 64]))]
        items += items[:chance.random() < 0.1]
        if chance.random() < 0.8:
            items.sort(key=lambda item: item["keyid"])
    return b'{"signatures":' + reader.encode(items) + b',"signed":' + body + b"}"


def seconds(instant):
    moment = datetime.strptime(instant, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    return (moment - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(seconds=1)


def pin(der):
    spki = x509.load_der_x509_certificate(der).public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(spki).digest()


class Pins(dict):
    def __missing__(self, der):
        self[der] = pin(der)
        return self[der]


PINS = Pins()


# Manifests


def compare_manifest(file, chance):
    """The readers' answers, two values that should be equal, and whether the file was loaded."""
    try:
        manifest = reader.Manifest(file, CLIENT)
    except reader.Refused as refusal:
        manifest, mine = None, refusal.code
    with pintle.Store(signers=[SPKI], threshold=1, audience=AUDIENCE, embedded=file, anchors=ANCHORS) as store:
        problems = store.problems()
        if manifest is None or problems:
            return mine if manifest is None else "loaded", problems[0][0] if problems else "loaded", False
        status, value = store.status(), manifest.value
        mine = [value["serial"], len(value["hosts"]), *(seconds(value[name]) for name in ("issued", "refresh-after", "expires"))]
        theirs = [status[name] for name in ("serial", "entry_count", "issued", "refresh_after", "expires")]
        for question in questions(value, chance):
            answers = ask(manifest, store, *question)
            mine.append((question, answers[0]))
            theirs.append((question, answers[1]))
    return mine, theirs, True


def questions(value, chance):
    """Hosts, ports and instants that the manifest has something to say about, or nearly."""
    entries = chance.sample(value["hosts"], min(3, len(value["hosts"])))
    instants = [value[name] for name in ("issued", "refresh-after", "expires")]
    for entry in [*entries, {"host": chance.choice(values.HOSTS)}]:
        host = entry["host"]
        yield host.replace("\0", ""), entry.get("port", 443), value["issued"]
        host = chance.choice([
            host, host, f"a.{host}", f"b.a.{host}", f"[{host}]", host.upper() + ".", f"a_b.{host}",
            host.partition(".")[2], mutants.other_text(host, chance), "2001:db8:0::1"])
        instant = chance.choice([*instants, entry.get("expires", instants[0])])
        yield host.replace("\0", ""), chance.choice([entry.get("port", 443), 443, 8443]), instant


def ask(manifest, store, host, port, instant):
    theirs = store.evaluate(host, port, CHAIN, 0x0304, validation="stands", at=seconds(instant))
    chain = [PINS[der] for der in theirs.chain] if theirs.step > 2 else None
    mine = manifest.decide(host, port, instant, chain)
    answer = {
        "verdict": theirs.verdict, "reason": theirs.reason, "step": theirs.step, "entry": theirs.entry,
        "events": set(theirs.events) - OF_EVALUATION, "matches": theirs.matches, "clock": theirs.clock}
    if theirs.step == 2:
        answer |= {"verdict": None, "reason": None, "step": None}
    matches = [mine.pop(name) for name in ("match", "leaf", "authority") if name in mine]
    return {
        **{name: mine[name] for name in ("verdict", "reason", "step", "entry", "events")}, "clock": mine.get("clock"),
        "matches": [(one["key"], one["certificate"]) for one in matches]}, answer


# Keysets


def trusted_keyset(serial, epoch):
    role = {"keys": ["root-a"], "threshold": 1}
    return signed(reader.encode({
        "audience": AUDIENCE, "expires": "2027-06-01T00:00:00Z", "issued": "2026-11-01T00:00:00Z",
        "keys": {"root-a": base64.b64encode(SPKI).decode()}, "keyset-version": 1, "minimum-serial": serial, "roots": role,
        "serial-epoch": epoch, "signers": role, "type": reader.KEYSET_TYPE, "version": 1}), reader.KEYSET_TYPE)


TRUSTED = [trusted_keyset(1, 1), trusted_keyset(2, 1), trusted_keyset(1, 2)]


def compare_keyset(file, chance):
    """As the one that is shipped, or as the one that follows."""
    trusted = chance.choice([None, None, *TRUSTED])
    try:
        if trusted:
            keyset = reader.Keyset(trusted, AUDIENCE).successor(file)
        else:
            keyset = reader.Keyset(file, AUDIENCE)
        mine = [keyset.value["keyset-version"], seconds(keyset.value["expires"])]
    except reader.Refused as refusal:
        mine = refusal.code
    try:
        with pintle.Store(keyset=trusted or file, audience=AUDIENCE, anchors=ANCHORS) as store:
            if trusted:
                store.update_keyset(file)
            status = store.status()
            theirs = [status["keyset_version"], status["keyset_expires"]]
    except pintle.Error as error:
        theirs = error.code
    return mine, theirs, type(mine) is list


def run(name, kind, compare, count, seed):
    """How many mutants were taken, and how many disagreements there were."""
    (good, bad), chance = seeds(name), mutants.random_of(f"{name} {seed}")
    pool = mutants.Pool(map(json.loads, good))
    taken, disagreements, answers = 0, 0, set()
    for _ in range(count):
        # Mutants of rejected files are mostly rejected for the same reason.
        body = chance.choice(good if chance.random() < 0.9 else bad)
        file = signed(mutants.mutant(body, chance, pool), kind, chance)
        if chance.random() < 0.05:
            file = mutants.change_bytes(file, chance)
        mine, theirs, loaded = compare(file, chance)
        taken += loaded
        answers.add("loaded" if loaded else str(mine))
        if mine != theirs:
            disagreements += 1
            KEPT.mkdir(parents=True, exist_ok=True)
            path = KEPT / f"{name}-{hashlib.sha256(file).hexdigest()[:16]}.json"
            path.write_bytes(file)
            print(f"{path}:\n  {mine}\n  {theirs}", file=sys.stderr)
    print(f"{name}: {count} mutants compared, {taken} loaded, {len(answers)} different results, "
          f"{disagreements} disagreements")
    return disagreements


def main():
    count, seed = [*map(int, sys.argv[1:]), *[4000, 1][len(sys.argv) - 1:]][:2]
    disagreements = run("manifests", reader.MANIFEST_TYPE, compare_manifest, count, seed)
    disagreements += run("keysets", reader.KEYSET_TYPE, compare_keyset, count // 2, seed)
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
