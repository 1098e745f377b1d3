"""What a program and its log are told: each key by name, errors that pass a process pool, and wrong types."""

import asyncio
import concurrent.futures
import copy
import importlib.metadata
import multiprocessing
import pickle
import re
import traceback

import aiohttp
import httpx
import pintle
import pintle.aiohttp
import pintle.httpx
import pintle.requests
import pintle.urllib3
import requests
import scenes
import urllib3

HOST = "blocked.test"
VERSION = re.search(r'current = "(.*)"', (scenes.ROOT / "Sources/Output/Diagnostics/Version.swift").read_text())[1]


def by_connect(port):
    pintle.connect(scenes.store(), HOST, port, ("127.0.0.1", port))


def by_urllib3(port):
    pintle.urllib3.PinnedPoolManager(scenes.store(), retries=False).request("GET", f"https://{HOST}:{port}/")


def by_requests(port):
    with requests.Session() as session:
        session.trust_env = False
        session.mount("https://", pintle.requests.PinnedAdapter(scenes.store()))
        session.get(f"https://{HOST}:{port}/")


def by_httpx(port):
    with pintle.httpx.PinnedClient(scenes.store()) as client:
        client.get(f"https://{HOST}:{port}/")


def by_httpx_async(port):
    async def get():
        async with pintle.httpx.PinnedAsyncClient(scenes.store()) as client:
            await client.get(f"https://{HOST}:{port}/")

    asyncio.run(get())


def by_aiohttp(port):
    async def get():
        async with aiohttp.ClientSession(connector=pintle.aiohttp.PinnedConnector(scenes.store())) as session:
            await session.get(f"https://{HOST}:{port}/")

    asyncio.run(get())


def by_update(_):
    scenes.store().update(b"{}")


