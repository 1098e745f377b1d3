"""Runs a command while an `openssl s_server` for each row of the transports' fixtures listens on loopback.

    servers.py COMMAND...

The command finds in PINTLE_SERVERS a JSON list: the rows of cases.json, each with the address to connect to; and in
PINTLE_KEYSETS a folder with keysets that the fixtures' key has signed, 1.keyset.json to 3.keyset.json.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import keysets

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "Fixtures" / "transports"


def start(case):
    """A server on a port that the kernel chooses; answers each line with its reverse."""
    chain = FIXTURES / case["chain"]
    server = subprocess.Popen(
        ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", chain, "-cert_chain", chain, "-key",
         FIXTURES / case["key"], "-rev"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in server.stdout:
        if accepted := re.match(r"ACCEPT (?P<address>\S+):(?P<port>\d+)$", line):
            return server, case | {"address": accepted["address"], "port": int(accepted["port"])}
    sys.exit(f"no server for {case['host']}")


def main():
    started = []
    folder = tempfile.TemporaryDirectory()
    try:
        keysets.write(pathlib.Path(folder.name), FIXTURES / "release.key")
        for case in json.loads((FIXTURES / "cases.json").read_text()):
            started.append(start(case))
        rows = json.dumps([case for _, case in started])
        environment = {**os.environ, "PINTLE_SERVERS": rows, "PINTLE_KEYSETS": folder.name}
        sys.exit(subprocess.run(sys.argv[1:], env=environment, timeout=120).returncode)
    finally:
        for server, _ in started:
            server.kill()
            server.wait()
            server.stdout.close()
        folder.cleanup()


if __name__ == "__main__":
    main()
