"""Runs a workflow of GitHub as its runner would, as far as pipelines of `pintle init` need it.

Conditions are evaluated, each job begins in an empty workspace and an empty home, and jobs share nothing but artefacts.
What this doesn't know (another action, a function in an expression) is an error.
"""

import pathlib
import re
import shutil
import tempfile

import yaml


class Names(dict):
    """Values by names with dots, as in expressions; what isn't there is empty."""

    def __getattr__(self, name):
        return self.get(name, Names())


def evaluate(expression, names):
    text = expression.strip().removeprefix("${{").removesuffix("}}").replace("&&", " and ").replace("||", " or ")
    return eval(" ".join(re.sub(r"!(?!=)", " not ", text).split()), {"__builtins__": {}}, dict(names))


def filled(text, names):
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(evaluate(found[1], names) or ""), str(text))


class Runner:
    """`run(script, place, environment)` runs a script and returns its status and its output."""

    def __init__(self, folder, origin, workflow, run, machine, variables, environments):
        self.folder, self.origin, self.workflow, self.run = folder, origin, workflow, run
        self.machine, self.variables, self.environments = machine, variables, environments

    def event(self, name, ref, commit, fork=False):
        """Runs all jobs for an event; returns their results (success, failure or skipped), logs and artefacts."""
        event = Event(self, Names(
            event_name=name, ref=ref, sha=commit, token="secret", repository="shop/pins",
            event=Names(pull_request=Names(head=Names(repo=Names(fork=fork))))))
        workflow = yaml.safe_load(self.workflow_of(commit))
        assert name in workflow[True], f"the workflow doesn't run on {name}"  # YAML 1.1 reads `on` as true
        for job, content in workflow["jobs"].items():
            event.job(job, content, workflow["env"])
        return event

    def workflow_of(self, commit):
        status, text = self.run(f"git --git-dir {self.origin} show {commit}:{self.workflow}", self.folder, {})
        assert status == 0, text
        return text


class Event:
    def __init__(self, runner, github):
        self.runner, self.github = runner, github
        self.results, self.logs, self.artefacts = {}, {}, {}

    def job(self, name, job, environment):
        needed = [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", [])
        needs = Names({other: Names(result=self.results[other]) for other in needed})
        context = {"github": self.github, "needs": needs, "cancelled": lambda: False}
        condition = job.get("if", "True")
        failed = any(self.results[other] != "success" for other in needed) and "cancelled()" not in condition
        self.logs[name] = ""
        if failed or not evaluate(condition, context):
            self.results[name] = "skipped"
            return
        # A self-hosted runner is a machine like the others here.
        place = pathlib.Path(tempfile.mkdtemp(dir=self.runner.folder))
        workspace, home = place / "workspace", place / "home"
        workspace.mkdir()
        home.mkdir()
        protected = self.runner.environments.get(job.get("environment"), {})
        context |= {
            "vars": Names(self.runner.variables | protected), "secrets": Names(),
            "hashFiles": lambda pattern: "".join(map(str, workspace.glob(pattern)))}
        environment = self.runner.machine | {
            "HOME": home, "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": self.github.event_name,
            "GITHUB_REF": self.github.ref, "GITHUB_SHA": self.github.sha, "GITHUB_REPOSITORY": self.github.repository,
            "GITHUB_STEP_SUMMARY": place / "summary.md", **environment, **job.get("env", {})}
        self.results[name] = "success"
        for step in job["steps"]:
            condition = step.get("if", "True")
            failed = self.results[name] != "success" and "cancelled()" not in condition
            if failed or not evaluate(condition, context):
                continue
            if not self.step(name, step, workspace, environment, context):
                self.results[name] = "failure"
        shutil.rmtree(place)

    def step(self, name, step, workspace, environment, context):
        """Whether it succeeds."""
        settings = {key: filled(value, context) for key, value in step.get("with", {}).items()}
        action = step.get("uses", "").partition("@")[0]
        if action == "actions/upload-artifact":
            for file in workspace.glob(settings["path"]):
                self.artefacts[settings["name"]] = (file.name, file.read_bytes())
            return True
        if action == "actions/download-artifact":
            assert settings["merge-multiple"] == "True", "artefacts in folders of their own"
            (workspace / settings["path"]).mkdir(exist_ok=True)
            for artefact, (file, content) in self.artefacts.items():
                if pathlib.PurePath(artefact).match(settings["pattern"]):
                    (workspace / settings["path"] / file).write_bytes(content)
            return True
        if action == "github/codeql-action/upload-sarif":
            return (workspace / settings["sarif_file"]).is_file()
        script = step.get("run")
        if action == "actions/checkout":
            script = self.checkout(settings)
        assert script, f"an unknown action: {step}"
        values = {key: filled(value, context) for key, value in (environment | step.get("env", {})).items()}
        status, output = self.runner.run(script, workspace, values)
        self.logs[name] += f"$ {step.get('run', action)}\n{output}"
        return status == 0

    def checkout(self, settings):
        place, commit = settings.get("path", "."), self.github.sha
        wanted = f"refs/heads/{settings['ref']}" if "ref" in settings else commit
        depth = "--depth=1"
        if settings.get("fetch-depth") == "0":
            depth, wanted = "", f"{wanted} '+refs/heads/*:refs/remotes/origin/*'"
        return (f"git init -q {place} && cd {place} && git remote add origin file://{self.runner.origin} && "
                f"git fetch -q {depth} origin {wanted} && git checkout -q --detach FETCH_HEAD")
