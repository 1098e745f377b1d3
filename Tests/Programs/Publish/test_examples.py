#!/usr/bin/env python3
"""The scripts of examples/publish with real programs on loopback: rsync, a registry by skopeo, and S3's API by aws.

    Tests/Programs/Publish/test_examples.py [Rsync] [Registry] [S3]

PINTLE is the program; the one on the path unless set. S3 needs the programs of requirements.txt on the path.
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples" / "publish"
PINTLE = os.environ.get("PINTLE", "pintle")
PEOPLE = ROOT / "Tests" / "CommandTests" / "Fixtures" / "people"
POLICY = """version: 1
manifest: { audience: test }
defaults: { expires: 2027-06-01, on-expiry: report-only }
keys:
  root: { pin: "sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs=", position: root }
  spare: { pin: "sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=", position: root }
hosts:
  - host: api.example.com
    keys: { active: [root], backup: [spare] }
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Publishing(unittest.TestCase):
    """Two versions of a keyset and three releases; each subclass says where they are published."""

    def setUp(self):
        self.base = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.base)
        self.variables = os.environ | {"TZ": "UTC"}
        for name in ("keysets", "released", "policies", "site"):
            (self.base / name).mkdir()
        (self.base / "policies" / "policy.yaml").write_text(POLICY)
        shutil.copytree(PEOPLE, self.base / "people")
        for key in (self.base / "people").glob("*.key"):
            key.chmod(0o600)
        self.pintle(
            "keyset init -o keysets/1.keyset.json --audience test --root alice=people/alice.pub --root bob=people/bob.pub "
            "--root-threshold 1 --signer ci=people/ci.pub --signer dora=people/dora.pub --threshold 1 "
            "--issued-at 2026-11-21 --expires 2027-11-21 --sign-key people/alice.key")
        self.release(1, "2026-11-21", "--serial", "1")

    def release(self, serial, date, *options):
        options = options or ("--against", "released", "--keyset", "keysets")
        self.pintle(f"build policies -o released/{serial}.json --issued-at {date} --at {date} --sign-key people/dora.key", *options)

    def run_here(self, *command, status=0, **options):
        result = subprocess.run(command, cwd=self.base, env=self.variables, capture_output=True, timeout=60, **options)
        said = f"{command}: {result.stdout[-2000:]!r} {result.stderr.decode()[-2000:]}"
        self.assertIn(result.returncode, status if isinstance(status, tuple) else (status,), said)
        return result

    def pintle(self, words, *more, status=0):
        return self.run_here(PINTLE, *words.split(), *more, status=status)

    def publish(self, *releases, status=0):
        """What `pintle publish` did with each file, by its path."""
        result = self.pintle(
            "publish", self.target, *releases, "--keyset", "keysets", "--at", "2026-12-10", "--format", "json",
            status=status)
        return {file["path"]: file["action"] for file in json.loads(result.stdout)["files"]}

    def expect(self, path, name):
        self.assertEqual(self.stored(path), (self.base / name).read_bytes(), path)

    def round_trip(self):
        """Publishes releases, the same again, a next one, an older one and another one."""
        first = {"test/keysets/1.keyset.json": "create", "test/1.json": "create", "test/manifest.json": "create"}
        self.assertEqual(self.publish("released"), first)
        self.expect("test/keysets/1.keyset.json", "keysets/1.keyset.json")
        self.expect("test/1.json", "released/1.json")
        self.expect("test/manifest.json", "released/1.json")
        self.assertEqual(self.publish("released"), dict.fromkeys(first, "keep"))

        self.pintle(
            "keyset next keysets/1.keyset.json -o keysets/2.keyset.json --issued-at 2026-12-02 "
            "--at 2026-12-02 --expires same --remove-signer ci --add-signer emil=people/emil.pub --sign-key people/alice.key")
        self.release(2, "2026-12-03")
        second = self.publish("released")
        self.assertEqual([path for path, action in second.items() if action != "keep"],
                         ["test/keysets/2.keyset.json", "test/2.json", "test/manifest.json"])
        self.expect("test/keysets/2.keyset.json", "keysets/2.keyset.json")
        self.expect("test/manifest.json", "released/2.json")

        self.assertEqual(self.publish("released/1.json", status=3), {})
        self.expect("test/manifest.json", "released/2.json")

    def contract(self, script, place):
        """What the commands for `exec:` promise, beyond what a publisher asks of them."""
        call = [str(EXAMPLES / script), place]
        one, two = b"1\n\0\xff", b"2"
        read = lambda path: self.run_here(*call, "read", path).stdout
        self.assertEqual(self.run_here(*call, "read", "test/7.json", status=44).stdout, b"")
        self.run_here(*call, "create", "test/7.json", input=one)
        failures = tuple(range(1, 44)) + tuple(range(45, 256))
        self.run_here(*call, "create", "test/7.json", input=two, status=failures)
        self.assertEqual(read("test/7.json"), one)
        digest = subprocess.run(["sha256sum"], input=one, capture_output=True, check=True).stdout[:64].decode()
        self.run_here(*call, "replace", "other/manifest.json", digest, input=one, status=failures)
        self.run_here(*call, "read", "other/manifest.json", status=44)
        self.run_here(*call, "replace", "other/manifest.json", "none", input=one)
        self.run_here(*call, "replace", "other/manifest.json", "none", input=two, status=failures)
        self.assertEqual(read("other/manifest.json"), one)
        self.run_here(*call, "replace", "other/manifest.json", digest, input=two)
        self.assertEqual(read("other/manifest.json"), two)
        # Another file under the name of the next release.
        self.run_here(*call, "create", "test/3.json", input=one)
        self.release(3, "2026-12-04")
        self.assertEqual(self.publish("released", status=3), {})
        self.expect("test/manifest.json", "released/2.json")
        # A store that can't be reached isn't an empty one.
        self.unreachable()
        self.assertNotEqual(self.run_here(*call, "read", "test/7.json", status=failures).returncode, 44)

    def start(self, *command, port):
        log = (self.base / "server.log").open("wb")
        self.addCleanup(log.close)
        server = subprocess.Popen(command, cwd=self.base, env=self.variables, stdout=log, stderr=log)

        def stop():
            server.kill()
            server.wait()

        self.addCleanup(stop)
        self.unreachable = stop
        for _ in range(1200):
            self.assertIsNone(server.poll(), (self.base / "server.log").read_text())
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.05)
        self.fail((self.base / "server.log").read_text())


