"""Shared by the checks of exports: certificates, a policy for them, servers that present them.

Everything is made in the folder that a check works in, by the openssl command, which knows nothing of Pintle: pins
are computed from what it prints.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

INSTANT = "2026-11-21T00:00:00Z"
FAKETIME = next(map(str, Path("/usr/lib").glob("*/faketime/libfaketime.so.1")), "")


def need(*programs):
    """Fails if a program is missing, instead of passing without it."""
    if not FAKETIME:
        sys.exit("libfaketime is missing; run Scripts/install-packages test")
    for program in programs:
        if shutil.which(program) is None and not Path(program).exists():
            sys.exit(f"{program} is missing; run Scripts/install-packages test")


def run(*command, **options):
    """Runs a program that must succeed, and returns its standard output."""
    ended = subprocess.run([str(part) for part in command], capture_output=True, timeout=300, **options)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {ended.returncode}\n{ended.stderr.decode(errors='replace')}")
    return ended.stdout


class Authority:
    """A CA with an intermediate, which issues certificates for servers."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        folder.mkdir(parents=True, exist_ok=True)
        self.root = self._certificate(f"{name}-root", None, "CA:TRUE", f"/CN={name} root")
        self.intermediate = self._certificate(f"{name}-intermediate", self.root, "CA:TRUE", f"/CN={name} intermediate")

    def server(self, file, *names):
        """A certificate for these names or addresses, with a key of its own."""
        alternatives = ",".join(("IP:" if name[0].isdigit() else "DNS:") + name for name in names)
        return self._certificate(file, self.intermediate, "CA:FALSE", f"/CN={names[0]}", alternatives)

    def chain(self, leaf):
        """Leaf and intermediate, as a server presents them."""
        path = leaf.with_suffix(".chain.pem")
        path.write_bytes(leaf.read_bytes() + self.intermediate.read_bytes())
        return path

    def _certificate(self, file, issuer, constraints, subject, alternatives=None):
        key, request, certificate = (self.folder / f"{file}.{end}" for end in ("key", "csr", "pem"))
        run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key)
        run("openssl", "req", "-new", "-key", key, "-subj", subject, "-out", request)
        extensions = self.folder / f"{file}.ext"
        lines = [f"basicConstraints=critical,{constraints}"]
        if constraints == "CA:TRUE":
            lines.append("keyUsage=critical,keyCertSign,cRLSign")
        else:
            lines += ["extendedKeyUsage=serverAuth", "keyUsage=critical,digitalSignature"]
        if alternatives:
            lines.append(f"subjectAltName={alternatives}")
        extensions.write_text("\n".join(lines) + "\n")
        signing = ["-signkey", key] if issuer is None else ["-CA", issuer, "-CAkey", issuer.with_suffix(".key"), "-CAcreateserial"]
        # Valid at INSTANT, which may be before today.
        past = os.environ | {"LD_PRELOAD": FAKETIME, "FAKETIME": "2026-01-01 00:00:00"}
        run("openssl", "x509", "-req", "-in", request, *signing, "-days", "3650", "-extfile", extensions, "-out",
            certificate, env=past)
        return certificate


def spki_digest(certificate):
    """SHA-256 of the certificate's SubjectPublicKeyInfo."""
    pem = run("openssl", "x509", "-in", certificate, "-noout", "-pubkey")
    return hashlib.sha256(run("openssl", "pkey", "-pubin", "-outform", "DER", input=pem)).digest()


def fingerprints(file):
    """SHA-256 of each certificate in a PEM file, over its DER."""
    blocks = file.read_text().split("-----BEGIN CERTIFICATE-----")[1:]
    return [hashlib.sha256(base64.b64decode(block.split("-----END")[0])).hexdigest() for block in blocks]


def pin(certificate):
    return base64.b64encode(spki_digest(certificate)).decode()


def policy(folder, keys, hosts):
    """Writes a policy: keys by name, each a certificate's file; hosts as YAML, one flow mapping each."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["version: 1", "owner: tests@example.com", "manifest: { audience: tests }"]
    lines += ["defaults: { mode: enforce, expires: 2027-06-01, on-expiry: enforce }", "keys:"]
    for name, certificate in keys.items():
        shutil.copy(certificate, folder / f"{name}.pem")
        lines.append(f'  {name}: {{ file: {name}.pem, custody: "a test", created: 2026-01-01 }}')
    lines += ["hosts:"] + [f"  - {host}" for host in hosts]
    (folder / "policy.yaml").write_text("\n".join(lines) + "\n")
    return folder


def export(tool, format, folder, output, *options):
    """Exports a policy into a file."""
    run(tool, "export", format, folder, "-o", output, "--at", INSTANT, *options)
    return output


class Server:
    """openssl s_server with a certificate, on a port of loopback that the system chooses, for as long as the block runs."""

    def __init__(self, chain, key):
        self._command = ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", str(chain), "-cert_chain"]
        self._command += [str(chain), "-key", str(key), "-www"]

    def __enter__(self):
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = []
        for line in self._process.stdout:
            said.append(line.decode(errors="replace"))
            if said[-1].startswith("ACCEPT "):
                self.port = int(said[-1].rsplit(":", 1)[1])
                # Read to its end, so that the server never waits for a reader.
                threading.Thread(target=self._process.stdout.read, daemon=True).start()
                return self
        sys.exit(f"openssl s_server ended with status {self._process.wait()}:\n{''.join(said)}")

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()


class Table:
    """Rows with the question, the expected answer and the actual one."""

    def __init__(self, name):
        self.name, self.rows, self.failures = name, 0, []

    def row(self, what, expected, found):
        self.rows += 1
        if expected != found:
            self.failures.append(f"{self.name}: {what}: expected {expected}, found {found}")

    def end(self):
        for failure in self.failures:
            print(failure, file=sys.stderr)
        if self.failures:
            sys.exit(1)
        print(f"{self.name}: {self.rows} answers as expected")
