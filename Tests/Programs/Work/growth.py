"""Inputs of growing size for commands: four times as much input must take about four times as long.

Scripts/check/work counts the instructions of each row for N and for 4 N, minus those for a tiny input.
"""

import base64
import hashlib
import json

# With sorting, four times as much takes a little more than four times as long; a pass through everything for each of
# its parts takes sixteen times as long.
LIMIT = 4.6
NOW = "2026-12-01"


def pin(name):
    return "sha256/" + base64.b64encode(hashlib.sha256(name.encode()).digest()).decode()


KEYS = {"now": {"pin": pin("now"), "position": "root"}, "next": {"pin": pin("next"), "custody": "vault"}}
SETS = {"web": {"active": ["now"], "backup": ["next"]}}
HEAD = (
    "version: 1\nmanifest:\n  audience: growth\n  limits:\n    max-hosts: 1000000\n"
    f"keys:\n  now:\n    pin: {KEYS['now']['pin']}\n    position: root\n"
    f"  next:\n    pin: {KEYS['next']['pin']}\n    custody: vault\n"
    "key-sets:\n  web:\n    active: [now]\n    backup: [next]\nhosts:\n")


def entry(number, host="", keys=" web", more=""):
    """A host that no rule complains of; what is put in is written as it is."""
    return (f"  - host: h{number}.example.com{host}\n    keys:{keys}\n    expires: 2027-03-01\n    on-expiry: enforce\n"
            f"{more}")


def lines(folder, count, **parts):
    parts = {name: text if callable(text) else lambda _, text=text: text for name, text in parts.items()}
    entries = (entry(number, **{name: text(number) for name, text in parts.items()}) for number in range(count))
    (folder / "policies").mkdir()
    (folder / "policies" / "manifest.yaml").write_text(HEAD + "".join(entries))


def files(folder, count, **parts):
    """One host a file."""
    lines(folder, 1)
    for number in range(1, count):
        (folder / "policies" / f"{number}.yaml").write_text("version: 1\nhosts:\n" + entry(number, **parts))


def misnamed(folder, count):
    lines(folder, 1)
    for number in range(count):
        (folder / "policies" / f"{number}.YAML").write_text("version: 1\n")


def broken_files(folder, count):
    lines(folder, 1)
    for number in range(count):
        (folder / "policies" / f"{number}.yaml").write_text("version: 1\nhosts: [\n")


def one_line(folder, count, **more):
    """A policy on one line of JSON."""
    hosts = [{"host": f"h{number}.example.com", "keys": "web", **({} if more else {"expires": "2027-03-01"}),
              "on-expiry": "enforce", **more} for number in range(count)]
    policy = {"version": 1, "manifest": {"audience": "growth", "limits": {"max-hosts": 1_000_000}}, "keys": KEYS,
              "key-sets": SETS, "hosts": hosts}
    (folder / "policies").mkdir()
    (folder / "policies" / "manifest.yaml").write_text(json.dumps(policy) + "\n")


def long_list(folder, count):
    """A list in brackets, of names that no field takes, with one mistake that has a fix."""
    lines(folder, 1, more=f"    probe: [{', '.join(f'h{number}' for number in range(count))}]\n    include-subdomain: true\n")


def unknown_fields(folder, count):
    lines(folder, 1, more="".join(f"    mode{number}: enforce\n" for number in range(count)))


def duplicate_fields(folder, count):
    values = ", ".join(f"https://r{number}.example.com/" for number in range(count))
    lines(folder, 1, more=f"    report-uris: [{values}]\n" + "    report-uris: https://r.example.com/\n" * count)


def codes(folder, count):
    """One comment with many codes."""
    several = ", ".join(f"P{number % 1_000:03}" for number in range(count))
    lines(folder, 1, host=f"  # pintle:allow {several} until 2027-01-01: so it is")


def sources(folder, count):
    """Files in which somebody has written pins, beside as many policy files."""
    files(folder, count)
    (folder / "code").mkdir()
    for number in range(count):
        (folder / "code" / f"{number}.txt").write_text(f"{pin('now')} {pin(str(number))}\n")


