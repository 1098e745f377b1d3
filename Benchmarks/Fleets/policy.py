#!/usr/bin/env python3
"""Writes a policy of N hosts, on which reading, checking, compiling and loading are measured.

  Benchmarks/Fleets/policy.py N FOLDER [--shared] [--files N] [--pin BASE64]

Each host has two keys of its own, which no other names; with --shared, hundred hosts share a key set. Every fifth covers
its subdomains. The host in the middle is api.perf.test, whose backup key is the one of --pin. Seeded: the same arguments
give the same bytes. With --files the hosts and their keys are spread over so many files.
"""

import argparse
import base64
import pathlib
import random

HEAD = "version: 1\nowner: fleet@example.com\ndefaults:\n  on-expiry: enforce\n"
SETTINGS = "manifest:\n  audience: fleet\n  client-max-age: 30d\n  limits:\n    max-hosts: 1000000\n"


def key(name, pin):
    return f"  {name}:\n    pin: sha256/{pin}\n"


def spare(name, pin):
    return f"  {name}:\n    pin: sha256/{pin}\n    custody: vault\n    created: 2026-01-01\n"


def members(number, indent):
    return f"{indent}active: [k{number:07d}-now]\n{indent}backup: [k{number:07d}-next]\n"


def entry(number, host, keys):
    covers = "true" if number % 5 == 0 or host == "api.perf.test" else "false"
    return (f"  - host: {host}\n    include-subdomains: {covers}\n    expires: 2027-03-01\n"
            f"    report-uris: [https://pins.example.net/report]\n    keys:{keys}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--shared", action="store_true", help="hundred hosts share a key set")
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--pin", help="the pin of api.perf.test's backup key")
    arguments = parser.parse_args()
    dice = random.Random(7)
    middle = arguments.count // 2

    def pin():
        return base64.b64encode(dice.randbytes(32)).decode()

    arguments.folder.mkdir(parents=True)
    for part in range(arguments.files):
        keys, sets, hosts = [], [], []
        for number in range(part, arguments.count, arguments.files):
            host = "api.perf.test" if number == middle else f"h{number:07d}.team{number % 97}.corp-{number % 1009}.example.net"
            group = number // 100
            if not arguments.shared or number % 100 == 0:
                owner = group if arguments.shared else number
                is_known = arguments.pin and owner == (middle // 100 if arguments.shared else middle)
                keys.append(key(f"k{owner:07d}-now", pin()))
                keys.append(spare(f"k{owner:07d}-next", arguments.pin if is_known else pin()))
                if arguments.shared:
                    sets.append(f"  set-{group}:\n" + members(group, "    "))
            hosts.append(entry(number, host, f" set-{group}\n" if arguments.shared else "\n" + members(number, "      ")))
        name = "manifest" if part == 0 else f"hosts-{part}"
        text = [HEAD, SETTINGS if part == 0 else ""]
        text += ["keys:\n", *keys] if keys else []
        text += ["key-sets:\n", *sets] if sets else []
        text += ["hosts:\n", *hosts]
        (arguments.folder / f"{name}.yaml").write_text("".join(text))


if __name__ == "__main__":
    main()
