import PinFormat
import PinRotation
import Testing

/// Each field of an entry, changed alone: the change that is reported, and its risk.
@Suite("A changed host entry")
struct EntryChangeTests {
  struct Row: CustomTestStringConvertible {
    var testDescription: String
    var before: Manifest.HostEntry
    var after: Manifest.HostEntry
    var risk: ChangeRisk

    init(_ name: String, _ before: Manifest.HostEntry, _ after: Manifest.HostEntry, _ risk: ChangeRisk) {
      testDescription = name
      self.before = before
      self.after = after
      self.risk = risk
    }
  }

  static func entry(
    _ mode: Mode = .enforce, subdomains: Bool = false, requirement: Requirement = .any, expires: String? = nil,
    then: ExpiryAction? = nil, reports: [String] = [], trust: Manifest.Trust? = nil
  ) throws -> Manifest.HostEntry {
    try SmallManifest.entry(
      "a.example.com", subdomains: subdomains, mode: mode, requirement: requirement, expires: expires, onExpiry: then,
      reports: reports, trust: trust)
  }

  static func modes() throws -> [Row] {
    let (enforce, report, off) = (try entry(), try entry(.reportOnly), try entry(.off))
    return [
      Row("enforce to report-only", enforce, report, .weakens), Row("enforce to off", enforce, off, .weakens),
      Row("report-only to off", report, off, .weakens), Row("report-only to enforce", report, enforce, .mayBlock),
      Row("off to enforce", off, enforce, .mayBlock), Row("off to report-only", off, report, .none),
      Row(
        "off to report-only that blocks in the end", off, try entry(.reportOnly, expires: "2027-01-01", then: .block),
        .mayBlock),
      Row(
        "off to report-only with its own trust", off, try entry(.reportOnly, trust: .init(minimumECBits: 384)),
        .mayBlock),
    ]
  }

  static func clocks() throws -> [Row] {
    func ends(_ date: String?, _ action: ExpiryAction = .enforce) throws -> Manifest.HostEntry {
      try entry(expires: date, then: action)
    }
    let (soon, late) = ("2027-01-01", "2027-06-01")
    return [
      Row("sooner, then enforce", try ends(late), try ends(soon), .none),
      Row("sooner, then report-only", try ends(late, .reportOnly), try ends(soon, .reportOnly), .weakens),
      Row("sooner, then unpinned", try ends(late, .unpinned), try ends(soon, .unpinned), .weakens),
      Row("sooner, then block", try ends(late, .block), try ends(soon, .block), .mayBlock),
      Row("later, then block", try ends(soon, .block), try ends(late, .block), .none),
      Row("later, then unpinned", try ends(soon, .unpinned), try ends(late, .unpinned), .none),
      Row("now expires, then block", try ends(nil), try ends(late, .block), .mayBlock),
      Row("now expires, then unpinned", try ends(nil), try ends(late, .unpinned), .weakens),
      Row("expires no longer", try ends(late, .block), try ends(nil), .none),
      Row("enforce becomes report-only", try ends(soon), try ends(soon, .reportOnly), .weakens),
      Row("report-only becomes unpinned", try ends(soon, .reportOnly), try ends(soon, .unpinned), .weakens),
      Row("block becomes enforce", try ends(soon, .block), try ends(soon), .weakens),
      Row("unpinned becomes report-only", try ends(soon, .unpinned), try ends(soon, .reportOnly), .mayBlock),
      Row("enforce becomes block", try ends(soon), try ends(soon, .block), .mayBlock),
    ]
  }

  static func others() throws -> [Row] {
    [
      Row("one key to two", try entry(), try entry(requirement: .leafAndCA), .mayBlock),
      Row("two keys to one", try entry(requirement: .leafAndCA), try entry(), .weakens),
      Row(
        "two keys, reported only", try entry(.reportOnly), try entry(.reportOnly, requirement: .leafAndCA), .none),
      Row("reports", try entry(), try entry(reports: ["https://pins.example.org/"]), .none),
      Row("subdomains given up", try entry(subdomains: true), try entry(), .weakens),
      Row("subdomains taken on", try entry(), try entry(subdomains: true), .mayBlock),
      Row("subdomains no longer off", try entry(.off, subdomains: true), try entry(.off), .none),
    ]
  }

