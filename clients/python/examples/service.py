"""A web service that passes on what a pinned server answers. It keeps its manifest new in each worker.

    KEYSET=1.keyset.json MANIFEST=manifest.json AUDIENCE=production STATE=/var/lib/payments \\
      MANIFEST_URL=https://pins.example.com/manifest.json UPSTREAM=https://api.example.com/ \\
      gunicorn --preload --workers 8 service
"""

from __future__ import annotations

import logging
import os
import pathlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pintle
import pintle.fetch
import pintle.requests
import requests

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

log = logging.getLogger(__name__)


def file(variable: str) -> bytes:
    return pathlib.Path(os.environ[variable]).read_bytes()


store = pintle.Store(
    keyset=file("KEYSET"), audience=os.environ["AUDIENCE"], directory=os.environ["STATE"], embedded=file("MANIFEST"),
    anchors=[file("ANCHORS")] if "ANCHORS" in os.environ else [])  # the system's, unless you have others
for code, message in store.problems():
    log.warning("%s: %s", code, message)
fetcher = pintle.fetch.Fetcher(store, pintle.fetch.FetchSettings(urls=[os.environ["MANIFEST_URL"]]))
fetcher.start()  # each worker starts a thread of its own


def session() -> requests.Session:
    made = requests.Session()
    made.trust_env = False  # REQUESTS_CA_BUNDLE would name other anchors than the store's, which is rejected
    for scheme in ("https://", "http://"):  # http, so that URLs without TLS fail
        made.mount(scheme, pintle.requests.PinnedAdapter(store))
    return made


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    if environ["PATH_INFO"] == "/health":
        status = store.status()
        start_response("200 OK" if fetcher.is_running and status["freshness"] != "stale" else "503 Service Unavailable", [])
        return [f"serial {status['serial']}, {status['freshness']}\n".encode()]
    try:
        with session() as client:
            body = client.get(os.environ["UPSTREAM"], timeout=10).content
    except requests.RequestException as error:
        refused = pintle.refusal(error)  # already in the log, with the keys
        start_response("502 Bad Gateway", [])
        return [b"not the server that is pinned\n" if refused else b"not reached\n"]
    start_response("200 OK", [])
    return [body]
