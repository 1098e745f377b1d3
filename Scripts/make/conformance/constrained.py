"""Certificates below name constraints (RFC 5280 section 4.2.1.10), and leaves with CA:TRUE."""

import ipaddress

import der
import keys
from certificates import extension, general_name, make

SERVER = ["server"]


def network(text):
    one = ipaddress.ip_network(text)
    return "address:" + (one.network_address.packed + one.netmask.packed).hex()


def subtrees(tag, names):
    return [] if names is None else [der.value(tag, *(der.sequence(general_name(name)) for name in names))]


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
    "permits-mail": (["mail:example.com"], None),
    "permits-mail-below": (["mail:.example.com"], None),
    "permits-mailbox": (["mail:good@example.com"], None),
    "excludes-mail": (None, ["mail:example.org"]),
    "permits-address": ([network("192.0.2.0/24")], None),
    "permits-address-6": ([network("2001:db8::/32")], None),
    "excludes-address": (None, [network("192.0.2.0/24")]),
    # An address where there has to be an address and a mask.
    "permits-address-no-mask": (["address:c0000201"], None),
    "permits-address-6-no-mask": (["address:20010db8000000000000000000000001"], None),
    "excludes-address-no-mask": (None, ["address:cb007101"]),
}
NAMES = {
    "wildcard": ["*.example.com"], "api": ["api.example.com"], "www": ["www.example.com"], "apex": ["example.com"],
    "deep-wildcard": ["*.api.example.com"], "upper-wildcard": ["*.EXAMPLE.com"], "leading-dot": [".example.com", "www.example.com"],
    "www-and-wildcard": ["www.example.com", "*.example.com"],
} | {name: ["www.example.com", other] for name, other in {
    "trailing-dot": "api.example.com.", "empty-label": "api..example.com", "empty-name": "", "part-wildcard": "w*.example.com",
    "two-wildcards": "*.*.example.com", "not-ascii": "\u00e4.example.com", "underscore": "a_b.example.com",
    "mail": "mail:good@example.com", "mail-signs": "mail:{a}+b'c@example.com", "mail-org": "mail:good@example.org",
    "mail-below": "mail:good@a.example.com", "mail-two-signs": "mail:invalid@address@example.com",
    "mail-quoted": 'mail:"good"@example.com', "mail-dots": "mail:a..b@example.com", "mail-space": "mail:a b@example.com",
    "mail-no-box": "mail:@example.com", "mail-no-host": "mail:good@", "mail-no-sign": "mail:example.com",
    "mail-address": "mail:good@[192.0.2.1]", "mail-leading-dot": "mail:good@.example.com",
    "address": "address:c0000201", "address-other": "address:cb007101",
    "address-6": "address:20010db8000000000000000000000001", "address-with-mask": "address:c0000200ffffff00",
    "address-short": "address:c00002", "address-6-with-mask": "address:" + "20010db8" + "00" * 12 + "ff" * 4 + "00" * 12,
}.items()}


def add(add):
    """Adds `nc-CONSTRAINT`, intermediates for one key; `nc-root`, which excludes itself; and `nc-leaf-NAMES`."""
    root, key = add.certificates["root-1"], keys.EC("constrained")
    for name, (permitted, excluded) in CONSTRAINTS.items():
        one = add(f"nc-{name}", make("Constrained", key, root, authority=True, more=[constraints(permitted, excluded)],
                                     serial=len(add.certificates)))
    add("nc-root", make("Constrained", key, authority=True, more=[constraints(None, ["api.example.com"])]))
    for name, names in NAMES.items():
        add(f"nc-leaf-{name}", make(name, keys.EC("nc " + name), one, names=names, usages=SERVER))
    for name, mail in {"mail": "good@example.com", "two-signs": "invalid@address@example.com"}.items():
        subject = der.name("subject " + name, mail)
        add(f"nc-leaf-subject-{name}", make(subject, keys.EC("nc subject " + name), one, names=["www.example.com"], usages=SERVER))
    # The authority has the invalid name; a certificate that an authority issues to itself, for another key, is exempt.
    for name, subject in {"below": "Below", "self-issued": "Constrained"}.items():
        under = add(f"nc-{name}", make(subject, keys.EC("nc int " + name), add.certificates["nc-permits-com"], authority=True,
                                       names=[".example.com"]))
        add(f"nc-leaf-{name}", make("leaf " + name, keys.EC("nc leaf " + name), under, names=["www.example.com"], usages=SERVER))
    # CA:TRUE, with a keyUsage that has no keyCertSign, and without any.
    leaf = {"authority": True, "names": NAMES["www"], "usages": SERVER}
    calls = add("leaf-calls-itself-authority", make("calls itself", keys.EC("calls itself"), root, key_usage=b"\x80", **leaf))
    add("under-calls-itself", make("under", keys.EC("under calls itself"), calls, names=NAMES["www"], usages=SERVER))
    add("leaf-authority-no-usage", make("no usage", keys.EC("authority no usage"), root, lacks=["usage"], **leaf))
