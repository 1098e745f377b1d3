"""Which manifests take effect in a sequence of updates."""

from book import NOW, UPDATES, allow, answer, denied, mismatch
from manifests import content

LATER, AFTERWARDS = "2026-11-22T00:00:00Z", "2026-11-23T00:00:00Z"
GOOD, OTHER = ["leaf-1", "int-1"], ["leaf-2", "int-2"]
NONE = {"step": 1, "entry": None, "events": ["no-manifest"]}


def write(theme):
    theme.about("store", "A store: which manifest is in force at the start, which one may take its place, and what stays "
                "through a refusal.", UPDATES + "#taking-a-manifest")
    keys = theme.book.keys

    def release(name, serial, pinned=("leaf-1",), hosts=None, signers=("alice",), **changes):
        hosts = [{"host": "example.com", "keys": list(pinned)}] if hosts is None else hosts
        return theme.manifest(name, content(keys, hosts, serial=serial, **changes), signers)

    def open_(source="none", problems=(), embedded=None, at=NOW):
        return {"action": "open", "at": at, "embedded": embedded,
                "expected": {"source": source, "problems": list(problems)}}

    def update(manifest, error=None, result="activated", at=NOW):
        expected = {"result": "refused", "error": error} if error else {"result": result}
        return {"action": "update", "at": at, "manifest": manifest, "expected": expected}

    def decide(expected, served=GOOD, at=NOW, transport="stands", **question):
        return {"action": "decide", "at": at, "handshake": theme.question(served, **question), "transport": transport,
                "expected": expected}

    def status(source, serial, highest=None, freshness="fresh", at=NOW, now=None):
        return {"action": "status", "at": at, "expected": {
            "source": source, "serial": serial, "highestSerial": serial if highest is None else highest,
            "freshness": freshness, "now": now or at}}

    def row(identifier, comment, *steps, directory=False, without="block", loss=30, section=None):
        theme.book.used_certificates.update(["root-1", "root-2"])
        theme.add(identifier, comment, {
            "client": theme.client, "anchors": ["root-1", "root-2"], "withoutManifest": without, "directory": directory,
            "maximumLossPercent": loss, "steps": list(steps)}, section)

    start = UPDATES + "#starting"
    clock = UPDATES + "#the-clock"
    # Without a manifest.
    row("none-block", "Without a manifest, block where the service says so.", open_(),
        decide(answer("block", "no-manifest", **NONE)), status("none", 0, freshness="none"), section=start)
    left = answer("notPinned", "no-manifest", **NONE)
    row("none-not-pinned", "Or not pinned.", open_(), decide(left), decide(left, []), without="notPinned", section=start)
    row("none-replaced", "Where the transport's validation is replaced, trust is evaluated all the same.", open_(),
        decide({**left, "disposition": "useCredential"}, transport="replaced"),
        decide({**left, "disposition": "cancel", "failure": {"code": "missing-intermediate", "certificate": 0}}, ["leaf-1"],
               transport="replaced"), without="notPinned", section=start)
    five, six = release("5", 5), release("6", 6, ["leaf-1", "leaf-2"])
    pinned = allow("leaf-1", 0)
    row("embedded", "The manifest that was shipped.", open_("embedded", embedded=five), decide(pinned),
        decide(mismatch(), OTHER), status("embedded", 5), section=start)
    untrusted = release("5-by-mallory", 5, signers=("mallory",))
    row("embedded-refused", "One that isn't acceptable is a problem to be reported, and none is in force.",
        open_("none", ["too-few-signatures"], untrusted), decide(answer("block", "no-manifest", **NONE)), section=start)
    # Serials.
    row("newer", "A newer one takes effect.", open_("embedded", embedded=five), decide(mismatch(), OTHER), update(six),
        decide(allow("leaf-2", 0), OTHER), status("update", 6))
    row("first", "The first one takes effect where there was none.", open_(), update(five), decide(pinned),
        status("update", 5))
    row("jump", "Serials may be left out.", open_("embedded", embedded=five), update(release("90", 90)),
        status("update", 90))
    row("unchanged", "The one in force already.", open_("embedded", embedded=five), update(five, result="unchanged"),
        status("embedded", 5))
    both = release("5-by-two", 5, signers=("alice", "bob"))
    row("unchanged-signatures", "It is the signed bytes that count: signatures may have been added.",
        open_("embedded", embedded=five), update(both, result="unchanged"))
    other = release("5-other", 5, ["leaf-1", "spare"])
    row("conflicting", "The same serial over other bytes.", open_("embedded", embedded=five),
        update(other, "conflicting-serial"), status("embedded", 5))
    four = release("4", 4, ["leaf-2"])
    row("older", "An older one.", open_("embedded", embedded=five), update(four, "older-serial"), decide(pinned),
        status("embedded", 5))
    row("older-after-newer", "The highest that was ever accepted counts.", open_("embedded", embedded=five), update(six),
        update(five, "older-serial"), update(six, result="unchanged"), status("update", 6))
    # Rejected manifests don't raise the floor.
    eight = release("8", 8)
    refusals = {
        "signature": (release("9-by-mallory", 9, signers=("mallory",)), "too-few-signatures"),
        "audience": (release("9-elsewhere", 9, audience="elsewhere"), "wrong-audience"),
        "extension": (release("9-critical", 9, critical=["quantum"]), "unknown-extension"),
        "content": (release("9-no-host", 9, hosts=[{"host": "Example.com", "keys": ["leaf-1"]}]), "malformed-manifest"),
        "file": (theme.file(f"{theme.name}-9-cut.json", theme.book.manifests[eight][:-1]), "malformed-file"),
        "stale": (release("9-stale", 9, **{"expires": NOW, "refresh-after": NOW}), "stale"),
        "empty": (release("9-empty", 9, hosts=[]), "empty"),
    }
    for name, (manifest, error) in refusals.items():
        row(f"refused-{name}", f"Refused with {error}: the last good one stays in force, and the highest serial is as it "
            "was.", open_("embedded", embedded=five), update(manifest, error), decide(pinned), status("embedded", 5),
            update(eight), status("update", 8))
    # Freshness.
    for name, at, error in (("before", "2026-11-20T23:59:59Z", None), ("at", NOW, "stale"), ("after", LATER, "stale")):
        row(f"stale-{name}", f"{name.capitalize()} its expires.", open_("embedded", embedded=five, at="2026-11-20T00:00:00Z"),
            update(refusals["stale"][0], error, at=at))
    due = release("9-due", 9, **{"refresh-after": NOW})
    row("refresh-due", "One that is due to be refreshed is taken.", open_("embedded", embedded=five), update(due),
        status("update", 9, freshness="refresh-due"))
    gone = release("9-future", 9, issued="2026-11-30T00:00:00Z")
    issued = "2026-11-30T00:00:00Z"
    row("issued-later", "One that was issued later than the clock says is taken: from then on it isn't earlier than that.",
        open_("embedded", embedded=five), update(gone), status("update", 9, now=issued))
    # Time.
    row("clock-back", "The clock is set back, or right again: no time that it showed is kept.",
        open_("embedded", embedded=five, at=LATER), status("embedded", 5, at=LATER), status("embedded", 5), section=clock)
    row("clock-before-issued", "But it is never before the manifest in force was issued.", open_("embedded", embedded=gone),
        status("embedded", 9, now=issued), status("embedded", 9, at="2020-01-01T00:00:00Z", now=issued), section=clock)
    short = release("9-short", 9, hosts=[{"host": "example.com", "keys": ["spare"], "expires": LATER,
                                          "on-expiry": "unpinned"}])
    over = answer("notPinned", "expired", 1, "example.com", ["entry-expired"], clock="entry")
    row("clock-back-expiry", "What only a clock that was ahead took for expired holds again.",
        open_("embedded", embedded=short), decide(mismatch()), decide(over, at=LATER), decide(mismatch()), section=clock)
    row("clock-forward", "And goes on from there.", open_("embedded", embedded=five, at=LATER),
        status("embedded", 5, at=LATER), status("embedded", 5, at=NOW), status("embedded", 5, at=AFTERWARDS),
        section=clock)
    # Restarts.
    row("restart", "What was accepted is in force after a restart.", open_(), update(six), open_("stored"),
        decide(allow("leaf-2", 0), OTHER), status("stored", 6), directory=True, section=start)
    row("restart-floor", "And so is the highest serial.", open_(), update(six), open_("stored"),
        update(five, "older-serial"), update(other, "older-serial"), update(six, result="unchanged"), directory=True,
        section=start)
    row("restart-embedded", "The stored one comes before one that was shipped and is older.", open_("embedded", embedded=four),
        update(six), open_("stored", embedded=five), status("stored", 6), directory=True, section=start)
    nine = release("9", 9)
    row("restart-embedded-newer", "One that was shipped and is newer comes before the stored one, and raises the floor.",
        open_("embedded", embedded=four), update(six), open_("embedded", embedded=nine), status("embedded", 9),
        update(six, "older-serial"), directory=True, section=start)
    row("restart-without-directory", "Without a folder nothing is kept.", open_(), update(six), open_(),
        status("none", 0, freshness="none"), section=start)
    row("restart-clock", "A time that was seen doesn't survive a restart.", open_(at=LATER), update(six, at=LATER),
        open_("stored", at=NOW), status("stored", 6), directory=True, section=clock)
    row("restart-clock-before-issued", "When the stored manifest was issued does.", open_(), update(gone), open_("stored"),
        status("stored", 9, now=issued), directory=True, section=clock)
    # The activation guard.
    guard = UPDATES + "#the-activation-guard"
    tens = [{"host": f"host{number}.example.com", "keys": ["leaf-1"]} for number in range(10)]

    def ten(name, serial, count, **changes):
        return release(name, serial, hosts=tens[:count], **changes)

    all_ten = ten("all-hosts", 5, 10)
    drastic = {"drastic-change": "two services are shut down"}
    for name, count, loss, error, more in (
        ("loss-30", 7, 30, None, {}), ("loss-40", 6, 30, "shrunk", {}), ("loss-40-drastic", 6, 30, None, drastic),
        ("loss-40-allowed", 6, 40, None, {}), ("loss-50-of-40", 5, 40, "shrunk", {}), ("loss-10-of-0", 9, 0, "shrunk", {}),
        ("loss-0-of-0", 10, 0, None, {}), ("loss-90-of-100", 1, 100, None, {}), ("loss-all", 0, 100, "empty", {}),
        ("loss-all-drastic", 0, 30, None, drastic),
    ):
        manifest = ten(f"{count}-hosts{'-drastic' if more else ''}", 6, count, **more)
        row(name, f"{10 - count} of 10 pinned hosts are gone, {loss} in 100 may be" + (
            ", and it was signed as meant so." if more else "."), open_("embedded", embedded=all_ten),
            update(manifest, error), loss=loss, section=guard)
    off = release("off-hosts", 6, hosts=[*tens[:6], *({"host": host["host"], "mode": "off"} for host in tens[6:])])
    row("loss-by-off", "An entry that is turned off pins no longer.", open_("embedded", embedded=all_ten),
        update(off, "shrunk"), section=guard)
    moved = release("other-hosts", 6, hosts=[*tens[:6], *({**host, "host": "other-" + host["host"]} for host in tens[6:])])
    row("loss-replaced", "Other hosts don't make up for those that are gone.", open_("embedded", embedded=all_ten),
        update(moved, "shrunk"), section=guard)
    more = release("more-hosts", 6, hosts=[*tens, {"host": "more.example.com", "keys": ["leaf-1"]}])
    row("growth", "More hosts are no loss.", open_("embedded", embedded=all_ten), update(more), section=guard)
    # Chains that were recently allowed.
    moved_key = release("7-leaf-2", 7, ["leaf-2"])
    row("recent-chain", "One that would refuse a chain that was allowed lately.", open_("embedded", embedded=five),
        decide(pinned), update(moved_key, "refuses-recent-chain"), decide(pinned), status("embedded", 5), section=guard)
    row("recent-chain-drastic", "Unless it was signed as meant so.", open_("embedded", embedded=five), decide(pinned),
        update(release("7-leaf-2-drastic", 7, ["leaf-2"], **drastic)), decide(mismatch()), section=guard)
    row("recent-chain-none", "A chain that was never asked about is not held against it.", open_("embedded", embedded=five),
        update(moved_key), decide(mismatch()), section=guard)
    row("recent-chain-blocked", "Nor is one that was blocked.", open_("embedded", embedded=five), decide(mismatch(), OTHER),
        update(release("7-spare", 7, ["spare"])), section=guard)
    row("recent-chain-still-good", "One that allows the chain by another key.", open_("embedded", embedded=five),
        decide(pinned), update(release("7-int-1", 7, ["int-1"])), decide(allow("int-1", 1)), section=guard)
    lost = {**keys, "lost": {**keys["int-1"], "denied": "lost"}}
    denial = theme.manifest("7-denied", content(lost, [{"host": "example.com", "keys": ["leaf-1"]}], serial=7))
    row("recent-chain-denied", "A denial takes effect at once: the key that has just been stolen is the one that was seen "
        "lately.", open_("embedded", embedded=five), decide(pinned), update(denial), decide(denied("lost", 1)),
        section=guard)
    row("first-empty", "One that pins nothing doesn't take effect where there was none either.", open_(),
        update(refusals["empty"][0], "empty"), status("none", 0, freshness="none"), section=guard)
    row("first-empty-drastic", "Unless it was signed as meant so.", open_(),
        update(ten("0-hosts-drastic", 6, 0, **drastic)), status("update", 6), section=guard)
    row("recent-chain-of-yesterday", "What was allowed more than a day ago doesn't count.",
        open_("embedded", embedded=five), decide(pinned), update(moved_key, at="2026-11-22T00:00:01Z"), section=guard)
    # What counts as pinning.
    quiet = release("quiet-hosts", 6, hosts=[{**host, "mode": "report-only"} for host in tens])
    row("loss-by-report-only", "An entry that only reports counts as pinning.", open_("embedded", embedded=all_ten),
        update(quiet), section=guard)
    above = release("above", 6, hosts=[{"host": "example.com", "subs": True, "keys": ["leaf-1"]}])
    row("loss-covered", "An entry that another one covers isn't lost.", open_("embedded", embedded=all_ten), update(above),
        section=guard)
    beside = release("above-without-subdomains", 6, hosts=[{"host": "example.com", "keys": ["leaf-1"]}])
    row("loss-not-covered", "Without subdomains it covers none of them.", open_("embedded", embedded=all_ten),
        update(beside, "shrunk"), section=guard)
    port = release("one-port", 6, hosts=[*tens[:6], *({**host, "port": 443} for host in tens[6:])])
    row("loss-of-ports", "An entry for one port doesn't cover all.", open_("embedded", embedded=all_ten),
        update(port, "shrunk"), section=guard)

