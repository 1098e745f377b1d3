"""One key in several encodings: pins and denials are hashes, so only the usual one is accepted."""

import encoded_keys
from book import VALIDATION, allow, denied, untrusted
from manifests import content

CODE = "key-encoding"
HEIGHT = {"leaf": 0, "intermediate": 1, "root": 1}


def write(theme):
    theme.about("decision", "A certificate in the path whose public key isn't in the usual form of its algorithm is rejected "
                "in every mode: neither its pin nor its denial would say anything about the key.",
                VALIDATION + "#one-key-one-encoding")
    book = theme.book
    manifests = {}

    def manifest(algorithm, place, is_denied, mode):
        name = "-".join((algorithm, place, "denied" if is_denied else "pinned", mode))
        if name not in manifests:
            usual = f"{algorithm}-usual-{place}"
            keys = dict(book.keys)
            if is_denied:
                keys[usual] = {**keys[usual], "denied": "lost"}
                pinned = ["root-1", f"under-{algorithm}-root"]
            else:
                # Also the hashes of the other encodings.
                pinned = [key for key in keys if key.startswith(f"{algorithm}-") and key.endswith("-" + place)]
            manifests[name] = theme.manifest(name, content(keys, [{"host": "example.com", "mode": mode, "keys": pinned}]))
        return manifests[name]

    def served(algorithm, form, place):
        name = f"{algorithm}-{form}-{place}"
        if place == "leaf":
            return [name, "int-1"], ["root-1"]
        under = f"under-{algorithm}-{place}"
        return ([under, name], ["root-1"]) if place == "intermediate" else ([under], [name])

    def row(algorithm, form, place, is_denied, mode, comment):
        chain, anchors = served(algorithm, form, place)
        usual, height = f"{algorithm}-usual-{place}", HEIGHT[place]
        events = ["report-only"] if mode == "report-only" else []
        if form != "usual":
            expected = untrusted(CODE, height, events=events)
        else:
            expected = denied(usual, height, events=events) if is_denied else allow(usual, height, events=events)
        what = "denied" if is_denied else "pinned"
        suffix = "-report-only" if events else ""
        theme.decide(f"{algorithm}-{form}-{place}-{what}{suffix}", f"{comment} The {place}'s key is {what}.",
                     manifest(algorithm, place, is_denied, mode), chain, expected, anchors=anchors)

    for (algorithm, place), (_, encodings) in encoded_keys.forms().items():
        for form, (_, comment) in encodings.items():
            if f"{algorithm}-{form}-{place}" not in book.certificates:
                continue
            row(algorithm, form, place, False, "enforce", comment)
            row(algorithm, form, place, True, "enforce", comment)
            if place == "leaf":
                row(algorithm, form, place, True, "report-only", comment)
    for algorithm, form, comment in (
        ("ed25519", "unreduced", "y with p added."), ("ed448", "unreduced", "y with p added."),
        ("ec", "wireless", "A curve by the name that WTLS gave it; a weak key would come after that."),
    ):
        row(algorithm, form, "leaf", False, "enforce", comment)

    def own(name, entry, pinned, carried, **more):
        carried = book.carried(*carried) if carried else None
        return theme.manifest(name, content(book.keys, [{"host": "example.com", "keys": pinned, **entry}],
                                            certificates=carried, **more))

    name = "ec-compressed-leaf"
    token = own("token", {"trust": {"certificate": book.print(name)}}, [name], [name])
    theme.decide("token", "The one certificate that an entry names.", token, [name], untrusted(CODE, 0))
    name = "ec-hybrid-root"
    anchor = own("anchor", {"trust": {"anchors": [book.print(name)]}}, [name], [name])
    theme.decide("named-anchor", "An anchor that an entry names: its form isn't checked, its key's is.", anchor,
                 ["under-ec-root"], untrusted(CODE, 1))
    name = "ec-compressed-intermediate"
    carried = own("intermediate", {"trust": {"intermediates": [book.print(name)]}}, ["root-1"], [name])
    theme.decide("named-intermediate", "An intermediate that an entry names.", carried, ["under-ec-intermediate"],
                 untrusted(CODE, 1))
    name = "rsa-pss-leaf"
    exceptions = [{"certificate": book.print(name), "failure": "weak-key", "reason": "old", "until": "2027-01-01T00:00:00Z"}]
    excused = own("exception", {"trust": {"exceptions": exceptions}}, [name], [])
    theme.decide("exception", "An exception for a weak key doesn't excuse it.", excused, [name, "int-1"], untrusted(CODE, 0))
    plain = theme.manifest("plain", content(book.keys, [{"host": "example.com", "keys": ["leaf-1"]},
                                                        {"host": "client.example.com", "keys": ["int-1"]}]))
    theme.decide("unused", "What was merely served and isn't in the path doesn't count.", plain,
                 ["leaf-1", "int-1", "ec-compressed-intermediate"], allow("leaf-1", 0))
    theme.decide("client", "A client's certificate.", plain, ["ec-compressed-client", "int-1"],
                 untrusted(CODE, 0, "client.example.com"), peer="client", host="client.example.com")
