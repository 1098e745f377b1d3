import Testing

/// How entries meet: who wins, and who changes nothing.
@Suite("Overlapping entries")
struct OverlapTests {
  @Test(
    arguments: [
      Corner.hosts(
        "siblings don't meet",
        """
        hosts:
          - { host: a.example.com, include-subdomains: true, keys: public-web }
          - { host: b.example.com, include-subdomains: true, mode: report-only, keys: public-web }
        """),
      Corner.hosts(
        "an entry without subdomains covers no other",
        """
        hosts:
          - { host: example.com, keys: public-web }
          - { host: a.example.com, mode: report-only, keys: public-web }
        """),
      Corner.hosts(
        "the wider entry keeps the names below",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, mode: report-only, keys: public-web }
        """, at: ["10:13-26"], saying: "wins over 'example.com', which keeps the names below 'a.example.com'"),
      Corner.hosts(
        "the nearest of two wider entries loses",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, include-subdomains: true, mode: report-only, keys: public-web }
          - { host: b.a.example.com, include-subdomains: true, keys: public-web }
        """, at: ["10:13-26", "11:13-28"], saying: "wins over 'example.com'"),
      Corner.hosts(
        "an entry with a port wins on it",
        """
        hosts:
          - { host: example.com, keys: public-web }
          - { host: example.com, port: 8443, mode: report-only, keys: public-web }
        """, at: ["10:13-24"], saying: "two entries cover 'example.com:8443'; this one wins over 'example.com'"),
      Corner.hosts(
        "the exact host wins over the port of the name above",
        """
        hosts:
          - { host: example.com, port: 8443, include-subdomains: true, keys: public-web }
          - { host: a.example.com, mode: report-only, keys: public-web }
        """, at: ["10:13-26"], saying: "two entries cover 'a.example.com:8443'; this one wins over 'example.com:8443'"),
      Corner.hosts(
        "other ports don't meet",
        """
        hosts:
          - { host: example.com, port: 443, include-subdomains: true, keys: public-web }
          - { host: a.example.com, port: 8443, mode: report-only, keys: public-web }
        """),
      Corner.hosts(
        "many narrower entries are counted",
        "hosts:\n  - { host: example.com, include-subdomains: true, keys: public-web }\n"
          + (1...6).map { "  - { host: h\($0).example.com, mode: report-only, keys: public-web }\n" }.joined(),
        at: ["9:13-24"],
        saying:
          "6 narrower entries win over 'example.com': 'h1.example.com', 'h2.example.com', 'h3.example.com' and 3 more"),
      Corner.hosts(
        "an exclusion is there to win",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, mode: off, reason: an appliance }
        """),
      Corner.hosts(
        "an entry below an exclusion",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, include-subdomains: true, mode: off, reason: an appliance }
          - { host: b.a.example.com, include-subdomains: true, keys: public-web }
        """, at: ["11:13-28"], saying: "wins over 'a.example.com'"),
      Corner.hosts(
        "an entry that changes nothing is another rule's",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, keys: public-web }
        """),
    ])
  func overlapping(_ corner: Corner) throws {
    try corner.expect("P205")
  }

  @Test(
    arguments: [
      Corner.hosts(
        "the same with subdomains",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, include-subdomains: true, keys: public-web }
        """, at: ["10:13-26"], saying: "'example.com' already says the same for 'a.example.com'"),
      Corner.hosts(
        "the same keys under other names",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, keys: { active: [gts-root-r1], backup: [isrg-root-x1] } }
        """, at: ["10:13-26"]),
      Corner.hosts(
        "fewer keys",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, keys: { active: [gts-root-r1] } }
        """),
      Corner.hosts(
        "another mode",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, keys: public-web, mode: report-only }
        """),
      Corner.hosts(
        "another expiry",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, keys: public-web, expires: 2027-06-02 }
        """),
      Corner.hosts(
        "another requirement",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, keys: public-web, require: leaf-and-ca }
        """),
      Corner.hosts(
        "other reports",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, keys: public-web, report-uris: [https://pins.example.org/a] }
        """),
      Corner.hosts(
        "another trust",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, keys: public-web, trust: { minimum-tls: "1.3", reason: agreed } }
        """),
      Corner.hosts(
        "trust that says nothing",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, keys: public-web, trust: { reason: agreed } }
        """, at: ["10:13-26"]),
      Corner.hosts(
        "only the owner differs",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, keys: public-web, owner: somebody else }
        """, at: ["10:13-26"]),
      Corner.hosts(
        "a port of its own on the name above makes the difference",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: example.com, port: 8443, include-subdomains: true, mode: report-only, keys: public-web }
          - { host: a.example.com, keys: public-web }
        """),
      Corner.hosts(
        "a port that is covered the same way",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, port: 8443, keys: public-web }
        """, at: ["10:13-26"], saying: "for 'a.example.com:8443'"),
      Corner.hosts(
        "names below that no other entry covers",
        """
        hosts:
          - { host: example.com, keys: public-web }
          - { host: example.com, port: 8443, include-subdomains: true, keys: public-web }
        """),
      Corner.hosts(
        "an exclusion inside an exclusion",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, include-subdomains: true, mode: off, reason: an appliance }
          - { host: b.a.example.com, mode: off, reason: an appliance }
        """, at: ["11:13-28"], saying: "'a.example.com' already says the same"),
      Corner.hosts(
        "an exclusion that takes something out",
        """
        hosts:
          - { host: example.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, mode: off, reason: an appliance }
        """),
      Corner.hosts(
        "an exclusion that takes one port out",
        """
        hosts:
          - { host: example.com, keys: public-web }
          - { host: example.com, port: 8443, mode: off, reason: an appliance }
        """),
    ])
  func withoutEffect(_ corner: Corner) throws {
    try corner.expect("P206")
  }
}
