"""libpintle for Python, by ctypes: what include/pintle.h declares, and a TLS connection that asks it.

    store = pintle.Store(keyset=open("1.keyset.json", "rb").read(), audience="production", directory="/var/lib/x")
    store.update_keyset_folder("/etc/x/keysets")
    store.update(manifest_bytes)
    with pintle.connect(store, "api.example.com", 443) as connection:
        connection.sendall(b"...")

One file without dependencies, so that a program can take it as it is. The library is found by the name libpintle.so.0,
or at the path in PINTLE_LIBRARY.
"""

import ctypes
import os
import socket
import ssl
from dataclasses import dataclass, field

NOW = -(2**63)
VERDICTS = ["block", "allow", "notPinned"]
DISPOSITIONS = ["cancel", "useCredential", "performDefaultHandling"]
SOURCES = ["none", "embedded", "stored", "update"]
FRESHNESS = ["none", "fresh", "refresh-due", "stale"]
TLS_VERSIONS = {"TLSv1.2": 0x0303, "TLSv1.3": 0x0304}

Clock = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


class _Bytes(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int32), ("code", ctypes.c_char * 60), ("message", ctypes.c_char * 448)]


class _Settings(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("signers", ctypes.POINTER(_Bytes)), ("signer_count", ctypes.c_size_t), ("threshold", ctypes.c_uint32),
        ("without_manifest", ctypes.c_uint32), ("audience", ctypes.c_char_p), ("directory", ctypes.c_char_p),
        ("embedded", _Bytes), ("anchors", ctypes.POINTER(_Bytes)), ("anchor_count", ctypes.c_size_t),
        ("system_anchors", ctypes.c_uint32), ("maximum_loss_percent", ctypes.c_uint32),
        ("skip_recent_chains", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("recent_period", ctypes.c_int64),
        ("maximum_bytes", ctypes.c_uint64), ("clock", Clock), ("clock_context", ctypes.c_void_p), ("keyset", _Bytes),
    ]


class _Status(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("source", ctypes.c_uint32), ("freshness", ctypes.c_uint32),
        ("serial", ctypes.c_int64), ("highest_serial", ctypes.c_int64), ("issued", ctypes.c_int64),
        ("refresh_after", ctypes.c_int64), ("expires", ctypes.c_int64), ("now", ctypes.c_int64),
        ("entry_count", ctypes.c_uint64), ("keyset_version", ctypes.c_int64), ("keyset_expires", ctypes.c_int64),
        ("keyset_expired", ctypes.c_uint32), ("endorsed", ctypes.c_uint32),
    ]


class _Peer(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("role", ctypes.c_uint32), ("validation", ctypes.c_uint32),
        ("host", ctypes.c_char_p), ("port", ctypes.c_uint16), ("tls_version", ctypes.c_uint16),
        ("certificates", ctypes.POINTER(_Bytes)), ("certificate_count", ctypes.c_size_t), ("at", ctypes.c_int64),
    ]


class _Match(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char_p), ("certificate", ctypes.c_int32), ("reserved", ctypes.c_uint32)]


class _Failure(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_char_p), ("message", ctypes.c_char_p), ("certificate", ctypes.c_int32),
        ("reserved", ctypes.c_uint32),
    ]


class _Decision(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t), ("verdict", ctypes.c_int32), ("disposition", ctypes.c_int32),
        ("step", ctypes.c_int32), ("events", ctypes.c_uint32), ("reason", ctypes.c_char_p),
        ("message", ctypes.c_char_p), ("entry", ctypes.c_char_p), ("clock", ctypes.c_char_p), ("at", ctypes.c_int64),
        ("serial", ctypes.c_int64), ("event_names", ctypes.POINTER(ctypes.c_char_p)),
        ("event_count", ctypes.c_size_t), ("matches", ctypes.POINTER(_Match)), ("match_count", ctypes.c_size_t),
        ("failures", ctypes.POINTER(_Failure)), ("failure_count", ctypes.c_size_t),
        ("chain", ctypes.POINTER(_Bytes)), ("chain_count", ctypes.c_size_t),
    ]


