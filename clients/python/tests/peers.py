"""Real servers on loopback, in threads: TLS servers that say which application bytes reached them, and a proxy."""

import select
import socket
import socketserver
import ssl
import threading


class Peer:
    """A listening socket on a port that the kernel chooses, one thread for each connection."""

    def __init__(self):
        peer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                peer.handle(self.request)

        class Listener(socketserver.ThreadingTCPServer):
            daemon_threads, allow_reuse_address, request_queue_size = True, True, 128

            def handle_error(self, request, client_address):
                pass  # what clients do to a connection is what these tests are about

        self._listener = Listener(("127.0.0.1", 0), Handler)
        self.address = self._listener.server_address
        self.port = self.address[1]
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()


class Server(Peer):
    """Answers each HTTP request with `answer`, and any other line with the same line. Keeps connections open.

    `before_answer` is called when a request has come, `after_answer` when it is answered. `received` has what each connection that was made brought, decrypted: b"" means that not a byte was sent.
    """

    def __init__(self, chain, key, version=None, clients=None):
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(chain, key)
        if version:
            self._context.minimum_version = self._context.maximum_version = version
        if clients:
            self._context.load_verify_locations(clients)
            self._context.verify_mode = ssl.CERT_REQUIRED
        self.connections, self._changed = [], threading.Condition()
        self.before_answer = self.after_answer = lambda: None
        self.answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        super().__init__()

    def handle(self, plain):
        record = {"received": b"", "ended": False}
        with self._changed:
            self.connections.append(record)
        try:
            plain.settimeout(20)
            with self._context.wrap_socket(plain, server_side=True) as connection:
                while data := connection.recv(65536):
                    record["received"] += data
                    if data.endswith(b"\r\n\r\n"):
                        self.before_answer()
                        connection.sendall(self.answer)
                        self.after_answer()
                    elif data.endswith(b"\n"):
                        connection.sendall(data)
                connection.unwrap()
        finally:
            with self._changed:
                record["ended"] = True
                self._changed.notify_all()

    def received(self):
        """What each connection brought, once all of them have ended: call it when the clients are closed."""
        with self._changed:
            if not self._changed.wait_for(lambda: all(each["ended"] for each in self.connections), 20):
                raise AssertionError("a connection is still open")
            return [each["received"] for each in self.connections]


class Proxy(Peer):
    """Connects to the port that a client names, whatever the host, and says in `asked` what was named."""

    def __init__(self):
        self.asked = []
        super().__init__()

    def handle(self, client):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            data = client.recv(1)
            if not data:
                return
            head += data
        method, target, _ = head.split(b"\r\n")[0].decode().split()
        self.asked.append(target)
        if method != "CONNECT":
            client.sendall(b"HTTP/1.1 405 Not Allowed\r\nContent-Length: 0\r\n\r\n")
            return
        with socket.create_connection(("127.0.0.1", int(target.rpartition(":")[2]))) as server:
            client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
            other = {client: server, server: client}
            while True:
                for ready in select.select(list(other), [], [], 20)[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    other[ready].sendall(data)
