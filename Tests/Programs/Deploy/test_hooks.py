#!/usr/bin/env python3
"""The hooks of examples/deploy: each with a certificate that the gate accepts, and with one that it doesn't.

    Tests/Programs/Deploy/test_hooks.py

Of ACME clients and servers, only what they set and run is imitated; everything is in a folder of its own. PINTLE is the
program; the one on the path unless set.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
HOOKS = ROOT / "examples/deploy"
PINTLE = os.environ.get("PINTLE", "pintle")
HOST = "api.example.com"
POLICY = f"""version: 1
manifest: {{ audience: test }}
defaults: {{ expires: 2027-10-01, on-expiry: report-only }}
keys:
  one: {{ file: keys/one.csr, position: leaf, custody: a disk, created: 2026-11-01 }}
  two: {{ file: keys/two.csr, position: leaf, custody: a disk, created: 2026-11-01 }}
  spare: {{ pin: "sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs=", position: leaf, custody: a safe, created: 2026-11-01 }}
hosts:
  - host: {HOST}
    keys: {{ active: [one], backup: [spare, two] }}
    trust: {{ anchors: [keys/root.pem] }}
"""


class HookTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.base)
        cls.execute("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                    "root.key", "-out", "root.pem", "-subj", "/CN=root", "-days", "400", "-addext",
                    "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign")
        (cls.base / "policies/keys").mkdir(parents=True)
        for name in ("one", "two", "strange"):
            cls.execute("openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                        f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}")
            cls.execute("openssl", "x509", "-req", "-in", f"{name}.csr", "-CA", "root.pem", "-CAkey", "root.key", "-days", "90",
                        "-copy_extensions", "copy", "-out", f"{name}.pem")
            shutil.copy(cls.base / f"{name}.csr", cls.base / "policies/keys")
        shutil.copy(cls.base / "root.pem", cls.base / "policies/keys")
        (cls.base / "policies/policy.yaml").write_text(POLICY)
        cls.execute(PINTLE, "key", "release.key")
        (cls.base / "released").mkdir()
        cls.execute(PINTLE, "build", "policies", "-o", "released/1.json", "--sign-key", "release.key", "--serial", "1",
                    "--issued-at", "now")

    @classmethod
    def execute(cls, *command, status=(0,), **environment):
        result = subprocess.run([str(word) for word in command], cwd=cls.base, env=dict(os.environ, **environment),
                                capture_output=True, text=True, timeout=120)
        if result.returncode not in status:
            raise AssertionError(f"{command}: {result.returncode}\n{result.stdout}\n{result.stderr}")
        return result

    def setUp(self):
        """Settings, and programs that write down how they were started."""
        self.place = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        self.bin = self.place / "bin"
        self.bin.mkdir()
        for name in ("nginx", "haproxy", "caddy", "systemctl", "logger"):
            self.program(name, 'echo "$(basename "$0") $*" >>"$CALLS"')
        self.configure("true")

    def program(self, name, text):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def configure(self, reload, *lines):
        (self.place / "deploy.conf").write_text("\n".join([
            f"PINTLE_RELEASED={self.base}/released", f"PINTLE_OPTIONS='--key {self.base}/release.key.pub'",
            f"PINTLE_INSTALLED={self.place}/installed", f"PINTLE_COMMAND='{PINTLE} decide'", f"PINTLE_RELOAD='{reload}'",
            f"PINTLE_ALARM='cat >{self.place}/alarm'", *lines, ""]))

    def hook(self, name, *arguments, status=0, **environment):
        return self.execute(
            HOOKS / name, *arguments, status=(status,), PINTLE_DEPLOY=str(self.place / "deploy.conf"),
            PATH=f"{self.bin}:{os.environ['PATH']}", CALLS=str(self.place / "calls"), **environment)

    def installed(self, name=HOST, file="fullchain.pem"):
        path = self.place / "installed" / name / file
        return path.read_text() if path.exists() else None

    def text(self, name):
        return (self.base / name).read_text()

    def calls(self):
        path = self.place / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def expect_refusal(self, result, because="the gate says no"):
        self.assertIn(because, result.stderr)
        self.assertIn("the old certificate stays", result.stderr)
        alarm = (self.place / "alarm").read_text()
        self.assertIn("the old certificate stays", alarm)
        self.assertTrue(any(call.startswith("logger -p daemon.err") for call in self.calls()))
        return alarm

    def test_each_client(self):
        """What each ACME client sets: a new key that all clients accept, and one that they don't."""
        lineage = self.place / "live" / HOST
        lineage.mkdir(parents=True)

        def start(client, name):
            chain, key = str(self.base / f"{name}.pem"), str(self.base / f"{name}.key")
            shutil.copy(chain, lineage / "fullchain.pem")
            shutil.copy(key, lineage / "privkey.pem")
            environments = {
                "certbot": {"RENEWED_LINEAGE": str(lineage), "RENEWED_DOMAINS": HOST},
                # By a timer, for all lineages.
                "certbot again": {"CERTBOT_CONFIG": str(self.place)},
                "lego": {"LEGO_HOOK_CERT_NAME": HOST, "LEGO_HOOK_CERT_PATH": chain, "LEGO_HOOK_CERT_KEY_PATH": key},
                "lego 4": {"LEGO_CERT_DOMAIN": HOST, "LEGO_CERT_PATH": chain, "LEGO_CERT_KEY_PATH": key},
                "acme.sh": {"Le_Domain": HOST, "CERT_FULLCHAIN_PATH": chain, "CERT_KEY_PATH": key},
            }
            return environments[client]

        for client in ("certbot", "certbot again", "lego", "lego 4", "acme.sh"):
            with self.subTest(client):
                shutil.rmtree(self.place / "installed", ignore_errors=True)
                (self.place / "alarm").unlink(missing_ok=True)
                hook = client.split()[0]
                self.hook(hook, **start(client, "one"))
                self.assertEqual(self.installed(), self.text("one.pem"))
                result = self.hook(hook, status=1, **start(client, "strange"))
                alarm = self.expect_refusal(result)
                self.assertIn("LOCKS OUT", alarm)
                self.assertIn("served now", alarm)
                self.assertEqual(self.installed(), self.text("one.pem"))
                self.assertEqual(self.installed(file="privkey.pem"), self.text("one.key"))
                self.hook(hook, **start(client, "two"))
                self.assertEqual(self.installed(), self.text("two.pem"))
                self.assertEqual(self.installed(file="privkey.pem"), self.text("two.key"))

    def gate(self, name, status=0, key=None, *options):
        return self.hook("gate", *options, HOST, self.base / f"{name}.pem", self.base / f"{key or name}.key", status=status)

    def test_each_server(self):
        for server, calls in (
            ("nginx", ["nginx -t", "nginx -s reload"]),
            ("haproxy", ["haproxy -c -f /etc/haproxy/haproxy.cfg", "systemctl reload haproxy"]),
            ("caddy", ["caddy validate --config /etc/caddy/Caddyfile",
                       "caddy reload --config /etc/caddy/Caddyfile --force"]),
        ):
            with self.subTest(server):
                self.setUp()
                self.configure(HOOKS / server, "PINTLE_COMBINED=yes")
                self.gate("one")
                self.assertEqual(self.calls(), calls)
                self.assertEqual(self.installed(file="combined.pem"), self.text("one.pem") + self.text("one.key"))
                # It is installed, so nothing is done.
                self.gate("one")
                self.assertEqual(self.calls(), calls)
                self.gate("strange", 1)
                self.assertEqual([call for call in self.calls() if not call.startswith("logger")], calls)
                # A server that doesn't take the files has the old ones after it.
                self.program(server, "echo broken >&2; exit 1")
                self.assertIn("broken", self.expect_refusal(self.gate("two", 1), "the server doesn't take it"))
                self.assertEqual(self.installed(), self.text("one.pem"))
                self.assertEqual(self.installed(file="privkey.pem"), self.text("one.key"))

    def test_what_nobody_can_tell(self):
        self.gate("one")
        rows = [
            ("PINTLE_RELEASED=/nowhere", "can't read '/nowhere'"),
            (f"PINTLE_OPTIONS='--key {self.base}/missing.pub'", "missing.pub"),
            ("PINTLE_COMMAND=/nowhere/pintle", "not found"),
            ("PINTLE_HOSTS='*.example.com'", "'*.example.com' is a wildcard"),
        ]
        for line, words in rows:
            with self.subTest(line):
                self.configure("true", line)
                self.assertIn(words, self.expect_refusal(self.gate("two", 1), "the old certificate stays"))
                self.assertEqual(self.installed(), self.text("one.pem"))
        self.configure("true")
        self.expect_refusal(self.gate("two", 1, "one"), "isn't the key of")
        self.expect_refusal(self.gate("missing", 1), "can't read")
        self.assertEqual(self.installed(), self.text("one.pem"))

    def test_check_says_nothing_to_others(self):
        self.gate("one")
        self.gate("strange", 1, None, "--check")
        self.assertFalse((self.place / "alarm").exists())
        self.gate("two", 0, None, "--check")
        self.assertEqual(self.installed(), self.text("one.pem"))

    def test_the_night_when_it_has_ended(self):
        record = self.place / "lockouts.jsonl"
        self.configure("true", "PINTLE_ACCEPT_LOCKOUT='it ended at two'", f"PINTLE_RECORD={record}")
        self.gate("strange")
        self.assertEqual(self.installed(), self.text("strange.pem"))
        self.assertIn('"acceptedBecause": "it ended at two"', record.read_text())
        self.assertEqual(record.read_text().count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
