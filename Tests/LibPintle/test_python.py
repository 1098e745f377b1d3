"""Real TLS connections from Python's ssl, decided by libpintle through ctypes. Run by Scripts/check-libpintle."""

import json
import os
import sys

import pintle
from servers import FIXTURES


def open_store():
    return pintle.Store(
        signers=[(FIXTURES / "release.pub").read_bytes()], audience="test",
        anchors=[(FIXTURES / "root.pem").read_bytes()])


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


def main():
    cases = json.loads(os.environ["PINTLE_SERVERS"])
    assert len(cases) >= 10, "where are the rows?"
    failures = []
    with open_store() as store:
        assert ask(store, cases[0])[1].reason == "no-manifest"
        assert store.update((FIXTURES / "manifest.json").read_bytes()) is True
        assert store.update_file(FIXTURES / "manifest.json") is False, "the same once more"
        for case in cases:
            disposition, decision = ask(store, case)
            found = (decision.verdict, decision.reason, disposition)
            if found != (case["verdict"], case["reason"], case["disposition"]):
                failures.append(f"{case['host']}: {found}: {decision.message}")
        try:
            store.update(b"{}")
            failures.append("an update that is no manifest was taken")
        except pintle.Error as error:
            if error.code != "malformed-file":
                failures.append(f"an update that is no manifest: {error.code}")
        if store.status()["serial"] != 1 or store.problems():
            failures.append(f"the state of the store: {store.status()}, {store.problems()}")
    print("\n".join(failures) or f"Python: {len(cases)} servers, each answer as it should be")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
