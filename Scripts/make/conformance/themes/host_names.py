"""Host names: how a name is made canonical before its entry is looked up."""

from book import FORMAT, invalid_host, no_entry, off
from manifests import content

LONG_LABEL = "a" * 63
# 253 octets in all, below sub.example.com.
LONG_NAME = ".".join([LONG_LABEL] * 3 + ["b" * (253 - 3 * 64 - len(".sub.example.com"))]) + ".sub.example.com"


def write(theme):
    theme.about(
        "decision",
        "The host of a question in its canonical form. No certificate is needed: every entry here has the mode off, so "
        "the answer says which one governs, if any.",
        FORMAT + "#which-entry-applies")
    hosts = ["10.0.0.5", "192.0.2.1", "2001:db8::1", "::1", "example.com", "xn--mnchen-3ya.de", "localhost", "1e3.test", "xn--ls8h.la",
             "xn--0.test"]
    entries = [{"host": host, "mode": "off"} for host in hosts]
    entries.append({"host": "sub.example.com", "mode": "off", "subs": True})
    manifest = theme.manifest("all", content({}, entries))

    def governed(identifier, comment, host, entry):
        theme.decide(identifier, comment, manifest, [], off(entry), host=host)

    def free(identifier, comment, host):
        theme.decide(identifier, comment, manifest, [], no_entry(), host=host)

    def invalid(identifier, comment, host):
        theme.decide(identifier, comment, manifest, [], invalid_host(), host=host)

    governed("exact", "A name as the entry has it.", "example.com", "example.com")
    governed("upper-case", "ASCII letters become lower case.", "EXAMPLE.COM", "example.com")
    governed("mixed-case", "ASCII letters become lower case, each by itself.", "eXample.CoM", "example.com")
    governed("trailing-dot", "One trailing dot falls away.", "example.com.", "example.com")
    governed("upper-case-and-dot", "Case and trailing dot together.", "Example.COM.", "example.com")
    governed("single-label", "A name of one label is a name.", "localhost", "localhost")
    governed("a-label", "A-labels are compared as they are.", "xn--mnchen-3ya.de", "xn--mnchen-3ya.de")
    governed("a-label-upper-case", "A-labels in upper case are the same.", "XN--MNCHEN-3YA.DE", "xn--mnchen-3ya.de")
    governed("a-label-symbol", "An A-label for a symbol, as browsers ask for it.", "xn--ls8h.la", "xn--ls8h.la")
    governed("a-label-symbol-upper-case", "In upper case and with a dot too.", "XN--LS8H.LA.", "xn--ls8h.la")
    governed("a-label-undecodable", "A-labels aren't decoded: what stands for nothing is compared like others.", "xn--0.test",
             "xn--0.test")
    free("a-label-undecodable-other", "And it has a canonical form where nothing governs it.", "xn--99999999.test")
    governed("letters-in-number", "A first label that begins with a digit is a label.", "1e3.test", "1e3.test")
    free("suffix-without-dot", "example.com never matches notexample.com.", "notexample.com")
    free("prefix-of-other", "A longer name that begins with the entry's is another name.", "example.com.evil.test")
    free("prefix-of-entry", "A shorter name is another name.", "example.co")
    free("subdomain-not-included", "An entry without include-subdomains covers no name below.", "www.example.com")
    governed("subdomain", "A name below, where subdomains are included.", "a.sub.example.com", "sub.example.com")
    governed("subdomain-deep", "At any depth.", "a.b.c.d.sub.example.com", "sub.example.com")
    governed("subdomain-itself", "The name itself is covered as well.", "sub.example.com", "sub.example.com")
    governed("subdomain-case", "Also in upper case.", "A.SUB.EXAMPLE.COM.", "sub.example.com")
    free("subdomain-without-dot", "asub.example.com isn't below sub.example.com.", "asub.example.com")
    governed("underscore", "Underscores are allowed in a question.", "a_b.sub.example.com", "sub.example.com")
    governed("underscore-first", "Also at the start of a label.", "_dmarc.sub.example.com", "sub.example.com")
    governed("hyphen-first", "A hyphen at a label's edge is allowed in a question.", "-a.sub.example.com", "sub.example.com")
    governed("hyphen-last", "At either edge.", "a-.sub.example.com", "sub.example.com")
    governed("label-63", "A label may have 63 octets.", LONG_LABEL + ".sub.example.com", "sub.example.com")
    invalid("label-64", "A label of 64 octets is none.", "a" * 64 + ".sub.example.com")
    assert len(LONG_NAME) == 253
    governed("name-253", "A name may have 253 octets.", LONG_NAME, "sub.example.com")
    governed("name-253-and-dot", "A trailing dot doesn't count.", LONG_NAME + ".", "sub.example.com")
    invalid("name-254", "A name of 254 octets is none.", "c" + LONG_NAME)
    invalid("empty", "The empty text is no host, and blocked rather than not pinned.", "")
    invalid("dot", "A lone dot is no host.", ".")
    invalid("two-trailing-dots", "Only one trailing dot falls away.", "example.com..")
    invalid("leading-dot", "An empty first label.", ".example.com")
    invalid("inner-empty-label", "An empty label inside.", "a..example.com")
    invalid("space", "A space.", "exam ple.com")
    invalid("leading-space", "White space is not taken off.", " example.com")
    invalid("line-break", "A line break at the end is not taken off.", "example.com\n")
    invalid("slash", "A path is no part of a host.", "example.com/")
    invalid("port", "A port is no part of a host.", "example.com:443")
    invalid("at-sign", "User information is no part of a host.", "user@example.com")
    invalid("wildcard", "A pattern is no host.", "*.sub.example.com")
    invalid("percent", "Escapes are not decoded.", "example%2ecom")
    invalid("u-label", "U-labels are to be converted by whoever asks.", "m\u00fcnchen.de")
    invalid("u-label-symbol", "So is a symbol.", "\U0001f4a9.la")
    invalid("full-width", "Full-width letters are not ASCII letters.", "\uff45xample.com")
    invalid("ideographic-dot", "U+3002 is no dot here.", "example\u3002com")
    invalid("long-s", "U+017F, whose upper case is an ASCII letter, is not ASCII.", "\u017fub.example.com")
    # IPv4.
    governed("ipv4", "An address in four decimal numbers.", "10.0.0.5", "10.0.0.5")
    governed("ipv4-trailing-dot", "One trailing dot falls away from an address too.", "10.0.0.5.", "10.0.0.5")
    free("ipv4-other", "Addresses match exactly or not at all.", "10.0.0.50")
    invalid("ipv4-leading-zero", "Leading zeros: some read them as octal.", "10.0.0.05")
    invalid("ipv4-octal", "An octal number.", "012.0.0.5")
    invalid("ipv4-three-parts", "inet_aton(3) reads it as 10.0.0.5.", "10.0.5")
    invalid("ipv4-one-number", "URL parsers read it as 10.0.0.5.", "167772165")
    invalid("ipv4-hexadecimal", "inet_aton(3) reads it as 10.0.0.5.", "0x0a000005")
    invalid("ipv4-hexadecimal-upper", "In upper case too.", "0X0A000005")
    invalid("ipv4-256", "A number above 255.", "10.0.0.256")
    invalid("ipv4-five-parts", "Five numbers.", "10.0.0.5.1")
    invalid("ipv4-below", "An address has no subdomains: the last label is a number.", "a.10.0.0.5")
    invalid("last-label-number", "A last label of digits makes an address or nothing.", "sub.example.5")
    invalid("last-label-hexadecimal", "So does one of 0x and hexadecimal digits.", "sub.example.0xc0")
    invalid("last-label-0x", "Digits may be missing: URL parsers read 0x as 0.", "sub.example.0x")
    invalid("last-label-0x-alone", "Also where it is the only label.", "0x")
    invalid("last-label-0x-and-dot", "A trailing dot falls away first.", "sub.example.0X.")
    free("last-label-nearly-hexadecimal", "0xg0 is a label like others.", "sub.example.0xg0")
    free("last-label-digits-and-letter", "5a is a label like others.", "sub.example.5a")
    governed("inner-label-number", "A number anywhere else is a label.", "10.sub.example.com", "sub.example.com")
    # IPv6.
    governed("ipv6", "An address as in RFC 5952.", "2001:db8::1", "2001:db8::1")
    governed("ipv6-brackets", "The brackets fall away.", "[2001:db8::1]", "2001:db8::1")
    governed("ipv6-upper-case", "Letters become lower case.", "2001:DB8::1", "2001:db8::1")
    governed("ipv6-in-full", "Zeros written out.", "2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1")
    governed("ipv6-other-zeros", "Zeros cut elsewhere.", "2001:db8:0:0::1", "2001:db8::1")
    governed("ipv6-loopback", "The loopback address.", "0:0:0:0:0:0:0:1", "::1")
    free("ipv6-other", "Addresses match exactly or not at all.", "2001:db8::2")
    governed("ipv4-mapped", "An IPv4-mapped address is the IPv4 address.", "::ffff:192.0.2.1", "192.0.2.1")
    governed("ipv4-mapped-hexadecimal", "Also in hexadecimal.", "::ffff:c000:201", "192.0.2.1")
    governed("ipv4-mapped-brackets", "Also in brackets and upper case.", "[::FFFF:192.0.2.1]", "192.0.2.1")
    free("ipv4-compatible", "An IPv4-compatible address is another address.", "::192.0.2.1")
    free("nat64", "So is one of NAT64.", "64:ff9b::192.0.2.1")
    invalid("ipv6-trailing-dot", "A trailing dot belongs to names and IPv4 addresses.", "2001:db8::1.")
    invalid("ipv6-brackets-trailing-dot", "Also behind brackets, as URL parsers have it.", "[2001:db8::1].")
    invalid("ipv4-mapped-trailing-dot", "Also behind a dotted part.", "::ffff:192.0.2.1.")
    invalid("ipv6-zone", "A zone is no part of an address.", "fe80::1%eth0")
    invalid("ipv6-two-gaps", "Zeros cut twice.", "2001::db8::1")
    invalid("ipv6-nine-groups", "Nine groups.", "1:2:3:4:5:6:7:8:9")
    invalid("ipv6-seven-groups", "Seven groups.", "1:2:3:4:5:6:7")
    invalid("ipv6-five-digits", "A group of five digits.", "2001:0db80::1")
    invalid("ipv6-open-bracket", "A bracket that isn't closed.", "[2001:db8::1")
    invalid("ipv6-closing-bracket", "A bracket that isn't opened.", "2001:db8::1]")
    invalid("ipv6-port", "A port is no part of a host.", "[2001:db8::1]:443")
    invalid("ipv4-brackets", "Brackets are for IPv6.", "[10.0.0.5]")
    invalid("name-brackets", "Brackets are for IPv6.", "[example.com]")
    invalid("colons", "Colons alone.", ":::")
