"""Debian's ACME server for tests, on loopback, and certbot as its client."""

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


def free_ports(count):
    """Ports that nobody listens on now; all are held until the last is known, so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class PebbleCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.base)
        # pebble's own certificate, which certbot has to trust.
        cls.execute("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                    "pebble.key", "-out", "pebble.pem", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-days", "2")
        cls.start_pebble()

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
    def pintle(cls, *arguments, status=(0,)):
        return cls.execute(PINTLE, *arguments, status=status)

    @classmethod
    def write_root(cls, path):
        """The certificate of the authority, which is new each time."""
        context = ssl.create_default_context(cafile=str(cls.base / "pebble.pem"))
        with urllib.request.urlopen(f"https://127.0.0.1:{cls.management}/roots/0", context=context) as answer:
            path.write_bytes(answer.read())
