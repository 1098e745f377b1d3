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
{more}"""
TRUST = "    trust: {{ anchors: [{}.pem], reason: an authority of our own }}\n"
PLAIN = {"audience": "test", "on_stale": "enforce", "unpinned": "allow", "host": HOST, "keys": "a", "expires": 300,
         "on_expiry": "enforce", "more": ""}
PRIVATE = {"more": TRUST.format("own")}


class DeployTests(scenes.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.base)
        cls.today = datetime.datetime.now(datetime.timezone.utc).date() + datetime.timedelta(days=1)
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        # "own" isn't among the anchors of the questions, and "brief" is an anchor that ends before its certificate.
        for name, days in (("ca", "900"), ("own", "900"), ("brief", "30")):
            cls.execute("openssl", "req", "-x509", *curve, "-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj",
                        f"/CN={name}", "-days", days, "-addext", "keyUsage=critical,keyCertSign")
        (cls.base / "policies/keys").mkdir(parents=True)
        shutil.copy(cls.base / "own.pem", cls.base / "policies")
        for name in "ab":
            cls.execute("openssl", "req", "-new", *curve, "-keyout", f"{name}.key", "-out", f"policies/keys/{name}.csr",
                        "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}")
        for name, key, authority, days in (
                ("a", "a", "ca", 90), ("b", "b", "ca", 40), ("a-own", "a", "own", 90), ("a-own-30", "a", "own", 30),
                ("a-own-10", "a", "own", 10), ("a-brief", "a", "brief", 90)):
            cls.execute("openssl", "x509", "-req", "-in", f"policies/keys/{key}.csr", "-CA", f"{authority}.pem", "-CAkey",
                        f"{authority}.key", "-days", str(days), "-copy_extensions", "copy", "-out", f"{name}.pem")
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
            "dated-backwards": [(-5, {}), (-30, {"keys": "b"})],
        }
        verdicts = set()
        for name, specifications in worlds.items():
            folder = self.releases(name, *specifications)
            questions = itertools.product("ab", (0, 10, 95), ([], ["--client-max-age", "7d"], ["--served", self.base / "a.pem"]))
            for chain, day, more in questions:
                facts = self.compare(self.options(folder, chain, day, *more))
                verdicts.add((4 if facts["verdict"] == "locks-out" else 0, facts["verdict"]))
        self.assertEqual(verdicts, {(0, "accepted"), (4, "locks-out"), (0, "not-pinned")})

    def compare(self, given):
        """Asks both, and returns this client's facts."""
        status, output, errors = self.run_main(*given)
        self.assertTrue(output, errors)
        found = json.loads(self.run_main(*given, "--format", "json")[1])
        with self.subTest(given=given):
            tool = subprocess.run([scenes.PINTLE, *map(str, given)], capture_output=True, text=True)
            self.assertEqual(status, tool.returncode, output + errors + tool.stdout + tool.stderr)
            self.assertEqual(output.splitlines()[0], tool.stdout.splitlines()[0])
            wanted = json.loads(subprocess.run(
                [scenes.PINTLE, *map(str, given), "--format", "json"], capture_output=True, text=True).stdout)
            for field in ("target", "at", "verdict"):
                self.assertEqual(found[field], wanted[field])
            self.assertEqual(self.lines(found), self.lines(wanted))
        return found

    def lines(self, facts):
        return [tuple(one[field] for field in ("audience", "serial", "from", "because", "counts"))
                for one in facts["lockouts"]]

    def test_served(self):
        """Where trust decides after an entry's expiry, only a certificate that is still valid then excuses another."""
        folder = self.releases("private", (0, dict(PRIVATE, expires=20, on_expiry="unpinned")))
        every = [True]
        for served, wanted in (
                (None, every), ("a", every), ("a-own", [False]), ("a-own-10", every), ("a-own-30", [False, True])):
            more = [] if served is None else ["--served", self.base / f"{served}.pem"]
            facts = self.compare(self.options(folder, "a-own", 0, *more))
            self.assertEqual([one["counts"] for one in facts["lockouts"]], wanted, served)

    def test_clients_that_do_not_pin(self):
        folder = self.releases("one-pins", (0, PRIVATE), (0, {"host": "www.example.com"}))
        found = self.lines(self.compare(self.options(folder, "a-own", 0)))
        self.assertEqual(found, [("test", 2, self.date(0) + "T00:00:00Z", "no-entry", True)])
        (folder / "1.json").unlink()
        self.assertEqual(self.compare(self.options(folder, "a-own", 0))["verdict"], "not-pinned")

    def test_dated_ahead(self):
        """Clients take a release as soon as it is there, and it hides none that comes behind it."""
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        for name, chain, *specifications in (("ahead", "b", (-30, {"keys": "a, b"}), (0, {})),
                                             ("before-others", "a", (0, {}), (-5, {"keys": "b"}))):
            given = self.options(self.releases(name, *specifications), chain, 0, "--at", now)
            del given[given.index("--at") : given.index("--at") + 2]
            self.assertEqual(self.lines(self.compare(given)), [("test", 2, now, "mismatch", True)])

    def test_end_of_an_anchor(self):
        folder = self.releases("plain-brief", (0, {}))
        found = self.lines(self.compare(self.options(folder, "a-brief", 0, "--anchors", self.base / "brief.pem")))
        end = _deploy.dates(ssl.PEM_cert_to_DER_cert((self.base / "brief.pem").read_text()))[1]
        self.assertEqual([line[2] for line in found], [_deploy.written(end)])

    def test_missing_releases(self):
        folder = self.releases("incomplete", (-20, {"keys": "b"}))
        for serial in (2, 3):
            self.execute(
                scenes.PINTLE, "build", "policies", "-o", folder / f"{serial}.json", "--sign-key", "release.key", "--key",
                "release.key.pub", "--against", folder / f"{serial - 1}.json", "--issued-at", self.date(serial - 20))
        self.assertEqual(self.compare(self.options(folder, "b", 0))["verdict"], "accepted")
        for lacking in (1, 2):
            (folder / f"{lacking}.json").rename(folder / f"{lacking}.kept")
            given = self.options(folder, "b", 0)
            status, _, errors = self.run_main(*given)
            self.assertEqual(status, 1)
            self.assertIn(f"the release before test serial {lacking + 1} is missing", errors)
            self.assertIn("help: Get all released manifests.", errors)
            self.assertEqual(subprocess.run([scenes.PINTLE, *map(str, given)], capture_output=True).returncode, 1)
            # So long after the others, no client runs what came before them.
            self.compare([*given, "--client-max-age", "10d"])
            (folder / f"{lacking}.kept").rename(folder / f"{lacking}.json")

    def test_layout(self):
        """A folder of an audience has that audience's releases."""
        folder = self.releases("layout", (0, {}))
        (folder / "staging/epoch-1").mkdir(parents=True)
        shutil.copy(folder / "1.json", folder / "staging/epoch-1")
        given = self.options(folder, "a", 0)
        status, _, errors = self.run_main(*given)
        self.assertEqual(status, 6)
        self.assertIn("is for the audience 'test'", errors)
        self.assertEqual(subprocess.run([scenes.PINTLE, *map(str, given)], capture_output=True).returncode, 6)
        (folder / "staging").rename(folder / "test")
        self.compare(given)

    def test_accepted_lockout(self):
        folder, record = self.releases("night", (0, {})), self.base / "lockouts.jsonl"
        more = ["--accept-lockout", "it ended", "--record", record]
        help = "Don't install it"
        output = self.run_main(*self.options(folder, "b", 0))[1]
        self.assertIn(help, output)
        self.assertNotIn("decide", output)
        status, output, _ = self.run_main(*self.options(folder, "b", 0, *more))
        self.assertEqual(status, 0)
        self.assertNotIn(help, output)
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

    def test_epochs(self):
        """Clients take releases by epoch and serial; those that a new epoch drops come first."""
        folder, keysets = self.base / "stolen", self.base / "stolen-keysets"
        (folder / "epoch-2").mkdir(parents=True)
        keysets.mkdir()
        for name in ("first-root", "next"):
            self.execute(scenes.PINTLE, "key", f"{name}.key")
        self.execute(
            scenes.PINTLE, "keyset", "init", "-o", keysets / "1.keyset.json", "--audience", "test", "--root",
            "root=first-root.key.pub", "--root-threshold", "1", "--signer", "ci=release.key.pub", "--threshold", "1",
            "--issued-at", self.date(-60), "--expires", self.date(300), "--sign-key", "first-root.key")
        self.execute(
            scenes.PINTLE, "keyset", "next", keysets / "1.keyset.json", "-o", keysets / "2.keyset.json", "--issued-at",
            self.date(-6), "--expires", self.date(300), "--revoke", "ci", "--add", "ci-2=next.key.pub", "--restart", "2",
            "--sign-key", "first-root.key")
        for place, day, key, keys in (
                ("1", -50, "release", "a, b"), ("90", -10, "release", "a"), ("epoch-2/2", -5, "next", "b")):
            fields = dict(PLAIN, keys=keys, expires=self.date(300))
            (self.base / "policies/policy.yaml").write_text(POLICY.format(**fields))
            self.execute(scenes.PINTLE, "build", "policies", "-o", folder / f"{place}.json", "--sign-key", f"{key}.key",
                         "--serial", place.split("/")[-1], "--issued-at", self.date(day))
        for chain, (day, wanted) in itertools.product("ab", ((0, "locks-out"), (10, None))):
            given = ["decide", HOST, "--manifest", folder, "--keyset", keysets, "--chain", self.base / f"{chain}.pem",
                     "--anchors", self.base / "ca.pem", "--client-max-age", "12d", "--at", self.date(day)]
            self.assertEqual(self.compare(given)["verdict"], wanted or ("accepted" if chain == "b" else "locks-out"))

    def test_refused(self):
        folder = self.releases("plain", (0, {}))
        rows = [
            (["--role", "client"], 64, "--role client is about one manifest"),
            (["--accept-lockout", "x"], 64, "are given together"),
            (["--accept-lockout", " ", "--record", self.base / "x"], 64, "needs a reason"),
            (["--client-max-age", "soon"], 64, "--client-max-age"),
            (["--audience", "other"], 1, "no released manifest for the audience 'other'"),
        ]
        for more, wanted, words in rows:
            with self.subTest(more):
                status, _, errors = self.run_main(*self.options(folder, "a", 0, *more))
                self.assertEqual(status, wanted)
                self.assertIn(words, errors)
        given = self.options(folder, "a", 0)
        given[1] = "bücher.example"
        status, _, errors = self.run_main(*given)
        self.assertEqual(status, 64)
        self.assertIn("A-labels", errors)
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