  static func trust() throws -> [Row] {
    func row(_ name: String, _ before: Manifest.Trust, _ after: Manifest.Trust, _ risk: ChangeRisk) throws -> Row {
      Row(name, try entry(trust: before), try entry(trust: after), risk)
    }
    func excuse(_ until: String, _ certificate: UInt8 = 9, _ reason: String = "moving") -> Manifest.Exception {
      Manifest.Exception(
        failure: .expired, certificate: SmallManifest.digest(certificate), until: SmallManifest.instant(until),
        reason: reason)
    }
    let (one, two) = (SmallManifest.digest(3), SmallManifest.digest(4))
    let usual = Manifest.Trust()
    let other = try HostName(canonicalising: "other.example.com")
    return [
      try row("anchors in place of the system's", usual, .init(systemAnchors: false, anchors: [one]), .weakens),
      try row(
        "the system's anchors left out", .init(anchors: [one]), .init(systemAnchors: false, anchors: [one]), .mayBlock),
      try row("an anchor more", .init(anchors: [one]), .init(anchors: [one, two]), .weakens),
      try row("an anchor less", .init(anchors: [one, two]), .init(anchors: [one]), .mayBlock),
      try row("an intermediate more", usual, .init(intermediates: [one]), .weakens),
      try row("an intermediate less", .init(intermediates: [one]), usual, .mayBlock),
      try row("one certificate", usual, .init(certificate: one), .weakens),
      try row("another certificate", .init(certificate: one), .init(certificate: two), .weakens),
      try row("no certificate", .init(certificate: one), usual, .mayBlock),
      try row("another name", usual, .init(serverName: other), .weakens),
      try row("its own name", .init(serverName: other), usual, .mayBlock),
      try row("an exception", usual, .init(exceptions: [excuse("2027-01-01")]), .weakens),
      try row("an exception ended", .init(exceptions: [excuse("2027-01-01")]), usual, .mayBlock),
      try row(
        "an exception lengthened", .init(exceptions: [excuse("2027-01-01")]),
        .init(exceptions: [excuse("2027-02-01")]), .weakens),
      try row(
        "an exception shortened", .init(exceptions: [excuse("2027-02-01")]),
        .init(exceptions: [excuse("2027-01-01")]), .mayBlock),
      try row(
        "an exception of another certificate", .init(exceptions: [excuse("2027-02-01")]),
        .init(exceptions: [excuse("2027-02-01", 8)]), .weakens),
      try row(
        "an exception's reason", .init(exceptions: [excuse("2027-02-01")]),
        .init(exceptions: [excuse("2027-02-01", 9, "still moving")]), .none),
      try row(
        "an exception's reason in other bytes", .init(exceptions: [excuse("2027-02-01", 9, "d\u{E9}j\u{E0}")]),
        .init(exceptions: [excuse("2027-02-01", 9, "de\u{301}ja\u{300}")]), .none),
      try row("more RSA bits", usual, .init(minimumRSABits: 3072), .mayBlock),
      try row("fewer RSA bits", .init(minimumRSABits: 3072), .init(minimumRSABits: 2048), .weakens),
      try row("the validator's own RSA bits", usual, .init(minimumRSABits: 2048), .none),
      try row("more EC bits", .init(minimumECBits: 256), .init(minimumECBits: 384), .mayBlock),
      try row("fewer EC bits", .init(minimumECBits: 384), usual, .weakens),
      try row("fewer families", usual, .init(signatures: [.ecdsa]), .mayBlock),
      try row("more families", .init(signatures: [.ecdsa]), .init(signatures: [.ecdsa, .eddsa]), .weakens),
      try row("all families", .init(signatures: [.ecdsa]), usual, .weakens),
      try row("other families", .init(signatures: [.ecdsa]), .init(signatures: [.eddsa]), .weakens),
      try row("newer TLS", usual, .init(minimumTLS: .tls13), .mayBlock),
      try row("older TLS", .init(minimumTLS: .tls13), .init(minimumTLS: .tls12), .weakens),
    ]
  }

  static let rows = Result { try modes() + clocks() + others() + trust() }

