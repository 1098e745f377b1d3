"""A program of its own for test_bypass.py: other libraries patch Python, before or after pintle is imported; then each
client sends a request to each server. Prints, as JSON, how each of these requests ended.

    python patched.py '{"before": CODE, "after": CODE, "clients": [NAME...], "ports": {SERVER: PORT...}}'
"""

import json
import sys
import tempfile

row = json.loads(sys.argv[1])
exec(row["before"])

import asyncio
import http.client
import socket
import ssl
import urllib.request

import pintle
import pintle.aiohttp
import pintle.httpx
import pintle.requests
import pintle.streams
import pintle.urllib3
import scenes

HOST, REQUEST = "127.0.0.1", b"GET /secret HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
STORES = {
    "genuine": scenes.store(), "impostor": scenes.store("newer.json"), "denied": scenes.store("denial.json"),
    "untrusted": scenes.store(anchors=[scenes.read("client-ca.pem")])}
CLIENTS = {}


def client(function):
    CLIENTS[function.__name__] = function
    return function


def asynchronous(function):
    CLIENTS[function.__name__] = lambda *arguments: asyncio.run(function(*arguments))
    return function


def exchange(connection):
    with connection:
        connection.sendall(REQUEST)
        return connection.recv(65536)


def stands(store, port):
    context = store.context(port, "stands")
    if store is not STORES["untrusted"]:
        scenes.trusts_fixtures(context)
    return context


@client
def connect(store, port):
    return exchange(pintle.connect(store, HOST, port))


@client
def connect_stands(store, port):
    return exchange(pintle.connect(store, HOST, port, context=stands(store, port)))


@client
def connect_later(store, port):
    connection = stands(store, port).wrap_socket(socket.socket(), server_hostname=HOST)
    try:
        connection.connect((HOST, port))
    except OSError:
        with tempfile.TemporaryFile() as file:
            file.write(REQUEST)
            for send in (lambda: connection.send(REQUEST), lambda: connection.sendto(REQUEST, (HOST, port)),
                         lambda: connection.sendfile(file, 0)):
                try:
                    send()
                    return b"sent in the clear: hello"
                except ssl.SSLError:
                    pass
        connection.sendall(REQUEST)
        return b"sent in the clear: hello"
    return exchange(connection)


@client
def http_client(store, port):
    connection = http.client.HTTPSConnection(HOST, port, timeout=20, context=store.context(port))
    connection.request("GET", "/secret")
    return connection.getresponse().read()


@client
def urlopen(store, port):
    return urllib.request.urlopen(f"https://{HOST}:{port}/secret", timeout=20, context=stands(store, port)).read()


@client
def wrap_bio(store, port):
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    made = store.context(port).wrap_bio(incoming, outgoing, server_hostname=HOST)
    with socket.create_connection((HOST, port), 20) as plain:
        def run(step, *arguments):
            while True:
                try:
                    return step(*arguments)
                except ssl.SSLWantReadError:
                    plain.sendall(outgoing.read())
                    incoming.write(plain.recv(65536) or incoming.write_eof() or b"")
                finally:
                    plain.sendall(outgoing.read())

        run(made.do_handshake)
        run(made.write, REQUEST)
        return run(made.read, 65536)


@client
def urllib3(store, port):
    return pintle.urllib3.PinnedPoolManager(store, retries=False).request("GET", f"https://{HOST}:{port}/secret").data


@client
def requests(store, port):
    import requests
    with requests.Session() as session:
        session.trust_env = False
        session.mount("https://", pintle.requests.PinnedAdapter(store))
        return session.get(f"https://{HOST}:{port}/secret").content


@client
def httpx(store, port):
    with pintle.httpx.PinnedClient(store) as session:
        return session.get(f"https://{HOST}:{port}/secret").content


@asynchronous
async def httpx_async(store, port):
    async with pintle.httpx.PinnedAsyncClient(store) as session:
        return (await session.get(f"https://{HOST}:{port}/secret")).content


