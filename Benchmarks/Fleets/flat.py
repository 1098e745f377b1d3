#!/usr/bin/env python3
"""Writes a manifest's content in a peer's format: one list of hosts, each with its pins.

  Benchmarks/Fleets/flat.py MANIFEST OUT.{yaml,txt}

The text has a line for each host: its name, whether it covers its subdomains, and its pins.
"""

import json
import pathlib
import sys


def read_hosts(manifest):
    signed = json.loads(manifest.read_bytes())["signed"]
    for entry in signed["hosts"]:
        members = signed["key-sets"][entry["key-set"]]
        yield {
            "host": entry["host"], "include-subdomains": "include-subdomains" in entry, "mode": entry["mode"],
            "expires": entry["expires"], "on-expiry": entry["on-expiry"],
            "pins": ["sha256/" + signed["keys"][name]["pin"] for name in members["active"] + members["backup"]],
            "report-uris": signed["reporting"][entry["reporting"]]}


def in_yaml(value):
    if isinstance(value, list):
        return f"[{', '.join(value)}]"
    return str(value).lower() if isinstance(value, bool) else value


def main():
    manifest, out = map(pathlib.Path, sys.argv[1:])
    hosts = list(read_hosts(manifest))
    if out.suffix == ".yaml":
        entries = ["  - " + "\n    ".join(f"{key}: {in_yaml(value)}" for key, value in host.items()) for host in hosts]
        text = 'version: 1\nissued: "2026-11-21T00:00:00Z"\nhosts:\n' + "\n".join(entries) + "\n"
    else:
        text = "".join(f"{host['host']} {int(host['include-subdomains'])} {' '.join(host['pins'])}\n" for host in hosts)
    out.write_text(text)


if __name__ == "__main__":
    main()
