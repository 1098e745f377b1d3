"""python -m pintle decide: what this client would decide about a chain, and why."""

from __future__ import annotations

import argparse
import base64
import dataclasses
import datetime
import json
import pathlib
import re
import socket
import ssl
import sys
from typing import Any, NoReturn

from . import _deploy, _served
from ._decision import Decision, Error, Key
from ._download import printable
from ._rehearsal import Rehearsal
from ._store import Store
from ._tls import TLS_VERSIONS

# The exit statuses of the command line tool `pintle`.
FAILED, MISMATCH, UNREACHABLE, REJECTED, USAGE = 1, 4, 5, 6, 64
STEPS = ["", "which entry covers the host, and does it pin now", "trust evaluation", "is a denied key in the chain",
         "does a pinned key match at its position", "what happens on a mismatch"]
HEADINGS = {"allow": "ALLOW", "block": "BLOCK", "notPinned": "NOT PINNED"}
DISPOSITIONS = {"cancel": "refused", "useCredential": "used",
                "performDefaultHandling": "left to the client's own verification"}
PEM = re.compile(r"-----BEGIN ([^\r\n]*?)-----([^-]*)-----END \1-----")
# What may not be beside these blocks: marks with other dashes or in small letters, Base64 or DER of a certificate, NUL.
UNREAD = re.compile(
    r"-----(?:BEGIN|END) "
    r"|(?:--|[\x80-\xff])-* ?(?:BEGIN|END) (?:[A-Z0-9]+ )*(?:CERTIFICATE|KEY|CRL|PKCS7|CMS) ?[-\x80-\xff]"
    r"|(?<![A-Z0-9])(?-i:MI[A-P][A-Za-z0-9+/]{40})|0\x82..0\x82|\0", re.IGNORECASE | re.DOTALL)


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def leave(status: int, message: str, help: str | None = None) -> NoReturn:
    print(f"pintle: error: {printable(message)}", file=sys.stderr)
    if help:
        print(f"help: {printable(help)}", file=sys.stderr)
    sys.exit(status)


def read(path: pathlib.Path, limit: int = 1 << 20) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        leave(FAILED, f"'{path}' can't be read: {error.strerror}")
    if len(data) > limit:
        leave(FAILED, f"'{path}' has more than {limit} bytes")
    return data


def target(text: str) -> tuple[str, int]:
    match = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]\s]+))(?::(\d{1,5}))?", text)
    port = int(match[3] or 443) if match else 0
    if not match or not 0 < port < 65536:
        raise argparse.ArgumentTypeError(f"'{text}' is not a host like api.example.com or [2001:db8::1]:8443")
    return match[1] or match[2], port


def instant(text: str) -> int:
    if text == "now":
        return int(datetime.datetime.now(datetime.timezone.utc).timestamp())
    form = "%Y-%m-%dT%H:%M:%SZ" if "T" in text else "%Y-%m-%d"
    try:
        return int(datetime.datetime.strptime(text, form).replace(tzinfo=datetime.timezone.utc).timestamp())
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a time like 2027-06-01 or 2027-06-01T12:00:00Z") from None


def keysets(path: pathlib.Path) -> list[pathlib.Path]:
    """A file, or all versions of a folder, the newest first."""
    if not path.is_dir():
        return [path]
    versions = [int(match[1]) for each in path.iterdir()
                if (match := re.fullmatch(r"([1-9][0-9]{0,8})\.keyset\.json", each.name))]
    if not versions:
        leave(FAILED, f"'{path}' has no file like 1.keyset.json")
    return [path / f"{version}.keyset.json" for version in sorted(versions, reverse=True)]


def first_element(der: bytes) -> bytes:
    """The certificate of a 'TRUSTED CERTIFICATE': what openssl writes behind it is about anchors only."""
    count = der[1] - 0x80 if der[1] > 0x80 else 0
    return der[: 2 + count + (int.from_bytes(der[2 : 2 + count], "big") if count else der[1])]


def chain_of(path: pathlib.Path) -> list[bytes]:
    text = read(path).rstrip(b"\0").decode("latin-1")
    found = []
    for label, body in PEM.findall(text):
        if label not in ("CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"):
            leave(FAILED, f"'{path}' holds '{label}' where a certificate belongs")
        try:
            der = base64.b64decode("".join(body.split()), validate=True)
            found.append(first_element(der) if label == "TRUSTED CERTIFICATE" else der)
        except (ValueError, IndexError) as error:
            leave(FAILED, f"'{path}' has a certificate that can't be read: {error}")
    if unread := UNREAD.search(PEM.sub(lambda block: "\n" * block[0].count("\n"), text)):
        line = unread.string.count("\n", 0, unread.start()) + 1
        leave(FAILED, f"'{path}' has a certificate or a block that can't be read in line {line}")
    if not found:
        leave(FAILED, f"'{path}' has no certificate; pass PEM, the server's own first")
    return found


