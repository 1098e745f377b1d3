"""Reads manifests and keysets: the second implementation of docs/manifest-format.md and docs/keyset-format.md.

It was written from those pages alone, so that it shows which questions they leave open. It verifies signatures, reads
the content strictly, finds the entry of a host, and decides on a validated chain. It doesn't validate certificates: it is
given the pins of the chain, from the leaf to the anchor. It is for tests, not for programs.
"""

import base64
import hashlib
import ipaddress
import json
import re
from contextlib import contextmanager
from datetime import datetime
from functools import partial

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_public_key

MANIFEST_TYPE = "application/vnd.pintle.manifest.v1+json"
KEYSET_TYPE = "application/vnd.pintle.keyset.v1+json"
LARGEST_INTEGER = 2**53 - 1
LARGEST_FILE = 2**28 - 1
LARGEST_KEYSET = 65536
ACTIONS = ["enforce", "report-only", "unpinned", "block"]


class Refused(Exception):
    """The input is rejected, with a code of docs/vectors.md."""

    def __init__(self, code, detail=""):
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code


@contextmanager
def refusing(code):
    """Any error inside becomes a rejection with this code."""
    try:
        yield
    except (Refused, ValueError, RecursionError) as error:
        raise Refused(code, str(error)) from None


def must(condition, detail):
    if not condition:
        raise ValueError(detail)


# Canonical form

def encode(found):
    """The one encoding of a value."""
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def decode(data):
    """The value of canonical JSON: whatever isn't the encoding of its own meaning is refused."""
    found = json.loads(data.decode())
    must(encode(found) == data, "it isn't canonical")
    return found


# Values. Each reader returns what it was given, or its meaning, or refuses.

def checked(test, what):
    def read(found):
        must(test(found), f"{found!r} isn't {what}")
        return found
    return read


def integer(least=1, most=LARGEST_INTEGER):
    return checked(lambda found: type(found) is int and least <= found <= most, f"an integer from {least} to {most}")


def one_of(*words):
    return checked(lambda found: type(found) is str and found in words, f"one of {words}")


def matching(pattern, what):
    return checked(lambda found: type(found) is str and re.fullmatch(pattern, found), what)


digest = matching("[0-9a-f]{64}", "a digest")
commit = matching("[0-9a-f]{40}|[0-9a-f]{64}", "a commit")
name = matching("[a-z0-9][a-z0-9._-]{0,63}", "a name")
report_uri = matching(r"[!#-\[\]-~]{1,2048}", "a report URI")
text = checked(lambda found: type(found) is str and 1 <= len(encode(found)) - 2 <= 4096, "a text of 1 to 4096 bytes")
anything = checked(lambda found: True, "")


def is_instant(found):
    try:
        datetime.strptime(found, "%Y-%m-%dT%H:%M:%SZ")
        return re.fullmatch("[0-9]{4}(-[0-9]{2}){2}T([0-9]{2}:){2}[0-5][0-9]Z", found)
    except (ValueError, TypeError):
        return False


instant = checked(is_instant, "an instant")  # sorts as time does


def octets(least, most):
    """Base64, as bytes."""
    def read(found):
        try:
            data = base64.b64decode(found, validate=True)
        except (ValueError, TypeError):
            raise ValueError("not Base64") from None
        must(base64.b64encode(data).decode() == found, "Base64 in another form")
        must(least <= len(data) <= most, f"{len(data)} bytes, not {least} to {most}")
        return data
    return read


def rising(values):
    """Whether they are sorted, without repetition. All are ASCII, or tuples of ASCII, or bytes."""
    return all(first < second for first, second in zip(values, values[1:]))


def items(read, least=1, most=1024, is_sorted=False):
    def read_all(found):
        must(type(found) is list and least <= len(found) <= most, f"not a list of {least} to {most} items")
        result = [read(item) for item in found]
        must(not is_sorted or rising(result), "a list isn't sorted")
        return result
    return read_all


sorted_items = partial(items, is_sorted=True)


def fields(**readers):
    """An object. Dashes are underscores here; a field that may be absent begins with one."""
    known = {field.lstrip("_").replace("_", "-"): read for field, read in readers.items()}
    required = {field.replace("_", "-") for field in readers if not field.startswith("_")}

    def read_fields(found):
        must(type(found) is dict and required <= found.keys() <= known.keys(), "other fields, or no object")
        return {field: known[field](item) for field, item in found.items()}
    return read_fields


