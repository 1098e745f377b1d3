"""An ssl.SSLContext in whose handshakes the store decides.

The context that programs hold verifies servers and trusts none: what makes a connection with it in another way than by
its own methods can't finish a handshake. Those of Pintle's connections run on a private context, which only they reach.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import _ssl

from ._connection import TLS_VERSIONS, PinnedObject, PinnedSocket, Session, _shut
from ._decision import ConfigurationError, UnjudgedError
from ._served import READS_MESSAGES, keep_message, owner_itself
from ._store import Store

__all__ = [
    "NOT_TLS", "TLS_VERSIONS", "Configure", "Contexts", "PinnedContext", "PinnedObject", "PinnedSocket", "Session",
    "_shut", "host_name",
]

Configure = Callable[[ssl.SSLContext], None]
NOT_TLS = (
    "a pinned client makes no connection without TLS: use an https URL; this one may come from a server's redirect")

if TYPE_CHECKING:
    _Context = ssl.SSLContext
else:
    # truststore puts a class into its place that uses a context of its own.
    _Context = next(each for each in ssl.SSLContext.__mro__ if each.__module__ in ("ssl", "gevent.ssl"))


def host_name(value: object) -> str:
    """A host as the store can look it up; "https://example.com" and "example.com:443" would only be refused later."""
    if not isinstance(value, str):
        raise TypeError(f"the host must be a str, not {type(value).__name__}")
    if not re.search("[/:@\\[]", value):
        return value
    try:
        return str(ipaddress.ip_address(value))
    except ValueError:
        raise ConfigurationError(
            f"{value!r} is not a host name or IP address: pass it alone, without scheme, port, path or brackets"
        ) from None


def _sealed(name: str, weakens: Callable[[Any, Any], bool], reason: str) -> Any:
    """A setting of the private context that can't be weakened."""
    kind = {"options": ssl.Options, "verify_flags": ssl.VerifyFlags}.get(name, ssl.TLSVersion)

    def assign(context: Any, value: Any) -> None:
        if weakens(getattr(context._private, name), value):
            raise ConfigurationError(f"{name} = {value!r} would weaken a pinned connection: {reason}")
        setattr(context._private, name, value)

    return property(lambda context: kind(getattr(context._private, name)), assign)


def _as_made(name: str) -> Any:
    """A setting of the held context, which stays as it is."""

    def assign(context: Any, value: Any) -> None:
        if value != getattr(context, name):
            raise ConfigurationError(
                f"{name} = {value!r} would weaken a pinned connection: remove this line, and the one that sets "
                f"{'check_hostname' if name == 'verify_mode' else 'verify_mode'}. Where a private CA or a self-signed "
                "certificate is the reason, use `trust:` in the policy, or anchors= of the Store; for requests, use "
                "pintle.requests.PinnedAdapter(store)")

    return property(lambda context: getattr(super(PinnedContext, context), name), assign)


# SSL_CTX_set_options(3): SSL_OP_LEGACY_SERVER_CONNECT and SSL_OP_ALLOW_UNSAFE_LEGACY_RENEGOTIATION
_LEGACY_OPTIONS = 1 << 2 | 1 << 18
_KEPT_OPTIONS = ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
_STRICTER_FLAGS = ssl.VERIFY_CRL_CHECK_CHAIN | ssl.VERIFY_CRL_CHECK_LEAF | ssl.VERIFY_X509_STRICT