def ask_server(address: tuple[str, int], host: str, timeout: int) -> tuple[tuple[bytes, ...], int]:
    """What a live server sends, and the TLS version. Nothing is verified here, and no data is sent."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if _served.READS_MESSAGES:
        setattr(context, "_msg_callback", _served.keep_message)
    try:
        with socket.create_connection(address, timeout) as plain:
            with context.wrap_socket(plain, server_hostname=host) as connection:
                return _served.served_chain(connection), TLS_VERSIONS.get(connection.version() or "", 0)
    except (OSError, ValueError) as error:
        leave(UNREACHABLE, f"could not get the certificates of {address[0]}:{address[1]}: {error}")


def arguments(given: list[str]) -> argparse.Namespace:
    parser = Parser(prog="python -m pintle")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    decide = commands.add_parser(
        "decide", help="decide on a chain as a client would, and say why",
        description="Decide on a chain as a client would, and say why. The exit status is 0 for allow and notPinned, "
        "4 if the connection would be refused, 1, 5 or 6 if there is no decision, and 64 for a wrong command line.")
    add = decide.add_argument
    add("target", type=target, metavar="HOST[:PORT]", help="what the connection is for; the default port is 443")
    add("--manifest", type=pathlib.Path, required=True, metavar="PATH",
        help="the manifest that the client has; or a folder of all releases, to ask whether a server may install the "
             "certificate of --chain")
    add("--audience", metavar="NAME", help="the environment that the manifest must be for; required with a file")
    signers = decide.add_mutually_exclusive_group(required=True)
    signers.add_argument(
        "--key", type=pathlib.Path, action="append", metavar="FILE", help="a public key that may sign; repeatable")
    signers.add_argument(
        "--keyset", type=pathlib.Path, metavar="PATH",
        help="the keyset that the client ships, trusted as it is: a file, or a folder of all versions, of which the "
             "newest is taken")
    add("--threshold", type=int, metavar="COUNT", help="how many of the keys must have signed; 1 unless given")
    chain = decide.add_mutually_exclusive_group(required=True)
    chain.add_argument("--chain", type=pathlib.Path, metavar="FILE", help="the served chain (PEM), leaf first")
    chain.add_argument(
        "--connect", nargs="?", type=target, const=(), metavar="ADDRESS[:PORT]",
        help="take chain and TLS version from this live server; from the host itself if no address is given")
    add("--anchors", type=pathlib.Path, action="append", default=[], metavar="FILE",
        help="anchors (PEM) instead of the system's; repeatable")
    add("--role", choices=["server", "client"], default="server",
        help="whose chain it is; a client's is judged by the entry HOST, and no name is compared")
    add("--tls-version", choices=["1.2", "1.3"], help="the negotiated version, with --chain")
    add("--validation", choices=["replaced", "stands"], default="replaced",
        help="replaced: the store evaluates trust (the default, as in the package); stands: Python's ssl verifies the "
             "server first")
    add("--timeout", type=int, default=10, metavar="SECONDS")
    add("--at", type=instant, default="now", metavar="TIME", help="decide as of this time, such as 2027-06-01")
    add("--format", choices=["text", "json"], default="text")
    add("--served", type=pathlib.Path, metavar="FILE", help="with a folder: the chain that the server sends now")
    add("--client-max-age", type=_deploy.duration, metavar="DURATION",
        help="with a folder: how long clients may run a release after the next one; 90d unless given, as in policies")
    add("--accept-lockout", metavar="REASON",
        help="with a folder: succeed although clients are locked out; requires --record")
    add("--record", type=pathlib.Path, metavar="FILE", help="the file to which an accepted lockout is appended")
    options = parser.parse_args(given)
    folder = options.manifest.is_dir()
    if not folder and options.audience is None:
        parser.error("--audience is required with a manifest")
    for name in ("served", "client_max_age", "accept_lockout"):
        if not folder and getattr(options, name) is not None:
            parser.error(f"--{name.replace('_', '-')} requires a folder as --manifest")
    if (options.accept_lockout is None) != (options.record is None):
        parser.error("--accept-lockout and --record are given together")
    if options.accept_lockout is not None and not options.accept_lockout.strip():
        parser.error("--accept-lockout needs a reason")
    if folder and not options.target[0].isascii():
        parser.error("write the host in A-labels, like xn--bcher-kva.example: Python's own conversion is outdated")
    if folder and options.role == "client":
        parser.error("--role client is about one manifest: name the file")
    if options.connect is not None and options.tls_version:
        parser.error("--tls-version can't be combined with --connect: the live server says it")
    if options.connect is not None and options.role == "client":
        parser.error("--role client is for a chain in a file: give --chain")
    if options.threshold is not None and options.keyset:
        parser.error("--threshold can't be combined with --keyset, which has its own")
    if not 1 <= options.timeout <= 600:
        parser.error("--timeout is from 1 to 600 seconds")
    return options


def decide(options: argparse.Namespace) -> Decision:
    host, port = options.target
    manifest = read(options.manifest, 64 << 20)
    try:
        store = Store(
            signers=[read(path) for path in options.key or []], threshold=options.threshold, audience=options.audience,
            keyset=read(keysets(options.keyset)[0]) if options.keyset else None, embedded=manifest,
            clock=lambda: options.at, anchors=[read(path) for path in options.anchors])
    except Error as error:
        leave(USAGE if error.code == "argument" else REJECTED, f"{error} [{error.code}]")
    with store:
        problems = store.problems()
        if not problems and store.status()["serial"] == 0:
            problems = [("malformed-file", "the file is empty")]
        for code, message in problems:
            leave(REJECTED, f"'{options.manifest}' is rejected: {message} [{code}]")
        if options.chain:
            chain, version = tuple(chain_of(options.chain)), TLS_VERSIONS.get(f"TLSv{options.tls_version}", 0)
        else:
            chain, version = ask_server(options.connect or options.target, host, options.timeout)
        return store.evaluate(
            a_labels(host), port, chain, version, role=options.role, validation=options.validation, at=options.at)


def trusted(options: argparse.Namespace, **settings: Any) -> Store:
    return Store(clock=lambda: options.at, anchors=[read(path) for path in options.anchors], **settings)


def releases(options: argparse.Namespace) -> list[_deploy.Release]:
    """The verified releases of a folder; any version of the keyset may endorse one."""
    signers = [read(path) for path in options.key or []]
    versions: list[bytes | None] = [None]
    if options.keyset:
        versions = [read(path) for path in keysets(options.keyset)]
    found: dict[str, _deploy.Release] = {}
    rehearsal = Rehearsal()
    try:
        paths = _deploy.manifests(options.manifest)
    except OSError as error:
        leave(FAILED, f"'{options.manifest}' can't be read: {error}")
    for path, folder in paths:
        data = read(path, 64 << 20)
        try:
            audience = str(json.loads(data)["signed"]["audience"])
        except (ValueError, KeyError, TypeError):
            leave(REJECTED, f"'{path}' is not a manifest [malformed-file]")
        if folder not in (None, audience):
            leave(REJECTED, f"'{path}' is for the audience '{audience}'",
                  "Keep the releases of each audience in the folder of its name.")
        if options.audience not in (None, audience):
            continue
        problems: list[tuple[str, str]] = []
        for version in versions:
            try:
                store = trusted(
                    options, signers=signers, threshold=options.threshold, keyset=version, audience=audience,
                    embedded=data)
            except Error as error:
                if error.code == "argument":
                    leave(USAGE, str(error))
                problems = problems or [(error.code, str(error))]
                continue
            if serial := store.status()["serial"]:
                # Verified: now without its end.
                asked = trusted(
                    options, signers=[rehearsal.signer], threshold=1, audience=audience, embedded=rehearsal.lasting(data))
                release = _deploy.read_release(data, asked, epoch(version, versions[0], serial))
                found.setdefault(release.digest, release)
                break
            problems = problems or store.problems()
        else:
            code, message = problems[0] if problems else ("malformed-file", "the file is empty")
            leave(REJECTED, f"'{path}' is rejected: {message} [{code}]")
    if not found:
        leave(FAILED, f"'{options.manifest}' has no released manifest" + (
            f" for the audience '{options.audience}'" if options.audience else ""))
    return list(found.values())


def epoch(version: bytes | None, newest: bytes | None, serial: int) -> tuple[bool, int]:
    """The epoch of a release that a version endorses; before that, whether the newest one doesn't drop it."""
    if version is None or newest is None:
        return True, 1
    number, last = json.loads(version)["signed"]["serial-epoch"], json.loads(newest)["signed"]
    return number == last["serial-epoch"] or serial < last["minimum-serial"], number