class ErrorTests(scenes.TestCase):
    CLIENTS = {by_connect: pintle.Refused, by_urllib3: urllib3.exceptions.HTTPError, by_requests: requests.RequestException,
               by_httpx: httpx.TransportError, by_httpx_async: httpx.TransportError, by_aiohttp: aiohttp.ClientError}

    def test_process_pools(self):
        """Pools break, or hang, if an exception can't be made again; causes are lost on the way."""
        fork = multiprocessing.get_context("fork")  # with the names of this process below .test
        with scenes.server(HOST) as server:
            with concurrent.futures.ProcessPoolExecutor(1, fork) as executor, fork.Pool(1) as pool:
                for client, kind in self.CLIENTS.items():
                    with self.subTest(client.__name__):
                        for get in (lambda: executor.submit(client, server.port).result(60),
                                    lambda: pool.apply_async(client, (server.port,)).get(60)):
                            with self.assertRaises(kind) as caught:
                                get()
                            refused = pintle.refusal(caught.exception)
                            self.assertEqual((refused.code, refused.decision.reason), ("blocked", "mismatch"))
                            self.assertEqual(refused.decision.required[0].name, "spare-leaf")
                with self.assertRaises(pintle.Error) as caught:
                    executor.submit(by_update, 0).result(60)
                self.assertEqual((caught.exception.code, caught.exception.status), ("malformed-file", -1))
            self.assertEqual(set(server.received()), {b""})

    def test_copies(self):
        with scenes.store() as store:
            decision = store.evaluate(HOST, 443, [], validation="stands")
            errors = [pintle.Refused(decision), pintle.Refused(decision, "no-longer-holds"), pintle.UnjudgedError("why"),
                      pintle.ConfigurationError("why"), pintle.Error("why", "code", -3)]
            for error in errors:
                for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
                    self.assertEqual((type(again), str(again), again.args, vars(again)),
                                     (type(error), str(error), error.args, vars(error)))
                name = type(error).__name__
                self.assertRegex(traceback.format_exception_only(type(error), error)[0], rf"^pintle\.{name}: ")
                # Also what an earlier release has pickled.
                older = pickle.dumps(error, 2).replace(f"cpintle\n{name}\n".encode(), f"cpintle._decision\n{name}\n".encode())
                self.assertIn(b"_decision\n" + name.encode(), older)
                self.assertEqual((type(pickle.loads(older)), str(pickle.loads(older))), (type(error), str(error)))
            self.assertEqual(pickle.loads(pickle.dumps(decision)), decision)
            for make in (copy.copy, copy.deepcopy, pickle.dumps):
                self.assertRaisesRegex(TypeError, "open one in each process", make, store)
            adapter = pintle.requests.PinnedAdapter(store)
            for make in (copy.deepcopy, pickle.dumps):
                self.assertRaisesRegex(TypeError, "open one in each process", make, adapter)
            again = copy.copy(adapter)
            with scenes.server(HOST) as server, requests.Session() as session:
                session.trust_env = False
                session.mount("https://", again)
                with self.assertRaises(requests.RequestException) as caught:
                    session.get(f"https://{HOST}:{server.port}/")
                self.assertEqual(pintle.refusal(caught.exception).decision.reason, "mismatch")

    def test_groups(self):
        class Group(Exception):
            """As ExceptionGroup, which Python has since 3.11."""

            exceptions = (ValueError(), pintle.Refused(scenes.store().evaluate(HOST, 443, [])))

        self.assertIs(pintle.refusal(Group("two", list(Group.exceptions))), Group.exceptions[1])
        self.assertIsNone(pintle.refusal(ValueError("other")))

    def test_keys(self):
        with scenes.server(HOST) as server, self.assertLogs("pintle", "WARNING") as log:
            with self.assertRaises(pintle.Refused) as caught:
                by_connect(server.port)
        text, decision = str(caught.exception), caught.exception.decision
        self.assertEqual(log.output, [f"WARNING:pintle:{HOST}:{server.port}: {text}"])
        self.assertEqual([(key.name, key.certificate, key.position, key.status) for key in decision.required],
                         [("spare-leaf", None, "leaf", "active"), ("second-spare-leaf", None, "leaf", "backup")])
        self.assertEqual([(key.name, key.certificate, key.position, key.status) for key in decision.presented],
                         [(None, place, name, "unknown") for place, name in enumerate(["leaf", "intermediate", "root"])])
        self.assertFalse(decision.requires_leaf_and_ca)
        self.assertRegex(text, "^block: none of")
        for key in decision.required + decision.presented:
            self.assertIn(key.pin, text)
        later = str(pintle.Refused(decision, "no-longer-holds"))
        self.assertEqual(later, "no longer allowed: " + text[len("block: "):])

    def test_no_longer_allowed(self):
        """By a manifest that leaves the host to trust evaluation, which fails; or by a store that is closed."""
        with scenes.store() as store:
            failing, without = (
                store.evaluate("unpinned.test", 443, [], validation=each) for each in ("replaced", "stands"))
        self.assertEqual((failing.disposition, without.disposition), ("cancel", "performDefaultHandling"))
        self.assertEqual(str(pintle.Refused(failing, "no-longer-holds")), f"no longer allowed: {failing.message}")
        self.assertEqual(str(pintle.Refused(without, "no-longer-holds")),
                         "no longer allowed: the store could not decide again")

    def test_report_only(self):
        host = "report-only.test"
        with scenes.server(host) as server, scenes.store() as store, self.assertLogs("pintle", "WARNING") as log:
            pintle.connect(store, host, server.port, server.address).close()
        self.assertRegex(log.output[0], f"{host}:{server.port}: allow: .*required: ")

    def test_leaf_and_ca(self):
        extra = self.extra()
        with extra.server("other-leaf.test") as server, scenes.store(embedded=extra.manifest) as store:
            with self.assertRaises(pintle.Refused) as caught:
                pintle.connect(store, "other-leaf.test", server.port, server.address)
        self.assertTrue(caught.exception.decision.requires_leaf_and_ca)
        self.assertIn("required: one at the leaf and one above it of", str(caught.exception))
        self.assertIn(("issuing", "active"), [(key.name, key.status) for key in caught.exception.decision.presented])

    def test_types(self):
        manifest, path = scenes.read("manifest.json"), scenes.FIXTURES / "manifest.json"
        with scenes.store() as store:
            for error, call in [
                ("keyset must be bytes, not str; read the file", lambda: pintle.Store(keyset="1.keyset.json", audience="test")),
                ("embedded must be bytes, not PosixPath", lambda: scenes.store(embedded=path)),
                ("signers must be a list of bytes, not bytes", lambda: pintle.Store(scenes.SIGNER, "test")),
                ("each of anchors must be bytes, not str", lambda: scenes.store(anchors=["root.pem"])),
                ("the manifest must be bytes, not str; update_file", lambda: store.update(manifest.decode())),
                ("the keyset must be bytes, not dict", lambda: store.update_keyset({})),
                ("a host or an audience must be a str, not bytes", lambda: store.evaluate(b"a.test", 443, [])),
                ("each of certificates must be bytes, not str", lambda: store.evaluate("a.test", 443, ["PEM"])),
            ]:
                self.assertRaisesRegex(TypeError, error, call)
            with requests.Session() as session:
                session.mount("https://", pintle.requests.PinnedAdapter(store))
                for verify, end in [(False, "give anchors to the Store$"), ("ca.pem", "trust_env = False on the session")]:
                    with self.assertRaisesRegex(pintle.ConfigurationError, end):
                        session.get("https://allowed.test/", verify=verify)
            for host in ("allowed.test:443", "https://allowed.test", "https://allowed.test/x"):
                decision = store.evaluate(host, 443, [])
                self.assertEqual((decision.reason, decision.disposition), ("invalid-host", "cancel"))
                self.assertIn("without scheme, port or path", decision.message)

    def test_anchors(self):
        """Trust settings bind anchors, and nothing else may be among them."""
        keys = scenes.ROOT / "Tests" / "Fixtures" / "examples" / "keys"
        def opened(anchor):
            with scenes.store(anchors=[anchor]) as store:
                return store.problems()
        self.assertEqual(opened((keys / "example-root-trusted.pem").read_bytes()), [])
        for name, message in [("example-root-rejected.pem", "reject it for TLS servers"),
                              ("api-public.pem", "'PUBLIC KEY' where a certificate belongs")]:
            with self.assertRaisesRegex(pintle.Error, message):
                opened(scenes.ANCHOR.read_bytes() + (keys / name).read_bytes())

    def test_swapped_files(self):
        keyset, manifest = scenes.read("1.keyset.json"), scenes.read("manifest.json")
        with pintle.Store(keyset=keyset, audience="test") as store:
            self.assertRaisesRegex(pintle.Error, "keyset", store.update, keyset)
            self.assertRaisesRegex(pintle.Error, "manifest", store.update_keyset, manifest)
        self.assertRaisesRegex(pintle.Error, "manifest", pintle.Store, keyset=manifest, audience="test")

    def test_version(self):
        self.assertEqual((pintle.__version__, pintle.version()), (VERSION, VERSION))
        try:
            self.assertEqual(importlib.metadata.version("pintle"), VERSION)
        except importlib.metadata.PackageNotFoundError:
            pass  # run from the sources
