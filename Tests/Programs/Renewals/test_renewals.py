#!/usr/bin/env python3
"""Renewals by certbot from pebble, Debian's ACME server for tests: what `pintle check --renewals` says before, and what
becomes of the pinned key.

    Tests/Programs/Renewals/test_renewals.py

Everything is on loopback. PINTLE is the program; the one on the path unless set.
"""

import base64
import hashlib
import json
import shutil
import time
import unittest

import pebble

KEEPS, CHANGES = "keeps.example.com", "changes.example.com"
POLICY = """version: 1
manifest: {{ audience: test }}
defaults: {{ expires: {expires}, on-expiry: report-only }}
keys:
  keeps: {{ file: keys/{keeps}.pem }}
  changes: {{ file: keys/{changes}.pem }}
  spare: {{ pin: "sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs=", position: leaf, custody: a safe }}
hosts:
  - host: {keeps}
    keys: {{ active: [keeps], backup: [spare] }}
    trust: {{ anchors: [keys/root.pem] }}
  - host: {changes}
    keys: {{ active: [changes], backup: [spare] }}
    trust: {{ anchors: [keys/root.pem] }}
"""


class RenewalTests(pebble.PebbleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, options in ((KEEPS, ["--reuse-key"]), (CHANGES, [])):
            cls.certbot("certonly", "--manual", "--manual-auth-hook", "/bin/true", "--preferred-challenges", "http",
                        "--agree-tos", "--register-unsafely-without-email", "-d", name, *options)
        keys = cls.base / "policies/keys"
        keys.mkdir(parents=True)
        for name in (KEEPS, CHANGES):
            shutil.copy(cls.live(name) / "cert.pem", keys / f"{name}.pem")
        cls.write_root(keys / "root.pem")
        expires = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 90 * 86400))
        (cls.base / "policies/policy.yaml").write_text(
            POLICY.format(keeps=KEEPS, changes=CHANGES, expires=expires))
        cls.pintle("key", "release.key")
        cls.pintle("build", "policies", "-o", "m.json", "--sign-key", "release.key", "--serial", "1", "--issued-at", "now")

    @classmethod
    def renew(cls):
        cls.certbot("renew", "--force-renewal", "--no-random-sleep-on-renew")

    @classmethod
    def live(cls, name):
        return cls.base / "le/live" / name

    @classmethod
    def pin(cls, name):
        key = cls.execute("openssl", "x509", "-in", str(cls.live(name) / "cert.pem"), "-noout", "-pubkey").stdout
        der = base64.b64decode("".join(key.splitlines()[1:-1]))
        return hashlib.sha256(der).digest()

    def check(self, status, *options):
        """The codes of the findings about renewals and the lines that they are at."""
        result = self.pintle("check", "policies", "--renewals", "le", *options, "--format", "json", status=(status,))
        return [(finding["code"], finding["place"]["path"], finding["place"]["start"]["line"]) for finding in
                json.loads(result.stdout)["findings"] if finding["code"].startswith("P35")]

    def decide(self, name):
        return self.pintle("decide", name, "--manifest", "m.json", "--key", "release.key.pub", "--chain",
                           str(self.live(name) / "fullchain.pem"), status=(0, 4)).returncode

    def test_renewals(self):
        settings = self.base / "le/renewal" / f"{CHANGES}.conf"
        line = settings.read_text().splitlines().index("[renewalparams]") + 1
        # Only the lineage without the option is found, at its section.
        self.assertEqual(self.check(2), [("P351", f"le/renewal/{CHANGES}.conf", line)])
        text = self.pintle("check", "policies", "--renewals", "le", "--record", "renewals.json", status=(2,)).stdout
        self.assertRegex(text, rf"(?m)^{KEEPS} +keeps the key +certbot ")
        self.assertRegex(text, rf"(?m)^{CHANGES} +new key +certbot ")
        record = json.loads((self.base / "renewals.json").read_text())
        self.assertEqual({host["host"]: host["answer"] for host in record["hosts"]}, {KEEPS: "keeps", CHANGES: "new-key"})
        self.pintle("simulate", "policies", "--against", "m.json", "--key", "release.key.pub", "--renewals",
                    "renewals.json", status=(0, 3))
        before = {name: self.pin(name) for name in (KEEPS, CHANGES)}
        self.assertEqual([self.decide(name) for name in (KEEPS, CHANGES)], [0, 0])
        self.renew()
        # The pin survives with the option, and only with it.
        self.assertEqual(self.pin(KEEPS), before[KEEPS])
        self.assertNotEqual(self.pin(CHANGES), before[CHANGES])
        self.assertTrue((self.base / "le/archive" / KEEPS / "cert2.pem").exists())
        self.assertEqual([self.decide(name) for name in (KEEPS, CHANGES)], [0, 4])
        # What the finding advises.
        settings.write_text(settings.read_text().replace("[renewalparams]\n", "[renewalparams]\nreuse_key = True\n"))
        self.assertEqual(self.check(0), [])
        advised = self.pin(CHANGES)
        self.renew()
        self.assertEqual(self.pin(CHANGES), advised)
        # Only 'renew' takes the lineage's settings: 'certonly' makes a new key, and forgets the option.
        (self.base / "cron.d").mkdir()
        (self.base / "cron.d/certbot").write_text(f"@daily root certbot certonly --force-renewal -d {CHANGES}\n")
        self.assertEqual(self.check(2, "cron.d"), [("P351", "cron.d/certbot", 1)])
        self.certbot("certonly", "--manual", "--manual-auth-hook", "/bin/true", "--preferred-challenges", "http",
                     "--force-renewal", "-d", CHANGES)
        self.assertNotEqual(self.pin(CHANGES), advised)
        self.assertNotIn("reuse_key", settings.read_text())
        # Without their certificates, the settings don't say which hosts they are for.
        for folder in ("live", "archive"):
            (self.base / "le" / folder).rename(self.base / folder)
        codes = sorted(code for code, _, _ in self.check(0))
        self.assertEqual(codes, ["P352", "P352", "P353", "P353"])


if __name__ == "__main__":
    unittest.main()
