"""python -m pintle decide with a folder of releases, compared with `pintle decide`."""

import contextlib
import datetime
import io
import itertools
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import tempfile

import scenes

from pintle import _deploy
from pintle.__main__ import main

HOST = "api.example.com"
POLICY = """version: 1
owner: web@example.com
manifest: {{ audience: {audience}, on-stale: {on_stale}, unpinned-hosts: {unpinned}, expires-after: 20d }}
keys:
  a: {{ file: keys/a.csr, position: leaf, custody: disk, created: 2026-01-01 }}
  b: {{ file: keys/b.csr, position: leaf, custody: disk, created: 2026-01-01 }}
  spare: {{ pin: "sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs=", position: leaf, custody: safe, created: 2026-01-01 }}
hosts:
  - host: {host}
    keys: {{ active: [{keys}], backup: [spare] }}
    expires: {expires}
    on-expiry: {on_expiry}
"""
PLAIN = {"audience": "test", "on_stale": "enforce", "unpinned": "allow", "host": HOST, "keys": "a", "expires": 300,
         "on_expiry": "enforce"}


class DeployTests(scenes.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.base)
        cls.today = datetime.datetime.now(datetime.timezone.utc).date() + datetime.timedelta(days=1)
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        cls.execute("openssl", "req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ca", "-days", "900",
                    "-addext", "keyUsage=critical,keyCertSign")
        (cls.base / "policies/keys").mkdir(parents=True)
        for name, days in (("a", "90"), ("b", "40")):
            cls.execute("openssl", "req", "-new", *curve, "-keyout", f"{name}.key", "-out", f"policies/keys/{name}.csr",
                        "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}")
            cls.execute("openssl", "x509", "-req", "-in", f"policies/keys/{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
                        "-days", days, "-copy_extensions", "copy", "-out", f"{name}.pem")
        cls.execute(scenes.PINTLE, "key", "release.key")

    @classmethod
    def execute(cls, *command, **environment):
        result = subprocess.run([str(word) for word in command], cwd=cls.base, env=dict(os.environ, **environment),
                                capture_output=True, text=True)
        if result.returncode:
            raise AssertionError(f"{command}: {result.stdout}{result.stderr}")

    def date(self, day):
        return (self.today + datetime.timedelta(days=day)).isoformat()

    def releases(self, name, *specifications):
        """A folder of releases: the day of each, and what is special about it."""
        folder = self.base / name
        folder.mkdir()
        for serial, (day, changes) in enumerate(specifications, 1):
            fields = dict(PLAIN, **changes)
            fields["expires"] = self.date(fields["expires"])
            (self.base / "policies/policy.yaml").write_text(POLICY.format(**fields))
            place = folder / fields["audience"] if any("audience" in other for _, other in specifications) else folder
            place.mkdir(exist_ok=True)
            self.execute(
                scenes.PINTLE, "build", "policies", "-o", place / f"{serial}.json", "--sign-key", "release.key", "--serial",
                serial, "--issued-at", self.date(day))
        return folder

    def run_main(self, *arguments):
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                status = main([str(argument) for argument in arguments])
            except SystemExit as left:
                status = left.code
        return status, output.getvalue(), errors.getvalue()

    def options(self, folder, chain, day, *more):
        return ["decide", HOST, "--manifest", folder, "--key", self.base / "release.key.pub", "--chain",
                self.base / f"{chain}.pem", "--anchors", self.base / "ca.pem", "--at", self.date(day), *more]

    def test_same_as_the_tool(self):
        worlds = {
            "one": [(0, {})],
            "added": [(-30, {}), (-5, {"keys": "a, b"})],
            "removed": [(-30, {"keys": "a, b"}), (-5, {"keys": "b"})],
            "blocks-when-stale": [(-30, {"on_stale": "block"}), (-5, {"on_stale": "block", "keys": "a, b"})],
            "unpins-when-stale": [(-30, {"on_stale": "unpinned", "unpinned": "deny"}), (-5, {"keys": "b"})],
            "expires-and-blocks": [(0, {"keys": "a, b", "expires": 20, "on_expiry": "block"})],
            "expires-and-unpins": [(0, {"keys": "a, b", "expires": 20, "on_expiry": "unpinned"})],
            "expires-and-reports": [(0, {"keys": "b", "expires": 20, "on_expiry": "report-only"})],
            "another-host": [(0, {"host": "www.example.com"})],
            "denied-host": [(0, {"host": "www.example.com", "unpinned": "deny"})],
            "audiences": [(-9, {"audience": "production", "keys": "b"}), (-9, {"audience": "staging"})],
        }
        verdicts = set()
        for name, specifications in worlds.items():
            folder = self.releases(name, *specifications)
            questions = itertools.product("ab", (0, 10, 95), ([], ["--client-max-age", "7d"], ["--served", self.base / "a.pem"]))
            for chain, day, more in questions:
                with self.subTest(name, chain=chain, day=day, more=more):
                    given = self.options(folder, chain, day, *more)
                    tool = subprocess.run([scenes.PINTLE, *map(str, given)], capture_output=True, text=True)
                    status, output, errors = self.run_main(*given)
                    self.assertEqual(status, tool.returncode, output + errors)
                    self.assertEqual(output.splitlines()[0], tool.stdout.splitlines()[0])
                    wanted = json.loads(subprocess.run(
                        [scenes.PINTLE, *map(str, given), "--format", "json"], capture_output=True, text=True).stdout)
                    found = json.loads(self.run_main(*given, "--format", "json")[1])
                    for field in ("target", "at", "verdict"):
                        self.assertEqual(found[field], wanted[field])

                    def lines(facts):
                        return [tuple(one[field] for field in ("audience", "serial", "from", "because", "counts"))
                                for one in facts["lockouts"]]

                    self.assertEqual(lines(found), lines(wanted))
                    verdicts.add((status, found["verdict"]))
        self.assertEqual(verdicts, {(0, "accepted"), (4, "locks-out"), (0, "not-pinned")})

    def test_accepted_lockout(self):
        folder, record = self.releases("night", (0, {})), self.base / "lockouts.jsonl"
        more = ["--accept-lockout", "it ended", "--record", record]
        self.assertEqual(self.run_main(*self.options(folder, "b", 0, *more))[0], 0)
        line = json.loads(record.read_text())
        self.assertEqual((line["format"], line["acceptedBecause"]), ("pintle-accepted-lockout", "it ended"))
        # Nothing is recorded where nobody is locked out, and nothing is accepted without a record.
        self.assertEqual(self.run_main(*self.options(folder, "a", 0, *more))[0], 0)
        self.assertEqual(len(record.read_text().splitlines()), 1)
        status, _, errors = self.run_main(*self.options(folder, "b", 0, *more[:3], self.base / "nowhere/x"))
        self.assertEqual(status, 1)
        self.assertIn("the lockout isn't accepted", errors)

    def test_keysets(self):
        """Any version of a folder's keysets may endorse a release, as with the tool."""
        folder, keysets = self.releases("endorsed", (-9, {}), (-5, {"keys": "a, b"})), self.base / "keysets"
        keysets.mkdir()
        self.execute(scenes.PINTLE, "key", "root.key")
        self.execute(
            scenes.PINTLE, "keyset", "init", "-o", keysets / "1.keyset.json", "--audience", "test", "--root",
            "root=root.key.pub", "--root-threshold", "1", "--signer", "ci=release.key.pub", "--threshold", "1",
            "--issued-at", self.date(-20), "--expires", self.date(300), "--sign-key", "root.key")
        given = ["decide", HOST, "--manifest", folder, "--keyset", keysets, "--chain", self.base / "b.pem", "--anchors",
                 self.base / "ca.pem", "--client-max-age", "10d", "--at"]
        for day, wanted in ((0, 4), (5, 0)):
            self.assertEqual(self.run_main(*given, self.date(day))[0], wanted)
            tool = subprocess.run([scenes.PINTLE, *map(str, given), self.date(day)], capture_output=True, text=True)
            self.assertEqual(tool.returncode, wanted, tool.stderr)

    def test_refused(self):
        folder = self.releases("plain", (0, {}))
        rows = [
            (["--role", "client"], 64, "--role client is about one manifest"),
            (["--accept-lockout", "x"], 64, "are given together"),
            (["--client-max-age", "soon"], 64, "--client-max-age"),
            (["--audience", "other"], 1, "no released manifest for the audience 'other'"),
        ]
        for more, wanted, words in rows:
            with self.subTest(more):
                status, _, errors = self.run_main(*self.options(folder, "a", 0, *more))
                self.assertEqual(status, wanted)
                self.assertIn(words, errors)
        changed = folder / "2.json"
        changed.write_text((folder / "1.json").read_text().replace(HOST, "bad.example.com"))
        status, _, errors = self.run_main(*self.options(folder, "a", 0))
        self.assertEqual(status, 6)
        self.assertIn("2.json' is rejected", errors)

    def test_dates_of_certificates(self):
        for path in (scenes.ROOT / "Tests/Fixtures/examples/keys").glob("*root.pem"):
            der = ssl.PEM_cert_to_DER_cert(path.read_text())
            told = subprocess.run(["openssl", "x509", "-in", str(path), "-noout", "-dates", "-dateopt", "iso_8601"],
                                  capture_output=True, text=True, check=True).stdout
            wanted = [line.split("=")[1].replace(" ", "T") for line in told.splitlines()]
            self.assertEqual([_deploy.written(date) for date in _deploy.dates(der)], wanted)
        self.assertIsNone(_deploy.dates(b"\x30\x03abc"))