def anchor_certificates(path: pathlib.Path) -> list[bytes]:
    """In DER, for their dates; the store has read the file before."""
    data = read(path)
    blocks = PEM.findall(data.decode("latin-1"))
    return [base64.b64decode("".join(body.split())) for label, body in blocks if "CERTIFICATE" in label] or [data]


def deploy(options: argparse.Namespace, label: str) -> int:
    host, port = options.target
    window = options.client_max_age or 90 * _deploy.DAY
    placed = _deploy.place_in_time(releases(options), window, options.at)
    if lacking := _deploy.missing(placed, window, options.at):
        name = f"{lacking.audience} serial {lacking.serial}"
        leave(FAILED, f"the release before {name} is missing, and clients may still run it",
              "Get all released manifests. If no client runs older ones, pass a shorter --client-max-age.")
    version = TLS_VERSIONS[f"TLSv{options.tls_version or '1.3'}"]
    if options.chain:
        chain = tuple(chain_of(options.chain))
    else:
        chain, version = ask_server(options.connect or options.target, host, options.timeout)
    served = tuple(chain_of(options.served)) if options.served else None

    def ask(store: Store, certificates: tuple[bytes, ...], at: int) -> Decision:
        return store.evaluate(host, port, certificates, version, at=at)

    anchors = tuple(der for path in options.anchors for der in anchor_certificates(path))
    used, found, pins = _deploy.lockouts(placed, chain, served, anchors, options.at, ask)
    is_locking = any(one.counts for one in found)
    acceptance = options.accept_lockout if is_locking else None
    facts = _deploy.facts(label, found, pins, options.at, acceptance)
    if acceptance is not None:
        try:
            _deploy.append(options.record, {**facts, "format": "pintle-accepted-lockout"})
        except OSError as error:
            leave(FAILED, f"can't write to '{options.record}': {error.strerror}; the lockout isn't accepted")
    print(json.dumps(facts, indent=2) if options.format == "json" else
          _deploy.text(label, used, found, pins, chain, served, window, options.at, acceptance))
    return MISMATCH if is_locking and acceptance is None else 0


