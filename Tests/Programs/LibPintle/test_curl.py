"""examples/curl with servers in this process: genuine ones, and impostors that count what they are sent.

    test_curl.py FETCH OPTIONS    the example, and Tests/Programs/LibPintle/c/curl_options.c
"""

import json
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "clients" / "python" / "tests"))
import keysets  # noqa: E402

FIXTURES = pathlib.Path(__file__).parents[2] / "Fixtures" / "transports"
FETCH, OPTIONS = sys.argv[1:3]


class Web(threading.Thread):
    """Answers each request with `answer`, on connections that stay open; a proxy if the request is CONNECT."""

    def __init__(self, host, answer=b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", to=None):
        super().__init__(daemon=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if host else None
        if host:
            self.context.load_cert_chain(FIXTURES / host / "chain.pem", FIXTURES / host / "key.pem")
        self.answer, self.to = answer, to
        self.received, self.connections = [], 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            while data := connection.recv(65536):
                self.received.append(data)
                if data.startswith(b"CONNECT "):
                    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                    with socket.create_connection(("127.0.0.1", self.to)) as other:
                        back = threading.Thread(target=self.relay, args=(other, connection), daemon=True)
                        back.start()
                        self.relay(connection, other)
                        back.join()
                    return
                connection.sendall(self.answer)
        except OSError:
            pass  # a handshake that the client ends, as it should
        finally:
            connection.close()

    @staticmethod
    def relay(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    @property
    def bytes(self):
        return sum(map(len, self.received))

    def close(self):
        # A thread that still waits in accept() goes on with the next listener of the same number when it is stopped
        # and continued: it ends first.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.join()
        self.listener.close()


class Program:
    """One of the programs; `ask` returns what it prints for a line."""

    def __init__(self, *words):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        printed = ""
        while (read := self.process.stdout.readline()) not in (".\n", ""):
            printed += read
        return printed.strip()

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(timeout=60)


class CurlTests(unittest.TestCase):
    def web(self, *args, **options):
        web = Web(*args, **options)
        self.addCleanup(web.close)
        return web

    def program(self, *lines):
        program = Program(OPTIONS, "test", FIXTURES / "1.keyset.json", FIXTURES / "root.pem")
        self.addCleanup(program.end)
        for line in (f"update {FIXTURES / 'manifest.json'}", f"cainfo {FIXTURES / 'root.pem'}", *lines):
            self.assertEqual(program.ask(line), "")
        return program

    def refused(self, printed, reason):
        self.assertRegex(printed, reason)
        self.assertNotIn("status ", printed)

    def test_example(self):
        genuine = self.web("127.0.0.1")
        impostor = self.web("blocked.test")
        urls = "".join(f"https://127.0.0.1:{web.port}/secret\n" for web in (genuine, impostor, genuine))
        done = subprocess.run(
            [FETCH, "test", FIXTURES / "1.keyset.json", FIXTURES / "manifest.json", FIXTURES / "root.pem"],
            input=urls, capture_output=True, text=True, timeout=60)
        first, second, third = done.stdout.splitlines()
        self.assertTrue(first.endswith(": status 200") and third.endswith(": status 200"), done)
        self.assertRegex(second, r"block: .*127\.0\.0\.1.*leaf sha256/")
        self.assertEqual((done.returncode, impostor.bytes, genuine.connections), (1, 0, 1))

    def test_names(self):
        """The name of the URL counts, wherever the connection goes to."""
        genuine, impostor = self.web("allowed.test"), self.web("blocked.test")
        for option in "resolve", "connect-to":
            for web in genuine, impostor:
                port = f":{web.port}" if option == "resolve" else ":443"
                place = f"allowed.test{port}:127.0.0.1" + ("" if option == "resolve" else f":{web.port}")
                program = self.program(f"{option} {place}")
                printed = program.ask(f"get https://allowed.test{port}/secret")
                if web is genuine:
                    self.assertTrue(printed.endswith("status 200"), printed)
                else:
                    self.refused(printed, "block: .*allowed.test")
        self.assertEqual(impostor.bytes, 0)

    def test_port(self):
        """An entry with a port is for that of the URL, not for a proxy's."""
        web = self.web("blocked.test")
        for port, reason in (web.port, "block: .*blocked.test"), (1, None):
            content = json.loads((FIXTURES / "manifest.json").read_text())["signed"]
            content["serial"] = 2
            entry, = (host for host in content["hosts"] if host["host"] == "blocked.test")
            entry["port"] = port
            with tempfile.NamedTemporaryFile() as manifest:
                manifest.write(keysets.sign(keysets.MANIFEST, content, FIXTURES / "release.key"))
                manifest.flush()
                program = self.program(f"resolve blocked.test:{web.port}:127.0.0.1", f"update {manifest.name}")
                printed = program.ask(f"get https://blocked.test:{web.port}/")
            if reason:
                self.refused(printed, reason)
                self.assertEqual(web.bytes, 0)
            else:
                self.assertIn("status 200", printed)

    def test_no_option_takes_the_check_away(self):
        impostor = self.web("blocked.test")
        for name, reason in ("allowed.test", "block: .*allowed.test"), ("blocked.test", "no.* matches"):
            program = self.program(f"resolve {name}:{impostor.port}:127.0.0.1", "verifypeer 0", "verifyhost 0")
            self.refused(program.ask(f"get https://{name}:{impostor.port}/secret"), reason)
        self.assertEqual(impostor.bytes, 0)
        genuine = self.web("allowed.test")
        program = self.program(f"resolve allowed.test:{genuine.port}:127.0.0.1", "verifypeer 0", "verifyhost 0")
        self.assertIn("status 200", program.ask(f"get https://allowed.test:{genuine.port}/"))

    def test_update_while_a_connection_is_kept(self):
        genuine = self.web("allowed.test")
        program = self.program(f"resolve allowed.test:{genuine.port}:127.0.0.1")
        url = f"https://allowed.test:{genuine.port}/secret"
        for _ in range(3):
            self.assertIn("status 200", program.ask(f"get {url}"))
        self.assertEqual(genuine.connections, 1)
        before = genuine.bytes
        program.ask(f"update {FIXTURES / 'denial.json'}")
        for _ in range(2):
            self.refused(program.ask(f"get {url}"), "denied")
        self.assertEqual(genuine.bytes, before)
        self.assertGreater(genuine.connections, 1)

    def test_update_that_leaves_the_key(self):
        genuine = self.web("allowed.test")
        program = self.program(f"resolve allowed.test:{genuine.port}:127.0.0.1")
        for _ in range(2):
            self.assertIn("status 200", program.ask(f"get https://allowed.test:{genuine.port}/"))
            program.ask(f"update {FIXTURES / 'without-clients.json'}")
        self.assertEqual(genuine.connections, 1)

    def test_http2(self):
        """The same with nginx, whose log has the requests."""
        with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as reserved:
            port = reserved.getsockname()[1]
            reserved.close()
            log = pathlib.Path(folder, "access")
            config = pathlib.Path(folder, "nginx.conf")
            config.write_text(f"""
                daemon off; master_process off; pid {folder}/pid; error_log {folder}/error; events {{}}
                http {{
                  access_log {log}; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b;
                  fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
                  server {{
                    listen 127.0.0.1:{port} ssl http2; return 200 ok;
                    ssl_certificate {FIXTURES}/allowed.test/chain.pem;
                    ssl_certificate_key {FIXTURES}/allowed.test/key.pem;
                  }}
                }}""")
            nginx = subprocess.Popen(["/usr/sbin/nginx", "-c", config], stderr=subprocess.DEVNULL)
            try:
                while nginx.poll() is None:
                    try:
                        socket.create_connection(("127.0.0.1", port)).close()
                        break
                    except ConnectionRefusedError:
                        time.sleep(0.02)
                program = self.program(f"resolve allowed.test:{port}:127.0.0.1")
                for _ in range(2):
                    self.assertIn("status 200", program.ask(f"get https://allowed.test:{port}/"))
                program.ask(f"update {FIXTURES / 'denial.json'}")
                self.refused(program.ask(f"get https://allowed.test:{port}/secret"), "denied")
            finally:
                nginx.terminate()
                nginx.wait()
            self.assertEqual((log.read_text().count("HTTP/2.0"), log.read_text().count("secret")), (2, 0))

    def test_redirects(self):
        impostor = self.web("blocked.test")
        for place, reason in ((f"https://127.0.0.1:{impostor.port}/", "block: .*127.0.0.1"),
                              (f"http://127.0.0.1:{impostor.port}/", "rotocol")):
            moved = f"HTTP/1.1 302 Found\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode()
            genuine = self.web("allowed.test", answer=moved)
            program = self.program(f"resolve allowed.test:{genuine.port}:127.0.0.1")
            self.refused(program.ask(f"get https://allowed.test:{genuine.port}/"), reason)
            self.assertGreater(genuine.bytes, 0)
        self.assertEqual(impostor.bytes, 0)

    def test_proxies(self):
        """The host behind a proxy is asked about; of an HTTPS proxy, its own host first."""
        genuine, impostor = self.web("allowed.test"), self.web("blocked.test")
        for behind in genuine, impostor:
            for scheme, host, reason in (
                    ("http", None, None), ("https", "unpinned.test", None), ("https", "127.0.0.1", None),
                    ("https", "untrusted.test", "untrusted|trust evaluation"), ("https", "blocked.test", "matches")):
                proxy = self.web(host, to=behind.port)
                name = "127.0.0.1" if host is None or host == "127.0.0.1" else host
                program = self.program(f"resolve {name}:{proxy.port}:127.0.0.1", f"proxy {scheme}://{name}:{proxy.port}",
                                       "proxyverify 0")
                printed = program.ask(f"get https://allowed.test:{behind.port}/secret")
                if reason or behind is impostor or host == "127.0.0.1":
                    # libcurl tells libssl no name of a proxy that has an address only: that of the URL is asked about.
                    self.refused(printed, reason or "block: .*allowed.test")
                else:
                    self.assertTrue(printed.endswith("status 200"), (scheme, host, printed))
                if reason:
                    self.assertEqual(proxy.bytes, 0)
        self.assertEqual(impostor.bytes, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
