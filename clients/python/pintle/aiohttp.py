"""aiohttp: a connector whose connections the store decides on."""

from __future__ import annotations

import contextvars
from typing import Any

import aiohttp

from ._connection import proven
from ._decision import ConfigurationError, UnjudgedError, carrying, note
from ._store import Store
from ._tls import NOT_TLS, Configure, PinnedContext, PinnedObject

# Which host and port the task is connecting to: aiohttp has one context for all ports, and says only the name to it.
_destination: contextvars.ContextVar[tuple[str, int] | None] = contextvars.ContextVar("destination", default=None)

_REFUSED = {"ssl", "ssl_context", "verify_ssl", "fingerprint"}


class NotTLSError(aiohttp.ClientError, ConfigurationError):
    """A URL without TLS, of the program or of a server that redirects."""


class _AnyPort(PinnedContext):
    def wrap_bio(self, *arguments: Any, **options: Any) -> PinnedObject:
        destination = _destination.get()
        name = arguments[3] if len(arguments) > 3 else options.get("server_hostname")
        if destination is None or name != destination[0]:
            raise ConfigurationError(f"the connection to {name!r} isn't the one that the store is asked about")
        made = super().wrap_bio(*arguments, **options)
        made._port = destination[1]
        return made


class PinnedConnector(aiohttp.TCPConnector):
    """A TCPConnector for https and wss URLs. `configure` is called with the context, to load a client certificate, for
    example; `validation` is that of PinnedContext."""

    def __init__(
        self, store: Store, *, validation: str = "replaced", configure: Configure | None = None, **options: Any,
    ) -> None:
        for name in sorted(_REFUSED.intersection(options)):
            raise ConfigurationError(
                f"{name}= can't be combined with pins: give anchors to the Store, and use configure=")
        context = _AnyPort(store, 443, validation)
        self._pinned = context
        if configure is not None:
            configure(context)
        super().__init__(ssl=context, **options)

    async def connect(self, req: Any, traces: Any, timeout: Any) -> Any:
        with carrying():
            return await self._connect(req, traces, timeout)

    async def _connect(self, req: Any, traces: Any, timeout: Any) -> Any:
        host, port = _checked(req)
        token = _destination.set((host, port))
        try:
            while True:
                connection = await super().connect(req, traces, timeout)
                transport: Any = connection.transport
                made = transport and transport.get_extra_info("ssl_object")
                try:
                    proven(made, self._pinned, transport and transport.get_extra_info("socket"))
                except BaseException as error:
                    connection.close()
                    if not isinstance(error, UnjudgedError):
                        raise
                    # A new connection was allowed a moment ago, so it is a pooled one that is refused.
                    if not isinstance(made, PinnedObject):
                        raise aiohttp.ClientConnectionError(str(error)) from error
                else:
                    _watch(connection.protocol, made)
                    return connection
        finally:
            _destination.reset(token)


def _watch(protocol: Any, made: PinnedObject) -> None:
    """An update that blocks a connection doesn't look like the end of a body, which may have no length."""
    if "connection_lost" in vars(protocol):
        return
    connection_lost = protocol.connection_lost

    def lost(error: BaseException | None) -> None:
        end = made._end()
        if end is None:
            connection_lost(error)
            return
        # Not `end` itself: aiohttp 3.8 copies an OSError without its cause.
        failed, of_body = aiohttp.ServerDisconnectedError(str(end)), aiohttp.ClientPayloadError(str(end))
        for each in (failed, of_body):
            each.__cause__ = end
            note(each)
        if getattr(protocol, "_payload", None) is not None:
            protocol._payload.set_exception(of_body)
        connection_lost(failed)

    protocol.connection_lost = lost


def _checked(request: Any) -> tuple[str, int]:
    """The host and port of a request, whose own settings must not skip the store."""
    if not request.is_ssl():
        raise NotTLSError(NOT_TLS)
    if request.ssl not in (True, None):
        raise ConfigurationError("ssl= of a request can't be combined with pins")
    host = request.url.raw_host.rstrip(".")
    if getattr(request, "server_hostname", None) not in (None, host):
        raise ConfigurationError("server_hostname= can't be combined with pins: the URL names the host")
    if request.proxy is not None and request.proxy.scheme != "http":
        raise ConfigurationError("only http proxies can be combined with pins")
    return host, request.url.port
