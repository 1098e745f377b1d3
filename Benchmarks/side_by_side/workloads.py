"""What the work is done on. All of it is made once and kept in .build/bench/workload, seeded, except for the keys."""

import base64
import functools
import hashlib
import itertools
import json
import subprocess

from .programs import pintle
from .running import HERE, PLACE, quietly

HOST = "api.perf.test"
# When the policies hold, and when the chain and the manifests made of them do.
ISSUED, INSTANT, INSTANT_SECONDS = "2026-11-21", "2026-12-01T00:00:00Z", 1_796_083_200
FOLDER = PLACE / "workload"


@functools.cache
def chain():
    """The chain that is judged, leaf first; its parts are in the same folder, also in DER."""
    made = FOLDER / "chain.pem"
    if not made.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        pin = quietly("bash", HERE / "Fleets" / "chain.sh", FOLDER).split()[-1]
        (FOLDER / "leaf.pin").write_text(pin.removeprefix("sha256/"))
        for name in ("leaf", "intermediate", "root"):
            quietly("openssl", "x509", "-in", FOLDER / f"{name}.pem", "-outform", "DER", "-out", FOLDER / f"{name}.der")
    return made


@functools.cache
def signing_key():
    key = FOLDER / "release.key"
    if not key.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        quietly(pintle(), "key", key)
    return key


def public_key():
    return signing_key().with_suffix(".key.pub")


@functools.cache
def policy(count, *options):
    """A policy of so many hosts; with "--shared", hundred of them share a key set."""
    chain()
    folder = FOLDER / f"{name_of(count, options)}.policy"
    if not folder.exists():
        draft = folder.with_suffix(".draft")
        subprocess.run(["rm", "-rf", draft], check=True)
        # A file of a policy has 64 MiB at most.
        quietly("python3", HERE / "Fleets" / "policy.py", count, draft, *options, "--files", 1 + count // 150_000,
                "--pin", (FOLDER / "leaf.pin").read_text())
        draft.rename(folder)
    return folder


@functools.cache
def manifest(count, *options, serial=1):
    """The signed manifest of such a policy."""
    name = name_of(count, options) + ("" if serial == 1 else "-next")
    made = FOLDER / f"{name}.json"
    if not made.exists():
        build(policy(count, *options), made, serial)
    return made


def build(folder, out, serial=1):
    quietly(*build_command(folder, out, serial))


def build_command(folder, out, serial=1):
    return [pintle(), "build", folder, "-o", out, "--sign-key", signing_key(), "--serial", serial,
            "--issued-at", ISSUED, "--at", ISSUED]


@functools.cache
def flat(count, form):
    """What such a manifest says as others would write it: YAML, or a line of names and pins for each host."""
    made = FOLDER / f"own-{count}.flat.{form}"
    if not made.exists():
        quietly("python3", HERE / "Fleets" / "flat.py", manifest(count), made)
    return made


def name_of(count, options):
    return f"{'shared' if '--shared' in options else 'own'}-{count}"


@functools.cache
def small_files():
    """Ten files with ten hosts each, as people keep them."""
    folder = FOLDER / "ten-files.policy"
    if not folder.exists():
        quietly("python3", HERE / "Fleets" / "policy.py", "100", folder, "--files", "10")
    return folder


# Active roots and a backup, about which the rules have nothing to say: of one public CA, and of three.
SETS = [("google-trust-services/gts-root-r1", "google-trust-services/gts-root-r4", "digicert/digicert-global-root-g2"),
        ("lets-encrypt/isrg-root-x1", "lets-encrypt/isrg-root-x2", "lets-encrypt/root-ye", "lets-encrypt/root-yr",
         "google-trust-services/gts-root-r1"),
        ("digicert/digicert-global-root-g2", "digicert/digicert-global-root-g3", "google-trust-services/gts-root-r1")]


@functools.cache
def files_with_roots(count, are_known):
    """Ten files that pin roots of so many public CAs, or as many keys of which nothing is known."""
    sets = SETS[:count]
    folder = FOLDER / f"ten-files-{count}-{'known' if are_known else 'unknown'}.policy"
    if not folder.exists():
        draft = folder.with_suffix(".draft")
        subprocess.run(["rm", "-rf", draft], check=True)
        draft.mkdir(parents=True)
        text = "version: 1\nowner: fleet@example.com\nmanifest: { audience: fleet, client-max-age: 30d }\nkeys:\n"
        for name in sorted(set(itertools.chain(*sets))):
            pin = pin_of(name) if are_known else unknown(name)
            text += f"  {key_of(name)}: {{ pin: {pin}, position: root, custody: authority, created: 2026-01-01 }}\n"
        text += "key-sets:\n"
        for number, (*active, backup) in enumerate(sets):
            text += f"  set-{number}: {{ active: [{', '.join(map(key_of, active))}], backup: [{key_of(backup)}] }}\n"
        (draft / "manifest.yaml").write_text(text)
        for part in range(9):
            text = "version: 1\nowner: fleet@example.com\ndefaults: { on-expiry: enforce }\nhosts:\n"
            text += "".join(f"  - {{ host: h{number}.team{part}.example.net, expires: 2027-03-01, "
                            f"keys: set-{number % len(sets)} }}\n" for number in range(10))
            (draft / f"hosts-{part}.yaml").write_text(text)
        draft.rename(folder)
    return folder


def key_of(name):
    return name.split("/")[1]


def pin_of(name):
    authority, key = name.split("/")
    facts = json.loads(quietly(pintle(), "authorities", "show", authority, "--format", "json"))
    return next(known["pin"] for known in facts["authority"]["keys"] if known["name"] == key)


def unknown(name):
    return "sha256/" + base64.b64encode(hashlib.sha256(name.encode()).digest()).decode()
