#!/usr/bin/env python3
"""Handshakes of the Python client with servers that have ML-DSA keys: on OpenSSL 3.5 or later.

    LD_LIBRARY_PATH=… PINTLE_LIBRARY=… PYTHONPATH=clients/python \\
      .build/venv/bin/python Tests/Programs/LibPintle/test_post_quantum.py

Certificates, keys and manifests are those of the conformance vectors.
"""

import base64
import calendar
import json
import pathlib
import socket
import ssl
import sys
import tempfile
import threading
import time

import pintle

ROOT = pathlib.Path(__file__).resolve().parents[3]
VECTORS = ROOT / "Tests" / "Vectors"
sys.path.insert(0, str(ROOT / "Scripts" / "make" / "conformance"))

import committed  # noqa: E402
import keys as vector_keys  # noqa: E402
from cryptography.hazmat.primitives import serialization  # noqa: E402

NOW = calendar.timegm(time.strptime("2026-12-01T00:00:00Z", "%Y-%m-%dT%H:%M:%SZ"))
CERTIFICATES = {
    name: base64.b64decode(each["der"])
    for name, each in json.loads((VECTORS / "certificates.json").read_text())["certificates"].items()}
SIGNERS = {
    name: base64.b64decode(each)
    for name, each in json.loads((VECTORS / "signers.json").read_text())["signers"].items()}
MANIFESTS = committed.contents("manifests")
ANCHORS = ["root-1", *(f"root-ml-dsa-{size}" for size in (44, 65, 87))]

# Certificates that the server has, each with the name and size of its key; the manifest; what the client says of it.
ROWS = [
    *(([([f"ml-dsa-{size}"], "leaf", size)], "plain", None) for size in (44, 65, 87)),
    *(([([f"ml-dsa-{size}-key", "int-1"], "leaf", size)], "plain", None) for size in (44, 65, 87)),
    *(([([f"ml-dsa-{size}-signature"], "post-quantum leaf", None)], "plain", None) for size in (44, 65, 87)),
    ([(["ml-dsa-65"], "leaf", 65)], "leaf", None),
    ([(["ml-dsa-65"], "leaf", 65)], "mismatch", "mismatch"),
    ([(["ml-dsa-65"], "leaf", 65)], "denied", "denied-key"),
    # With both kinds, OpenSSL 3.5 gets ML-DSA, whichever is pinned.
    ([(["under-int-ml-dsa-65", "int-ml-dsa-65"], "post-quantum leaf", None), (["ml-dsa-65"], "leaf", 65)], "mismatch",
     "mismatch"),
    ([(["under-int-ml-dsa-65", "int-ml-dsa-65"], "post-quantum leaf", None), (["ml-dsa-65"], "leaf", 65)], "leaf", None),
]


def pem(der):
    return ssl.DER_cert_to_PEM_cert(der)


def key(name, size):
    made = vector_keys.MLDSA(name, size) if size else vector_keys.EC(name)
    return made.key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


class Server:
    """Accepts one connection, and answers each byte with itself."""

    def __init__(self, chains):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        for names, name, size in chains:
            with tempfile.NamedTemporaryFile() as file:
                file.write("".join(pem(CERTIFICATES[each]) for each in names).encode() + key(name, size))
                file.flush()
                self.context.load_cert_chain(file.name)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.received = b""
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        connection, _ = self.listener.accept()
        connection.settimeout(10)
        try:
            with self.context.wrap_socket(connection, server_side=True) as session:
                while byte := session.recv(1):
                    self.received += byte
                    session.sendall(byte)
        except OSError:
            pass

    def close(self):
        self.thread.join(20)
        self.listener.close()


def connect(chains, manifest):
    """None if a byte went to the server and back, otherwise why the client refused; and what the server received."""
    server = Server(chains)
    settings = {"audience": "vectors", "signers": SIGNERS_OF_VECTORS, "threshold": 1}
    refusal = None
    with pintle.Store(
        **settings, embedded=MANIFESTS[f"post-quantum-{manifest}.json"],
        anchors=[CERTIFICATES[name] for name in ANCHORS], clock=lambda: NOW,
    ) as store:
        if store.problems():
            raise SystemExit(f"the manifest was refused: {store.problems()}")
        try:
            with socket.create_connection(("127.0.0.1", server.port), 10) as connection:
                with store.context(server.port).wrap_socket(connection, server_hostname="example.com") as session:
                    session.sendall(b"x")
                    if session.recv(1) != b"x":
                        raise SystemExit("nothing came back")
        except OSError as error:
            found = pintle.refusal(error)
            if found is None:
                raise
            refusal = found.decision.reason
    server.close()
    return refusal, server.received


def signers():
    """Those of the vectors about ML-DSA."""
    theme = json.loads((VECTORS / "post-quantum.json").read_text())
    (names,) = {tuple(row["client"]["signers"]) for row in theme["vectors"]}
    return [SIGNERS[name] for name in names]


SIGNERS_OF_VECTORS = signers()


def main():
    if ssl.OPENSSL_VERSION_INFO < (3, 5):
        raise SystemExit(f"needs OpenSSL 3.5: this is {ssl.OPENSSL_VERSION}")
    wrong = 0
    for chains, manifest, expected in ROWS:
        refusal, received = connect(chains, manifest)
        if refusal != expected or received != (b"" if expected else b"x"):
            wrong += 1
            print(f"{chains} by {manifest}: {refusal}, not {expected}; the server received {received}", file=sys.stderr)
    version = ".".join(map(str, ssl.OPENSSL_VERSION_INFO[:2]))
    print(f"{len(ROWS)} handshakes on OpenSSL {version}, {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
