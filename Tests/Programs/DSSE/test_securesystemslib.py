#!/usr/bin/env python3
"""Checks that Pintle and securesystemslib accept each other's signatures of manifests and keysets (docs/dsse.md).

    .build/venv/bin/python Tests/Programs/DSSE/test_securesystemslib.py

Runs the `pintle` of .build/debug, or of the folder that PINTLE_BUILD names. Where PINTLE_LIBRARY names libpintle, what is imported is
given to the validator by that as well, as a client in another language would.
"""

import base64
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from cryptography.hazmat.primitives import serialization
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey

ROOT = pathlib.Path(__file__).resolve().parents[3]
PINTLE = os.path.join(os.environ.get("PINTLE_BUILD", ROOT / ".build" / "debug"), "pintle")
MANIFEST = "application/vnd.pintle.manifest.v1+json"
KEYSET = "application/vnd.pintle.keyset.v1+json"
AUTHORITIES = "application/vnd.pintle.authorities.v1+yaml"
POLICY = """
version: 1
manifest: { audience: test, expires-after: 30d }
keys:
  a: { pin: sha256/h1SCHP/2K0A3e0UJxPin2TcL4riuHX+abA+V2u4M1d4= }
  b: { pin: sha256/fNrb2IiX0f3bPO57Ecp3sYcn0VkDdFYwirgiK0G1enE= }
key-sets:
  web: { active: [a], backup: [b] }
hosts:
  - { host: example.com, keys: web, expires: 2027-06-01, on-expiry: report-only }
"""


def load_private_key(path):
    return serialization.load_pem_private_key(pathlib.Path(path).read_bytes(), password=None)


def spki(private_key):
    return private_key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def load_signer(path):
    """A signer with a private key of `pintle key`, under the key id that Pintle gives it."""
    private_key = load_private_key(path)
    keyid = hashlib.sha256(spki(private_key)).hexdigest()
    return CryptoSigner(private_key, SSlibKey.from_crypto(private_key.public_key(), keyid))


def add_signature(envelope_path, signer):
    """Signs the payload of an envelope, whatever signatures it has already."""
    path = pathlib.Path(envelope_path)
    envelope = Envelope.from_dict(json.loads(path.read_text()))
    envelope.sign(signer)
    path.write_text(json.dumps(envelope.to_dict()))


def verify(envelope_path, keys, threshold):
    """The payload of an envelope, once enough of the keys are known to have signed it."""
    envelope = Envelope.from_dict(json.loads(pathlib.Path(envelope_path).read_text()))
    envelope.verify(keys, threshold)
    return envelope.payload


