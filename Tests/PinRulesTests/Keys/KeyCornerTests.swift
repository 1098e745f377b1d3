import Diagnostics
import Testing

/// The words and places of rules on keys, beyond their examples.
@Suite("Corners of the rules on keys")
struct KeyCornerTests {
  /// A host with the keys of a server and of a root, whose entry continues with the given lines from line 9 on.
  private static func host(_ description: String, _ lines: String, at places: [String] = [], saying: String = "")
    -> Corner
  {
    Corner(
      description,
      """
      version: 1
      keys:
        api: { file: keys/api.pem }
        example-root: { file: keys/example-root.pem }
        appliance: { file: keys/appliance.pem, position: intermediate }
      hosts:
        - host: api.example.com
          keys: { active: [api, appliance], backup: [example-root] }

      """ + lines, at: places, saying: saying)
  }

  /// A host with a root's key at the position of the root.
  private static func roots(
    _ description: String, _ trust: String, active: String = "example-root", backup: String = "",
    at places: [String] = [],
    saying: String = ""
  ) -> Corner {
    Corner(
      description,
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem, position: root }
        old-root: { file: keys/old-root.pem }
        request: { file: keys/api-spare.csr, position: root }
        between: { file: keys/example-intermediate.pem, position: intermediate }
        above: { pin: sha256/h1SCHP/2K0A3e0UJxPin2TcL4riuHX+abA+V2u4M1d4=, position: intermediate }
      hosts:
        - { host: api.example.com, keys: { active: [\(active)], backup: [\(backup)] }, trust: { \(trust), reason: ours } }
      """, at: places, saying: saying)
  }

  @Test(
    "Digests in a pin's place",
    arguments: [
      Corner(
        "a certificate's fingerprint",
        """
        version: 1
        keys:
          api: { file: keys/api.pem }
          new: { pin: 37a45576199da28005614299f8f2e4f996f45e38e24a8682220a167746c4a61a }
        """, at: ["4:15-79"], saying: "It is the fingerprint of 'keys/api.pem', whose key has the pin 'sha256/EAINF"),
      Corner(
        "a key's digest, in hexadecimal",
        """
        version: 1
        keys:
          api: { file: keys/api.pem }
          new: { pin: 10020d15014fdc403f3b52e078f47c423557ed6d5547f3f79c36588be6396cc6 }
        """, at: ["4:15-79"], saying: "write 'sha256/EAINFQFP3EA/O1LgePR8QjVX7W1VR/P3nDZYi+Y5bMY='"),
      Corner(
        "who knows",
        """
        version: 1
        keys:
          new: { pin: 10020d15014fdc403f3b52e078f47c423557ed6d5547f3f79c36588be6396cc6 }
        """, at: ["3:15-79"], saying: "isn't a pin; it may be a certificate's fingerprint"),
    ])
  func digests(_ corner: Corner) throws {
    try corner.expect("P310")
  }

  @Test(
    "Requirements that nothing meets",
    arguments: [
      Corner(
        "a CA's key only among the backups",
        """
        version: 1
        keys:
          api: { file: keys/api.pem }
          example-root: { file: keys/example-root.pem }
        hosts:
          - { host: api.example.com, keys: { active: [api], backup: [example-root] }, require: leaf-and-ca }
        """, at: ["6:30-34"], saying: "has a CA's key only among its backups"),
      host(
        "a certificate whose key isn't there",
        "    trust: { certificate: keys/legacy.pem, reason: a device }\n", at: ["9:27-42"],
        saying: "accepts 'keys/legacy.pem' only, but the key set of 'api.example.com' doesn't hold its key"),
      host(
        "a certificate whose key is looked for elsewhere",
        "    trust: { certificate: keys/appliance.pem, reason: a device }\n", at: ["9:27-45"],
        saying: "holds its key as an intermediate's"),
      host(
        "a certificate of its own, twice",
        "    require: leaf-and-ca\n    trust: { certificate: keys/api.pem, reason: a device }\n", at: ["9:14-25"],
        saying: "accepts one certificate only"),
      host("any of its keys", "    trust: { certificate: keys/api.pem, reason: a device }\n"),
    ])
  func requirements(_ corner: Corner) throws {
    try corner.expect("P327")
  }

  @Test(
    "Keys that can't be where they count",
    arguments: [
      roots("a root that is no anchor", "anchors: [keys/other-root.pem]", at: ["3:58-62"], saying: "not among"),
      roots("a root that is an anchor", "anchors: [keys/other-root.pem, keys/example-root.pem]"),
      roots("a root that the system may know", "anchors: [keys/other-root.pem, system]"),
      roots("a root that may be the anchor which can't be read", "anchors: [keys/other-root.pem, keys/none.pem]"),
      roots("a root where nothing can be an anchor", "anchors: [keys/api.pem]"),
      roots(
        "two roots, of any position", "anchors: [keys/other-root.pem]", active: "example-root, old-root",
        at: ["3:58-62", "4:21-38"]),
      roots("a request, as the next root", "anchors: [keys/example-root.pem]", backup: "request"),
      roots(
        "a backup root that is no anchor", "anchors: [keys/example-root.pem]", backup: "old-root", at: ["4:21-38"],
        saying: "is a root's"),
      roots(
        "an anchor that counts only as an intermediate", "anchors: [keys/example-intermediate.pem]", active: "between",
        at: ["6:61-73"], saying: "'position: ca'"),
      roots(
        "an anchor's pin that counts only as an intermediate", "anchors: [system, keys/example-root.pem]",
        active: "above",
        at: ["7:80-92"], saying: "is the root of each chain"),
    ])
  func misplacedKeys(_ corner: Corner) throws {
    try corner.expect("P336")
  }

  @Test(
    "Anchors that end no chain",
    arguments: [
      host(
        "a server's certificate", "    trust: { anchors: [keys/api.pem] }\n", at: ["9:24-36"],
        saying: "'CN=api.example.com' can't be an anchor"),
      host("a root", "    trust: { anchors: [keys/example-root.pem] }\n"),
      host("an intermediate", "    trust: { anchors: [keys/example-intermediate.pem] }\n"),
      host("a device that vouches for itself", "    trust: { anchors: [keys/appliance.pem] }\n"),
      host(
        "among others", "    trust: { anchors: [keys/example-root.pem, keys/api.pem, system] }\n", at: ["9:47-59"]),
      host("beside the one certificate", "    trust: { anchors: [keys/api.pem], certificate: keys/api.pem }\n"),
      host("of an entry that isn't pinned", "    trust: { anchors: [keys/api.pem] }\n    mode: off\n"),
    ])
  func anchors(_ corner: Corner) throws {
    try corner.expect("P329")
  }

  @Test(
    "An anchor of no use blocks where it is the only one",
    arguments: [
      ("keys/api.pem", ["error"]), ("keys/api.pem, keys/legacy.pem", ["error", "error"]),
      ("system, keys/api.pem", ["warning"]), ("keys/api.pem, keys/example-root.pem", ["warning"]),
      ("keys/api.pem, keys/none.pem", ["warning"]),
    ])
  func severityOfAnchors(_ anchors: String, _ expected: [String]) throws {
    let corner = Self.host("", "    mode: report-only\n    trust: { anchors: [\(anchors)], reason: ours }\n")
    #expect(try ExampleCheck(corner.text).diagnostics(of: "P329").map(\.severity.rawValue) == expected)
  }
}