  @Test("has its risk", arguments: try rows.get())
  func risk(row: Row) throws {
    let changes = ManifestChanges(
      from: SmallManifest.manifest([row.before]), to: SmallManifest.manifest([row.after]))
    let host = try #require(changes.hosts.first)
    #expect(changes.hosts.count == 1)
    #expect(host.risk == row.risk)
    guard case .changed(let fields) = host.kind else {
      Issue.record("it is the same entry")
      return
    }
    #expect(!fields.isEmpty)
    #expect(fields.map(\.risk).max() == row.risk)
  }

  @Test("isn't there if nothing differs", arguments: try rows.get())
  func same(row: Row) {
    let manifest = SmallManifest.manifest([row.after])
    #expect(ManifestChanges(from: manifest, to: manifest).isEmpty)
  }

  @Test("doesn't list keys if the entry excludes the host")
  func off() throws {
    let changes = ManifestChanges(
      from: SmallManifest.manifest([try Self.entry()]), to: SmallManifest.manifest([try Self.entry(.off)]))
    let off = EntryChange(.value(.mode, from: .text("enforce"), to: .text("off")), risk: .weakens)
    #expect(changes.hosts.first?.kind == .changed([off]))
  }

  /// For each property of an entry's trust, values before and after by which clients may reject what they accepted.
  static func rejecting() throws -> [String: (before: Manifest.Trust, after: Manifest.Trust)] {
    let (one, two) = (SmallManifest.digest(3), SmallManifest.digest(4))
    let usual = Manifest.Trust()
    let exception = Manifest.Exception(
      failure: .expired, certificate: one, until: SmallManifest.instant("2027-01-01"), reason: "moving")
    return [
      "systemAnchors": (.init(anchors: [one]), .init(systemAnchors: false, anchors: [one])),
      "anchors": (.init(anchors: [one, two]), .init(anchors: [two])),
      "intermediates": (.init(intermediates: [one]), usual),
      "certificate": (.init(certificate: one), usual),
      "serverName": (.init(serverName: try HostName(canonicalising: "other.example.com")), usual),
      "exceptions": (.init(exceptions: [exception]), usual),
      "minimumRSABits": (usual, .init(minimumRSABits: 3072)),
      "minimumECBits": (usual, .init(minimumECBits: 384)),
      "signatures": (usual, .init(signatures: [.ecdsa])),
      "minimumTLS": (usual, .init(minimumTLS: .tls13)),
    ]
  }

  @Test("says of each property of trust that clients may reject more")
  func rejectsMore() throws {
    let rows = try Self.rejecting()
    let properties = Mirror(reflecting: Manifest.Trust()).children.compactMap(\.label)
    #expect(rows.keys.sorted() == properties.sorted())
    for (property, row) in rows {
      let changes = TrustComparison(from: row.before, to: row.after).changes
      let trust = changes.compactMap { if case .trust(let change) = $0.field { change } else { nil } }
      #expect(trust.map(\.rejectsMore) == [true], "\(property)")
      #expect(trust.map(\.acceptsMore) == [false], "\(property)")
    }
    let (before, after) = try #require(rows["exceptions"])
    let ended = TrustComparison(from: before, to: after, at: SmallManifest.instant("2027-01-01")).changes
    #expect(ended.map(\.risk) == [.none])
  }

  @Test("names trust by the policy's fields and items")
  func trustItems() throws {
    let exception = Manifest.Exception(
      failure: .expired, certificate: SmallManifest.digest(9), until: SmallManifest.instant("2027-01-01"),
      reason: "moving")
    let changes = ManifestChanges(
      from: SmallManifest.manifest([try Self.entry()]),
      to: SmallManifest.manifest([
        try Self.entry(trust: .init(anchors: [SmallManifest.digest(3)], exceptions: [exception]))
      ]))
    guard case .changed(let fields)? = changes.hosts.first?.kind else {
      Issue.record("it is the same entry")
      return
    }
    let anchor = "sha256:" + SmallManifest.digest(3).hex
    #expect(
      fields.map(\.field) == [
        .trust(
          TrustChange(
            field: "anchors", before: ["system"], after: ["system", anchor], acceptsMore: true, rejectsMore: false)),
        .trust(
          TrustChange(
            field: "exceptions", before: [],
            after: ["expired of sha256:\(SmallManifest.digest(9).hex) until 2027-01-01T00:00:00Z: moving"],
            acceptsMore: true, rejectsMore: false)),
      ])
  }
}
