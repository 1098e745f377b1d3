#!/usr/bin/env python3
"""pintle-agent end to end on loopback: what clients find in its folder, whatever servers, other processes and kills do.

PINTLE_BUILD is the folder of the program, PINTLE_LIBRARY libpintle; those of Scripts/test unless set.
"""

import os
import signal
import stat
import subprocess
import threading
import time
import unittest

from scene import AgentCase, keysets, pintle, until


class Serving(AgentCase):
    def test_an_update_reaches_clients(self):
        agent = self.start()
        until(lambda: self.manager.lines("READY=1"), "READY=1")
        clients = [self.client("one"), self.client()]
        for client in clients:
            self.assertEqual(self.look(client), (1, 1))
        self.publish_second()
        self.wait_for(self.second, agent)
        for client in clients:
            self.assertEqual(self.look(client), (2, 2))
        for path, mode in {"manifest.json": 0o644, "keysets/1.keyset.json": 0o644, "keysets/2.keyset.json": 0o644,
                           "status.json": 0o644, ".": 0o755, "keysets": 0o755}.items():
            self.assertEqual(stat.S_IMODE((self.folder / path).stat().st_mode), mode, path)
        self.assertEqual(stat.S_IMODE(self.state.stat().st_mode), 0o700)
        self.assertEqual(self.mirrored("keysets/2.keyset.json"), self.keysets[1])
        until(lambda: self.metric("pintle_agent_folder_serial") == 2, "the serial in the metrics")
        until(lambda: (self.metric('pintle_fetches_total{outcome="not-modified"}') or 0) > 1, "304 Not Modified")

    def test_what_a_server_forges_never_arrives(self):
        agent = self.start()
        self.publish_second()
        self.wait_for(self.second, agent)
        old, forged = self.release(1, self.signer), keysets.release(self.second, 3, self.stranger)
        for code, content in {"older-serial": old, "invalid-signature": self.second.replace(b'"serial":2', b'"serial":3'),
                              "too-few-signatures": forged, "malformed-file": self.second[:-1]}.items():
            self.put(self.site / "manifest.json", content)
            name = f'pintle_rejections_total{{code="{code}"}}'
            until(lambda: (self.metric(name) or 0) > 0, lambda: f"{name}\n{self.log.read_text()}")
            self.assertEqual(self.mirrored(), self.second, code)
        self.put(self.site / "keysets" / "3.keyset.json", keysets.make(3, self.stranger))
        name = 'pintle_keyset_rejections_total{code="too-few-signatures"}'
        until(lambda: (self.metric(name) or 0) > 0, lambda: f"{name}\n{self.metrics.read_text()}")
        self.assertIsNone(self.mirrored("keysets/3.keyset.json"))
        self.assertEqual(self.look(self.client()), (2, 2))

    def test_what_others_put_into_the_folder_is_refused_and_replaced(self):
        agent = self.start()
        self.publish_second()
        self.wait_for(self.second, agent)
        client = self.client("one")
        self.look(client)
        agent.send_signal(signal.SIGSTOP)
        self.put(self.folder / "manifest.json", keysets.release(self.second, 9, self.stranger))
        self.put(self.folder / "keysets" / "2.keyset.json", keysets.make(2, self.stranger))
        for one in (client, self.client()):
            with self.assertRaises(pintle.Error):
                self.look(one)
        self.assertEqual(client.release()[0], 2)
        agent.send_signal(signal.SIGCONT)
        self.wait_for(self.second, agent)
        until(lambda: self.mirrored("keysets/2.keyset.json") == self.keysets[1], "keyset 2")
        # Anything that isn't a file makes way, too.
        (self.folder / "manifest.json").unlink()
        (self.folder / "manifest.json").mkdir()
        until(lambda: (self.folder / "manifest.json").is_file(), "a file")
        self.wait_for(self.second, agent)
        os.mkfifo(self.folder / "pipe")
        (self.folder / "pipe").rename(self.folder / "manifest.json")
        until(lambda: (self.folder / "manifest.json").is_file(), "a file")

    def test_a_newer_manifest_is_never_replaced_by_an_older_one(self):
        agent = self.start()
        self.publish_second()
        self.wait_for(self.second, agent)
        # Its state is lost, and the server has an older release: the folder's is accepted first.
        self.stop(agent)
        subprocess.run(["rm", "-rf", self.state], check=True)
        self.put(self.site / "manifest.json", self.first)
        agent = self.start()
        until(lambda: self.manager.lines("READY=1"), "READY=1")
        until(lambda: (self.metric("pintle_manifest_serial") or 0) == 2, self.said)
        self.assertEqual(self.mirrored(), self.second)
        # A newer one that the agent can't accept, because it has expired.
        stale = self.release(5, self.signer, **{"refresh-after": "2025-02-01T00:00:00Z", "expires": "2025-03-01T00:00:00Z"})
        self.put(self.folder / "manifest.json", stale)
        until(lambda: any("isn't replaced" in line for line in self.manager.lines("STATUS=")), self.said)
        self.assertEqual(self.mirrored(), stale)
        sixth = self.release(6, self.signer)
        self.put(self.site / "manifest.json", sixth)
        self.wait_for(sixth, agent)

    def test_without_a_network_it_serves_what_it_had(self):
        agent = self.start()
        self.publish_second()
        self.wait_for(self.second, agent)
        agent.send_signal(signal.SIGTERM)
        self.assertEqual(agent.wait(30), 0, self.log.read_text())
        self.assertEqual(self.mirrored(), self.second)
        # As after a reboot, when /run is empty.
        self.server.is_down = True
        subprocess.run(["rm", "-rf", self.folder], check=True)
        agent = self.start()
        self.wait_for(self.second, agent)
        self.assertEqual(self.look(self.client()), (2, 2))

    def test_a_folder_that_cannot_be_written(self):
        agent = self.start()
        self.wait_for(self.first, agent)
        self.stop(agent)
        agent = self.start(
            "strace", "-Dqqf", "-o", "/dev/null", "-P", str(self.folder), "-P", str(self.folder / "keysets"),
            "-e", "trace=renameat", "-e", "inject=renameat:error=EROFS")
        self.publish_second()
        until(lambda: self.metric("pintle_manifest_serial") == 2, self.said)
        until(lambda: self.metric("pintle_agent_folder_problem") == 1, lambda: self.metrics.read_text())
        until(lambda: any("Read-only file system" in line for line in self.manager.lines("STATUS=")), self.said)
        self.assertEqual(self.mirrored(), self.first)
        self.assertIsNone(agent.poll())
        agent.terminate()
        agent.wait(30)
        self.wait_for(self.second, self.start())