def mapping(read_name, read_value):
    def read_all(found):
        must(type(found) is dict, "not an object")
        return {read_name(key): read_value(item) for key, item in found.items()}
    return read_all


# Hosts

LABEL = re.compile("[a-z0-9_-]{1,63}")
LAST_NUMBER = re.compile("[0-9]+|0x[0-9a-f]*")


def address(asked):
    """The address in canonical form, or None."""
    try:
        found = ipaddress.ip_address(asked)
    except ValueError:
        return None
    if found.version == 4 or found.scope_id is not None:
        return str(found) if found.version == 4 else None
    return str(found.ipv4_mapped or found)


def canonical_host(asked):
    """What a client asks for, in canonical form, or None."""
    if not asked.isascii():
        return None
    asked = asked.lower()
    inner = asked[1:-1] if asked.startswith("[") and asked.endswith("]") else asked
    if ":" in inner:
        return address(inner)
    asked = asked.removesuffix(".")
    labels = asked.split(".")
    if LAST_NUMBER.fullmatch(labels[-1]):
        return address(asked)
    return asked if len(asked) <= 253 and all(LABEL.fullmatch(label) for label in labels) else None


def is_address(found):
    return ":" in found or LAST_NUMBER.fullmatch(found.rpartition(".")[2]) is not None


def is_host(found):
    """Whether an entry may have this name: in canonical form, without what only a question may have."""
    return type(found) is str and canonical_host(found) == found and (
        is_address(found) or not re.search(r"_|(^|\.)-|-(\.|$)", found))


host = checked(is_host, "a host")


def is_label(found):
    """Whether there could be an entry of this label."""
    parts = re.fullmatch(r"\[([0-9a-f:]+)\]:([1-9][0-9]{0,4})|([^:]+):([1-9][0-9]{0,4})|(.+)", found)
    return bool(parts) and is_host(parts[1] or parts[3] or parts[5]) and (
        int(parts[2] or parts[4] or 1) <= 65535 and (not parts[1] or ":" in parts[1]))


def label(entry):
    host_part = f"[{entry['host']}]" if ":" in entry["host"] and "port" in entry else entry["host"]
    return f"{host_part}:{entry['port']}" if "port" in entry else host_part


# Signing keys

ED25519 = bytes.fromhex("302a300506032b6570032100")
P256 = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
PRIME = 2**255 - 19
D = -121665 * pow(121666, -1, PRIME)


