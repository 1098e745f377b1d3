"""Forks: the child takes newer manifests, and no lock or thread of the parent stops it; also below gunicorn and uWSGI."""

import collections
import concurrent.futures
import itertools
import json
import logging
import multiprocessing
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest.mock

import pintle
import scenes
from pintle.fetch import Fetcher, FetchSettings
from test_fetch import Web, answer

from pintle import _fork, fetch

WORKERS = 8
APPLICATION = """
import json, os, time
import pintle, pintle.fetch
place = json.loads(os.environ["PINTLE_TEST"])
read = lambda path: open(path, "rb").read()
store = pintle.Store([read(place["signer"])], "test", embedded=read(place["manifest"]), anchors=[read(place["anchor"])],
                     directory=place["directory"])
fetcher = pintle.fetch.Fetcher(store, pintle.fetch.FetchSettings([place["url"]], allow_http=True, interval=place["interval"]))
fetcher.start()

def application(environ, start_response):
    time.sleep(0.02)  # so that other workers take the other requests
    try:
        pintle.connect(store, "allowed.test", place["port"], ("127.0.0.1", place["port"])).close()
        outcome = "allowed"
    except pintle.Refused as refused:
        outcome = refused.decision.reason
    start_response("200 OK", [])
    return [f"{os.getpid()} {fetcher.is_running} {outcome}".encode()]
"""


def child_says(body):
    """What `body` returns in a forked child, as text; "" if the child hangs."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            os.write(writer, str(body()).encode())
        except BaseException as error:
            os.write(writer, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answered:
        text = answered.read()
    os.waitpid(child, 0)
    return text


def by_spawned(keyset, embedded):
    """What a process answers that shares nothing with this one."""
    with pintle.Store([keyset], "test", embedded=embedded) as store:
        return store.status()["serial"]


class ForkTests(scenes.TestCase):
    def setUp(self):
        self.manifest, self.newer = scenes.read("manifest.json"), scenes.read("newer.json")

    def test_beside_updates(self):
        folder = self.enter(tempfile.TemporaryDirectory())
        stops, stores = threading.Event(), [scenes.store(), scenes.store(directory=folder)]

        def update(store):
            while not stops.is_set():
                store.update(self.manifest)
                store.maintain()

        def child():
            return [(store._shared_context(443, "replaced").port, store.update(self.newer), store.status()["serial"])
                    for store in stores[:1]] + [stores[1].maintain()]

        threads = [threading.Thread(target=update, args=(store,)) for store in stores * 2]
        for thread in threads:
            thread.start()
        try:
            said = collections.Counter(child_says(child) for _ in range(200))
        finally:
            stops.set()
            for thread in threads:
                thread.join()
        self.assertEqual(said, {"[(443, True, 2), None]": 200})

    def test_waits_for_an_update(self):
        """A fork in the midst of another thread's update: else the library would reject all of the child's."""
        inside, goes_on = threading.Event(), threading.Event()

        def clock():
            if threading.current_thread() is not threading.main_thread():
                inside.set()
                goes_on.wait(20)
            return 1795305600

        with scenes.store(clock=clock) as store:
            updater = threading.Thread(target=store.update, args=(self.manifest,))
            updater.start()
            self.assertTrue(inside.wait(20))
            timer = threading.Timer(0.2, goes_on.set)
            timer.start()
            self.assertEqual(child_says(lambda: (store.update(self.newer), len(store._updates))), "(True, 0)")
            updater.join()
            timer.join()

    def test_waits_no_longer_than_its_limit(self):
        holds, goes_on = threading.Event(), threading.Event()

        def hold():
            with _fork.changing.lock:
                holds.set()
                goes_on.wait(20)

        with scenes.store() as store, unittest.mock.patch.object(_fork, "LONGEST_WAIT", 0.05):
            thread = threading.Thread(target=hold)
            thread.start()
            holds.wait(20)
            self.assertEqual(child_says(lambda: store.update(self.newer)), "True")
            goes_on.set()
            thread.join()
            self.assertTrue(store.update(self.newer))

    def test_locks_of_other_threads(self):
        """Each lock that a thread of the parent may hold at the moment of the fork."""
        with scenes.store() as store:
            fetcher = Fetcher(store, FetchSettings(["https://unused.test/"]))
            holds, goes_on = threading.Event(), threading.Event()

            def hold():
                with store._lock, fetcher._one_round, fetcher._wake._cond, fetcher._stops._cond:
                    holds.set()
                    goes_on.wait(20)

            thread = threading.Thread(target=hold)
            thread.start()
            holds.wait(20)

            def child():
                fetcher.fetch_now()
                fetcher.stop()
                return store.update(self.newer), fetcher.fetch().outcome

            said = child_says(child)
            goes_on.set()
            thread.join()
            self.assertEqual(said, "(True, 'failed')")

    def test_within_an_update(self):
        """As a signal handler does that forks while its thread is in the store."""
        with scenes.store() as store:
            ask, said = store.release, []

            def release():
                if not said:
                    said.append("")
                    said[0] = child_says(lambda: (store.update(self.newer), store.status()["serial"]))
                return ask()

            store.release = release
            with store._lock, _fork.changing.lock:
                self.assertFalse(store.update(self.manifest))
            self.assertEqual((said, store._updates), (["(True, 2)"], []))

    def test_inherited_connection(self):
        """An update of the child ends it in both processes, since both have the same socket."""
        with scenes.server("allowed.test") as server, scenes.store() as store:
            with pintle.connect(store, "allowed.test", server.port, server.address) as connection:
                def child():
                    store.update(scenes.read("denial.json"))
                    try:
                        connection.sendall(b"late\n")
                    except pintle.Refused as refused:
                        return refused.code
                    return "sent"

                self.assertEqual(child_says(child), "no-longer-holds")
                try:
                    self.assertEqual(connection.recv(1), b"")
                except OSError:
                    pass  # that the server noticed first
            self.assertEqual(server.received(), [b""])

    def test_fetcher(self):
        rounds = []
        with scenes.store() as store, Web(manifest=answer(self.manifest)) as web:
            settings = FetchSettings([web.url()], allow_http=True, interval=0.01)
            fetcher = Fetcher(store, settings, on_round=rounds.append)
            self.assertEqual((fetcher.is_running, fetcher.seconds_since_round), (False, None))
            self.assertEqual(child_says(lambda: fetcher.is_running), "False")
            with fetcher:
                while not rounds:
                    time.sleep(0.001)
                self.assertTrue(fetcher.is_running and fetcher.seconds_since_round < 60)
                published = threading.Event()

                def child():
                    while store.status()["serial"] < 2 or fetcher.seconds_since_round is None:
                        time.sleep(0.001)
                    ran = fetcher.is_running
                    fetcher.stop()
                    return ran, fetcher.is_running

                threading.Timer(0.1, web.publish, ["manifest", answer(self.newer)]).start()
                self.assertEqual(child_says(child), "(True, False)")
                while store.status()["serial"] < 2:
                    time.sleep(0.001)
            self.assertFalse(fetcher.is_running)
            self.assertEqual(child_says(lambda: fetcher.is_running), "False")

    def test_a_round_imports_nothing(self):
        """A child that is forked while another thread imports a module hangs when it needs this module itself."""
        code = """
