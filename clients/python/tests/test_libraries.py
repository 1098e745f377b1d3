"""urllib3, requests, httpx and aiohttp: what reaches a server, and which settings are rejected."""

import asyncio
import functools
import pickle
import ssl
import subprocess
import sys
import threading
import unittest
import unittest.mock

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
from peers import Proxy


class Client:
    """One library: `get` returns the body; `refused` are settings that must be rejected, each by itself; `family` is of
    the exceptions that its users catch, and `redirected` makes it follow redirects."""

    redirected = {}

    def __init__(self, store, proxy=None, **pins):
        self.store, self.proxy, self.pins = store, proxy, pins
        self.open()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def get_after(self, change, url, method):
        """A request right after a change: in a loop, without a turn of it between the two."""
        change()
        return self.get(url, method)


class Urllib3(Client):
    family, redirected = urllib3.exceptions.HTTPError, {"retries": 1}

    def open(self):
        if self.proxy:
            self.client = pintle.urllib3.PinnedProxyManager(self.store, self.proxy, retries=False, **self.pins)
        else:
            self.client = pintle.urllib3.PinnedPoolManager(self.store, retries=False, **self.pins)

    def get(self, url, method="GET", **options):
        return self.client.request(method, url, **options).data

    def close(self):
        self.client.clear()

    @staticmethod
    def refused(store):
        manager = pintle.urllib3.PinnedPoolManager
        for name, value in [("cert_reqs", "CERT_NONE"), ("assert_hostname", False), ("server_hostname", "other.test"),
                            ("assert_fingerprint", "00"), ("ca_certs", "x"), ("cert_file", "x"),
                            ("ssl_context", ssl.create_default_context())]:
            yield lambda: manager(store, **{name: value})
            yield lambda: manager(store).connection_from_host(
                "allowed.test", 443, "https", pool_kwargs={name: value})
        proxies = pintle.urllib3.PinnedProxyManager
        yield lambda: proxies(store, "https://127.0.0.1:1", use_forwarding_for_https=True)
        for proxy in ("http://127.0.0.1:1", "https://127.0.0.1:1"):
            yield lambda: proxies(store, proxy).request("GET", "http://allowed.test/")


class Requests(Client):
    family = requests.RequestException

    def open(self):
        self.client = requests.Session()
        self.client.trust_env = False
        self.adapter = pintle.requests.PinnedAdapter(self.store, **self.pins)
        for scheme in ("https://", "http://"):
            self.client.mount(scheme, self.adapter)
        if self.proxy:
            self.client.proxies = {"https": self.proxy}

    def get(self, url, method="GET", **options):
        return self.client.request(method, url, **options).content

    def close(self):
        self.client.close()

    @classmethod
    def refused(cls, store):
        for options in ({"verify": False}, {"verify": "ca.pem"}, {"cert": "client.pem"},
                        {"proxies": {"https": "socks5://127.0.0.1:1"}}):
            def attempt(options=options):
                with cls(store) as client:
                    client.get("https://allowed.test/", **options)
            yield attempt


class Httpx(Client):
    family, redirected = httpx.HTTPError, {"follow_redirects": True}

    def open(self):
        self.client = pintle.httpx.PinnedClient(self.store, proxy=self.proxy, **self.pins)

    def get(self, url, method="GET", **options):
        return self.client.request(method, url, **options).content

    def close(self):
        self.client.close()

    @classmethod
    def refused(cls, store):
        kind = pintle.httpx.PinnedClient if cls is Httpx else pintle.httpx.PinnedAsyncClient
        for name, value in [("verify", False), ("cert", "client.pem"), ("mounts", {}), ("transport", None),
                            ("trust_env", True)]:
            yield lambda: kind(store, **{name: value})
        yield lambda: pintle.httpx.PinnedTransport(store, verify=False)
        with cls(store) as client:
            yield lambda: client.get("https://allowed.test/", extensions={"sni_hostname": "other.test"})


