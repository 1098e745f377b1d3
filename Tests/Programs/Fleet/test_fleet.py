#!/usr/bin/env python3
"""A fleet that is probed in shards: workers that are killed, records that are merged, memory.

    Tests/Programs/Fleet/test_fleet.py [Workers] [Records] [Job]

PINTLE is the program; the one on the path unless set. LIVE is how many hosts the workers probe, 60 unless set. HOSTS is
how many hosts the made-up records have: 4,000, or a million in a full run, whose table of memory docs/scale.md has.
"""

import base64
import concurrent.futures
import contextlib
import datetime
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import kubernetes_validate
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

ROOT = pathlib.Path(__file__).resolve().parents[3]
PINTLE = os.environ.get("PINTLE", "pintle")
HOSTS = int(os.environ.get("HOSTS", "4000"))
LIVE = int(os.environ.get("LIVE", "60"))
JOB = ROOT / "examples" / "kubernetes" / "probe-job.yaml"
OBSERVED = "2026-11-21T09:00:00Z"
POLICY = """version: 1
manifest: { audience: fleet }
defaults: { mode: report-only, expires: 2027-06-01, on-expiry: report-only }
keys:
  root: { file: root.pem, position: root }
  spare: { file: spare.pem, position: root }
hosts:
  - { host: fleet.test, include-subdomains: true, keys: { active: [root], backup: [spare] }, probe: [PROBED] }
"""


def run(*command, **options):
    return subprocess.run(command, capture_output=True, timeout=1200, check=False, **options)


def peak(*command):
    """Runs a program: its exit status, output, and the most memory that it had, in MiB.

    Of a run of more than a minute, it also prints the memory over time, at ten times.
    """
    # Not wait4's figure, which is at least this process's own memory when it started the program.
    memory, over_time, began = 0, [], time.monotonic()
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        while child.poll() is None:
            status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
            found = re.search(r"VmHWM:\s+(\d+)", status)
            memory = int(found[1]) if found else memory
            found = re.search(r"VmRSS:\s+(\d+)", status)
            over_time.append(int(found[1]) // 1024 if found else 0)
            time.sleep(0.02)
        if time.monotonic() - began > 60:
            tenth = len(over_time) // 10
            print(f"{command[1]} {command[2]}, MiB over time: {over_time[tenth // 2 :: tenth]}")
        output.seek(0)
        return child.returncode, output.read().decode(), memory / 1024


class Authority:
    """A root, and one certificate for every host of the fleet."""

    def __init__(self, folder):
        self.folder = folder
        root_key, self.root = self.made("Root", None, None, x509.BasicConstraints(ca=True, path_length=None))
        _, spare = self.made("Spare", None, None, x509.BasicConstraints(ca=True, path_length=None))
        key, leaf = self.made("fleet", root_key, self.root, x509.BasicConstraints(ca=False, path_length=None))
        self.leaf = leaf
        for name, certificate in (("root.pem", self.root), ("spare.pem", spare), ("leaf.pem", leaf)):
            (folder / name).write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        (folder / "leaf.key").write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        (folder / "leaf.key").chmod(0o600)

    @staticmethod
    def made(name, issuer_key, issuer, constraints):
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        usage = dict.fromkeys((
            "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
            "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"), False)
        usage["key_cert_sign" if constraints.ca else "digital_signature"] = True
        builder = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(issuer.subject if issuer else subject)
            .public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(datetime.datetime(2026, 1, 1)).not_valid_after(datetime.datetime(2036, 1, 1))
            .add_extension(constraints, critical=True).add_extension(x509.KeyUsage(**usage), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False))
        if issuer:
            builder = (
                builder.add_extension(x509.SubjectAlternativeName(
                    [x509.DNSName("fleet.test"), x509.DNSName("*.fleet.test")]), critical=False)
                .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
                .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.public_key()), critical=False))
        return key, builder.sign(issuer_key or key, hashes.SHA256())

    def policy(self, probed):
        """A folder with a policy of one entry, and the names below it that are probed."""
        folder = self.folder / "policies"
        folder.mkdir()
        for name in ("root.pem", "spare.pem"):
            shutil.copy(self.folder / name, folder)
        (folder / "policy.yaml").write_text(POLICY.replace("PROBED", ", ".join(probed)))
        return folder


def shard(host, count):
    """The shard of a host (docs/probing.md), written a second time: FNV-1a, then SplitMix64's finisher."""
    mask, value = (1 << 64) - 1, 0xCBF29CE484222325
    for byte in host.encode():
        value = (value ^ byte) * 0x100000001B3 & mask
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & mask
    value = (value ^ value >> 27) * 0x94D049BB133111EB & mask
    return (value ^ value >> 31) % count + 1


