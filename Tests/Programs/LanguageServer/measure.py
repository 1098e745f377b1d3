#!/usr/bin/env python3
"""Measures how long `pintle lsp` takes from a keystroke to the findings, over a real pipe.

    swift build -c release --product pintle
    Tests/Programs/LanguageServer/measure.py [--pintle .build/release/pintle] [--hosts 1000] [--files 8] [--strokes 300]

Types a word into one file of a policy, letter by letter, and waits for the findings of each version. Prints the
distribution, which depends on the machine and its load as much as on the server.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Server:
    def __init__(self, pintle):
        self.process = subprocess.Popen(
            [pintle, "lsp", "--at", "2026-11-21"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.number = 0

    def send(self, method, params, **more):
        content = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, params):
        self.number += 1
        self.send(method, params, id=self.number)
        while (answer := self.receive()).get("id") != self.number:
            pass
        return answer["result"]

    def findings(self, uri, version):
        while True:
            message = self.receive()
            told = message.get("params", {})
            if told.get("uri") == uri and told.get("version") == version:
                return told["diagnostics"]


def write_policy(folder, hosts, files):
    keys = sorted(path.stem for path in (ROOT / "policies" / "keys").glob("*.pem") if "example" not in path.stem)
    shutil.copytree(ROOT / "policies" / "keys", folder / "keys")
    shutil.copy(ROOT / "policies" / "manifest.yaml", folder)
    shutil.copy(ROOT / "policies" / "keys.yaml", folder)
    sets = ["amazon", "cloudflare", "digicert", "fastly", "google", "lets-encrypt", "microsoft", "sectigo"]
    for number in range(files):
        lines = ["version: 1", f"owner: team-{number}@example.com", "defaults:", "  mode: enforce",
                 "  expires: 2027-06-01", "  on-expiry: report-only",
                 "  report-uris: [https://pins.example.org/reports]", "hosts:"]
        for host in range(number, hosts, files):
            lines += [f"  - host: service-{host}.example-{host % 97}.com", f"    keys: {sets[host % len(sets)]}",
                      f"    reason: the team's service number {host}"]
        (folder / f"team-{number}.yaml").write_text("\n".join(lines) + "\n")
    return len(keys)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pintle", default=str(ROOT / ".build" / "release" / "pintle"))
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--strokes", type=int, default=300)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pintle-") as work:
        folder = pathlib.Path(work) / "policies"
        folder.mkdir()
        write_policy(folder, given.hosts, given.files)
        size = sum(path.stat().st_size for path in folder.glob("*.yaml"))
        server = Server(given.pintle)
        server.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        server.send("initialized", {})
        path = folder / "team-0.yaml"
        uri = path.as_uri()
        text = path.read_text()
        line = text.count("\n") - 2  # the last entry's set
        column = len(text.splitlines()[line])
        begun = time.perf_counter()
        server.send("textDocument/didOpen",
                    {"textDocument": {"uri": uri, "languageId": "yaml", "version": 0, "text": text}})
        server.findings(uri, 0)
        opened = time.perf_counter() - begun
        times = []
        found = 0
        word = "-next-generation"
        typed = 0
        for version in range(1, given.strokes + 1):
            # Types the letters of the word, then deletes them.
            if typed < len(word):
                start = end = {"line": line, "character": column + typed}
                letter = word[typed]
                typed += 1
            else:
                start = {"line": line, "character": column}
                end = {"line": line, "character": column + typed}
                letter, typed = "", 0
            change = {"range": {"start": start, "end": end}, "text": letter}
            begun = time.perf_counter()
            server.send("textDocument/didChange",
                        {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]})
            found += len(server.findings(uri, version))
            times.append((time.perf_counter() - begun) * 1000)
        server.ask("shutdown", None)
        server.send("exit", None)
        server.process.wait(timeout=10)
    times.sort()
    # Half of the texts name no existing set; a server that finds nothing would be fast too.
    assert found > given.strokes / 2, found

    def share(percent):
        return times[min(len(times) - 1, round(len(times) * percent / 100))]

    print(f"{given.hosts} hosts in {given.files} files, {size >> 10} KiB; opened in {opened * 1000:.1f} ms")
    print(f"{len(times)} keystrokes to findings: p50 {share(50):.1f} ms, p95 {share(95):.1f} ms, "
          f"p99 {share(99):.1f} ms, most {times[-1]:.1f} ms, mean {statistics.mean(times):.1f} ms")


if __name__ == "__main__":
    main()
