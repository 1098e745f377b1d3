"""Fetching manifests and keysets, from servers that are honest, broken or hostile."""

import itertools
import json
import pathlib
import ssl
import tempfile
import threading
import time

import keysets
import peers
import pintle
import scenes
from pintle.fetch import Fetcher, FetchSettings

from pintle._schedule import Patience, Schedule

KEY = scenes.FIXTURES / "release.key"


def answer(body=b"", status="200 OK", **headers):
    fields = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status}\r\n{fields}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Web(peers.Peer):
    """Answers each request with the next of its answers for the path, the last again and again; 404 for others."""

    def __init__(self, host=None, **answers):
        self.answers = {"/" + path: itertools.chain(given[:-1], itertools.repeat(given[-1])) for path, given in
                        ((path, given if isinstance(given, list) else [given]) for path, given in answers.items())}
        self.heads, self.hold, self._context = [], threading.Event(), None
        if host:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            case = scenes.CASES[host]
            self._context.load_cert_chain(scenes.FIXTURES / case["chain"], scenes.FIXTURES / case["key"])
        super().__init__()

    def handle(self, connection):
        if self._context:
            connection = self._context.wrap_socket(connection, server_side=True)
        with connection:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                data = connection.recv(4096)
                if not data:
                    return
                head += data
            self.heads.append(head.decode())
            path = head.split()[1].decode().partition("?")[0]
            for part in self.parts(path):
                connection.sendall(part)

    def parts(self, path):
        given = next(self.answers[path]) if path in self.answers else answer(status="404 Not Found")
        return given(self) if callable(given) else [given]

    def publish(self, path, given):
        self.answers["/" + path] = itertools.repeat(given)

    def url(self, path="manifest", host="127.0.0.1"):
        return f"{'https' if self._context else 'http'}://{host}:{self.port}/{path}"


def never_ends(_):
    return itertools.chain([b"HTTP/1.1 200 OK\r\n\r\n"], itertools.repeat(b"{" * 65536))


def drips(web):
    yield b"HTTP/1.1 200 OK\r\nX: "
    while not web.hold.wait(0.02):
        yield b"x"


