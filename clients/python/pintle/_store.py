"""The store: the manifest in force, the keyset that it is taken by, and the connections that it has allowed."""

from __future__ import annotations

import ctypes
import logging
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypedDict, Union

from . import _library
from ._decision import Answer, ConfigurationError, Decision, Error
from ._fork import changing

if TYPE_CHECKING:
    from ._tls import PinnedContext

NOW = -(2**63)
SOURCES = ["none", "embedded", "stored", "update"]
_SIZE_OF_PEER = ctypes.sizeof(_library.Peer)
_ROLES = {"server": 0, "client": 1}
_VALIDATIONS = {"replaced": 0, "stands": 1}
FRESHNESS = ["none", "fresh", "refresh-due", "stale"]
Path = Union[str, "os.PathLike[str]"]
_log = logging.getLogger("pintle")
_A_PATH = "read the file with open(path, 'rb').read()"


class Status(TypedDict):
    """pintle_status; times are in seconds since 1970, and 0 if there is none."""

    source: str  # "none", "embedded", "stored" or "update"
    freshness: str  # "none", "fresh", "refresh-due" or "stale"
    serial: int
    highest_serial: int
    issued: int
    refresh_after: int
    expires: int
    now: int
    entry_count: int
    keyset_version: int
    keyset_expires: int
    keyset_expired: bool
    endorsed: bool


class Judged(Protocol):
    """A connection that the store has allowed."""

    def judge_again(self) -> bool: ...

    def _drop(self) -> None: ...


