"""httpx: clients and transports whose connections the store decides on."""

from __future__ import annotations

import contextlib
import ssl
import weakref
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

import httpx

from ._connection import PinnedSocket, proven
from ._decision import ConfigurationError, UnjudgedError, carrying, refusal
from ._store import Store
from ._tls import NOT_TLS, Configure, Contexts, PinnedContext

# What belongs to the transport and not to the client.
_OF_TRANSPORT = {"http1", "http2", "limits", "proxy", "uds", "local_address", "retries", "socket_options"}
# What would skip the store, or have no effect.
_REFUSED = {"verify", "cert", "trust_env", "transport", "mounts", "proxies", "app"}


def _refuse(options: dict[str, Any]) -> None:
    for name in sorted(_REFUSED.intersection(options)):
        raise ConfigurationError(
            f"{name}= can't be combined with pins: give anchors to the Store; configure= is a function that loads a "
            "client certificate into each new context; proxy= is for all requests")


class NotTLSError(httpx.UnsupportedProtocol, ConfigurationError):
    """A URL without TLS, of the program or of a server that redirects."""


def _tls_of(stream: Any) -> Any:
    sock = stream.get_extra_info("socket")
    return sock if isinstance(sock, PinnedSocket) else stream.get_extra_info("ssl_object")


class _Proof:
    """Sees each connection that httpcore makes for a request, by its extension "trace", before it is written to."""

    def __init__(self, request: httpx.Request, known: weakref.WeakSet[Any]) -> None:
        self.request, self.known = request, known
        self._program_s = request.extensions.get("trace")
        self._context: PinnedContext | None = None  # None for TLS to a proxy

    def _made(self, name: str, info: dict[str, Any]) -> Any:
        """The stream that a request to a server is about to be written to."""
        if name.endswith(".start_tls.started"):
            context = info.get("ssl_context")
            self._context = context if isinstance(context, PinnedContext) else None
        return info["return_value"] if self._context and name.endswith(".start_tls.complete") else None

    def _prove(self, stream: Any) -> None:
        self.known.add(proven(_tls_of(stream), self._context, stream.get_extra_info("socket")))

    def __call__(self, name: str, info: dict[str, Any]) -> None:
        stream = self._made(name, info)
        try:
            if stream is not None:
                self._prove(stream)
        except Exception:
            stream.close()
            raise
        if self._program_s is not None:
            self._program_s(name, info)

    async def asynchronous(self, name: str, info: dict[str, Any]) -> None:
        stream = self._made(name, info)
        try:
            if stream is not None:
                self._prove(stream)
        except Exception:
            await stream.aclose()
            raise
        if self._program_s is not None:
            await self._program_s(name, info)

    def body(self, response: httpx.Response) -> _Body:
        """That of a response, if its connection was seen. Otherwise nothing has stopped the request."""
        stream = response.extensions.get("network_stream")
        made = None if stream is None else _tls_of(stream)
        if made not in self.known:
            raise UnjudgedError(
                "the request was sent on a connection that wasn't shown to pintle before: find what replaces parts of "
                'httpcore, such as its extension "trace", and don\'t use it here')
        return _Body(response.stream, self.request, made)


@contextlib.contextmanager
def _traced(proof: _Proof, trace: Any) -> Iterator[None]:
    extensions = proof.request.extensions  # of a redirect's request too
    proof.request.extensions = {**extensions, "trace": trace}
    try:
        with _in_httpx_terms(proof.request, proof.known):
            yield
    finally:
        proof.request.extensions = extensions


@contextlib.contextmanager
def _in_httpx_terms(request: httpx.Request, used: Iterable[Any]) -> Iterator[None]:
    """httpcore doesn't translate what the proof raises, nor a blocked connection of asyncio; trio's has no text.

    `used`: what the request may have been on. If an update blocks it, it may look as if the server had reset it."""
    try:
        with carrying():
            yield
    except httpx.TransportError as error:
        refused, is_told = refusal(error), bool(str(error))
        if refused is None and isinstance(error, (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)):
            host, is_told = request.url.raw_host.decode(), False
            ends = [each._end() for each in list(used) if each.server_hostname == host]
            refused = next(filter(None, map(refusal, ends)), None)
        if refused is None or is_told:
            raise
        with carrying():
            raise type(error)(str(refused), request=request) from refused
    except ssl.SSLError as error:
        kind = httpx.ReadError if getattr(error, "code", "") == "no-longer-holds" else httpx.ConnectError
        with carrying():
            raise kind(str(error), request=request) from error


