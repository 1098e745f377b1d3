#!/usr/bin/env python3
"""Renewals by certbot from pebble, Debian's ACME server for tests: what `pintle check --renewals` says before, and what
becomes of the pinned key.

    Tests/Programs/Renewals/test_renewals.py

Everything is on loopback. PINTLE is the program; the one on the path unless set.
"""

import base64
import hashlib
import json
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
import urllib.request

PINTLE = os.environ.get("PINTLE", "pintle")
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


def free_ports(count):
    """Ports that nobody listens on now; all are held until the last is known, so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class RenewalTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.base)
        # pebble's own certificate, which certbot has to trust.
        cls.execute("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                    "pebble.key", "-out", "pebble.pem", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-days", "2")
        cls.start_pebble()
        for name, options in ((KEEPS, ["--reuse-key"]), (CHANGES, [])):
            cls.certbot("certonly", "--manual", "--manual-auth-hook", "/bin/true", "--preferred-challenges", "http",
                        "--agree-tos", "--register-unsafely-without-email", "-d", name, *options)
        keys = cls.base / "policies/keys"
        keys.mkdir(parents=True)
        for name in (KEEPS, CHANGES):
            shutil.copy(cls.live(name) / "cert.pem", keys / f"{name}.pem")
        context = ssl.create_default_context(cafile=str(cls.base / "pebble.pem"))
        with urllib.request.urlopen(f"https://127.0.0.1:{cls.management}/roots/0", context=context) as answer:
            (keys / "root.pem").write_bytes(answer.read())
        expires = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 90 * 86400))
        (cls.base / "policies/policy.yaml").write_text(
            POLICY.format(keeps=KEEPS, changes=CHANGES, expires=expires))
        cls.pintle("key", "release.key")
        cls.pintle("build", "policies", "-o", "m.json", "--sign-key", "release.key", "--serial", "1", "--issued-at", "now")

    @classmethod
    def start_pebble(cls):
        """Another program may take a port before pebble does: then others are tried."""
        for _ in range(5):
            cls.port, cls.management, http, tls = free_ports(4)
            settings = {
                "listenAddress": f"127.0.0.1:{cls.port}", "managementListenAddress": f"127.0.0.1:{cls.management}",
                "certificate": str(cls.base / "pebble.pem"), "privateKey": str(cls.base / "pebble.key"), "httpPort": http,
                "tlsPort": tls, "ocspResponderURL": "", "externalAccountBindingRequired": False}
            (cls.base / "pebble.json").write_text(json.dumps({"pebble": settings}))
            # No challenge is fetched, and no order waits or is refused by chance.
            environment = dict(os.environ, PEBBLE_VA_ALWAYS_VALID="1", PEBBLE_VA_NOSLEEP="1", PEBBLE_WFE_NONCEREJECT="0",
                               PEBBLE_AUTHZREUSE="100")
            with open(cls.base / "pebble.log", "w") as log:
                process = subprocess.Popen(["pebble", "-config", "pebble.json"], cwd=cls.base, env=environment, stdout=log,
                                           stderr=subprocess.STDOUT)
            end = time.monotonic() + 20
            while process.poll() is None and time.monotonic() < end:
                if all(cls.listens(port) for port in (cls.port, cls.management)):
                    cls.addClassCleanup(cls.stop, process)
                    return
                time.sleep(0.05)
            cls.stop(process)
        raise RuntimeError("pebble doesn't start: " + (cls.base / "pebble.log").read_text())

    @staticmethod
    def listens(port):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            return False

    @staticmethod
    def stop(process):
        process.terminate()
        process.wait(20)

    @classmethod
    def execute(cls, *command, status=(0,), **environment):
        result = subprocess.run(command, cwd=cls.base, env=dict(os.environ, **environment), capture_output=True, text=True,
                                timeout=120)
        if result.returncode not in status:
            raise AssertionError(f"{command}: {result.returncode}\n{result.stdout}\n{result.stderr}")
        return result

    @classmethod
    def certbot(cls, *arguments):
        cls.execute("certbot", "--config-dir", "le", "--work-dir", "work", "--logs-dir", "logs", "--server",
                    f"https://127.0.0.1:{cls.port}/dir", "--non-interactive", *arguments,
                    REQUESTS_CA_BUNDLE=str(cls.base / "pebble.pem"))

    @classmethod
    def renew(cls):
        cls.certbot("renew", "--force-renewal", "--no-random-sleep-on-renew")

    @classmethod
    def pintle(cls, *arguments, status=(0,)):
        return cls.execute(PINTLE, *arguments, status=status)

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
