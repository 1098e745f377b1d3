"""Brings newer manifests, and before them the keysets that say who may sign those, from URLs into a store.

    with pintle.fetch.Fetcher(store, pintle.fetch.FetchSettings(urls=["https://pins.example.com/manifest.json"])):
        ...

The connection that fetches a manifest isn't pinned by that manifest, but validated with the system's anchors and the
host's name: otherwise a wrong pin could never be corrected. docs/updates.md#fetching has the rules.
"""

from __future__ import annotations

import atexit
import importlib
import logging
import os
import random
import ssl
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ._decision import ConfigurationError, Error
from ._download import Address, Download, Failure, Response, address
from ._fork import LONGEST_WAIT, telling
from ._schedule import FetchSettings, Patience, Schedule
from ._store import Store

__all__ = ["Attempt", "FetchSettings", "Fetcher", "Round"]

_log = logging.getLogger("pintle")
# The limits of docs/keyset-format.md.
_KEYSET_BYTES, _MOST_VERSIONS = 65_536, 256
# The hooks of a fork also run in children that are about to start another program (preexec_fn of subprocess).
_SECONDS_AFTER_FORK = 1.0


def _say(level: int, text: str, *arguments: object, exc_info: bool = False) -> None:
    with telling.lock:
        _log.log(level, text, *arguments, exc_info=exc_info)


@dataclass(frozen=True)
class Attempt:
    """A URL that was tried. `result` is "activated", "unchanged", "not-modified" or "rejected", of keysets also "none",
    "taken" and "repeated", or the code of what failed, such as "connection"."""

    url: str
    result: str
    message: str = ""


@dataclass
class Round:
    """What came of one round."""

    manifests: list[Attempt] = field(default_factory=list)
    keysets: list[Attempt] = field(default_factory=list)
    patience: int = 0  # seconds until the first server that asked for patience may be asked again

    @property
    def outcome(self) -> str:
        """ "activated", "unchanged", or "failed" if no URL had a manifest to take: then what was in force stays."""
        results = {attempt.result for attempt in self.manifests}
        if "activated" in results:
            return "activated"
        return "unchanged" if results & {"unchanged", "not-modified"} else "failed"


class _Source:
    def __init__(self, place: str, patience: int) -> None:
        self.place, self.patience = place, Patience(patience)
        # What saves a transfer, and of which release it was taken.
        self.known: tuple[tuple[int, int, int], dict[str, str]] | None = None


