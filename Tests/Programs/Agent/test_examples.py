#!/usr/bin/env python3
"""examples/agent with the programs that read them: the unit by systemd-analyze, the Kubernetes example by its schemas, and
the agent's metrics by promtool."""

import re
import signal
import subprocess
import unittest

import kubernetes_validate
import yaml

from scene import AGENT, ROOT, AgentCase, until

EXAMPLES = ROOT / "examples" / "agent"


class Unit(AgentCase):
    def unit(self):
        """The unit with the program that was built."""
        text = (EXAMPLES / "pintle-agent.service").read_text()
        self.assertIn("ExecStart=/usr/local/bin/pintle-agent run ", text)
        path = self.base / "pintle-agent.service"
        path.write_text(text.replace("/usr/local/bin/pintle-agent", AGENT))
        return path

    def test_it_is_valid_and_confined(self):
        verified = subprocess.run(["systemd-analyze", "verify", self.unit()], capture_output=True, text=True)
        self.assertEqual((verified.returncode, verified.stdout + verified.stderr), (0, ""))
        # In tenths: 0 is best, 100 is worst.
        scored = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", "--threshold=15", "--no-pager", self.unit()],
            capture_output=True, text=True)
        self.assertEqual(scored.returncode, 0, scored.stdout[-300:])
        print(re.search("Overall exposure level.*", scored.stdout)[0])

    def system_calls(self, group):
        """What one of systemd's names stands for; groups contain others."""
        text = subprocess.run(
            ["systemd-analyze", "syscall-filter", group], capture_output=True, text=True, check=True).stdout
        names = re.findall(r"^    (@?[a-z0-9_-]+)$", text, re.MULTILINE)
        return {call for name in names for call in (self.system_calls(name) if name[0] == "@" else [name])}

    def test_it_makes_no_system_call_that_the_unit_forbids(self):
        filters = re.findall("^SystemCallFilter=(~?)(@.*)$", self.unit().read_text(), re.MULTILINE)
        self.assertEqual(filters, [("", "@system-service"), ("~", "@privileged")])
        allowed = self.system_calls("@system-service") - self.system_calls("@privileged")
        self.assertNotIn("chown", allowed)
        log = self.base / "calls"
        agent = self.start("strace", "-Dqqf", "-o", str(log))
        self.wait_for(self.first, agent)
        agent.send_signal(signal.SIGTERM)
        agent.wait(30)
        made = set(re.findall(r"^\d+ +([a-z0-9_]+)\(", log.read_text(), re.MULTILINE))
        self.assertIn("renameat", made)
        self.assertEqual(made - allowed, set())

    def test_its_settings_are_those_of_the_agent(self):
        settings = dict(re.findall("^Environment=(PINTLE_[A-Z_]+)=(.*)$", self.unit().read_text(), re.MULTILINE))
        del settings["PINTLE_DIRECTORY"], settings["PINTLE_KEYSET_FILE"]
        # Nobody listens there, so nothing arrives; but the agent runs until it is asked to stop.
        here = {name: value.replace("pins.example.com", "127.0.0.1:1") for name, value in settings.items()}
        agent = self.start(**here | {"PINTLE_AUDIENCE": "test"})
        until(lambda: self.manager.lines("WATCHDOG=1"), self.said)
        agent.send_signal(signal.SIGHUP)
        agent.send_signal(signal.SIGTERM)
        self.assertEqual(agent.wait(30), 0, self.log.read_text())


class Kubernetes(AgentCase):
    def test_the_sidecar_is_valid(self):
        documents = list(yaml.safe_load_all((EXAMPLES / "kubernetes" / "sidecar.yaml").read_text()))
        for version in ("1.29", kubernetes_validate.latest_version()):
            for document in documents:
                kubernetes_validate.validate(document, version, strict=True)
        # The schemas are strict: an unknown field fails.
        documents[1]["spec"]["replica"] = 1
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(documents[1], "1.29", strict=True)

    def test_the_sidecar_is_confined_and_shares_the_folder_read_only(self):
        settings, deployment = yaml.safe_load_all((EXAMPLES / "kubernetes" / "sidecar.yaml").read_text())
        pod = deployment["spec"]["template"]["spec"]
        (agent,), (app,) = pod["initContainers"], pod["containers"]
        self.assertEqual(agent["restartPolicy"], "Always")
        self.assertTrue(pod["securityContext"]["runAsNonRoot"])
        for container in (agent, app):
            self.assertTrue(container["securityContext"]["readOnlyRootFilesystem"])
            self.assertEqual(container["securityContext"]["capabilities"], {"drop": ["ALL"]})
        self.assertTrue(next(mount for mount in app["volumeMounts"] if mount["name"] == "pins")["readOnly"])
        # The agent as its container starts it, with this machine's folders in place of the volumes.
        places = {"/pins": self.base / "volume", "/state": self.base / "state-volume", "/keyset": self.base}
        for place in list(places.values())[:2]:
            place.mkdir()
            place.chmod(0o777)  # as an emptyDir

        def here(text):
            return next((text.replace(path, str(place), 1) for path, place in places.items() if text.startswith(path)), text)

        self.folder = self.base / "volume" / "production"
        self.assertEqual(here(agent["args"][1]), str(self.folder))
        variables = {name: here(value) for name, value in settings["data"].items() if not value.startswith("https:")}
        running = self.start(**variables | {"PINTLE_AUDIENCE": "test"})
        self.wait_for(self.first, running)
        for probe in ("startupProbe", "livenessProbe"):
            program, *arguments = map(here, agent[probe]["exec"]["command"])
            self.assertEqual(program, "pintle-agent")
            until(lambda: self.run_agent(*arguments).returncode == 0, probe)
        app_reads = {variable["name"]: here(variable["value"]) for variable in app["env"]}
        self.assertEqual(app_reads["PINTLE_FILE_PATH"], str(self.folder / "manifest.json"))
        self.assertEqual(app_reads["PINTLE_KEYSET_FOLDER"], str(self.folder / "keysets"))


class Metrics(AgentCase):
    def test_promtool_accepts_them(self):
        agent = self.start()
        self.publish_second()
        self.wait_for(self.second, agent)
        until(lambda: self.metric("pintle_agent_folder_serial") == 2, "the serial")
        text = self.metrics.read_text()
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))
        # The service records its own metrics a moment later.
        until(lambda: self.metric("pintle_keyset_version") == 2, "the version of the keyset")
        until(lambda: (self.metric("pintle_activations_total") or 0) >= 1, "an activation")
        broken = subprocess.run(
            ["promtool", "check", "metrics"], input=text.replace("# TYPE", "# TIPE", 1) + "x", capture_output=True, text=True)
        self.assertNotEqual(broken.returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=1)