class Scratch(unittest.TestCase):
    def setUp(self):
        self.base = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.base)
        # nginx's workers are another user.
        self.base.chmod(0o755)
        self.authority = Authority(self.base)


class Workers(Scratch):
    """Shards of a live fleet, by two workers at once; each is killed in the middle of each shard, and runs again."""

    NAMES = ["fleet.test", *(f"h{number:07}.fleet.test" for number in range(LIVE))]
    # A record that isn't merged has at most 100,000 hosts.
    SHARDS = max(3, LIVE // 90_000 + 1)
    # Of a large fleet one handshake for each host.
    OFFERS = ("--key-type", "ecdsa", "--tls-version", "1.3") if LIVE > 10_000 else ()
    # Of a small shard, more handshakes at once would include the host in the middle from the start.
    JOBS = "64" if LIVE > 10_000 else "1"

    def setUp(self):
        super().setUp()
        self.policies = self.authority.policy(self.NAMES[1:])
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        for name in ("body", "proxy", "fastcgi", "uwsgi", "scgi"):
            (self.base / name).mkdir()
        paths = " ".join(f"{name} {self.base}/{name.split('_')[0]};" for name in (
            "client_body_temp_path", "proxy_temp_path", "fastcgi_temp_path", "uwsgi_temp_path", "scgi_temp_path"))
        (self.base / "nginx.conf").write_text(f"""
            daemon off; pid {self.base}/pid; error_log {self.base}/errors error; events {{ }}
            http {{
              access_log off; {paths.replace('/client;', '/body;')} ssl_protocols TLSv1.2 TLSv1.3;
              server {{
                listen 127.0.0.1:{self.port} ssl backlog=1024;
                ssl_certificate {self.base}/leaf.pem; ssl_certificate_key {self.base}/leaf.key; return 200 ok;
              }}
            }}""")
        self.server = subprocess.Popen(["nginx", "-c", self.base / "nginx.conf", "-p", self.base])
        self.addCleanup(self.server.wait, 30)
        self.addCleanup(self.server.terminate)
        for _ in range(1000):
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.01)
        self.fail("nginx doesn't listen")

    def probe(self, record, *options):
        return [
            PINTLE, "probe", self.policies, "--connect-to", f"::127.0.0.1:{self.port}", "--no-system-store",
            "--trust-store", f"fleet={self.base}/root.pem", "--record", record, *self.OFFERS, *options]

    def kill(self, record, shard, host):
        """Starts a worker, and kills it when it has connected to a host, which never answers."""
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen(8)
            silent.settimeout(1)
            worker = subprocess.Popen(
                self.probe(record, "--shard", shard, "--jobs", self.JOBS, "--connect-to",
                           f"{host}::127.0.0.1:{silent.getsockname()[1]}"),
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            with worker:
                connection = None
                while connection is None:
                    with contextlib.suppress(TimeoutError):
                        connection, _ = silent.accept()
                    if worker.poll() is not None:
                        self.fail(f"the worker ended: {worker.stderr.read()}")
                with connection:
                    worker.kill()
                    self.assertEqual(worker.wait(30), -signal.SIGKILL)

    def fleet(self, name, killing):
        """The merged record of all shards."""
        folder = self.base / name
        folder.mkdir()
        parts = {number: folder / f"part-{number}.json" for number in range(self.SHARDS, 0, -1)}
        chosen = {number: [] for number in parts}
        for host in self.NAMES:
            chosen[shard(host, self.SHARDS)].append(host)

        def work(number):
            part = f"{number}/{self.SHARDS}"
            if killing:
                self.kill(parts[number], part, chosen[number][len(chosen[number]) // 2])
                self.assertEqual([path.name for path in folder.glob(f"*part-{number}.*")], [])
            done = run(*self.probe(parts[number], "--shard", part))
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
            hosts = [target["host"] for target in json.loads(parts[number].read_bytes())["targets"]]
            self.assertEqual(hosts, chosen[number])

        with concurrent.futures.ThreadPoolExecutor(2) as workers:
            list(workers.map(work, parts))
        if killing:
            # A worker that is killed when it runs once more leaves the record that was there.
            before = parts[1].read_bytes()
            self.kill(parts[1], f"1/{self.SHARDS}", chosen[1][0])
            self.assertEqual(parts[1].read_bytes(), before)
        done = run(PINTLE, "evidence", "merge", *parts.values(), "-o", folder / "merged.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder / "merged.json"

    @staticmethod
    def digest(record):
        """SHA-256 of a record without its times and numbers of attempts, which differ from run to run."""
        text = re.sub(rb'"attempts":\d+,', b"", record.read_bytes())
        return hashlib.sha256(re.sub(rb'"(begun|ended|observed|server-date)":"[^"]*"', rb'"\1":""', text)).hexdigest()

    def test_killed(self):
        undisturbed = self.digest(self.fleet("undisturbed", killing=False))
        self.assertEqual(self.digest(self.fleet("disturbed", killing=True)), undisturbed)
        if LIVE < 90_000:
            done = run(*self.probe(self.base / "whole.json"))
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
            self.assertEqual(self.digest(self.base / "whole.json"), undisturbed)
        print(f"{len(self.NAMES)} live hosts in {self.SHARDS} shards, workers killed: the same bytes but for times")


class Records(Scratch):
    """Made-up records of many hosts: the same bytes however they are merged, and memory that doesn't grow with them."""

    def evidence(self, names, shards=None):
        leaf = self.authority.leaf.public_bytes(serialization.Encoding.DER)
        root = self.authority.root.public_bytes(serialization.Encoding.DER)
        digests = {hashlib.sha256(der).hexdigest(): der for der in (leaf, root)}
        chain = [hashlib.sha256(leaf).hexdigest()]
        visits = [
            {"chain": chain, "key-type": "ecdsa", "observed": OBSERVED, "tls-version": version} for version in ("1.3", "1.2")]
        visits[1:1] = [self.refused("1.3")]
        visits.append(self.refused("1.2"))
        value = {
            "begun": OBSERVED, "certificates": {key: base64.b64encode(der).decode() for key, der in digests.items()},
            "ended": OBSERVED, "stores": {"fleet": [hashlib.sha256(root).hexdigest()]},
            "targets": [{"addresses": [{"address": "192.0.2.1", "visits": visits}], "host": name, "port": 443}
                        for name in names],
            "tool": "made up", "type": "application/vnd.pintle.evidence+json", "version": 1}
        if shards:
            value["shards"] = {"count": shards[1], "numbers": [shards[0]]}
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()

    def digest(self, names):
        """SHA-256 of an undisturbed run's record, which may be too large to be made as a whole."""
        before, target, after = re.fullmatch(
            rb'(.*"targets":\[)(.*)(\],"tool".*)', self.evidence(["NAME"]), re.DOTALL).groups()
        hashed = hashlib.sha256(before)
        for number, name in enumerate(names):
            hashed.update((b"," if number else b"") + target.replace(b"NAME", name.encode()))
        hashed.update(after)
        return hashed.hexdigest()

    @staticmethod
    def refused(version):
        failure = {"alert": 40, "kind": "alert", "message": "handshake failure"}
        return {"failure": failure, "key-type": "rsa", "observed": OBSERVED, "tls-version": version}

    def write(self, names, count):
        """The shards of a fleet as files."""
        parts = {number: [] for number in range(1, count + 1)}
        for name in names:
            parts[shard(name, count)].append(name)
        files = []
        for number, part in parts.items():
            files.append(self.base / f"part-{number:03}.json")
            files[-1].write_bytes(self.evidence(part, (number, count)))
        return files

    def merge(self, files, output):
        status, said, memory = peak(PINTLE, "evidence", "merge", *files, "-o", output)
        self.assertEqual(status, 0, said)
        return memory

    def test_merged(self):
        names = [f"h{number:07}.fleet.test" for number in range(1500)]
        files, whole = self.write(names, 8), self.evidence(names)
        for name, groups in {"at once": [files], "reversed": [files[::-1]], "in steps": [files[5:], files[:5]]}.items():
            steps = []
            for number, group in enumerate(groups):
                steps.append(self.base / f"step-{number}.json")
                self.merge(group, steps[-1])
            self.merge(steps, self.base / "merged.json")
            self.assertEqual((self.base / "merged.json").read_bytes(), whole, name)
        # Parts of another division, and parts that a mistake made different, are refused.
        other = self.base / "other.json"
        other.write_bytes(self.evidence(names[:1], (1, 9)))
        self.assertIn(b"in 8 shards, another of one in 9", run(
            PINTLE, "evidence", "merge", files[0], other, "-o", self.base / "none.json").stderr)
        other.write_bytes(self.evidence(names[:1], (1, 8)).replace(b'"fleet":', b'"other":'))
        self.assertIn(b"trust stores 'fleet', another with 'other'", run(
            PINTLE, "evidence", "merge", files[0], other, "-o", self.base / "none.json").stderr)
        other.write_bytes(files[0].read_bytes()[:-100])
        self.assertNotEqual(run(PINTLE, "evidence", "merge", other, files[0], "-o", self.base / "none.json").returncode, 0)
        self.assertFalse((self.base / "none.json").exists())
        # A part that is missing is named.
        done = run(PINTLE, "evidence", "merge", *files[:3], *files[4:], "-o", self.base / "gap.json")
        self.assertIn(b"still missing: shard 4 of 8", done.stdout + done.stderr)

    def test_open_files(self):
        """More records than a process may have open by default: the limit is raised, or the error says what to do."""
        files = self.write([f"h{number:07}.fleet.test" for number in range(1500)], 90)

        def merge(soft, hard):
            return run(
                PINTLE, "evidence", "merge", *files, "-o", self.base / "merged.json",
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)))

        done = merge(64, 64)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"Merge some of the records first", done.stderr)
        self.assertFalse((self.base / "merged.json").exists())
        self.assertEqual(merge(64, 256).returncode, 0)

    def test_memory(self):
        """Each shard on its own: as much memory for the last as for the first, however many there are."""
        count = max(8, HOSTS // 10_000)
        names = [f"h{number:07}.fleet.test" for number in range(HOSTS)]
        files = self.write(names, count)
        policies = self.authority.policy(["h0000000.fleet.test"])
        hosts, figures = 0, []
        for file in files:
            holding, memory = self.judge(policies, file)
            hosts += holding
            figures.append(memory)
        self.assertEqual(hosts, HOSTS)
        self.assertLess(max(figures), 1.25 * min(figures) + 8)
        print(f"{HOSTS} hosts in {count} shards, judged one by one: {min(figures):.0f} to {max(figures):.0f} MiB", end="; ")
        print("every tenth: " + " ".join(f"{figure:.0f}" for figure in figures[:: max(1, count // 10)]))
        # Somebody kills the merge in the middle, and runs it again.
        merge = subprocess.Popen(
            [PINTLE, "evidence", "merge", *files, "-o", self.base / "merged.json"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        a_quarter = sum(file.stat().st_size for file in files) // 4
        while int(re.search(r"rchar: (\d+)", pathlib.Path(f"/proc/{merge.pid}/io").read_text())[1]) < a_quarter:
            time.sleep(0.001)
        merge.kill()
        self.assertEqual(merge.wait(30), -signal.SIGKILL)
        self.assertFalse((self.base / "merged.json").exists())
        merging = self.merge(files, self.base / "merged.json")
        with (self.base / "merged.json").open("rb") as merged:
            self.assertEqual(hashlib.file_digest(merged, "sha256").hexdigest(), self.digest(names))
        holding, judging = self.judge(policies, self.base / "merged.json")
        self.assertEqual(holding, HOSTS)
        print(f"merged: {merging:.0f} MiB; judged as one record: {judging:.0f} MiB")

    def test_findings(self):
        """The policy holds on none of the hosts: a short report, however many there are, and at most 4 KiB for each."""
        names = [f"h{number:07}.fleet.test" for number in range(min(HOSTS, 200_000))]
        (self.base / "record.json").write_bytes(self.evidence(names))
        policies = self.authority.policy(names[:1])
        policy = policies / "policy.yaml"
        policy.write_text(policy.read_text().replace("active: [root], backup: [spare]", "active: [spare]"))
        said, memory = self.replay(policies, self.base / "record.json")
        self.assertIn(f"the policy does not hold on {len(names)} hosts", said)
        self.assertLess(len(said), 10_000)
        self.assertLess(memory, 100 + len(names) * 4 / 1024)
        print(f"the policy holds on none of {len(names)} hosts: {memory:.0f} MiB")

    def judge(self, policies, record):
        """On how many hosts of a record the policy holds, and the memory that it took to find out."""
        said, memory = self.replay(policies, record)
        return int(re.search(r"the policy holds on (\d+) hosts? at", said)[1]), memory

    def replay(self, policies, record):
        status, said, memory = peak(
            PINTLE, "probe", policies, "--replay", record, "--at", "2026-11-22", "--min-success", "0")
        self.assertEqual(status, 0, said)
        return said, memory


class Job(unittest.TestCase):
    """The example of a Kubernetes Job: the API's schema accepts it, and its command divides the fleet as it says."""

    def test_valid(self):
        documents = list(yaml.safe_load_all(JOB.read_text()))
        for document in documents:
            kubernetes_validate.validate(document, "1.37", strict=True)
        job = next(document for document in documents if document["kind"] == "Job")
        self.assertEqual(job["spec"]["completionMode"], "Indexed")
        command = job["spec"]["template"]["spec"]["containers"][0]["command"][-1]
        self.assertIn(f'$part/{job["spec"]["completions"]}"', command)
        broken = json.loads(json.dumps(job))
        broken["spec"]["completion"] = broken["spec"].pop("completions")
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(broken, "1.37", strict=True)


if __name__ == "__main__":
    unittest.main()
