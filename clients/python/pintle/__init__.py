"""TLS public-key pinning from a signed manifest: libpintle for Python.

    store = pintle.Store(keyset=open("1.keyset.json", "rb").read(), audience="production", directory="/var/lib/x")
    with pintle.connect(store, "api.example.com", 443) as connection:
        connection.sendall(b"...")

For libraries there are pintle.urllib3, pintle.requests, pintle.httpx, pintle.aiohttp and pintle.streams; pintle.fetch
brings newer manifests.
"""

from ._connect import connect, session
from ._decision import ConfigurationError, Decision, Error, Key, Refused, UnjudgedError, refusal
from ._library import version
from ._store import NOW, Status, Store
from ._tls import Contexts, PinnedContext, PinnedObject, PinnedSocket, Session

__version__ = version()

__all__ = [
    "NOW", "ConfigurationError", "Contexts", "Decision", "Error", "Key", "PinnedContext", "PinnedObject",
    "PinnedSocket", "Refused", "Session", "Status", "Store", "UnjudgedError", "__version__", "connect", "refusal",
    "session", "version",
]
