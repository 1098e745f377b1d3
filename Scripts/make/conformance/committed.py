"""Reads the committed vectors, for tools that need their manifests and keysets rather than their rows."""

import base64
import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "Tests" / "Vectors"


def contents(kind):
    """All `manifests` or `keysets` of the vectors: bytes by name, sorted by name."""
    files = {}
    for path in FOLDER.glob("*.json"):
        files |= json.loads(path.read_text()).get(kind, {})
    return {name: data(files[name]) for name in sorted(files)}


def data(content):
    return content["text"].encode() if "text" in content else base64.b64decode(content["base64"])
