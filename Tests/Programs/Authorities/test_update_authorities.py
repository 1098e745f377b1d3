#!/usr/bin/env python3
"""Scripts/update-authorities, with made-up releases: what it reports, and which downloads it rejects.

    Tests/Programs/Authorities/test_update_authorities.py
"""

import contextlib
import gzip
import hashlib
import http.server
import io
import json
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import threading
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "Scripts/update-authorities"
# Name, first and last day of the made-up roots. Two and Three have the same key.
ROOTS = {"One": ("20150101", "20350101"), "Two": ("20160101", "20360101"), "Three": ("20170101", "20370101"),
         "Four": ("20180101", "20380101"), "Five": ("20050101", "20350101")}
SCHEDULES = """version: 1
reviewed: 2026-01-01
sources:
  lifecycle: { published: 2023-01-24, url: "https://example.com/lifecycle", says: "By age." }
schedules:
  - { store: mozilla, created-before: 2006-01-01, until: 2025-04-15, source: lifecycle }
  - { store: mozilla, years: 15, source: lifecycle }
"""


class UpdateTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.base)
        cls.pem, cls.fingerprint, cls.pin = {}, {}, {}
        (cls.base / "openssl.cnf").write_text(
            "[ca]\ndefault_ca = d\n[d]\ndatabase = index\nnew_certs_dir = .\nserial = serial\ndefault_md = sha256\n"
            "policy = p\nunique_subject = no\n[p]\norganizationName = supplied\ncommonName = supplied\n[req]\n"
            "distinguished_name = n\n[n]\n")
        (cls.base / "index").write_text("")
        for name, (first, last) in ROOTS.items():
            key = cls.base / ("Two.key" if name == "Three" else f"{name}.key")
            if not key.exists():
                cls.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key)
            cls.openssl("req", "-new", "-key", key, "-config", "openssl.cnf", "-subj", f"/O=Őrs & Co/CN=Root {name}",
                        "-utf8", "-out", f"{name}.csr")
            cls.openssl("ca", "-batch", "-selfsign", "-config", "openssl.cnf", "-rand_serial", "-keyfile", key, "-in",
                        f"{name}.csr", "-startdate", f"{first}000000Z", "-enddate", f"{last}000000Z", "-notext", "-out",
                        f"{name}.pem")
            cls.pem[name] = (cls.base / f"{name}.pem").read_text()
            der = cls.openssl("x509", "-in", f"{name}.pem", "-outform", "DER")
            cls.fingerprint[name] = hashlib.sha256(der).hexdigest()
        cls.releases = cls.base / "releases"
        cls.releases.mkdir()
        cls.index = {"releases": {}}
        cls.certifi("2020.1.2", "2020-01-03", "One", "Two", "Five")
        cls.certifi("2024.5.6", "2024-05-06", "One", "Two", "Five")
        cls.certifi("2026.7.8", "2026-07-09", "One", "Three", "Four")
        (cls.releases / "certifi.json").write_text(json.dumps(cls.index))
        cls.debian("20240203", "Sat, 03 Feb 2024 10:00:00 +0100", ["One", "Two", "Five"], ['+ "Root One"'])
        cls.debian("20260709+nmu1", "Thu, 09 Jul 2026 10:00:00 +0100", ["One", "Three"], ["- Root Five (closes: #1)"])
        trusted = {"trusted": True}
        (cls.releases / "nss.json").write_text(json.dumps({"version": "2.99", "published": "2026-07-01", "roots": {
            cls.fingerprint["One"]: trusted | {"distrust-after": "2026-06-01"}, cls.fingerprint["Three"]: trusted,
            cls.fingerprint["Four"]: trusted, cls.fingerprint["Five"]: {"trusted": False}}}))
        # The proposal of the script for all roots gives the pins.
        proposal = cls.proposal(cls.releases)
        cls.pin = dict(re.findall(r"root-(\w+):\n +pin: (sha256/\S+)", proposal))

    @classmethod
    def openssl(cls, *arguments):
        done = subprocess.run(["openssl", *map(str, arguments)], cwd=cls.base, capture_output=True, check=False)
        if done.returncode:
            raise AssertionError(done.stderr.decode())
        return done.stdout

    @classmethod
    def certifi(cls, version, day, *names):
        path = cls.releases / f"certifi-{version}-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("certifi/cacert.pem", "# a comment\n" + "".join(cls.pem[name] for name in names))
        cls.index["releases"][version] = [{
            "packagetype": "bdist_wheel", "filename": path.name, "upload_time_iso_8601": f"{day}T01:02:03Z",
            "digests": {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}, "url": f"../../files/{path.name}"}]

    @classmethod
    def debian(cls, version, date, names, changes):
        changelog = (f"ca-certificates ({version}) unstable; urgency=medium\n\n  * Update:\n"
                     + "".join(f"    {change}\n" for change in changes) + f"\n -- A B <a@example.com>  {date}\n")
        files = {f"usr/share/ca-certificates/mozilla/Root_{name}.crt": cls.pem[name].encode() for name in names}
        files["usr/share/doc/ca-certificates/changelog.gz"] = gzip.compress(changelog.encode())
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w:xz") as archive:
            for name, content in files.items():
                member = tarfile.TarInfo("./" + name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        package = b"!<arch>\n"
        for name, content in (("debian-binary", b"2.0\n"), ("control.tar.xz", b""), ("data.tar.xz", data.getvalue())):
            package += f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode() + content
            package += b"\n" * (len(content) % 2)
        (cls.releases / f"ca-certificates_{version}_all.deb").write_bytes(package)

    @classmethod
    def run_script(cls, authorities, *options):
        """Exit status and output, with this folder or text as the authorities."""
        if isinstance(authorities, str):
            folder = pathlib.Path(tempfile.mkdtemp(dir=cls.base))
            (folder / "stores.yaml").write_text(SCHEDULES)
            (folder / "ca.yaml").write_text(authorities)
            authorities = folder
        command = [SCRIPT, "--authorities", authorities, *map(str, options)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    @classmethod
    def proposal(cls, releases):
        status, output = cls.run_script(cls.authorities("other"), "--offline", releases, "--propose")
        assert status == 1, output
        return output

    @classmethod
    def authorities(cls, *names, **changes):
        """A file with these keys; a change replaces the lines of a field, or adds to the stores."""
        text = ("version: 1\nreviewed: 2026-01-01\nsources:\n"
                '  old: { published: 2020-01-01, url: "https://example.com/1", says: "Old." }\n'
                '  new: { published: 2026-01-01, url: "https://example.com/2", says: "New." }\n'
                "authorities:\n  test:\n    owner: Őrs & Co\n    keys:\n")
        of = {"other": ("00" * 32, "sha256/" + "A" * 43 + "=", "CN=Other", "2010-01-01", "2030-01-01", []),
              "one": ("One", "one", "CN=Root One,O=Őrs & Co", "2015-01-01", "2035-01-01",
                      ["store: certifi, since: 2020-01-03, source: old",
                       "store: debian, since: 2024-02-03, source: new",
                       "store: mozilla, distrust-after: 2026-05-01, source: old",
                       "store: mozilla, distrust-after: 2026-06-01, source: new"]),
              "two": ("Three", "three", "CN=Root Three,O=Őrs & Co", "2016-01-01", "2037-01-01", []),
              "four": ("Four", "four", "CN=Root Four,O=Őrs & Co", "2018-01-01", "2038-01-01", []),
              "five": (None, None, "CN=Root Five,O=Őrs & Co", "2005-01-01", "2035-01-01", [])}
        for name in names:
            certificate, pin, subject, created, expires, stores = of[name]
            if name == "five":
                spki = subprocess.run(["openssl", "pkey", "-in", cls.base / "Five.key", "-pubout", "-outform", "DER"],
                                      check=True, capture_output=True).stdout
                certificate, pin = cls.fingerprint["Five"], "sha256/" + subprocess.run(
                    ["openssl", "base64", "-A"], input=hashlib.sha256(spki).digest(), check=True,
                    capture_output=True).stdout.decode()
            fields = {"pin": cls.pin.get(pin, pin), "certificate": cls.fingerprint.get(certificate, certificate),
                      "subject": json.dumps(subject, ensure_ascii=False), "place": "root", "created": created,
                      "expires": expires, "source": "old"} | changes.get(name, {})
            stores = stores + fields.pop("stores", [])
            text += f"      {name}:\n" + "".join(f"        {field}: {value}\n" for field, value in fields.items())
            text += "        stores:\n" * bool(stores) + "".join(f"          - {{ {line} }}\n" for line in stores)
        return text

    def reports(self, *expected, names=("one", "two", "four", "five"), options=(), **changes):
        """Exactly these problems, in this order."""
        status, output = self.run_script(self.authorities(*names, **changes), "--offline", self.releases, *options)
        problems = output.split("\nNOTES")[0].split("  - ")[1:]
        self.assertEqual(status, 1 if expected else 0, output)
        self.assertEqual(len(problems), len(expected), output)
        for text, problem in zip(expected, problems, strict=True):
            self.assertIn(text, problem)
        return output

    def test_nothing(self):
        output = self.reports()
        self.assertIn("certifi 2026.7.8 of 2026-07-09 with 3 roots, and 2 older since 2020-01-03", output)
        self.assertIn("ca-certificates 20260709+nmu1 of 2026-07-09 with 2 roots", output)
        self.assertIn("Nothing is new, gone or contradicted.", output)

    def test_new_root(self):
        self.reports("CN=Root Four,O=Őrs & Co\n      certificate " + self.fingerprint["Four"]
                     + ", in certifi 2026.7.8, NSS 2.99", names=("one", "two", "five"))

    def test_table(self):
        text = self.authorities("one", "two", "five")
        status, output = self.run_script(text, "--offline", self.releases, "--table")
        self.assertEqual(status, 1)
        self.assertRegex(output, rf"{self.fingerprint['One'][:16]}  CDN +2015-01-01 2035-01-01  test/one  CN=Root One")
        self.assertRegex(output, r"  C-N +2018-01-01 2038-01-01  UNKNOWN +CN=Root Four")
        self.assertIn("3 roots: 2 known, 1 unknown", output)

    def test_proposal_is_what_is_missing(self):
        text = self.authorities("one", "two", "five")
        proposal = self.run_script(text, "--offline", self.releases, "--propose")[1]
        self.assertIn("- { store: certifi, since: 2026-07-09, source: certifi-2026.7.8 }", proposal)
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        for name, content in (("stores", SCHEDULES), ("ca", text), ("proposal", proposal)):
            (folder / f"{name}.yaml").write_text(content)
        status, output = self.run_script(folder, "--offline", self.releases)
        self.assertEqual(status, 0, output)

    def test_root_gone(self):
        # Without the schedule for its age, nothing says that Five is gone.
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        (folder / "ca.yaml").write_text(self.authorities("one", "two", "four", "five"))
        status, output = self.run_script(folder, "--offline", self.releases)
        self.assertEqual(status, 1)
        self.assertIn("GONE: not in a store any more, and no statement says so (2)", output)
        for release in ("certifi 2026.7.8", "ca-certificates 20260709+nmu1"):
            self.assertIn(f"test/five (ca.yaml): {release} of 2026-07-09 doesn't contain it any more", output)

    def test_certificate(self):
        self.reports(f"the pin of this certificate is {self.pin['one']}", one={"pin": "sha256/" + "B" * 42 + "A="})
        self.reports("the subject is CN=Root One,O=Őrs & Co", one={"subject": "CN=Root Uno"})
        self.reports("created 2017-01-01, but a certificate is valid since 2016-01-01", two={"created": "2017-01-01"})
        self.reports("expires 2036-01-01, but the self-signed certificate expires 2037-01-01",
                     two={"expires": "2036-01-01"})
        self.reports(one={"subject": r'"CN=Root One,O=\\C5\\90rs & Co"'})

    def test_days(self):
        self.reports("in certifi since 2020-01-02, but the first release that contains it is of 2020-01-03",
                     two={"stores": ["store: certifi, since: 2020-01-02, source: old"]})
        self.reports(two={"stores": ["store: certifi, since: 2020-06-01, source: old"]})
        self.reports("in certifi until 2026-07-08, but the first release without it is of 2026-07-09",
                     five={"stores": ["store: certifi, until: 2026-07-08, source: new"]})
        self.reports(five={"stores": ["store: certifi, until: 2026-07-09, source: new"]})
        self.reports("in certifi until 2026-01-01, but certifi 2026.7.8 of 2026-07-09 contains it",
                     two={"stores": ["store: certifi, until: 2026-01-01, source: new"]})
        self.reports(two={"stores": ["store: certifi, until: 2027-01-01, source: new"]})
        self.reports("in Debian until 2026-01-01, but ca-certificates 20260709+nmu1 of 2026-07-09 contains it",
                     two={"stores": ["store: debian, until: 2026-01-01, source: new"]})
        self.reports("in Mozilla's store until 2026-01-01, but NSS 2.99 of 2026-07-01 trusts it",
                     two={"stores": ["store: mozilla, until: 2026-01-01, source: new"]})

    def test_distrust_after(self):
        self.reports("distrust-after in Mozilla's store is 2026-02-01, but in NSS 2.99 it is not set",
                     two={"stores": ["store: mozilla, distrust-after: 2026-02-01, source: new"]})
        self.reports(two={"stores": ["store: mozilla, distrust-after: 2027-02-01, source: new"]})

    def test_same_pin_twice(self):
        self.reports("test/five (ca.yaml) has the same pin as test/two (ca.yaml)",
                     "test/five (ca.yaml): the pin of this", five={"pin": self.pin["three"]})

    def test_folders_that_are_not_releases(self):
        text = self.authorities("one")
        copy = pathlib.Path(tempfile.mkdtemp(dir=self.base)) / "copy"
        shutil.copytree(self.releases, copy)
        wheel = next(copy.glob("certifi-2026*.whl"))
        wheel.write_bytes(wheel.read_bytes() + b"x")
        for folder, message in ((self.base, "has no certifi.json"), (copy, "doesn't have the SHA-256 of its index")):
            status, output = self.run_script(text, "--offline", folder)
            self.assertEqual((status, "Traceback" in output), (2, False), output)
            self.assertIn(message, output)

    @contextlib.contextmanager
    def served(self, folder):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=str(folder))

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    def test_downloads(self):
        site = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        (site / "pypi/certifi").mkdir(parents=True)
        shutil.copy(self.releases / "certifi.json", site / "pypi/certifi/json")
        shutil.copytree(self.releases, site / "files")
        text, cache = self.authorities("one", "two", "four", "five"), site / "cache"
        with self.served(site) as address:
            options = ("--only", "certifi", "--pypi", address, "--cache")
            status, output = self.run_script(text, *options, cache)
            self.assertEqual(status, 0, output)
            self.assertEqual(len(list(cache.iterdir())), 4)
            (site / "files/certifi-2024.5.6-py3-none-any.whl").unlink()  # it is in the cache
            self.assertEqual(self.run_script(text, *options, cache)[0], 0)
            (site / "files/certifi-2026.7.8-py3-none-any.whl").write_bytes(b"something else")
            (site / "files/certifi-2024.5.6-py3-none-any.whl").write_bytes(b"something else")
            status, output = self.run_script(text, *options, site / "empty")
            self.assertEqual(status, 2)
            self.assertIn("doesn't have the SHA-256 of its index", output)
            self.assertFalse(list((site / "empty").glob("*2024*")))
            (site / "pypi/certifi/json").write_text(json.dumps({"releases": {"1": [
                self.index["releases"]["2024.5.6"][0] | {"filename": "../../evil.whl"}]}}))
            status, output = self.run_script(text, *options, site / "third")
            self.assertEqual(status, 2)
            self.assertIn("invalid file name '../../evil.whl'", output)

    @unittest.skipUnless(shutil.which("gpgv"), "gpgv is missing")
    def test_debian_without_signature(self):
        site = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        (site / "dists/sid").mkdir(parents=True)
        (site / "dists/sid/InRelease").write_text("Origin: Debian\n")
        with self.served(site) as address:
            status, output = self.run_script(self.authorities("one"), "--only", "debian", "--debian", address,
                                             "--cache", site / "cache")
        self.assertEqual(status, 2)
        self.assertIn("the signature of Debian's archive is not valid", output)


if __name__ == "__main__":
    unittest.main()
