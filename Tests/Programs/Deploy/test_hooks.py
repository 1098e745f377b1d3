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
        # Keys from above, other hosts.
        for name, key, host in (("moved", "two", "www.example.com"), ("wild", "two", "*.example.com"),
                                ("wild-strange", "strange", "*.example.com")):
            (cls.base / "names").write_text(f"subjectAltName=DNS:{host}\n")
            cls.execute("openssl", "x509", "-req", "-in", f"{key}.csr", "-CA", "root.pem", "-CAkey", "root.key", "-days", "90",
                        "-extfile", "names", "-out", f"{name}.pem")
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
                "acme.sh": {"Le_Domain": HOST, "CERT_FULLCHAIN_PATH": str(lineage / "fullchain.pem"), "CERT_KEY_PATH": key},
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
            ("PINTLE_RELEASED=/nowhere", "'/nowhere' isn't a folder"),
            ("PINTLE_OPTIONS=", "doesn't set PINTLE_OPTIONS"),
            ("PINTLE_ACCEPT_LOCKOUT=ended", "PINTLE_ACCEPT_LOCKOUT requires PINTLE_RECORD"),
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

    def test_one_release_is_not_enough(self):
        self.configure("true", f"PINTLE_RELEASED={self.base}/released/1.json")
        self.expect_refusal(self.gate("one", 1), "isn't a folder")

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

    def test_check_accepts_no_lockout(self):
        record = self.place / "lockouts.jsonl"
        self.configure("true", "PINTLE_ACCEPT_LOCKOUT='it ended at two'", f"PINTLE_RECORD={record}")
        self.gate("strange", 1, None, "--check")
        self.assertFalse(record.exists())

    def test_check_of_what_is_installed(self):
        self.gate("one")
        self.configure("true", "PINTLE_COMMAND=false")
        self.gate("one")
        self.gate("one", 1, None, "--check")

    def expect_old_files(self):
        self.assertEqual(self.installed(), self.text("one.pem"))
        self.assertEqual(self.installed(file="privkey.pem"), self.text("one.key"))
        hidden = {path.name for path in (self.place / "installed" / HOST).glob(".*") if path.is_file()}
        self.assertLessEqual(hidden, {".reloaded"})

    def test_files_that_cannot_be_written(self):
        self.gate("one")
        with self.subTest("group"):
            self.configure("touch $CALLS.reload", "PINTLE_GROUP=nosuch")
            self.expect_refusal(self.gate("two", 1), "can't write to")
            self.expect_old_files()
        self.configure("touch $CALLS.reload")
        with self.subTest("second file"):
            self.program("mv", 'case $3 in */fullchain.pem) echo "disk is full" >&2; exit 1 ;; esac; exec /bin/mv "$@"')
            self.assertIn("disk is full", self.expect_refusal(self.gate("two", 1), "can't write to"))
            self.expect_old_files()
        with self.subTest("nor put back"):
            self.program("mv", 'case $3 in */fullchain.pem) >"$CALLS.full" ;; esac; '
                               '[ ! -e "$CALLS.full" ] && exec /bin/mv "$@"; exit 1')
            self.assertIn("can't write to", (result := self.gate("two", 1)).stderr)
            self.assertIn("the old files could not be put back", result.stderr)
        (self.bin / "mv").unlink()
        self.gate("one")
        (self.place / "calls.reload").unlink()
        with self.subTest("no file"):
            # Root may write into each folder, but not over this one.
            (self.place / "installed" / HOST / ".privkey.pem/folder").mkdir(parents=True)
            self.expect_refusal(self.gate("two", 1), "can't write to")
            self.expect_old_files()
        self.assertFalse((self.place / "calls.reload").exists())

    def test_hosts_besides_those_of_the_new_certificate(self):
        moved = (HOST, self.base / "moved.pem", self.base / "two.key")
        self.hook("gate", "--check", *moved)
        with self.subTest("the installed certificate has one more"):
            self.gate("one")
            self.assertIn(f"the gate says no for {HOST}", self.expect_refusal(self.hook("gate", *moved, status=1)))
        with self.subTest("the settings add one, and take none away"):
            self.configure("true", "PINTLE_HOSTS=www.example.com")
            self.assertIn(f"the gate says no for {HOST}", self.expect_refusal(self.gate("strange", 1)))
            self.configure("true", f"PINTLE_HOSTS='www.example.com {HOST}'")
            self.expect_refusal(self.hook("gate", "www", *moved[1:], status=1))
            self.configure("true", f"case $name in {HOST}) PINTLE_HOSTS={HOST} ;; esac")
            self.hook("gate", "www", *moved[1:])
        with self.subTest("a wildcard"):
            self.configure("true")
            self.assertIn("'*.example.com' is a wildcard", self.expect_refusal(self.gate("wild", 1, "two"), ""))
            self.configure("true", "PINTLE_HOSTS=www.example.org")
            self.assertIn("'*.example.com' is a wildcard", self.expect_refusal(self.gate("wild", 1, "two"), ""))
            self.configure("true", f"PINTLE_HOSTS='www.example.com {HOST}:443'")
            self.expect_refusal(self.gate("wild-strange", 1, "strange"))
            self.gate("wild", 0, "two")

    def test_interrupted(self):
        self.gate("one")
        temporary = self.place / "tmp"
        temporary.mkdir()
        with self.subTest("ended while the server reloads"):
            self.configure("kill -TERM $PPID")
            files = (HOST, self.base / "two.pem", self.base / "two.key")
            self.expect_refusal(self.hook("gate", *files, status=1, TMPDIR=str(temporary)), "interrupted")
            self.assertEqual(list(temporary.iterdir()), [])
            self.expect_old_files()
        with self.subTest("killed"):
            for last in ("one", "two"):
                self.configure("true")
                self.gate("one")
                self.configure("kill -KILL $PPID")
                self.gate("two", -9)
                self.assertFalse((self.place / "installed" / HOST / ".reloaded").exists())
                self.configure("echo reload >>$CALLS")
                before = self.calls()
                self.gate(last)
                self.gate(last)
                self.assertEqual(self.calls(), [*before, "reload"])
        with self.subTest("a combined file that is missing or old"):
            self.configure("true", "PINTLE_COMBINED=yes")
            combined = self.place / "installed" / HOST / "combined.pem"
            for spoil in (lambda: None, combined.unlink, lambda: combined.write_text("old")):
                spoil()
                self.gate("two")
                self.assertEqual(combined.read_text(), self.text("two.pem") + self.text("two.key"))

    def test_renew_after_an_interrupted_gate(self):
        self.program("certbot", 'echo certbot >>"$CALLS"; exit 1')
        self.configure("true", f"PINTLE_KEYS={self.place}/keys")
        self.gate("one")
        self.hook("renew", HOST, HOST)
        self.assertEqual(self.calls(), [])
        (self.place / "installed" / HOST / ".reloaded").unlink()
        self.hook("renew", HOST, HOST, status=1)
        self.assertEqual(self.calls(), ["certbot"])

    def test_certbot_without_files(self):
        self.expect_refusal(self.hook("certbot", status=1, RENEWED_LINEAGE=f"{self.place}/nowhere"), "can't read")
        self.hook("certbot", CERTBOT_CONFIG=str(self.place))
        (self.place / "live/empty").mkdir(parents=True)
        self.expect_refusal(self.hook("certbot", status=1, CERTBOT_CONFIG=str(self.place)), "can't read")

    def test_missing_settings(self):
        (self.place / "deploy.conf").unlink()
        self.assertIn("can't read", self.gate("one", 1).stderr)
        self.assertTrue(any(call.startswith("logger -p daemon.err") for call in self.calls()))

    def test_broken_installed_certificate(self):
        self.gate("one")
        path = self.place / "installed" / HOST / "fullchain.pem"
        certificate = self.text("one.pem")
        for broken in ("", certificate[:300], certificate + certificate[:300], certificate + certificate.replace("M", "!", 2)):
            with self.subTest(broken):
                path.write_text(broken)
                self.gate("two")
                self.assertEqual(self.installed(), self.text("two.pem"))

    def test_names(self):
        for name in ("../evil", "a/b", ".", "..", ".hidden", ""):
            with self.subTest(name):
                result = self.hook("gate", name, self.base / "one.pem", self.base / "one.key", status=1)
                self.expect_refusal(result, "a name can't")
        self.assertFalse((self.place / "installed").exists())
        self.assertFalse((self.place / "evil").exists())

    def test_both_kinds_of_key_of_acme_sh(self):
        for folder in (HOST, f"{HOST}_ecc"):
            (self.place / folder).mkdir()
            chain = shutil.copy(self.base / "one.pem", self.place / folder / "fullchain.cer")
            self.hook("acme.sh", Le_Domain=HOST, CERT_FULLCHAIN_PATH=str(chain), CERT_KEY_PATH=str(self.base / "one.key"))
            self.assertEqual(self.installed(folder), self.text("one.pem"))


if __name__ == "__main__":
    unittest.main()
