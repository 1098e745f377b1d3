#!/usr/bin/env python3
"""Scripts/release in a small repository, whose builds and tests are replaced: what it refuses, and what it makes.

    Tests/Programs/Release/test_release.py
"""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = '#!/bin/sh\nmkdir -p "$2"\necho $1 >"$2/pintle"\necho pins >"$2/Package.resolved"\n'
SUCCESS = "#!/bin/sh\nexit 0\n"


class ReleaseTests(unittest.TestCase):
    def setUp(self):
        base = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, base)
        self.repository, self.key = base / "repository", base / "key"
        for folder in ("build", "check", "make"):
            (self.repository / "Scripts" / folder).mkdir(parents=True)
        for name in ("release", "make/signature"):
            shutil.copy(ROOT / "Scripts" / name, self.repository / "Scripts" / name)
        self.write("Scripts/test", SUCCESS)
        self.write("Scripts/check/artefacts", SUCCESS)
        self.write("Scripts/build/release", BUILD)
        self.write(".gitignore", ".build/\n")
        self.write("CHANGELOG.md", "# Changelog\n\n## 1.2.3 - 2026-11-23\n\n## 1-2-4\n")
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", self.key], check=True, capture_output=True)
        self.git("init", "--quiet")
        self.commit()

    def write(self, name, text):
        (self.repository / name).write_text(text)
        (self.repository / name).chmod(0o755)

    def git(self, *arguments):
        settings = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
        return subprocess.run(["git", *settings, *arguments], cwd=self.repository, check=True, capture_output=True,
                              text=True).stdout

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "Change")

    def release(self, *arguments):
        command = ["env", "GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.org", "GIT_COMMITTER_NAME=Test",
                   "GIT_COMMITTER_EMAIL=test@example.org", "Scripts/release", *map(str, arguments)]
        return subprocess.run(command, cwd=self.repository, capture_output=True, text=True)

    def refuses(self, message, *arguments):
        done = self.release(*(arguments or ("1.2.3", "--key", self.key)))
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn(message, done.stderr)
        self.assertEqual(self.git("tag"), "")
        self.assertFalse((self.repository / ".build").exists())

    def test_makes_a_signed_release_and_a_tag(self):
        done = self.release("1.2.3", "--key", self.key)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.git("tag"), "1.2.3\n")
        folder = self.repository / ".build/release-1.2.3"
        self.assertEqual(sorted(file.name for file in folder.iterdir()),
                         ["Package.resolved", "SHA256SUMS", "SHA256SUMS.sig", "pintle", "release.pub"])
        self.assertEqual((folder / "pintle").read_text(), "1.2.3\n")
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder, check=True)
        self.assertIn("exists", self.release("1.2.3", "--key", self.key).stderr)

    def test_a_trial_has_another_name_and_no_tag(self):
        self.write("Scripts/test", "#!/bin/sh\nexit 1\n")
        self.commit()
        done = self.release("1.2.4", "--key", self.key, "--trial")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.git("tag"), "")
        self.assertEqual((self.repository / ".build/release-1.2.4-trial/pintle").read_text(), "1.2.4-trial\n")

    def test_refuses_uncommitted_changes(self):
        self.write("new", "text")
        self.refuses("uncommitted changes")
        self.commit()
        self.write("CHANGELOG.md", "## 1.2.3\n")
        self.refuses("uncommitted changes")

    def test_refuses_changes_that_the_tests_make(self):
        self.write("Scripts/test", "#!/bin/sh\ntouch left\n")
        self.write("Scripts/build/release", "#!/bin/sh\nexit 1\n")
        self.commit()
        self.refuses("uncommitted changes")

    def test_refuses_a_version_without_a_section_in_the_changelog(self):
        for version in ("1.2.4", "1.2", "1x2x3", "2.3"):
            self.refuses("no section" if version == "1.2.4" else "isn't like 1.2.3", version, "--key", self.key)

    def test_refuses_failing_tests(self):
        self.write("Scripts/test", '#!/bin/sh\nif [ "$*" = --full ]; then exit 1; fi\n')
        self.commit()
        self.refuses("")

    def test_refuses_artefacts_that_fail_their_checks(self):
        self.write("Scripts/check/artefacts", "#!/bin/sh\nexit 1\n")
        self.commit()
        self.refuses("")

    def test_refuses_builds_that_differ(self):
        self.write("Scripts/build/release", BUILD + 'pwd >"$2/folder"\n')
        self.commit()
        done = self.release("1.2.3", "--key", self.key)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "folder and .*folder differ")
        self.assertEqual(self.git("tag"), "")
        shutil.rmtree(done.stderr.split("kept in ")[1].strip())

    def test_refuses_a_key_that_does_not_work_before_it_runs_tests(self):
        self.write("Scripts/test", "#!/bin/sh\necho tests run >&2; exit 1\n")
        self.commit()
        self.refuses("--key is missing", "1.2.3")
        self.refuses("can't read the key", "1.2.3", "--key", "/nowhere")
        self.refuses("signing command failed", "1.2.3", "--key", "exec:false", "--public-key", self.public())

    def public(self):
        public = self.key.with_suffix(".pub")
        subprocess.run(["openssl", "pkey", "-in", self.key, "-pubout", "-out", public], check=True)
        return public


if __name__ == "__main__":
    unittest.main()
