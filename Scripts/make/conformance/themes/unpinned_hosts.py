"""The answer for hosts that aren't pinned."""

from book import FORMAT, allow, answer, invalid_host, mismatch
from manifests import content

PAST = "2026-11-21T00:00:00Z"
GOOD = ["leaf-1", "int-1"]


def write(theme):
    theme.about("decision", "unpinned-hosts: with allow the transport's own validation stands, with deny the answer is block. "
                "Each reason not to be pinned, in both.", FORMAT + "#order")
    keys = theme.book.keys
    stale = {"refresh-after": PAST, "expires": PAST, "on-stale": "unpinned"}
    spent = {"expires": PAST, "on-expiry": "unpinned"}
    old = ["entry-expired"]
    due = ["refresh-due", "manifest-stale"]
    cases = {
        # identifier: host, what the entry says, what the manifest says, reason, entry, events
        "no-entry": ("other.test", {}, {}, {"reason": "no-entry"}, None, ["no-entry"]),
        "address": ("10.0.0.5", {}, {}, {"reason": "no-entry"}, None, ["no-entry"]),
        "off": ("off.test", {}, {}, {"reason": "off"}, "off.test", ["excluded"]),
        "entry-expired": ("example.com", spent, {}, {"reason": "expired", "clock": "entry"}, "example.com", old),
        "manifest-stale": ("example.com", {}, stale, {"reason": "expired", "clock": "manifest"}, "example.com", due),
        "both": ("example.com", spent, stale, {"reason": "expired", "clock": "entry"}, "example.com", old + due),
    }
    for name, (host, entry, manifest, reason, label, events) in cases.items():
        hosts = [{"host": "example.com", "keys": ["leaf-1"], **entry}, {"host": "off.test", "mode": "off"}]
        kind = {"entry": "spent", "manifest": "stale"}.get(reason.get("clock"), "plain") if name != "both" else "both"
        allowing = theme.manifest(f"allow-{kind}", content(keys, hosts, **manifest))
        denying = theme.manifest(f"deny-{kind}", content(keys, hosts, **manifest, **{"unpinned-hosts": "deny"}))
        more = {key: value for key, value in reason.items() if key != "reason"}
        theme.decide(f"allow-{name}", "Not pinned.", allowing, GOOD,
                     answer("notPinned", reason["reason"], 1, label, events, **more), host=host)
        theme.decide(f"deny-{name}", "Not pinned, and the manifest denies such hosts.", denying, GOOD,
                     answer("block", "unpinned-host", 1, label, events, notPinned=reason["reason"], **more), host=host)
    plain = "unpinned-hosts-deny-plain.json"
    theme.decide("deny-pinned", "A host that is pinned is judged as ever.", plain, GOOD, allow("leaf-1", 0))
    theme.decide("deny-pinned-mismatch", "A host that is pinned is judged as ever.", plain, ["leaf-2", "int-2"], mismatch())
    theme.decide("deny-other-port", "An entry covers all ports where it names none.", plain, GOOD, allow("leaf-1", 0),
                 port=8443)
    theme.decide("deny-subdomain", "A name below an entry without subdomains isn't pinned.", plain, GOOD,
                 answer("block", "unpinned-host", 1, None, ["no-entry"], notPinned="no-entry"), host="a.example.com")
    theme.decide("deny-invalid-host", "What is no host is blocked for that.", plain, GOOD, invalid_host(), host="a..test")
    theme.decide("deny-replaced", "Where the transport's validation is replaced, deny blocks all the same.", plain, GOOD,
                 answer("block", "unpinned-host", 1, None, ["no-entry"], notPinned="no-entry"), host="a.example.com",
                 transport="replaced")
    empty = theme.manifest("deny-empty", content(keys, [], **{"unpinned-hosts": "deny"}))
    theme.decide("deny-empty", "A manifest without entries that denies the rest blocks everything.", empty, GOOD,
                 answer("block", "unpinned-host", 1, None, ["no-entry"], notPinned="no-entry"))
    bare = theme.manifest("allow-empty", content(keys, []))
    theme.decide("allow-empty", "A manifest without entries has nothing to say.", bare, GOOD,
                 answer("notPinned", "no-entry", 1, None, ["no-entry"]))
    blocking = theme.manifest("deny-block", content(keys, [
        {"host": "example.com", "keys": ["leaf-1"], "expires": PAST, "on-expiry": "block"}], **{"unpinned-hosts": "deny"}))
    theme.decide("deny-expired-block", "An entry that expired with block says so, not that the host is unpinned.", blocking,
                 GOOD, answer("block", "expired", 1, "example.com", old, clock="entry"))
