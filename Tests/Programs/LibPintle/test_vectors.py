#!/usr/bin/env python3
"""Runs the conformance vectors (docs/vectors.md) through the C library.

    .build/wheel/newest/bin/python Tests/Programs/LibPintle/test_vectors.py     # Scripts/check/wheel makes this environment

A vector is a store that is opened with the manifest as the one that was shipped, and asked. The C library doesn't say who
signed a manifest; everything else is compared unchanged.
"""

import base64
import calendar
import json
import os
import pathlib
import re
import ssl
import sys
import tempfile
import time

# The system's trust store is empty, so that a vector without anchors has none.
os.environ["SSL_CERT_FILE"] = os.environ["SSL_CERT_DIR"] = os.devnull

import pintle  # noqa: E402

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "Vectors"
# The kind of client that this is: libpintle and Python's ssl use the same libcrypto.
CLIENT = "openssl-3.5" if ssl.OPENSSL_VERSION_INFO >= (3, 5) else "openssl-3.0"
TLS_VERSIONS = {None: 0, "1.2": 0x0303, "1.3": 0x0304}


class Fields:
    """The fields of a JSON object, each read once: a field that isn't read is an error."""

    def __init__(self, value):
        self.value = dict(value)

    def take(self, *names):
        taken = [self.value.pop(name) for name in names]
        return taken[0] if len(names) == 1 else taken

    def has(self, name):
        return name in self.value

    def finish(self):
        if self.value:
            raise ValueError(f"this runner doesn't know the fields {sorted(self.value)}")


def load(name):
    fields = Fields(json.loads((VECTORS / name).read_text()))
    if fields.take("format") != 1:
        raise ValueError(f"{name}: another format")
    return fields


def inputs(name, kind, read):
    fields = load(name)
    result = {key: read(value) for key, value in fields.take(kind).items()}
    fields.finish()
    return result


def certificate(value):
    fields = Fields(value)
    der, _ = fields.take("der", "sha256")
    fields.finish()
    return base64.b64decode(der)


def content(value):
    fields = Fields(value)
    data = fields.take("text").encode() if fields.has("text") else base64.b64decode(fields.take("base64"))
    fields.finish()
    return data


CERTIFICATES = inputs("certificates.json", "certificates", certificate)
SIGNERS = inputs("signers.json", "signers", base64.b64decode)
# Those of shared.json, and of the theme that is run.
MANIFESTS, KEYSETS = {}, {}


def take_files(fields):
    for into, field in ((MANIFESTS, "manifests"), (KEYSETS, "keysets")):
        into |= {name: content(value) for name, value in fields.take(field).items()}
    fields.finish()


def seconds(instant):
    return calendar.timegm(time.strptime(instant, "%Y-%m-%dT%H:%M:%SZ"))


def client(value):
    fields = Fields(value)
    settings = {"audience": fields.take("audience")}
    if fields.has("keyset"):
        settings["keyset"] = keyset(fields.take("keyset"))
    else:
        signers, threshold = fields.take("signers", "threshold")
        settings |= {"signers": [SIGNERS[name] for name in signers], "threshold": threshold}
    fields.finish()
    return settings


def manifest(name):
    return MANIFESTS[name]


def keyset(name):
    return KEYSETS[name]


def ask(store, handshake, transport, at):
    fields = Fields(handshake)
    peer, host, port, certificates, tls = fields.take("peer", "host", "port", "certificates", "tlsVersion")
    fields.finish()
    chain = [CERTIFICATES[name] for name in certificates]
    if transport not in ("stands", "replaced"):
        raise ValueError(f"{transport} is no transport")
    return answer(store.evaluate(host, port, chain, TLS_VERSIONS[tls], role=peer, validation=transport, at=at))


def answer(decision):
    """A decision as vectors write it."""
    result = {
        "verdict": decision.verdict, "reason": decision.reason, "step": decision.step, "entry": decision.entry,
        "events": decision.events, "disposition": decision.disposition,
    }
    if decision.clock is not None:
        result["clock"] = decision.clock
    matches = [{"key": key, "certificate": place} for key, place in decision.matches]
    if decision.reason in ("matched", "denied-key"):
        (result["match"],) = matches
    elif decision.reason == "matched-both":
        result["leaf"], result["authority"] = matches
    elif decision.reason in ("mismatch", "mismatch-reported"):
        if not matches:
            result["mismatch"] = "no-key"
        elif matches[0]["certificate"] == 0:
            (result["leaf"],) = matches
            result["mismatch"] = "authority-missing"
        else:
            (result["authority"],) = matches
            result["mismatch"] = "leaf-missing"
    elif matches:
        raise ValueError(f"matches beside {decision.reason}")
    if decision.reason == "unpinned-host":
        if decision.clock:
            result["notPinned"] = "expired"
        else:
            result["notPinned"] = "off" if "excluded" in decision.events else "no-entry"
    if decision.failures:
        code, place, _ = decision.failures[0]
        result["failure"] = {"code": code, "certificate": place}
    return result


