"""What the tests of this package share: the fixtures of all transports, and a policy with what those don't have."""

import contextlib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import socket
import tempfile
import threading
import unittest

import peers
import pintle

ROOT = pathlib.Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "Tests" / "Fixtures" / "transports"
PINTLE = pathlib.Path(os.environ.get("PINTLE_BUILD", ROOT / ".build" / "checks" / "release")) / "pintle"
CASES = {case["host"]: case for case in json.loads((FIXTURES / "cases.json").read_text())}
SIGNER = (FIXTURES / "release.pub").read_bytes()
ANCHOR = FIXTURES / "root.pem"

EXTRA_POLICY = """
version: 1
owner: tests@example.com
manifest:
  audience: test
  refresh-after: 27000d
  expires-after: 27300d
  client-max-age: 27300d
  limits: { max-lifetime: 27300d }
keys:
  issuing: { file: private-issuing.pem, position: intermediate }
  spare: { file: spare.csr, position: intermediate }
  leaf: { file: both.test.pem, position: leaf }
  spare-leaf: { file: spare-leaf.csr, position: leaf }
key-sets:
  authorities: { active: [issuing], backup: [spare] }
  both: { active: [leaf, issuing], backup: [spare-leaf, spare] }
hosts:
  - host: private.test
    keys: authorities
    trust: { anchors: [private-root.pem], reason: an authority of our own }
  - host: both.test
    keys: both
    require: leaf-and-ca
    trust: { anchors: [private-root.pem], reason: an authority of our own }
  - host: other-leaf.test
    keys: both
    require: leaf-and-ca
    trust: { anchors: [private-root.pem], reason: an authority of our own }
"""


def fixture_maker():
    """Scripts/make/transport-fixtures as a module: it makes authorities, certificates and manifests."""
    loader = importlib.machinery.SourceFileLoader("fixture_maker", str(ROOT / "Scripts" / "make" / "transport-fixtures"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fixture_maker", loader))
    loader.exec_module(module)
    module.PINTLE = PINTLE
    return module


class Extra:
    """Hosts with a root of their own; both.test must present its leaf's key and its authority's."""

    HOSTS = {"private.test": "matched", "both.test": "matched-both", "other-leaf.test": "mismatch"}

    def __init__(self, folder):
        maker, self.folder = fixture_maker(), pathlib.Path(folder)
        authority = maker.Authority(self.folder)
        authority.certify("private-root", "private-root", "authority")
        authority.certify("private-issuing", "private-root", "authority")
        for name in ("spare", "spare-leaf"):
            authority.key(name)
        for host in self.HOSTS:
            authority.certify(host, "private-issuing", "server", host=host)
            chain = [(self.folder / f"{name}.pem").read_text() for name in (host, "private-issuing")]
            (self.folder / f"{host}.chain.pem").write_text("".join(chain))
        (self.folder / "policy").mkdir()
        for file in [*self.folder.glob("*.pem"), *self.folder.glob("*.csr")]:
            shutil.copy(file, self.folder / "policy")
        (self.folder / "policy" / "policy.yaml").write_text(EXTRA_POLICY)
        maker.build(self.folder / "policy", self.folder / "manifest.json", 1)
        self.manifest = (self.folder / "manifest.json").read_bytes()

    def server(self, host):
        return peers.Server(self.folder / f"{host}.chain.pem", self.folder / f"{host}.key")


def read(name):
    return (FIXTURES / name).read_bytes()


def store(manifest="manifest.json", **settings):
    settings = {"anchors": [ANCHOR.read_bytes()], "embedded": read(manifest), **settings}
    return pintle.Store([SIGNER], "test", **settings)


def server(host, **options):
    case = CASES[host]
    return peers.Server(FIXTURES / case["chain"], FIXTURES / case["key"], **options)


def blocks_within_answer(test, store, server):
    """An update blocks the connection as soon as the client has read the answer."""
    read, is_read = pintle.PinnedObject.read, threading.Event()

    def watched(connection, *arguments):
        found = read(connection, *arguments)
        is_read.set()
        return found

    for kind in (pintle.PinnedObject, pintle.PinnedSocket):
        kind.read = watched
        test.addCleanup(delattr, kind, "read")  # the method of their common class
    server.after_answer = lambda: is_read.wait(20) and store.update_file(FIXTURES / "denial.json")


def trusts_fixtures(context):
    """For validation="stands": the anchors that Python's own verification uses."""
    context.load_verify_locations(ANCHOR)


def _lookup(host, port, *arguments, found=socket.getaddrinfo, **options):
    if isinstance(host, bytes):
        host = host.decode()
    return found("127.0.0.1" if str(host).endswith(".test") else host, port, *arguments, **options)


class TestCase(unittest.TestCase):
    """Names below .test lead to loopback."""

    @classmethod
    def setUpClass(cls):
        replaced, socket.getaddrinfo = socket.getaddrinfo, _lookup
        cls.addClassCleanup(setattr, socket, "getaddrinfo", replaced)

    @classmethod
    def extra(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        return Extra(folder.name)

    def enter(self, manager):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        return stack.enter_context(manager)
