"""An ssl.SSLContext in whose handshakes the store decides, by the extension points `sslsocket_class` and
`sslobject_class`: whatever makes a connection with the context gets one that carries no data before the decision."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ._decision import Answer, ConfigurationError, Decision, Refused, UnjudgedError
from ._served import READS_MESSAGES, keep_message, served_chain
from ._store import Store

TLS_VERSIONS = {"TLSv1.2": 0x0303, "TLSv1.3": 0x0304}
Configure = Callable[[ssl.SSLContext], None]


@dataclass(frozen=True)
class Session:
    """What a later connection to the same host can resume with: TLS's session, and the chain that it began with.

    In a resumed session the server sends no certificates, and Python doesn't keep those of the first handshake.
    """

    _session: ssl.SSLSession
    _context: PinnedContext
    chain: tuple[bytes, ...]


class _Judgement(NamedTuple):
    """Of one moment, so that no thread sees half of it."""

    answer: Answer
    change: int  # of the store, read before it was asked
    code: str  # of Refused; empty if the connection may be used


class _Judged:
    """What a pinned socket and a pinned object have in common."""

    _chain: tuple[bytes, ...] = ()
    _judgement: _Judgement | None = None
    _port: int | None = None
    _resumed: Session | None = None

    @property
    def decision(self) -> Decision | None:
        """The newest decision about this connection; None before the handshake."""
        return None if self._judgement is None else self._judgement.answer.decision

    def holds(self) -> bool:
        """Whether the manifest in force allows this connection: evaluated again only if it may be another one."""
        me: Any = self
        judgement = self._judgement
        if judgement is None or judgement.code:
            return False
        return judgement.change == me.context.store._current or self.judge_again()

    def judge_again(self) -> bool:
        """Whether the manifest in force allows this connection, which is dropped otherwise; never raises."""
        judgement = self._judgement
        if judgement is None or judgement.code:
            return False
        try:
            self._judge("no-longer-holds")
        except Exception:
            self._note(judgement._replace(code="no-longer-holds"))
            self._drop()
            return False
        return True

    def _judge(self, code: str) -> None:
        me: Any = self
        context: PinnedContext = me.context
        change = context.store._change  # first: if it changes meanwhile, this is judged again
        port = context.port if self._port is None else self._port
        # "performDefaultHandling" is only answered where the context has verified the server in the handshake.
        answer = context.store._ask(
            me.server_hostname, port, self._chain, TLS_VERSIONS.get(me.version(), 0), "server", context.validation)
        self._note(_Judgement(answer, change, "" if answer.may_continue else code))
        self._refuse()

    def _note(self, judgement: _Judgement) -> None:
        """A refusal stays, and what is older than the last judgement allows nothing."""
        me: Any = self
        with me.context.store._lock:
            last = self._judgement
            if last is None or not last.code and (judgement.code or judgement.change >= last.change):
                self._judgement = judgement

    def _handshake_is_done(self) -> None:
        me: Any = self
        if self._judgement is not None:
            return self._guard()
        try:
            if not me.session_reused:
                self._chain = served_chain(me)
            elif self._resumed is not None and me.getpeercert(True) == self._resumed.chain[0]:
                self._chain = self._resumed.chain
            else:
                raise UnjudgedError(
                    "the session was resumed, so the server sent no certificates, and no Session of this server was "
                    "passed: take one from pintle.session, or connect without resuming")
            if not self._chain and me.context.validation == "stands":
                # Python has verified nothing then, and the store leaves hosts that aren't pinned to it.
                raise UnjudgedError("the server sent no certificates, or Python doesn't show them")
            me.context.store._register(self)
            self._judge("blocked")
            self._guard()  # an update that came before there was a judgement has passed over this connection
        except BaseException:
            self._drop()
            raise

    def _guard(self) -> None:
        """Before data is sent or received: the handshake is done, and the manifest in force allows the connection."""
        if self._judgement is None:
            raise UnjudgedError("the store has not decided on this connection: call do_handshake first")
        self.holds()
        self._refuse()

    def _refuse(self) -> None:
        judgement = self._judgement
        if judgement is not None and judgement.code:
            raise Refused(judgement.answer.decision, judgement.code)

    def read(self, len: int = 1024, buffer: Any = None) -> Any:
        below: Any = super()
        self._guard()
        try:
            return below.read(len, buffer)
        finally:
            self._guard()  # if it was dropped meanwhile, or is to be

    def write(self, data: Any) -> Any:
        below: Any = super()
        self._guard()
        return below.write(data)

    def _drop(self) -> None:
        raise NotImplementedError


class PinnedSocket(_Judged, ssl.SSLSocket):
    """The blocking kind."""

    def do_handshake(self, block: bool = False) -> None:
        super().do_handshake(block)
        self._handshake_is_done()

    def send(self, data: Any, flags: int = 0) -> int:
        self._guard()
        return super().send(data, flags)

    def shutdown(self, how: int) -> None:
        # SSLSocket's own method would make the socket send in the clear afterwards.
        socket.socket.shutdown(self, how)

    def _drop(self) -> None:
        _shut(self)


class PinnedObject(_Judged, ssl.SSLObject):
    """The kind without a socket, which asyncio and others feed with bytes."""

    _socket: Any = None

    def attach(self, transport: Any) -> None:
        """The socket below, so that a pool notices at once that the connection was dropped."""
        self._socket = transport

    def do_handshake(self) -> None:
        super().do_handshake()
        self._handshake_is_done()

    def _drop(self) -> None:
        if self._socket is not None:
            _shut(self._socket)


def _shut(of: Any) -> None:
    """Ends a connection in both directions; who waits for data, gets the end of it."""
    try:
        # Not SSLSocket's own method, see PinnedSocket.shutdown.
        (socket.socket.shutdown if isinstance(of, socket.socket) else type(of).shutdown)(of, socket.SHUT_RDWR)
    except OSError:
        pass


def _sealed(name: str, weakens: Callable[[Any, Any], bool], reason: str) -> Any:
    """A setting of SSLContext that can't be weakened once the context is made."""
    inherited = getattr(ssl.SSLContext, name)

    def assign(context: Any, value: Any) -> None:
        if context._is_sealed and weakens(inherited.__get__(context), value):
            raise ConfigurationError(f"{name} = {value!r} would weaken a pinned connection: {reason}")
        inherited.__set__(context, value)

    return property(lambda context: inherited.__get__(context), assign)


