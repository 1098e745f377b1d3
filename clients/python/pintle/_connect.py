"""A blocking connection, and resuming one."""

from __future__ import annotations

import socket
import ssl

from ._decision import ConfigurationError
from ._store import Store
from ._tls import PinnedContext, PinnedSocket, Session, host_name


def connect(
    store: Store, host: str, port: int, address: tuple[str, int] | None = None, timeout: float | None = 10,
    session: Session | None = None, context: PinnedContext | None = None,
) -> PinnedSocket:
    """Connects with TLS, and asks before anything is sent; raises Refused if the connection must not be used.

    `address` is where to connect to, if that isn't `host` and `port`; `timeout` is in seconds. With a Session the
    server may resume it: then the chain of the handshake that began it is evaluated again, as of now and by the
    manifest in force. `context` is one of Store.context, to configure more.
    """
    host_name(host)
    if context is None:
        context = session._context if session is not None else store._shared_context(port, "replaced")
    if context.store is not store or context.port != port:
        raise ConfigurationError("the session or context was made for another store or another port")
    plain = socket.create_connection(address or (host, port), timeout)
    try:
        connection = context.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)
    except BaseException:
        plain.close()
        raise
    try:
        if session is not None:
            connection._resumed, connection.session = session, session._session
        connection.do_handshake()
    except BaseException:
        connection.close()
        raise
    return connection


def session(connection: ssl.SSLSocket) -> Session | None:
    """The Session of a connection that the store has allowed; None as long as there is none to resume.

    In TLS 1.3 the server sends it after the handshake: call this when an answer has been read.
    """
    if not isinstance(connection, PinnedSocket) or not connection.holds():
        raise ValueError("no store has allowed this connection: make it with pintle.connect or Store.context")
    current, context = connection.session, connection.context
    if current is None or not current.has_ticket or not isinstance(context, PinnedContext):
        return None
    return Session(current, context, connection._chain)
