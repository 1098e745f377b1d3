"""The position of a key in the chain."""

from book import FORMAT, allow, denied, mismatch
from manifests import content


def write(theme):
    theme.about(
        "decision", "A key may say where in the validated chain it must stand: leaf, intermediate or root. The only "
        "certificate of a chain is leaf and root.", FORMAT + "#order")
    keys = dict(theme.book.keys)
    for name in ("leaf-1", "int-1", "root-1", "self", "leaf-direct", "root-1-by-2", "tower-4"):
        for position in ("leaf", "intermediate", "root"):
            keys[f"{name}.{position}"] = {**keys[name], "position": position}

    def row(identifier, comment, key, served, expected, **more):
        trust = more.pop("trust", {})
        manifest = theme.manifest(
            more.pop("manifest", key), content(keys, [{"host": "example.com", "keys": [key], **trust}],
                                               **more.pop("changes", {})))
        theme.decide(identifier, comment, manifest, served, expected, **more)

    chain = ["leaf-1", "int-1"]
    for number, name in enumerate(("leaf-1", "int-1", "root-1")):
        own = ("leaf", "intermediate", "root")[number]
        row(f"{own}-anywhere", f"Without a position a key matches at the {own}.", name, chain, allow(name, number))
        for position in ("leaf", "intermediate", "root"):
            key = f"{name}.{position}"
            row(f"{own}-as-{position}", f"The key of the {own}, which must stand at the {position}.", key, chain,
                allow(key, number) if position == own else mismatch())
    direct = ["leaf-direct"]
    row("two-certificates-root", "Leaf and anchor: the anchor is the root.", "root-1.root", direct, allow("root-1.root", 1))
    row("two-certificates-intermediate", "It isn't an intermediate; there is none.", "root-1.intermediate", direct,
        mismatch())
    row("two-certificates-leaf", "The leaf is the leaf.", "leaf-direct.leaf", direct, allow("leaf-direct.leaf", 0))
    row("two-certificates-leaf-as-root", "And no root.", "leaf-direct.root", direct, mismatch())
    # The leaf is an anchor itself.
    fingerprint = theme.book.print("self")
    token = {"trust": {"trust": {"certificate": fingerprint}},
             "changes": {"certificates": theme.book.carried("self")}}
    for position, expected in {
        "leaf": allow("self.leaf", 0), "root": allow("self.root", 0), "intermediate": mismatch(),
    }.items():
        row(f"one-certificate-{position}", f"A chain of one certificate, whose key must stand at the {position}.",
            f"self.{position}", ["self"], expected, **token)
        row(f"self-signed-anchor-{position}", "The same where the self-signed leaf is an anchor.", f"self.{position}",
            ["self"], expected, anchors=["self"], manifest=f"anchor-self.{position}")
    # Which certificate is an intermediate depends on the path.
    for position, expected in {
        "intermediate": allow("root-1.intermediate", 2), "root": mismatch(), "leaf": mismatch(),
    }.items():
        row(f"cross-signed-{position}", "Root 1's key in a certificate by root 2 stands below the anchor.",
            f"root-1.{position}", [*chain, "root-1-by-2"], expected, anchors=["root-2"])
    partial = {"trust": {"trust": {"anchors": [theme.book.print("int-1")]}},
               "changes": {"certificates": theme.book.carried("int-1")}}
    row("named-intermediate-root", "An intermediate that the policy names as an anchor ends the path: it is the root.",
        "int-1.root", chain, allow("int-1.root", 1), manifest="named-root", section="docs/validation.md#what-trust-changes",
        **partial)
    row("named-intermediate-intermediate", "So it is no intermediate.", "int-1.intermediate", chain, mismatch(),
        manifest="named-intermediate", section="docs/validation.md#what-trust-changes", **partial)
    row("named-intermediate-above", "And what stands above it is no part of the chain, also with the system's anchors.",
        "root-1", chain, mismatch(), manifest="named-above", section="docs/validation.md#what-trust-changes", **partial)
    tower = ["tower-8-leaf", *(f"tower-{number}" for number in range(8, 0, -1))]
    row("intermediate-of-many", "Any certificate between leaf and root is an intermediate.", "tower-4.intermediate", tower,
        allow("tower-4.intermediate", 5))
    # A position restricts a pin, never a denial.
    lost = {**keys["root-1"], "position": "leaf", "denied": "lost"}
    manifest = theme.manifest("denied", content({**keys, "lost": lost}, [{"host": "example.com", "keys": ["leaf-1"]}]))
    theme.decide("denied-elsewhere", "A denied key blocks anywhere in the chain, also beside its position.", manifest, chain,
                 denied("lost", 2))
    both = theme.manifest("two-names", content(keys, [
        {"host": "example.com", "keys": ["root-1.leaf", "root-1.root"]}]))
    theme.decide("two-keys-of-one-pin", "One pin under two names: the key whose position fits matches.", both, chain,
                 allow("root-1.root", 2))
