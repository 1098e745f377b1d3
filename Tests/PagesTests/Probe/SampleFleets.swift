import Diagnostics
import OpenSSLKit
import Pages
import PinFormat
import PinProbe

@testable import PinValidator

extension Fleet {
  /// What a certificate authority or a policy could hold that wants to be more than text.
  static let hostileNames = [
    "</script><img src=x onerror=alert(1)>", "\"onmouseover=\"alert(1)", "]]><!--", "evil\u{202E}moc.elpmaxe\u{2066}",
    "a\u{0}b\u{1B}[2J\u{200B}c\u{FEFF}", "'; DROP TABLE hosts; --", "&lt;b&gt;&amp;",
    String(repeating: "W", count: 10_000),
    String(repeating: "e\u{301}", count: 5_000), "日本語のホスト名",
  ]

  /// One host for each way in which a host can stand.
  static func small() throws -> Fleet {
    var fleet = Fleet()
    let root = fleet.certificate(
      "Example Root X1", by: "Example Root X1", key: .rsa(bits: 4096), from: -4_000, to: 3_300, isCA: true)
    let issuing = fleet.certificate(
      "Example Issuing E5", by: "Example Root X1", key: .ec(bits: 384, curve: "P-384"), from: -700, to: 900, isCA: true)
    let rootMatch = KeyMatch(key: "example-root-x1", certificate: 2, position: .root, isBackup: false)
    try fleet.addHolding(root, issuing, rootMatch)
    try fleet.addDual(root, issuing, rootMatch)
    try fleet.addTwoAddresses(root, issuing, rootMatch)
    try fleet.addCrossSigned(root)
    try fleet.addBackupOnly(root)
    try fleet.addUnreached()
    try fleet.addBroken()
    fleet.finding(
      "P526", .warning, "'example.com' includes its subdomains, and none of them was probed", line: 9,
      help: "Name some in the entry's `probe:` list.")
    let accepted = Diagnostic(
      code: "P503", severity: .note, message: "api.example.com:443 sends its root, which clients have",
      place: Place.beginning(of: FileID(0)), help: "Leave it out.", citation: "")
    fleet.suppressed = [Report.Suppressed(accepted, reason: "the appliance can't", until: "2027-01-01T00:00:00Z")]
    return fleet
  }

  private mutating func addHolding(_ root: SHA256Digest, _ issuing: SHA256Digest, _ match: KeyMatch) throws {
    let leaf = certificate("api.example.com", by: "Example Issuing E5", names: ["api.example.com", "www.example.com"])
    let served = ServedReport(
      chain: [leaf, issuing], staple: .good(nextUpdate: nil), timestamps: 2,
      judgements: alike(Self.path([leaf, issuing, root], .matched, [match])))
    for name in ["api.example.com", "www.example.com"] {
      try host(name, Self.visits(at: "192.0.2.10", ecdsa: served, rsa: nil))
      deadlines[name + ":443"] = [.init("the policy's entry expires", at: Self.now.adding(seconds: 190 * Self.day))]
    }
  }

  /// Of two certificates one has a key that nobody pinned.
  private mutating func addDual(_ root: SHA256Digest, _ issuing: SHA256Digest, _ match: KeyMatch) throws {
    let ecdsa = certificate("dual.example.com", by: "Example Issuing E5", names: ["dual.example.com"])
    let other = certificate("Other Root", by: "Other Root", key: .rsa(bits: 4096), from: -3_000, to: 4_000, isCA: true)
    let rsa = certificate("dual.example.com", by: "Other Root", key: .rsa(bits: 2048), names: ["dual.example.com"])
    try host(
      "dual.example.com",
      Self.visits(
        at: "192.0.2.20",
        ecdsa: ServedReport(
          chain: [ecdsa, issuing], judgements: alike(Self.path([ecdsa, issuing, root], .matched, [match]))),
        rsa: ServedReport(
          chain: [rsa, other], flaws: [.root(1)], judgements: alike(Self.path([rsa, other], .mismatch)))))
    finding(
      "P528", .error, "dual.example.com:443 serves no pinned key for RSA; the pins hold for ECDSA",
      help: "Pin a key of the RSA chain too:\n  other-root: { pin: sha256/… , position: root }")
  }

