"""urllib3 (1.26 and 2): pool managers whose connections the store decides on."""

from __future__ import annotations

import functools
import ipaddress
from typing import Any

from urllib3 import exceptions
from urllib3.connection import HTTPSConnection
from urllib3.connectionpool import HTTPSConnectionPool
from urllib3.poolmanager import PoolManager, ProxyManager
from urllib3.util import ssl_

from ._connection import proven
from ._decision import ConfigurationError, UnjudgedError, carrying
from ._store import Store
from ._tls import NOT_TLS, Configure, Contexts, PinnedContext

# What would name another host, skip the verification, or have no effect: the context decides.
REFUSED = {
    "ssl_context", "cert_reqs", "assert_hostname", "assert_fingerprint", "server_hostname", "ca_certs", "ca_cert_dir",
    "ca_cert_data", "cert_file", "key_file", "key_password", "ssl_version", "ssl_minimum_version",
    "ssl_maximum_version",
}


class NotTLSError(exceptions.LocationValueError, ConfigurationError):
    """A URL without TLS, of the program or of a server that redirects."""


class PinnedHTTPSConnection(HTTPSConnection):
    """A connection with a context of Contexts; only PinnedHTTPSConnectionPool makes it."""

    def connect(self) -> None:
        context = self.ssl_context
        if not isinstance(context, PinnedContext):
            raise ConfigurationError("the connection has no pinned context; make it with PinnedPoolManager")
        # Set by its pool only to what they are by default; anything else came from the program.
        for name in ("assert_hostname", "assert_fingerprint", "server_hostname", "ca_certs", "cert_file"):
            if getattr(self, name, None) is not None:
                raise ConfigurationError(f"{name} can't be combined with pins")
        if ssl_.IS_PYOPENSSL:
            raise UnjudgedError(
                "pyOpenSSL has replaced TLS in urllib3: call urllib3.contrib.pyopenssl.extract_from_urllib3()")
        super().connect()
        sock: Any = self.sock
        # The former are what urllib3's own kind of socket has, which is for TLS within TLS.
        try:
            proven(getattr(sock, "sslobj", sock), context, getattr(sock, "socket", sock))
        except BaseException:
            self.close()
            raise


class PinnedHTTPSConnectionPool(HTTPSConnectionPool):
    """Connections to one host and port, also through a proxy: pins are those of the host, not the proxy's."""

    ConnectionCls = PinnedHTTPSConnection

    def __init__(self, host: str, port: int | None = None, *, contexts: Contexts, **options: Any) -> None:
        refuse({name: value for name, value in options.items() if value is not None})
        address = host.strip("[]")
        try:
            ipaddress.ip_address(address)
        except ValueError:
            context = contexts.for_port(port or 443)
        else:
            context = contexts.for_port(port or 443, address)  # urllib3 1.26 doesn't pass addresses to a context
        super().__init__(host, port, ssl_context=context, **options)

    def urlopen(self, *arguments: Any, **options: Any) -> Any:
        with carrying():
            return super().urlopen(*arguments, **options)


def refuse(options: dict[str, Any]) -> None:
    for name in sorted(REFUSED.intersection(options)):
        raise ConfigurationError(
            f"{name}= can't be combined with pins: give anchors to the Store; configure= is a function that loads a "
            "client certificate into each new context")


def _no_tls(*_: Any, **__: Any) -> Any:
    raise NotTLSError(NOT_TLS)


def _pools(contexts: Contexts) -> dict[str, Any]:
    return {"https": functools.partial(PinnedHTTPSConnectionPool, contexts=contexts), "http": _no_tls}


class PinnedPoolManager(PoolManager):
    """A PoolManager for https URLs. `validation` and `configure` are those of Contexts."""

    def __init__(
        self, store: Store, *, validation: str = "replaced", configure: Configure | None = None, **options: Any,
    ) -> None:
        refuse(options)
        super().__init__(**options)
        self.pool_classes_by_scheme = _pools(Contexts(store, validation, configure))


class PinnedProxyManager(ProxyManager):
    """A ProxyManager for https URLs, through a proxy that connects (RFC 9110 section 9.3.6)."""

    def __init__(
        self, store: Store, proxy_url: str, *, validation: str = "replaced", configure: Configure | None = None,
        **options: Any,
    ) -> None:
        refuse(options)
        if options.pop("use_forwarding_for_https", False):
            raise ConfigurationError("use_forwarding_for_https= would end TLS at the proxy")
        super().__init__(proxy_url, **options)
        self.pool_classes_by_scheme = _pools(Contexts(store, validation, configure))

    def connection_from_host(
        self, host: str | None, port: int | None = None, scheme: str | None = "http", pool_kwargs: Any = None,
    ) -> Any:
        if scheme != "https":  # what urllib3 would send to the proxy as it is
            _no_tls()
        return super().connection_from_host(host, port, scheme, pool_kwargs=pool_kwargs)
