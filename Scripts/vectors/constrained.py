"""Certificates below name constraints (RFC 5280 section 4.2.1.10), and leaves with CA:TRUE."""

import der
import keys
from certificates import extension, make

SERVER = ["server"]


def subtrees(tag, names):
    return [] if names is None else [der.value(tag, *(der.sequence(der.value(0x82, name.encode())) for name in names))]


def constraints(permitted=None, excluded=None):
    """The extension; None leaves a list out, [] writes an empty one."""
    body = der.sequence(*subtrees(0xA0, permitted), *subtrees(0xA1, excluded))
    return extension("2.5.29.30", body, critical=True)


# The names that each intermediate permits and excludes.
CONSTRAINTS = {
    "excludes-api": (None, ["api.example.com"]),
    "excludes-api-upper": (None, ["API.Example.COM"]),
    "excludes-api-second": (None, ["example.org", "api.example.com"]),
    "excludes-deep": (None, ["v1.api.example.com"]),
    "excludes-all": (None, [""]),
    "excludes-com": (None, ["example.com"]),
    "excludes-dot-com": (None, [".example.com"]),
    "excludes-dot-api": (None, [".api.example.com"]),
    "excludes-wildcard": (None, ["*.example.com"]),
    "excludes-trailing-dot": (None, ["api.example.com."]),
    "excludes-empty-label": (None, ["api..example.com"]),
    "permits-com-excludes-api": (["example.com"], ["api.example.com"]),
    "permits-api": (["api.example.com"], None),
    "permits-com": (["example.com"], None),
    "permits-dot-com": ([".example.com"], None),
    "says-nothing": (None, None),
    "permits-empty-list": ([], None),
    "excludes-empty-list": (None, []),
    "permits-com-excludes-empty-list": (["example.com"], []),
}
NAMES = {
    "wildcard": ["*.example.com"], "api": ["api.example.com"], "www": ["www.example.com"], "apex": ["example.com"],
    "deep-wildcard": ["*.api.example.com"], "upper-wildcard": ["*.EXAMPLE.com"], "leading-dot": [".example.com", "www.example.com"],
    "www-and-wildcard": ["www.example.com", "*.example.com"],
}


def add(add):
    """Adds `nc-CONSTRAINT`, intermediates for one key; `nc-root`, which excludes itself; and `nc-leaf-NAMES`."""
    root, key = add.certificates["root-1"], keys.EC("constrained")
    for name, (permitted, excluded) in CONSTRAINTS.items():
        one = add(f"nc-{name}", make("Constrained", key, root, authority=True, more=[constraints(permitted, excluded)],
                                     serial=len(add.certificates)))
    add("nc-root", make("Constrained", key, authority=True, more=[constraints(None, ["api.example.com"])]))
    for name, names in NAMES.items():
        add(f"nc-leaf-{name}", make(name, keys.EC("nc " + name), one, names=names, usages=SERVER))
    # CA:TRUE, with a keyUsage that has no keyCertSign, and without any.
    leaf = {"authority": True, "names": NAMES["www"], "usages": SERVER}
    calls = add("leaf-calls-itself-authority", make("calls itself", keys.EC("calls itself"), root, key_usage=b"\x80", **leaf))
    add("under-calls-itself", make("under", keys.EC("under calls itself"), calls, names=NAMES["www"], usages=SERVER))
    add("leaf-authority-no-usage", make("no usage", keys.EC("authority no usage"), root, lacks=["usage"], **leaf))