  /// One of two addresses shows an expired certificate.
  private mutating func addTwoAddresses(_ root: SHA256Digest, _ issuing: SHA256Digest, _ match: KeyMatch) throws {
    let fresh = certificate("two.example.com", by: "Example Issuing E5", names: ["two.example.com"])
    let stale = certificate("two.example.com", by: "Example Issuing E5", from: -120, to: -9, names: ["two.example.com"])
    let failure = TrustFailure(.expired, certificate: 0, fingerprint: stale, "the leaf expired on 2026-11-12T00:00:00Z")
    let good = ServedReport(
      chain: [fresh, issuing], judgements: alike(Self.path([fresh, issuing, root], .matched, [match])))
    let bad = ServedReport(
      chain: [stale, issuing], clockOffset: -7_200,
      judgements: alike(Self.path([stale, issuing, root], .untrusted(failure))))
    try host(
      "two.example.com",
      Self.visits(at: "192.0.2.30", ecdsa: good, rsa: nil) + Self.visits(at: "2001:db8::30", ecdsa: bad, rsa: nil))
    finding(
      "P504", .error,
      "two.example.com:443 serves a certificate that expired on 2026-11-12T00:00:00Z at 2001:db8::30 "
        + "(and not at 192.0.2.30)", help: "Let the server's operator renew it.")
  }

  /// Two roots vouch for the issuer; a store has the pinned one, the other store the other.
  private mutating func addCrossSigned(_ root: SHA256Digest) throws {
    let oldRoot = certificate(
      "Ancient Root R2", by: "Ancient Root R2", key: .rsa(bits: 2048), from: -7_000, to: 200, isCA: true)
    let cross = certificate(
      "Example Root X1", by: "Ancient Root R2", key: .rsa(bits: 4096), from: -2_000, to: 190, isCA: true,
      sharingKeyOf: root)
    let issuing = certificate(
      "Example Issuing R11", by: "Example Root X1", key: .rsa(bits: 2048), from: -600, to: 700, isCA: true)
    let leaf = certificate(
      "cross.example.com", by: "Example Issuing R11", key: .rsa(bits: 2048), names: ["cross.example.com"])
    let match = KeyMatch(key: "example-root-x1", certificate: 2, position: .root, isBackup: false)
    let wrongPlace = KeyMatch(
      key: "example-root-x1", certificate: 2, position: .intermediate, isBackup: false, counts: false)
    let short = Self.path([leaf, issuing, root], .matched, [match])
    let long = Self.path([leaf, issuing, cross, oldRoot], .mismatch, [wrongPlace])
    let served = ServedReport(
      chain: [leaf, issuing, cross], timestamps: 3,
      judgements: [StoreJudgement(paths: [short, long]), StoreJudgement(paths: [long])])
    try host("cross.example.com", Self.visits(at: "192.0.2.40", ecdsa: nil, rsa: served))
    finding(
      "P522", .error,
      "cross.example.com:443 satisfies its pins under the trust store 'system' by one path, and under "
        + "'mozilla' by none", help: "Leave `position: root` out, so that the key counts in its cross-signed form too.")
  }

  private mutating func addBackupOnly(_ root: SHA256Digest) throws {
    let leaf = certificate("pay.example.com", by: "Example Root X1", names: ["pay.example.com"])
    let match = KeyMatch(key: "payments-spare-2026", certificate: 0, position: .leaf, isBackup: true)
    let served = ServedReport(
      chain: [leaf], clientCertificate: .asked, judgements: alike(Self.path([leaf, root], .matched, [match])))
    try host("pay.example.com", Self.visits(at: "192.0.2.50", ecdsa: served, rsa: nil))
    finding(
      "P521", .warning, "pay.example.com:443 matches the backup key 'payments-spare-2026' only",
      help: "Make it active, and pin a new backup.")
  }

  private mutating func addUnreached() throws {
    let timedOut = Evidence.Failure(.timedOut, "no answer within 10 s")
    try host(
      "away.example.com",
      Evidence.Offer.all.map { Self.visit($0, at: "192.0.2.60", .failed(timedOut), attempts: 3) })
    finding("P532", .warning, "away.example.com:443 did not answer in time", help: "Look whether it is up.")
    try host("nowhere.example.com", [], unresolved: Evidence.Failure(.nameNotResolved, "the name does not exist"))
    finding("P530", .warning, "nowhere.example.com:443 has no address", help: "Correct the name.")
  }