class FetchTests(scenes.TestCase):
    def setUp(self):
        self.manifest, self.newer = scenes.read("manifest.json"), scenes.read("newer.json")

    def fetcher(self, store, *urls, context=None, **settings):
        return Fetcher(store, FetchSettings(list(urls), allow_http=True, **settings), context=context)

    def results(self, attempts):
        return [attempt.result for attempt in attempts]

    def test_not_pinned_by_what_it_fetches(self):
        context = ssl.create_default_context(cafile=scenes.ANCHOR)
        answers = [answer(self.newer, ETag='"2"'), answer(status="304 Not Modified")]
        with scenes.store(skip_recent_chains=True) as store, Web("blocked.test", manifest=answers) as web:
            fetcher = self.fetcher(store, web.url(host="blocked.test"), context=context)
            self.assertEqual((fetcher.fetch().outcome, store.status()["serial"]), ("activated", 2))
            done = fetcher.fetch()
            self.assertEqual((self.results(done.manifests), done.outcome), (["not-modified"], "unchanged"))
            self.assertNotIn("If-None-Match", web.heads[0])
            self.assertIn('If-None-Match: "2"\r\n', web.heads[1])
            self.assertIn("Accept-Encoding: identity\r\n", web.heads[1])
            # But the server must be verified: by these anchors this one isn't.
            self.assertEqual(self.results(self.fetcher(store, web.url(host="blocked.test")).fetch().manifests),
                             ["connection"])

    def test_tags_are_sent_only_while_nothing_is_missing(self):
        content = json.loads(self.newer)["signed"]
        due = keysets.sign(keysets.MANIFEST, {**content, "refresh-after": "2025-06-01T00:00:00Z"}, KEY)
        with scenes.store() as store, Web(manifest=answer(due, ETag='"due"')) as web:
            fetcher = self.fetcher(store, web.url(), web.url() + "?2")
            self.assertEqual(self.results(fetcher.fetch().manifests), ["activated", "unchanged"])
            self.assertEqual(self.results(fetcher.fetch().manifests), ["unchanged", "unchanged"])
            self.assertNotIn("If-None-Match", "".join(web.heads))

    def test_hostile_servers(self):
        rows = {
            "status": answer(status="500 Oops"), "rejected": answer(b"{}"),
            "encoded": answer(b"x", Content_Encoding="gzip"),
            "unexpected-not-modified": answer(status="304 Not Modified"), "too-large": never_ends, "timeout": drips,
            "connection": b"SSH-2.0-x\r\n",
            "redirect": answer(status="302 Found", Location="http://127.0.0.1:1/manifest"),
        }
        for result, given in rows.items():
            with self.subTest(result), Web(manifest=given) as hostile, Web(manifest=answer(self.newer)) as honest:
                with scenes.store() as store:
                    deadline = 0.5 if result == "timeout" else 20
                    fetcher = self.fetcher(store, hostile.url(), honest.url(), deadline=deadline, maximum_bytes=1 << 20)
                    self.assertEqual(self.results(fetcher.fetch().manifests), [result, "activated"])
                hostile.hold.set()
        with scenes.store() as store, Web(manifest=answer(status="301 Moved", Location="/manifest")) as web:
            self.assertEqual(self.results(self.fetcher(store, web.url()).fetch().manifests), ["redirect"])
            self.assertEqual(len(web.heads), 4)
        moved = answer(status="307 Moved", Location="/there?x=1")
        with scenes.store() as store, Web(manifest=moved, there=answer(self.newer)) as web:
            self.assertEqual(self.results(self.fetcher(store, web.url()).fetch().manifests), ["activated"])

    def test_patience(self):
        """The thread waits, but what the program asks for itself is asked."""
        now = [1795305600]
        busy = [answer(status="503 Busy", Retry_After="100"), answer(status="503 Busy", Retry_After="100"),
                answer(self.manifest), answer(self.newer)]
        with scenes.store(clock=lambda: now[0], embedded=b"") as store, Web(manifest=busy) as web:
            fetcher = self.fetcher(store, web.url())
            done = fetcher.fetch()
            self.assertEqual((self.results(done.manifests), done.patience), (["status"], 100))
            now[0] += 50
            self.assertEqual(self.results(fetcher._round(heeds=True).manifests), ["waiting"])
            done = fetcher.fetch()
            self.assertEqual((self.results(done.manifests), done.patience), (["status"], 100))
            now[0] += 99
            self.assertEqual(self.results(fetcher._round(heeds=True).manifests), ["waiting"])
            self.assertEqual(self.results(fetcher.fetch().manifests), ["activated"])
            now[0] += 1
            self.assertEqual(self.results(fetcher._round(heeds=True).manifests), ["activated"])
            self.assertEqual(len(web.heads), 4)

    def test_patience_without_a_manifest(self):
        busy = answer(status="503 Busy", Retry_After="99999")
        for embedded, patience in [(b"", 900), (self.manifest, 3600)]:
            with scenes.store(embedded=embedded) as store, Web(manifest=busy) as web:
                self.assertEqual(self.fetcher(store, web.url()).fetch().patience, patience)

    def test_the_thread_is_patient(self):
        rounds, ended = [], threading.Event()

        def on_round(done):
            rounds.append(self.results(done.keysets) + self.results(done.manifests))
            ended.set()

        first = keysets.make(1, KEY)
        busy = answer(status="429 Too Many Requests", Retry_After="3600")
        with pintle.Store(keyset=first, audience="test") as store, Web(manifest=busy, **{"2.keyset.json": busy}) as web:
            settings = FetchSettings([web.url()], [web.url("{version}.keyset.json")], allow_http=True)
            with Fetcher(store, settings, on_round=on_round) as fetcher:
                self.assertTrue(ended.wait(20))
                ended.clear()
                fetcher.fetch_now()
                self.assertTrue(ended.wait(20))
                self.assertEqual(rounds, [["status"] * 2, ["waiting"] * 2])
                done = fetcher.fetch()
                self.assertEqual(self.results(done.keysets) + self.results(done.manifests), ["status"] * 2)
                self.assertEqual(len(web.heads), 4)

    def test_keysets_first(self):
        first, second, third = (keysets.make(version, KEY) for version in (1, 2, 3))
        hiding = Web()
        wrong = Web(**{"2.keyset.json": answer(first), "3.keyset.json": answer(b"x" * 70000)})
        honest = Web(manifest=answer(self.newer), **{"2.keyset.json": answer(second), "3.keyset.json": answer(third)})
        with hiding, wrong, honest, pintle.Store(keyset=first, audience="test") as store:
            mirrors = [web.url("{version}.keyset.json") for web in (hiding, wrong, honest, wrong)]
            done = self.fetcher(store, honest.url(), keyset_urls=mirrors).fetch()
            self.assertEqual(self.results(done.keysets), ["none", "repeated", "activated", "activated", "none", "none"])
            self.assertEqual((store.status()["keyset_version"], done.outcome), (3, "activated"))
        large = Web(**{"3.keyset.json": answer(b"x" * 70000)})
        with large, pintle.Store(keyset=second, audience="test") as store:
            done = self.fetcher(store, large.url(), keyset_urls=[large.url("{version}.keyset.json")]).fetch()
            self.assertEqual((self.results(done.keysets), done.outcome), (["too-large"], "failed"))

    def test_thread(self):
        rounds, ended = [], threading.Event()

        def on_round(done):
            rounds.append(done.outcome)
            ended.set()

        with scenes.store(embedded=b"") as store, Web(manifest=[answer(self.manifest), answer(self.newer)]) as web:
            with Fetcher(store, FetchSettings([web.url()], allow_http=True), on_round=on_round) as fetcher:
                self.assertTrue(ended.wait(20))
                self.assertEqual((rounds, store.status()["serial"]), (["activated"], 1))
                ended.clear()
                fetcher.fetch_now()
                self.assertTrue(ended.wait(20))
                self.assertEqual((rounds, store.status()["serial"]), (["activated"] * 2, 2))
                self.assertRaisesRegex(ValueError, "the Fetcher is started already", fetcher.start)

    def test_stops_in_the_midst_of_a_request(self):
        asked = threading.Event()

        def silent(web):
            asked.set()
            web.hold.wait(20)
            return []

        with scenes.store(embedded=b"") as store, Web(manifest=silent) as web:
            rounds = []
            fetcher = Fetcher(store, FetchSettings([web.url()], allow_http=True, deadline=600), on_round=rounds.append)
            fetcher.start()
            self.assertTrue(asked.wait(20))
            fetcher.stop()
            self.assertEqual([each.result for each in rounds[0].manifests], ["timeout"])
            web.hold.set()

    def test_a_server_that_ends_no_handshake(self):
        with scenes.store(embedded=b"") as store, Web() as web:  # without TLS, it waits for the end of a request
            url, rounds = f"https://127.0.0.1:{web.port}/manifest", []
            fetcher = Fetcher(store, FetchSettings([url], deadline=0.2))
            self.assertEqual(self.results(fetcher.fetch().manifests), ["timeout"])
            with Fetcher(store, FetchSettings([url], deadline=600), on_round=rounds.append) as fetcher:
                while not (fetcher._current and fetcher._current._socket):
                    time.sleep(0.001)
            self.assertEqual(self.results(rounds[0].manifests), ["timeout"])

    def test_maintains(self):
        folder = pathlib.Path(self.enter(tempfile.TemporaryDirectory()))
        with scenes.store(directory=folder) as store, scenes.store(directory=folder) as other:
            other.update(self.newer)
            settings = FetchSettings(["https://unused.test/"], housekeeping=0.01)
            fetcher = Fetcher(store, settings)
            with self.assertLogs("pintle", "INFO") as log:
                fetcher.start()
                while store.status()["serial"] != 2:
                    pass
                fetcher.stop()
                fetcher._maintain()
            self.assertEqual(sum("in force now: manifest 2, keyset 0" in line for line in log.output), 1)

    def test_lines_of_the_log(self):
        """Each process logs one line when a file takes effect, also if another process stored it first."""
        folder = pathlib.Path(self.enter(tempfile.TemporaryDirectory()))
        with scenes.store(directory=folder) as store, scenes.store(directory=folder) as other:
            with Web(manifest=answer(self.newer)) as web, self.assertLogs("pintle", "INFO") as log:
                fetchers = [self.fetcher(each, web.url()) for each in (store, other)]
                self.assertEqual(fetchers[0].fetch().outcome, "activated")
                other.maintain()  # as if between two rounds
                for fetcher in fetchers * 2:
                    self.assertEqual(fetcher.fetch().outcome, "unchanged")
            self.assertEqual(log.output, [
                f"INFO:pintle:manifest 2 activated: {web.url()}",
                "INFO:pintle:in force now: manifest 2, keyset 0; this Fetcher didn't download them"])

    def test_maintains_in_short_waits(self):
        """Each wait is shorter than the time between two maintenances, as the retries after failures are."""
        with scenes.store() as store:
            done = []
            store.maintain = lambda: done.append(True)
            fetcher = Fetcher(store, FetchSettings(["https://unused.test/"], housekeeping=0.02))
            while not done:
                fetcher._sleep(0.005)

    def test_settings(self):
        unverified = ssl.create_default_context()
        unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE
        good = "https://pins.example.com/manifest.json"
        with scenes.store() as store:
            for name in ("urls", "keyset_urls"):
                with self.assertRaisesRegex(TypeError, f"^{name} must be a list of URLs, not str"):
                    FetchSettings(**{"urls": [good], name: good})
            with self.assertRaisesRegex(pintle.ConfigurationError, "exactly one {version}"):
                FetchSettings([good], ["https://pins.example.com/2.keyset.json"])
            for settings, context in [
                ({"urls": []}, None), ({"urls": ["http://pins.example.com/"]}, None), ({"urls": ["ftp://x/"]}, None),
                ({"urls": ["https://user@pins.example.com/"]}, None), ({"urls": ["https://pins.example.com/ x"]}, None),
                ({"urls": [good], "keyset_urls": ["https://pins.example.com/{version}.json"]}, None),
                ({"urls": [good], "keyset_urls": ["https://{version}.example.com/"]}, None),
                ({"urls": [good], "interval": 0}, None), ({"urls": [good], "jitter_percent": 101}, None),
                ({"urls": [good]}, unverified),
            ]:
                with self.subTest(settings), self.assertRaises(pintle.ConfigurationError):
                    Fetcher(store, FetchSettings(**settings), context=context)


