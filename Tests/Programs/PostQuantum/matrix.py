#!/usr/bin/env python3
"""Key algorithm x kind of client x command: each cell is tried (docs/validation.md#what-each-command-says-of-an-algorithm).

    PINTLE=.build/dev/debug/pintle OPENSSL_3_5=FOLDER .build/venv/bin/python Tests/Programs/PostQuantum/matrix.py

PINTLE is linked to the system's OpenSSL. FOLDER has libssl.so.3 and libcrypto.so.3 of OpenSSL 3.5, on which servers run, and
PINTLE a second time.
"""

import base64
import collections
import datetime
import hashlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, ed448, mldsa, padding, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

PINTLE = os.path.abspath(os.environ["PINTLE"])
NEWER = os.environ["OPENSSL_3_5"]
VECTORS = pathlib.Path(__file__).resolve().parents[2] / "Vectors" / "certificates.json"
CLOCK = "2026-12-01T00:00:00Z"
KINDS = ["openssl-3.0", "openssl-3.5", "java-17", "android", "apple"]
HOST = "example.com"

KEYS = {
    "rsa-2048": lambda: rsa.generate_private_key(65537, 2048),
    "rsa-4096": lambda: rsa.generate_private_key(65537, 4096),
    "rsa-pss": lambda: rsa.generate_private_key(65537, 2048),  # signs certificates with RSASSA-PSS
    "p-256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "p-384": lambda: ec.generate_private_key(ec.SECP384R1()),
    "p-521": lambda: ec.generate_private_key(ec.SECP521R1()),
    "secp256k1": lambda: ec.generate_private_key(ec.SECP256K1()),
    "ed25519": ed25519.Ed25519PrivateKey.generate,
    "ed448": ed448.Ed448PrivateKey.generate,
    "ml-dsa-44": mldsa.MLDSA44PrivateKey.generate,
    "ml-dsa-65": mldsa.MLDSA65PrivateKey.generate,
    "ml-dsa-87": mldsa.MLDSA87PrivateKey.generate,
}
EDWARDS = {"ed25519", "ed448"}
POST_QUANTUM = {"ml-dsa-44", "ml-dsa-65", "ml-dsa-87"}
# Certificates of the vectors: no server has such a key.
OTHERS = {"slh-dsa": "SLH-DSA-SHA2-128s", "composite": "composite ML-DSA-65 with ECDSA P-256"}

# The kinds of clients that don't verify it, as the key of a server and as the key of an authority.
LEAVES = {"p-521": {"android"}, "secp256k1": set(KINDS)}
AUTHORITIES = {"rsa-pss": {"apple"}, "secp256k1": set(KINDS) - {"openssl-3.0", "openssl-3.5"}}
for name in EDWARDS:
    LEAVES[name] = AUTHORITIES[name] = {"android", "apple"}
for name in POST_QUANTUM:
    LEAVES[name] = AUTHORITIES[name] = set(KINDS) - {"openssl-3.5"}


def failing(algorithm, role):
    """The kinds that don't verify it, as far as a policy knows: another certificate for a key may be signed otherwise."""
    if algorithm in OTHERS:
        return set(KINDS)
    return set() if algorithm == "rsa-pss" else (LEAVES if role == "leaf" else AUTHORITIES).get(algorithm, set())


def clients(algorithm, role, kind):
    """A kind, and another one that verifies the key: `check` then warns, so `diff` and `rotate` have to judge by themselves.

    Only where no kind verifies it they stop at the error of `check`.
    """
    fails = failing(algorithm, role)
    others = [each for each in KINDS if each not in fails]
    return [kind, others[0]] if kind in fails and others else [kind]


