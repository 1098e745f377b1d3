"""httpx: clients and transports whose connections the store decides on."""

from __future__ import annotations

from typing import Any

import httpx

from ._decision import ConfigurationError
from ._store import Store
from ._tls import Configure, Contexts, PinnedObject

# What belongs to the transport and not to the client.
_OF_TRANSPORT = {"http1", "http2", "limits", "proxy", "uds", "local_address", "retries", "socket_options"}
# What would skip the store, or have no effect.
_REFUSED = {"verify", "cert", "trust_env", "transport", "mounts", "proxies", "app"}


def _refuse(options: dict[str, Any]) -> None:
    for name in sorted(_REFUSED.intersection(options)):
        raise ConfigurationError(
            f"{name}= can't be combined with pins: give anchors to the Store; configure= is a function that loads a "
            "client certificate into each new context; proxy= is for all requests")


class _Transports:
    """The transports of httpx, one for each port, because a context is for one port."""

    def __init__(self, kind: Any, store: Store, validation: str, configure: Configure | None, options: Any) -> None:
        _refuse(options)
        self._contexts = Contexts(store, validation, configure)
        self._make, self._options, self.made = kind, options, {}  # type: ignore[var-annotated]

    def for_request(self, request: httpx.Request) -> Any:
        if request.url.scheme != "https":
            raise ConfigurationError("a pinned client makes no connection without TLS; use an https URL")
        if "sni_hostname" in request.extensions:
            raise ConfigurationError("sni_hostname can't be combined with pins: the URL names the host")
        port = request.url.port or 443
        if port not in self.made:
            # Without the environment: only a context of the store is used.
            self.made[port] = self._make(
                verify=self._contexts.for_port(port), trust_env=False, **self._options)
        return self.made[port]


class PinnedTransport(httpx.BaseTransport):
    """For https URLs. `options` are those of httpx.HTTPTransport, but not verify and cert."""

    def __init__(
        self, store: Store, *, validation: str = "replaced", configure: Configure | None = None, **options: Any,
    ) -> None:
        self._transports = _Transports(httpx.HTTPTransport, store, validation, configure, options)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response: httpx.Response = self._transports.for_request(request).handle_request(request)
        _attach(response)
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
        response: httpx.Response = await self._transports.for_request(request).handle_async_request(request)
        _attach(response)
        return response

    async def aclose(self) -> None:
        for transport in self._transports.made.values():
            await transport.aclose()


def _attach(response: httpx.Response) -> None:
    """From now on, the pool notices when the store drops the connection, and makes another one."""
    stream: Any = response.extensions.get("network_stream")
    made = stream and stream.get_extra_info("ssl_object")
    if isinstance(made, PinnedObject):
        made.attach(stream.get_extra_info("socket"))


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
