import Testing

@Suite("Fields without effect")
struct FieldsWithoutEffectTests {
  @Test(
    arguments: [
      Corner.hosts(
        "everything on an exclusion",
        """
        hosts:
          - host: example.com
            mode: off
            include-subdomains: true
            keys: { active: [isrg-root-x1] }
            require: any
            expires: 2027-01-01
            on-expiry: block
            report-uris: [https://pins.example.org/r]
            trust: { reason: agreed }
            probe: [www.example.com]
            reason: an appliance
        """, at: ["12:5-9", "13:14-17", "14:14-24", "15:16-21", "16:19-45", "17:5-10", "18:13-28"],
        saying: "'keys' has no effect on an entry with 'mode: off'"),
      Corner.hosts(
        "the file's defaults on an exclusion", "hosts:\n  - { host: example.com, mode: off, reason: an appliance }\n"),
      Corner(
        "on-expiry without expires",
        "version: 1\nhosts:\n  - { host: example.com, on-expiry: block }\n", at: ["3:37-42"],
        saying: "on an entry that doesn't expire"),
      Corner(
        "on-expiry with the file's expires",
        "version: 1\ndefaults: { expires: 2027-01-01 }\nhosts:\n  - { host: example.com, on-expiry: block }\n"),
      Corner(
        "a default on-expiry that nothing waits for",
        "version: 1\ndefaults: { on-expiry: block }\nhosts:\n  - { host: example.com }\n", at: ["2:24-29"],
        saying: "no entry of this file expires"),
      Corner(
        "a default on-expiry that one entry waits for",
        "version: 1\ndefaults: { on-expiry: block }\nhosts:\n  - { host: example.com, expires: 2027-01-01 }\n"),
      Corner(
        "defaults without hosts", "version: 1\ndefaults: { mode: enforce, on-expiry: block }\n", at: ["2:19-26"],
        saying: "these defaults have no effect"),
      Corner(
        "defaults of a file that breaks off", "version: 1\ndefaults: { mode: enforce, on-expiry: block }\nkeys: [\n"),
      Corner.hosts(
        "probe without subdomains",
        "hosts:\n  - { host: example.com, keys: public-web, probe: [www.example.com] }\n", at: ["9:52-67"]),
      Corner.hosts(
        "probe with subdomains",
        "hosts:\n  - { host: example.com, include-subdomains: true, keys: public-web, probe: [www.example.com] }\n"),
      Corner.hosts(
        "beside an identity token",
        """
        hosts:
          - host: example.com
            keys: public-web
            trust:
              certificate: keys/appliance.pem
              anchors: [system]
              server-name: other.example.com
              signatures: [ecdsa]
              minimum-tls: "1.3"
              reason: self-signed
        """, at: ["13:17-23", "14:20-37", "15:20-25"], saying: "'anchors' has no effect beside 'certificate'"),
      Corner.hosts(
        "a trust with nothing in it", "hosts:\n  - { host: example.com, keys: public-web, trust: {} }\n",
        at: ["9:44-49"], saying: "'trust' has no effect"),
      Corner.hosts(
        "a reason for nothing", "hosts:\n  - { host: example.com, keys: public-web, trust: { reason: agreed } }\n",
        at: ["9:44-49"]),
      Corner.hosts(
        "the system's anchors",
        "hosts:\n  - { host: example.com, keys: public-web, trust: { anchors: [system], reason: agreed } }\n",
        at: ["9:44-49"]),
      Corner.hosts(
        "a trust whose field can't be read",
        "hosts:\n  - { host: example.com, keys: public-web, trust: { minimum-tls: '1.4' } }\n"),
      Corner.hosts(
        "a trust whose field is misspelt",
        "hosts:\n  - { host: example.com, keys: public-web, trust: { minimum-tsl: '1.3' } }\n"),
      Corner.hosts(
        "a server's certificate as an intermediate",
        "hosts:\n  - { host: example.com, keys: public-web, trust: { intermediates: [keys/api.pem] } }\n",
        at: ["9:69-81"], saying: "'CN=api.example.com' has no effect among 'intermediates'"),
      Corner.hosts(
        "an intermediate as an intermediate",
        "hosts:\n  - { host: example.com, keys: public-web, trust: { intermediates: [keys/example-intermediate.pem] } }\n"
      ),
      Corner.hosts(
        "an expiry that seems to enforce",
        "hosts:\n  - { host: example.com, mode: report-only, keys: public-web, on-expiry: enforce }\n",
        at: ["9:74-81"], saying: "'enforce' goes on as before"),
      Corner.hosts(
        "an expiry that goes on enforcing",
        "hosts:\n  - { host: example.com, keys: public-web, on-expiry: enforce }\n"),
      Corner.hosts(
        "a trust that tightens",
        "hosts:\n  - { host: example.com, keys: public-web, trust: { minimum-tls: '1.3' } }\n"),
      Corner(
        "the position of a denied key",
        """
        version: 1
        keys:
          lost: { pin: sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=, denied: lost, position: root }
        """, at: ["3:93-97"], saying: "a denied key blocks wherever it is in the chain"),
      // Clients that see only the leaf use it: see P215.
      Corner(
        "a denied key that is a leaf's",
        """
        version: 1
        keys:
          lost: { pin: sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=, denied: lost, position: leaf }
        """),
      Corner(
        "the life of a denied key",
        """
        version: 1
        keys:
          lost: { pin: sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=, denied: lost, steps: { active: 2027-01-01, retired: 2027-02-01 } }
        """, at: ["3:100-110"], saying: "'steps' has no effect on a denied key"),
      Corner(
        "the status of a denied key",
        """
        version: 1
        keys:
          lost: { pin: sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=, denied: lost, status: active }
        """, at: ["3:91-97"], saying: "'status' has no effect on a denied key"),
    ])
  func fields(_ corner: Corner) throws {
    try corner.expect("P209")
  }
}
