"""Real TLS connections from Python's ssl: blocking sockets, and asyncio streams on the same context."""

import asyncio
import contextlib
import dataclasses
import gc
import inspect
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref

import _ssl
import pintle
import pintle.streams
import scenes


class SSLTests(scenes.TestCase):
    def attempt(self, store, host, server, **options):
        """Sends a line where the store lets it; the decision, and what the server received."""
        try:
            with pintle.connect(store, host, server.port, server.address, **options) as connection:
                connection.sendall(b"abc\n")
                self.assertEqual(connection.recv(16), b"abc\n")
                return connection.decision, server.received
        except pintle.Refused as refused:
            return refused.decision, server.received

    def test_table(self):
        with scenes.store() as store:
            for host, case in scenes.CASES.items():
                with self.subTest(host), scenes.server(host) as server:
                    decision, received = self.attempt(store, host, server)
                    self.assertEqual(
                        (decision.verdict, decision.reason, decision.disposition),
                        (case["verdict"], case["reason"], case["disposition"]))
                    is_allowed = case["disposition"] == "useCredential"
                    self.assertEqual(received(), [b"abc\n" if is_allowed else b""])

    def test_private_root_and_leaf_and_ca(self):
        extra = self.extra()
        with scenes.store(embedded=extra.manifest) as store:
            for host, reason in extra.HOSTS.items():
                with self.subTest(host), extra.server(host) as server:
                    decision, received = self.attempt(store, host, server)
                    self.assertEqual(decision.reason, reason)
                    self.assertEqual(received(), [b"" if decision.verdict == "block" else b"abc\n"])
            # Python's own verification doesn't know the private root, and goes first.
            with extra.server("private.test") as server:
                with self.assertRaises(ssl.SSLCertVerificationError):
                    pintle.connect(store, "private.test", server.port, server.address,
                                   context=store.context(server.port, "stands"))
                self.assertEqual(server.received(), [b""])

    def test_own_verification_stands(self):
        wanted = {
            "allowed.test": "matched", "unpinned.test": "no-entry", "off.test": "off", "blocked.test": "mismatch",
            "denied.test": "denied-key", "appended.test": "mismatch", "untrusted.test": None, "expired.test": None}
        with scenes.store() as store:
            for host, reason in wanted.items():
                with self.subTest(host), scenes.server(host) as server:
                    context = store.context(server.port, "stands")
                    scenes.trusts_fixtures(context)
                    try:
                        decision, received = self.attempt(store, host, server, context=context)
                        self.assertEqual(decision.reason, reason)
                        passed = decision.verdict != "block"
                        if reason in ("no-entry", "off"):
                            self.assertEqual(decision.disposition, "performDefaultHandling")
                    except ssl.SSLCertVerificationError:
                        passed, received = False, server.received
                        self.assertIsNone(reason)
                    self.assertEqual(received(), [b"abc\n" if passed else b""])

    def test_without_manifest(self):
        for without, reason in [("block", "no-manifest"), ("notPinned", "no-manifest")]:
            with scenes.store(embedded=b"", without_manifest=without) as store:
                with scenes.server("allowed.test") as server:
                    decision, received = self.attempt(store, "allowed.test", server)
                    self.assertEqual(decision.reason, reason)
                    self.assertEqual(received(), [b"" if without == "block" else b"abc\n"])

    def test_nothing_passes_without_a_decision(self):
        with scenes.store() as store, scenes.server("blocked.test") as server:
            plain = socket.create_connection(server.address)
            connection = store.context(server.port).wrap_socket(
                plain, server_hostname="blocked.test", do_handshake_on_connect=False)
            with connection:
                # Without these guards, libssl would do the handshake within the first of them.
                for use in (lambda: connection.send(b"a\n"), lambda: connection.sendall(b"a\n"),
                            lambda: connection.write(b"a\n"), lambda: connection.recv(1), lambda: connection.read(1)):
                    with self.assertRaisesRegex(ssl.SSLError, "has not decided"):
                        use()
                with self.assertRaises(pintle.Refused):
                    connection.do_handshake()
                for use in (lambda: connection.send(b"a\n"), lambda: connection.recv(1), connection.do_handshake):
                    with self.assertRaises(pintle.Refused):
                        use()
                with self.assertRaises(ConnectionError):
                    socket.socket.send(connection, b"a\n")
            self.assertEqual(server.received(), [b""])

    def test_other_port(self):
        with scenes.store() as store, scenes.server("allowed.test") as server:
            for later in (False, True):
                with socket.socket() if later else socket.create_connection(server.address) as plain, \
                        self.assertRaisesRegex(pintle.ConfigurationError, rf"Store.context\({server.port}\)"):
                    made = store.context(443).wrap_socket(plain, server_hostname="allowed.test")
                    made.connect(server.address)
            context = store.context(443, through_proxy=True)
            with context.wrap_socket(socket.create_connection(server.address), server_hostname="allowed.test") as made:
                made.sendall(b"abc\n")
                self.assertEqual(made.recv(16), b"abc\n")
            self.assertEqual([each for each in server.received() if each], [b"abc\n"])

    def test_newer_manifest(self):
        with scenes.store(skip_recent_chains=True) as store, \
                scenes.server("allowed.test") as first, scenes.server("off.test") as second:
            blocked = pintle.connect(store, "allowed.test", first.port, first.address)
            kept = pintle.connect(store, "off.test", second.port, second.address)
            with blocked, kept:
                self.assertTrue(store.update_file(scenes.FIXTURES / "newer.json"))
                with self.assertRaises(pintle.Refused) as raised:
                    blocked.sendall(b"late\n")
                found = raised.exception.code, raised.exception.decision.reason
                self.assertEqual(found, ("no-longer-holds", "mismatch"))
                kept.sendall(b"abc\n")
                self.assertEqual(kept.recv(16), b"abc\n")
                self.assertEqual(kept.decision.serial, 2)
            self.assertEqual((first.received(), second.received()), ([b""], [b"abc\n"]))

    def test_a_reader_that_waits_is_woken(self):
        with scenes.store() as store, scenes.server("allowed.test") as server:
            with pintle.connect(store, "allowed.test", server.port, server.address) as connection:
                connection.sendall(b"x")  # no line, so no answer
                found = []

                def wait():
                    try:
                        found.append(connection.recv(16))
                    except pintle.Refused as refused:
                        found.append(refused.decision.reason)

                reader = threading.Thread(target=wait, daemon=True)
                reader.start()
                # Until it is past the guard, in ssl's own function.
                while (frame := sys._current_frames().get(reader.ident)) is None or \
                        (frame.f_code.co_filename, frame.f_code.co_name) != (ssl.__file__, "read"):
                    pass
                store.update_file(scenes.FIXTURES / "denial.json")
                reader.join(20)
                self.assertEqual(found, ["denied-key"])
                with self.assertRaises(pintle.Refused):
                    connection.recv(16)
            self.assertEqual(server.received(), [b"x"])

    def test_resumption(self):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with self.subTest(version.name), scenes.server("allowed.test", version=version) as server:
                self.check_resumption(server)

    def check_resumption(self, server):
        def connect(session=None):
            return pintle.connect(store, "allowed.test", server.port, server.address, session=session)

        with scenes.store() as store:
            with connect() as connection:
                connection.sendall(b"abc\n")
                connection.recv(16)
                first, session = connection.decision, pintle.session(connection)
            with connect(session) as connection:
                connection.sendall(b"abc\n")
                self.assertEqual((connection.recv(16), connection.session_reused), (b"abc\n", True))
                self.assertEqual(connection.decision.matches, first.matches)
                later = pintle.session(connection)
                self.assertEqual(later.chain, session.chain)
            context = session._context
            # Without its Session, or with that of another server, nothing says which certificates it began with.
            with self.assertRaisesRegex(ssl.SSLError, "was resumed"):
                context.wrap_socket(socket.create_connection(server.address), server_hostname="allowed.test",
                                    session=session._session)
            with self.assertRaisesRegex(ssl.SSLError, "was resumed"):
                connect(dataclasses.replace(session, chain=(b"other",)))
            store.update_file(scenes.FIXTURES / "denial.json")
            for each in (session, later):
                with self.assertRaises(pintle.Refused) as raised:
                    connect(each)
                self.assertEqual(raised.exception.decision.reason, "denied-key")
            with scenes.store() as other, self.assertRaises(pintle.ConfigurationError):
                pintle.connect(other, "allowed.test", server.port, server.address, session=session)
        self.assertEqual(server.received(), [b"abc\n"] * 2 + [b""] * 4)

    def test_client_certificate(self):
        client = scenes.FIXTURES / "client"
        with scenes.store() as store, scenes.server("allowed.test", clients=scenes.FIXTURES / "client-ca.pem") as server:
            context = store.context(server.port)
            context.load_cert_chain(client / "chain.pem", client / "key.pem")
            decision, received = self.attempt(store, "allowed.test", server, context=context)
            self.assertEqual((decision.reason, received()), ("matched", [b"abc\n"]))

    def test_no_second_handshake(self):
        case = scenes.CASES["allowed.test"]
        chain = scenes.FIXTURES / case["chain"]
        with self.openssl("-cert", chain, "-cert_chain", chain, "-key", scenes.FIXTURES / case["key"]) as (server, port):
            with scenes.store() as store:
                with pintle.connect(store, "allowed.test", port, ("127.0.0.1", port)) as connection:
                    connection.sendall(b"abc\n")
                    while b"abc" not in (line := server.stdout.readline()):
                        self.assertTrue(line)
                    server.stdin.write(b"R\n")  # starts a second handshake
                    connection.settimeout(20)
                    with self.assertRaises(OSError):
                        if connection.recv(16) == b"":
                            raise ConnectionError("closed")
            self.assertIn(b"no renegotiation", server.communicate(timeout=20)[0])

    @contextlib.contextmanager
    def openssl(self, *options):
        """A server of TLS 1.2 for one connection, with its port."""
        server = subprocess.Popen(
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-tls1_2", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)
        try:
            while not (line := server.stdout.readline()).startswith(b"ACCEPT"):
                self.assertTrue(line)
            yield server, int(line.rpartition(b":")[2])
        finally:
            server.kill()
            server.communicate()

    def test_server_without_a_certificate(self):
        """In spite of the context, which rejects such ciphers."""
        ciphers = "ADH-AES128-GCM-SHA256:@SECLEVEL=0"
        for validation in ("replaced", "stands"):
            with self.subTest(validation), scenes.store() as store, \
                    self.openssl("-nocert", "-cipher", ciphers) as (server, port):
                context = store.context(port, validation)
                context._private.set_ciphers(ciphers)
                with self.assertRaises(pintle.UnjudgedError):
                    pintle.connect(store, "unpinned.test", port, ("127.0.0.1", port), context=context).sendall(b"abc\n")
                self.assertNotIn(b"abc", server.communicate(timeout=20)[0])

    def test_security_level(self):
        """A system may say that weak signatures are accepted, and Python 3.9 leaves it at that."""
        folder = pathlib.Path(self.enter(tempfile.TemporaryDirectory()))
        (folder / "openssl.cnf").write_text(
            "openssl_conf = all\n[all]\nssl_conf = ssl\n[ssl]\nsystem_default = it\n[it]\n"
            "CipherString = DEFAULT:@SECLEVEL=0\n")
        code = """
import socket, ssl, sys
import scenes
port = int(sys.argv[2])
context = scenes.store().context(port)
if sys.argv[1] == "weak":
    context._private.set_ciphers("DEFAULT:@SECLEVEL=0")
plain = socket.create_connection(("127.0.0.1", port))
try:
    context.wrap_socket(plain, server_hostname="allowed.test").close()
    print("connected")
except ssl.SSLError:
    print("failed")
"""
        case = scenes.CASES["allowed.test"]
        chain = scenes.FIXTURES / case["chain"]
        for kind, outcome in [("as made", "failed"), ("weak", "connected")]:
            with self.openssl("-cert", chain, "-cert_chain", chain, "-key", scenes.FIXTURES / case["key"], "-cipher",
                              "DEFAULT:@SECLEVEL=0", "-sigalgs", "ECDSA+SHA1") as (_, port):
                done = subprocess.run(
                    [sys.executable, "-c", code, kind, str(port)], capture_output=True, text=True, timeout=60,
                    cwd=pathlib.Path(__file__).parent, env={**os.environ, "OPENSSL_CONF": str(folder / "openssl.cnf")})
                self.assertEqual((kind, done.stdout, done.stderr), (kind, outcome + "\n", ""))

    def test_settings_that_weaken(self):
        with scenes.store() as store:
            for validation in ("replaced", "stands"):
                context = store.context(443, validation)
                self.assertEqual((context.verify_mode, context.check_hostname), (ssl.CERT_REQUIRED, True))
                for name, value in [("verify_mode", ssl.CERT_NONE), ("verify_mode", ssl.CERT_OPTIONAL),
                                    ("check_hostname", False), ("_private", None),
                                    ("minimum_version", ssl.TLSVersion.TLSv1_1), ("options", ssl.OP_ALL),
                                    ("options", context.options & ~ssl.OP_NO_COMPRESSION),
                                    ("options", context.options | 0x4), ("options", context.options | 0x40000),
                                    ("verify_flags", 0), ("verify_flags", context.verify_flags | 0x80000),
                                    ("verify_flags", context.verify_flags | 0x40)]:
                    with self.subTest(name), self.assertRaises(pintle.ConfigurationError):
                        setattr(context, name, value)
                for name, value in [("validation", "stands"), ("validation", "replaced"), ("port", 1), ("store", None),
                                    ("sslsocket_class", ssl.SSLSocket), ("sslobject_class", ssl.SSLObject)]:
                    with self.subTest(name), self.assertRaises(pintle.ConfigurationError):
                        setattr(context, name, value)
                for ciphers in ("ALL:@SECLEVEL=0", "@SECLEVEL=1:HIGH"):
                    with self.subTest(ciphers), self.assertRaises(pintle.ConfigurationError):
                        context.set_ciphers(ciphers)
                with self.assertRaises(pintle.ConfigurationError):
                    context.set_psk_client_callback(lambda _: (None, b"key"))
                # What doesn't weaken is left to the program.
                context.set_ciphers("ECDHE+AESGCM:@SECLEVEL=3")
                context.verify_flags |= ssl.VERIFY_X509_STRICT
                context.options |= ssl.OP_NO_TICKET
                context.minimum_version = ssl.TLSVersion.TLSv1_3
                with self.assertRaises(pintle.ConfigurationError):
                    context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO())
            with self.assertRaises(pintle.ConfigurationError):
                store.context(443).load_verify_locations(scenes.ANCHOR)
            for wrong in [(0, "replaced"), (65536, "replaced"), (443, "none")]:
                with self.assertRaises(pintle.ConfigurationError):
                    store.context(*wrong)

    def test_usual_recipes(self):
        """What programs write for other contexts: the errors say what to write instead."""
        with scenes.store() as store:
            for name, value in [("verify_mode", ssl.CERT_NONE), ("check_hostname", False)]:
                with self.assertRaisesRegex(pintle.ConfigurationError, "remove this line.*PinnedAdapter"):
                    setattr(store.context(443), name, value)
            context = store.context(443)
            context.verify_mode, context.check_hostname = ssl.CERT_REQUIRED, True  # as requests does
            for host in ("https://allowed.test", "allowed.test:443", "allowed.test/", "[::1]", "u@allowed.test"):
                with self.assertRaisesRegex(pintle.ConfigurationError, "pass it alone, without scheme"):
                    pintle.connect(store, host, 443)
                with self.assertRaisesRegex(pintle.ConfigurationError, "pass it alone, without scheme"):
                    context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname=host)
            context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="::1")
            with self.assertRaisesRegex(TypeError, "the host must be a str, not bytes"):
                pintle.connect(store, b"allowed.test", 443)
            with self.assertRaisesRegex(pintle.ConfigurationError, "'443' is not a port"):
                pintle.connect(store, "allowed.test", "443")

    def test_settings_reach_the_handshake(self):
        for name, held in vars(_ssl._SSLContext).items():
            if not name.startswith("__") and name != "protocol":
                self.assertIsNot(inspect.getattr_static(pintle.PinnedContext, name), held)
        folder = pathlib.Path(self.enter(tempfile.TemporaryDirectory()))
        with scenes.store() as store, scenes.server("allowed.test") as server:
            context = store.context(server.port, "stands")
            count = len(context.get_ca_certs())
            scenes.trusts_fixtures(context)
            of_ssl = ssl.create_default_context()
            for name in dir(ssl.SSLContext):
                if not name.startswith("_") and not callable(getattr(of_ssl, name)):
                    self.assertIs(type(getattr(context, name)), type(getattr(of_ssl, name)), name)
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.set_ciphers("ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384")
            context.keylog_filename = folder / "keys"
            with pintle.connect(store, "allowed.test", server.port, server.address, context=context) as connection:
                self.assertEqual((connection.version(), connection.cipher()[2]), ("TLSv1.2", 256))
                self.assertIs(connection.context, context)
                with self.assertRaises(pintle.ConfigurationError):
                    connection.context = ssl.create_default_context()
            self.assertIn("CLIENT_RANDOM", (folder / "keys").read_text())
            self.assertEqual((len(context.get_ca_certs()), context.session_stats()["connect_good"]), (count + 1, 1))
            self.assertEqual(_ssl._SSLContext.cert_store_stats(context)["x509"], 0)

    def test_name_with_a_zero_byte(self):
        chain = [ssl.PEM_cert_to_DER_cert(each + "-----END CERTIFICATE-----\n") for each in (
            scenes.FIXTURES / scenes.CASES["allowed.test"]["chain"]).read_text().split("-----END CERTIFICATE-----\n")[:-1]]
        with scenes.store() as store:
            self.assertEqual(store.evaluate("allowed.test", 443, chain, 0x304).verdict, "allow")
            self.assertEqual(store.evaluate("allowed.test\0.evil.test", 443, chain, 0x304).verdict, "block")

    def test_decision_outlives_its_store(self):
        store = scenes.store()
        with scenes.server("allowed.test") as server:
            with pintle.connect(store, "allowed.test", server.port, server.address) as connection:
                connection.context.__dict__["store"] = None  # past the context's own guard
                store._connections.clear()
                store._contexts.clear()
                gone = weakref.ref(store)
                del store
                gc.collect()
                self.assertIsNone(gone())
                self.assertEqual((connection.decision.reason, connection.decision.serial), ("matched", 1))
                self.assertIs(connection.decision, connection.decision)

    def test_half_closed(self):
        with scenes.store() as store, scenes.server("allowed.test") as server:
            with pintle.connect(store, "allowed.test", server.port, server.address) as connection:
                connection.shutdown(socket.SHUT_RD)
                connection.sendall(b"abc")
            self.assertEqual(server.received(), [b"abc"])  # decrypted, so it wasn't sent in the clear

    def test_closed_store(self):
        store = scenes.store()
        with scenes.server("allowed.test") as server:
            with pintle.connect(store, "allowed.test", server.port, server.address) as connection:
                store.close()
                with self.assertRaisesRegex(ValueError, "closed"):
                    connection.sendall(b"abc\n")
            with self.assertRaisesRegex(ValueError, "closed"):
                pintle.connect(store, "allowed.test", server.port, server.address)
            self.assertEqual(server.received()[0], b"")


