"""Real TLS connections from Python's ssl, decided by libpintle through ctypes. Run by Scripts/check-libpintle."""

import dataclasses
import json
import os
import pathlib
import socket
import ssl
import sys

import pintle
from servers import FIXTURES


KEYSETS = pathlib.Path(os.environ["PINTLE_KEYSETS"])
ANCHORS = [(FIXTURES / "root.pem").read_bytes()]


def keyset(version):
    return (KEYSETS / f"{version}.keyset.json").read_bytes()


def open_store():
    return pintle.Store(keyset=keyset(1), audience="test", anchors=ANCHORS)


def refusal(update, *arguments):
    """The error code of a rejected update."""
    try:
        return f"not refused: {update(*arguments)}"
    except pintle.Error as error:
        return error.code


def check_keysets():
    """Each way to hand over keysets, and its result."""
    failures = []

    def expect(found, wanted):
        if found != wanted:
            failures.append(f"keysets: {found}, not {wanted}")

    with open_store() as store:
        expect(refusal(store.update_keyset, keyset(3)), "skipped-version")
        expect(refusal(store.update_keyset, b""), "malformed-file")
        expect(refusal(store.update_keyset_file, KEYSETS / "4.keyset.json"), "unreadable-file")
        expect([store.update_keyset(keyset(2)), store.update_keyset(keyset(2))], [True, False])
        expect([store.update_keyset_folder(KEYSETS), store.update_keyset_folder(KEYSETS)], [True, False])
        expect(store.update_keyset_file(KEYSETS / "3.keyset.json"), False)
        status = store.status()
        expect((status["keyset_version"], status["keyset_expired"], status["endorsed"]), (3, False, True))
        expect(status["keyset_expires"], 4070908800)
    with pintle.Store([(FIXTURES / "release.pub").read_bytes()], "test", anchors=ANCHORS) as store:
        expect(refusal(store.update_keyset, keyset(2)), "no-keyset")
        expect(store.update_file(FIXTURES / "manifest.json"), True)
        expect((store.status()["keyset_version"], store.status()["endorsed"]), (0, True))
    expect(refusal(lambda: pintle.Store(keyset=keyset(1), audience="production")), "wrong-audience")
    expect(refusal(lambda: pintle.Store(keyset=b"", audience="test")), "malformed-file")
    expect(refusal(lambda: pintle.Store(keyset=keyset(1), threshold=1, audience="test")), "argument")
    expect(refusal(lambda: pintle.Store(keyset=keyset(1))), "argument")
    return failures


def check_contexts():
    """One context for all connections of a manifest and keyset, and another once one of them has changed."""
    contexts = []
    with open_store() as store:
        for update, argument in [(None, None), (store.update_file, FIXTURES / "manifest.json"),
                                 (store.update_file, FIXTURES / "denial.json"), (store.update_keyset, keyset(2))]:
            if update is not None and not update(argument):
                return [f"contexts: {argument} didn't take effect"]
            context = store.tls_context()
            if store.tls_context() is not context:
                return ["contexts: another one without a change"]
            contexts.append(context)
    if len({id(context) for context in contexts}) != len(contexts):
        return ["contexts: the same one after a change"]
    return []


def ask(store, case):
    """Connects, sends a line and reads the answer, where the store lets it; answers the decision."""
    # The port is part of the question, and the fixtures pin all ports of a host.
    try:
        with pintle.connect(store, case["host"], case["port"], (case["address"], case["port"])) as connection:
            connection.sendall(b"abc\n")
            assert connection.recv(16).rstrip() == b"cba", case["host"]
            return "useCredential", pintle.ask(store, connection, case["host"], case["port"])
    except pintle.Refused as refused:
        return refused.decision.disposition, refused.decision


def reversed_line(connection):
    connection.sendall(b"abc\n")
    return connection.recv(16).rstrip()


def check_resumption(case, version):
    """A resumed session is judged by the chain that it began with, under the manifest in force now."""
    failures = []

    def expect(what, found, wanted):
        if found != wanted:
            failures.append(f"resumed session, {version.name}: {what}: {found}, not {wanted}")

    def connected(session=None):
        plain = socket.create_connection((case["address"], case["port"]), 10)
        return context.wrap_socket(plain, server_hostname=case["host"], session=session and session._session)

    def resumed(store, session):
        """The result of resuming it: the verdict, and what TLS says."""
        try:
            with pintle.connect(store, *place, session=session) as connection:
                return connection.session_reused, reversed_line(connection), pintle.session(connection)
        except pintle.Refused as refused:
            return refused.decision.reason
        except ssl.SSLError as error:
            return str(error)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode, context.maximum_version = False, ssl.CERT_NONE, version
    place = case["host"], case["port"], (case["address"], case["port"])
    question = case["host"], case["port"]
    with open_store() as store:
        store.update_file(FIXTURES / "manifest.json")
        with connected() as connection:
            try:
                expect("a session that nobody accepted", pintle.session(connection), "an error")
            except ValueError:
                pass
            decision = pintle.ask(store, connection, *question)
            expect("the answer", reversed_line(connection), b"cba")
            session = pintle.session(connection)
        is_reused, answer, later = resumed(store, session)
        expect("resumed", (is_reused, answer, later.chain), (True, b"cba", session.chain))
        with connected(session) as connection:
            again = pintle.ask(store, connection, *question, session)
            expect("decisions", (again.reason, again.matches), (decision.reason, decision.matches))
            for what, other in [("without its session", None),
                                ("of another server", dataclasses.replace(session, chain=(b"other",)))]:
                try:
                    pintle.ask(store, connection, *question, other)
                    expect(what, "accepted", "refused")
                except ssl.SSLError as error:
                    expect(what, "the session was resumed" in str(error), True)
        # The current manifest counts, not that of the first handshake.
        store.update_file(FIXTURES / "denial.json")
        expect("a key that was denied since", resumed(store, session), "denied-key")
        expect("a session of a session", resumed(store, later), "denied-key")
    with open_store() as store:
        store.update_file(FIXTURES / "newer.json")
        expect("pins that have changed since", resumed(store, session), "mismatch")
    with open_store() as store:
        expect("no manifest", resumed(store, session), "no-manifest")
    return failures


def main():
    cases = json.loads(os.environ["PINTLE_SERVERS"])
    assert len(cases) >= 10, "where are the rows?"
    failures = check_keysets() + check_contexts()
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        failures += check_resumption(cases[0], version)
    with open_store() as store:
        assert ask(store, cases[0])[1].reason == "no-manifest"
        assert store.update((FIXTURES / "manifest.json").read_bytes()) is True
        assert store.update_file(FIXTURES / "manifest.json") is False, "the same once more"
        for case in cases:
            disposition, decision = ask(store, case)
            found = (decision.verdict, decision.reason, disposition)
            if found != (case["verdict"], case["reason"], case["disposition"]):
                failures.append(f"{case['host']}: {found}: {decision.message}")
        if (code := refusal(store.update, b"{}")) != "malformed-file":
            failures.append(f"an update that is no manifest: {code}")
        if store.status()["serial"] != 1 or store.problems():
            failures.append(f"the state of the store: {store.status()}, {store.problems()}")
    print("\n".join(failures) or f"Python: {len(cases)} servers, each answer as it should be, resumed sessions too")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