def pins_on_a_line(folder, count):
    lines(folder, 1)
    (folder / "code").mkdir()
    (folder / "code" / "pins.txt").write_text(" ".join(pin(str(number)) for number in range(count)) + "\n")


def android(folder, count):
    """Android's format on one line."""
    sets = "".join(
        f"<domain-config><domain>h{number}.example.com</domain><pin-set><pin digest=\"SHA-256\">{pin(str(number))[7:]}"
        f"</pin><pin digest=\"SHA-256\">{pin('next')[7:]}</pin></pin-set></domain-config>" for number in range(count))
    (folder / "pins.xml").write_text(
        f"<?xml version=\"1.0\" encoding=\"utf-8\"?><network-security-config>{sets}</network-security-config>")


def one_host_of_many_keys(folder, count):
    """One host's keys."""
    pins = "".join(f"<pin digest=\"SHA-256\">{pin(str(number))[7:]}</pin>" for number in range(count))
    (folder / "pins.xml").write_text(
        "<network-security-config><domain-config><domain>h.example.com</domain>"
        f"<pin-set>{pins}</pin-set></domain-config></network-security-config>")


def check(*more):
    return ["check", "policies", "--at", NOW, *more]


def named_files(folder):
    return sorted(str(path.relative_to(folder)) for path in (folder / "policies").glob("*.yaml"))


FIX = check("--fix", "--dry-run")
FMT = ["fmt", "--check", "policies"]
ALLOW = "  # pintle:allow P205 until 2027-01-01: so it is"
# What grows, N, how it is made, and each command that reads it.
ROWS = {
    "files": (300, files, [check(), FMT]),
    # Few, since ArgumentParser takes a time that grows with the square of the words that an argument takes.
    "files, each named": (50, files, [lambda folder: ["fmt", "--check", *named_files(folder)]]),
    "files with a finding": (200, lambda *to: files(*to, more="    include-subdomain: true\n"), [FIX]),
    "files that can't be read": (200, broken_files, [FMT]),
    "files that are skipped": (200, misnamed, [check(), FMT]),
    "nodes": (1000, lines, [check(), FMT]),
    "length of a line": (1000, one_line, [check(), FMT]),
    "findings on a line": (300, lambda *to: one_line(*to, mode="enforce"), [check(), FIX, check("--format", "sarif")]),
    "elements of a list": (5000, long_list, [check(), FIX, FMT]),
    "comments": (500, lambda *to: lines(*to, host=ALLOW), [check(), FIX, FMT]),
    "codes of a comment": (1000, codes, [check(), FIX]),
    "tags": (500, lambda *to: lines(*to, more="    reason: !!str why\n"), [check(), FIX]),
    "anchors": (500, lambda *to: lines(*to, more=lambda number: f"    reason: &a{number} why\n"), [check(), FIX]),
    "tabs": (500, lambda *to: lines(*to, keys="\tweb"), [check(), FIX]),
    "unknown fields": (500, unknown_fields, [check(), FIX]),
    "duplicate fields": (500, duplicate_fields, [check(), FIX]),
    "missing expiries": (500, lambda *to: lines(*to, more="    expires: never\n"), [check(), FIX]),
    "undefined keys": (500, lambda *to: lines(*to, keys=lambda number: f" w{number}"), [check(), FIX]),
    **{f"findings, as {name}": (500, lambda *to: lines(*to, more="    include-subdomain: true\n"),
                                [check("--format", name)])
       for name in ("text", "json", "sarif", "gitlab", "github", "junit", "markdown")},
    "changed lines": (500, lambda *to: lines(*to, keys="    web"), [["fmt", "--diff", "policies"]]),
    "files with pins": (200, sources, [["find", "code", "--policy", "policies"]]),
    "pins on a line": (1000, pins_on_a_line, [["find", "code", "--policy", "policies"]]),
    "imported line": (300, android, [["import", "android", "pins.xml", "-o", "-", "--at", NOW]]),
    "keys of one host": (200, one_host_of_many_keys, [["import", "android", "pins.xml", "-o", "-", "--at", NOW]]),
}


def words_of(command, folder):
    return command(folder) if callable(command) else command


def name_of(command):
    if callable(command):
        return "fmt --check FILE…"
    return " ".join(word for word in command if word not in ("policies", "--at", NOW, "-o", "-"))
