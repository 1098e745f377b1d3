"""The two clocks."""

from book import FORMAT, allow, answer, denied, mismatch, no_entry, off, reported, untrusted
from manifests import content

EXPIRES = "2026-11-21T00:00:00Z"  # also the default instant of the questions
BEFORE, AFTER = "2026-11-20T23:59:59Z", "2026-11-21T00:00:01Z"
NEVER = "2027-01-01T00:00:00Z"
ACTIONS = ("enforce", "report-only", "unpinned", "block")
LOST = ["leaf-2", "int-2"]
GOOD, OTHER, BAD = ["leaf-1", "int-1"], ["leaf-1-renewed", "int-1"], ["expired", "int-1"]


def expired(verdict, clock, events):
    return answer(verdict, "expired", 1, "example.com", events, clock=clock)


def outcome(action, clock, events, mode="enforce"):
    """The result of a mismatch."""
    if action == "block":
        return expired("block", clock, events)
    if action == "unpinned":
        return expired("notPinned", clock, events)
    if action == "report-only" or mode == "report-only":
        return reported(events=events)
    return mismatch(events=events)


def write(theme):
    theme.about("decision", "The entry's clock and the manifest's: what holds from each on, at the boundary, and where both "
                "have run out. An instant on a limit is past it.", FORMAT + "#the-two-clocks")
    keys = {**theme.book.keys, "lost": {**theme.book.keys["leaf-2"], "denied": "lost"}}

    def manifest(on_expiry=None, on_stale=None, mode="enforce", active=("spare",)):
        entry = {"host": "example.com", "keys": list(active), "mode": mode}
        if on_expiry:
            entry |= {"expires": EXPIRES, "on-expiry": on_expiry}
        changes = {"refresh-after": EXPIRES, "expires": EXPIRES, "on-stale": on_stale} if on_stale else {}
        name = "-".join(filter(None, [
            on_expiry and "entry-" + on_expiry, on_stale and "manifest-" + on_stale, mode != "enforce" and mode,
            active != ("spare",) and "and".join(active)]))
        return theme.manifest(name or "plain", content(keys, [entry], **changes))

    entry_events, stale_events = ["entry-expired"], ["refresh-due", "manifest-stale"]
    for action in ACTIONS:
        file = manifest(on_expiry=action)
        theme.decide(f"entry-{action}-before", "A second before the entry's expires it holds as ever.", file, GOOD,
                     mismatch(), at=BEFORE)
        for name, at in (("at", EXPIRES), ("after", AFTER)):
            theme.decide(f"entry-{action}-{name}", f"{name.capitalize()} the entry's expires: on-expiry {action}.", file, GOOD,
                         outcome(action, "entry", entry_events), at=at)
        file = manifest(on_stale=action)
        theme.decide(f"manifest-{action}-before", "A second before the manifest's expires it holds as ever.", file, GOOD,
                     mismatch(), at=BEFORE)
        for name, at in (("at", EXPIRES), ("after", AFTER)):
            theme.decide(f"manifest-{action}-{name}", f"{name.capitalize()} the manifest's expires: on-stale {action}.", file,
                         GOOD, outcome(action, "manifest", stale_events), at=at)
    both = entry_events + stale_events
    for on_expiry in ACTIONS:
        for on_stale in ACTIONS:
            later = max(on_expiry, on_stale, key=ACTIONS.index)
            clock = "entry" if later == on_expiry else "manifest"
            theme.decide(f"both-{on_expiry}-{on_stale}", f"Both have run out, the entry asks for {on_expiry}, the manifest "
                         f"for {on_stale}: {later} holds.", manifest(on_expiry, on_stale), GOOD,
                         outcome(later, clock, both))
    for action in ACTIONS:
        only = ["report-only"] if action in ("enforce", "report-only") else []
        theme.decide(f"report-only-entry-{action}", f"An entry in report-only that expires with {action}.",
                     manifest(action, mode="report-only"), GOOD,
                     outcome(action, "entry", entry_events, mode="report-only"))
        pinned = action in ("enforce", "report-only")
        only = ["report-only"] if action == "report-only" else []
        answers = {
            "match": (GOOD, allow("leaf-1", 0, events=entry_events + only)),
            "untrusted": (BAD, untrusted("expired", 0, events=entry_events + only)),
            "denied": (LOST, denied("lost", 0, events=entry_events + only)),
        }
        for name, (served, expected) in answers.items():
            theme.decide(f"expired-{action}-{name}", f"Expired with {action}: " + (
                "trust evaluation, denials and matches as before." if pinned else "nothing is looked at."),
                manifest(action, active=("leaf-1",)), served,
                expected if pinned else outcome(action, "entry", entry_events))
    theme.decide("block-without-certificates", "Expired with block: every chain is blocked, even none.", manifest("block"),
                 [], expired("block", "entry", entry_events))
    # Other hosts.
    stale = manifest(on_stale="block")
    theme.decide("stale-no-entry", "A stale manifest acts on entries that pin: a host without an entry isn't blocked by it.",
                 stale, GOOD, answer("notPinned", "no-entry", 1, None, ["no-entry", *stale_events]), host="other.test")
    for mode, on_stale in (("off", "block"), ("off", "unpinned")):
        file = theme.manifest(f"off-{on_stale}", content(
            keys, [{"host": "example.com", "mode": mode}], **{
                "refresh-after": EXPIRES, "expires": EXPIRES, "on-stale": on_stale}))
        theme.decide(f"stale-off-{on_stale}", "Nor is one with mode off.", file, GOOD,
                     answer("notPinned", "off", 1, "example.com", ["excluded", *stale_events]))
    theme.decide("stale-invalid-host", "What is no host is blocked, stale or not.", stale, GOOD,
                 answer("block", "invalid-host", 1, None, ["invalid-host", *stale_events]), host="")
    # Freshness.
    due = theme.manifest("due", content(keys, [{"host": "example.com", "keys": ["leaf-1"]}],
                                        **{"refresh-after": EXPIRES, "on-stale": "block"}))
    theme.decide("refresh-before", "A second before refresh-after.", due, GOOD, allow("leaf-1", 0), at=BEFORE)
    theme.decide("refresh-at", "At refresh-after nothing changes but the event.", due, GOOD,
                 allow("leaf-1", 0, events=["refresh-due"]))
    theme.decide("refresh-last", "The last second before the manifest's expires.", due, GOOD,
                 allow("leaf-1", 0, events=["refresh-due"]), at="2026-12-31T23:59:59Z")
    theme.decide("refresh-end", "From then on it is stale.", due, GOOD, expired("block", "manifest", stale_events), at=NEVER)
    theme.decide("before-issued", "issued is not compared with the clock.", due, GOOD, allow("leaf-1", 0),
                 at="2026-10-31T23:59:59Z")
    theme.decide("refresh-due-no-entry", "The event is the same for hosts without an entry.", due, GOOD,
                 answer("notPinned", "no-entry", 1, None, ["no-entry", "refresh-due"]), host="other.test")
