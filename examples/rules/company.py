#!/usr/bin/env python3
"""Ten rules of Example Ltd. about a pin policy, for 'pintle check --rules'. Needs only Python.

Standard input: the policy, as 'pintle policy --format json' prints it. Standard output: findings.
"""

import json
import os
import re
import sys

# By their pins: anybody who edits the policy can give a key any name.
OUR_CAS = {
    "sha256/Nhm2gYZR8xOxvSGzON6MnIBVFOMA6Gwc5vdm1Cs3YcQ=",
    "sha256/ky9Nw5dxMTJxdSpaVkqXOd3O9ntEm/hXnIUNKIa1OhA=",
}
REPORTS = "https://reports.example.com/"


def is_payment(host):
    return host.startswith("pay.") or ".pay." in host


def is_about_payments(host, audience):
    """An entry that covers subdomains covers the payment host below it, unless that has an entry of its own."""
    if is_payment(host["host"]) or not host["include-subdomains"]:
        return is_payment(host["host"])
    return all(other["host"] != "pay." + host["host"] for other in audience["hosts"])


def years_from(now, years):
    """Instants are text such as 2026-11-21T00:00:00Z, which sorts as they do."""
    return f"{int(now[:4]) + years}{now[4:]}"


def key_findings(key, pointer, now):
    title = key.get("material", {}).get("algorithm", "")
    bits = re.fullmatch(r"RSA (\d+)", title)
    if bits and int(bits[1]) < 3072:
        yield "X108", "warning", f"key '{key['name']}' is {title}", pointer
    if key.get("created", now) < years_from(now, -3):
        yield "X109", "warning", f"key '{key['name']}' is from {key['created'][:10]}", pointer + "/created"


def host_findings(host, pointer, audience, now):
    keys = {key["name"]: key for key in audience["keys"]}
    sets = {one["name"]: one for one in audience["key-sets"]}
    members = sets.get(host.get("key-set"), {"active": [], "backup": []})
    active = [keys[name] for name in members["active"]]
    backup = [keys[name] for name in members["backup"]]
    name, is_enforced = host["host"], host["mode"] == "enforce"

    if is_about_payments(host, audience):
        for key in active + backup:
            if key.get("position") != "leaf" and key.get("pin") not in OUR_CAS:
                message = f"'{name}' uses '{key['name']}', which is not one of our CAs"
                yield "X101", "error", message, pointer + "/key-set"
    if not is_payment(name):
        pay = {
            key for other in audience["hosts"] if is_payment(other["host"]) and other.get("key-set") in sets
            for part in ("active", "backup") for key in sets[other["key-set"]][part]
            if keys[key].get("position") == "leaf"
        }
        for key in active + backup:
            if key["name"] in pay:
                yield "X110", "error", f"'{name}' uses '{key['name']}' of a payment host", pointer + "/key-set"
    if "expires" not in host and host["mode"] != "off":
        yield "X102", "error", f"the entry of '{name}' never expires", pointer
    if host.get("expires", "") > years_from(now, 1):
        yield "X102", "error", f"the entry of '{name}' expires in more than a year", pointer + "/expires"
    if is_enforced:
        used = {key.get("custody") for key in active if key.get("position") == "leaf"}
        spare = {key["custody"] for key in backup if key.get("position") == "leaf" and "custody" in key}
        # Of a key whose custody isn't known, nobody can say that another one is elsewhere.
        if None in used or not spare - used:
            yield "X103", "error", f"'{name}' has no leaf backup in another custody", pointer
        if host["include-subdomains"] and "reason" not in host:
            message = f"'{name}' enforces for all subdomains without a reason"
            yield "X105", "warning", message, pointer + "/include-subdomains"
        if host.get("on-expiry") == "unpinned":
            yield "X107", "error", f"'{name}' becomes unpinned when it expires", pointer + "/on-expiry"
    if not host.get("owner", "").endswith("@example.com"):
        yield "X104", "warning", f"'{name}' has no owner at example.com", pointer
    for number, uri in enumerate(host.get("report-uris", [])):
        if not uri.startswith(REPORTS):
            yield "X106", "error", f"reports of '{name}' go elsewhere", f"{pointer}/report-uris/{number}"


def findings(policy, now):
    found = []
    for number, audience in enumerate(policy["audiences"]):
        pointer = f"/audiences/{number}"
        for index, key in enumerate(audience["keys"]):
            found += key_findings(key, f"{pointer}/keys/{index}", now)
        for index, host in enumerate(audience["hosts"]):
            found += host_findings(host, f"{pointer}/hosts/{index}", audience, now)
    fields = ["code", "severity", "message", "pointer"]
    return [dict(zip(fields, one)) for one in found]


if __name__ == "__main__":
    answer = {"version": 1, "findings": findings(json.load(sys.stdin), os.environ["PINTLE_AT"])}
    json.dump(answer, sys.stdout)
