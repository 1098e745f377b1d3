"""The store: each way to hand over keysets and manifests, its state on disk, and kill -9 in the midst of updates."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import keysets
import pintle
import scenes

KEY = scenes.FIXTURES / "release.key"
# Scripts/check/wheel --full sets it.
KILLS = 200 if os.environ.get("PINTLE_THOROUGH") else 10
# Takes one release after the other, and says after each that it is done.
UPDATER = """
import pathlib, sys
import pintle
folder, releases, signer = map(pathlib.Path, sys.argv[1:])
store = pintle.Store([signer.read_bytes()], "test", directory=folder)
for serial in range(store.status()["serial"] + 1, 1000):
    path = releases / f"{serial}.json"
    if not path.exists():
        break
    store.update_file(path)
    sys.stdout.write(f"{serial}\\n")
    sys.stdout.flush()
sys.stdin.read()
"""


def refusal(update, *arguments):
    """The error code of a rejected update."""
    try:
        return f"not rejected: {update(*arguments)}"
    except pintle.Error as error:
        return error.code


class SignalTests(scenes.TestCase):
    def test_update_within_an_update(self):
        """As a signal handler does that comes while its thread is in the store."""
        with scenes.store() as store:
            ask, done = store.release, []

            def release():
                if not done:
                    done.append(True)
                    store.maintain()
                return ask()

            store.release = release
            thread = threading.Thread(target=store.maintain, daemon=True)
            thread.start()
            thread.join(20)
            self.assertFalse(thread.is_alive())


class ImportTests(scenes.TestCase):
    def importing(self, code, **environment):
        done = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, timeout=60)
        return done.stderr.splitlines()[-1]

    def test_without_libcrypto(self):
        code = """
import ctypes
load = ctypes.CDLL
def without(name, *arguments):
    if name == "libcrypto.so.3":
        raise OSError("no such file")
    return load(name, *arguments)
