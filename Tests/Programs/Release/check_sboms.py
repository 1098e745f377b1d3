#!/usr/bin/env python3
"""Validates SBOMs with the schema of CycloneDX, and compares each with its artefact: the hash, and that it names parts.

    Tests/Programs/Release/check_sboms.py FILE.cdx.json...
"""

import hashlib
import json
import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

# Artefacts without parts: they have only headers.
WITHOUT_PARTS = ("libpintle-dev", "python3-pintle")  # headers, and modules of our own


def problems(file: pathlib.Path):
    text = file.read_text()
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if error:
        yield str(error)
        return
    document = json.loads(text)
    artefact = file.with_name(file.name.removesuffix(".cdx.json"))
    main = document["metadata"]["component"]
    if main["hashes"][0]["content"] != hashlib.sha256(artefact.read_bytes()).hexdigest():
        yield "it is of another file"
    if not document["components"] and main["name"] not in WITHOUT_PARTS:
        yield "it names no parts"


def main() -> int:
    found = [f"{name}: {problem}" for name in sys.argv[1:] for problem in problems(pathlib.Path(name))]
    print("\n".join(found) or f"{len(sys.argv) - 1} SBOMs are valid")
    return 1 if found or len(sys.argv) == 1 else 0


if __name__ == "__main__":
    sys.exit(main())