  /// The server leaves out its intermediate, and sends something else twice.
  private mutating func addBroken() throws {
    let leaf = certificate(
      "mail.example.com", by: "Example Issuing E5", names: ["mail.example.com"], urls: ["http://ca.example/e5.der"])
    let stray = certificate("Unrelated CA", by: "Unrelated CA", from: -300, to: 300, isCA: true)
    let failure = TrustFailure(
      .missingIntermediate, certificate: 0, fingerprint: leaf, "the leaf's issuer was not sent")
    let served = ServedReport(
      chain: [leaf, stray, stray],
      flaws: [
        .superfluous(1), .repeated(2),
        .incomplete(last: 0, issuer: "CN=Example Issuing E5", urls: ["http://ca.example/e5.der"]),
      ], judgements: alike(Self.path([leaf], .untrusted(failure))))
    try host("mail.example.com", Self.visits(at: "192.0.2.70", ecdsa: served, rsa: nil), startTLS: .smtp)
    finding(
      "P501", .error, "mail.example.com:25 leaves out its intermediate certificate 'CN=Example Issuing E5'",
      help:
        "Let the server send the file that http://ca.example/e5.der has. The reviewed exception is `trust: intermediates`."
    )
  }

  /// A host whose certificates, keys, messages and help are all out to do harm.
  static func hostile() throws -> Fleet {
    var fleet = Fleet()
    fleet.stores = ["system", "<b>\u{202E}store</b>"]
    for (number, name) in hostileNames.enumerated() {
      let root = fleet.certificate(name, by: name, from: -4_000, to: 3_300, isCA: true)
      let leaf = fleet.certificate(
        number == 0 ? nil : name, by: name, names: [name], urls: ["javascript:alert(1)", name])
      let match = KeyMatch(key: name, certificate: 1, position: .root, isBackup: false)
      let failure = TrustFailure(.nameMismatch, certificate: 0, fingerprint: leaf, "the leaf is for " + name)
      let served = ServedReport(
        chain: [leaf, root], flaws: [.incomplete(last: 0, issuer: name, urls: [name])],
        judgements: [
          StoreJudgement(paths: [path([leaf, root], .matched, [match])]),
          StoreJudgement(paths: [path([leaf, root], .untrusted(failure))]),
        ])
      let alert = Evidence.Failure(.notTLS, "it said " + name)
      var visits = Fleet.visits(at: "192.0.2.1", ecdsa: served, rsa: nil)
      visits.append(Fleet.visit(Evidence.Offer(.rsa, .tls12), at: name, .failed(alert)))
      try fleet.host("h\(number).example.com", visits)
      fleet.finding("P508", .error, "h\(number).example.com:443 serves a certificate for \(name)", help: name)
    }
    fleet.finding("P999", .warning, "nobody's: " + hostileNames[0], help: hostileNames[3])
    return fleet
  }

  /// A part of a fleet, ended early, in which all that answered is well.
  static func partial() throws -> Fleet {
    var fleet = try Fleet.large(3)
    fleet.isPartial = true
    fleet.shards = [Evidence.Shard(number: 3, count: 10)]
    try fleet.host(
      "late.example.com",
      [visit(Evidence.Offer(.rsa, .tls13), at: "192.0.2.9", .failed(Evidence.Failure(.cancelled, "probing was ended")))]
    )
    return fleet
  }

  /// So many hosts that hold, each with a leaf of its own below one intermediate.
  static func large(_ count: Int) throws -> Fleet {
    var fleet = Fleet()
    fleet.stores = ["system"]
    let root = fleet.certificate(
      "Example Root X1", by: "Example Root X1", key: .rsa(bits: 4096), from: -4_000, to: 3_300, isCA: true)
    let issuing = fleet.certificate(
      "Example Issuing E5", by: "Example Root X1", key: .ec(bits: 384, curve: "P-384"), from: -700, to: 900, isCA: true)
    let match = KeyMatch(key: "example-root-x1", certificate: 2, position: .root, isBackup: false)
    for number in 0..<count {
      let name = "host-\(number).example.com"
      let leaf = fleet.certificate(name, by: "Example Issuing E5", to: 20 + Int64(number % 70), names: [name])
      let served = ServedReport(
        chain: [leaf, issuing], timestamps: 2,
        judgements: fleet.alike(path([leaf, issuing, root], .matched, [match])))
      try fleet.host(name, visits(at: "192.0.2.\(number % 250)", ecdsa: served, rsa: nil))
    }
    return fleet
  }
}
