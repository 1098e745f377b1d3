"""The order of decision."""

from book import FORMAT, allow, answer, denied, invalid_host, mismatch, no_entry, off, reported, untrusted
from manifests import content


def write(theme):
    theme.about(
        "decision", "The steps of a decision come in their order: entry, trust evaluation, denial, requirement, mismatch.",
        FORMAT + "#order")
    keys = {**theme.book.keys, "leaf-2": {**theme.book.keys["leaf-2"], "denied": "lost"}}
    good, other, lost = ["leaf-1", "int-1"], ["leaf-1-renewed", "int-1"], ["leaf-2", "int-2"]
    bad, bad_and_lost = ["expired", "int-1"], ["leaf-2"]
    modes = {}
    for mode in ("enforce", "report-only", "off"):
        entry = {"host": "example.com", "mode": mode}
        if mode != "off":
            entry["keys"] = ["leaf-direct", "expired", "leaf-2"]
        modes[mode] = theme.manifest(mode, content(keys, [entry]))

    enforce, report, no = modes["enforce"], modes["report-only"], modes["off"]
    only = ["report-only"]
    theme.decide("enforce-match", "A match in enforce.", enforce, ["leaf-direct"], allow("leaf-direct", 0))
    theme.decide("enforce-mismatch", "A mismatch in enforce blocks.", enforce, good, mismatch())
    theme.decide("enforce-untrusted", "A failure of trust evaluation blocks, although the key is pinned.", enforce, bad,
                 untrusted("expired", 0))
    theme.decide("enforce-denied", "A denial blocks, although the entry's set names the key.", enforce, lost,
                 denied("leaf-2", 0))
    theme.decide("report-match", "A match in report-only.", report, ["leaf-direct"], allow("leaf-direct", 0, events=only))
    theme.decide("report-mismatch", "A mismatch in report-only is allowed and reported.", report, good, reported())
    theme.decide("report-untrusted", "Trust evaluation blocks in report-only too: pins only tighten.", report, bad,
                 untrusted("expired", 0, events=only))
    theme.decide("report-denied", "So does a denial: it is a statement, not a trial.", report, lost,
                 denied("leaf-2", 0, events=only))
    theme.decide("off-match", "With mode off nothing is looked at.", no, good, off("example.com"))
    theme.decide("off-untrusted", "Not even whether the chain is valid: the transport's own validation stands.", no, bad,
                 off("example.com"))
    theme.decide("off-denied", "Nor whether a key is denied.", no, lost, off("example.com"))
    theme.decide("off-no-certificate", "Nor whether there is a certificate.", no, [], off("example.com"))
    theme.decide("no-entry-denied", "A host without an entry: denied keys are not looked for.", enforce, lost, no_entry(),
                 host="other.test")
    theme.decide("no-entry-untrusted", "A host without an entry: trust is not evaluated.", enforce, bad, no_entry(),
                 host="other.test")
    theme.decide("invalid-host-first", "What is no host is blocked before anything else.", report, good, invalid_host(),
                 host="exa mple.com")
    theme.decide("untrusted-before-denied", "Trust evaluation comes before the denial.", enforce, bad_and_lost,
                 untrusted("missing-intermediate", 0))
    theme.decide("no-certificate", "Nothing was served.", enforce, [], untrusted("unusable-chain"))
    theme.decide("renewed-certificate", "A pin is of the key: a renewed certificate for it is as good.",
                 theme.manifest("leaf-1", content(keys, [{"host": "example.com", "keys": ["leaf-1"]}])), other,
                 allow("leaf-1", 0))
    # A served certificate isn't necessarily in the validated chain.
    pinned = theme.manifest("pinned", content(theme.book.keys, [
        {"host": "example.com", "keys": ["leaf-2", "int-2", "root-2"]}]))
    for name, more in {"leaf": ["leaf-2"], "intermediate": ["int-2"], "root": ["root-2"],
                       "chain": ["leaf-2", "int-2", "root-2"]}.items():
        theme.decide(f"appended-{name}", "Certificates that were served and are no part of the validated chain don't exist: "
                     "a pinned one merely appended.", pinned, good + more, mismatch())
    theme.decide("appended-denied", "Nor does a denied one that was merely appended.", theme.manifest(
        "denied", content(keys, [{"host": "example.com", "keys": ["leaf-1"]}])), good + ["leaf-2"], allow("leaf-1", 0))
    theme.decide("order-served", "The order of what follows the leaf doesn't matter.", theme.manifest(
        "int-1", content(keys, [{"host": "example.com", "keys": ["int-1"]}])), ["leaf-1", "root-1", "int-2", "int-1"],
        allow("int-1", 1))
    theme.decide("root-not-served", "The anchor needn't be served to be matched.", theme.manifest(
        "root-1", content(keys, [{"host": "example.com", "keys": ["root-1"]}])), good, allow("root-1", 2))
    # Certificates are checked from the leaf upwards.
    several = theme.manifest("several", content(theme.book.keys, [
        {"host": "example.com", "keys": ["leaf-1", "int-1", "root-1"]}]))
    theme.decide("lowest-match", "Of several matches the one nearest to the leaf is named.", several, good,
                 allow("leaf-1", 0))
    theme.decide("next-match", "The leaf's key is another: the intermediate matches.", several, ["expired", "int-1"],
                 allow("int-1", 1), at="2026-10-01T00:00:00Z")
    backup = theme.manifest("backup", content(theme.book.keys, [
        {"host": "example.com", "keys": (["spare"], ["int-1"])}]))
    theme.decide("backup", "A backup key allows like an active one, and is an event.", backup, good,
                 allow("int-1", 1, events=["backup-key-matched"]))
    both = theme.manifest("active-first", content(theme.book.keys, [
        {"host": "example.com", "keys": (["leaf-1"], ["int-1"])}]))
    theme.decide("active-below-backup", "An active key at the leaf: the backup above it is not looked at.", both, good,
                 allow("leaf-1", 0))
    theme.decide("cross-signed-first-anchor", "A path ends at the first anchor that it meets: root 1, not root 2.",
                 theme.manifest("root-2", content(theme.book.keys, [{"host": "example.com", "keys": ["root-2"]}])),
                 [*good, "root-1-by-2"], mismatch(), section="docs/validation.md#which-path")
    theme.decide("cross-signed-other-anchor", "Where only root 2 is an anchor, the path leads over root 1 to it.",
                 "order-of-decision-root-2.json", [*good, "root-1-by-2"], allow("root-2", 3), anchors=["root-2"],
                 section="docs/validation.md#which-path")
    theme.decide("cross-signed-key-on-both", "Root 1's key stands on either path.", "order-of-decision-root-1.json",
                 [*good, "root-1-by-2"], allow("root-1", 2), anchors=["root-2"],
                 section="docs/validation.md#which-path")
