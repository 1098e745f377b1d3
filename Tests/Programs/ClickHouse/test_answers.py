#!/usr/bin/env python3
"""The tables and queries of examples/clickhouse under chdb, ClickHouse's engine in this process.

    Tests/Programs/ClickHouse/test_answers.py [Cases] [Shipping]

The cases are those of Tests/PinCollectorTests/StoreCaseTests.swift: SQLite and PostgreSQL give the answers of
Snapshots/cases/*.json, and forward the lines of *.jsonl, each delivered twice. COLLECT is pintle-collect; the one on the
path unless set.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import jsonschema
from chdb import session

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "clickhouse"
CASES = ROOT / "Tests" / "PinCollectorTests" / "Snapshots" / "cases"
COLLECT = os.environ.get("COLLECT", "pintle-collect")
REPORT = ROOT / "Tests" / "Fixtures" / "mismatch-reports" / "valid" / "rfc7469.json"


class ClickHouse:
    """One database at a time, because a process has one engine."""

    engine = session.Session()

    def __init__(self):
        self.engine.query("DROP DATABASE IF EXISTS pintle SYNC")
        for statement in (EXAMPLE / "schema.sql").read_text().split(";\n"):
            if statement.strip():
                self.engine.query(statement)

    def insert(self, lines):
        # As clickhouse-client sends it: the statement, then the lines.
        if lines:
            self.engine.query("INSERT INTO pintle.lines FORMAT JSONEachRow\n" + "\n".join(lines))

    def merge(self):
        for table in ("mismatches", "aggregates", "entries"):
            self.engine.query(f"OPTIMIZE TABLE pintle.{table} FINAL")

    def ask(self, name, **parameters):
        statement = (EXAMPLE / f"{name}.sql").read_text()
        answer = self.engine.query(statement, "JSONEachRow", params=parameters)
        return [json.loads(line) for line in str(answer).split("\n") if line]

    def answers(self, since):
        return {
            "hosts": self.ask("hosts", since=since), "failures": self.ask("failures", since=since, host="", port=0),
            "entries": self.ask("entries", since=since, entry=""), "manifests": self.ask("manifests", since=since),
        }


def comparable(answer):
    """An answer without the number of a failure, which the databases count, and without fields that say nothing."""
    if isinstance(answer, list):
        return [comparable(item) for item in answer]
    if isinstance(answer, dict):
        return {name: comparable(value) for name, value in answer.items() if value is not None and name != "id"}
    return answer


class Cases(unittest.TestCase):
    maxDiff = None

    def test_answers(self):
        """The same answers: each line once, each twice, in any order, merged or not."""
        schema = json.loads((ROOT / "schemas" / "forward.schema.json").read_text())
        cases = sorted(CASES.glob("*.json"))
        self.assertGreaterEqual(len(cases), 5)
        for file in cases:
            wanted = json.loads(file.read_text())
            self.assertEqual((wanted.pop("now"), wanted.pop("days")), ("2026-11-21T12:00:00Z", 30))
            lines = file.with_suffix(".jsonl").read_text().split("\n")[:-1]
            for line in lines:
                jsonschema.validate(json.loads(line), schema)
            order = random.Random(file.name)
            mixed = order.sample(lines + lines, 2 * len(lines))
            for name, batches in {
                "once": [lines[: len(lines) // 2]], "twice": [lines],
                "four times, mixed": [mixed[:7], mixed[7:20], mixed[20:]],
            }.items():
                store = ClickHouse()
                for batch in batches:
                    store.insert(batch)
                for is_merged in (False, True):
                    if is_merged:
                        store.merge()
                    with self.subTest(case=file.stem, delivered=name, merged=is_merged):
                        found = store.answers("2026-10-22 12:00:00")
                        self.assertEqual(comparable(found), comparable(wanted))
            one = wanted["failures"][:1]
            if one:
                found = store.ask("failures", since="2026-10-22 12:00:00", host=one[0]["host"], port=one[0]["port"])
                same = [f for f in wanted["failures"] if (f["host"], f["port"]) == (one[0]["host"], one[0]["port"])]
                self.assertEqual(comparable(found), comparable(same))


class Shipping(unittest.TestCase):
    """A receiver that is killed while reports come in, and lines that are moved by examples/clickhouse/ship."""

    def setUp(self):
        self.base = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.base)
        # A client that takes what it is given, and once fails after that: its lines arrive twice.
        client = self.base / "clickhouse-client"
        client.write_text('#!/bin/sh\ncat >>"$STORE"\n[ -e "$STORE.failed" ] || { touch "$STORE.failed"; exit 1; }\n')
        client.chmod(0o755)
        self.lines = self.base / "lines.jsonl"
        self.store = self.base / "store"
        self.process = None
        self.addCleanup(self.stop)

    def start(self):
        log = self.base / "log"
        with log.open("w") as output:
            self.process = subprocess.Popen(
                [COLLECT, "--listen", "0", "--burst", "10000", "--database", self.base / "db", "--forward", self.lines],
                stderr=output)
        while "listening on " not in log.read_text():
            self.assertIsNone(self.process.poll(), log.read_text())
            time.sleep(0.01)
        self.address = log.read_text().split("listening on ")[1].split()[0]

    def stop(self, how=signal.SIGKILL):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
        if self.process:
            self.process.wait(30)

    def post(self, report):
        request = urllib.request.Request(
            self.address + "/reports", json.dumps(report).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return reply.status == 204
        except (OSError, urllib.error.URLError):
            return False

    def ship(self):
        variables = os.environ | {"PATH": f"{self.base}:{os.environ['PATH']}", "STORE": str(self.store)}
        return subprocess.run(
            [EXAMPLE / "ship", self.lines, str(self.process.pid)], env=variables, timeout=30, check=False).returncode

    def test_killed(self):
        report = json.loads(REPORT.read_text())
        self.start()
        for number in range(90):
            changed = report | {"hostname": f"h{number % 30}.test", "number": number}
            if number % 25 == 24:
                self.stop()
                self.assertFalse(self.post(changed))
                self.start()
            self.assertTrue(self.post(changed))
            if number % 10 == 0:
                # Without an answer, a sender can't know that its report was stored.
                self.assertTrue(self.post(changed))
            if number % 30 == 29:
                self.ship()
        self.assertEqual([self.ship(), self.ship()], [0, 0])
        with urllib.request.urlopen(self.address + "/v1/hosts", timeout=30) as reply:
            wanted = json.load(reply)["hosts"]
        self.stop(signal.SIGTERM)
        self.assertEqual([host["reports"] for host in wanted], [3] * 30)
        delivered = self.store.read_text().splitlines()
        self.assertGreater(len(delivered), 90)
        store = ClickHouse()
        store.insert(delivered)
        self.assertEqual(store.ask("hosts", since="2026-01-01 00:00:00"), wanted)


if __name__ == "__main__":
    unittest.main()