class Exchange(unittest.TestCase):
    """In a folder of its own, with two signers: `ed.key` and `ec.key`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "policies").mkdir()
        (self.folder / "policies" / "web.yaml").write_text(POLICY)
        self.pintle("key", "ed.key")
        self.pintle("key", "ec.key", "--algorithm", "ecdsa-p256")
        self.ed, self.ec = self.signer("ed.key"), self.signer("ec.key")
        # The same keys under the key ids that securesystemslib gives them.
        self.renamed = [CryptoSigner(load_private_key(self.path(name))) for name in ("ed.key", "ec.key")]
        self.keys = [self.ed.public_key, self.ec.public_key]

    def pintle(self, *arguments, status=0):
        result = subprocess.run(
            [PINTLE, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=60,
            stdin=subprocess.DEVNULL)
        self.assertEqual(result.returncode, status, f"pintle {arguments}: {result.stderr}")
        return result.stdout + result.stderr

    def signer(self, name):
        return load_signer(self.folder / name)

    def path(self, name):
        return self.folder / name

    def read(self, name):
        return self.path(name).read_bytes()

    def envelope(self, name="envelope.json"):
        return json.loads(self.read(name))

    def write(self, envelope, name="envelope.json"):
        self.path(name).write_text(json.dumps(envelope))

    def build(self, *options):
        self.pintle("build", "policies", "-o", "manifest.json", "--serial", 1, "--issued-at", "2026-11-21", *options)

    def import_manifest(self, *options, status=0):
        output = self.pintle("import", "dsse", "envelope.json", "-o", "imported.json", *options, status=status)
        if status:
            self.assertFalse(self.path("imported.json").exists(), "a refused envelope leaves no file")
        return output

    BOTH = ("--key", "ed.key.pub", "--key", "ec.key.pub", "--threshold", 2)


class FromPintle(Exchange):
    """securesystemslib verifies what Pintle signed."""

    def setUp(self):
        super().setUp()
        self.build("--sign-key", "ed.key", "--sign-key", "ec.key")
        self.pintle("export", "dsse", "manifest.json", "-o", "envelope.json")

    def test_both_signatures_verify_over_the_signed_bytes(self):
        payload = verify(self.path("envelope.json"), self.keys, 2)
        self.assertTrue(self.read("manifest.json").endswith(b',"signed":' + payload + b"}"))
        self.assertEqual(self.envelope()["payloadType"], MANIFEST)
        for key in self.keys:
            self.assertEqual(verify(self.path("envelope.json"), [key], 1), payload)

    def test_the_signatures_are_the_very_same(self):
        ours = json.loads(self.read("manifest.json"))["signatures"]
        self.assertEqual(self.envelope()["signatures"], ours)
        self.assertEqual(sorted(each["keyid"] for each in ours), sorted(key.keyid for key in self.keys))

    def test_a_changed_payload_does_not_verify(self):
        envelope = self.envelope()
        payload = base64.b64decode(envelope["payload"])
        changed = payload.replace(b'"serial":1', b'"serial":2')
        self.assertNotEqual(payload, changed)
        envelope["payload"] = base64.b64encode(changed).decode()
        self.write(envelope)
        with self.assertRaises(VerificationError):
            verify(self.path("envelope.json"), self.keys, 1)

    def test_another_payload_type_does_not_verify(self):
        self.write(self.envelope() | {"payloadType": KEYSET})
        with self.assertRaises(VerificationError):
            verify(self.path("envelope.json"), self.keys, 1)

    def test_too_few_signatures_do_not_verify(self):
        envelope = self.envelope()
        envelope["signatures"] = envelope["signatures"][:1]
        self.write(envelope)
        verify(self.path("envelope.json"), self.keys, 1)
        with self.assertRaises(VerificationError):
            verify(self.path("envelope.json"), self.keys, 2)

    def test_another_key_does_not_verify(self):
        self.pintle("key", "other.key")
        with self.assertRaises(VerificationError):
            verify(self.path("envelope.json"), [self.signer("other.key").public_key], 1)


class ToPintle(Exchange):
    """Pintle accepts what securesystemslib signed."""

    def setUp(self):
        super().setUp()
        self.build("--unsigned")
        self.pintle("export", "dsse", "manifest.json", "-o", "envelope.json")

    def sign(self, *signers):
        for signer in signers:
            add_signature(self.path("envelope.json"), signer)

    def assert_clients_take(self, name, *options):
        self.pintle("verify", name, "--audience", "test", "--at", "2026-11-22", *options)
        if "PINTLE_LIBRARY" not in os.environ:
            return
        sys.path.insert(0, str(ROOT / "clients" / "python"))
        import pintle  # by its path, where the library is at hand

        keys = [self.read(options[at + 1]) for at, option in enumerate(options) if option == "--key"]
        with pintle.Store(keys, "test", threshold=len(keys), embedded=self.read(name), clock=lambda: 1795305600) as store:
            self.assertEqual(store.problems(), [])
            self.assertEqual((store.status()["source"], store.status()["serial"]), ("embedded", 1))

    def test_ed25519(self):
        self.sign(self.ed)
        self.import_manifest("--key", "ed.key.pub", "--audience", "test")
        self.assert_clients_take("imported.json", "--key", "ed.key.pub")

    def test_ecdsa_p256(self):
        self.sign(self.ec)
        self.import_manifest("--key", "ec.key.pub")
        self.assert_clients_take("imported.json", "--key", "ec.key.pub")

    def test_both_in_either_order_and_without_keys(self):
        for signers in [(self.ed, self.ec), (self.ec, self.ed)]:
            self.pintle("export", "dsse", "manifest.json", "-o", "envelope.json")
            self.sign(*signers)
            self.import_manifest()
            self.assert_clients_take("imported.json", *self.BOTH)

    def test_beside_a_signature_of_pintle(self):
        self.build("--sign-key", "ed.key")
        self.pintle("export", "dsse", "manifest.json", "-o", "envelope.json")
        self.sign(self.ec)
        self.import_manifest(*self.BOTH)
        self.assert_clients_take("imported.json", *self.BOTH)

    def test_under_key_ids_of_securesystemslib(self):
        for signer in self.renamed:
            self.assertNotIn(signer.public_key.keyid, [key.keyid for key in self.keys])
        self.sign(*self.renamed)
        self.import_manifest(*self.BOTH)
        self.assert_clients_take("imported.json", *self.BOTH)

    def test_under_no_key_ids_and_in_another_layout(self):
        self.sign(self.ed, self.ec)
        envelope = self.envelope()
        signatures = [{"sig": each["sig"].translate(str.maketrans("+/", "-_"))} for each in envelope["signatures"]]
        layout = {"signatures": signatures, "note": {"by": ["somebody", None]}} | {
            "payload": envelope["payload"].translate(str.maketrans("+/", "-_")), "payloadType": MANIFEST}
        self.path("envelope.json").write_text(json.dumps(layout, indent=4))
        self.assertIn("names no key", self.import_manifest(status=1))
        self.import_manifest(*self.BOTH)
        self.assert_clients_take("imported.json", *self.BOTH)

    def test_a_changed_payload_is_refused(self):
        self.sign(self.ed)
        envelope = self.envelope()
        changed = base64.b64decode(envelope["payload"]).replace(b'"serial":1', b'"serial":2')
        self.write(envelope | {"payload": base64.b64encode(changed).decode()})
        self.assertIn("doesn't fit the signed bytes", self.import_manifest("--key", "ed.key.pub", status=6))

    def test_another_payload_type_is_refused(self):
        self.sign(self.ed)
        self.write(self.envelope() | {"payloadType": "application/vnd.in-toto+json"})
        self.assertIn("in-toto", self.import_manifest("--key", "ed.key.pub", status=1))

    def test_a_signature_over_another_type_is_refused(self):
        self.write(self.envelope() | {"payloadType": KEYSET})
        self.sign(self.ed)
        self.write(self.envelope() | {"payloadType": MANIFEST})
        self.assertIn("doesn't fit the signed bytes", self.import_manifest("--key", "ed.key.pub", status=6))

    def test_too_few_signatures_are_refused(self):
        self.sign(self.ed)
        self.assertIn("too-few-signatures", self.import_manifest(*self.BOTH, status=6))

    def test_one_key_does_not_count_for_two(self):
        self.sign(self.ec)
        first = self.envelope()
        self.sign(self.ec)
        self.write(first | {"signatures": first["signatures"] + [self.envelope()["signatures"][0] | {"keyid": "second"}]})
        self.assertIn("too-few-signatures", self.import_manifest(*self.BOTH, status=6))

    def test_a_key_that_nobody_trusts_is_refused(self):
        self.sign(self.ed)
        self.assertIn("too-few-signatures", self.import_manifest("--key", "ec.key.pub", status=6))

    def test_a_payload_that_is_not_canonical_is_refused(self):
        envelope = self.envelope()
        spaced = base64.b64decode(envelope["payload"]).replace(b'"serial":1', b'"serial": 1')
        self.write(envelope | {"payload": base64.b64encode(spaced).decode()})
        self.sign(self.ed)
        self.assertIn("what is signed is not a manifest", self.import_manifest("--key", "ed.key.pub", status=1))

    def test_what_nobody_signed_is_refused(self):
        self.assertIn("nobody has signed it", self.import_manifest("--key", "ed.key.pub", status=6))


class Keysets(Exchange):
    """The same for keysets whose two roots must both sign."""

    ROOTS = ("--root", "ed=ed.key.pub", "--root", "ec=ec.key.pub", "--root-threshold", 2)
    SIGNERS = ("--signer", "ed=ed.key.pub", "--threshold", 1, "--audience", "test")
    DATES = ("--issued-at", "2026-11-21", "--expires", "2027-11-21")

    def make(self, *options):
        self.pintle("keyset", "init", "-o", "1.keyset.json", *self.ROOTS, *self.SIGNERS, *self.DATES, *options)
        self.pintle("export", "dsse", "1.keyset.json", "-o", "envelope.json")

    def sign(self, *signers):
        for signer in signers:
            add_signature(self.path("envelope.json"), signer)

    def import_keyset(self, *options, status=0):
        output = self.pintle("import", "dsse", "envelope.json", "-o", "imported.json", *options, status=status)
        if status:
            self.assertFalse(self.path("imported.json").exists(), "a refused envelope leaves no file")
        return output

    def test_what_pintle_signed_verifies(self):
        self.make("--sign-key", "ed.key", "--sign-key", "ec.key")
        payload = verify(self.path("envelope.json"), self.keys, 2)
        self.assertTrue(self.read("1.keyset.json").endswith(b',"signed":' + payload + b"}"))
        self.write(self.envelope() | {"payloadType": MANIFEST})
        with self.assertRaises(VerificationError):
            verify(self.path("envelope.json"), self.keys, 1)

    def test_what_securesystemslib_signed_is_trusted(self):
        for signers in [(self.ec, self.ed), self.renamed]:
            self.make()
            self.sign(*signers)
            self.import_keyset(*self.BOTH)
            self.pintle("verify", "imported.json", "--at", "2026-11-22")
            signatures = json.loads(self.read("imported.json"))["signatures"]
            self.assertEqual([each["keyid"] for each in signatures], sorted(key.keyid for key in self.keys))
            self.path("imported.json").unlink()
            # A keyset contains the keys of its signatures.
            self.import_keyset()
            self.pintle("verify", "imported.json", "--at", "2026-11-22")
            self.path("imported.json").unlink()
            self.path("1.keyset.json").unlink()

    def test_the_next_version_is_verified_by_the_one_before(self):
        self.make("--sign-key", "ed.key", "--sign-key", "ec.key")
        self.pintle("key", "new.key")
        self.pintle(
            "keyset", "next", "1.keyset.json", "-o", "2.keyset.json", "--add-root", "new=new.key.pub", "--remove-root", "ec",
            "--issued-at", "2026-11-22", "--expires", "2027-11-22")
        self.pintle("export", "dsse", "2.keyset.json", "-o", "envelope.json")
        self.sign(self.ed, self.signer("new.key"))
        # The new roots' threshold is reached, and the old ones' isn't.
        self.assertIn("too-few-signatures", self.import_keyset("--keyset", "1.keyset.json", status=6))
        self.sign(self.renamed[1])
        self.import_keyset("--keyset", "1.keyset.json")
        self.pintle("verify", "1.keyset.json", "imported.json", "--at", "2026-11-23")

    def test_what_is_wrong_is_refused(self):
        self.make()
        self.sign(self.ec)
        self.assertIn("too-few-signatures", self.import_keyset(*self.BOTH, status=6))
        right = self.envelope()
        self.write(right | {"payloadType": MANIFEST})
        self.assertIn("what is signed is not a manifest", self.import_keyset(status=1))
        changed = base64.b64decode(right["payload"]).replace(b'"serial-epoch":1', b'"serial-epoch":2')
        self.assertNotEqual(base64.b64encode(changed).decode(), right["payload"])
        self.write(right | {"payload": base64.b64encode(changed).decode()})
        self.assertIn("doesn't fit the signed bytes", self.import_keyset(status=6))


class Authorities(Exchange):
    """Files of authorities, signed by either side, under a keyset whose two signers must both sign."""

    FILE = ROOT / "authorities" / "lets-encrypt.yaml"

    def setUp(self):
        super().setUp()
        self.pintle(
            "keyset", "init", "-o", "1.keyset.json", "--root", "ed=ed.key.pub", "--root-threshold", 1, "--signer",
            "ed=ed.key.pub", "--signer", "ec=ec.key.pub", "--threshold", 2, "--audience", "test", "--issued-at", "2026-11-21",
            "--expires", "2027-11-21", "--sign-key", "ed.key")

    def accept(self, status=0):
        return self.pintle(
            "authorities", "show", "lets-encrypt", "--authorities", "envelope.json", "--authorities-keyset",
            "1.keyset.json", "--at", "2027-06-01", status=status)

    def test_what_pintle_signed_verifies(self):
        self.pintle("sign", self.FILE, "--sign-key", "ed.key", "--sign-key", "ec.key", "-o", "envelope.json")
        self.assertEqual(verify(self.path("envelope.json"), self.keys, 2), self.FILE.read_bytes())
        self.assertEqual(self.envelope()["payloadType"], AUTHORITIES)

    def test_what_securesystemslib_signed_is_accepted(self):
        for signers in [(self.ed, self.ec), self.renamed]:
            envelope = Envelope(self.FILE.read_bytes(), AUTHORITIES, {})
            for signer in signers:
                envelope.sign(signer)
            self.write(envelope.to_dict())
            self.assertIn("isrg-root-x1", self.accept())

    def test_signatures_of_both_sides_count_together(self):
        self.pintle("sign", self.FILE, "--sign-key", "ed.key", "-o", "envelope.json")
        self.assertIn("too-few-signatures", self.accept(status=6))
        add_signature(self.path("envelope.json"), self.ec)
        self.assertIn("isrg-root-x1", self.accept())
        self.pintle("sign", self.FILE, "--sign-key", "ed.key", "-o", "envelope.json")
        self.assertEqual(len(self.envelope()["signatures"]), 2)

    def test_a_signature_over_another_type_is_refused(self):
        envelope = Envelope(self.FILE.read_bytes(), MANIFEST, {})
        for signer in (self.ed, self.ec):
            envelope.sign(signer)
        self.write(envelope.to_dict() | {"payloadType": AUTHORITIES})
        self.assertIn("doesn't fit the signed bytes", self.accept(status=6))


if __name__ == "__main__":
    unittest.main(verbosity=2)
