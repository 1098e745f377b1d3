#!/usr/bin/env python3
"""Uses a release as somebody does who has only its files: no checkout, an empty home, and the programs of the system.

    Tests/Programs/Stranger/stranger.py FOLDER          a release, as Scripts/release writes it
    Tests/Programs/Stranger/stranger.py FOLDER URL      ... with this git repository of Pintle

It installs pintle and libpintle with install.sh, and makes a policy repository with `pintle init`. Its workflow is run
as GitHub would, up to the first release. With what that publishes, a program in C connects to a server, and a Swift
service whose package depends on Pintle by the git URL. Then two drafts have one serial, and a change would lock clients
out. The time of each stage is printed. The Debian packages are for Scripts/check/artefacts.

Without a URL, the repository is made of the release's source archive. A mount hides the checkout that this file is in.
"""

import argparse
import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from runner import Runner

HERE = pathlib.Path(__file__).resolve().parent
HIDE = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c",
        'mount -t tmpfs none "$0" && cd "$1" && shift && exec "$@"', HERE.parents[2]]
SYSTEM = "/usr/local/bin:/usr/bin:/bin"
SWIFTNIO = '.package(url: "https://github.com/apple/swift-nio", from: "2.95.0")'
HOST, INSIDE = "api.shop.example", "db.shop.internal"


def fail(message):
    sys.exit(f"stranger: {message}")


def needs(condition, message):
    if not condition:
        fail(message)


