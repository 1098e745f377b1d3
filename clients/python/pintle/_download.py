"""One bounded GET: limits in time, bytes and redirects, and nothing that could expand."""

from __future__ import annotations

import encodings.idna  # by the first lookup otherwise: a child that is forked during an import waits for it for ever
import http.client
import os
import socket
import ssl
import threading
import time
import urllib.parse
from collections.abc import Mapping
from typing import NamedTuple

from ._decision import ConfigurationError
from ._tls import _shut

_REDIRECTS = {301, 302, 303, 307, 308}
_MOST_REDIRECTS = 3


def printable(text: str) -> str:
    """For terminals and logs: some of it comes from a server."""
    return "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text[:1000])


class Failure(Exception):
    """Why nothing that could be a file arrived; `code` is stable."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(printable(message))
        self.code = code


class Address(NamedTuple):
    scheme: str
    host: str
    port: int
    target: str  # path and query

    @property
    def shown(self) -> str:
        """For the log: a query may have a secret."""
        return f"{self.scheme}://{self.host}:{self.port}{self.target.partition('?')[0]}"


def address(url: str, allows_http: bool) -> Address:
    """Reads a URL; raises ConfigurationError, whose message doesn't repeat it."""
    try:
        parts = urllib.parse.urlsplit(url)
        port = parts.port
    except ValueError:
        raise ConfigurationError("a URL can't be read") from None
    if not url.isascii() or any(letter <= " " or letter == "\x7f" for letter in url):
        raise ConfigurationError("a URL has characters that must be escaped")
    if parts.scheme not in (("https", "http") if allows_http else ("https",)):
        raise ConfigurationError("a URL must begin with https://, or with http:// if allow_http is set")
    if not parts.hostname or "@" in parts.netloc or parts.fragment:
        raise ConfigurationError("a URL must have a host, and no user name or fragment")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Address(parts.scheme, parts.hostname, port or {"https": 443, "http": 80}[parts.scheme], target)


class Response(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


class Download:
    """One request, which another thread may end with `abort`."""

    def __init__(self, context: ssl.SSLContext, seconds: float) -> None:
        self._context, self._end = context, time.monotonic() + seconds
        self._socket: socket.socket | None = None
        self._is_aborted = threading.Event()

    def abort(self) -> None:
        self._is_aborted.set()
        current = self._socket
        if current is not None:
            _shut(current)

    def get(self, place: Address, headers: Mapping[str, str], limit: int) -> Response:
        """The answer after redirects on the same host; raises Failure."""
        # Socket timeouts are for one read each, and a server could send a byte before each ends.
        timer = threading.Timer(max(0.0, self._end - time.monotonic()), self.abort)
        timer.daemon = True
        timer.start()
        try:
            for _ in range(_MOST_REDIRECTS + 1):
                response = self._ask(place, headers, limit)
                if response.status not in _REDIRECTS:
                    return response
                place = self._next(place, response.headers.get("location", ""))
            raise Failure("redirect", f"more than {_MOST_REDIRECTS} redirects")
        except (OSError, ValueError, http.client.HTTPException) as error:
            if self._is_aborted.is_set() or isinstance(error, TimeoutError):
                raise Failure("timeout", "the answer did not arrive in time") from error
            raise Failure("connection", f"{type(error).__name__}: {error}") from error
        finally:
            timer.cancel()

    @staticmethod
    def _next(place: Address, location: str) -> Address:
        try:
            url = urllib.parse.urljoin(f"{place.scheme}://{_authority(place)}{place.target}", location)
            following = address(url, allows_http=place.scheme == "http")
        except (ConfigurationError, ValueError):
            raise Failure("redirect", "the redirect can't be followed") from None
        if not location or following[:3] != place[:3]:
            raise Failure("redirect", "redirects are followed only on the same scheme, host and port")
        return following

    def _left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0 or self._is_aborted.is_set():
            raise TimeoutError("too late")
        return left

    def _connect(self, place: Address) -> socket.socket:
        last: OSError = OSError("the name has no address")
        for family, kind, protocol, _, where in socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM):
            made = socket.socket(family, kind, protocol)
            try:
                made.settimeout(self._left())
                made.connect(where)
                if place.scheme == "http":
                    self._socket = made
                    return made
                self._socket = self._context.wrap_socket(
                    made, server_hostname=place.host, do_handshake_on_connect=False)
                self._socket.do_handshake()
                return self._socket
            except OSError as error:
                made.close()
                self._close()
                last = error
                self._left()
        raise last

    def leave(self) -> None:
        """Closes this process's copy of the socket, which another process goes on using."""
        current, self._socket = self._socket, None
        number = -1 if current is None else current.detach()
        if number >= 0:
            os.close(number)

    def _close(self) -> None:
        current, self._socket = self._socket, None
        if current is not None:
            current.close()

    def _ask(self, place: Address, headers: Mapping[str, str], limit: int) -> Response:
        connection = http.client.HTTPConnection(place.host, place.port)
        try:
            connection.sock = self._connect(place)
            connection.auto_open = 0
            connection.putrequest("GET", place.target, skip_host=True, skip_accept_encoding=True)
            fixed = {"Host": _authority(place), "Accept-Encoding": "identity", "Connection": "close",
                     "User-Agent": "pintle-python"}
            for name, value in {**fixed, **headers}.items():
                connection.putheader(name, value)
            connection.endheaders()
            with connection.getresponse() as response:
                found = {name.lower(): value for name, value in response.getheaders()}
                if response.status != 200:
                    return Response(response.status, found, b"")
                if found.get("content-encoding", "identity").lower() != "identity":
                    raise Failure("encoded", "the answer has a content encoding")
                return Response(200, found, self._body(response, limit))
        finally:
            connection.close()
            self._close()

    def _body(self, response: http.client.HTTPResponse, limit: int) -> bytes:
        body = bytearray()
        while chunk := response.read(min(65536, limit + 1 - len(body))):
            body += chunk
            self._left()
            if len(body) > limit:
                raise Failure("too-large", f"the file has more than {limit} bytes, which is the limit")
        self._left()  # what was cut off by the deadline is no answer
        return bytes(body)


def _authority(place: Address) -> str:
    host = f"[{place.host}]" if ":" in place.host else place.host
    return host if place.port == {"https": 443, "http": 80}[place.scheme] else f"{host}:{place.port}"