import sys
import pintle.fetch
store = pintle.Store([open(sys.argv[2], "rb").read()], "test")
fetcher = pintle.fetch.Fetcher(store, pintle.fetch.FetchSettings([sys.argv[1]], allow_http=True))
before = set(sys.modules)
print(fetcher.fetch().outcome, set(sys.modules) - before)
"""
        for given, outcome in [(answer(self.newer), "activated"), (answer(status="503 Busy", Retry_After="Sat"), "failed")]:
            with Web(manifest=given) as web:
                done = subprocess.run(
                    [sys.executable, "-c", code, web.url(host="localhost"), scenes.FIXTURES / "release.pub"], text=True,
                    capture_output=True, timeout=60)
            self.assertEqual(done.stdout, f"{outcome} set()\n", done.stderr)

    def test_waits_for_a_log_line(self):
        """Else the child could inherit the lock of a stream from the thread that fetches."""
        writes, goes_on = threading.Event(), threading.Event()

        class Handler(logging.Handler):
            def emit(self, record):
                if os.getpid() == parent:
                    writes.set()
                    goes_on.wait(20)
                    written.append(record)

        parent, written, handler = os.getpid(), [], Handler()
        logger = logging.getLogger("pintle")
        logger.addHandler(handler)
        self.addCleanup(logger.removeHandler, handler)
        with scenes.store(embedded=b"") as store, Web() as web:
            fetcher = Fetcher(store, FetchSettings([web.url()], allow_http=True))
            thread = threading.Thread(target=fetcher.fetch)
            thread.start()
            self.assertTrue(writes.wait(20))
            timer = threading.Timer(0.2, goes_on.set)
            timer.start()
            self.assertEqual(child_says(lambda: len(written)), "1")
            thread.join()
            timer.join()

    def test_a_log_handler_may_wait_for_an_update(self):
        """As one does that takes a lock of the program, which another thread holds while it updates the store."""
        writes, updated, waited = threading.Event(), threading.Event(), []

        class Handler(logging.Handler):
            def emit(self, record):
                writes.set()
                waited.append(updated.wait(20))

        handler, logger = Handler(), logging.getLogger("pintle")
        logger.addHandler(handler)
        self.addCleanup(logger.removeHandler, handler)
        with scenes.store(embedded=b"") as store, Web() as web:
            thread = threading.Thread(target=Fetcher(store, FetchSettings([web.url()], allow_http=True)).fetch)
            thread.start()
            self.assertTrue(writes.wait(20))
            store.update(self.manifest)
            updated.set()
            thread.join()
        self.assertEqual(waited, [True])

    def test_a_thread_that_hangs_in_the_child(self):
        """As on a lock of libcrypto that another thread of the parent held."""
        parent, run = os.getpid(), Fetcher._run

        def hangs(fetcher, *arguments):
            if os.getpid() == parent:
                run(fetcher, *arguments)
            else:
                threading.Event().wait()

        with scenes.store() as store, unittest.mock.patch.object(Fetcher, "_run", hangs):
            with Fetcher(store, FetchSettings(["https://unused.test/"])) as fetcher:
                with unittest.mock.patch.object(fetch, "LONGEST_WAIT", 0.05):
                    self.assertEqual(child_says(lambda: (fetcher.stop(), fetcher.is_running)), "(None, True)")

    def test_child_that_starts_another_program(self):
        """subprocess calls the hooks of a fork if it has a preexec_fn: such a child neither fetches nor logs."""
        log, fetched = self.enter(tempfile.TemporaryFile()), threading.Event()
        handler = logging.StreamHandler(self.enter(open(os.dup(log.fileno()), "w")))
        logger = logging.getLogger("pintle")
        logger.addHandler(handler)
        self.addCleanup(logger.removeHandler, handler)
        self.addCleanup(logger.setLevel, logger.level)
        logger.setLevel(logging.INFO)
        with scenes.store(embedded=b"") as store, Web(manifest=answer(self.manifest)) as web:
            with unittest.mock.patch.object(fetch, "_SECONDS_AFTER_FORK", 60.0), Fetcher(
                    store, FetchSettings([web.url()], allow_http=True), on_round=lambda _: fetched.set()):
                self.assertTrue(fetched.wait(20))
                subprocess.run(["true"], preexec_fn=lambda: time.sleep(0.3), check=True)
            log.seek(0)
            self.assertEqual(log.read().decode().count("fetching in process"), 1)
            self.assertEqual(len(web.heads), 1)

    def test_fetcher_whose_on_round_forks(self):
        said, begun, ended = [], threading.Event(), threading.Event()

        def on_round(_):
            # The first round may end before the name below is bound.
            begun.wait(60)
            if not said:
                said.append(child_says(lambda: (threading.active_count(), fetcher.is_running)))
                ended.set()

        with scenes.store(embedded=b"") as store, Web(manifest=answer(self.manifest)) as web:
            with Fetcher(store, FetchSettings([web.url()], allow_http=True), on_round=on_round) as fetcher:
                begun.set()
                self.assertTrue(ended.wait(60))
            self.assertEqual(said, ["(1, True)"])

    def test_fork_during_a_download(self):
        """It isn't waited for, and the child's copy of the socket is closed."""
        asked = threading.Event()

        def silent(web):
            asked.set()
            web.hold.wait(60)
            return [answer(self.newer)]

        with scenes.store(embedded=b"") as store, Web(manifest=silent) as web:
            with Fetcher(store, FetchSettings([web.url()], allow_http=True)) as fetcher:
                self.assertTrue(asked.wait(60))
                number = fetcher._current._socket.fileno()

                def child():
                    try:
                        return os.fstat(number).st_ino == inode
                    except OSError:
                        return False

                inode = os.fstat(number).st_ino
                self.assertEqual(child_says(child), "False")
                web.hold.set()

    def test_multiprocessing(self):
        """Each way to start a process. A store is inherited only by a fork, and is never pickled."""
        for method in multiprocessing.get_all_start_methods():
            with self.subTest(method), multiprocessing.get_context(method).Pool(1) as pool:
                self.assertEqual(pool.apply_async(by_spawned, (scenes.SIGNER, self.newer)).get(60), 2)
                with scenes.store() as store, self.assertRaisesRegex(TypeError, "open one in each process"):
                    pool.apply_async(id, (store,)).get(60)


class PreforkTests(scenes.TestCase):
    def serve(self, *command):
        """Publishes a denial while workers run; the seconds until each has refused, sorted."""
        work = pathlib.Path(self.enter(tempfile.TemporaryDirectory()))
        (work / "prefork_application.py").write_text(APPLICATION)
        (work / "state").mkdir(mode=0o700)
        path = work / "socket"
        web = self.enter(Web(manifest=answer(scenes.read("manifest.json"))))
        server = self.enter(scenes.server("allowed.test"))
        place = {
            "signer": str(scenes.FIXTURES / "release.pub"), "manifest": str(scenes.FIXTURES / "manifest.json"),
            "anchor": str(scenes.ANCHOR), "directory": str(work / "state"), "url": web.url(), "port": server.port,
            "interval": 2,
        }
        environment = {**os.environ, "PINTLE_TEST": json.dumps(place)}
        command = [sys.executable, *command] if command[0] == "-m" else [pathlib.Path(sys.executable).with_name(command[0]), *command[1:]]
        with open(work / "log", "wb") as log:
            process = subprocess.Popen(
                [str(part).replace("SOCKET", str(path)) for part in command], cwd=work, env=environment, stdout=log, stderr=log)
        self.addCleanup(self.end, process)
        with concurrent.futures.ThreadPoolExecutor(2 * WORKERS) as threads:
            def until(outcome, pids):
                """When each of the workers, all of them or these, has said this first."""
                said, began, end = {}, time.monotonic(), time.monotonic() + 120
                while not (said.keys() >= pids if pids else len(said) == WORKERS):
                    if time.monotonic() > end or process.poll() is not None:
                        self.fail((work / "log").read_text())
                    for text in threads.map(self.ask, [path] * 2 * WORKERS):
                        pid, runs, found = text.split() if text else ("", "", "")
                        if found == outcome and (runs, pid in said) == ("True", False):
                            said[pid] = time.monotonic() - began
                return said

            workers = until("allowed", set())
            web.publish("manifest", answer(scenes.read("denial.json")))
            refused = until("denied-key", workers.keys())
        self.assertNotIn(str(process.pid), workers)
        return sorted(refused.values())

    def ask(self, path):
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.settimeout(60)
                connection.connect(str(path))
                connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
                text = b"".join(iter(lambda: connection.recv(4096), b""))
            except OSError:
                return ""  # not up yet
        return text.rpartition(b"\r\n\r\n")[2].decode()

    def end(self, process):
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def test_gunicorn(self):
        seconds = self.serve(
            "-m", "gunicorn", "--preload", "--workers", WORKERS, "--bind", "unix:SOCKET", "prefork_application")
        self.tell("gunicorn", seconds)

    if os.environ.get("PINTLE_THOROUGH"):  # Scripts/check/wheel --full installs uWSGI, which takes half a minute
        def test_uwsgi(self):
            self.tell("uWSGI", self.serve(
                "uwsgi", "--home", sys.prefix, "--master", "--enable-threads", "--py-call-uwsgi-fork-hooks", "--die-on-term",
                "--processes", WORKERS, "--http-socket", "SOCKET", "--wsgi", "prefork_application"))

    def test_uwsgi_without_its_options(self):
        """Its workers could hang, since it doesn't tell Python about its forks; without threads, nothing is fetched."""
        for options, worker, error in [
            ({}, 0, "enable-threads"), ({}, 1, "enable-threads"), ({"enable-threads": True}, 0, "py-call-uwsgi-fork-hooks"),
            ({"threads": b"2", "py-call-uwsgi-fork-hooks": True}, 0, None), ({"enable-threads": True}, 1, None),
        ]:
            uwsgi = types.SimpleNamespace(opt=options, worker_id=lambda worker=worker: worker)
            with scenes.store() as store, unittest.mock.patch.dict(sys.modules, uwsgi=uwsgi):
                fetcher = Fetcher(store, FetchSettings(["https://unused.test/"]))
                if error:
                    self.assertRaisesRegex(pintle.ConfigurationError, error, fetcher.start)
                else:
                    fetcher.start()
                    fetcher.stop()

    def tell(self, name, seconds):
        print(f"{name}: seconds until each of {WORKERS} workers refused: {' '.join(f'{each:.2f}' for each in seconds)}")