class Stranger:
    def __init__(self, folder, url):
        self.place = pathlib.Path(tempfile.mkdtemp())
        self.servers, self.home, self.prefix = [], self.place / "home", self.place / "prefix"
        self.home.mkdir()
        # What is downloaded, and what the stranger writes.
        self.release = shutil.copytree(folder, self.place / "release")
        for name in ("program.c", "service.swift"):
            shutil.copy(HERE / name, self.place)
        source = [file for file in self.release.glob("pintle-*.tar.gz") if "-linux-" not in file.name]
        needs(len(source) == 1, f"{folder} has {len(source)} source archives")
        self.version = source[0].name.removeprefix("pintle-").removesuffix(".tar.gz").removesuffix("-trial")
        subprocess.run(["tar", "-xzf", source[0], "-C", self.place], check=True)
        self.source = self.place / source[0].name.removesuffix(".tar.gz")
        self.url = url or self.published()
        # A stranger gets it in another way than with the release.
        key = subprocess.run(["openssl", "pkey", "-pubin", "-in", folder / "release.pub", "-outform", "DER"],
                             check=True, capture_output=True).stdout
        self.fingerprint = "sha256/" + base64.b64encode(hashlib.sha256(key).digest()).decode()
        self.began = self.stage_began = time.monotonic()
        self.stages = 0

    def end(self):
        for server in self.servers:
            server.kill()
            server.wait()
        shutil.rmtree(self.place)

    def published(self):
        """The source archive as a git repository, whose tag is the version."""
        self.sh(f"git init -q -b main && git add -A && git commit -qm Publish && git tag {self.version} && "
                "git clone -q --bare . ../pintle.git", self.source)
        return f"file://{self.place}/pintle.git"

    def done(self, text):
        self.stages += 1
        now = time.monotonic()
        print(f"{self.stages}  {now - self.stage_began:6.1f} s  {text}", flush=True)
        self.stage_began = now

    def run(self, script, place, environment):
        """Runs a script with nothing but the system, and an empty home; returns its exit status and its output."""
        values = {"PATH": SYSTEM, "HOME": self.home, **environment}
        done = subprocess.run(
            [*HIDE, place, "env", "-i", *(f"{name}={value}" for name, value in values.items()), "bash", "-ec", script],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def sh(self, script, place=None, status=0, says="", **environment):
        """Runs a script as the stranger, who has what was installed on the PATH; requires an exit status and a text."""
        ended, output = self.run(script, place or self.place, {
            "PATH": f"{self.prefix}/bin:{SYSTEM}", "GIT_AUTHOR_NAME": "Stranger", "GIT_AUTHOR_EMAIL": "s@shop.example",
            "GIT_COMMITTER_NAME": "Stranger", "GIT_COMMITTER_EMAIL": "s@shop.example", **environment})
        needs(ended == status, f"{script}\nended with {ended}, not {status}:\n{output}")
        needs(says in output, f"{script}\ndoesn't print '{says}':\n{output}")
        return output

    def listens(self, *command):
        """Starts a server and returns its port."""
        with open(self.place / "server.log", "w") as log:
            self.servers.append(subprocess.Popen(command, cwd=self.place, stdin=subprocess.DEVNULL, stdout=log,
                                                 stderr=subprocess.STDOUT))
        for _ in range(400):
            found = re.search(r"^ACCEPT .*:(\d+)$", (self.place / "server.log").read_text(), re.MULTILINE)
            if found:
                return int(found[1])
            time.sleep(0.05)
        fail(f"{command[0]} names no port")

    # Stages

    def install(self):
        self.sh(f"sh {self.release}/install.sh --from {self.release} --fingerprint {self.fingerprint} "
                f"--prefix {self.prefix} pintle libpintle")
        self.sh("pintle --version", says=self.version)
        self.done(f"install.sh installs pintle and libpintle {self.version}")

    def authority(self):
        """An own authority; the server, and an impostor that has the same names from it, but another key."""
        self.sh(f"""
            new() {{ openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -keyout $1.key "${{@:2}}"; }}
            new ca -x509 -out ca.pem -subj '/O=Shop/CN=Shop Authority' -days 3650
            new spare -out spare.csr -subj '/CN={HOST}'
            for name in server impostor; do
              new $name -out $name.csr -subj '/CN={HOST}'
              openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -days 90 -out $name.pem -extfile <(
                printf '%s\\n' subjectAltName=DNS:{HOST},DNS:www.shop.example,DNS:{INSIDE} \\
                  extendedKeyUsage=serverAuth authorityKeyIdentifier=keyid)
            done""")
        self.port, self.impostor = (
            self.listens("openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", f"{name}.pem", "-key", f"{name}.key",
                         "-www") for name in ("server", "impostor"))

    def policy(self):
        """A policy repository, two people who sign, and what GitHub would have: the repository, a runner, comments."""
        self.sh(f"""
            pintle init pins --yes --owner shop@shop.example --ci github --inside-runner inside --host {HOST} \\
              --host {INSIDE} --active server.pem --backup spare.csr --private-ca ca.pem \\
              --report-uri https://pins.shop.example/reports
            for name in root alice bob; do pintle key $name.key; done
            cd pins
            sed -i 's/^  mode: report-only$/  mode: enforce/' policies/hosts.yaml
            mkdir keysets
            pintle keyset init -o keysets/1.keyset.json --audience production --root root=../root.key.pub \\
              --root-threshold 1 --signer alice=../alice.key.pub --signer bob=../bob.key.pub --threshold 2 \\
              --expires $(date -u -d '+300 days' +%Y-%m-%d)
            pintle sign keysets/1.keyset.json --sign-key ../root.key
            git init -q -b main && git add -A && git commit -qm 'Pin the shop'
            git init -q --bare -b main ../origin && git remote add origin ../origin && git push -q -u origin main
            git clone -q ../origin ../alice && git clone -q ../origin ../bob && git clone -q ../origin ../hub""")
        api = self.listens(sys.executable, str(HERE / "notes.py"))
        self.runner = Runner(
            self.place, self.place / "origin", ".github/workflows/pins.yml", self.run,
            {"PATH": SYSTEM, "PINS_PROBE_OPTIONS": f"--connect-to ::127.0.0.1:{self.port}",
             "GITHUB_API_URL": f"http://127.0.0.1:{api}"},
            {"PINTLE_FROM": self.release, "PINTLE_FINGERPRINT": self.fingerprint},
            {"release": {"PINS_PUBLISH": f"install -D -t {self.place}/served"}})

    def results(self, event, **expected):
        """Requires the results of jobs; the others that ran must have succeeded."""
        for job, result in event.results.items():
            wanted = expected.get(job, result if result == "skipped" else "success")
            needs(result == wanted,
                  f"{event.github.ref}: {event.results}; {job} should be {wanted}\n{event.logs[job]}")
        return event

    def propose(self, branch, fork=False, **expected):
        """Opens a pull request or updates it, and runs its checks."""
        ref = "refs/pull/7/merge"
        expected = dict(inside="skipped", draft="skipped", publish="skipped", comment="success") | expected
        commit = self.merged(branch, f"-f origin HEAD:{ref}")
        return self.results(self.runner.event("pull_request", ref, commit, fork), **expected)

    def merge(self, branch, **expected):
        """Merges a pull request, and runs the jobs of the main branch."""
        return self.push(self.merged(branch, "origin HEAD:main"), **expected)

    def merged(self, branch, pushed):
        return self.sh(f"""
            git fetch -q && git checkout -q --detach origin/main
            git merge -q --no-ff -m Merge origin/{branch} >merge.log
            git push -q {pushed} && git rev-parse HEAD""", self.place / "hub").strip()

    def push(self, commit, **expected):
        expected = dict(comment="skipped", inside="success", draft="success", publish="success") | expected
        return self.results(self.runner.event("push", "refs/heads/main", commit), **expected)

    def change(self, person, branch, script):
        self.sh(f"""
            git fetch -q && git switch -q -c {branch} origin/main
            {script}
            git add -A && git commit -qm {branch} && git push -q origin {branch}""", self.place / person)

    def sign(self, person, file, **options):
        return self.sh(f"ci/pins sign {file}", self.place / person,
                       PINTLE_SIGNING_KEY=self.place / f"{person}.key", **options)

    def propose_release(self, draft, name):
        """Both sign a draft in a pull request, which is checked after each signature."""
        (self.place / f"{name}.json").write_bytes(draft)
        file = f"released/{name}.json"
        self.change("alice", f"release-{name}", f"mkdir -p released && cp ../{name}.json {file}")
        self.sh(f"pintle verify {file} --source git:", self.place / "alice", says="compiled again, the same bytes")
        self.sign("alice", file)
        self.sh(f"git commit -qam Sign && git push -q origin release-{name}", self.place / "alice")
        early = self.propose(f"release-{name}", gate="failure")
        needs("1 of 2 needed" in early.logs["gate"], early.logs["gate"])
        self.sh(f"git fetch -q && git switch -q release-{name}", self.place / "bob")
        self.sign("bob", file)
        self.sh("git commit -qam Sign && git push -q", self.place / "bob")

    def draft(self, event, serial):
        """The draft that an event built."""
        name, content = event.artefacts.get("draft", ("", b""))
        needs(f'"serial":{serial},'.encode() in content, f"no draft of serial {serial}: {name}\n{event.logs['draft']}")
        return content

    def served(self, name):
        """Clients fetch the release of this name."""
        self.sh(f"git --git-dir origin show main:released/{name}.json | cmp - served/manifest.json")

    def first_release(self):
        self.authority()
        self.policy()
        begun = self.sh("git rev-parse HEAD", self.place / "pins").strip()
        self.push(begun, gate="failure", draft="skipped", publish="failure")
        # Nothing on the base can vouch for the first release: a person makes it there.
        self.change("alice", "release-0001", "ci/pins draft && mkdir -p released && cp out/manifest.json released/0001.json")
        self.sign("alice", "released/0001.json --first-release")
        self.sh("git commit -qam Sign && git push -q origin release-0001", self.place / "alice")
        self.sh("git fetch -q && git switch -q release-0001", self.place / "bob")
        self.sign("bob", "released/0001.json --first-release")
        self.sh("git commit -qam Sign && git push -q && pintle gate --base origin/main --first-release", self.place / "bob")
        self.merge("release-0001")
        self.served("0001")
        self.done("from `pintle init` to a release that two people signed and the pipeline published")

    def connects(self, what, command, **environment):
        """A program is allowed to connect to the server, and refuses the impostor because of its key."""
        self.sh(f"{command} {HOST} {self.port}", says="allowed: ", **environment)
        minutes = (time.monotonic() - self.began) / 60
        refused = self.sh(f"{command} {HOST} {self.impostor} || true", says="refused: ", **environment)
        needs("none of the entry's pins matches the validated chain" in refused, refused)
        late = ", which is MORE THAN 10" if minutes > 10 else ""
        self.done(f"{what}: first pinned handshake at minute {minutes:.1f}{late}; an impostor is refused")

    def c(self):
        """Compiled by the command that the documentation shows."""
        page = (self.source / "docs/libpintle.md").read_text()
        self.sh(re.search(r"^cc .*", page, re.MULTILINE)[0], PKG_CONFIG_PATH=self.prefix / "lib/pkgconfig")
        self.connects("a program in C", "./program pins/keysets/1.keyset.json served/manifest.json",
                      LD_LIBRARY_PATH=self.prefix / "lib")

    def swift(self):
        """With the package that the documentation shows, and SwiftNIO for the connection."""
        package, sources = self.place / "service", self.place / "service/Sources/service"
        sources.mkdir(parents=True)
        shutil.copy(self.place / "service.swift", sources / "main.swift")
        manifest = (self.source / "examples/packages/service/Package.swift").read_text()
        products = (("PinNIOSSL", "pintle"), ("NIOCore", "swift-nio"), ("NIOPosix", "swift-nio"))
        for old, new in (
                ("https://…/pintle", self.url),
                ("],\n  targets:", f"] + [{SWIFTNIO}],\n  targets:"),
                ("dependencies: [\n        .product", "dependencies: [" + "".join(
                    f'.product(name: "{name}", package: "{package}"),' for name, package in products) + ".product")):
            needs(old in manifest, f"examples/packages/service/Package.swift has no {old!r}")
            manifest = manifest.replace(old, new)
        (package / "Package.swift").write_text(manifest)
        toolchain = pathlib.Path(shutil.which("swift") or fail("there is no swift on the PATH")).parent
        # To fetch packages, the network's own settings.
        network = {name: os.environ[name] for name in os.environ if re.search("(?i)_proxy$|^ssl_cert|^git_ssl", name)}
        self.sh("swift build", package, PATH=f"{toolchain}:{SYSTEM}", **network)
        self.connects(
            "a Swift service", "service/.build/debug/service", PINTLE_AUDIENCE="production",
            PINTLE_WITHOUT_MANIFEST="block", PINTLE_KEYSET_FILE=self.place / "pins/keysets/1.keyset.json",
            PINTLE_EMBEDDED_FILE=self.place / "served/manifest.json")

    def comment(self, text):
        notes = json.loads((self.place / "notes.json").read_text())
        needs(len(notes) == 2 and notes[0]["body"].endswith("a person's words") and text in notes[1]["body"],
              f"no comment with '{text}', but {notes}")

    def conflict(self):
        """Two changes are merged before either is released."""
        self.change("alice", "www", "printf '  - host: %s\\n    keys: web\\n' www.shop.example >>policies/hosts.yaml")
        self.change("bob", "reports", "sed -i s,pins.shop.example/reports,pins.shop.example/all, policies/hosts.yaml")
        self.propose("www")
        self.comment("pintle diff: safe")
        one = self.draft(self.merge("www"), 2)
        self.propose("reports")
        two = self.draft(self.merge("reports"), 2)
        needs(one != two, "both drafts are the same")
        self.propose_release(one, "0002")
        self.propose_release(two, "0002-b")
        self.propose("release-0002")
        self.merge("release-0002")
        self.served("0002")
        # Neither those who sign nor the checks accept the other one; after a merge, nothing is published or built.
        taken = "serial 2 is released already, with other signed bytes"
        self.sign("bob", "released/0002-b.json", status=3, says=taken)
        refused = self.propose("release-0002-b", gate="failure")
        needs(taken in refused.logs["gate"], refused.logs["gate"])
        failed = self.merge("release-0002-b", gate="failure", draft="skipped", publish="failure")
        needs("draft" not in failed.artefacts, "a draft was built on a conflict")
        self.served("0002")
        self.change("bob", "take-back", "git rm -q released/0002-b.json")
        third = self.draft(self.merge("take-back"), 3)
        self.propose_release(third, "0003")
        self.propose("release-0003")
        self.merge("release-0003")
        self.served("0003")
        self.done("two drafts with one serial: one is released, the other rejected everywhere, and its change is next")

    def lockout(self):
        """A change that would lock clients out is stopped, and the comment says so, except for a fork."""
        self.change("alice", "swap", "cp ../impostor.pem policies/keys/server.pem")
        self.propose("swap", fork=True, servers="failure", gate="failure", comment="skipped")
        self.comment("pintle diff: safe")
        self.propose("swap", servers="failure", gate="failure")
        self.comment("unsafe")
        self.done("a change that would lock clients out is stopped, and the comment says so")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("url", nargs="?")
    arguments = parser.parse_args()
    stranger = Stranger(arguments.folder, arguments.url)
    try:
        stranger.install()
        stranger.first_release()
        stranger.c()
        stranger.swift()
        stranger.conflict()
        stranger.lockout()
        print(f"altogether {(time.monotonic() - stranger.began) / 60:.1f} minutes")
    finally:
        stranger.end()


if __name__ == "__main__":
    main()