class Kills(AgentCase):
    def test_killed_at_each_write_clients_find_whole_files(self):
        first = self.start()
        self.wait_for(self.first, first)
        self.stop(first)
        self.publish_second()
        for name in ("pins", "state"):
            subprocess.run(["cp", "-a", self.base / name, self.base / f"{name}.before"], check=True)
        seen, done = set(), threading.Event()

        def read():
            # A client that looks all the time sees one file or the other.
            while not done.is_set():
                content = self.mirrored_if_any()
                if content is not None:
                    seen.add(content)

        reader = threading.Thread(target=read)
        reader.start()
        self.addCleanup(reader.join)
        self.addCleanup(done.set)
        kills = {call: self.kills(call) for call in ("renameat", "fsync", "write")}
        done.set()
        self.assertLessEqual(seen, {self.first, self.second})
        self.assertEqual(len(seen), 2)
        self.assertGreaterEqual(kills["renameat"], 4, kills)
        self.assertGreaterEqual(kills["fsync"], 4, kills)
        self.assertGreaterEqual(kills["write"], 4, kills)
        print(f"kills: {kills}")

    def mirrored_if_any(self):
        try:
            return self.mirrored()
        except FileNotFoundError:
            return None

    def kills(self, call, most=12):
        """Kills an agent before its first call, its second and so on, until it gets the update done."""
        for number in range(1, most + 1):
            for name in ("pins", "state"):
                subprocess.run(["rm", "-rf", self.base / name], check=True)
                # In one step, because the reader looks meanwhile.
                subprocess.run(["cp", "-a", self.base / f"{name}.before", self.base / f"{name}.new"], check=True)
                (self.base / f"{name}.new").rename(self.base / name)
            agent = self.start(
                "strace", "-Dqqf", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                f"inject={call}:signal=KILL:when={number}")
            until(lambda: agent.poll() is not None or self.is_complete(), self.said)
            is_killed = agent.poll() is not None
            self.expect_whole(f"{call} {number}")
            agent.terminate()
            agent.wait(30)
            if not is_killed:
                return number - 1
            # The next start completes it.
            again = self.start()
            self.wait_for(self.second, again)
            self.assertEqual(self.look(self.client()), (2, 2))
            self.stop(again)
        return most

    def expect_whole(self, what):
        """Each file is one of the releases', and the keyset comes first; a client that runs keeps what it has or goes on."""
        client = self.client()
        client.update(self.first)
        self.assertIn(self.mirrored(), (self.first, self.second), what)
        second = self.mirrored("keysets/2.keyset.json")
        self.assertIn(second, (None, self.keysets[1]), what)
        if self.mirrored() == self.second:
            self.assertIsNotNone(second, what)
            self.assertEqual(self.look(client), (2, 2), what)
        elif second:
            # Keyset 2 doesn't endorse serial 1, which remains in force.
            with self.assertRaises(pintle.Error):
                self.look(client)
            self.assertEqual(client.release()[::2], (1, 2), what)
        else:
            self.assertEqual(self.look(client), (1, 1), what)

    def is_complete(self):
        return self.mirrored_if_any() == self.second and self.metric("pintle_agent_folder_serial") == 2


