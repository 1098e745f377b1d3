"""Connections of PinnedContext, which carry no data before the store has decided."""

from __future__ import annotations

import os
import socket
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import _socket

from ._decision import Answer, ConfigurationError, Decision, Refused, UnjudgedError
from ._served import served_chain

if TYPE_CHECKING:
    from ._tls import PinnedContext

if not ssl.SSLSocket.__module__.startswith(("ssl", "gevent.")):
    raise ImportError(
        f"pintle can't protect connections of {ssl.SSLSocket.__module__}, which has replaced ssl.SSLSocket: use "
        "threads, asyncio or gevent instead")

TLS_VERSIONS = {"TLSv1.2": 0x0303, "TLSv1.3": 0x0304}


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
    _context: PinnedContext

    @property
    def context(self) -> Any:
        """What the connection was made with; not the one that its handshake runs on."""
        return self._context

    @context.setter
    def context(self, value: Any) -> None:
        raise ConfigurationError("the context of a pinned connection can't be changed")

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

    def _end(self) -> Exception | None:
        """Why the connection ended, if it isn't the peer that ended it: then what was read isn't all."""
        try:
            self._guard()
        except Exception as error:
            return error
        return None

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
    """The blocking kind; a cooperative one, if gevent had replaced ssl.SSLSocket before the import."""

    def do_handshake(self, *block: bool) -> None:
        if self._judgement is None:  # else it may be closed already
            self.context._check_port(self)
        super().do_handshake(*block)
        self._handshake_is_done()

    # SSLSocket's own methods send in the clear as long as there is no TLS.
    def send(self, data: Any, *flags: Any, **options: Any) -> int:
        self._guard()
        return super().send(data, *flags, **options)

    def sendall(self, data: Any, *flags: Any) -> None:
        self._guard()
        super().sendall(data, *flags)

    def sendto(self, *arguments: Any) -> int:
        self._guard()
        return super().sendto(*arguments)

    def sendfile(self, *arguments: Any, **options: Any) -> int:
        self._guard()
        return super().sendfile(*arguments, **options)

    def unwrap(self) -> socket.socket:
        """Ends TLS, and the connection with it: nothing may follow in the clear."""
        try:
            return super().unwrap()
        finally:
            self._drop()

    def shutdown(self, how: int) -> None:
        # SSLSocket's own method would make the socket send in the clear afterwards.
        socket.socket.shutdown(self, how)

    def _drop(self) -> None:
        _shut(self)


class PinnedObject(_Judged, ssl.SSLObject):
    """The kind without a socket, which asyncio and others feed with bytes."""

    _below: tuple[int, int] | None = None  # the socket's descriptor and inode

    def attach(self, below: Any) -> None:
        """The socket below, so that a pool notices at once that the connection was dropped.

        Only its descriptor is used: what asyncio and uvloop show as a socket has different methods."""
        number = below.fileno()
        if self._below is None and number >= 0:
            self._below = number, os.fstat(number).st_ino

    def do_handshake(self) -> None:
        super().do_handshake()
        self._handshake_is_done()

    def _drop(self) -> None:
        if self._below is None:
            return
        number, inode = self._below
        try:
            # A copy: the descriptor may be closed at any time, and then be another connection's.
            copy = os.dup(number)
            if os.fstat(copy).st_ino != inode:
                os.close(copy)
                return
            below = _socket.socket(fileno=copy)
            try:
                below.shutdown(socket.SHUT_RDWR)
            finally:
                below.close()
        except OSError:
            pass  # it ended meanwhile


def proven(made: Any, context: ssl.SSLContext | None, below: Any = None) -> PinnedSocket | PinnedObject:
    """What a library is about to send a request on, if the store has decided about it; raises otherwise.

    `below` is the socket of a PinnedObject."""
    if isinstance(made, (PinnedSocket, PinnedObject)) and (context is None or made.context is context) and made.holds():
        if isinstance(made, PinnedObject) and below is not None:
            made.attach(below)
        return made
    end = made._end() if isinstance(made, _Judged) else None
    raise end or UnjudgedError(
        f"the store was not asked about this connection, which is a {type(made).__module__}.{type(made).__name__}: "
        "find what replaces parts of ssl, or of the library, and don't use it here")


def _shut(of: Any) -> None:
    """Ends a connection in both directions; who waits for data, gets the end of it."""
    try:
        # Not SSLSocket's own method, see PinnedSocket.shutdown.
        (socket.socket.shutdown if isinstance(of, socket.socket) else type(of).shutdown)(of, socket.SHUT_RDWR)
    except Exception:
        pass  # it ended meanwhile; and no kind of socket keeps an update from the other connections