class World:
    """The files of one row."""

    def __init__(self, folder, algorithm, role):
        self.folder, self.algorithm, self.role = folder, algorithm, role
        self.is_other = algorithm in OTHERS
        keys = folder / "keys"
        keys.mkdir(parents=True)
        if self.is_other:
            kept = json.loads(VECTORS.read_text())["certificates"]
            der = {name: base64.b64decode(kept[name]["der"]) for name in (algorithm, "int-1", "root-1", "leaf-1")}
            texts = {name: x509_text(each) for name, each in der.items()}
            self.target, self.other, self.anchors = texts[algorithm], texts["leaf-1"], [texts["root-1"]]
            self.chain = texts[algorithm] + texts["int-1"]
            self.intermediates = texts["int-1"]
            # Only by another key can such a policy be released.
            self.pin = pin(x509.load_der_x509_certificate(der["int-1"]))
        else:
            self.intermediates = ""
            root, key = KEYS["p-256"](), KEYS[algorithm]()
            top = certificate("Root", root, "Root", root, "p-256")
            other = certificate("other", KEYS["p-256"](), "Root", root, "p-256", leaf=True)
            if role == "leaf":
                target = certificate("leaf", key, "Root", root, "p-256", leaf=True)
                self.anchors, self.chain, shown = [pem(top)], pem(target), key
            else:
                shown = KEYS["p-256"]()
                target = certificate("Authority", key, "Authority", key, algorithm)
                leaf = certificate("leaf", shown, "Authority", key, algorithm, leaf=True)
                self.anchors, self.chain = [pem(top), pem(target)], pem(leaf)
            self.target, self.other = pem(target), pem(other)
            (folder / "server.key").write_bytes(shown.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
            self.pin = pin(target)
        for name, text in {"target": self.target, "other": self.other, "anchors": "".join(self.anchors)}.items():
            (keys / f"{name}.pem").write_text(text)
        if self.intermediates:
            (keys / "intermediates.pem").write_text(self.intermediates)
        (folder / "chain.pem").write_text(self.chain)
        if self.is_other:
            status, text = pintle({}, "pin", keys / "target.pem")
            if not status or OTHERS[algorithm] not in text:
                raise SystemExit(f"pintle pin doesn't reject {OTHERS[algorithm]} by name: {text}")
        run("openssl", "genpkey", "-algorithm", "ed25519", "-out", folder / "release.key")
        run("openssl", "pkey", "-in", folder / "release.key", "-pubout", "-out", folder / "release.pub")

    def policy(self, name, kinds, active, backup, *, by_file, more=""):
        """A policy for some kinds of clients; of a key that is only a pin, it doesn't know the algorithm."""
        path = self.folder / name
        path.mkdir()
        shutil.copytree(self.folder / "keys", path / "keys")
        place = ", position: root" if self.role == "authority" else ""
        key = (f"file: keys/target.pem{place}" if by_file else f"pin: {self.pin}{place}") + more
        sent = ", intermediates: [keys/intermediates.pem]" if self.intermediates else ""
        listed = f", clients: [{', '.join(kinds)}]" if kinds else ""
        (path / "policy.yaml").write_text(f"""version: 1
owner: sec@example.com
manifest: {{ audience: production{listed} }}
keys:
  target: {{ {key} }}
  other: {{ file: keys/other.pem }}
  third: {{ pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, position: leaf }}
key-sets:
  web: {{ active: [{active}], backup: [{backup}] }}
hosts:
  - host: {HOST}
    keys: web
    expires: 2027-06-01
    on-expiry: block
    trust: {{ anchors: [keys/anchors.pem]{sent}, reason: our own CA }}
""")
        return path

    def release(self, name, active, backup):
        # The anchors show what an authority's key is.
        kinds = [kind for kind in KINDS if kind not in failing(self.algorithm, self.role)][:1]
        policy = self.policy(name, kinds, active, backup, by_file=False)
        file = self.folder / f"{name}.json"
        status, text = pintle(
            {}, "build", policy, "-o", file, "--sign-key", self.folder / "release.key", "--serial", "1", "--issued-at",
            CLOCK, "--at", CLOCK)
        if status:
            raise SystemExit(text)
        return file


def certificate(subject, key, issuer, signer, algorithm, leaf=False):
    def name(text):
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    def identifier(key):
        return hashlib.sha1(key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)).digest()

    now = datetime.datetime(2026, 11, 1)
    usages = dict.fromkeys([
        "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
        "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"], False)
    usages |= {"digital_signature": True} if leaf else {"key_cert_sign": True, "crl_sign": True}
    builder = (
        x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer)).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now)
        .not_valid_after(now + datetime.timedelta(days=300))
        .add_extension(x509.BasicConstraints(not leaf, None), True).add_extension(x509.KeyUsage(**usages), True)
        .add_extension(x509.SubjectKeyIdentifier(identifier(key)), False)
        .add_extension(x509.AuthorityKeyIdentifier(identifier(signer), None, None), False))
    if leaf:
        builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False)
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), False)
    digest = None if algorithm in EDWARDS | POST_QUANTUM else hashes.SHA256()
    if algorithm == "rsa-pss":
        scheme = padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.DIGEST_LENGTH)
        return builder.sign(signer, digest, rsa_padding=scheme)
    return builder.sign(signer, digest)


def pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def x509_text(der):
    lines = base64.encodebytes(der).decode()
    return f"-----BEGIN CERTIFICATE-----\n{lines}-----END CERTIFICATE-----\n"


def pin(certificate):
    spki = certificate.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return "sha256/" + base64.b64encode(hashlib.sha256(spki).digest()).decode()


def run(*arguments, environment=None):
    result = subprocess.run(
        [str(each) for each in arguments], capture_output=True, text=True, timeout=60,
        env={**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})})
    return result.returncode, result.stdout + result.stderr


def pintle(environment, *arguments):
    return run(PINTLE, *arguments, environment=environment)