class Telling(AgentCase):
    def test_the_service_manager_is_told(self):
        self.server.is_down = True
        agent = self.start(address=str(self.base / "notify"))
        until(lambda: len(self.manager.lines("WATCHDOG=1")) > 3, "WATCHDOG=1")
        self.assertEqual(self.manager.lines("READY=1"), [])
        until(lambda: any("fetches in a row failed" in line for line in self.manager.lines("STATUS=no manifest yet;")),
              self.said)
        self.server.is_down = False
        until(lambda: self.manager.lines("READY=1"), "READY=1")
        until(lambda: "STATUS=serial 1" in self.manager.messages[-1], self.said)
        # An outage is shown, and doesn't end the agent.
        self.server.is_down = True
        until(lambda: any("fetches in a row failed" in line for line in self.manager.lines("STATUS=serial 1;")),
              self.said)
        before = len(self.manager.lines("WATCHDOG=1"))
        until(lambda: len(self.manager.lines("WATCHDOG=1")) > before + 3, "WATCHDOG=1")
        agent.send_signal(signal.SIGTERM)
        self.assertEqual(agent.wait(30), 0)
        until(lambda: self.manager.messages[-1] == ["STOPPING=1"], self.said)
        self.assertEqual(len(self.manager.lines("READY=1")), 1)

    def check(self, *options, status):
        result = self.run_agent("check", *options, str(self.folder))
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def test_check(self):
        self.assertIn("does pintle-agent run with this folder?", self.check(status=1))
        self.server.is_down = True
        agent = self.start()
        until(lambda: (self.folder / "status.json").exists(), "a status")
        self.assertIn("the folder has no manifest yet", self.check(status=6))
        self.check("--alive", status=6)
        self.server.is_down = False
        self.wait_for(self.first, agent)
        until(lambda: self.metric("pintle_fetch_age_seconds") is not None, "a round")
        until(lambda: self.run_agent("check", str(self.folder)).returncode == 0, lambda: self.check(status=0))
        self.assertRegex(
            self.check(status=0),
            r"^fresh: serial 1, issued 2025-01-01T00:00:00Z, expires 2099-\S+; keyset 1; last successful round \d+ seconds ago")
        self.server.is_down = True
        until(lambda: self.run_agent("check", "--max-age", "1", str(self.folder)).returncode == 6, "an old round")
        self.assertIn("the limit is 1", self.check("--max-age", "1", status=6))
        self.assertRegex(self.check("--alive", status=0), "^alive: serial 1,")
        # A restart doesn't make it look fresh.
        self.stop(agent)
        agent = self.start()
        until(lambda: self.manager.lines("READY=1"), "READY=1")
        self.assertIn("the limit is 1", self.check("--max-age", "1", status=6))
        self.stop(agent)
        # An agent that only watches files has no rounds.
        status = self.folder / "status.json"
        fetching = status.read_text()
        watching = keysets.json.loads(fetching)
        del watching["interval-seconds"], watching["last-round"]
        status.write_text(keysets.json.dumps(watching))
        self.check(status=0)
        self.assertIn("so leave --max-age out", self.check("--max-age", "5", status=64))
        status.write_text(fetching)
        self.put(self.folder / "manifest.json", self.second)
        self.assertIn("is not the file that the agent wrote", self.check("--alive", status=6))
        for content, message in {
            keysets.json.dumps(keysets.json.loads(status.read_text()) | {"written": "2026-01-01T00:00:00Z"}):
                "it doesn't run, or hangs",
            "{}": "isn't a status of this version", "x" * 70_000: "more than 65536 bytes",
        }.items():
            status.write_text(content)
            self.assertIn(message, self.check("--alive", status=1))
        self.assertIn("--max-age is at least 1", self.check("--max-age", "0", status=64))
        self.assertIn("can't be combined", self.check("--alive", "--max-age", "5", status=64))