class Rsync(Publishing):
    """A folder, and a mirror of it."""

    target = "site"

    def stored(self, path):
        self.run_here(EXAMPLES / "rsync", "site", "mirror")
        return (self.base / "mirror" / path).read_bytes()

    def test_round_trip(self):
        (self.base / "mirror").mkdir()
        self.round_trip()
        # Neither the lock nor what a killed publisher left.
        (self.base / "site" / "test" / "1.json.0123456789abc").write_text("x")
        self.run_here(EXAMPLES / "rsync", "site", "mirror")
        found = sorted(str(path.relative_to(self.base / "mirror")) for path in (self.base / "mirror").rglob("*.*"))
        self.assertEqual(found, ["test/1.json", "test/2.json", "test/keysets/1.keyset.json",
                                 "test/keysets/2.keyset.json", "test/manifest.json"])

    def test_pointers_come_last(self):
        (self.base / "mirror").mkdir()
        self.publish("released")
        self.expect("test/manifest.json", "released/1.json")
        self.release(2, "2026-12-03")
        self.publish("released")
        # The second of the two transfers fails.
        shim = self.base / "bin" / "rsync"
        shim.parent.mkdir()
        shim.write_text(f'#!/bin/sh\necho >>"{self.base}/calls"\n[ $(wc -l <"{self.base}/calls") != 2 ] || exit 12\n'
                        'exec /usr/bin/rsync "$@"\n')
        shim.chmod(0o755)
        plain = self.variables["PATH"]
        self.variables["PATH"] = f"{shim.parent}:{plain}"
        self.run_here(EXAMPLES / "rsync", "site", "mirror", status=12)
        self.variables["PATH"] = plain
        mirror = self.base / "mirror" / "test"
        self.assertEqual((mirror / "2.json").read_bytes(), (self.base / "released" / "2.json").read_bytes())
        self.assertEqual((mirror / "manifest.json").read_bytes(), (self.base / "released" / "1.json").read_bytes())
        self.expect("test/manifest.json", "released/2.json")


class Registry(Publishing):
    """Debian's docker-registry, with a certificate of its own."""

    def test_round_trip(self):
        port = free_port()
        self.run_here(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-keyout", "registry.key", "-out", "registry.pem", "-subj", "/CN=registry",
            "-addext", "subjectAltName=IP:127.0.0.1")
        (self.base / "registry.yaml").write_text(json.dumps({
            "version": 0.1, "storage": {"filesystem": {"rootdirectory": str(self.base / "registry")}},
            "http": {"addr": f"127.0.0.1:{port}", "tls": {"certificate": "registry.pem", "key": "registry.key"}}}))
        self.variables["SSL_CERT_FILE"] = str(self.base / "registry.pem")
        self.start("docker-registry", "serve", "registry.yaml", port=port)
        place = f"127.0.0.1:{port}/pins"
        self.target = f"exec:{EXAMPLES}/oci {place}"
        self.place = place
        self.round_trip()
        self.contract("oci", place)

    def stored(self, path):
        """What the registry has, by skopeo alone."""
        folder, name = path.removesuffix(".json").removesuffix(".keyset").rsplit("/", 1)
        pulled = self.base / "pulled"
        shutil.rmtree(pulled, ignore_errors=True)
        self.run_here("skopeo", "copy", "--quiet", f"docker://{self.place}/{folder}:{name}", f"dir:{pulled}")
        layer, = json.loads((pulled / "manifest.json").read_text())["layers"]
        self.assertEqual(layer["annotations"]["org.opencontainers.image.title"], path.rsplit("/", 1)[1])
        return (pulled / layer["digest"].removeprefix("sha256:")).read_bytes()


class S3(Publishing):
    """moto, which has S3's API with its conditions."""

    def test_round_trip(self):
        port = free_port()
        self.variables |= {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x",
            "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true", "AWS_MAX_ATTEMPTS": "1",
            "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}
        self.start("moto_server", "-H", "127.0.0.1", "-p", str(port), port=port)
        self.run_here("aws", "s3api", "create-bucket", "--bucket", "pins")
        self.target = f"exec:{EXAMPLES}/s3 pins/site"
        self.round_trip()
        self.assertEqual(self.head("test/manifest.json")["CacheControl"], "no-cache")
        self.assertIn("immutable", self.head("test/2.json")["CacheControl"])
        self.contract("s3", "pins/site")

    def head(self, path):
        return json.loads(self.run_here("aws", "s3api", "head-object", "--bucket", "pins", "--key", f"site/{path}").stdout)

    def stored(self, path):
        return self.run_here("aws", "s3", "cp", f"s3://pins/site/{path}", "-").stdout


del Publishing  # it has no tests of its own

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + (sys.argv[1:] or ["Rsync", "Registry", "S3"]), verbosity=2)
