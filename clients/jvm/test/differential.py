#!/usr/bin/env python3
"""Compares the Java client with libpintle and the reference reader, on mutants of manifests and keysets, and lets Java
and libpintle read each other's folders.

    PINTLE_LIBRARY=.build/libpintle/libpintle.so.0 .build/venv/bin/python clients/jvm/test/differential.py COUNT JAVA...

JAVA is the command that runs pintle.Answers, one process for all questions. The mutants are those of
Tests/Programs/Reference; every field of the answers is compared. What they disagree on is kept in .build/fuzz-crashes.
"""

import base64
import collections
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests" / "Programs" / "Reference"))
import differential  # noqa: E402
import mutants  # noqa: E402
import reader  # noqa: E402

pintle = differential.pintle
# Java can't read a certificate whose key is in an unusual form, so an entry whose trust names one is blocked, also where the
# path doesn't need it. This is the only difference that is allowed, and it is counted.
STRICTER = collections.Counter()


def text(data):
    return base64.b64encode(data).decode()


class Java:
    """The process that answers."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.tell({"signer": text(differential.SPKI), "chain": [text(der) for der in differential.CHAIN],
                   "anchors": [text(der) for der in differential.ANCHORS]})

    def tell(self, value):
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()

    def ask(self, **question):
        self.tell(question)
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("the Java process ended")
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        if self.process.wait(timeout=30) != 0:
            sys.exit("the Java process failed")


def of_libpintle(decision):
    return {
        "verdict": decision.verdict, "reason": decision.reason, "step": decision.step, "entry": decision.entry or "",
        "events": list(decision.events), "clock": decision.clock or "", "matches": [list(one) for one in decision.matches],
        "path": [hashlib.sha256(der).hexdigest() for der in decision.chain] if decision.step > 2 else [],
        "failure": decision.failures[0][0] if decision.failures else "", "message": text(decision.message.encode())}


def comparable(answer):
    """What a failure of trust evaluation says about certificates is each library's own; the keys behind it aren't."""
    head, served, keys = base64.b64decode(answer["message"]).decode().partition("; served, not validated: ")
    if answer["failure"]:
        head = head.partition("trust evaluation failed: ")[0]
    return answer | {"message": head + served + keys}


def compare_manifest(file, chance, java):
    try:
        manifest, mine = reader.Manifest(file, differential.CLIENT), None
    except reader.Refused as refusal:
        manifest, mine = None, refusal.code
    with pintle.Store(signers=[differential.SPKI], threshold=1, audience=differential.AUDIENCE, embedded=file,
                      anchors=differential.ANCHORS) as store:
        problems = store.problems()
        if manifest is None or problems:
            theirs = problems[0][0] if problems else "loaded"
            answer = java.ask(manifest=text(file), questions=[])
            return {mine or "loaded", theirs, answer.get("error", "loaded")}, False
        status = store.status()
        questions = [(host, port, differential.seconds(at)) for host, port, at in differential.questions(manifest.value, chance)]
        theirs = {"status": [status[name] for name in ("serial", "entry_count", "issued", "refresh_after", "expires")],
                  "answers": [of_libpintle(store.evaluate(host, port, differential.CHAIN, 0x0304, validation="stands", at=at))
                              for host, port, at in questions]}
        answer = java.ask(manifest=text(file), questions=questions)
    for one in (answer, theirs):
        one.update({"answers": [comparable(other) for other in one["answers"]]} if "answers" in one else {})
    for question, ours, other in zip(questions, answer.get("answers", []), theirs["answers"]):
        if ours != other and ours["step"] == 2 and ours["failure"] == "key-encoding" and other["step"] >= 2:
            STRICTER[other["failure"] or other["reason"]] += 1
            other.update(ours)
    return {json.dumps(answer, sort_keys=True), json.dumps(theirs, sort_keys=True)}, True


def compare_keyset(file, chance, java):
    trusted = chance.choice([None, None, *differential.TRUSTED])
    chance.choice = lambda _, kept=trusted: kept  # the same trusted keyset for all readers
    try:
        mine, theirs, loaded = differential.compare_keyset(file, chance)
    finally:
        del chance.choice
    answer = java.ask(keyset=text(file), trusted=text(trusted) if trusted else None)
    return {json.dumps(mine), json.dumps(theirs), json.dumps(answer.get("error", answer.get("status")))}, loaded


def run(name, kind, compare, count, java):
    (good, bad), chance = differential.seeds(name), mutants.random_of(f"jvm {name}")
    pool = mutants.Pool(map(json.loads, good))
    taken, disagreements, answers = 0, 0, set()
    for _ in range(count):
        body = chance.choice(good if chance.random() < 0.9 else bad)
        file = differential.signed(mutants.mutant(body, chance, pool), kind, chance)
        if chance.random() < 0.05:
            file = mutants.change_bytes(file, chance)
        found, loaded = compare(file, chance, java)
        taken += loaded
        answers.add("loaded" if loaded else min(found))
        if len(found) != 1:
            disagreements += 1
            differential.KEPT.mkdir(parents=True, exist_ok=True)
            path = differential.KEPT / f"jvm-{name}-{hashlib.sha256(file).hexdigest()[:16]}.json"
            path.write_bytes(file)
            print(f"{path}:", *sorted(found), sep="\n  ", file=sys.stderr)
    print(f"{name}: {count} mutants compared with libpintle and the reference reader, {taken} loaded, "
          f"{len(answers)} different results, {disagreements} disagreements")
    return disagreements


def folders(java):
    """Each reads the folder that the other has written, and goes on in it."""
    keyset, serials = differential.TRUSTED[0], [5, 6, 7, 8]
    body = next(json.loads(one) for one in differential.seeds("manifests")[0] if b'"mode":"enforce"' in one)
    body |= {"expires": "2099-01-01T00:00:00Z", "drastic-change": "a test"}
    files = {}
    for serial in serials:
        files[serial] = differential.signed(reader.encode(body | {"serial": serial}), reader.MANIFEST_TYPE)
    nexts = json.loads(keyset[keyset.find(b'"signed":') + 9:-1])
    nexts |= {"keyset-version": 2, "expires": "2099-01-01T00:00:00Z"}
    second = differential.signed(reader.encode(nexts), reader.KEYSET_TYPE)
    failures = 0
    for first in ("java", "libpintle"):
        with tempfile.TemporaryDirectory() as folder:
            for number, serial in enumerate(serials):
                keysets = [second] if number == 0 else []
                is_java = (first == "java") == (number % 2 == 0)
                if is_java:
                    answer = java.ask(folder=folder, trusted=text(keyset), keysets=[text(one) for one in keysets],
                                      manifests=[text(files[serial])])
                    found = [answer.get("error"), answer.get("problems"), *answer.get("status", [])]
                else:
                    found = of_store(folder, keyset, keysets, files[serial])
                if found != [None, 0, serial, serial, 2, 1]:
                    failures += 1
                    print(f"{'Java' if is_java else 'libpintle'} in the other's folder, serial {serial}: {found}",
                          file=sys.stderr)
    print(f"folders: Java and libpintle took turns in 2 folders with {len(serials)} updates each, {failures} failures")
    return failures


def tlv(tag, value):
    return bytes([tag]) + (bytes([len(value)]) if len(value) < 128 else b"\x81" + bytes([len(value)])) + value


# By the tag of the kind of name: constraints, and names. RFC 5280 sections 4.2.1.6 and 4.2.1.10.
MAILBOX = b"\x06\x03\x2a\x03\x04\xa0\x03\x0c\x01x"
NAMES = {
    0x81: ([b"a.test", b".a.test", b"x@a.test", b"", b"@a.test"],
           [b"x@a.test", b"y@A.TEST", b"x@b.a.test", b"x", b"@a.test", b"x@", b"x@y@a.test", b"x y@a.test", b"x@\na.test"]),
    0x82: ([b"host.test", b".test", b"", b"t", b"\xff"],
           [b"a.test", b"host.test", b"*.host.test", b"a\nb.test", b"..test", b"", b".test", b"a.test.", b"\xff.test"]),
    0x86: ([b"a.test", b".a.test", b"", b"a"],
           [b"https://a.test/x", b"https://b.a.test:1", b"https://", b"a.test", b"x:y", b"https:///x", b"https://A.test"]),
    0x87: ([bytes(4), bytes(8), bytes([10, 0, 0, 0, 255, 0, 0, 0]), bytes([10, 0, 0, 1, 255, 0, 0, 255]), bytes(16), bytes(32),
            bytes(5), b""],
           [bytes([10, 0, 0, 1]), bytes([11, 0, 0, 0]), bytes(8), bytes(16), bytes(3), bytes(32), b""]),
    0x88: ([b"\x2a\x03"], [b"\x2a\x03", b"\x2a\x04"]),
    0xA0: ([MAILBOX[:4] + b"\x05" + MAILBOX[5:], MAILBOX], [MAILBOX]),
}


def constraints(java):
    """Each kind of name under each constraint of its kind: Java rejects what libpintle rejects."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.hashes import SHA256

    x509, key = differential.x509, ec.generate_private_key(ec.SECP256R1())
    start, end = differential.datetime(2026, 1, 1), differential.datetime(2027, 1, 1)
    at, serial = int(start.replace(tzinfo=differential.timezone.utc).timestamp()) + 1000, iter(range(1, 1 << 20))

    def certificate(subject, *extensions):
        builder = x509.CertificateBuilder(
            x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "root")]), subject, key.public_key(), next(serial), start, end)
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        builder = builder.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), False)
        return builder.sign(key, SHA256()).public_bytes(differential.Encoding.DER)

    def raw(oid, value):
        return x509.UnrecognizedExtension(x509.ObjectIdentifier(oid), value)

    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "root")])
    usage = x509.KeyUsage(False, False, False, False, False, True, False, False, False)
    leaves, answers, wrong = {}, collections.Counter(), 0
    for tag, (subtrees, names) in NAMES.items():
        for one in names:
            subject_names = tlv(0x82, b"host.test") + tlv(tag, one)
            leaves[tag, one] = certificate(x509.Name([]), (raw("2.5.29.17", tlv(0x30, subject_names)), True))
        if tag == 0x81:
            for one in names[:3]:
                mail = x509.Name([x509.NameAttribute(x509.NameOID.EMAIL_ADDRESS, one.decode())])
                leaves[tag, b"subject " + one] = certificate(mail, (raw("2.5.29.17", tlv(0x30, tlv(0x82, b"host.test"))), False))
        for subtree in subtrees:
            for place in (0xA0, 0xA1):
                for limits in (b"", b"\x80\x01\x00", b"\x81\x01\x01"):
                    value = tlv(0x30, tlv(place, tlv(0x30, tlv(tag, subtree) + limits)))
                    anchor = certificate(
                        name, (x509.BasicConstraints(True, None), True), (usage, True), (raw("2.5.29.30", value), True),
                        (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False))
                    settings = {"signers": [differential.SPKI], "threshold": 1, "audience": "vectors", "without_manifest": "notPinned"}
                    with pintle.Store(**settings, anchors=[anchor]) as store:
                        for (kind, one), leaf in leaves.items():
                            if kind != tag:
                                continue
                            decision = store.evaluate("host.test", 443, [leaf], 0x0304, validation="replaced", at=at)
                            theirs = decision.failures[0][0] if decision.failures else ""
                            mine = java.ask(anchor=text(anchor), leaf=text(leaf), host="host.test", at=at)["failure"]
                            answers["accepted" if not theirs else "rejected"] += 1
                            answers["by Java only"] += bool(mine and not theirs)
                            answers["for another reason"] += bool(mine and theirs and mine != theirs)
                            if theirs and not mine:
                                wrong += 1
                                print(f"{tag:x} {place:x} {subtree} {limits} {one}: libpintle says {theirs}", file=sys.stderr)
    print(f"name constraints: libpintle accepted {answers['accepted']} chains, of which Java rejected {answers['by Java only']}, and "
          f"rejected {answers['rejected']}, of which Java accepted {wrong}, and {answers['for another reason']} for another reason")
    return wrong


def of_store(folder, keyset, keysets, manifest):
    with pintle.Store(keyset=keyset, audience=differential.AUDIENCE, directory=folder, anchors=differential.ANCHORS) as store:
        try:
            for one in keysets:
                store.update_keyset(one)
            store.update(manifest)
            error = None
        except pintle.Error as refusal:
            error = refusal.code
        status = store.status()
        return [error, len(store.problems()), status["serial"], status["highest_serial"], status["keyset_version"],
                int(status["endorsed"])]


def main():
    count, java = int(sys.argv[1]), Java(sys.argv[2:])
    disagreements = folders(java) + constraints(java)
    disagreements += run("manifests", reader.MANIFEST_TYPE, compare_manifest, count, java)
    disagreements += run("keysets", reader.KEYSET_TYPE, compare_keyset, count // 2, java)
    java.close()
    for which, times in sorted(STRICTER.items()):
        print(f"  {times} times Java blocked for a certificate that it can't read, where libcrypto said {which}")
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
