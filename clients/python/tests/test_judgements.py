"""Decisions on open connections: of several threads, and of updates that an exception ends."""

import contextlib
import os
import socket
import threading
import unittest
import unittest.mock

import pintle
import scenes

REQUEST = b"GET / HTTP/1.1\r\n\r\n"


class JudgementTests(scenes.TestCase):
    @contextlib.contextmanager
    def connected(self):
        with scenes.store(skip_recent_chains=True) as store, scenes.server("allowed.test") as server:
            with pintle.connect(store, "allowed.test", server.port, server.address) as connection:
                yield store, server, connection

    def judge_slowly(self, store, connection, meanwhile):
        """A thread asks the store about a connection, and has its answer when something else happens."""
        ask, asked, goes_on = store._ask, threading.Event(), threading.Event()

        def slow(*arguments):
            answer = ask(*arguments)
            if threading.current_thread() is thread:
                asked.set()
                goes_on.wait(20)
            return answer

        store._ask = slow
        thread = threading.Thread(target=connection.judge_again, daemon=True)
        thread.start()
        self.assertTrue(asked.wait(20))
        meanwhile()
        goes_on.set()
        thread.join(20)
        self.assertFalse(thread.is_alive())

    def test_newer_decisions_stay(self):
        with self.connected() as (store, _, connection):
            self.judge_slowly(
                store, connection, lambda: store.update_file(scenes.FIXTURES / "without-clients.json"))
            self.assertEqual((connection.decision.serial, connection.holds()), (2, True))

    def test_refusals_stay(self):
        with self.connected() as (store, server, connection):
            self.judge_slowly(store, connection, lambda: store.update_file(scenes.FIXTURES / "denial.json"))
            self.assertEqual((connection.decision.reason, connection.holds()), ("denied-key", False))
            with self.assertRaises(pintle.Refused) as raised:
                connection.sendall(REQUEST)
            self.assertEqual((raised.exception.code, raised.exception.decision.reason),
                             ("no-longer-holds", "denied-key"))
        self.assertEqual(server.received(), [b""])

    def test_a_newer_answer_of_the_same_change_counts(self):
        """It is asked while an update is under way, before and after the manifest is another one."""
        with self.connected() as (store, _, connection):
            notes = store._judge_connections
            store._judge_connections = lambda: None  # the update isn't over
            self.judge_slowly(store, connection, lambda: (
                store.update_file(scenes.FIXTURES / "denial.json"), connection.judge_again()))
            self.assertEqual(connection.decision.reason, "denied-key")
            notes()

    def end(self, store, method, error):
        """An update that takes effect, but is ended by an exception in one of its steps."""
        replaced = getattr(store, method)

        def fail():
            raise error

        setattr(store, method, fail)
        try:
            with self.assertRaises(error):
                store.update_file(scenes.FIXTURES / "denial.json")
        finally:
            setattr(store, method, replaced)

    def test_updates_that_an_exception_ends(self):
        for method in ("_judge_connections", "release"):
            for error in (KeyboardInterrupt, MemoryError):
                with self.subTest(method=method, error=error), self.connected() as (store, server, connection):
                    self.end(store, method, error)
                    with self.assertRaises(pintle.Refused):
                        connection.sendall(REQUEST)
                self.assertEqual(server.received(), [b""])

    def test_an_exception_between_two_connections(self):
        with self.connected() as (store, server, first):
            with pintle.connect(store, "allowed.test", server.port, server.address) as second:
                def fail():
                    raise KeyboardInterrupt

                first.judge_again = second.judge_again = fail
                with self.assertRaises(KeyboardInterrupt):
                    store.update_file(scenes.FIXTURES / "denial.json")
                del first.judge_again, second.judge_again
                for connection in (first, second):
                    with self.assertRaises(pintle.Refused):
                        connection.sendall(REQUEST)
        self.assertEqual(server.received(), [b""] * 2)

    def test_an_answer_that_comes_after_such_an_update(self):
        with self.connected() as (store, server, connection):
            server.before_answer = lambda: self.end(store, "_judge_connections", KeyboardInterrupt)
            connection.sendall(REQUEST)
            with self.assertRaises(pintle.Refused):
                connection.recv(65536)

    def test_asked_only_after_changes(self):
        with self.connected() as (store, _, connection):
            ask, asked = store._ask, []
            store._ask = lambda *arguments: asked.append(True) or ask(*arguments)
            self.assertFalse(store.update(scenes.read("manifest.json")))
            store.maintain()
            connection.sendall(REQUEST)
            self.assertEqual(len(asked), 0)
            store.update_file(scenes.FIXTURES / "without-clients.json")
            connection.recv(65536)
            self.assertEqual(len(asked), 1)

    def test_update_during_the_handshake(self):
        """One that ends between the decision and its note."""
        with scenes.store() as store, scenes.server("allowed.test") as server:
            ask, asked = store._ask, []

            def slow(*arguments):
                answer = ask(*arguments)
                if not asked:
                    asked.append(True)
                    store.update_file(scenes.FIXTURES / "denial.json")
                return answer

            store._ask = slow
            with self.assertRaises(pintle.Refused):
                pintle.connect(store, "allowed.test", server.port, server.address)
        self.assertEqual(server.received(), [b""])

    def test_one_that_cannot_be_shut_down(self):
        """It doesn't keep an update, or close(), from the other connections."""
        for change in ("newer.json", None):
            with self.connected() as (store, server, one):
                with pintle.connect(store, "allowed.test", server.port, server.address) as other:
                    with unittest.mock.patch.object(socket.socket, "shutdown", side_effect=TypeError):
                        store.update_file(scenes.FIXTURES / change) if change else store.close()
                    for connection in (one, other):
                        with self.assertRaises((pintle.Refused, ValueError)):
                            connection.sendall(REQUEST)

    def test_dropping_one_whose_descriptor_is_used_again(self):
        """As when an update comes after the connection was closed: the new connection goes on."""
        with contextlib.ExitStack() as stack:
            (near, far), (other, other_far) = (map(stack.enter_context, socket.socketpair()) for _ in range(2))
            dropped = pintle.PinnedObject.__new__(pintle.PinnedObject)
            dropped.attach(near)
            number = near.detach()
            os.dup2(other.fileno(), number)
            other.close()
            with socket.socket(fileno=number) as again:
                dropped._drop()
                again.sendall(b"x")
                self.assertEqual(other_far.recv(1), b"x")
                dropped = pintle.PinnedObject.__new__(pintle.PinnedObject)
                dropped.attach(again)
                dropped._drop()
                self.assertEqual((again.recv(1), other_far.recv(1)), (b"", b""))
            dropped._drop()

    def test_closing_wakes_readers(self):
        with self.connected() as (store, _, connection):
            found = []
            connection.settimeout(None)

            def wait():
                try:
                    found.append(connection.recv(16))
                except ValueError as error:
                    found.append(str(error))

            reader = threading.Thread(target=wait, daemon=True)
            reader.start()
            store.close()
            reader.join(20)
            self.assertEqual(found, ["the store is closed"])


if __name__ == "__main__":
    unittest.main()
