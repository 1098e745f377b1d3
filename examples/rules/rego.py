#!/usr/bin/env python3
"""Asks company.rego about a pin policy, for 'pintle check --rules'. Needs regopy, from PyPI.

With OPA: opa eval --stdin-input --data company.rego data.company.findings, with the same input.
"""

import json
import os
import pathlib
import sys

import regopy

RULES = pathlib.Path(__file__).with_name("company.rego")


def findings(policy, now):
    rego = regopy.Interpreter()
    rego.add_module("company", RULES.read_text())
    rego.set_input({"policy": policy, "now": now})
    return rego.query("data.company.findings").results[0].expressions[0]


if __name__ == "__main__":
    answer = {"version": 1, "findings": findings(json.load(sys.stdin), os.environ["PINTLE_AT"])}
    json.dump(answer, sys.stdout)