class Mistakes(AgentCase):
    def fails(self, message, folder=None, unset=None, **variables):
        result = self.run_agent("run", str(folder or self.folder), unset=unset, **variables)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(message, result.stderr)

    def test_what_cannot_work_says_why(self):
        self.fails("pintle.directory: is not set", unset="PINTLE_DIRECTORY")
        self.fails("pintle.keyset.file: can't read", PINTLE_KEYSET_FILE="/nowhere")
        self.fails("pintle.fetch.urls: URL 1 is not an https URL", PINTLE_FETCH_URLS="ftp://127.0.0.1/m")
        self.fails("pintle.reports.directory: the agent reports nothing", PINTLE_REPORTS_DIRECTORY=str(self.base),
                   PINTLE_REPORTS_SERVICE_NAME="a")
        self.fails("is the agent's own folder", self.state)
        self.fails("can't open the folder '/nowhere/at'", "/nowhere/at/all")
        self.fails("it is a link or a file, not a folder", self.shipped)
        self.fails("NOTIFY_SOCKET is 'vsock:2:1'", NOTIFY_SOCKET="vsock:2:1")
        open_to_all = self.base / "open"
        open_to_all.mkdir()
        open_to_all.chmod(0o777)
        self.fails("other users can write to", open_to_all)
        self.fails("another user owns", self.of_another("anothers"))
        mine = self.base / "mine"
        mine.mkdir()
        self.of_another("mine/keysets")
        self.fails("keysets': use a folder of the user", mine)
        self.fails("another user owns", PINTLE_DIRECTORY=str(self.of_another("anothers-state")))
        agent = self.start()
        self.wait_for(self.first, agent)
        self.fails("another pintle-agent uses", PINTLE_DIRECTORY=str(self.base / "other"))
        self.wait_for(self.first, agent)

    def of_another(self, name):
        """A folder of the user `nobody`."""
        folder = self.base / name
        folder.mkdir()
        as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        subprocess.run([*as_root, "chown", "nobody", folder], check=True)
        self.addCleanup(subprocess.run, [*as_root, "chown", str(os.geteuid()), folder], check=True)
        return folder

    def test_another_audience_is_not_overwritten(self):
        other = self.release(9, self.root, audience="payments")
        self.folder.mkdir()
        self.put(self.folder / "manifest.json", other)
        self.start()
        until(lambda: any("for another audience" in line for line in self.manager.lines("STATUS=")),
              self.said)
        self.assertEqual(self.mirrored(), other)
        self.assertEqual(self.manager.lines("READY=1"), [])
        self.assertEqual(list((self.folder / "keysets").iterdir()), [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
