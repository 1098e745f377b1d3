"""Denied keys."""

from book import FORMAT, allow, denied, off
from manifests import content


def write(theme):
    theme.about("decision", "A denied key anywhere in the validated chain blocks, whatever else matches and in every mode.",
                FORMAT + "#order")
    book = theme.book
    chain = ["leaf-1", "int-1"]

    def keys(*lost, **more):
        return {**book.keys, **{name: {**book.keys[name], "denied": "lost"} for name in lost}, **more}

    for mode in ("enforce", "report-only"):
        events = ["report-only"] if mode == "report-only" else []
        for number, name in enumerate(("leaf-1", "int-1", "root-1")):
            others = [key for key in ("leaf-1", "int-1", "root-1") if key != name]
            for kind, active in (("also-pinned", [name]), ("others-pinned", others), ("none-pinned", ["spare"])):
                manifest = theme.manifest(f"{mode}-{name}-{kind}", content(
                    keys(name), [{"host": "example.com", "mode": mode, "keys": active}]))
                theme.decide(f"{mode}-{name}-{kind}", f"{name} is denied, and " + {
                    "also-pinned": "the entry's set names it as well.", "others-pinned": "all other keys of the chain match.",
                    "none-pinned": "no key matches."}[kind], manifest, chain, denied(name, number, events=events))
    plain = theme.manifest("elsewhere", content(keys("leaf-2", "int-2", "root-2"), [
        {"host": "example.com", "keys": ["int-1"]}, {"host": "off.example.com", "mode": "off"}]))
    theme.decide("elsewhere", "Keys that aren't on the chain don't matter.", plain, chain, allow("int-1", 1))
    theme.decide("other-entry", "A key needn't be any entry's to be denied.", plain, ["leaf-2", "int-2"], denied("leaf-2", 0))
    theme.decide("off", "With mode off a denial isn't looked for.", plain, ["leaf-2", "int-2"], off("off.example.com"),
                 host="off.example.com")
    theme.decide("appended", "A denied certificate that was merely appended.", plain, [*chain, "leaf-2", "int-2"],
                 allow("int-1", 1))
    two = theme.manifest("two", content(keys("int-1", "root-1"), [{"host": "example.com", "keys": ["leaf-1"]}]))
    theme.decide("nearest", "Of two denied keys the one nearest to the leaf is named.", two, chain, denied("int-1", 1))
    alias = theme.manifest("alias", content(
        keys(burnt={**book.keys["leaf-1"], "denied": "lost"}), [{"host": "example.com", "keys": ["leaf-1"]}]))
    theme.decide("other-name", "A denial is of the pin: the same pin under another name is denied too.", alias, chain,
                 denied("burnt", 0))
    backup = theme.manifest("backup", content(keys("leaf-1"), [{"host": "example.com", "keys": (["spare"], ["leaf-1"])}]))
    theme.decide("backup", "A denied backup key.", backup, chain, denied("leaf-1", 0))
    renewed = theme.manifest("renewed", content(keys("leaf-1"), [{"host": "example.com", "keys": ["int-1"]}]))
    theme.decide("renewed", "A renewed certificate for a denied key.", renewed, ["leaf-1-renewed", "int-1"],
                 denied("leaf-1", 0))
    entry = {"host": "example.com", "keys": ["self"], "trust": {"certificate": book.print("self")}}
    token = theme.manifest("token", content(keys("self"), [entry], certificates=book.carried("self")))
    theme.decide("token", "The one certificate that an entry names has a denied key.", token, ["self"], denied("self", 0))
    partial = {"host": "example.com", "keys": ["int-1"], "trust": {"anchors": [book.print("int-1")]}}
    cut = theme.manifest("above-anchor", content(keys("root-1"), [partial], certificates=book.carried("int-1")))
    theme.decide("above-anchor", "What stands above an intermediate that the policy names as an anchor isn't found denied.",
                 cut, chain, allow("int-1", 1), section="docs/validation.md#what-trust-changes")
