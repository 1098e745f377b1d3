import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

/// A target with who stands for it, and its cells.
struct LiveTarget: Sendable {
  /// A visit that brought a chain.
  struct Served: Sendable {
    var cell: Cell
    var report: ServedReport
  }

  /// What one trust store makes of one served chain by one path.
  struct Judged: Sendable {
    var cell: Cell
    /// The index in ``LiveTarget/served``.
    var visit: Int
    /// False for the paths that clients with other habits take.
    var isDefault: Bool
    var path: PathJudgement
  }

  let target: AssessedTarget
  /// The index in ``Policy/hosts`` of the entry that governs it, unless that removes it.
  let entry: Int?
  /// Where findings about it are.
  let place: Place
  /// True where the entry pins at this time: it is neither removed nor has it expired to something else.
  let isPinned: Bool
  /// True where a mismatch is only reported.
  let reportsOnly: Bool
  let served: [Served]
  let judged: [Judged]

  /// Nil where nobody stands for the target.
  init?(_ target: AssessedTarget, _ input: CheckInput, _ live: LiveInput) {
    let governing = input.hostIndex.governing(target.host, port: target.port)
    let index = governing.flatMap { input.policy.hosts[$0].mode.value == .off ? nil : $0 }
    let host = index.map { input.policy.hosts[$0] }
    guard let place = host?.written.place ?? live.places[HostPort(target.host, target.port)] else { return nil }
    self.target = target
    entry = index
    self.place = place
    let expiry = host.flatMap { host in
      host.expires.flatMap { $0.value <= live.assessment.instant ? host.onExpiry?.value : nil }
    }
    isPinned = host != nil && expiry != .unpinned && expiry != .block
    reportsOnly = host?.mode.value == .reportOnly || expiry == .reportOnly
    served = target.visits.compactMap { visit in
      visit.served.map { Served(cell: Cell(visit, of: target), report: $0) }
    }
    judged = Self.judge(served, live.assessment)
  }

  var label: String { target.label }

  /// True where findings about trust are the policy's or the caller's business.
  ///
  /// An entry that doesn't pin now leaves its host to the transport's own validation.
  var isAnswerable: Bool { isPinned || entry == nil }

  private static func judge(_ served: [Served], _ assessment: Assessment) -> [Judged] {
    let names = PathNames(served.flatMap { $0.report.judgements.flatMap { $0.paths.map(\.chain) } }, assessment)
    var judged: [Judged] = []
    for (index, visit) in served.enumerated() {
      for (store, judgement) in zip(assessment.stores, visit.report.judgements) {
        for (number, path) in judgement.paths.enumerated() {
          var cell = visit.cell
          cell[.store] = VisibleText.of(store)
          cell[.anchor] = names.anchor(of: path.chain)
          cell[.path] = names.issuers(of: path.chain)
          judged.append(Judged(cell: cell, visit: index, isDefault: number == 0, path: path))
        }
      }
    }
    return judged
  }
}

/// How messages tell the paths of one target apart.
private struct PathNames {
  private let assessment: Assessment
  /// Names that several certificates share, and those that several anchors do.
  private let shared: Set<String>
  private let sharedByAnchors: Set<String>

  init(_ chains: [[SHA256Digest]], _ assessment: Assessment) {
    self.assessment = assessment
    let chains = Set(chains)
    shared = Self.shared(by: chains.flatMap { $0.dropFirst() }, assessment)
    sharedByAnchors = Self.shared(by: chains.compactMap(\.last), assessment)
  }

  private static func shared(by certificates: [SHA256Digest], _ assessment: Assessment) -> Set<String> {
    var known: [String: SHA256Digest] = [:]
    return Set(
      certificates.compactMap { fingerprint in
        let name = name(fingerprint, assessment)
        return known.updateValue(fingerprint, forKey: name) ?? fingerprint == fingerprint ? nil : name
      })
  }

  func anchor(of chain: [SHA256Digest]) -> String { chain.last.map { unique($0, sharedByAnchors) } ?? "" }

  func issuers(of chain: [SHA256Digest]) -> String {
    chain.count < 2 ? "" : chain.dropFirst().map { unique($0, shared) }.joined(separator: " → ")
  }

  private func unique(_ fingerprint: SHA256Digest, _ shared: Set<String>) -> String {
    let name = Self.name(fingerprint, assessment)
    return shared.contains(name) ? "\(name) (\(CertificateText.short(fingerprint)))" : name
  }

  private static func name(_ fingerprint: SHA256Digest, _ assessment: Assessment) -> String {
    assessment.certificates[fingerprint].map { CertificateText.name($0) } ?? CertificateText.short(fingerprint)
  }
}

extension LiveTarget {
  /// A finding about the target.
  func finding(
    _ message: String, related: [Diagnostic.Related] = [], help: String, severity: Severity? = nil
  ) -> Finding {
    Finding(at: place, message, related: related, help: help, severity: severity)
  }

  /// Where some of the visits that brought a chain are spoken of, which ones.
  func scope(ofVisits cells: Set<Cell>, isOnly: Bool = true) -> String {
    CellScope(cells, among: served.map(\.cell)).text(elsewhere: isOnly ? .not : .unsaid)
  }

  /// What is asked for by name: the host, or what `trust` says instead.
  func askedName(_ facts: LiveFacts) -> HostName { facts.entry(of: self)?.trust?.serverName?.value ?? target.host }
}
