"""requests: an adapter whose connections the store decides on.

    session = requests.Session()
    session.mount("https://", adapter := PinnedAdapter(store))
    session.mount("http://", adapter)  # so that a redirect out of TLS is rejected
"""

from __future__ import annotations

from typing import Any

from requests import PreparedRequest, Response, exceptions
from requests.adapters import HTTPAdapter

from ._decision import ConfigurationError, carrying
from ._store import Store
from ._tls import NOT_TLS, Configure
from .urllib3 import PinnedPoolManager, PinnedProxyManager


class NotTLSError(exceptions.InvalidURL, ConfigurationError):
    """A URL without TLS, of the program or of a server that redirects."""


class PinnedAdapter(HTTPAdapter):
    """An HTTPAdapter for https URLs. `validation` and `configure` are those of Contexts."""

    # What a copy has too; a pickle fails, because a store can't be in it.
    __attrs__ = [*HTTPAdapter.__attrs__, "_store", "_pins"]

    def __init__(
        self, store: Store, *, validation: str = "replaced", configure: Configure | None = None, **options: Any,
    ) -> None:
        self._store = store
        self._pins: dict[str, Any] = {"validation": validation, "configure": configure}
        super().__init__(**options)

    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **options: Any) -> None:
        self.poolmanager = PinnedPoolManager(
            self._store, **self._pins, num_pools=connections, maxsize=maxsize, block=block, **options)

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        if proxy not in self.proxy_manager:
            if not proxy.lower().startswith(("http://", "https://")):
                raise ConfigurationError("only http and https proxies can be combined with pins")
            self.proxy_manager[proxy] = PinnedProxyManager(
                self._store, proxy, **self._pins, proxy_headers=self.proxy_headers(proxy), **options)
        return self.proxy_manager[proxy]

    def cert_verify(self, conn: Any, url: Any, verify: Any, cert: Any) -> None:
        """Leaves the connection as the pool manager has made it."""
        _refuse(verify, cert)

    def build_connection_pool_key_attributes(self, request: Any, verify: Any, cert: Any = None) -> Any:
        _refuse(verify, cert)
        host, _ = super().build_connection_pool_key_attributes(request, True, None)
        return host, {}

    def send(
        self, request: PreparedRequest, stream: bool = False, timeout: Any = None, verify: Any = True, cert: Any = None,
        proxies: Any = None,
    ) -> Response:
        if not (request.url or "").lower().startswith("https:"):
            raise NotTLSError(NOT_TLS, request=request)
        _refuse(verify, cert)
        with carrying():
            return super().send(request, stream, timeout, verify, cert, proxies)


def _refuse(verify: Any, cert: Any) -> None:
    if verify is not True:
        source = "" if isinstance(verify, bool) else (
            ". It may come from REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE: set trust_env = False on the session to ignore "
            "them")
        raise ConfigurationError(f"verify={verify!r} can't be combined with pins: give anchors to the Store{source}")
    if cert:
        raise ConfigurationError(
            "cert= can't be combined with pins: pass a function as configure=, which loads the client certificate")
