"""asyncio streams whose servers the store decides on."""

from __future__ import annotations

import asyncio
from typing import Any

from ._connection import proven
from ._decision import ConfigurationError
from ._store import Store
from ._tls import PinnedContext, host_name


async def open_connection(
    store: Store, host: str, port: int, *, address: tuple[str, int] | None = None, context: PinnedContext | None = None,
    **options: Any,
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """asyncio.open_connection with TLS; raises Refused where the connection must not be used.

    `address` is where to connect to, if that isn't `host` and `port`; `context` is one of Store.context, to configure
    more. `options` are those of asyncio.open_connection.
    """
    for name in ("ssl", "server_hostname"):
        if name in options:
            raise ConfigurationError(f"{name}= can't be combined with pins: pass host, port and context=")
    for name in ("validation", "configure"):
        if name in options:
            raise ConfigurationError(
                f"open_connection has no {name}=: make a context with store.context(port, validation), change it, and "
                "pass it as context=")
    host_name(host)
    if context is None:
        context = store._shared_context(port, "replaced")
    if context.store is not store or context.port != port:
        raise ConfigurationError("the context was made for another store or another port")
    place: dict[str, Any] = {} if "sock" in options else dict(zip(("host", "port"), address or (host, port)))
    reader, writer = await asyncio.open_connection(ssl=context, server_hostname=host, **place, **options)
    try:
        made = proven(writer.get_extra_info("ssl_object"), context, writer.get_extra_info("socket"))
    except BaseException:
        writer.transport.abort()
        raise
    feed_eof, set_exception = reader.feed_eof, reader.set_exception

    def ended(error: Exception | None = None) -> None:
        """An update that blocks the connection doesn't look like the end of what the server sends, nor its reset."""
        end = made._end() or error
        feed_eof() if end is None else set_exception(end)

    setattr(reader, "feed_eof", ended)
    setattr(reader, "set_exception", ended)
    return reader, writer
