"""What the tests of pintle-agent share: signed files, a static server, the agent, and who receives what it notifies."""

import functools
import http.server
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("PINTLE_BUILD", ROOT / ".build" / "checks" / "release"))
sys.path[:0] = [str(ROOT / "clients" / "python"), str(ROOT / "clients" / "python" / "tests")]
os.environ.setdefault("PINTLE_LIBRARY", str(ROOT / ".build" / "libpintle" / "libpintle.so.0"))

import keysets  # noqa: E402
import pintle  # noqa: E402

FIXTURE = (ROOT / "Tests" / "Fixtures" / "transports" / "manifest.json").read_bytes()
AGENT = str(BUILD / "pintle-agent")


def until(condition, what, seconds=60):
    """Waits for what must come; the limit is only there so that a failure ends."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"never: {what() if callable(what) else what}")
        time.sleep(0.01)


class Site(http.server.SimpleHTTPRequestHandler):
    """A static server, which answers 503 while it is down."""

    def do_GET(self):
        if self.server.is_down:
            self.send_error(503)
        else:
            super().do_GET()

    def log_message(self, *_):
        pass


class Manager:
    """The service manager's end of NOTIFY_SOCKET: all messages, in order."""

    def __init__(self, address):
        self.messages = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(address)
        threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self):
        while message := self._socket.recv(4096):
            self.messages.append(message.decode().split("\n"))

    def lines(self, start):
        return [line for message in self.messages for line in message if line.startswith(start)]


class AgentCase(unittest.TestCase):
    """Serial 1 under keyset 1 on a server; serial 2 needs keyset 2, whose signer is another key."""

    def setUp(self):
        self.base = pathlib.Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
        self.addCleanup(shutil.rmtree, self.base)
        self.site, self.folder, self.state = self.base / "site", self.base / "pins", self.base / "state"
        (self.site / "keysets").mkdir(parents=True)
        self.root, self.signer, self.stranger = map(self.key, ("root", "signer", "stranger"))
        self.keysets = [keysets.make(1, self.root), keysets.make(2, self.root, self.signer)]
        self.shipped = self.base / "1.keyset.json"
        self.shipped.write_bytes(self.keysets[0])
        self.first, self.second = self.release(1, self.root), self.release(2, self.signer)
        (self.site / "manifest.json").write_bytes(self.first)
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Site, directory=str(self.site)))
        self.server.is_down = False
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.metrics, self.log = self.base / "agent.prom", self.base / "log"

    def key(self, name):
        path = str(self.base / f"{name}.key")
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", path], check=True, capture_output=True)
        return path

    @staticmethod
    def release(serial, key, **changes):
        content = keysets.json.loads(FIXTURE)["signed"]
        return keysets.sign(keysets.MANIFEST, {**content, "serial": serial, **changes}, key)

    def publish_second(self):
        self.put(self.site / "keysets" / "2.keyset.json", self.keysets[1])
        self.put(self.site / "manifest.json", self.second)

    def put(self, path, content):
        """As any program does that replaces a file in one step; each is two seconds newer, as the server compares seconds."""
        other = path.with_name(f"{path.name}.test")
        other.write_bytes(content)
        self.modified = getattr(self, "modified", time.time()) + 2
        os.utime(other, (self.modified, self.modified))
        other.rename(path)

    def variables(self, **more):
        url = f"http://127.0.0.1:{self.server.server_address[1]}"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PINTLE_", "NOTIFY_"))}
        # Turns each fifth of a second: half of the watchdog's time.
        return kept | {
            "PINTLE_AUDIENCE": "test", "PINTLE_KEYSET_FILE": str(self.shipped), "PINTLE_DIRECTORY": str(self.state),
            "PINTLE_KEYSET_URLS": url + "/keysets/{version}.keyset.json", "PINTLE_FETCH_URLS": url + "/manifest.json",
            "PINTLE_FETCH_ALLOW_HTTP": "true", "PINTLE_FETCH_INTERVAL_SECONDS": "1",
            "PINTLE_FETCH_FIRST_RETRY_SECONDS": "1", "PINTLE_FETCH_LONGEST_RETRY_SECONDS": "1",
            "PINTLE_HOUSEKEEPING_SECONDS": "1", "WATCHDOG_USEC": "400000", "SWIFT_BACKTRACE": "enable=no"} | more

    def said(self):
        """The last messages to the service manager, and the log: for failures."""
        return f"{self.manager.messages[-3:]}\n{self.log.read_text()[-4000:]}"

    def start(self, *before, address=None, **variables):
        """Starts an agent, which tells `self.manager`."""
        address = address or f"@{self.base.name}-{time.monotonic_ns()}"
        self.manager = Manager(address.replace("@", "\0", 1))
        with self.log.open("ab") as log:
            agent = subprocess.Popen(
                [*before, AGENT, "run", str(self.folder), "--metrics", str(self.metrics)], stdout=log, stderr=log,
                env=self.variables(NOTIFY_SOCKET=address, **variables))
        self.addCleanup(self.stop, agent)
        return agent

    def stop(self, agent):
        """Ends an agent at once; returns its status."""
        agent.kill()
        return agent.wait()

    def run_agent(self, *arguments, unset=None, **variables):
        environment = self.variables(**variables)
        environment.pop(unset, None)
        return subprocess.run([AGENT, *arguments], env=environment, capture_output=True, text=True, timeout=60)

    def mirrored(self, name="manifest.json"):
        path = self.folder / name
        return path.read_bytes() if path.exists() else None

    def wait_for(self, manifest, agent):
        def is_there():
            self.assertIsNone(agent.poll(), self.log.read_text())
            return self.mirrored() == manifest

        until(is_there, lambda: f"{manifest[-40:]!r} in the folder\n{self.log.read_text()}")

    def metric(self, name):
        """The value of a series; nil if it isn't there."""
        lines = self.metrics.read_text().splitlines() if self.metrics.exists() else []
        return next((float(line.split()[-1]) for line in lines if line.split(" ")[0] == name), None)

    def client(self, state=None):
        """A client that was shipped with keyset 1; it verifies for itself."""
        if state:
            (self.base / state).mkdir(mode=0o700, exist_ok=True)
        return pintle.Store(
            keyset=self.keysets[0], audience="test", directory=str(self.base / state) if state else None)

    def look(self, client):
        """What a client has after a look at the folder: serial and version of the keyset."""
        client.update_keyset_folder(str(self.folder / "keysets"))
        client.update_file(str(self.folder / "manifest.json"))
        serial, _, version = client.release()
        return serial, version