def is_usable_point(data):
    """Whether these are the one encoding of a point of edwards25519 that isn't of small order."""
    start = int.from_bytes(data, "little") % 2**255
    y, squares = start, []
    for _ in range(3):  # x² of the point, and y of its double
        squares.append((y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME)
        y = (y * y + squares[-1]) * pow(1 - D * squares[-1] * y * y, -1, PRIME) % PRIME
    return start < PRIME and pow(squares[0], PRIME // 2, PRIME) == 1 and y != 1


class Signer:
    """A public key that can sign, in its one encoding."""

    def __init__(self, spki):
        self.spki, self.identity = spki, hashlib.sha256(spki).hexdigest()
        with refusing("unusable-signer"):
            on_edwards = len(spki) == 44 and spki.startswith(ED25519) and is_usable_point(spki[12:])
            must(on_edwards or len(spki) == 91 and spki.startswith(P256), "not one encoding of a usable key")
            self.key = load_der_public_key(spki)

    def check(self, signature, message):
        algorithm = [] if len(self.spki) == 44 else [ec.ECDSA(hashes.SHA256())]
        try:
            self.key.verify(signature, message, *algorithm)
        except InvalidSignature:
            raise Refused("invalid-signature", self.identity) from None


def verify(file, signers, threshold):
    """The identities of the signers that signed, where they are enough."""
    known, found = {signer.identity: signer for signer in signers}, []
    for signature in file.signatures:
        if signer := known.get(signature["keyid"]):
            signer.check(signature["sig"], file.message)
            found.append(signer.identity)
    if len(found) < threshold:
        raise Refused("too-few-signatures", f"{len(found)} of {threshold}")
    return found


# Files

HEAD, JOINT = b'{"signatures":', b',"signed":'
read_signatures = items(fields(keyid=digest, sig=octets(1, 512)), 1, 64)


class File:
    """A file, split into its signatures and its signed bytes, of which nothing has been read."""

    def __init__(self, data, kind, most):
        if len(data) > most:
            raise Refused("too-large")
        joint = data.find(b"]" + JOINT) + 1
        self.signed = data[joint + len(JOINT):-1]
        with refusing("malformed-file"):
            must(data.startswith(HEAD) and joint > 0 and data.endswith(b"}"), "it isn't that of signed content")
            must(self.signed.startswith(b"{") and self.signed.endswith(b"}"), "no object is signed")
            self.signatures = read_signatures(decode(data[len(HEAD):joint]))
            must(rising([signature["keyid"] for signature in self.signatures]), "signatures aren't sorted")
        self.message = f"DSSEv1 {len(kind)} {kind} {len(self.signed)} ".encode() + self.signed

    def content(self, read, code):
        with refusing(code):
            return read(decode(self.signed))


def check_use(content, audience):
    if content["audience"] != audience:
        raise Refused("wrong-audience")
    if "critical" in content:
        raise Refused("unknown-extension")


# Manifests

failure = one_of("expired", "name-mismatch", "not-yet-valid", "weak-key", "weak-signature", "wrong-usage")
read_trust = fields(
    _anchors=sorted_items(digest), _certificate=digest, _intermediates=sorted_items(digest),
    _exceptions=items(fields(certificate=digest, failure=failure, reason=text, until=instant)),
    _minimum_ec_bits=integer(1, 65536), _minimum_rsa_bits=integer(1, 65536), _minimum_tls=one_of("1.2", "1.3"),
    _server_name=host, _signatures=sorted_items(one_of("ecdsa", "eddsa", "rsa-pkcs1", "rsa-pss")),
    _system_anchors=integer(0, 0))
read_entry = fields(
    host=host, mode=one_of("enforce", "off", "report-only"), _expires=instant, _include_subdomains=integer(1, 1),
    _key_set=anything, _on_expiry=one_of(*ACTIONS), _port=integer(1, 65535), _reporting=integer(0, 65535),
    _require=one_of("leaf-and-ca"), _trust=read_trust)
read_manifest = fields(
    audience=text, _certificates=mapping(digest, octets(1, 65536)), _critical=sorted_items(name, 1, 64),
    _drastic_change=text, expires=instant, hosts=items(read_entry, 0, LARGEST_INTEGER), issued=instant,
    key_sets=mapping(anything, fields(active=sorted_items(name, 0), backup=sorted_items(name, 0))),
    keys=mapping(name, fields(_denied=text, pin=octets(32, 32), _position=one_of("leaf", "intermediate", "root"))),
    on_stale=one_of(*ACTIONS), _previous=digest,
    provenance=fields(_commit=commit, compiler=text, sources=digest), refresh_after=instant,
    _reporting=items(items(report_uri, 1, 16), 1, 65536), serial=integer(), type=one_of(MANIFEST_TYPE),
    unpinned_hosts=one_of("allow", "deny"), version=integer(1, 1))


def checked_manifest(value):
    """The fields, and what none of them says by itself."""
    value = read_manifest(value)
    must(value["issued"] <= value["refresh-after"] <= value["expires"], "the dates aren't in order")
    must(value.get("certificates") != {}, "certificates is empty")
    for key_set_name, key_set in value["key-sets"].items():
        both = key_set["active"] + key_set["backup"]
        must(1 <= len(both) <= 1024, "a key set has 1 to 1024 names")
        must(all(key in value["keys"] for key in both), "a key that isn't there")
        must(not key_set_name.startswith("host:") or is_label(key_set_name[5:]), f"{key_set_name} has no label")
        key_set_name.startswith("host:") or name(key_set_name)
    entries, reporting = value["hosts"], value.get("reporting", [])
    must(rising([(entry["host"], entry.get("port", 0)) for entry in entries]), "entries aren't sorted")
    must(rising([encode(uris) for uris in reporting]), "the lists of report URIs aren't sorted")
    used = set()
    for entry in entries:
        check_entry(value, entry)
        used.add(entry.get("reporting"))
    must(used - {None} == set(range(len(reporting))), "the lists of report URIs aren't those that entries refer to")
    return value


def check_entry(value, entry):
    must(not (is_address(entry["host"]) and "include-subdomains" in entry), "an address has no subdomains")
    if entry["mode"] == "off":
        must(not entry.keys() - {"host", "include-subdomains", "mode", "port"}, "a field that has no effect")
        return
    must(entry.get("key-set") in list(value["key-sets"]), "an entry without its key set")
    must(("expires" in entry) == ("on-expiry" in entry), "expires and on-expiry go together")
    must(entry.get("trust") != {}, "trust is empty")
    trust = entry.get("trust", {})
    named = {*trust.get("anchors", []), *trust.get("intermediates", []), trust.get("certificate")} - {None}
    must(named <= value.get("certificates", {}).keys(), "a certificate that isn't there")
    must(rising([(one["certificate"], one["failure"]) for one in trust.get("exceptions", [])]), "unsorted exceptions")


class Client:
    """Whose signatures count for a client, how many, and what it is for."""

    def __init__(self, signers, threshold, audience):
        self.signers = {signer.identity: signer for signer in map(Signer, signers)}.values()
        self.threshold, self.audience = threshold, audience
        if not 1 <= threshold <= len(self.signers):
            raise Refused("unusable-threshold")


class Manifest:
    """A manifest that a client loaded."""

    def __init__(self, data, client, most=64 * 2**20):
        file = File(data, MANIFEST_TYPE, min(most, LARGEST_FILE))
        self.signed_by = verify(file, client.signers, client.threshold)
        self.value = file.content(checked_manifest, "malformed-manifest")
        check_use(self.value, client.audience)
        for identity, der in self.value.get("certificates", {}).items():
            with refusing("wrong-certificate"):
                must(hashlib.sha256(der).hexdigest() == identity, "another digest")
                x509.load_der_x509_certificate(der)
        self.entries = {(entry["host"], entry.get("port")): entry for entry in self.value["hosts"]}

    def entry(self, asked, port):
        """The entry that governs a host in canonical form, or None."""
        labels = [asked] if is_address(asked) else asked.split(".")
        for depth in range(len(labels)):
            for own_port in (port, None):
                found = self.entries.get((".".join(labels[depth:]), own_port))
                if found and (depth == 0 or "include-subdomains" in found):
                    return found
        return None

    def decide(self, asked, port, at, chain=None):
        """The answer, as docs/vectors.md writes it; without a validated chain the verdict is None from step 2 on."""
        value = self.value
        events = ["refresh-due"] * (at >= value["refresh-after"]) + ["manifest-stale"] * (at >= value["expires"])
        if (asked := canonical_host(asked)) is None:
            return answer("block", "invalid-host", 1, None, ["invalid-host", *events])
        entry = self.entry(asked, port)
        if entry is None or entry["mode"] == "off":
            reason, event = ("no-entry", "no-entry") if entry is None else ("off", "excluded")
            return self.not_pinned(reason, entry, [event, *events])
        clocks = []
        if at >= entry.get("expires", "~"):
            clocks, events = [(entry["on-expiry"], "entry")], ["entry-expired", *events]
        if at >= value["expires"]:
            clocks.append((value["on-stale"], "manifest"))
        action, clock = max(clocks, key=lambda one: ACTIONS.index(one[0]), default=("enforce", None))
        if action == "block":
            return answer("block", "expired", 1, entry, events, clock=clock)
        if action == "unpinned":
            return self.not_pinned("expired", entry, events, clock=clock)
        reports = "report-only" in (action, entry["mode"])
        events += ["report-only"] * reports
        if chain is None:
            return answer(None, None, None, entry, events)
        return self.decide_chain(entry, chain, events, reports)

    def not_pinned(self, reason, entry, events, **more):
        if self.value["unpinned-hosts"] == "deny":
            return answer("block", "unpinned-host", 1, entry, events, notPinned=reason, **more)
        return answer("notPinned", reason, 1, entry, events, **more)

    def decide_chain(self, entry, chain, events, reports):
        """Steps 3 to 5."""
        keys, key_set, last = self.value["keys"], self.value["key-sets"][entry["key-set"]], len(chain) - 1
        positions = {None: range(last + 1), "leaf": [0], "intermediate": range(1, last), "root": [last]}
        for place, pin in enumerate(chain):
            for key in sorted(keys):
                if "denied" in keys[key] and keys[key]["pin"] == pin:
                    match = {"key": key, "certificate": place}
                    return answer("block", "denied-key", 3, entry, [*events, "denied-key"], match=match)
        members = [(key, of) for of in ("active", "backup") for key in key_set[of]]
        found = [(place, key, of) for place, pin in enumerate(chain) for key, of in members
                 if keys[key]["pin"] == pin and place in positions[keys[key].get("position")]]
        needed = {"match": found} if "require" not in entry else {
            "leaf": [one for one in found if one[0] == 0], "authority": [one for one in found if one[0] > 0]}
        taken = {which: ones[0] for which, ones in needed.items() if ones}
        shown = {which: {"key": key, "certificate": place} for which, (place, key, _) in taken.items()}
        if len(taken) == len(needed):
            events += ["backup-key-matched"] * any(of == "backup" for _, _, of in taken.values())
            return answer("allow", "matched" if "match" in shown else "matched-both", 4, entry, events, **shown)
        missing = "no-key" if not shown else "leaf-missing" if "authority" in shown else "authority-missing"
        verdict, reason = ("allow", "mismatch-reported") if reports else ("block", "mismatch")
        return answer(verdict, reason, 5, entry, [*events, "mismatch"], mismatch=missing, **shown)


def answer(verdict, reason, step, entry, events, **more):
    return {"verdict": verdict, "reason": reason, "step": step, "entry": label(entry) if entry else None,
            "events": set(events), **more}


# Keysets

role = fields(keys=sorted_items(name, 1, 64), threshold=integer())
read_keyset = fields(
    audience=text, _critical=sorted_items(name, 1, 64), expires=instant, issued=instant,
    keys=mapping(name, octets(1, 128)), keyset_version=integer(), minimum_serial=integer(), roots=role,
    serial_epoch=integer(), signers=role, type=one_of(KEYSET_TYPE), version=integer(1, 1))


class Keyset:
    """A keyset: the first, that a client trusts as it was shipped, or the one that follows the trusted one."""

    def __init__(self, data, audience, trusted=None):
        file = File(data, KEYSET_TYPE, LARGEST_KEYSET)
        self.signed = file.signed
        if trusted:
            verify(file, trusted.roots, trusted.value["roots"]["threshold"])
        value = self.value = file.content(checked_keyset, "malformed-keyset")
        check_use(value, audience)
        if trusted:
            old = trusted.value
            steps = value["keyset-version"] - old["keyset-version"]
            if steps != 1:
                raise Refused("older-version" if steps < 0 else "skipped-version" if steps else "conflicting-version")
            if (value["serial-epoch"], value["minimum-serial"]) < (old["serial-epoch"], old["minimum-serial"]):
                raise Refused("serials-fall")
        keys = {key: Signer(spki) for key, spki in value["keys"].items()}
        self.roots = [keys[key] for key in value["roots"]["keys"]]
        verify(file, self.roots, value["roots"]["threshold"])

    def successor(self, data):
        """The next version; or itself, where the signed bytes are its own."""
        same = File(data, KEYSET_TYPE, LARGEST_KEYSET).signed == self.signed
        return self if same else Keyset(data, self.value["audience"], self)

    def client(self):
        """Who signs manifests under it."""
        keys = [self.value["keys"][key] for key in self.value["signers"]["keys"]]
        return Client(keys, self.value["signers"]["threshold"], self.value["audience"])


def checked_keyset(value):
    value = read_keyset(value)
    must(value["issued"] <= value["expires"], "it expires before it is issued")
    used = set()
    for which in ("roots", "signers"):
        used |= set(value[which]["keys"])
        must(value[which]["threshold"] <= len(value[which]["keys"]), "a threshold that can't be reached")
    must(used == value["keys"].keys(), "the keys aren't those of the roles")
    must(len(set(value["keys"].values())) == len(value["keys"]), "a key has two names")
    return value
