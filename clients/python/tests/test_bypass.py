"""What other libraries patch, and ways around a pinned context: no impostor gets a byte, whatever was replaced.

Each row is a process of its own, tests/patched.py. Its requests go to four servers with one certificate: the genuine one
and, as the manifest or the anchors of the client's store say, an impostor, a denied key and an untrusted authority.
"""

import asyncio
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import threading
import unittest
import unittest.mock

import pintle
import pintle.aiohttp
import pintle.httpx
import pintle.streams
import scenes

BLOCKING = ["connect", "connect_stands", "connect_later", "http_client", "urlopen", "urllib3", "requests", "httpx"]
OBJECTS = ["wrap_bio", "httpx_async", "aiohttp", "streams", "streams_of_asyncio", "start_tls", "anyio"]
ON_TRIO = ["httpx_trio", "trio"]
AROUND = {  # what a client that goes around the context's own methods ends with, the genuine server's too
    "create_with_the_context": "CERTIFICATE_VERIFY_FAILED", "own_socket_class": "CERTIFICATE_VERIFY_FAILED",
    "own_object_class": "SSLObject was made in place of a PinnedObject",
    "wrapped_by_hand": "CERTIFICATE_VERIFY_FAILED", "context_of_the_connection": "CERTIFICATE_VERIFY_FAILED",
    "copied_context": "cannot pickle", "after_unwrap": "Error: "}
EVENTLET, GEVENT = "import eventlet; eventlet.monkey_patch()", "import gevent.monkey; gevent.monkey.patch_all()"
TRUSTSTORE = "import truststore; truststore.inject_into_ssl()"
PYOPENSSL = "import urllib3.contrib.pyopenssl; urllib3.contrib.pyopenssl.inject_into_urllib3()"
UVLOOP = "import asyncio, uvloop; asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())"
# Each puts a context that verifies nothing into the place of the one that it is given.
UNVERIFIED = """
unverified = ssl._create_unverified_context()
def of_it(name):
    of = getattr(ssl.SSLContext, name)
    setattr(ssl.SSLContext, name, lambda self, *a, **k: of(unverified, *a, **k))
def with_keyword(owner, name, key):
    of = getattr(owner, name)
    setattr(owner, name, lambda *a, **k: of(*a, **{**k, key: unverified}))
"""