def decision_row(row):
    settings, file, anchors, handshake, instant, transport = row.take(
        "client", "manifest", "anchors", "handshake", "instant", "transport")
    with pintle.Store(
        **client(settings), embedded=manifest(file), anchors=[CERTIFICATES[name] for name in anchors]
    ) as store:
        if store.problems():
            raise ValueError(f"the manifest was refused: {store.problems()}")
        return ask(store, handshake, transport, seconds(instant))


def load_row(row):
    settings, file, maximum = row.take("client", "manifest", "maximumBytes")
    try:
        store = pintle.Store(**client(settings), embedded=manifest(file), maximum_bytes=maximum or 0)
    except pintle.Error as error:
        return {"result": "refused", "error": error.code}
    with store:
        problems = store.problems()
        if problems:
            (problem,) = problems
            return {"result": "refused", "error": problem[0]}
        # A store treats an empty embedded manifest like a missing one.
        status = store.status()
        if status["source"] == "none":
            return {"result": "refused", "error": "malformed-file"}
        return {"result": "loaded", "serial": status["serial"]}


class Clock:
    now = 0

    def __call__(self):
        return self.now


def store_row(row):
    """Answers all steps, each in the place of its own."""
    settings, anchors, without, directory, loss, steps = row.take(
        "client", "anchors", "withoutManifest", "directory", "maximumLossPercent", "steps")
    settings = client(settings) | {
        "anchors": [CERTIFICATES[name] for name in anchors], "without_manifest": without, "maximum_loss_percent": loss,
        "clock": (clock := Clock()),
    }
    store, answers = None, []
    with tempfile.TemporaryDirectory() as folder:
        settings["directory"] = folder if directory else None
        try:
            for value in steps:
                step = Fields(value)
                action, at, _ = step.take("action", "at", "expected")
                clock.now = seconds(at)
                if action == "open":
                    if store:
                        store.close()
                    shipped = step.take("embedded")
                    if step.has("keyset"):
                        settings["keyset"] = keyset(step.take("keyset"))
                        settings |= {"signers": (), "threshold": None}
                    store = pintle.Store(**settings, embedded=manifest(shipped) if shipped else b"")
                    problems = list(dict.fromkeys(code for code, _ in store.problems()))
                    answers.append({"source": store.status()["source"], "problems": problems})
                elif action == "update":
                    answers.append(update(store.update, manifest(step.take("manifest"))))
                elif action == "update-keyset":
                    answers.append(update(store.update_keyset, keyset(step.take("keyset"))))
                elif action == "decide":
                    answers.append(ask(store, *step.take("handshake", "transport"), pintle.NOW))
                elif action == "status":
                    answers.append(status(store))
                else:
                    raise ValueError(f"this runner doesn't know the action {action}")
                step.finish()
        finally:
            if store:
                store.close()
    return answers


def update(take, bytes):
    try:
        return {"result": "activated" if take(bytes) else "unchanged"}
    except pintle.Error as error:
        return {"result": "refused", "error": error.code}


def status(store):
    found = store.status()
    answer = {
        "source": found["source"], "serial": found["serial"], "highestSerial": found["highest_serial"],
        "freshness": found["freshness"], "now": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(found["now"])),
    }
    if found["keyset_version"]:
        answer |= {
            "keyset": found["keyset_version"], "keysetExpired": found["keyset_expired"], "endorsed": found["endorsed"],
        }
    return answer


def anchors_of(page):
    """The sections of a page, as links name them."""
    lines = (VECTORS.parent.parent / page).read_text().splitlines()
    titles = [line.lstrip("#").strip().lower() for line in lines if line.startswith("#")]
    return {re.sub("[^a-z0-9 -]", "", title).replace(" ", "-") for title in titles}


def check_section(section, known={}):
    """A vector must name an existing section of a page."""
    page, _, anchor = section.partition("#")
    if page not in known:
        known[page] = anchors_of(page)
    if anchor not in known[page]:
        raise ValueError(f"{section} isn't there")


def expectation(kind, row):
    """What is expected: of a store, that of each step."""
    if kind == "store":
        return [step["expected"] for step in row.value["steps"]]
    expected = row.take("expected")
    if row.has("expectedBy"):
        expected = row.take("expectedBy").get(CLIENT, expected)
    if kind == "load":
        expected.pop("signedBy", None)
    return expected


KINDS = {"decision": decision_row, "load": load_row, "store": store_row}


def main():
    count, failures = 0, 0
    for path in sorted(VECTORS.glob("*.json")):
        if path.name in ("certificates.json", "signers.json", "shared.json"):
            continue
        file = load(path.name)
        theme, kind, _, rows = file.take("theme", "kind", "about", "vectors")
        MANIFESTS.clear()
        KEYSETS.clear()
        take_files(load("shared.json"))
        take_files(file)
        for value in rows:
            row = Fields(value)
            identifier, _, section = row.take("id", "comment", "section")
            check_section(section)
            expected = expectation(kind, row)
            found = KINDS[kind](row)
            row.finish()
            count += 1
            if found != expected:
                failures += 1
                print(f"{theme}/{identifier}:\n  expected {expected}\n  found    {found}", file=sys.stderr)
    print(f"{count} vectors by the C library {pintle.version()} on {ssl.OPENSSL_VERSION}, {failures} answered otherwise")
    return 1 if failures or count < 1500 else 0


if __name__ == "__main__":
    sys.exit(main())