class ScheduleTests(scenes.TestCase):
    def test_delays(self):
        settings = FetchSettings(["https://x.test/"])
        schedule = Schedule(settings)
        self.assertEqual((schedule.first(False, 0.5), schedule.first(True, 0.5)), (0, 180))
        self.assertEqual(schedule.delay(False, False, 0, 10_000, 0.25), 900)  # anywhere in the interval
        self.assertEqual(schedule.delay(False, False, 0, 10_000, 0.5), 3600 + 180)
        self.assertEqual(schedule.delay(False, True, 0, 10_000, 0.25), 900)
        self.assertEqual(schedule.delay(False, False, 0, 1_000, 0), 1000)
        self.assertEqual(schedule.delay(False, False, 0, -5, 0.5), 300 + 15)
        waits = [schedule.delay(True, False, 0, 0, 0) for _ in range(9)]
        self.assertEqual(waits, [5, 10, 20, 40, 80, 160, 320, 450, 450])
        self.assertEqual(schedule.delay(True, True, 700, 0, 0), 700)
        self.assertEqual(schedule.delay(True, True, 700, 0, 0.5), 1050)
        schedule.delay(False, False, 0, 1, 0)
        self.assertEqual(schedule.delay(True, False, 0, 0, 1), 10)
        limits = [settings.download_limit(size) for size in (None, 100, 3 << 20, 40 << 20)]
        self.assertEqual(limits, [64 << 20, 8 << 20, 12 << 20, 64 << 20])

    def test_retry_after(self):
        for text, seconds in [("7", 7), ("99999", 3600), ("x", 0), ("-1", 0), ("1" * 30, 0), ("", 0),
                              ("Fri, 27 Nov 2026 00:00:30 GMT", 30), ("Thu, 26 Nov 2026 00:00:00 GMT", 0)]:
            patience = Patience(3600)
            patience.heed(503, {"retry-after": text}, 1795737600)
            self.assertEqual(patience.seconds(1795737600), seconds, text)
            patience.heed(500, {"retry-after": "9"}, 1795737600)
            self.assertEqual(patience.seconds(1795737600), seconds, text)
            self.assertEqual(patience.seconds(1795737599), 0)
