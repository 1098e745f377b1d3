import Testing

@Suite("Exclusions")
struct ExclusionTests {
  @Test(
    arguments: [
      Corner.hosts(
        "nothing above",
        """
        hosts:
          - { host: a.example.com, mode: off, reason: an appliance }
        """, at: ["9:13-26"]),
      Corner.hosts(
        "the name above doesn't include subdomains",
        """
        hosts:
          - { host: example.com, keys: public-web }
          - { host: a.example.com, mode: off, reason: an appliance }
        """, at: ["10:13-26"]),
      Corner.hosts(
        "the name above covers another port",
        """
        hosts:
          - { host: example.com, port: 443, include-subdomains: true, keys: public-web }
          - { host: a.example.com, port: 8443, mode: off, reason: an appliance }
        """, at: ["10:13-26"]),
      Corner.hosts(
        "the name above covers one of the ports",
        """
        hosts:
          - { host: example.com, port: 443, include-subdomains: true, keys: public-web }
          - { host: a.example.com, mode: off, reason: an appliance }
        """),
      Corner.hosts(
        "the same host on all ports",
        """
        hosts:
          - { host: a.example.com, keys: public-web }
          - { host: a.example.com, port: 8443, mode: off, reason: an appliance }
        """),
      Corner.hosts(
        "an address that only looks like a subdomain",
        """
        hosts:
          - { host: 10.0.0.5, keys: public-web }
          - { host: 1.10.0.0, mode: off, reason: an appliance }
        """, at: ["10:13-21"]),
      Corner.hosts(
        "what would cover it can't be read",
        """
        hosts:
          - { host: exam_ple.com, include-subdomains: true, keys: public-web }
          - { host: a.example.com, mode: off, reason: an appliance }
        """),
    ])
  func exclusions(_ corner: Corner) throws {
    try corner.expect("P207")
  }
}
