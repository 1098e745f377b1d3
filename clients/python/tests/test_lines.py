"""Libraries that the package has no module for, with the line that README.md gives for each. An impostor gets no byte."""

import asyncio
import os
import runpy
import tempfile
import unittest.mock

import botocore.awsrequest
import botocore.session
import kafka
import pintle
import pintle.urllib3
import redis
import scenes
import websockets.asyncio.client
import websockets.sync.client

BUCKETS = b"<ListAllMyBucketsResult><Buckets/></ListAllMyBucketsResult>"


def by_botocore(store, host, port):
    pool = pintle.urllib3.PinnedPoolManager(store)

    def send(request, **_):
        answer = pool.urlopen(
            request.method, request.url, body=request.body, headers=request.headers, retries=False, redirect=False,
            preload_content=False, decode_content=False)
        return botocore.awsrequest.AWSResponse(request.url, answer.status, answer.headers, answer)

    client = botocore.session.Session().create_client(
        "s3", "eu-west-1", endpoint_url=f"https://{host}:{port}", aws_access_key_id="secret", aws_secret_access_key="x")
    client.meta.events.register("before-send", send)
    return client.list_buckets()["Buckets"]


def by_redis(store, host, port):
    class PinnedConnection(redis.SSLConnection):
        def _wrap_socket_with_ssl(self, sock):
            return store.context(self.port).wrap_socket(sock, server_hostname=self.host)

        def on_connect(self):
            if not isinstance(self._sock, pintle.PinnedSocket):
                raise redis.ConnectionError("redis-py made a connection that isn't pinned")
            super().on_connect()

    pool = redis.ConnectionPool(connection_class=PinnedConnection, host=host, port=port, password="secret", protocol=2)
    return redis.Redis(connection_pool=pool, retry=None).ping()


def by_kafka(store, host, port):
    return kafka.KafkaProducer(
        bootstrap_servers=f"{host}:{port}", security_protocol="SSL", ssl_context=store.context(port),
        bootstrap_timeout_ms=2000)


def by_websockets(store, host, port):
    with websockets.sync.client.connect(f"wss://{host}:{port}/secret", ssl=store.context(port)) as connection:
        return connection


def by_websockets_on_asyncio(store, host, port):
    async def talk():
        async with websockets.asyncio.client.connect(f"wss://{host}:{port}/secret", ssl=store.context(port)) as connection:
            return connection

    return asyncio.run(talk())


class ServiceTests(scenes.TestCase):
    def test_example(self):
        with scenes.server("127.0.0.1") as server, scenes.server("blocked.test") as impostor:
            settings = {
                "KEYSET": scenes.FIXTURES / "1.keyset.json", "MANIFEST": scenes.FIXTURES / "manifest.json", "AUDIENCE": "test",
                "STATE": self.enter(tempfile.TemporaryDirectory()), "ANCHORS": scenes.ANCHOR,
                "MANIFEST_URL": "https://unused.test/", "UPSTREAM": f"https://127.0.0.1:{server.port}/"}
            with unittest.mock.patch.dict(os.environ, {name: str(value) for name, value in settings.items()}):
                service = runpy.run_path(str(scenes.ROOT / "clients/python/examples/service.py"))
                self.addCleanup(service["fetcher"].stop)
                statuses = []

                def get(path, upstream=server):
                    os.environ["UPSTREAM"] = f"https://127.0.0.1:{upstream.port}/"
                    body = b"".join(service["application"]({"PATH_INFO": path}, lambda status, _: statuses.append(status[:3])))
                    return statuses.pop(), body

                self.assertEqual(get("/"), ("200", b"hello"))
                self.assertEqual(get("/", impostor), ("502", b"not the server that is pinned\n"))
                self.assertEqual(get("/health"), ("200", b"serial 1, fresh\n"))
                service["fetcher"].stop()
                self.assertEqual(get("/health")[0], "503")
            self.assertEqual(set(impostor.received()), {b""})


class LineTests(scenes.TestCase):
    # What the genuine server gets first of each, which shows that the line works at all.
    CLIENTS = {by_botocore: b"GET /", by_redis: b"*", by_kafka: b"\0\0\0", by_websockets: b"GET /secret ",
               by_websockets_on_asyncio: b"GET /secret "}

    def end(self, client, host, server):
        """What a client ends with: most servers here don't speak its protocol."""
        server.answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(BUCKETS), BUCKETS)
        with scenes.store() as store:  # closed: so are the connections of pools
            try:
                return client(store, host, server.port)
            except Exception as error:
                return error

    def test_lines(self):
        for client, first in self.CLIENTS.items():
            with self.subTest(client.__name__), scenes.server("allowed.test") as genuine:
                end = self.end(client, "allowed.test", genuine)
                self.assertIsNone(pintle.refusal(end) if isinstance(end, Exception) else None)
                received = [data for data in genuine.received() if data]
                self.assertTrue(received and received[0].startswith(first), (end, received))
                if client is by_botocore:
                    self.assertEqual(end, [])
            for host in ("blocked.test", "denied.test", "untrusted.test"):
                with self.subTest(client.__name__, host=host), scenes.server(host) as impostor:
                    end = self.end(client, host, impostor)
                    self.assertIsInstance(end, Exception)
                    received = impostor.received()
                    self.assertEqual((set(received), bool(received)), ({b""}, True))
                    if client is not by_kafka:  # its errors have no cause
                        self.assertEqual(pintle.refusal(end).code, "blocked")
