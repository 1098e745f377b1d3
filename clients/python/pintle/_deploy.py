"""python -m pintle decide with a folder of releases: may a server install a certificate?

As `pintle decide` answers it, by this client: it asks the library about each release in use, each day until the
certificate ends and whenever an answer may change. Kinds of clients other than this one aren't asked about.
"""

from __future__ import annotations

import base64
import bisect
import dataclasses
import datetime
import errno
import hashlib
import json
import os
import pathlib
import re
from collections.abc import Callable
from typing import Any

from ._decision import Decision
from ._download import printable
from ._rehearsal import signed_bytes
from ._store import Store

DAY = 86400
END = 253402300799  # 9999-12-31T23:59:59Z
Answer = Callable[[Store, tuple[bytes, ...], int], Decision]


def instant(text: str) -> int:
    moment = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    return int(moment.replace(tzinfo=datetime.timezone.utc).timestamp())


def written(seconds: int) -> str:
    return (datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def duration(text: str) -> int:
    match = re.fullmatch(r"([1-9]\d{0,5})([dhm])", text)
    if not match:
        raise ValueError(text)
    return int(match[1]) * {"d": DAY, "h": 3600, "m": 60}[match[2]]


def element(der: bytes, start: int) -> tuple[int, int, int]:
    """The tag of an element, and where its content begins and ends."""
    size, begin = der[start + 1], start + 2
    if size & 0x80:
        begin += size & 0x7F
        size = int.from_bytes(der[start + 2 : begin], "big")
    return der[start], begin, begin + size


def dates(der: bytes) -> tuple[int, int] | None:
    """From when until when a certificate is valid (RFC 5280 section 4.1); None if it can't be read."""
    try:
        place = element(der, element(der, 0)[1])[1]
        if der[place] == 0xA0:  # the version
            place = element(der, place)[2]
        for _ in range(3):  # serial, signature, issuer
            place = element(der, place)[2]
        place = element(der, place)[1]
        found = []
        for _ in range(2):
            tag, begin, end = element(der, place)
            text, place = der[begin:end].decode("ascii"), end
            if tag == 0x17:  # UTCTime, of 1950 to 2049
                text = ("19" if text >= "5" else "20") + text
            moment = datetime.datetime.strptime(text, "%Y%m%d%H%M%SZ")
            found.append(int(moment.replace(tzinfo=datetime.timezone.utc).timestamp()))
        return found[0], found[1]
    except (IndexError, ValueError):
        return None


@dataclasses.dataclass
class Release:
    """One of those in the folder. `epoch` begins with False for those that the newest keyset drops."""

    audience: str
    epoch: tuple[bool, int]
    serial: int
    issued: int
    digest: str
    previous: str | None
    store: Store
    changes: list[int]
    blocks_when_stale: bool
    expires: int
    begin: int = 0  # from when on clients may run it; `end` is None for the newest
    end: int | None = None


@dataclasses.dataclass
class Lockout:
    release: Release
    begin: int
    decision: Decision
    counts: bool


def read_release(data: bytes, store: Store, epoch: tuple[bool, int]) -> Release:
    """What a manifest says of itself. It was verified before."""
    signed: dict[str, Any] = json.loads(data)["signed"]
    written_dates = re.findall(r'"(?:expires|until)": "([0-9TZ:-]{20})"', json.dumps(signed["hosts"]))
    changes = [instant(text) for text in written_dates]
    for text in signed.get("certificates", {}).values():
        changes += dates(base64.b64decode(text)) or ()
    stale, unpinned = signed["on-stale"], signed["unpinned-hosts"]
    return Release(
        signed["audience"], epoch, signed["serial"], instant(signed["issued"]),
        hashlib.sha256(signed_bytes(data)).hexdigest(), signed.get("previous"), store, changes,
        stale == "block" or stale == "unpinned" and unpinned == "deny", instant(signed["expires"]))


def place_in_time(releases: list[Release], window: int, now: int) -> list[Release]:
    """From when until when clients run each, by audience: until a newer one is as old as the window.

    Clients take them by epoch and serial, as soon as they are there, whatever they say of their issue."""
    placed = sorted(releases, key=lambda one: (one.audience, one.epoch, one.serial, one.issued))
    before: Release | None = None
    for one in placed:
        one.begin = min(one.issued, now)
        if before is not None and before.audience == one.audience:
            one.begin = max(one.begin, before.begin)
            before.end = one.begin + window
            if before.blocks_when_stale:
                before.end = min(before.end, max(one.begin, before.expires))
        before = one
    return placed


def missing(placed: list[Release], window: int, now: int) -> Release | None:
    """A release whose predecessor isn't there, though clients may still run that one."""
    known = {one.digest for one in placed}
    before: Release | None = None
    for one in placed:
        # One that names no predecessor is the first, or the next of the one before it.
        is_gap = (before is not None and (before.audience, before.epoch) == (one.audience, one.epoch)
                  and one.serial > before.serial + 1)
        if one.begin + window > now and (is_gap if one.previous is None else one.previous not in known):
            return one
        before = one
    return None


def text(
    label: str, used: list[Release], found: list[Lockout], pins: bool, chain: tuple[bytes, ...],
    served: tuple[bytes, ...] | None, window: int, now: int, acceptance: str | None,
) -> str:
    """The first line is that of `pintle decide`."""
    counting = sorted((one for one in found if one.counts), key=lambda one: one.begin)
    valid = dates(chain[0])
    names = ", ".join(f"{one.audience} serial {one.release}" for one in _ranges(used)) or "none"
    if counting:
        blocking = {id(one.release) for one in counting}
        because = (f"clients of {len(blocking)} of {_counted(len(used))} in use block it from "
                   f"{written(counting[0].begin)}: {_reason(counting[0].decision)}")
    elif pins:
        because = f"clients of {_counted(len(used))} in use accept it until it ends"
        because += ", apart from what is noted below" if found else ""
    else:
        because = "no release in use pins the host"
    rows = [(heading(found, pins), label), ("because", because),
            ("certificate", f"ends at {written(valid[1])}" if valid else "its dates can't be read"),
            ("releases", f"{names}; client-max-age {window // DAY} days"),
            *([] if acceptance is None else [("accepted", acceptance)]), ("at", written(now))]
    lines = [f"{name:<11}  {printable(value)}" for name, value in rows]
    if counting:
        lines.append("LOCKED OUT")
    lines += [f"  {printable(one.release.audience)} serial {one.release.serial}  from {written(one.begin)}  "
              f"{printable(_reason(one.decision))}" for one in counting]
    for one in found:
        if not one.counts:
            which = "every certificate" if one.decision.verdict == "block" else "it and the one that is served now alike"
            lines.append(f"note: from {written(one.begin)} on, {printable(one.release.audience)} serial "
                         f"{one.release.serial} blocks {which}, because its entry expires")
    if counting and acceptance is None:
        last = dates(served[0]) if served else None
        lines.append(
            "help: The certificate that is served now has ended, so keeping it helps nobody. To install this one "
            "nevertheless, and leave a record, add --accept-lockout REASON and --record FILE."
            if last and last[1] <= now else "help: Don't install it: keep the certificate that is served now."
            + (" Add its key to the policy as a backup, release that, and install it when every release in use has it."
               if all(one.decision.reason == "mismatch" for one in counting) else ""))
    return "\n".join(lines)


def heading(found: list[Lockout], pins: bool) -> str:
    return "LOCKS OUT" if any(one.counts for one in found) else "ACCEPTED" if pins else "NOT PINNED"


def facts(label: str, found: list[Lockout], pins: bool, now: int, acceptance: str | None) -> dict[str, object]:
    facts: dict[str, object] = {
        "format": "pintle-client-deploy", "version": 1, "target": label, "at": written(now),
        "verdict": heading(found, pins).lower().replace(" ", "-"),
        "lockouts": [{
            "audience": one.release.audience, "serial": one.release.serial, "from": written(one.begin),
            "because": _because(one.decision),
            "reason": _reason(one.decision), "counts": one.counts} for one in found]}
    if acceptance is not None:
        facts["acceptedBecause"] = acceptance
    return facts


def append(path: pathlib.Path, record: dict[str, object]) -> None:
    """A whole line, on the disk before anything is said."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        line = (json.dumps(record) + "\n").encode()
        if os.write(descriptor, line) != len(line):
            raise OSError(errno.EIO, "not all of it was written")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _because(decision: Decision) -> str:
    """The code as tests of a policy write it: 'expired' alone is about an entry."""
    if decision.verdict != "block" or not decision.failures:
        return decision.reason
    code = decision.failures[0][0]
    return "certificate-expired" if code == "expired" else code


def _reason(decision: Decision) -> str:
    text = re.split("; (?:presented|served, not validated|required): ", decision.message)[0]
    return re.sub(r"^block: (.*?)(?: \(entry [^()]*\))?$", r"\1", text)


def _counted(count: int) -> str:
    return f"{count} release" + ("" if count == 1 else "s")


@dataclasses.dataclass
class _Range:
    audience: str
    release: str


def _ranges(used: list[Release]) -> list[_Range]:
    found = []
    for audience in dict.fromkeys(one.audience for one in used):
        serials = [one.serial for one in used if one.audience == audience]
        first, last = serials[0], serials[-1]
        found.append(_Range(audience, f"{first}" if len(serials) == 1 else f"{first} to serial {last}"))
    return found


def is_by_expiry(decision: Decision) -> bool:
    return decision.clock == "entry" and decision.reason in ("expired", "unpinned-host")


def is_accepted(decision: Decision) -> bool:
    # Where nothing pins the host, the client's own verification decides.
    return decision.verdict == "allow" or decision.verdict == "notPinned" and decision.disposition != "cancel"


def times(release: Release, chain: tuple[bytes, ...], others: tuple[bytes, ...], now: int) -> list[int]:
    valid = dates(chain[0])
    end = min(max(valid[1] if valid else now, now + 1), END if release.end is None else release.end)
    found = {*range(now, end, DAY), *release.changes}
    found.update(date for der in (*chain, *others) for date in dates(der) or ())
    ordered = sorted(found)
    return ordered[bisect.bisect_left(ordered, now) : bisect.bisect_left(ordered, end)]


def lockouts(
    releases: list[Release], chain: tuple[bytes, ...], served: tuple[bytes, ...] | None, anchors: tuple[bytes, ...],
    now: int, ask: Answer,
) -> tuple[list[Release], list[Lockout], bool]:
    """The releases in use, the first lockout of each for each reason, and whether any pins the host."""
    used = [one for one in releases if one.end is None or one.end > now]
    found: list[Lockout] = []
    pins = False
    valid = dates(served[0]) if served else None
    for release in used:
        last: tuple[str, str, bool] | None = None
        for at in times(release, chain, (*(served or ()), *anchors), now):
            decision = ask(release.store, chain, at)
            pins = pins or decision.verdict != "notPinned" or decision.reason == "expired"
            if is_accepted(decision):
                last = None
                continue
            counts = True
            if is_by_expiry(decision):
                # A certificate that has ended is replaced anyway, so it excuses nothing.
                is_excused = (served is not None and valid is not None and valid[0] <= at < valid[1]
                              and not is_accepted(ask(release.store, served, at)))
                counts = decision.verdict == "notPinned" and not is_excused
            if last != (kind := (decision.reason, decision.message, counts)):
                found.append(Lockout(release, at, decision, counts))
            last = kind
    return used, found if pins else [], pins


def manifests(folder: pathlib.Path) -> list[tuple[pathlib.Path, str | None]]:
    """Those of the folder, of its folders of audiences, which are named, and of their folders of epochs."""
    found: list[tuple[pathlib.Path, str | None]] = []

    def add(place: pathlib.Path, audience: str | None) -> list[pathlib.Path]:
        """Its manifests; returns the folders in it that aren't an epoch's."""
        folders = sorted(one for one in place.iterdir() if one.is_dir())
        epochs = [one for one in folders if re.fullmatch(r"epoch-[1-9][0-9]*", one.name)]
        for each in [place, *epochs]:
            found.extend((one, audience) for one in sorted(each.glob("*.json"))
                         if not one.name.startswith(".") and (one.is_file() or not one.exists()))
        return [one for one in folders if one not in epochs and not one.name.startswith(".")]

    for each in add(folder, None):
        add(each, each.name)
    return found
