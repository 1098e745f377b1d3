"""The measured programs: release builds of Pintle, floors in C, and peers in Go and Python."""

import functools
import os
import pathlib
import shutil
import sys

from .running import HERE, PLACE, ROOT, quietly, run


@functools.cache
def pintle():
    quietly(ROOT / "Scripts/build/static", "--bare")
    return ROOT / ".build/static/dist/bin/pintle"


@functools.cache
def measured_work():
    return pathlib.Path(quietly(ROOT / "Scripts/build/static", "--product", "measured-work").split()[-1])


def work(*words):
    """The time that measured-work reports, in seconds."""
    return run(measured_work(), *words).figure()


@functools.cache
def floor(name):
    """A floor in C, by the name of its source."""
    program = PLACE / name
    PLACE.mkdir(parents=True, exist_ok=True)
    quietly("cc", "-O2", "-o", program, HERE / "Floors" / f"{name}.c", "-lyaml", "-lssl", "-lcrypto")
    return program


@functools.cache
def go_peer():
    program = PLACE / "peer-go"
    PLACE.mkdir(parents=True, exist_ok=True)
    # Debian's own copy of the libraries, so that nothing is fetched.
    environment = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode"}
    quietly("go", "build", "-o", program, cwd=HERE / "Peers" / "go", env=environment)
    return program


@functools.cache
def python():
    """A virtual environment, made again if the requirements change."""
    place = ROOT / ".build" / "benchmark-venv"
    wanted, installed = HERE / "requirements.txt", place / "requirements.txt"
    if not installed.exists() or installed.read_bytes() != wanted.read_bytes():
        shutil.rmtree(place, ignore_errors=True)
        quietly(sys.executable, "-m", "venv", place)
        quietly(place / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "-r", wanted)
        shutil.copy(wanted, installed)
    return place / "bin" / "python"
