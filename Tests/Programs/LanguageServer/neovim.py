#!/usr/bin/env python3
"""Tests Neovim, set up by examples/editors/neovim.lua: it shows the findings of a policy and fixes one.

    .build/venv/bin/python Tests/Programs/LanguageServer/neovim.py

Runs the `pintle` of .build/debug, or of the folder that PINTLE_BUILD names.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PINTLE = pathlib.Path(os.environ.get("PINTLE_BUILD", ROOT / ".build" / "debug"), "pintle")


def main():
    if not shutil.which("nvim"):
        sys.exit("nvim is missing; Scripts/install-packages test installs it")
    with tempfile.TemporaryDirectory(prefix="pintle-nvim-") as work:
        work = pathlib.Path(work)
        shutil.copytree(ROOT / "policies", work / "policies")
        policy = work / "policies" / "web.yaml"
        policy.write_text(policy.read_text().replace("host: pypi.org\n", "host: pypi.org\n    include-subdomain: true\n"))
        (work / "bin").mkdir()
        # The samples are always judged as of the same day.
        tool = work / "bin" / "pintle"
        tool.write_text(f'#!/bin/sh\nexec {PINTLE.resolve()} "$@" --at 2026-11-21\n')
        tool.chmod(0o755)
        done = subprocess.run(
            ["nvim", "--headless", "-n", "-i", "NONE", "-u", ROOT / "examples" / "editors" / "neovim.lua", policy,
             "-S", HERE / "neovim.lua"],
            cwd=work,
            env={"PATH": f"{work}/bin:/usr/bin:/bin", "HOME": str(work), "XDG_STATE_HOME": str(work)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        told = done.stdout + done.stderr
        print(told.strip())
        if done.returncode:
            sys.exit(f"nvim ended with {done.returncode}")
        for wanted in ["P105 error: unknown field 'include-subdomain'", "hover: **Host `api.stripe.com`**",
                       "mended: yes", "findings left: 0"]:
            if wanted not in told:
                sys.exit(f"nvim didn't say {wanted!r}")
        if "    include-subdomains: true\n" not in policy.read_text():
            sys.exit("the mended text wasn't saved")


if __name__ == "__main__":
    main()
