"""Exceptions: one named failure of one certificate, until a date."""

from book import VALIDATION, allow, mismatch, denied, untrusted
from manifests import content

UNTIL = "2026-11-21T00:00:00Z"
BEFORE, AFTER = "2026-11-20T23:59:59Z", "2026-11-21T00:00:01Z"
CASES = {
    # failure: the served chain, and which certificate fails
    "expired": (["expired", "int-1"], 0), "not-yet-valid": (["future", "int-1"], 0),
    "name-mismatch": (["other-name", "int-1"], 0), "wrong-usage": (["usage-any", "int-1"], 0),
    "weak-key": (["rsa-1024", "int-1"], 0), "weak-signature": (["sha1", "int-1"], 0),
}


def write(theme):
    theme.about("decision", "An exception excuses one named failure of one certificate as long as the time is before until; "
                "each use is an event.", VALIDATION + "#what-trust-changes")
    book = theme.book
    used = ["exception-used"]

    def manifest(name, exceptions, pinned=("root-1",), mode="enforce", changes=None, **trust):
        """Exceptions as (certificate, failure, until)."""
        listed = sorted((book.print(certificate), failure, until) for certificate, failure, until in exceptions)
        trust["exceptions"] = [
            {"certificate": certificate, "failure": failure, "reason": "renewal is late", "until": until}
            for certificate, failure, until in listed
        ]
        entry = {"host": "example.com", "keys": list(pinned), "mode": mode, "trust": trust}
        return theme.manifest(name, content(book.keys, [entry], **(changes or {})))

    for failure, (served, place) in CASES.items():
        file = manifest(failure, [(served[place], failure, UNTIL)])
        theme.decide(f"{failure}-before", f"{failure} is excused before until.", file, served,
                     allow("root-1", 2, events=used), at=BEFORE)
        theme.decide(f"{failure}-at", "An instant on the limit is past it.", file, served, untrusted(failure, place))
        theme.decide(f"{failure}-after", "Afterwards it is a failure.", file, served, untrusted(failure, place), at=AFTER)
        other = [name for name in CASES if name != failure][0]
        file = manifest(f"{failure}-by-{other}", [(served[place], other, AFTER)])
        theme.decide(f"{failure}-by-{other}", f"An exception for {other} doesn't excuse {failure}.", file, served,
                     untrusted(failure, place), at=BEFORE)
        file = manifest(f"{failure}-other-certificate", [("leaf-1", failure, AFTER)])
        theme.decide(f"{failure}-other-certificate", "Nor does one for another certificate.", file, served,
                     untrusted(failure, place), at=BEFORE)
    late = "2026-12-31T00:00:00Z"
    unused = manifest("unused", [("leaf-1", "expired", late)])
    theme.decide("unused", "An exception that nothing needs is no event.", unused, ["leaf-1", "int-1"], allow("root-1", 2))
    theme.decide("intermediate", "A certificate above the leaf may be excused too.",
                 manifest("intermediate", [("int-old", "expired", late)]), ["under-old", "int-old"],
                 allow("root-1", 2, events=used))
    theme.decide("anchor", "And the anchor.", manifest("anchor", [("root-old", "expired", late)], ["root-old"]),
                 ["under-root-old"], allow("root-old", 1, events=used), anchors=["root-old"])
    two = ["expired-other-name", "int-1"]
    theme.decide("one-of-two", "One of two failures is excused, the other blocks.",
                 manifest("one-of-two", [(two[0], "expired", late)]), two, untrusted("name-mismatch", 0))
    theme.decide("other-of-two", "And the other way round.",
                 manifest("other-of-two", [(two[0], "name-mismatch", late)]), two, untrusted("expired", 0))
    theme.decide("both-of-two", "Both are excused.",
                 manifest("both-of-two", [(two[0], "expired", late), (two[0], "name-mismatch", late)]), two,
                 allow("root-1", 2, events=used))
    theme.decide("two-with-two-ends", "Each has its own end.",
                 manifest("two-ends", [(two[0], "expired", UNTIL), (two[0], "name-mismatch", late)]), two,
                 untrusted("expired", 0))
    everything = ["weak-everything", "int-1"]
    kinds = ["expired", "name-mismatch", "wrong-usage", "weak-key", "weak-signature"]
    theme.decide("five", "Five failures of one certificate, all excused.",
                 manifest("five", [(everything[0], kind, late) for kind in kinds]), everything,
                 allow("root-1", 2, events=used))
    for missing in kinds:
        theme.decide(f"five-but-{missing}", f"All but {missing}.",
                     manifest(f"five-but-{missing}", [(everything[0], kind, late) for kind in kinds if kind != missing]),
                     everything, untrusted(missing, 0))
    # Failures that can't be excused, with exceptions for everything.
    all_kinds = list(CASES)
    for name, served, failure, place in (
        ("missing-intermediate", ["leaf-1"], "missing-intermediate", 0),
        ("unknown-issuer", ["leaf-3", "int-3"], "unknown-issuer", 1), ("self-signed", ["self"], "self-signed", 0),
        ("malformed", ["exponent-1", "int-1"], "malformed", 0), ("bad-signature", ["bad-signature", "int-1"], "bad-signature", 0),
        ("name-constraints", ["under-org", "int-org"], "name-constraints", 0),
        ("not-an-authority", ["by-leaf", "leaf-1", "int-1"], "not-an-authority", 1),
    ):
        file = manifest(f"no-{name}", [(certificate, kind, late) for certificate in served for kind in all_kinds])
        theme.decide(f"no-{name}", f"{failure} can't be excused.", file, served, untrusted(failure, place))
    theme.decide("hidden", "Behind an excused failure the others are still found.",
                 manifest("hidden", [("expired", "expired", late)]), ["expired"], untrusted("missing-intermediate", 0))
    token = {"changes": {"certificates": book.carried("expired")}, "certificate": book.print("expired")}
    theme.decide("token", "The one certificate may be excused as well.",
                 manifest("token", [("expired", "expired", late)], ["expired"], **token), ["expired"],
                 allow("expired", 0, events=used))
    theme.decide("mismatch", "An exception doesn't replace a pin.", manifest("mismatch", [("expired", "expired", late)],
                 ["spare"]), ["expired", "int-1"], mismatch(events=used))
    lost = {**book.keys, "lost": {**book.keys["expired"], "denied": "lost"}}
    entry = {"host": "example.com", "keys": ["root-1"], "trust": {"exceptions": [{
        "certificate": book.print("expired"), "failure": "expired", "reason": "renewal is late", "until": late}]}}
    theme.decide("denied", "Nor does it lift a denial.", theme.manifest("denied", content(lost, [entry])),
                 ["expired", "int-1"], denied("lost", 0, events=used))
    theme.decide("report-only", "In report-only it is the same event.",
                 manifest("report-only", [("expired", "expired", late)], mode="report-only"), ["expired", "int-1"],
                 allow("root-1", 2, events=["report-only", *used]))