class Server:
    """A TLS server on OpenSSL 3.5."""

    def __init__(self, world):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            ["openssl", "s_server", "-accept", f"127.0.0.1:{self.port}", "-cert", world.folder / "chain.pem", "-key",
             world.folder / "server.key", "-quiet"],
            env={**os.environ, "LD_LIBRARY_PATH": NEWER}, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def __enter__(self):
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                time.sleep(0.05)
                if self.process.poll() is not None:
                    raise SystemExit("the server doesn't start")
        raise SystemExit("the server doesn't answer")

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def expected(algorithm, role, kind, library, command):
    """The exit status of a cell."""
    fails = kind in failing(algorithm, role)
    # Only the certificate that a server has shows how a key signed.
    if algorithm == "rsa-pss" and command == "probe":
        fails = kind in AUTHORITIES[algorithm]
    # What the library can't verify isn't evaluated, and `check` warns of it.
    is_unread = algorithm in POST_QUANTUM and library == "openssl-3.0"
    match command:
        case "check":
            return 2 if fails else 0
        case "diff" | "rotate":
            # A file whose key nobody accepts isn't read, so the policy has errors.
            if algorithm in OTHERS:
                return 2
            # Of a leaf, only the key is used. A planned authority that can't be evaluated counts as rejected.
            return 3 if fails or is_unread and role == "authority" else 0
        case "probe":
            # The server has nothing for what is offered.
            if role == "leaf" and (algorithm == "secp256k1" or algorithm in POST_QUANTUM and (fails or is_unread)):
                return 5
            return 4 if fails or is_unread else 0
        case "decide":
            return 4 if is_unread or algorithm in OTHERS else 0


def try_row(folder, algorithm, role, tried, wrong):
    world = World(folder, algorithm, role)
    before, earlier = world.release("before", "target", "other"), world.release("earlier", "other", "target")
    public = ["--key", folder / "release.pub", "--at", CLOCK]

    def cell(kind, library, command, result, *words):
        status, text = result
        want = expected(algorithm, role, kind, library, command)
        tried[command] += 1
        said = status == want and (not want or all(word in text for word in words))
        if role == "authority" and algorithm in POST_QUANTUM and (kind, library) == ("openssl-3.5", "openssl-3.0"):
            said = said and {"check": "could not be evaluated", "diff": "doesn't verify"}.get(command, "") in text
        if not said or "UNDEF" in text:
            wrong.append(f"{role} {algorithm}, {kind}, {command} on {library}: exit {status}, not {want}\n{text[-900:]}")

    libraries = {"openssl-3.0": {}, "openssl-3.5": {"LD_LIBRARY_PATH": NEWER}}
    for kind in KINDS:
        kinds = clients(algorithm, role, kind)
        # What the commands say themselves, or what they say of the policy's error.
        said = {"diff": ["[P613]"], "rotate": ["can't verify 'target'"]} if len(kinds) > 1 else {}
        candidate = world.policy(f"candidate-{kind}", [kind], "target", "other", by_file=True)
        stepped = world.policy(
            f"stepped-{kind}", kinds, "other", "target", by_file=True,
            more=", status: published, steps: { active: 2026-12-20 }")
        planned = world.policy(f"planned-{kind}", kinds, "other", "target", by_file=True)
        for library, environment in libraries.items():
            name = [OTHERS[algorithm]] if world.is_other else []
            cell(kind, library, "check", pintle(environment, "check", candidate), *(name or ["[P337]"]))
            cell(kind, library, "diff", pintle(environment, "diff", stepped, "--against", earlier, *public),
                 *said.get("diff", []))
            cell(kind, library, "rotate", pintle(
                environment, "rotate", "web", planned, "--to", "target", "--against", earlier, *public),
                 *said.get("rotate", []))
            if len(kinds) == 1 and kind in failing(algorithm, role):
                tried["diff or rotate at the error of check"] += 2
    for library, environment in libraries.items():
        cell(library, library, "decide", pintle(
            environment, "decide", HOST, "--manifest", before, "--chain", folder / "chain.pem", *public),
            *([OTHERS[algorithm]] if world.is_other else []))
    if world.is_other:
        return
    with Server(world) as server:
        for kind in KINDS:
            # A policy with errors asks no server, so it mustn't know of a key that no client verifies, and each kind needs
            # an active key. Of a leaf it knows the pin only; the anchors show what an authority's key is.
            kinds = [kind] if role == "leaf" else clients(algorithm, role, kind)
            policy = world.policy(f"probed-{kind}", kinds, "target, other", "third", by_file=False)
            for library, environment in libraries.items():
                cell(kind, library, "probe", pintle(
                    environment, "probe", policy, "--connect-to", f"{HOST}:443:127.0.0.1:{server.port}", "--retries", "0",
                    "--at", CLOCK))


def main():
    tried, wrong = collections.Counter(), []
    rows = [(name, "leaf") for name in [*KEYS, *OTHERS] if name != "rsa-pss"]
    rows += [(name, "authority") for name in KEYS]
    chosen = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for algorithm, role in rows:
            if not chosen or algorithm in chosen:
                try_row(pathlib.Path(folder) / f"{role}-{algorithm}", algorithm, role, tried, wrong)
    for each in wrong:
        print(each, file=sys.stderr)
    stopped = tried.pop("diff or rotate at the error of check", 0)
    print(f"{sum(tried.values())} cells tried ({', '.join(f'{count} {name}' for name, count in tried.items())}), "
          f"{stopped} of them diff or rotate at an error of check, {len(wrong)} wrong")
    return bool(wrong) or not tried


if __name__ == "__main__":
    sys.exit(main())