class _Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    def __init__(self, stream: Any, request: httpx.Request, used: Any) -> None:
        self._stream, self._request, self._used = stream, request, used

    def __iter__(self) -> Iterator[bytes]:
        with _in_httpx_terms(self._request, [self._used]):
            yield from self._stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _in_httpx_terms(self._request, [self._used]):
            async for part in self._stream:
                yield part

    def close(self) -> None:
        self._stream.close()

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Transports:
    """The transports of httpx, one for each port, because a context is for one port."""

    def __init__(self, kind: Any, store: Store, validation: str, configure: Configure | None, options: Any) -> None:
        _refuse(options)
        self._contexts = Contexts(store, validation, configure)
        self._make, self._options, self.made = kind, options, {}  # type: ignore[var-annotated]
        self._known: weakref.WeakSet[Any] = weakref.WeakSet()

    def for_request(self, request: httpx.Request) -> tuple[Any, _Proof]:
        if request.url.scheme != "https":
            raise NotTLSError(NOT_TLS, request=request)
        if "sni_hostname" in request.extensions:
            raise ConfigurationError("sni_hostname can't be combined with pins: the URL names the host")
        port = request.url.port or 443
        if port not in self.made:
            # Without the environment: only a context of the store is used.
            self.made[port] = self._make(
                verify=self._contexts.for_port(port), trust_env=False, **self._options)
        return self.made[port], _Proof(request, self._known)


class PinnedTransport(httpx.BaseTransport):
    """For https URLs. `options` are those of httpx.HTTPTransport, but not verify and cert."""

    def __init__(
        self, store: Store, *, validation: str = "replaced", configure: Configure | None = None, **options: Any,
    ) -> None:
        self._transports = _Transports(httpx.HTTPTransport, store, validation, configure, options)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        transport, proof = self._transports.for_request(request)
        with _traced(proof, proof):
            response: httpx.Response = transport.handle_request(request)
            try:
                response.stream = proof.body(response)
            except BaseException:
                response.close()
                raise
        return response

    def close(self) -> None:
        for transport in self._transports.made.values():
            transport.close()


class PinnedAsyncTransport(httpx.AsyncBaseTransport):
    """For https URLs. `options` are those of httpx.AsyncHTTPTransport, but not verify and cert."""

    def __init__(
        self, store: Store, *, validation: str = "replaced", configure: Configure | None = None, **options: Any,
    ) -> None:
        self._transports = _Transports(httpx.AsyncHTTPTransport, store, validation, configure, options)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        transport, proof = self._transports.for_request(request)
        with _traced(proof, proof.asynchronous):
            response: httpx.Response = await transport.handle_async_request(request)
            try:
                response.stream = proof.body(response)
            except BaseException:
                await response.aclose()
                raise
        return response

    async def aclose(self) -> None:
        for transport in self._transports.made.values():
            await transport.aclose()


def _split(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    _refuse(options)
    of_transport = {name: options.pop(name) for name in _OF_TRANSPORT.intersection(options)}
    return of_transport, options


class PinnedClient(httpx.Client):
    """An httpx.Client with a PinnedTransport. httpx itself would use another transport for `proxy=` and `mounts=`."""

    def __init__(
        self, store: Store, *, validation: str = "replaced", configure: Configure | None = None, **options: Any,
    ) -> None:
        of_transport, options = _split(options)
        transport = PinnedTransport(store, validation=validation, configure=configure, **of_transport)
        super().__init__(transport=transport, trust_env=False, **options)


class PinnedAsyncClient(httpx.AsyncClient):
    """An httpx.AsyncClient with a PinnedAsyncTransport."""

    def __init__(
        self, store: Store, *, validation: str = "replaced", configure: Configure | None = None, **options: Any,
    ) -> None:
        of_transport, options = _split(options)
        transport = PinnedAsyncTransport(store, validation=validation, configure=configure, **of_transport)
        super().__init__(transport=transport, trust_env=False, **options)