def a_labels(host: str) -> str:
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return host


def text(decision: Decision, label: str) -> str:
    # Without the keys, which follow as a table.
    because = re.split("; (?:presented|served, not validated|required): ", decision.message)[0]
    rows = [(HEADINGS[decision.verdict], label), ("because", because),
            ("connection", DISPOSITIONS[decision.disposition]),
            ("step", f"{decision.step} of 5: {STEPS[decision.step]}"), ("entry", decision.entry or "none")]
    rows += [("key", f"{key} at certificate {place}") for key, place in decision.matches]
    rows += [("trust", f"{code}: {message}") for code, _, message in decision.failures]
    rows += [("events", ", ".join(decision.events) or "none"), ("manifest", f"serial {decision.serial}"),
             ("at", time_of(decision))]
    width = max(len(name) for name, _ in rows)
    return "\n".join([*(f"{name:<{width}}  {printable(value)}" for name, value in rows), *key_lines(decision)])


PLACES = {"any": "anywhere", "leaf": "at the leaf", "intermediate": "at an intermediate", "root": "at the root"}


def key_lines(decision: Decision) -> list[str]:
    """Of a refusal: the keys that the entry requires, and those that were presented."""
    lines: list[str] = []
    if decision.required:
        which = "one key at the leaf and one above it" if decision.requires_leaf_and_ca else "one key"
        lines += [f"the entry requires {which} of", *table(
            [[key.name or "", key.status, key.pin or "", PLACES[key.position]] for key in decision.required])]
    if decision.presented:
        lines += ["validated chain" if decision.chain else "served chain, not validated", *table(
            [[str(key.certificate), "" if key.position == "any" else key.position, key.pin or "unreadable key",
              key.name or "", "" if key.status == "unknown" else key.status] for key in decision.presented])]
    return lines


def table(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  " + "  ".join(f"{printable(cell):<{width}}" for cell, width in zip(row, widths) if width).rstrip()
            for row in rows]


def key_facts(keys: list[Key]) -> list[dict[str, object]]:
    return [dataclasses.asdict(key) for key in keys]


def time_of(decision: Decision) -> str:
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=decision.at)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def facts(decision: Decision, label: str) -> str:
    return json.dumps({
        "format": "pintle-client-decision", "version": 1, "target": label, "at": time_of(decision),
        "verdict": decision.verdict, "disposition": decision.disposition, "reason": decision.reason,
        "message": decision.message, "step": decision.step, "entry": decision.entry, "clock": decision.clock,
        "serial": decision.serial, "events": decision.events,
        "matches": [{"key": key, "certificate": place} for key, place in decision.matches],
        "failures": [{"code": code, "certificate": place, "message": message}
                     for code, place, message in decision.failures],
        "required": key_facts(decision.required), "presented": key_facts(decision.presented),
        "requires-leaf-and-ca": decision.requires_leaf_and_ca,
    }, indent=2)


def main(given: list[str]) -> int:
    options = arguments(given)
    host, port = options.target
    label = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if options.manifest.is_dir():
        return deploy(options, label)
    decision = decide(options)
    print((facts if options.format == "json" else text)(decision, label))
    return MISMATCH if decision.disposition == "cancel" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