class StreamTests(scenes.TestCase):
    async def attempt(self, store, host, server, **options):
        reader, writer = await pintle.streams.open_connection(store, host, server.port, **options)
        try:
            writer.write(b"abc\n")
            self.assertEqual(await reader.readline(), b"abc\n")
        finally:
            writer.transport.abort()

    def test_table(self):
        with scenes.store() as store:
            for host, case in scenes.CASES.items():
                with self.subTest(host), scenes.server(host) as server:
                    try:
                        asyncio.run(self.attempt(store, host, server, address=server.address))
                        found = "useCredential"
                    except pintle.Refused as refused:
                        found = refused.decision.disposition
                        self.assertEqual(refused.decision.reason, case["reason"])
                    self.assertEqual(found, case["disposition"])
                    self.assertEqual(server.received(), [b"abc\n" if found == "useCredential" else b""])

    def test_arguments(self):
        with scenes.store() as store:
            for name, text in [("configure", "has no configure=: make a context"), ("validation", "has no validation=: make a"),
                               ("ssl", "ssl= can't be combined")]:
                with self.assertRaisesRegex(pintle.ConfigurationError, text):
                    asyncio.run(pintle.streams.open_connection(store, "allowed.test", 443, **{name: None}))

    def test_newer_manifest(self):
        async def run(store, server):
            reader, writer = await pintle.streams.open_connection(store, "allowed.test", server.port)
            store.update_file(scenes.FIXTURES / "newer.json")
            writer.write(b"late\n")
            with self.assertRaises((pintle.Refused, ConnectionError)):
                await writer.drain()
                await reader.read()
            writer.transport.abort()

        with scenes.store(skip_recent_chains=True) as store, scenes.server("allowed.test") as server:
            asyncio.run(run(store, server))
            self.assertEqual(server.received(), [b""])

    def test_update_within_an_answer(self):
        async def run(store, server):
            reader, writer = await pintle.streams.open_connection(store, "allowed.test", server.port)
            writer.write(b"GET / HTTP/1.1\r\n\r\n")
            with self.assertRaises(pintle.Refused) as raised:
                await reader.read()
            self.assertEqual(raised.exception.decision.reason, "denied-key")
            writer.transport.abort()

        with scenes.store() as store, scenes.server("allowed.test") as server:
            scenes.blocks_within_answer(self, store, server)
            asyncio.run(run(store, server))

    def test_refused_options(self):
        with scenes.store() as store:
            with self.assertRaisesRegex(pintle.ConfigurationError, "without scheme"):
                asyncio.run(pintle.streams.open_connection(store, "https://allowed.test", 443))
            for options in ({"ssl": None}, {"server_hostname": "other.test"}):
                with self.assertRaises(pintle.ConfigurationError):
                    asyncio.run(pintle.streams.open_connection(store, "allowed.test", 443, **options))


if __name__ == "__main__":
    unittest.main()
