"""The certificates that a server sent: Python gives them away in three ways, depending on its version."""

from __future__ import annotations

import ssl
import sys
from typing import Any, Union

Connection = Union[ssl.SSLSocket, ssl.SSLObject]

# Python 3.9 has no function for the chain, but shows each message of the handshake to a callback.
READS_MESSAGES = sys.version_info < (3, 10)
_HANDSHAKE, _CERTIFICATE = 22, 11  # RFC 8446 sections 5.1 and 4


def served_chain(connection: Any) -> tuple[bytes, ...]:
    """In DER, the leaf first; empty if nothing was sent or it can't be read, which is never trusted."""
    if READS_MESSAGES:
        message = getattr(connection, "_certificate_message", b"")
        return certificates(message, connection.version() == "TLSv1.3")
    if sys.version_info >= (3, 13):
        return tuple(connection.get_unverified_chain())
    return tuple(each.public_bytes(2) for each in connection._sslobj.get_unverified_chain() or [])  # 2: DER


def keep_message(connection: Any, direction: str, _version: Any, content: Any, kind: Any, message: bytes) -> None:
    """A callback for SSLContext._msg_callback, which Python has since 3.8."""
    if direction == "read" and content == _HANDSHAKE and kind == _CERTIFICATE:
        owner_itself(connection)._certificate_message = message


def owner_itself(owner: Any) -> Any:
    """The SSLSocket or SSLObject that asks for TLS; gevent's passes the socket that it wraps."""
    behind = getattr(owner, "_sslsock", None)
    return owner if behind is None else behind()


def certificates(message: bytes, is_tls_1_3: bool) -> tuple[bytes, ...]:
    """Reads a Certificate message with its header (RFC 5246 section 7.4.2, RFC 8446 section 4.4.2)."""
    found: list[bytes] = []
    try:
        body = _Reader(message[1:]).vector(3)
        if is_tls_1_3:
            body.vector(1)  # the request context, empty from a server
        entries = body.vector(3)
        while entries.left:
            found.append(entries.vector(3).left)
            if is_tls_1_3:
                entries.vector(2)  # the extensions of this certificate
        return () if body.left else tuple(found)
    except ValueError:
        return ()


class _Reader:
    def __init__(self, left: bytes) -> None:
        self.left = left

    def vector(self, size_bytes: int) -> _Reader:
        """What follows a length of so many bytes."""
        size = int.from_bytes(self.left[:size_bytes], "big")
        if len(self.left) < size_bytes + size:
            raise ValueError("cut short")
        taken, self.left = self.left[size_bytes : size_bytes + size], self.left[size_bytes + size :]
        return _Reader(taken)