ctypes.CDLL = without
import pintle
"""
        self.assertRegex(self.importing(code), "^ImportError: .*libcrypto.so.3.*no such file.*libssl3")

    def test_another_library(self):
        found = self.importing("import pintle", PINTLE_LIBRARY="/dev/null")
        self.assertRegex(found, "^ImportError: .*/dev/null.*glibc 2.33")
        found = self.importing("import pintle", PINTLE_LIBRARY="libcrypto.so.3")
        self.assertRegex(found, "^ImportError: .*pintle_version.*install both from one release")


class StoreTests(scenes.TestCase):
    def test_keysets(self):
        folder = pathlib.Path(self.enter(tempfile.TemporaryDirectory()))
        keysets.write(folder, KEY)
        first, second, third = ((folder / f"{version}.keyset.json").read_bytes() for version in (1, 2, 3))
        with pintle.Store(keyset=first, audience="test") as store:
            self.assertEqual(refusal(store.update_keyset, third), "skipped-version")
            self.assertEqual(refusal(store.update_keyset, b""), "malformed-file")
            self.assertEqual(refusal(store.update_keyset_file, folder / "4.keyset.json"), "unreadable-file")
            self.assertEqual([store.update_keyset(second), store.update_keyset(second)], [True, False])
            self.assertEqual([store.update_keyset_folder(folder), store.update_keyset_folder(folder)], [True, False])
            self.assertFalse(store.update_keyset_file(folder / "3.keyset.json"))
            status = store.status()
            self.assertEqual((status["keyset_version"], status["keyset_expired"], status["endorsed"]), (3, False, True))
            self.assertEqual(status["keyset_expires"], 4070908800)
        with scenes.store(embedded=b"") as store:
            self.assertEqual(refusal(store.update_keyset, second), "no-keyset")
            self.assertTrue(store.update_file(scenes.FIXTURES / "manifest.json"))
            self.assertFalse(store.update(scenes.read("manifest.json")))
            self.assertEqual(refusal(store.update, b"{}"), "malformed-file")
            self.assertEqual((store.status()["keyset_version"], store.status()["endorsed"]), (0, True))
        for code, settings in [("wrong-audience", {"keyset": first, "audience": "production"}),
                               ("malformed-file", {"keyset": b"", "audience": "test"}),
                               ("argument", {"keyset": first, "threshold": 1, "audience": "test"}),
                               ("argument", {"keyset": first})]:
            self.assertEqual(refusal(lambda settings=settings: pintle.Store(**settings)), code)
        with self.assertRaises(pintle.ConfigurationError):
            scenes.store(without_manifest="allow")

    def test_another_process_updates(self):
        folder = self.enter(tempfile.TemporaryDirectory())
        with scenes.server("allowed.test") as server:
            with scenes.store(directory=folder) as store, scenes.store(directory=folder) as other:
                with pintle.connect(store, "allowed.test", server.port, server.address) as connection:
                    other.update_file(scenes.FIXTURES / "denial.json")
                    store.maintain()
                    with self.assertRaises(pintle.Refused):
                        connection.sendall(b"late\n")
            self.assertEqual(server.received(), [b""])

    def test_killed(self):
        work = pathlib.Path(self.enter(tempfile.TemporaryDirectory()))
        releases = work / "releases"
        releases.mkdir()
        for serial in range(1, 41):
            (releases / f"{serial}.json").write_bytes(keysets.release(scenes.read("manifest.json"), serial, KEY))
        for number in range(KILLS):
            folder = work / "state"
            folder.mkdir()
            done = self.kill_after(number % 37, folder, releases)
            with scenes.store(embedded=b"", directory=folder) as store:
                self.assertEqual(store.problems(), [])
                self.assertIn(store.status()["serial"], (done, done + 1))
                # What is next is accepted, and what is over isn't.
                self.assertEqual(refusal(store.update_file, releases / "1.json"), "older-serial")
                self.assertTrue(store.update(keysets.release(scenes.read("manifest.json"), 50, KEY)))
            shutil.rmtree(folder)

    def kill_after(self, count, folder, releases):
        """Kills a process in the midst of its updates, after at least so many and 2; the last that it reported."""
        updater = subprocess.Popen(
            [sys.executable, "-c", UPDATER, folder, releases, scenes.FIXTURES / "release.pub"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, bufsize=0)
        try:
            lines = [updater.stdout.readline() for _ in range(count + 2)]
            for _ in range(count * 997 % 4001):
                pass  # so that it is killed at another step each time
            updater.send_signal(signal.SIGKILL)
            lines += updater.communicate(timeout=60)[0].splitlines()
        finally:
            updater.kill()
            updater.wait()
        self.assertEqual(updater.returncode, -signal.SIGKILL)
        return int(lines[-1])


class StateTableTests(scenes.TestCase):
    """The table of docs/security.md, cell by cell."""

    KINDS = ["absent", "old", "torn", "forged", "link", "FIFO", "directory", "other owner", "world-writable"]

    @classmethod
    def table(cls):
        for line in (scenes.ROOT / "docs" / "security.md").read_text().splitlines():
            columns = [column.strip() for column in line.split("|")]
            if len(columns) == len(cls.KINDS) + 4 and columns[1].startswith("`"):
                settings = ["block", "notPinned"] if columns[2] == "either" else [columns[2].strip("`")]
                for without in settings:
                    for kind, outcome in zip(cls.KINDS, columns[3:]):
                        yield columns[1].split("`")[1::2], without, kind, outcome

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        work = pathlib.Path(folder.name)
        signer, mallory = work / "signer.key", work / "mallory.key"
        for key in (signer, mallory):
            subprocess.run(
                ["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True, capture_output=True)
        manifest = scenes.read("manifest.json")
        # Serial 9 is in force, by a signer whom only the later keysets name.
        cls.keysets = [keysets.make(1, KEY), keysets.make(2, KEY, signer), keysets.make(3, KEY, signer)]
        cls.embedded = keysets.release(manifest, 5, KEY)
        cls.older, cls.newest = keysets.release(manifest, 7, signer), keysets.release(manifest, 9, signer)
        cls.next = keysets.release(manifest, 10, signer)
        cls.next_keyset = keysets.make(4, KEY, signer)
        cls.forged = {"manifest": keysets.release(manifest, 99, mallory), "keysets": keysets.make(4, mallory)}
        cls.state = work / "state"
        cls.state.mkdir()
        with cls.open() as store:
            for keyset in cls.keysets[1:]:
                store.update_keyset(keyset)
            store.update(cls.newest)

    @classmethod
    def open(cls, folder=None, without="block", embedded=b""):
        return pintle.Store(
            keyset=cls.keysets[0], audience="test", directory=folder or cls.state, embedded=embedded,
            without_manifest=without, anchors=[scenes.ANCHOR.read_bytes()])

    def change(self, folder, names, kind):
        for name in names:
            path = folder / name
            kept = "keysets" if name.startswith("keysets") else "manifest"
            old = b"\n".join(self.keysets[:2]) + b"\n" if kept == "keysets" else self.older
            now = path.read_bytes() if path.exists() else old
            path.unlink(missing_ok=True)
            if kind == "FIFO":
                os.mkfifo(path)
            elif kind == "directory":
                path.mkdir()
                (path / "file").write_bytes(b"x")
            elif kind == "link":
                (folder.parent / "outside").write_bytes(old)
                path.symlink_to(folder.parent / "outside")
            elif kind != "absent":
                path.write_bytes({"old": old, "torn": now[: len(now) // 2], "forged": self.forged[kept]}.get(kind, now))
                path.chmod(0o666 if kind == "world-writable" else 0o600)

    def found(self, folder, without, embedded):
        """The serial in force, what becomes of a stranger at a pinned host, and what the next updates come to."""
        with self.open(folder, without, embedded) as store:
            answer = [store.status()["serial"],
                      store.evaluate("allowed.test", 443, [], validation="stands").disposition]
            # Keysets that were lost come again, as they came the first time.
            for keyset in [*self.keysets[1:], self.next_keyset]:
                if refusal(store.update_keyset, keyset) not in ("not rejected: True", "not rejected: False",
                                                                "older-version"):
                    answer.append("the next keyset is rejected")
            return [*answer, store.update(self.next)]

    def found_as_another(self, folder, names, *settings):
        """The same by a process without rights on the files of these names."""
        os.chmod(folder.parent, 0o755)
        for path in [folder, *folder.iterdir()]:
            if path.name in names:
                path.chmod(0o600 if os.getuid() == 0 else 0)
            elif os.getuid() == 0:
                os.chown(path, 65534, 65534)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                if os.getuid() == 0:
                    os.setgroups([])
                    os.setgid(65534)
                    os.setuid(65534)
                os.write(writer, json.dumps(self.found(folder, *settings)).encode())
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as answer:
            text = answer.read()
        os.waitpid(child, 0)
        return json.loads(text)

    def test_table(self):
        count = 0
        for names, without, kind, outcome in self.table():
            for embedded in (self.embedded, b""):
                with self.subTest(names=names, without=without, kind=kind, embedded=bool(embedded)):
                    with tempfile.TemporaryDirectory() as work:
                        folder = pathlib.Path(shutil.copytree(self.state, pathlib.Path(work) / "state"))
                        self.change(folder, names, kind)
                        settings = folder, without, embedded
                        found = (self.found_as_another(folder, names, *settings[1:]) if kind == "other owner"
                                 else self.found(*settings))
                    serial = {"newest": 9, "older": 7}.get(outcome, 5 if embedded else 0)
                    stranger = "performDefaultHandling" if serial == 0 and without == "notPinned" else "cancel"
                    self.assertEqual(found, [serial, stranger, True])
                    count += 1
        self.assertEqual(count, (7 * 2 + 4) * len(self.KINDS) * 2)


if __name__ == "__main__":
    unittest.main()