def _load():
    library = ctypes.CDLL(os.environ.get("PINTLE_LIBRARY", "libpintle.so.0"))
    pointer, store, error = ctypes.POINTER, ctypes.c_void_p, ctypes.POINTER(_Error)
    for name, result, arguments in [
        ("version", ctypes.c_uint32, []),
        ("store_open", ctypes.c_int, [pointer(_Settings), pointer(store), error]),
        ("store_close", None, [store]),
        ("store_problem", ctypes.c_int, [store, ctypes.c_size_t, error]),
        ("store_update", ctypes.c_int, [store, ctypes.c_char_p, ctypes.c_size_t, error]),
        ("store_update_file", ctypes.c_int, [store, ctypes.c_char_p, error]),
        ("store_update_keyset", ctypes.c_int, [store, ctypes.c_char_p, ctypes.c_size_t, error]),
        ("store_update_keyset_file", ctypes.c_int, [store, ctypes.c_char_p, error]),
        ("store_update_keyset_folder", ctypes.c_int, [store, ctypes.c_char_p, error]),
        ("store_maintain", ctypes.c_int, [store, error]),
        ("store_status", ctypes.c_int, [store, pointer(_Status)]),
        ("store_evaluate", ctypes.c_int, [store, pointer(_Peer), pointer(pointer(_Decision))]),
        ("decision_free", None, [pointer(_Decision)]),
    ]:
        function = getattr(library, "pintle_" + name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()


def version():
    """The library's version, such as "0.2.0"."""
    number = _library.pintle_version()
    return f"{number >> 16}.{number >> 8 & 255}.{number & 255}"


class Error(Exception):
    """What the library refused, with its stable code."""

    def __init__(self, error):
        super().__init__(error.message.decode())
        self.status, self.code = error.status, error.code.decode()


class Refused(ssl.SSLError):
    """A connection that was closed, with the decision."""

    def __init__(self, decision):
        super().__init__(decision.message)
        self.decision = decision


@dataclass(frozen=True)
class Decision:
    """A pintle_decision, copied."""

    verdict: str
    disposition: str
    step: int
    reason: str
    message: str
    entry: str | None
    clock: str | None
    at: int
    serial: int
    events: list[str]
    matches: list[tuple[str, int]] = field(default_factory=list)
    failures: list[tuple[str, int | None, str]] = field(default_factory=list)
    chain: list[bytes] = field(default_factory=list)

    @classmethod
    def _copy(cls, made):
        def text(value):
            return None if value is None else value.decode()

        return cls(
            VERDICTS[made.verdict], DISPOSITIONS[made.disposition], made.step, text(made.reason), text(made.message),
            text(made.entry), text(made.clock), made.at, made.serial,
            [text(made.event_names[index]) for index in range(made.event_count)],
            [(text(each.key), each.certificate) for each in made.matches[: made.match_count]],
            [(text(each.code), None if each.certificate < 0 else each.certificate, text(each.message))
             for each in made.failures[: made.failure_count]],
            [ctypes.string_at(each.data, each.size) for each in made.chain[: made.chain_count]])


def _list(items):
    """An array of pintle_bytes, null where an item is None; it keeps what it points to alive."""
    array = (_Bytes * len(items))()
    array.buffers = [None if item is None else ctypes.create_string_buffer(item, len(item)) for item in items]
    for place, buffer in zip(array, array.buffers):
        if buffer is not None:
            place.data, place.size = ctypes.addressof(buffer), len(buffer)
    return array


class Store:
    """A pintle_store."""

    def __init__(
        self, signers=(), audience=None, threshold=None, without_manifest="block", directory=None, embedded=b"",
        anchors=(), system_anchors=False, maximum_loss_percent=30, skip_recent_chains=False, recent_period=0,
        maximum_bytes=0, clock=None, keyset=None,
    ):
        """Either the `keyset` that was shipped, as bytes, or `signers` and how many are needed, 1 unless given.

        Signers and anchors are lists of bytes, PEM or DER; `clock` is a function that answers seconds since 1970.
        """
        signers, anchors, files = _list(list(signers)), _list(list(anchors)), _list([embedded, keyset])
        if threshold is None:
            threshold = 1 if keyset is None else 0
        self._clock = Clock((lambda _: int(clock())) if clock else 0)  # the library calls it as long as the store lives
        settings = _Settings(
            ctypes.sizeof(_Settings), signers, len(signers), threshold,
            {"block": 0, "notPinned": 1}[without_manifest], None if audience is None else audience.encode(),
            None if directory is None else os.fsencode(directory), files[0], anchors, len(anchors),
            int(system_anchors), maximum_loss_percent, int(skip_recent_chains), 0, recent_period, maximum_bytes,
            self._clock, None, files[1])
        self._store, error = ctypes.c_void_p(), _Error()
        self._context = None, None
        if _library.pintle_store_open(settings, self._store, error) != 0:
            raise Error(error)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        store, self._store = self._store, None
        _library.pintle_store_close(store)

    def problems(self):
        """What was found wrong when the store was opened: (code, message)."""
        found, error = [], _Error()
        while _library.pintle_store_problem(self._store, len(found), error) == 0:
            found.append((error.code.decode(), error.message.decode()))
        return found

    def update(self, manifest):
        """Takes a newer manifest; True where it took effect, False where it is in force already."""
        error = _Error()
        return self._updated(_library.pintle_store_update(self._store, manifest, len(manifest), error), error)

    def update_file(self, path):
        error = _Error()
        return self._updated(_library.pintle_store_update_file(self._store, os.fsencode(path), error), error)

    def update_keyset(self, keyset):
        """Takes the next keyset; True where it is in force now, False where it was already."""
        error = _Error()
        return self._updated(_library.pintle_store_update_keyset(self._store, keyset, len(keyset), error), error)

    def update_keyset_file(self, path):
        error = _Error()
        return self._updated(_library.pintle_store_update_keyset_file(self._store, os.fsencode(path), error), error)

    def update_keyset_folder(self, path):
        """Takes N+1.keyset.json, N+2.keyset.json and so on from a folder; True where it took any."""
        error = _Error()
        return self._updated(_library.pintle_store_update_keyset_folder(self._store, os.fsencode(path), error), error)

    def maintain(self):
        """To be called now and then, such as every ten minutes, where there is a directory."""
        error = _Error()
        if _library.pintle_store_maintain(self._store, error) < 0:
            raise Error(error)

    @staticmethod
    def _updated(status, error):
        if status < 0:
            raise Error(error)
        return status == 0

    def _status(self):
        status = _Status(ctypes.sizeof(_Status))
        _library.pintle_store_status(self._store, status)
        return status

    def tls_context(self):
        """The ssl.SSLContext of `connect`, the same until a manifest or keyset takes effect: to make one takes long."""
        status = self._status()
        releases = status.serial, status.keyset_version
        made_for, context = self._context
        if made_for != releases:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            self._context = releases, context
        return context

    def status(self):
        status = self._status()
        values = {name: getattr(status, name) for name, _ in _Status._fields_[1:]}
        return values | {
            "source": SOURCES[status.source], "freshness": FRESHNESS[status.freshness],
            "keyset_expired": bool(status.keyset_expired), "endorsed": bool(status.endorsed),
        }

    def evaluate(self, host, port, certificates, tls_version=0, role="server", validation="replaced", at=NOW):
        """Asks about certificates in DER, the peer's own first. `tls_version`: 0x0303, 0x0304, or 0 for unknown."""
        chain = _list(list(certificates))
        peer = _Peer(
            ctypes.sizeof(_Peer), {"server": 0, "client": 1}[role], {"replaced": 0, "stands": 1}[validation],
            host.encode(), port, tls_version, chain, len(chain), at)
        made = ctypes.POINTER(_Decision)()
        _library.pintle_store_evaluate(self._store, peer, made)
        try:
            return Decision._copy(made.contents)
        finally:
            _library.pintle_decision_free(made)


@dataclass(frozen=True)
class Session:
    """What a later connection to the same host can resume with: TLS's session, and the chain that it began with.

    In a resumed session the server sends no certificates, and Python doesn't keep those of the first handshake.
    """

    _session: ssl.SSLSession
    _context: ssl.SSLContext
    chain: tuple[bytes, ...]


def connect(store, host, port, address=None, timeout=10, session=None):
    """Connects with TLS, and asks before anything is sent; raises Refused where the connection must not be used.

    Python has no verification callback, so its own validation is switched off and the store's takes its place, after
    the handshake and before the first byte. With a Session the server may resume it: then the chain of the handshake that
    began it is judged again, at the time of now and by the manifest in force now.
    """
    context = store.tls_context() if session is None else session._context
    plain = socket.create_connection(address or (host, port), timeout)
    try:
        connection = context.wrap_socket(
            plain, server_hostname=host, do_handshake_on_connect=True, session=session and session._session)
    except BaseException:
        plain.close()
        raise
    try:
        ask(store, connection, host, port, session)
    except BaseException:
        connection.close()
        raise
    return connection


def session(connection):
    """The Session of a connection that `ask` or `connect` has accepted; None as long as there is none to resume.

    In TLS 1.3 the server sends it after the handshake: call this when an answer has been read.
    """
    chain = getattr(connection, "_pintle_chain", None)
    if chain is None:
        raise ValueError("no store has accepted this connection: call pintle.ask first")
    current = connection.session
    return Session(current, connection.context, chain) if current and current.has_ticket else None


def ask(store, connection, host, port, session=None):
    """Asks about a connection whose handshake is done; raises Refused, or answers the decision.

    Of a resumed connection, `session` is the Session that it was made with; without that it is refused, as nothing says
    which certificates it began with.
    """
    if not connection.session_reused:
        chain = _served_chain(connection)
    elif session is not None and connection.getpeercert(True) == session.chain[0]:
        chain = session.chain
    else:
        raise ssl.SSLError(
            "the session was resumed, so the server sent no certificates, and no Session of this server was passed: take "
            "one from pintle.session, or connect without resuming")
    decision = store.evaluate(host, port, chain, TLS_VERSIONS.get(connection.version(), 0))
    if decision.disposition != "useCredential":
        raise Refused(decision)
    connection._pintle_chain = tuple(chain)
    return decision


def _served_chain(connection):
    if hasattr(connection, "get_unverified_chain"):  # Python 3.13 and later
        return connection.get_unverified_chain()
    return [each.public_bytes(2) for each in connection._sslobj.get_unverified_chain() or []]  # 2: DER
