"""python -m pintle decide, compared with the tool's own `pintle decide`."""

import contextlib
import io
import json
import pathlib
import subprocess
import tempfile

import scenes

from pintle.__main__ import main

FILES = ["--manifest", str(scenes.FIXTURES / "manifest.json"), "--audience", "test"]
KEY = ["--key", str(scenes.FIXTURES / "release.pub")]
ANCHORS = ["--anchors", str(scenes.ANCHOR)]
REQUIRED = [("spare-leaf", "active"), ("second-spare-leaf", "backup")]
PRESENTED = [("0", "leaf"), ("1", "intermediate"), ("2", "root")]


class DecideTests(scenes.TestCase):
    def run_main(self, *arguments):
        """The exit status, and what is printed."""
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                status = main([str(argument) for argument in arguments])
            except SystemExit as left:
                status = left.code
        return status, output.getvalue(), errors.getvalue()

    def chain(self, host):
        return ["--chain", scenes.FIXTURES / scenes.CASES[host]["chain"]]

    def test_same_as_the_tool(self):
        for host in scenes.CASES:
            with self.subTest(host):
                common = [host, *FILES, *KEY, *self.chain(host), *ANCHORS, "--at", "2026-11-21", "--format", "json"]
                tool = subprocess.run([scenes.PINTLE, "decide", *common], capture_output=True, text=True)
                # The tool judges for a client whose TLS library validates as well.
                status, output, _ = self.run_main("decide", *common, "--validation", "stands")
                self.assertEqual(status, tool.returncode)
                wanted, found = json.loads(tool.stdout), json.loads(output)
                for field in ("target", "at", "verdict", "step", "events"):
                    self.assertEqual(found[field], wanted[field])
                self.assertEqual(found["entry"], wanted.get("entry", {}).get("host"))
                # Of a chain that isn't accepted, the tool's reason is for people; the library's words are among the failures.
                words = wanted["failures"][0]["message"] if wanted["failures"] else wanted["reason"]
                self.assertIn(words, found["message"])

    def test_labels(self):
        """The labels that certificates have, and whatever else is in the file."""
        host = "allowed.test"
        pem = (scenes.FIXTURES / scenes.CASES[host]["chain"]).read_text()
        root = scenes.ROOT / "Tests" / "Fixtures" / "examples" / "keys" / "example-root-trusted.pem"
        unread = f"can't be read in line {pem.count(chr(10)) + 1}"
        rows = [
            (pem, 0, ""),
            (pem.replace("N CERT", "N X509 CERT").replace("D CERT", "D X509 CERT"), 0, ""),
            (pem + root.read_text(), 0, ""),
            (pem + pem.replace("N CERT", "N X509 CRL CERT").replace("D CERT", "D X509 CRL CERT"), 1, "holds 'X509 CRL CERTIFICATE'"),
            (pem + pem.replace("-----END", "----END"), 1, unread),
            (pem + "-----BEGIN CERTIFICATE-----\n", 1, unread),
            (pem + pem.replace("-----BEGIN", "----BEGIN"), 1, unread),
            (pem + pem.replace("-----", "----"), 1, unread),
            (pem + pem.replace("-----", "\u2013" * 5), 1, unread),
            (pem + pem.replace("BEGIN CERTIFICATE", "begin certificate").replace("END CERT", "end cert"), 1, unread),
            (pem + "".join(line for line in pem.splitlines(True) if not line.startswith("-")), 1, unread),
            (pem + "x\0y", 1, unread),
            (pem + "\0", 0, ""),
            ("# -- begin internal CAs --\nsubject=CN = M\u00fcller\n" + pem, 0, ""),
            ("prose", 1, "has no certificate"),
        ]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "chain.pem")
            for text, wanted, message in rows:
                with self.subTest(message=message, text=text[:40]):
                    path.write_text(text)
                    status, _, errors = self.run_main(
                        "decide", host, *FILES, *KEY, "--chain", path, *ANCHORS, "--at", "2026-11-21")
                    self.assertEqual(status, wanted, errors)
                    self.assertIn(message, errors)

    def test_keys(self):
        """A refusal shows the keys that are required, and those that were presented."""
        common = ["blocked.test", *FILES, *KEY, *self.chain("blocked.test"), *ANCHORS]
        status, output, _ = self.run_main("decide", *common)
        lines = [line.split() for line in output.splitlines()]
        start = lines.index(["the", "entry", "requires", "one", "key", "of"])
        chain = lines.index(["validated", "chain"])
        self.assertEqual([(line[0], line[1]) for line in lines[start + 1 : chain]], REQUIRED)
        self.assertEqual([(line[0], line[1]) for line in lines[chain + 1 :]], PRESENTED)
        facts = json.loads(self.run_main("decide", *common, "--format", "json")[1])
        self.assertEqual([(key["name"], key["status"]) for key in facts["required"]], REQUIRED)
        self.assertEqual([(str(key["certificate"]), key["position"]) for key in facts["presented"]], PRESENTED)
        output = self.run_main("decide", *common[:-2])[1]
        self.assertIn("\nserved chain, not validated\n  0 ", output)

    def test_live(self):
        with scenes.server("denied.test") as server:
            place = f"denied.test:{server.port}"
            for connect in (["--connect"], ["--connect", f"127.0.0.1:{server.port}"]):
                status, output, _ = self.run_main("decide", place, *FILES, *KEY, *ANCHORS, *connect)
                self.assertEqual((status, output.split("\n")[0]), (4, f"BLOCK       {place}"))
            self.assertEqual(server.received(), [b"", b""])
        status, output, errors = self.run_main("decide", place, *FILES, *KEY, "--connect")
        self.assertEqual((status, output), (5, ""))
        self.assertIn("could not get the certificates", errors)

    def test_exit_statuses(self):
        allowed, chain = "allowed.test", self.chain("allowed.test")
        keyset = ["--keyset", scenes.FIXTURES / "1.keyset.json"]
        with tempfile.TemporaryDirectory() as work:
            empty = pathlib.Path(work) / "empty"
            empty.touch()
            text = pathlib.Path(work) / "chain.pem"
            text.write_text("-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n")
            for wanted, arguments in [
                (0, [allowed, *FILES, *keyset, *chain, *ANCHORS]),
                (0, [allowed, *FILES, "--keyset", scenes.FIXTURES, *chain, *ANCHORS]),
                (4, [allowed, *FILES, *KEY, *chain]),
                (4, ["untrusted.test", *FILES, *KEY, *self.chain("untrusted.test"), "--validation", "replaced"]),
                (6, [allowed, "--manifest", FILES[1], "--audience", "production", *KEY, *chain]),
                (6, [allowed, "--manifest", empty, "--audience", "test", *KEY, *chain]),
                (6, [allowed, *FILES, "--key", empty, *chain]),
                (6, [allowed, *FILES, *KEY, "--threshold", "2", *chain]),
                (1, [allowed, "--manifest", empty.with_name("no"), "--audience", "test", *KEY, *chain]),
                (1, [allowed, *FILES, *KEY, "--chain", empty]),
                (1, [allowed, *FILES, "--keyset", work, *chain]),
                (64, [allowed, *FILES, *KEY]),
                (64, ["allowed.test:0", *FILES, *KEY, *chain]),
                (64, [allowed, *FILES, *KEY, *chain, "--at", "tomorrow"]),
                (64, [allowed, *FILES, *KEY, "--connect", "--tls-version", "1.3"]),
                (64, [allowed, *FILES, *keyset, "--threshold", "1", *chain]),
                (4, [allowed, *FILES, *KEY, *chain, *ANCHORS, "--role", "client"]),
                (4, ["clients.test", *FILES, *KEY, *chain, *ANCHORS, "--role", "client"]),
                (64, [allowed, *FILES, *KEY, "--connect", "--role", "client"]),
            ]:
                status, output, errors = self.run_main("decide", *arguments)
                self.assertEqual(status, wanted, (arguments, output, errors))
                self.assertEqual(bool(errors), wanted not in (0, 4))