# SSL_CTX_set_options(3): SSL_OP_LEGACY_SERVER_CONNECT and SSL_OP_ALLOW_UNSAFE_LEGACY_RENEGOTIATION
_LEGACY_OPTIONS = 1 << 2 | 1 << 18
_KEPT_OPTIONS = ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
_STRICTER_FLAGS = ssl.VERIFY_CRL_CHECK_CHAIN | ssl.VERIFY_CRL_CHECK_LEAF | ssl.VERIFY_X509_STRICT
_DECIDED = "how servers are verified is decided by `validation` when the context is made"


class PinnedContext(ssl.SSLContext):
    """A context for connections to one port. Made by Store.context.

    `validation`: "replaced": the store evaluates trust, against its own anchors, in place of Python's ssl, also for
    hosts that aren't pinned. "stands": Python's ssl verifies the server in the handshake, with the anchors of the
    context (the system's are loaded); then the store decides, so pins only add restrictions.
    """

    sslsocket_class = PinnedSocket
    sslobject_class = PinnedObject
    _is_sealed = False
    store: Store
    port: int
    validation: str
    address: str | None = None  # the host where a library passes none: urllib3 1.26 for IP addresses

    def __setattr__(self, name: str, value: Any) -> None:
        if self._is_sealed and name in ("store", "port", "validation", "sslsocket_class", "sslobject_class"):
            raise ConfigurationError(f"{name} can't be changed once the context is made")
        super().__setattr__(name, value)

    def __new__(cls, store: Store, port: int, validation: str = "replaced") -> PinnedContext:
        if validation not in ("replaced", "stands"):
            raise ConfigurationError(f"validation is {validation!r}; it can be 'replaced' or 'stands'")
        if not 0 < port < 65536:
            raise ConfigurationError(f"{port} is not a port")
        self = super().__new__(cls, ssl.PROTOCOL_TLS_CLIENT)
        self.store, self.port, self.validation = store, port, validation
        self.minimum_version = ssl.TLSVersion.TLSv1_2
        # A second handshake in the connection could bring other certificates, which nobody would be asked about.
        self.options |= ssl.OP_NO_RENEGOTIATION
        if validation == "stands":
            self.load_default_certs()
        else:
            self.check_hostname = False
            self.verify_mode = ssl.CERT_NONE
        if getattr(self, "security_level", 0) < 2:
            # Python 3.9 has what the system says, and doesn't show it. Later ones set 2, unless they were built otherwise.
            names = ":".join(each["name"] for each in self.get_ciphers() if each["protocol"] != "TLSv1.3")
            self.set_ciphers(f"{names}:@SECLEVEL=2")
        if READS_MESSAGES:
            setattr(self, "_msg_callback", keep_message)
        self._is_sealed = True
        return self

    verify_mode = _sealed("verify_mode", lambda old, new: old != new, _DECIDED)
    check_hostname = _sealed("check_hostname", lambda old, new: old != new, _DECIDED)
    minimum_version = _sealed(
        "minimum_version", lambda _, new: new < ssl.TLSVersion.TLSv1_2, "TLS 1.2 is the minimum")
    options = _sealed(
        "options", lambda old, new: _KEPT_OPTIONS & ~new or _LEGACY_OPTIONS & new & ~old,
        "OP_NO_RENEGOTIATION and OP_NO_COMPRESSION must stay set, and servers without RFC 5746 stay rejected")
    verify_flags = _sealed(
        "verify_flags", lambda old, new: old & ~new or new & ~old & ~_STRICTER_FLAGS,
        "flags that make the verification stricter can be added, and none removed")

    def set_ciphers(self, ciphers: str, /) -> None:
        # Below level 2, OpenSSL accepts weak keys and signatures; at 0, also servers without a certificate.
        if re.search("@SECLEVEL=[01]", ciphers):
            raise ConfigurationError(f"set_ciphers({ciphers!r}) would weaken a pinned connection: SECLEVEL is at least 2")
        super().set_ciphers(ciphers)

    def set_psk_client_callback(self, *_: Any, **__: Any) -> None:
        raise ConfigurationError("a server with a pre-shared key sends no certificates that pins could be compared with")

    def load_verify_locations(self, *arguments: Any, **options: Any) -> None:
        self._check_that_anchors_count()
        super().load_verify_locations(*arguments, **options)

    def load_default_certs(self, purpose: ssl.Purpose = ssl.Purpose.SERVER_AUTH) -> None:
        self._check_that_anchors_count()
        super().load_default_certs(purpose)

    def set_default_verify_paths(self) -> None:
        self._check_that_anchors_count()
        super().set_default_verify_paths()

    def _check_that_anchors_count(self) -> None:
        if self.validation == "replaced":
            raise ConfigurationError(
                "anchors of this context would have no effect: give them to the Store (anchors=), or use "
                "validation='stands'")

    def wrap_socket(self, sock: socket.socket, *arguments: Any, **options: Any) -> PinnedSocket:
        made: Any = super().wrap_socket(sock, *arguments, **self._with_host(arguments, options))
        return made  # type: ignore[no-any-return]

    def wrap_bio(self, *arguments: Any, **options: Any) -> PinnedObject:
        made: Any = super().wrap_bio(*arguments, **self._with_host(arguments, options))
        return made  # type: ignore[no-any-return]

    def _with_host(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
        """The options with the host that the connection is for, without which nothing can be decided."""
        if len(arguments) < 4:
            options = {**options, "server_hostname": options.get("server_hostname") or self.address}
        if not (arguments[3] if len(arguments) > 3 else options["server_hostname"]):
            raise ConfigurationError("server_hostname must name the host that the connection is for")
        return options


class Contexts:
    """The contexts of a transport, one for each port: pins may be for one port, and a context knows no other."""

    def __init__(self, store: Store, validation: str = "replaced", configure: Configure | None = None) -> None:
        """`configure` is called with each new context, to load a client certificate, for example."""
        self._store, self._validation, self._configure = store, validation, configure
        self._made: dict[tuple[int, str | None], PinnedContext] = {}
        self.for_port(443)  # so that a wrong setting is an error here

    def for_port(self, port: int, address: str | None = None) -> PinnedContext:
        context = self._made.get((port, address))
        if context is None:
            context = self._store.context(port, self._validation)
            context.address = address
            if self._configure is not None:
                self._configure(context)
            context = self._made.setdefault((port, address), context)
        return context