class BypassTests(unittest.TestCase):
    def run_row(self, before="", after="", answered=[], failing=(), error="", servers=None, prepare=lambda _: None):
        """`failing` clients end with `error` at each server, if it isn't a dictionary that says with which."""
        failing = failing if isinstance(failing, dict) else dict.fromkeys(failing, error)
        with contextlib.ExitStack() as stack:
            made = {name: stack.enter_context(scenes.server("127.0.0.1"))
                    for name in servers or ("genuine", "impostor", "denied", "untrusted")}
            prepare(made)
            row = {"before": before, "after": after, "clients": [*answered, *failing],
                   "ports": {name: server.port for name, server in made.items()}}
            done = subprocess.run([sys.executable, "-W", "ignore", "patched.py", json.dumps(row)], text=True,
                                  capture_output=True, timeout=120, cwd=pathlib.Path(__file__).parent)
            received = {name: server.received() for name, server in made.items()}
        for name in made:
            if name != "genuine":
                self.assertLessEqual(set(received[name]), {b""})
        if not row["clients"]:
            return done
        ends = json.loads(done.stdout)
        for client, found in ends.items():
            for server, end in found.items():
                with self.subTest(client=client, server=server):
                    if client in answered and server == "genuine":
                        self.assertEqual(end, "answered")
                    else:
                        self.assertRegex(end, "Error|Refused")
                        if server == "genuine":
                            self.assertRegex(end, failing[client])
        count = sum(data.startswith(b"GET /secret ") for data in received["genuine"])
        wanted = len(answered) + answered.count("two_at_once")
        self.assertEqual((count, len([data for data in received["genuine"] if data])), (wanted, wanted))
        return done

    def test_nothing_patched(self):
        self.run_row(answered=BLOCKING + OBJECTS + ON_TRIO, failing=AROUND)

    def test_uvloop(self):
        self.run_row(UVLOOP, answered=OBJECTS)

    def test_httpx_without_its_traces(self):
        """Nothing showed the connection before the request was written, so the answer isn't returned."""
        from httpcore._trace import Trace

        async def nothing(*_):
            pass

        async def get(store, url):
            async with pintle.httpx.PinnedAsyncClient(store) as client:
                await client.get(url)

        def blocking(store, url):
            with pintle.httpx.PinnedClient(store) as client:
                client.get(url)

        with unittest.mock.patch.multiple(Trace, trace=lambda *_: None, atrace=nothing):
            for run in (blocking, lambda store, url: asyncio.run(get(store, url))):
                with scenes.store() as store, scenes.server("127.0.0.1") as server:
                    with self.assertRaisesRegex(pintle.httpx.httpx.ConnectError, "wasn't shown to pintle"):
                        run(store, f"https://127.0.0.1:{server.port}/")
                    self.assertEqual(len(server.received()), 1)

    def test_changes_on_uvloop(self):
        """It shows sockets that can't be shut down: an update still ends each connection, and so does close()."""
        import uvloop

        async def run(store, server, change):
            both = [await pintle.streams.open_connection(store, "127.0.0.1", server.port) for _ in range(2)]
            await asyncio.get_running_loop().run_in_executor(None, change)
            for reader, _ in both:
                with self.assertRaises((pintle.Refused, ValueError)):
                    await asyncio.wait_for(reader.read(), 20)
            received = await asyncio.get_running_loop().run_in_executor(None, server.received)
            self.assertEqual(received, [b"", b""])
            for _, writer in both:
                writer.transport.abort()

        for loop in (asyncio, uvloop):
            with scenes.store() as store, scenes.server("127.0.0.1") as server:
                loop.run(run(store, server, lambda: store.update_file(scenes.FIXTURES / "denial.json")))
            with scenes.store() as store, scenes.server("127.0.0.1") as server:
                loop.run(run(store, server, store.close))

    def test_update_within_a_body_on_uvloop(self):
        import uvloop

        async def streams(store, port):
            reader, writer = await pintle.streams.open_connection(store, "127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\n\r\n")
            await reader.read()

        async def httpx(store, port):
            async with pintle.httpx.PinnedAsyncClient(store) as client:
                await client.get(f"https://127.0.0.1:{port}/")

        async def aiohttp(store, port):
            connector = pintle.aiohttp.PinnedConnector(store)
            async with pintle.aiohttp.aiohttp.ClientSession(connector=connector) as client:
                async with client.get(f"https://127.0.0.1:{port}/") as response:
                    await response.read()

        for get in (streams, httpx, aiohttp):
            with self.subTest(get.__name__), scenes.store() as store, scenes.server("127.0.0.1") as server:
                updated = []
                scenes.blocks_within_answer(self, store, server)
                server.after_answer = lambda update=server.after_answer: updated.append(update())
                server.answer = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf"
                with self.assertRaises(Exception) as raised:
                    uvloop.run(get(store, server.port))
                self.assertEqual(pintle.refusal(raised.exception).decision.reason, "denied-key")
                server.received()
                self.assertEqual(updated, [True])
            self.doCleanups()

    def test_update_within_a_body_on_trio(self):
        import trio

        async def run(store, server):
            async with pintle.httpx.PinnedAsyncClient(store) as client:
                await client.get(f"https://127.0.0.1:{server.port}/secret")

        with scenes.store() as store, scenes.server("127.0.0.1") as server:
            scenes.blocks_within_answer(self, store, server)
            server.answer = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf"
            with self.assertRaisesRegex(pintle.httpx.httpx.ReadError, "no longer allowed") as raised:
                trio.run(run, store, server)
            self.assertEqual(pintle.refusal(raised.exception).decision.reason, "denied-key")

    def test_truststore(self):
        for row in ({"before": TRUSTSTORE}, {"after": TRUSTSTORE}):
            with self.subTest(**row):
                self.run_row(**row, answered=BLOCKING + OBJECTS, failing=AROUND)

    def test_pyopenssl(self):
        for row in ({"before": PYOPENSSL}, {"after": PYOPENSSL}):
            with self.subTest(**row):
                self.run_row(**row, answered=["connect", "httpx", "aiohttp"], failing=["urllib3", "requests"],
                             error=re.escape("call urllib3.contrib.pyopenssl.extract_from_urllib3()"))

    def test_gevent(self):
        self.run_row(GEVENT, answered=BLOCKING + OBJECTS, failing={"own_socket_class": "CERTIFICATE_VERIFY_FAILED"})
        self.run_row(after=GEVENT, failing=BLOCKING, error="gevent.ssl replaced ssl.SSLSocket after pintle was imported")

    def test_gevent_is_cooperative(self):
        """The server answers the first of two greenlets only when it has the request of the second."""
        both = threading.Barrier(2)

        def prepare(servers):
            servers["genuine"].before_answer = lambda: both.wait(60)

        self.run_row(GEVENT, answered=["two_at_once"], servers=["genuine"], prepare=prepare)

    def test_eventlet(self):
        done = self.run_row(EVENTLET)
        self.assertRegex(done.stderr, "\nImportError: pintle can't protect connections of eventlet[^\n]* gevent instead\n$")
        clients = [name for name in BLOCKING if name != "httpx"]  # which itself fails then
        self.run_row(after=EVENTLET, failing=clients, error="eventlet.green.ssl replaced ssl.SSLSocket after")

    def test_patched_ssl(self):
        self.run_row(after=UNVERIFIED + "of_it('wrap_socket')", failing=BLOCKING, error="was made in place of")
        self.run_row(after=UNVERIFIED + "of_it('wrap_bio')", failing=OBJECTS + ["httpx_trio"],
                     error="was made in place of")
        self.run_row(after="pintle.PinnedContext.sslsocket_class = ssl.SSLSocket", failing=BLOCKING,
                     error="CERTIFICATE_VERIFY_FAILED|was made in place of")

    def test_patched_libraries(self):
        """They make a connection without the context that they were given."""
        for code, clients in [
                ("with_keyword(__import__('urllib3').connection, 'ssl_wrap_socket', 'ssl_context')", ["urllib3", "requests"]),
                ("with_keyword(__import__('httpcore')._backends.sync.SyncStream, 'start_tls', 'ssl_context')", ["httpx"]),
                ("import httpcore._backends.anyio as of; with_keyword(of.AnyIOStream, 'start_tls', 'ssl_context')",
                 ["httpx_async"]),
                ("import httpcore._backends.trio as of; with_keyword(of.TrioStream, 'start_tls', 'ssl_context')",
                 ["httpx_trio"]),
                ("with_keyword(asyncio.BaseEventLoop, 'create_connection', 'ssl')", ["streams", "aiohttp"])]:
            with self.subTest(code):
                self.run_row(after=UNVERIFIED + code, failing=clients, error="the store was not asked")


if __name__ == "__main__":
    unittest.main()