@client
def httpx_trio(store, port):
    import trio
    return trio.run(httpx_async, store, port)


@asynchronous
async def aiohttp(store, port):
    import aiohttp
    async with aiohttp.ClientSession(connector=pintle.aiohttp.PinnedConnector(store)) as session:
        async with session.get(f"https://{HOST}:{port}/secret") as response:
            return await response.read()


async def ask(reader, writer):
    try:
        writer.write(REQUEST)
        return await reader.read(65536)
    finally:
        writer.transport.abort()


@asynchronous
async def streams(store, port):
    return await ask(*await pintle.streams.open_connection(store, HOST, port))


@asynchronous
async def streams_of_asyncio(store, port, kind=pintle.PinnedContext):
    return await ask(*await asyncio.open_connection(HOST, port, ssl=kind(store, port)))


@asynchronous
async def start_tls(store, port):
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    plain, _ = await loop.create_connection(lambda: protocol, HOST, port)
    transport = await loop.start_tls(plain, protocol, store.context(port), server_hostname=HOST)
    return await ask(reader, asyncio.StreamWriter(transport, protocol, reader, loop))


@asynchronous
async def anyio(store, port):
    import anyio
    async with await anyio.connect_tcp(
            HOST, port, tls_hostname=HOST, ssl_context=store.context(port), tls_standard_compatible=False) as stream:
        await stream.send(REQUEST)
        return await stream.receive()


@client
def trio(store, port):
    import trio

    async def run():
        async with await trio.open_tcp_stream(HOST, port) as plain:
            stream = trio.SSLStream(plain, store.context(port), server_hostname=HOST)
            await stream.send_all(REQUEST)
            return await stream.receive_some()

    return trio.run(run)


# What doesn't go by the context's own methods.

@client
def create_with_the_context(store, port):
    return exchange(ssl.SSLSocket._create(socket.create_connection((HOST, port)), server_hostname=HOST,
                                          context=store.context(port)))


@client
def own_socket_class(store, port):
    class Context(pintle.PinnedContext):
        sslsocket_class = ssl.SSLSocket

    return exchange(Context(store, port).wrap_socket(socket.create_connection((HOST, port)), server_hostname=HOST))


@client
def own_object_class(store, port):
    class Context(pintle.PinnedContext):
        sslobject_class = ssl.SSLObject

    return CLIENTS["streams_of_asyncio"](store, port, Context)


@client
def wrapped_by_hand(store, port):
    plain = socket.create_connection((HOST, port))
    made = store.context(port)._wrap_socket(plain, False, HOST, owner=None)
    made.do_handshake()
    made.write(REQUEST)
    return made.read(65536)


@client
def copied_context(store, port):
    import copy
    return exchange(copy.copy(store.context(port)).wrap_socket(
        socket.create_connection((HOST, port)), server_hostname=HOST))


@client
def context_of_the_connection(store, port):
    connection = pintle.connect(STORES["genuine"], HOST, port)
    return exchange(ssl.SSLSocket._create(socket.create_connection((HOST, port)), server_hostname=HOST,
                                          context=connection.context))


@client
def after_unwrap(store, port):
    with pintle.connect(store, HOST, port) as connection:
        connection.unwrap()
        connection.sendall(REQUEST)
        return b"sent in the clear: hello"


def two_at_once(store, port):
    """The server answers the first when the second has come."""
    import gevent
    both = [gevent.spawn(requests, store, port) for _ in range(2)]
    return b"".join(each.get() for each in both)


exec(row["after"])


def end(name, server):
    try:
        answer = {**CLIENTS, "two_at_once": two_at_once}[name](STORES[server], row["ports"][server])
        return "answered" if answer and answer.endswith(b"hello") else repr(answer)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"


print(json.dumps({name: {server: end(name, server) for server in row["ports"]} for name in row["clients"]}))
