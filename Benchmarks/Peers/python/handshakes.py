"""TLS handshakes of Python with and without Pintle: Benchmarks/handshakes runs it.

    handshakes.py ssl|urllib3 plain|pinned PORT ROOT MANIFEST SIGNER TIMES

Each connection is closed before the next one. Prints what one took: processor time, the rate, and the 99th percentile.
"""

import resource
import socket
import ssl
import sys
import time

library, kind, port, root, manifest, signer, times = sys.argv[1:]
HOST = "api.perf.test"
port, times = int(port), int(times)


def store():
    import pintle

    def read(path):
        with open(path, "rb") as file:
            return file.read()

    made = pintle.Store([read(signer)], "fleet", anchors=[read(root)])
    made.update(read(manifest))
    return made


def connector():
    if library == "urllib3":
        import urllib3

        # The name is only known here.
        socket.getaddrinfo = lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]
        if kind == "plain":
            # One context for all connections, as Pintle has it; with ca_certs=, urllib3 makes one for each.
            pools = urllib3.PoolManager(ssl_context=ssl.create_default_context(cafile=root))
        else:
            from pintle.urllib3 import PinnedPoolManager

            pools = PinnedPoolManager(store())
        headers = {"connection": "close"}
        return lambda: pools.request("GET", f"https://{HOST}:{port}/", headers=headers, retries=False)
    if kind == "plain":
        context = ssl.create_default_context(cafile=root)
        # With a timeout, as pintle.connect has one by default: a socket then waits in another way.
        return lambda: context.wrap_socket(
            socket.create_connection(("127.0.0.1", port), 10), server_hostname=HOST).close()
    import pintle

    pins = store()
    return lambda: pintle.connect(pins, HOST, port, ("127.0.0.1", port)).close()


def spent():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


connect = connector()
for _ in range(50):
    connect()
walls = []
processor, began = spent(), time.monotonic()
for _ in range(times):
    before = time.monotonic()
    connect()
    walls.append(time.monotonic() - before)
print("processor", (spent() - processor) / times * 1e6, "us")
print("rate", times / (time.monotonic() - began), "handshakes/s")
print("p99", sorted(walls)[times * 99 // 100] * 1e6, "us")