class PinnedContext(_Context):
    """A context for connections to one port. Made by Store.context.

    `validation`: "replaced": the store evaluates trust, against its own anchors, in place of Python's ssl, also for
    hosts that aren't pinned. "stands": Python's ssl verifies the server in the handshake, with the anchors of the
    context (the system's are loaded); then the store decides, so pins only add restrictions.
    """

    sslsocket_class = PinnedSocket
    sslobject_class = PinnedObject
    store: Store
    port: int
    validation: str
    through_proxy: bool
    address: str | None = None  # the host where a library passes none: urllib3 1.26 for IP addresses
    _private: Any  # an _ssl._SSLContext: the setters of ssl.SSLContext call themselves where that was replaced

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("store", "port", "validation", "through_proxy", "sslsocket_class", "sslobject_class", "_private"):
            raise ConfigurationError(f"{name} can't be changed once the context is made")
        super().__setattr__(name, value)

    def __new__(
        cls, store: Store, port: int, validation: str = "replaced", *, through_proxy: bool = False,
    ) -> PinnedContext:
        if validation not in ("replaced", "stands"):
            raise ConfigurationError(f"validation is {validation!r}; it can be 'replaced' or 'stands'")
        if not isinstance(port, int) or not 0 < port < 65536:
            raise ConfigurationError(f"{port!r} is not a port")
        self = super().__new__(cls, ssl.PROTOCOL_TLS_CLIENT)  # verifies the server and its name
        private = _ssl._SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        vars(self).update(
            store=store, port=port, validation=validation, through_proxy=through_proxy, _private=private)
        private.minimum_version = ssl.TLSVersion.TLSv1_2
        # A second handshake in the connection could bring other certificates, which nobody would be asked about.
        private.options |= ssl.OP_NO_RENEGOTIATION
        if validation == "stands":
            private.set_default_verify_paths()
        else:
            private.check_hostname = False
            private.verify_mode = ssl.CERT_NONE
        if getattr(private, "security_level", 0) < 2:
            # Python 3.9 has what the system says, and doesn't show it. Later ones set 2, unless built otherwise.
            names = ":".join(each["name"] for each in private.get_ciphers() if each["protocol"] != "TLSv1.3")
            private.set_ciphers(f"{names}:@SECLEVEL=2")
        if READS_MESSAGES:
            setattr(private, "_msg_callback", keep_message)
        return self

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    # aiohttp and others look for ssl.SSLContext as it is now, and something may have replaced it.
    __class__ = property(
        lambda self: type(self) if issubclass(type(self), ssl.SSLContext) else ssl.SSLContext)

    verify_mode = _as_made("verify_mode")
    check_hostname = _as_made("check_hostname")
    minimum_version = _sealed(
        "minimum_version", lambda _, new: new < ssl.TLSVersion.TLSv1_2, "TLS 1.2 is the minimum")
    maximum_version = _sealed("maximum_version", lambda _, new: False, "")  # below the minimum, all handshakes fail
    options = _sealed(
        "options", lambda old, new: _KEPT_OPTIONS & ~new or _LEGACY_OPTIONS & new & ~old,
        "OP_NO_RENEGOTIATION and OP_NO_COMPRESSION must stay set, and servers without RFC 5746 stay rejected")
    verify_flags = _sealed(
        "verify_flags", lambda old, new: old & ~new or new & ~old & ~_STRICTER_FLAGS,
        "flags that make the verification stricter can be added, and none removed")

    def set_ciphers(self, ciphers: str, /) -> None:
        # Below level 2, OpenSSL accepts weak keys and signatures; at 0, also servers without a certificate.
        if re.search("@SECLEVEL=[01]", ciphers):
            raise ConfigurationError(
                f"set_ciphers({ciphers!r}) would weaken a pinned connection: SECLEVEL is at least 2")
        self._private.set_ciphers(ciphers)

    def set_psk_client_callback(self, *_: Any, **__: Any) -> None:
        raise ConfigurationError(
            "a server with a pre-shared key sends no certificates that pins could be compared with")

    def load_verify_locations(self, *arguments: Any, **options: Any) -> None:
        self._check_that_anchors_count()
        self._private.load_verify_locations(*arguments, **options)

    def set_default_verify_paths(self) -> None:  # load_default_certs calls it
        self._check_that_anchors_count()
        self._private.set_default_verify_paths()

    def _check_that_anchors_count(self) -> None:
        if self.validation == "replaced":
            raise ConfigurationError(
                "anchors of this context would have no effect: give them to the Store (anchors=), or use "
                "validation='stands'. If a library loads its own anchors, use its pinned class, such as "
                "pintle.requests.PinnedAdapter")

    def _wrap_socket(self, *arguments: Any, owner: Any, **options: Any) -> Any:
        """What makes TLS for a socket of any kind; only Pintle's own get to the private context."""
        context: Any = self._private if isinstance(owner_itself(owner), PinnedSocket) else super()
        return context._wrap_socket(*arguments, owner=owner, **options)

    def _wrap_bio(self, *arguments: Any, owner: Any, **options: Any) -> Any:
        context: Any = super()
        if isinstance(owner, PinnedObject):
            owner._context, context = self, self._private
        return context._wrap_bio(*arguments, owner=owner, **options)

    def wrap_socket(self, sock: socket.socket, *arguments: Any, **options: Any) -> PinnedSocket:
        if not issubclass(PinnedSocket, ssl.SSLSocket):
            raise UnjudgedError(
                f"{ssl.SSLSocket.__module__} replaced ssl.SSLSocket after pintle was imported: patch first, then "
                "import")
        made: Any = super().wrap_socket(sock, *arguments, **self._with_host(arguments, options))
        return self._as(PinnedSocket, made)  # type: ignore[no-any-return]

    def wrap_bio(self, *arguments: Any, **options: Any) -> PinnedObject:
        made: Any = super().wrap_bio(*arguments, **self._with_host(arguments, options))
        return self._as(PinnedObject, made)  # type: ignore[no-any-return]

    def _check_port(self, sock: socket.socket) -> None:
        """Otherwise an entry for the real port wouldn't apply, and nobody would notice."""
        peer = sock.getpeername()  # of a Unix socket it isn't a tuple
        if not self.through_proxy and isinstance(peer, tuple) and peer[1] != self.port:
            raise ConfigurationError(
                f"the socket is connected to port {peer[1]}, and this context decides about port {self.port}: use "
                f"Store.context({peer[1]}), or through_proxy=True if a proxy or forwarder is between")

    def _as(self, kind: type, made: Any) -> Any:
        if issubclass(type(made), kind) and made.context is self:
            return made
        getattr(made, "close", lambda: None)()
        raise UnjudgedError(
            f"{type(made).__module__}.{type(made).__name__} was made in place of a {kind.__name__}, so the store can't "
            "decide about this connection: find what replaces parts of ssl, and don't use it with pintle")

    def _with_host(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
        """The options with the host that the connection is for, without which nothing can be decided."""
        if len(arguments) < 4:
            options = {**options, "server_hostname": options.get("server_hostname") or self.address}
        host = arguments[3] if len(arguments) > 3 else options["server_hostname"]
        if not host:
            raise ConfigurationError("server_hostname must name the host that the connection is for")
        host_name(host.decode() if isinstance(host, bytes) else host)  # anyio passes bytes
        return options


def _of_private(name: str) -> Any:
    """Any other setting."""
    if callable(getattr(_ssl._SSLContext, name)):
        return lambda context, *arguments, **options: getattr(context._private, name)(*arguments, **options)
    return property(lambda context: getattr(context._private, name),
                    lambda context, value: setattr(context._private, name, value))


for _name in vars(_ssl._SSLContext):
    if not _name.startswith("__") and _name != "protocol" and _name not in vars(PinnedContext):
        setattr(PinnedContext, _name, _of_private(_name))


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
            context = self._store.context(port, self._validation, through_proxy=True)  # the port is the URL's
            context.address = address
            if self._configure is not None:
                self._configure(context)
            context = self._made.setdefault((port, address), context)
        return context