class Fetcher:
    """Fetches in a thread between `start` and `stop`; `fetch` makes one round in the calling thread.

    In a process that is forked meanwhile, a thread of its own starts."""

    def __init__(
        self, store: Store, settings: FetchSettings, *, context: ssl.SSLContext | None = None,
        on_round: Callable[[Round], None] | None = None,
    ) -> None:
        """`context` verifies the servers that are fetched from; the default has the system's anchors. `on_round` is
        called in the thread after each round, for metrics."""
        self._context = context or ssl.create_default_context()
        if self._context.verify_mode != ssl.CERT_REQUIRED or not self._context.check_hostname:
            raise ConfigurationError("the context must verify certificates and host names")
        if settings.keyset_urls and not store.status()["keyset_version"]:
            raise ConfigurationError("keyset_urls need a store that was opened with a keyset")
        for url in [*settings.urls, *(template.replace("{version}", "1") for template in settings.keyset_urls)]:
            address(url, settings.allow_http)
        self._store, self._settings, self._on_round = store, settings, on_round
        self._manifests = [_Source(url, settings.longest_retry_after) for url in settings.urls]
        self._keysets = [_Source(url, settings.longest_retry_after) for url in settings.keyset_urls]
        self._size: tuple[tuple[int, int, int], int] | None = None
        self._one_round, self._thread = threading.Lock(), None  # type: threading.Lock, threading.Thread | None
        self._wake, self._stops, self._requested = threading.Event(), threading.Event(), False
        self._maintained = time.monotonic()
        self._last_round: float | None = None
        self._current: Download | None = None
        self._heeds = True  # Retry-After, in the round under way
        self._is_forked = False
        self._told = store.release()  # what the log says is in force
        _fetchers.add(self)

    def __enter__(self) -> Fetcher:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        if self._thread is not None:
            raise ValueError("the Fetcher is started already")
        _check_host()
        self._stops.clear()
        self._launch()
        # A thread must not be in libcrypto when the process exits.
        atexit.register(self.stop)

    def _launch(self, after: float = 0.0) -> None:
        self._thread = threading.Thread(target=self._run, args=(after,), name="pintle-fetch", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the thread runs in this process."""
        thread = self._thread
        return thread is not None and thread.is_alive()

    @property
    def seconds_since_round(self) -> float | None:
        """The age of the last round, whatever came of it; None if this process has made none."""
        last = self._last_round
        return None if last is None else time.monotonic() - last

    def _after_fork(self) -> None:
        """In the child, where the threads that were in here are no more."""
        stops, current = self._stops.is_set(), self._current
        self._one_round, self._wake, self._stops = threading.Lock(), threading.Event(), threading.Event()
        self._current, self._last_round, self._is_forked = None, None, True
        if stops:
            self._stops.set()
        if current is not None:
            current.leave()
        # If on_round has forked, the thread that did is still here.
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread = None
            if not stops:
                self._launch(_SECONDS_AFTER_FORK)

    def stop(self) -> None:
        """Ends the request under way, and returns when the thread has ended.

        In a forked process it waits 10 seconds at most: the thread may wait for ever for a lock of libcrypto that
        another thread of the parent held."""
        self._stops.set()
        self._wake.set()
        current, thread = self._current, self._thread
        if current is not None:
            current.abort()
        if thread is not None and thread is not threading.current_thread():
            thread.join(LONGEST_WAIT if self._is_forked else None)
            if not thread.is_alive():
                self._thread = None
            atexit.unregister(self.stop)

    def fetch_now(self) -> None:
        """Asks the thread for a round at once, in an emergency. Servers that sent Retry-After aren't asked before."""
        self._requested = True
        self._wake.set()

    def fetch(self) -> Round:
        """One round: all mirrors of keysets, then the URLs of the manifest until one has something fresh.

        Servers that sent Retry-After are asked too: only the thread waits for them."""
        return self._round(heeds=False)

    def _round(self, heeds: bool) -> Round:
        with self._one_round:
            done, self._heeds = Round(), heeds
            for source in self._keysets:
                self._walk(source, done)
            for source in self._manifests:
                if self._stops.is_set():
                    break
                attempt = self._manifest(source)
                done.manifests.append(attempt)
                self._tell("manifest", attempt)
                # From refresh-after on, all URLs are tried, since one without anything newer may be an old copy.
                if attempt.result in ("activated", "unchanged", "not-modified") and self._is_settled():
                    break
            now = self._now()
            done.patience = min(source.patience.seconds(now) for source in self._manifests)
            self._last_round = time.monotonic()
            self._tell_release()
            return done

    def _now(self) -> int:
        return self._store.status()["now"]

    def _is_settled(self) -> bool:
        """Whether nothing is missing; otherwise nothing that a server says may save a transfer."""
        status = self._store.status()
        return bool(
            status["freshness"] == "fresh" and status["endorsed"] and not status["keyset_expired"]
            and status["serial"] <= status["highest_serial"])

    def _get(self, source: _Source, place: Address, headers: dict[str, str], limit: int, left: float) -> Response:
        patience = source.patience.seconds(self._now())
        if patience > 0 and self._heeds:
            raise Failure("waiting", f"the server asked to be left alone for another {patience} s")
        self._current = Download(self._context, left)
        try:
            if self._stops.is_set():
                raise Failure("cancelled", "the fetcher stops")
            response = self._current.get(place, headers, limit)
        finally:
            self._current = None
        # A client that can't decide asks sooner.
        most = None if self._store.status()["serial"] else int(self._settings.longest_retry)
        source.patience.heed(response.status, response.headers, self._now(), most)
        return response

    def _manifest(self, source: _Source) -> Attempt:
        place = address(source.place, self._settings.allow_http)
        release = self._store.release()
        known = source.known[1] if source.known and source.known[0] == release and self._is_settled() else {}
        size = self._size[1] if self._size and self._size[0] == release else None
        try:
            response = self._get(source, place, known, self._settings.download_limit(size), self._settings.deadline)
            if response.status == 304:
                if known:
                    return Attempt(place.shown, "not-modified")
                raise Failure("unexpected-not-modified", "304 Not Modified, although all was asked for")
            if response.status != 200:
                raise Failure("status", f"the server responded with status {response.status}")
            source.known = None
            result = "activated" if self._store.update(response.body) else "unchanged"
        except Failure as failure:
            source.known = None if failure.code == "unexpected-not-modified" else source.known
            return Attempt(place.shown, failure.code, str(failure))
        except Error as error:
            return Attempt(place.shown, "rejected", f"{error} [{error.code}]")
        headers = {"If-None-Match": "etag", "If-Modified-Since": "last-modified"}
        release = self._store.release()
        source.known = release, {
            name: response.headers[field] for name, field in headers.items() if response.headers.get(field)}
        self._size = release, len(response.body)
        return Attempt(place.shown, result)

    def _walk(self, source: _Source, done: Round) -> None:
        """Takes one version after the other from a mirror, until it has no more or sends anything else."""
        end, taken = time.monotonic() + self._settings.deadline, 0
        while taken < _MOST_VERSIONS and not self._stops.is_set():
            version = self._store.status()["keyset_version"] + 1
            place = address(source.place.replace("{version}", str(version)), self._settings.allow_http)
            attempt = self._keyset(source, place, version, end - time.monotonic())
            done.keysets.append(attempt)
            self._tell("keyset", attempt)
            if attempt.result not in ("activated", "taken"):
                return
            taken += 1

    def _keyset(self, source: _Source, place: Address, version: int, left: float) -> Attempt:
        try:
            if left <= 0:
                raise Failure("timeout", "the keysets did not all arrive in time")
            response = self._get(source, place, {}, _KEYSET_BYTES, left)
            if response.status in (404, 410):
                return Attempt(place.shown, "none")
            if response.status != 200:
                raise Failure("status", f"the server responded with status {response.status}")
            if self._store.update_keyset(response.body):
                return Attempt(place.shown, "activated")
        except Failure as failure:
            return Attempt(place.shown, failure.code, str(failure))
        except Error as error:
            if error.code != "older-version" or self._store.status()["keyset_version"] < version:
                return Attempt(place.shown, "rejected", f"{error} [{error.code}]")
        # Another thread or process took it first, or the mirror sent the one in force again.
        is_reached = self._store.status()["keyset_version"] >= version
        return Attempt(place.shown, "taken" if is_reached else "repeated")

    def _tell(self, what: str, attempt: Attempt) -> None:
        if attempt.result == "rejected":
            _say(logging.ERROR, "%s rejected: %s: %s", what, attempt.url, attempt.message)
        elif attempt.result == "activated":
            self._told = release = self._store.release()
            _say(logging.INFO, "%s %d activated: %s", what, release[0 if what == "manifest" else 2], attempt.url)
        elif attempt.message or attempt.result == "repeated":
            why = (f"{attempt.message} [{attempt.result}]" if attempt.message
                   else "the server sent the keyset in force again")
            _say(logging.WARNING, "%s fetch failed: %s: %s", what, attempt.url, why)

    def _tell_release(self) -> None:
        """Of processes that share a directory, one downloads a file and the others load it, which nothing else logs."""
        release = self._store.release()
        if release != self._told:
            self._told = release
            text = "in force now: manifest %d, keyset %d; this Fetcher didn't download them"
            _say(logging.INFO, text, release[0], release[2])

    def _run(self, after: float) -> None:
        if self._stops.wait(after):
            return
        _say(logging.INFO, "fetching in process %d", os.getpid())
        schedule, chance = Schedule(self._settings), random.SystemRandom().random
        wait = schedule.first(self._store.status()["freshness"] == "fresh", chance())
        while True:
            requested = self._sleep(wait)
            if self._stops.is_set():
                return
            try:
                done = self._round(heeds=True)
                status = self._store.status()
                until_due = status["refresh_after"] - status["now"] if status["serial"] else 0
                if status["keyset_expired"] or not status["endorsed"]:
                    until_due = 0
                wait = schedule.delay(done.outcome == "failed", requested, done.patience, until_due, chance())
                if self._on_round is not None:
                    self._on_round(done)
            except Exception:
                _say(logging.ERROR, "a round of fetching failed", exc_info=True)
                wait = self._settings.longest_retry

    def _sleep(self, seconds: float) -> bool:
        """Until the wait is over or a round was requested, which it returns; maintains the store meanwhile."""
        began = time.monotonic()
        while not self._stops.is_set():
            over = time.monotonic() - began
            # Requests that come at once are answered by one round a second.
            left = (1.0 if self._requested else seconds) - over
            if left <= 0:
                break
            self._wake.wait(min(left, self._settings.housekeeping))
            self._wake.clear()
            # By its own time, because waits may be shorter.
            if not self._stops.is_set() and time.monotonic() - self._maintained >= self._settings.housekeeping:
                self._maintain()
        requested, self._requested = self._requested, False
        return requested

    def _maintain(self) -> None:
        self._maintained = time.monotonic()
        try:
            self._store.maintain()
            self._tell_release()
        except Error as error:
            _say(logging.WARNING, "state not written: %s", error)


_fetchers: weakref.WeakSet[Fetcher] = weakref.WeakSet()


def _after_fork() -> None:
    for fetcher in list(_fetchers):
        fetcher._after_fork()


def _check_host() -> None:
    """That threads run in this process, and after its forks."""
    try:
        uwsgi: Any = importlib.import_module("uwsgi")  # only found in a process of uWSGI
    except ImportError:
        return
    if not {"enable-threads", "threads"} & set(uwsgi.opt):
        raise ConfigurationError("uWSGI runs no threads, so nothing would be fetched: set its option enable-threads")
    if uwsgi.worker_id() == 0 and "py-call-uwsgi-fork-hooks" not in uwsgi.opt:
        raise ConfigurationError(
            "uWSGI's workers could hang, because it forks without telling Python: set its option "
            "py-call-uwsgi-fork-hooks, or lazy-apps, or start the Fetcher in each worker")


# After the store's, which this module has imported: the locks of the store are usable then.
os.register_at_fork(after_in_child=_after_fork)
