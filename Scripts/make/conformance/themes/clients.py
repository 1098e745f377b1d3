"""Client certificates."""

from book import VALIDATION, allow, mismatch, no_entry, untrusted
from manifests import content


def write(theme):
    theme.about("decision", "A client that presented a certificate, judged on the server's side under the entry that the "
                "service names.", VALIDATION + "#client-certificates")
    keys = theme.book.keys
    manifest = theme.manifest("all", content(keys, [{"host": "clients.example.com", "keys": ["root-1"]}]))
    spare = theme.manifest("spare", content(keys, [{"host": "clients.example.com", "keys": ["spare"]}]))
    entry = "clients.example.com"
    for peer in ("client", "server"):
        for name, usage in (("usage-client", "client"), ("usage-both", "both"), ("usage-none", None), ("leaf-1", "server"),
                            ("usage-any", "any")):
            if peer == "client":
                expected = (allow("root-1", 2, entry) if usage in ("client", "both", None)
                            else untrusted("wrong-usage", 0, entry))
            elif usage in ("client", "any"):
                expected = untrusted("wrong-usage", 0, entry)
            else:
                expected = untrusted("name-mismatch", 0, entry)
                if name != "usage-client":
                    # *.example.com is among the names of these leaves.
                    expected = allow("root-1", 2, entry)
            theme.decide(f"{peer}-{name}", f"A {peer} presents a certificate whose Extended Key Usage is " + (
                {"both": "for servers and clients.", None: "absent.", "any": "for anything, which doesn't count."}.get(
                    usage, f"for {usage}s.")), manifest, [name, "int-1"], expected, host=entry, peer=peer)
    theme.decide("no-name", "No name is compared.", manifest, ["other-name", "int-1"], untrusted("wrong-usage", 0, entry),
                 host=entry, peer="client")
    theme.decide("mismatch", "The pins are compared as ever.", spare, ["usage-client", "int-1"], mismatch(entry), host=entry,
                 peer="client")
    theme.decide("intermediate-for-clients", "The intermediate is for clients only, the leaf for servers.", manifest,
                 ["under-client", "int-client"], untrusted("wrong-usage", 0, entry), host=entry, peer="client")
    theme.decide("no-entry", "The service names an entry that isn't there.", manifest, ["usage-client", "int-1"], no_entry(),
                 host="other.test", peer="client")
    theme.decide("no-entry-replaced", "The same where nobody else validates: anchors don't say who may be a client.", manifest,
                 ["usage-client", "int-1"],
                 no_entry(disposition="cancel", failure={"code": "other", "certificate": None}),
                 host="other.test", peer="client", transport="replaced")
    theme.decide("nothing", "A client that presented nothing.", manifest, [], untrusted("unusable-chain", None, entry),
                 host=entry, peer="client")
    theme.decide("unknown-issuer", "A client of an unknown authority.", manifest, ["leaf-3", "int-3"],
                 untrusted("unknown-issuer", 1, entry), host=entry, peer="client")
