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
import json
import os
import pathlib
import re
from collections.abc import Callable, Iterator
from typing import Any

from ._decision import Decision
from ._download import printable
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
    audience: str
    serial: int
    issued: int
    store: Store
    changes: list[int]
    blocks_when_stale: bool
    expires: int
    begin: int = 0
    end: int | None = None


@dataclasses.dataclass
class Lockout:
    release: Release
    begin: int
    decision: Decision
    counts: bool


def read_release(data: bytes, store: Store) -> Release:
    """What a manifest says of its dates. The store has verified it before."""
    signed: dict[str, Any] = json.loads(data)["signed"]
    written_dates = re.findall(r'"(?:expires|until)": "([0-9TZ:-]{20})"', json.dumps(signed["hosts"]))
    changes = [instant(text) for text in written_dates]
    for text in signed.get("certificates", {}).values():
        changes += dates(base64.b64decode(text)) or ()
    stale, unpinned = signed["on-stale"], signed["unpinned-hosts"]
    return Release(
        signed["audience"], signed["serial"], instant(signed["issued"]), store, changes,
        stale == "block" or stale == "unpinned" and unpinned == "deny", instant(signed["expires"]))


def place_in_time(releases: list[Release], window: int) -> list[Release]:
    """From when until when clients run each, by audience: until a newer one is as old as the window."""
    for audience in {release.audience for release in releases}:
        line = sorted((one for one in releases if one.audience == audience), key=lambda one: (one.issued, one.serial))
        latest = 0
        for one in line:
            one.begin = latest = max(latest, one.issued)
        for one, following in zip(line, line[1:]):
            one.end = following.begin + window
            if one.blocks_when_stale:
                one.end = min(one.end, max(following.begin, one.expires))
    return sorted(releases, key=lambda one: (one.audience, one.issued, one.serial))


def text(
    label: str, used: list[Release], found: list[Lockout], pins: bool, chain: tuple[bytes, ...], window: int, now: int,
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
            ("releases", f"{names}; client-max-age {window // DAY} days"), ("at", written(now))]
    lines = [f"{name:<11}  {printable(value)}" for name, value in rows]
    if counting:
        lines.append("LOCKED OUT")
    lines += [f"  {printable(one.release.audience)} serial {one.release.serial}  from {written(one.begin)}  "
              f"{printable(_reason(one.decision))}" for one in counting]
    lines += [f"note: from {written(one.begin)} on, {printable(one.release.audience)} serial {one.release.serial} blocks "
              "every certificate, because its entry expires" for one in found if not one.counts]
    if counting:
        lines.append("help: Don't install it: keep the certificate that is served now. 'pintle decide' says what to do.")
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
    if decision.verdict == "notPinned":
        return decision.reason != "expired" or decision.disposition != "cancel"
    return decision.verdict == "allow"


def times(release: Release, chain: tuple[bytes, ...], now: int) -> Iterator[int]:
    own = [dates(der) for der in chain]
    last = max(own[0][1] if own and own[0] else now, now + 1)
    begin, end = max(now, release.begin), min(last, END if release.end is None else release.end)
    if begin >= end:
        return
    found = {begin, *range(begin, end, DAY), *release.changes}
    found.update(date for pair in own if pair for date in pair)
    ordered = sorted(found)
    yield from ordered[bisect.bisect_left(ordered, begin) : bisect.bisect_left(ordered, end)]


def lockouts(
    releases: list[Release], chain: tuple[bytes, ...], served: tuple[bytes, ...] | None, now: int, ask: Answer,
) -> tuple[list[Release], list[Lockout], bool]:
    """The releases in use, the first lockout of each for each reason, and whether any pins the host."""
    used: list[Release] = []
    found: list[Lockout] = []
    pins = False
    for release in releases:
        if release.end is not None and release.end <= now:
            continue
        last: tuple[str, str, bool] | None = None
        for at in times(release, chain, now):
            if not used or used[-1] is not release:
                used.append(release)
            decision = ask(release.store, chain, at)
            pins = pins or decision.verdict != "notPinned" or decision.reason == "expired"
            if is_accepted(decision):
                last = None
                continue
            counts = True
            if is_by_expiry(decision):
                counts = decision.verdict == "notPinned" and not (
                    served is not None and not is_accepted(ask(release.store, served, at)))
            if last != (kind := (decision.reason, decision.message, counts)):
                found.append(Lockout(release, at, decision, counts))
            last = kind
    return used, found, pins


def manifests(folder: pathlib.Path) -> list[pathlib.Path]:
    """Those of the folder, of its folders of audiences, and of their folders of epochs."""
    found: list[pathlib.Path] = []
    for place in [folder, *sorted(one for one in folder.iterdir() if one.is_dir() and not one.name.startswith("."))]:
        inner = [one for one in sorted(place.iterdir()) if one.is_dir() and re.fullmatch(r"epoch-\d+", one.name)]
        for each in [place, *inner]:
            found += sorted(one for one in each.glob("*.json") if not one.name.startswith("."))
    return list(dict.fromkeys(found))