class Store:
    """A pintle_store. Every method may be called from any thread."""

    def __init__(
        self, signers: Iterable[bytes] = (), audience: str | None = None, threshold: int | None = None,
        without_manifest: str = "block", directory: Path | None = None, embedded: bytes = b"",
        anchors: Iterable[bytes] = (), system_anchors: bool = False, maximum_loss_percent: int = 30,
        skip_recent_chains: bool = False, recent_period: int = 0, maximum_bytes: int = 0,
        clock: Callable[[], float] | None = None, keyset: bytes | None = None,
    ) -> None:
        """Takes either the `keyset` that was shipped, as bytes, or `signers` and how many are needed, 1 unless given.

        Signers and anchors are bytes, PEM or DER; `recent_period` is in seconds. `clock` returns seconds since 1970; it
        is called in the midst of updates and must not wait for other threads, which may be waiting to update or fork.
        """
        self._connections: weakref.WeakSet[Any] = weakref.WeakSet()
        # A signal handler may update the store while its own thread is in here.
        self._lock = threading.RLock()
        self._contexts: dict[tuple[int, str], PinnedContext] = {}
        keys = _library.array(_library.contents("signers", signers))
        roots = _library.array(_library.contents("anchors", anchors))
        files = _library.array([
            _library.content("embedded", embedded, _A_PATH),
            None if keyset is None else _library.content("keyset", keyset, _A_PATH)])
        if threshold is None:
            threshold = 1 if keyset is None else 0
        answers = {"block": 0, "notPinned": 1}
        if without_manifest not in answers:
            raise ConfigurationError(f"without_manifest is {without_manifest!r}; it can be 'block' or 'notPinned'")
        called = _library.Clock((lambda _: int(clock())) if clock is not None else 0)
        settings = _library.Settings(
            ctypes.sizeof(_library.Settings), keys, len(keys), threshold, answers[without_manifest],
            None if audience is None else _library.text(audience),
            None if directory is None else _library.path(directory),
            files[0], roots, len(roots), int(system_anchors), maximum_loss_percent,
            int(skip_recent_chains), 0, recent_period, maximum_bytes, called, None, files[1])
        opened, error = ctypes.c_void_p(), _library.CError()
        if _library.library.pintle_store_open(settings, opened, error) != 0:
            raise Error._of(error)
        self._pointer: ctypes.c_void_p | None = opened
        # Freed when no method can be running any more, which close() can't know; never at exit, where threads may be.
        weakref.finalize(self, _free, opened, called).atexit = False
        self._released = self.release()
        # What holds now, as a number: each change makes the next one. A decision counts for the number that was read
        # before it.
        self._change = 0
        # The threads of the updates under way; as long as there are any, no decision counts for long.
        self._updates: list[int] = []
        _stores.add(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Store can't be pickled or copied: open one in each process, with the same keyset, manifest and "
            "directory")

    def _after_fork(self) -> None:
        """In the child, where the threads that were in here are no more."""
        self._lock = threading.RLock()
        self._connections = weakref.WeakSet(list(self._connections))
        # This thread may itself be in an update, in whose midst a signal handler has forked.
        self._updates = [thread for thread in self._updates if thread == threading.get_ident()]
        # One of the others may have changed the store without saying so yet: all is judged again.
        self._change, self._released = self._change + 1, (-1, 0, 0)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the use of the store: each later call raises, and its connections are closed."""
        self._pointer = None
        with self._lock:
            connections: list[Judged] = list(self._connections)
        for connection in connections:
            connection._drop()

    @property
    def _open(self) -> ctypes.c_void_p:
        pointer = self._pointer
        if pointer is None:
            raise ValueError("the store is closed")
        return pointer

    def problems(self) -> list[tuple[str, str]]:
        """What was found wrong when the store was opened: (code, message), to be logged."""
        found: list[tuple[str, str]] = []
        error = _library.CError()
        while _library.library.pintle_store_problem(self._open, len(found), error) == 0:
            found.append((error.code.decode(), error.message.decode()))
        return found

    def update(self, manifest: bytes) -> bool:
        """Takes a newer manifest; True if it took effect, False if it is in force already."""
        _library.content("the manifest", manifest, "update_file takes a path")
        return self._update("update", manifest, len(manifest))

    def update_file(self, path: Path) -> bool:
        return self._update("update_file", _library.path(path))

    def update_keyset(self, keyset: bytes) -> bool:
        """Takes the next keyset; True if it is in force now, False if it was already."""
        _library.content("the keyset", keyset, "update_keyset_file takes a path")
        return self._update("update_keyset", keyset, len(keyset))

    def update_keyset_file(self, path: Path) -> bool:
        return self._update("update_keyset_file", _library.path(path))

    def update_keyset_folder(self, path: Path) -> bool:
        """Takes N+1.keyset.json, N+2.keyset.json and so on from a folder; True if it took any."""
        return self._update("update_keyset_folder", _library.path(path))

    def maintain(self) -> None:
        """Call this every ten minutes or so if there is a directory: it loads what other processes have stored."""
        self._update("maintain")

    def _update(self, function: str, *arguments: object) -> bool:
        error = _library.CError()
        # If an exception ends this anywhere, such as KeyboardInterrupt, too many are counted: each connection asks.
        with self._lock:
            self._updates.append(threading.get_ident())
        try:
            with changing.lock:
                status = getattr(_library.library, "pintle_store_" + function)(self._open, *arguments, error)
        finally:
            # Also after an error: part of the work may have been done, such as the first of several keysets.
            self._judge_connections()
        if status < 0:
            raise Error._of(error)
        return bool(status == 0)

    def _judge_connections(self) -> None:
        """Once this has returned, no open connection that a new manifest blocks carries data."""
        with self._lock:
            release = self.release()  # within the lock, or the older of two updates could be noted last
            is_another = release != self._released
            if is_another:
                self._change += 1
                self._released = release
            self._updates.remove(threading.get_ident())
            connections: list[Judged] = list(self._connections) if is_another else []
        for connection in connections:
            connection.judge_again()

    def _register(self, connection: Judged) -> None:
        with self._lock:
            self._connections.add(connection)

    def _status(self) -> _library.CStatus:
        status = _library.CStatus(ctypes.sizeof(_library.CStatus))
        _library.library.pintle_store_status(self._open, status)
        return status

    def release(self) -> tuple[int, int, int]:
        """What decides now: serial and issue time of the manifest in force, the keyset's version; each 0 if none."""
        status = self._status()
        return status.serial, status.issued, status.keyset_version

    @property
    def _current(self) -> int | None:
        """The number of what holds now; None if it may be changing. For connections: it costs no call."""
        self._open
        return None if self._updates else self._change

    def status(self) -> Status:
        status = self._status()
        values: Any = {str(name): getattr(status, name) for name, *_ in _library.CStatus._fields_[1:]}
        values.update(
            source=SOURCES[status.source], freshness=FRESHNESS[status.freshness],
            keyset_expired=bool(status.keyset_expired), endorsed=bool(status.endorsed))
        found: Status = values
        return found

    def context(self, port: int, validation: str = "replaced", *, through_proxy: bool = False) -> PinnedContext:
        """A new ssl.SSLContext for connections to this port, in whose handshakes the store decides.

        A socket that is connected to another port is rejected, unless it goes `through_proxy`, or a forwarder.
        """
        from ._tls import PinnedContext

        return PinnedContext(self, port, validation, through_proxy=through_proxy)

    def _shared_context(self, port: int, validation: str) -> PinnedContext:
        with self._lock:
            made = self._contexts.get((port, validation))
        if made is None:
            made = self.context(port, validation, through_proxy=True)  # callers name host, port and address
            with self._lock:
                made = self._contexts.setdefault((port, validation), made)
        return made

    def evaluate(
        self, host: str, port: int, certificates: Iterable[bytes], tls_version: int = 0, role: str = "server",
        validation: str = "replaced", at: int = NOW,
    ) -> Decision:
        """Asks about certificates in DER, the peer's own first. `tls_version`: 0x0303, 0x0304, or 0 if unknown."""
        chain = _library.contents("certificates", certificates)
        return self._answer(host, port, chain, tls_version, role, validation, at).decision

    def _ask(
        self, host: str, port: int, certificates: Sequence[bytes], tls_version: int, role: str, validation: str,
    ) -> Answer:
        """For a connection: what is refused or reported goes to the log."""
        answer = self._answer(host, port, certificates, tls_version, role, validation, NOW)
        if not answer.may_continue or answer.has_mismatch:
            _log.warning("%s:%d: %s", repr(host)[1:-1], port, answer.decision.message)
        return answer

    def _answer(
        self, host: str, port: int, certificates: Sequence[bytes], tls_version: int, role: str, validation: str,
        at: int,
    ) -> Answer:
        pointer = self._open
        peer = _library.Peer(
            _SIZE_OF_PEER, _ROLES[role], _VALIDATIONS[validation], _library.text(host), port, tls_version,
            _library.array(certificates), len(certificates), at)
        made = _library.CDecisionPointer()
        return Answer(_library.library.pintle_store_evaluate(pointer, peer, made), made)


def _free(pointer: ctypes.c_void_p, _clock: object) -> None:
    """`_clock` is what the library calls as long as the store lives."""
    _library.library.pintle_store_close(pointer)


_stores: weakref.WeakSet[Store] = weakref.WeakSet()


def _after_fork() -> None:
    for store in list(_stores):
        store._after_fork()


os.register_at_fork(after_in_child=_after_fork)
