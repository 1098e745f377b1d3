#!/usr/bin/env python3
"""install.sh, with small releases that are signed by throw-away keys: what it installs, and what it rejects.

    Tests/Programs/Release/test_install.py
"""

import base64
import contextlib
import hashlib
import http.server
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tarfile
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
# All programs that install.sh may run; a PATH with only these shows that it needs no others.
NEEDED = """sh openssl sha256sum tar gzip curl cat expr find grep head mkdir mktemp mv rm rmdir sed sort uname""".split()
FILES = {"bin/pintle": "#!/bin/sh\necho {0}\n", "share/man/man1/pintle.1": ".Dd {0}\n"}


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder. Of files whose names contain `cut`, only half arrives; the length is sent if `says_length`.

    The file `endless` never ends, and of `stalled` nothing arrives after the first bytes."""

    cut, says_length, endless, stalled = None, True, None, None
    most = 1 << 28

    def do_GET(self):
        if (self.endless or self.stalled) and self.path[1:].startswith(self.endless or self.stalled):
            return self.never_ends()
        content = (pathlib.Path(self.directory) / self.path.lstrip("/")).read_bytes()
        self.send_response(200)
        if self.says_length:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if self.cut and self.cut in self.path else content)

    def never_ends(self):
        self.send_response(200)
        self.end_headers()
        sent = 0
        with contextlib.suppress(OSError):
            while sent < self.most:
                sent += self.wfile.write(b"x" * (65536 if self.endless else 1))
                if self.stalled:
                    time.sleep(0.1)
                    if sent > 100:  # 10 seconds: the script didn't end it
                        break
        type(self).sent = sent

    def log_message(self, *arguments):
        pass


class InstallTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.base)
        cls.fingerprints = {}
        for name, options in {"ours": ["-algorithm", "ed25519"], "theirs": ["-algorithm", "ed25519"],
                              "p256": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]}.items():
            subprocess.run(["openssl", "genpkey", *options, "-out", cls.base / name], check=True, capture_output=True)
            der = subprocess.run(["openssl", "pkey", "-in", cls.base / name, "-pubout", "-outform", "DER"], check=True,
                                 capture_output=True).stdout
            cls.fingerprints[name] = "sha256/" + base64.b64encode(hashlib.sha256(der).digest()).decode()
        for version in ("1.9.0", "1.10.0", "1.10.0-trial"):
            cls.release(version)
        cls.release("1.10.0", folder="more", extra={"share/doc/pintle/NOTES": "new\n"}, without="share/man/man1/pintle.1",
                    version_in_name="1.10.1")
        cls.path = cls.base / "path"
        cls.path.mkdir()
        for tool in NEEDED:
            (cls.path / tool).symlink_to(shutil.which(tool))

    @classmethod
    def release(cls, version, folder=None, extra=None, without=None, key="ours", version_in_name=None):
        """A signed release with pintle and libpintle."""
        target = cls.base / (folder or version)
        target.mkdir()
        files = {name: text.format(version) for name, text in (FILES | (extra or {})).items() if name != without}
        for product, content in {"pintle": files, "libpintle": {"lib/libpintle.so.0": version}}.items():
            tree = target / "tree"
            for name, text in content.items():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                (tree / name).write_text(text)
                (tree / name).chmod(0o755 if name.startswith("bin/") else 0o644)
            if product == "libpintle":
                (tree / "lib/libpintle.so").symlink_to("libpintle.so.0")
            name = f"{product}-{version_in_name or version}-linux-{platform.machine()}.tar.gz"
            with tarfile.open(target / name, "w:gz") as archive:
                archive.add(tree, ".")
            shutil.rmtree(tree)
        cls.sign(target, key)
        return target

    @classmethod
    def sign(cls, folder, key):
        subprocess.run([ROOT / "Scripts/make/signature", folder, "--key", cls.base / key], check=True, capture_output=True)

    def setUp(self):
        self.prefix = pathlib.Path(tempfile.mkdtemp(dir=self.base)) / "prefix"

    def run_script(self, *arguments, path=None, script=ROOT / "install.sh"):
        return subprocess.run(["/bin/sh", script, *map(str, arguments), "--prefix", str(self.prefix)],
                              capture_output=True, text=True, env={"PATH": str(path or self.path)})

    def installs(self, *arguments, **options):
        done = self.run_script(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def rejects(self, message, *arguments, status=1, **options):
        """It fails with this message, and changes nothing."""
        before = self.tree()
        done = self.run_script(*arguments, **options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertIn(message, done.stderr)
        self.assertEqual(self.tree(), before)

    def tree(self):
        return {str(path.relative_to(self.prefix)): path.read_bytes() if path.is_file() else None
                for path in self.prefix.rglob("*")}

    def pinned(self, version="1.9.0"):
        """What is there after a first installation."""
        self.installs("--from", self.base / version, "--fingerprint", self.fingerprints["ours"])

    def version(self):
        return subprocess.run([self.prefix / "bin/pintle"], check=True, capture_output=True, text=True).stdout.strip()

    def copy(self, version="1.10.0"):
        """A release that a test may change."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.base)) / "release"
        shutil.copytree(self.base / version, folder)
        return folder

    def with_wget(self):
        """A PATH without curl."""
        path = pathlib.Path(tempfile.mkdtemp(dir=self.base)) / "with-wget"
        shutil.copytree(self.path, path, symlinks=True)
        (path / "curl").unlink()
        for tool in ("wget", "timeout"):
            (path / tool).symlink_to(shutil.which(tool))
        return path

    def archive(self, folder, product="pintle"):
        return next(folder.glob(f"{product}-[0-9]*.tar.gz"))

    @contextlib.contextmanager
    def served(self, folder, cut=None, says_length=True, **wrong):
        handler = self.handler = type("Served", (Handler,), {"cut": cut, "says_length": says_length, **wrong})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: handler(*a, directory=str(folder)))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    # What it does

    def test_installs_upgrades_and_removes_without_leftovers(self):
        self.prefix.mkdir()
        (self.prefix / "share").mkdir()
        before = self.tree()
        self.pinned()
        self.assertEqual(self.version(), "1.9.0")
        self.assertEqual((self.prefix / "bin/pintle").stat().st_mode & 0o777, 0o755)
        self.assertIn("1.10.0", self.installs("--from", self.base / "1.10.0"))
        self.assertEqual(self.version(), "1.10.0")
        self.installs("--from", self.base / "1.10.0", "libpintle")
        self.assertEqual(os.readlink(self.prefix / "lib/libpintle.so"), "libpintle.so.0")
        self.installs("--remove", "pintle")
        self.assertFalse((self.prefix / "bin").exists())
        self.assertTrue((self.prefix / "lib/libpintle.so.0").exists())
        self.installs("--remove")
        self.assertEqual(self.tree(), before)

    def test_an_upgrade_removes_what_the_new_version_does_not_have(self):
        self.pinned()
        self.installs("--from", self.base / "more")
        self.assertTrue((self.prefix / "share/doc/pintle/NOTES").exists())
        self.assertFalse((self.prefix / "share/man").exists())

    def test_installs_from_a_server_also_with_wget(self):
        self.prefix.mkdir()
        with_wget = self.with_wget()
        for tool in ("wget", "timeout"):
            (with_wget / tool).unlink()
        with self.served(self.base / "1.9.0") as url:
            self.rejects("curl or wget is missing", "--from", url, "--fingerprint", self.fingerprints["ours"],
                         path=with_wget)
            self.installs("--from", url + "/", "--fingerprint", self.fingerprints["ours"], path=self.with_wget())
            self.installs("--from", url)
        self.assertEqual(self.version(), "1.9.0")

    def test_accepts_ecdsa_keys(self):
        folder = self.copy()
        self.sign(folder, "p256")
        self.installs("--from", folder, "--fingerprint", self.fingerprints["p256"])

    def test_signs_with_a_command(self):
        public = self.base / "p256.pub"
        subprocess.run(["openssl", "pkey", "-in", self.base / "p256", "-pubout", "-out", public], check=True)
        folder = self.copy()
        binary = f"env OPENSSL_KEY='{self.base / 'p256'}' '{ROOT / 'examples/signing/openssl'}'"
        for command in (binary, f"{binary} | base64"):
            (folder / "SHA256SUMS.sig").unlink()
            sign = [ROOT / "Scripts/make/signature", folder, "--public-key", public, "--key"]
            subprocess.run([*sign, f"exec:{command}"], check=True, capture_output=True)
            self.installs("--from", folder, "--fingerprint", self.fingerprints["p256"])
        # A signature of something else is never written.
        (folder / "SHA256SUMS.sig").unlink()
        done = subprocess.run([*sign, f"exec:echo other | {binary}"], capture_output=True, text=True)
        self.assertIn("doesn't verify", done.stderr)
        self.assertFalse((folder / "SHA256SUMS.sig").exists())

    def test_installs_the_same_version_again(self):
        self.pinned()
        (self.prefix / "bin/pintle").write_text("damaged")
        self.installs("--from", self.base / "1.9.0")
        self.assertEqual(self.version(), "1.9.0")

    def test_an_interrupted_installation_can_be_repeated_or_removed(self):
        # mv fails for the second file.
        broken = self.base / "broken"
        shutil.copytree(self.path, broken, symlinks=True)
        (broken / "mv").unlink()
        (broken / "mv").write_text('#!/bin/sh\ncase $3 in *pintle.1) exit 1 ;; esac\nexec /bin/mv "$@"\n')
        (broken / "mv").chmod(0o755)
        release = ("--from", self.base / "1.10.0", "--fingerprint", self.fingerprints["ours"])
        self.assertNotEqual(self.run_script(*release, path=broken).returncode, 0)
        self.assertTrue((self.prefix / "bin/pintle").exists())
        self.installs(*release)
        self.assertEqual((self.prefix / "share/man/man1/pintle.1").read_text(), ".Dd 1.10.0\n")
        self.installs("--remove")
        self.assertNotEqual(self.run_script(*release, path=broken).returncode, 0)
        self.installs("--remove")
        self.assertEqual(self.tree(), {})

    # What it rejects

    def test_rejects_an_older_release(self):
        self.pinned("1.10.0")
        self.rejects("pass --downgrade", "--from", self.base / "1.9.0")
        self.rejects("pass --downgrade", "--from", self.base / "1.10.0-trial")
        self.installs("--from", self.base / "1.9.0", "--downgrade")
        self.assertEqual(self.version(), "1.9.0")
        self.installs("--from", self.base / "1.10.0-trial")
        self.installs("--from", self.base / "1.10.0")

    def test_rejects_another_key(self):
        folder = self.copy()
        self.sign(folder, "theirs")
        self.rejects("has the key " + self.fingerprints["theirs"], "--from", folder, "--fingerprint",
                     self.fingerprints["ours"])
        self.pinned()
        self.rejects("has the key " + self.fingerprints["theirs"], "--from", folder)
        self.rejects("what is installed was signed by", "--from", folder, "--fingerprint", self.fingerprints["theirs"])
        # Its public key replaced by ours: then the signature isn't valid.
        shutil.copy(self.base / "1.9.0/release.pub", folder)
        self.rejects("the signature of SHA256SUMS isn't valid", "--from", folder)

    def test_rejects_a_first_installation_without_a_fingerprint(self):
        self.rejects("--fingerprint is missing", "--from", self.base / "1.9.0", status=64)
        self.rejects("isn't a fingerprint", "--from", self.base / "1.9.0", "--fingerprint", "sha256/abc", status=64)

    def test_rejects_a_changed_file(self):
        self.pinned()
        folder = self.copy()
        archive = self.archive(folder)
        archive.write_bytes(archive.read_bytes() + b"\0")
        self.rejects("isn't the file that was signed", "--from", folder)
        # With its right SHA-256 in the list: the list is no longer what was signed.
        names = folder / "SHA256SUMS"
        old = hashlib.sha256(self.archive(self.base / "1.10.0").read_bytes()).hexdigest()
        self.assertIn(old, names.read_text())
        names.write_text(names.read_text().replace(old, hashlib.sha256(archive.read_bytes()).hexdigest()))
        self.rejects("the signature of SHA256SUMS isn't valid", "--from", folder)

    def test_rejects_an_older_release_under_a_new_name(self):
        self.pinned("1.10.0")
        folder = self.copy("1.9.0")
        archive = self.archive(folder)
        archive.rename(folder / archive.name.replace("1.9.0", "1.11.0"))
        names = folder / "SHA256SUMS"
        names.write_text(names.read_text().replace("1.9.0", "1.11.0"))
        self.rejects("the signature of SHA256SUMS isn't valid", "--from", folder)

    def test_rejects_incomplete_downloads(self):
        self.pinned()
        for says_length in (True, False):
            for cut in ("pintle-", "SHA256SUMS", "release.pub"):
                with self.served(self.base / "1.10.0", cut, says_length) as url:
                    self.rejects("install.sh: ", "--from", url)

    def with_limits(self, **limits):
        """The script with other limits, which have to be there."""
        text = (ROOT / "install.sh").read_text()
        for name, value in limits.items():
            text, count = re.subn(rf"\b{name}=\d+", f"{name}={value}", text)
            self.assertEqual(count, 1, name)
        script = pathlib.Path(tempfile.mkdtemp(dir=self.base)) / "install.sh"
        script.write_text(text)
        return script

    # install-endless
    def test_ends_downloads_that_are_too_large(self):
        self.pinned()
        script = self.with_limits(large_bytes=1000000)
        for name in ("release.pub", "SHA256SUMS", "pintle-1"):
            for path in (self.path, self.with_wget()):
                with self.subTest(name=name, path=path.name), self.served(self.base / "1.10.0", endless=name) as url:
                    self.rejects("bytes, the limit. Nothing was changed.", "--from", url, path=path, script=script)
                # What was on its way counts too.
                self.assertLess(self.handler.sent, 1 << 25)
        folder = self.copy()
        (folder / "release.pub").unlink()
        (folder / "release.pub").symlink_to("/dev/zero")
        self.rejects("release.pub of", "--from", folder)

    def test_ends_downloads_that_are_too_slow(self):
        self.pinned()
        script = self.with_limits(small_seconds=1, large_seconds=1)
        for name in ("SHA256SUMS", "pintle-1"):
            for path in (self.path, self.with_wget()):
                with self.subTest(name=name, path=path.name), self.served(self.base / "1.10.0", stalled=name) as url:
                    began = time.monotonic()
                    self.rejects("the limit is 1 seconds", "--from", url, path=path, script=script)
                    self.assertLess(time.monotonic() - began, 5)

    def test_rejects_a_release_without_this_product(self):
        self.pinned()
        self.rejects("the release has no pintle-collect", "--from", self.base / "1.10.0", "pintle-collect")
        # Nothing is changed for the other product either.
        self.rejects("the release has no pintle-collect", "--from", self.base / "1.10.0", "pintle", "pintle-collect")

    def test_never_overwrites_files_of_others(self):
        (self.prefix / "bin").mkdir(parents=True)
        (self.prefix / "bin/pintle").write_text("mine")
        self.rejects("wasn't installed by this script", "--from", self.base / "1.9.0", "--fingerprint",
                     self.fingerprints["ours"])
        self.rejects("nothing that this script installed", "--remove")

    def test_says_what_is_missing(self):
        for tool in ("openssl", "sha256sum", "tar"):
            path = self.base / ("without-" + tool)
            shutil.copytree(self.path, path, symlinks=True)
            (path / tool).unlink()
            self.rejects(f"{tool} is missing", "--from", self.base / "1.9.0", "--fingerprint", self.fingerprints["ours"],
                         path=path)

    def test_help_says_what_is_trusted(self):
        self.assertIn("What it trusts:", self.run_script("--help").stdout)
        self.rejects("unknown argument", "--form", status=64)


if __name__ == "__main__":
    unittest.main()