class AsyncClient(Client):
    def open(self):
        self.loop = asyncio.new_event_loop()
        self.client = self.loop.run_until_complete(self.made())

    def get(self, url, *method, **options):
        return self.loop.run_until_complete(self.read(url, *method, **options))

    def get_after(self, change, url, method):
        async def both():
            change()
            return await self.read(url, method)

        return self.loop.run_until_complete(both())

    def close(self):
        self.loop.run_until_complete(self.end())
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()


class AsyncHttpx(AsyncClient):
    family, redirected = httpx.HTTPError, {"follow_redirects": True}
    refused = classmethod(Httpx.refused.__func__)

    async def made(self):
        return pintle.httpx.PinnedAsyncClient(self.store, proxy=self.proxy, **self.pins)

    async def read(self, url, method="GET", **options):
        return (await self.client.request(method, url, **options)).content

    async def end(self):
        await self.client.aclose()


class Aiohttp(AsyncClient):
    family = aiohttp.ClientError

    async def made(self):
        return aiohttp.ClientSession(connector=pintle.aiohttp.PinnedConnector(self.store, **self.pins))

    async def read(self, url, method="GET", **options):
        async with self.client.request(method, url, proxy=self.proxy, **options) as response:
            return await response.read()

    async def end(self):
        await self.client.close()

    @classmethod
    def refused(cls, store):
        for name, value in [("ssl", False), ("verify_ssl", False), ("fingerprint", bytes(32)),
                            ("ssl", ssl.create_default_context())]:
            yield lambda: pintle.aiohttp.PinnedConnector(store, **{name: value})
        with cls(store) as client:
            for options in ({"ssl": False}, {"ssl": ssl.create_default_context()}):
                yield lambda: client.get("https://allowed.test/", **options)
        with cls(store, proxy="https://127.0.0.1:1") as client:
            yield lambda: client.get("https://allowed.test/")


