"""What Python's fastest JSON libraries take to verify, decode and index one list of hosts with their pins.

  load.py orjson|msgspec JSON
"""

import base64
import datetime
import pathlib
import sys
import time

import msgspec
import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


class Host(msgspec.Struct, rename="kebab"):
    host: str
    include_subdomains: bool
    mode: str
    expires: datetime.datetime
    on_expiry: str
    pins: list[str]
    report_uris: list[str]


class Fleet(msgspec.Struct):
    version: int
    issued: str
    hosts: list[Host]


def digest(pin):
    return base64.b64decode(pin[len("sha256/"):], validate=True)


def with_orjson(content):
    return {host["host"]: (
        host["include-subdomains"], datetime.datetime.fromisoformat(host["expires"]),
        [digest(pin) for pin in host["pins"]]) for host in orjson.loads(content)["hosts"]}


def with_msgspec(content):
    return {host.host: (host.include_subdomains, host.expires, [digest(pin) for pin in host.pins])
            for host in msgspec.json.decode(content, type=Fleet).hosts}


def main():
    decode = {"orjson": with_orjson, "msgspec": with_msgspec}[sys.argv[1]]
    content = pathlib.Path(sys.argv[2]).read_bytes()
    key = Ed25519PrivateKey.from_private_bytes(bytes([7] * 32))
    signature, public = key.sign(content), key.public_key()
    begun = time.perf_counter_ns()
    public.verify(signature, content)
    index = decode(content)
    print(f"load {time.perf_counter_ns() - begun} ns")
    if not index:
        sys.exit("nothing was loaded")


if __name__ == "__main__":
    main()