class LibraryTests:
    """The same for each library; a request of an impostor's client brings the impostor not a byte."""

    def attempt(self, client, host, server, method="GET", after=lambda: None):
        """The reason of a refusal, None if the request was answered."""
        try:
            self.assertEqual(client.get_after(after, f"https://{host}:{server.port}/secret", method), b"hello")
            return None
        except Exception as error:
            refused = pintle.refusal(error)
            if refused is None:
                raise
            self.assertIsInstance(error, self.kind.family)
            self.assertIn(str(refused)[:60], str(error))
            of_pickle = pintle.refusal(pickle.loads(pickle.dumps(error)))
            self.assertEqual(of_pickle.decision, refused.decision)
            return refused.decision.reason

    def check(self, store, make, host, reason, **pins):
        """`reason` is that of a refusal, or None."""
        with self.subTest(host, **pins), make(host) as server:
            with self.kind(store, **pins) as client:
                self.assertEqual(self.attempt(client, host, server), reason)
            for received in server.received():
                if reason is None:
                    self.assertTrue(received.startswith(b"GET /secret HTTP/1.1\r\n"))
                else:
                    self.assertEqual(received, b"")
            self.assertTrue(server.connections)

    def test_table(self):
        with scenes.store() as store:
            for host, case in scenes.CASES.items():
                is_allowed = case["disposition"] == "useCredential"
                self.check(store, scenes.server, host, None if is_allowed else case["reason"])

    def test_private_root_and_leaf_and_ca(self):
        extra = self.extra()
        with scenes.store(embedded=extra.manifest) as store:
            for host, reason in extra.HOSTS.items():
                self.check(store, extra.server, host, reason if reason == "mismatch" else None)

    def test_own_verification_stands(self):
        stands = {"validation": "stands", "configure": scenes.trusts_fixtures}
        with scenes.store() as store:
            for host, reason in [("allowed.test", None), ("unpinned.test", None), ("blocked.test", "mismatch")]:
                self.check(store, scenes.server, host, reason, **stands)
            with scenes.server("untrusted.test") as server:
                with self.kind(store, **stands) as client, self.assertRaises(Exception) as raised:
                    client.get(f"https://untrusted.test:{server.port}/secret")
                self.assertIn("CERTIFICATE_VERIFY_FAILED", str(raised.exception))
                self.assertEqual(set(server.received()), {b""})

    def asked(self, store):
        """Records for which host and port the store is asked."""
        found, ask = [], store._ask

        def recording(host, port, *arguments):
            found.append((host, port))
            return ask(host, port, *arguments)

        store._ask = recording
        return found

    def test_proxy(self):
        with scenes.store() as store, Proxy() as proxy:
            asked = self.asked(store)
            with scenes.server("allowed.test") as server, self.kind(store, f"http://127.0.0.1:{proxy.port}") as client:
                self.assertIsNone(self.attempt(client, "allowed.test", server))
                self.assertEqual(set(asked), {("allowed.test", server.port)})
                self.assertEqual(proxy.asked, [f"allowed.test:{server.port}"])
            with scenes.server("denied.test") as server:
                with self.kind(store, f"http://127.0.0.1:{proxy.port}") as client:
                    self.assertEqual(self.attempt(client, "denied.test", server), "denied-key")
                self.assertEqual(set(server.received()), {b""})

    def test_proxy_of_the_environment(self):
        """As README says: requests takes the proxy of the environment; the others take only `proxy=`."""
        with scenes.store() as store, Proxy() as proxy, scenes.server("allowed.test") as server:
            others = ["NO_PROXY", "no_proxy", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"]
            variables = dict.fromkeys(["HTTPS_PROXY", "https_proxy"], f"http://127.0.0.1:{proxy.port}")
            variables |= dict.fromkeys(others, "")
            with unittest.mock.patch.dict("os.environ", variables), self.kind(store) as client:
                if self.kind is Requests:
                    client.client.trust_env = True
                self.assertIsNone(self.attempt(client, "allowed.test", server))
            self.assertEqual(proxy.asked, [f"allowed.test:{server.port}"] if self.kind is Requests else [])

    def test_ports_are_told_apart(self):
        with scenes.store() as store, scenes.server("allowed.test") as one, scenes.server("allowed.test") as other:
            asked = self.asked(store)
            with self.kind(store) as client:
                for server in (one, other, one):
                    self.assertIsNone(self.attempt(client, "allowed.test", server))
            self.assertLessEqual({("allowed.test", one.port), ("allowed.test", other.port)}, set(asked))

    def test_pooled_connections(self):
        with scenes.store(skip_recent_chains=True) as store, scenes.server("allowed.test") as blocked:
            with scenes.server("off.test") as kept, self.kind(store) as client:
                for server, host in [(blocked, "allowed.test"), (kept, "off.test")]:
                    self.assertIsNone(self.attempt(client, host, server))
                # A POST first, because libraries repeat a GET whose connection was closed.
                update = functools.partial(store.update_file, scenes.FIXTURES / "newer.json")
                self.assertEqual(self.attempt(client, "allowed.test", blocked, "POST", after=update), "mismatch")
                self.assertEqual(self.attempt(client, "allowed.test", blocked), "mismatch")
                self.assertIsNone(self.attempt(client, "off.test", kept))
            (used,) = kept.received()
            self.assertEqual(used.count(b"GET "), 2)
            first, *later = blocked.received()
            self.assertEqual((first.count(b"GET "), set(later)), (1, {b""}))
            self.assertGreaterEqual(len(later), 2)  # the pooled one was left, and others were tried

    def test_busy_connections(self):
        """A connection that waits for its answer while a manifest blocks it: no answer, and no later request on it."""
        for earlier in (0, 1):
            with self.subTest(earlier=earlier), scenes.server("allowed.test") as server, \
                    scenes.store(skip_recent_chains=True) as store, self.kind(store) as client:
                for _ in range(earlier):
                    self.assertIsNone(self.attempt(client, "allowed.test", server))
                server.before_answer = lambda: store.update_file(scenes.FIXTURES / "newer.json")
                for method in ("POST", "GET"):
                    self.assertEqual(self.attempt(client, "allowed.test", server, method), "mismatch")
                self.assertEqual(self.attempt(client, "allowed.test", server), "mismatch")
                first, *later = server.received()
                self.assertEqual((first.count(b"HTTP/1.1\r\n"), set(later)), (earlier + 1, {b""}))

    def test_redirect_out_of_tls(self):
        with scenes.store() as store, scenes.server("allowed.test") as server, self.kind(store) as client:
            server.answer = b"HTTP/1.1 302 Found\r\nLocation: http://allowed.test/\r\nContent-Length: 0\r\n\r\n"
            with self.assertRaisesRegex(pintle.ConfigurationError, "without TLS") as raised:
                client.get(f"https://allowed.test:{server.port}/", **self.kind.redirected)
            self.assertIsInstance(raised.exception, self.kind.family)

    def test_update_within_a_body(self):
        """A body that goes on until the server closes the connection: an update that closes it isn't the body's end."""
        with scenes.store() as store, scenes.server("allowed.test") as server, self.kind(store) as client:
            scenes.blocks_within_answer(self, store, server)
            server.answer = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf"
            self.assertEqual(self.attempt(client, "allowed.test", server), "denied-key")

    def test_closed_store(self):
        """It leaves no pooled connection open, and none that its pool counts as used."""
        unclosed = []
        with scenes.store() as store, scenes.server("allowed.test") as server, self.kind(store) as client:
            if isinstance(client, AsyncClient):
                client.loop.set_exception_handler(lambda _, context: unclosed.append(context["message"]))
            self.assertIsNone(self.attempt(client, "allowed.test", server))
            with self.assertRaisesRegex(Exception, "the store is closed"):
                client.get_after(store.close, f"https://allowed.test:{server.port}/secret", "POST")
            first, *later = server.received()
            self.assertEqual((first.count(b"GET "), set(later)), (1, set(later) & {b""}))
            self.assertNotIn("Unclosed connection", unclosed)

    def test_refused_settings(self):
        with scenes.store() as store:
            count = 0
            for attempt in self.kind.refused(store):
                count += 1
                with self.assertRaises(pintle.ConfigurationError):
                    attempt()
            self.assertGreater(count, 3)
            with self.kind(store) as client, self.assertRaises(pintle.ConfigurationError):
                client.get("http://allowed.test/")


for kind in (Urllib3, Requests, Httpx, AsyncHttpx, Aiohttp):
    globals()[kind.__name__ + "Tests"] = type(kind.__name__ + "Tests", (LibraryTests, scenes.TestCase), {"kind": kind})
del kind

class ExampleTests(scenes.TestCase):
    def test_impostor(self):
        """The same server: what it presents is pinned in one manifest, and not in the other."""
        program = scenes.ROOT / "clients" / "python" / "examples" / "client.py"
        for manifest, status, received in [("manifest.json", 0, b"Authorization: Bearer secret"), ("newer.json", 4, b"")]:
            with scenes.server("127.0.0.1") as server:
                done = subprocess.run(
                    [sys.executable, program, f"https://127.0.0.1:{server.port}/", "--keyset",
                     scenes.FIXTURES / "1.keyset.json", "--manifest", scenes.FIXTURES / manifest, "--audience", "test",
                     "--anchors", scenes.ANCHOR], capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout), (status, "" if status else "hello\n"), done.stderr)
                self.assertEqual("refused: block: none of the entry's pins" in done.stderr, status == 4)
                (found,) = server.received()
                self.assertTrue(received in found if received else found == b"")


if __name__ == "__main__":
    unittest.main()
