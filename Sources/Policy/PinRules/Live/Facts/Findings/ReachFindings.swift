import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

/// Why servers showed no certificate, in groups that have a rule each.
enum ReachTrouble: CaseIterable {
  case unresolved
  case refused
  case silent
  case handshake
  case protocolMismatch
  case startTLS
  case proxy

  /// Nil where probing was ended, and where the server did show its certificates, which is another rule's business.
  init?(_ failure: Evidence.Failure) {
    switch failure.kind {
    case .nameNotResolved: self = .unresolved
    case .refused, .unreachable, .local: self = .refused
    case .timedOut: self = .silent
    // Some servers answer an unsupported version with the proper alert, others with another alert or by closing the
    // connection.
    case .alert where failure.alert == 70: self = .protocolMismatch
    case .alert, .closed: self = .handshake
    case .notTLS, .protocolVersion, .wrongKeyFamily, .brokenHandshake, .noCertificate: self = .protocolMismatch
    case .startTLSRefused: self = .startTLS
    case .proxyRefused: self = .proxy
    case .oversizedChain, .cancelled: return nil
    }
  }

  /// Where the offers to one address fail in different ways: the lower explains the others.
  fileprivate var rank: Int {
    switch self {
    case .unresolved: 0
    case .proxy: 1
    case .startTLS: 2
    case .refused: 3
    case .protocolMismatch: 4
    case .handshake: 5
    case .silent: 6
    }
  }
}

/// One visit that brought no certificate.
struct ReachFailure {
  var failure: Evidence.Failure
  /// What the whole address is put down to.
  var trouble: ReachTrouble?
  var cell: Cell?
  /// The versions of TLS that the address said it doesn't have, where that is what it is put down to.
  var refusedVersions: [String] = []

  /// True where the failure is about the version of TLS that was offered, which the text names.
  var isOfVersion: Bool { !refusedVersions.isEmpty }
  var kind: ConnectionFailure { failure.kind }
  var shownMessage: String { failure.shownMessage }
}

extension LiveFacts {
  /// One finding for each target that showed no certificate for a reason, at one of its addresses or at all of them.
  ///
  /// An error where the target gave no answer at all and too few targets did; otherwise a warning. Where the connection
  /// is what failed, the addresses are named also when it is all of them: DNS may have given the wrong ones.
  func reachFindings(
    _ trouble: ReachTrouble, namesAddresses: Bool = false, phrase: (ReachFailure, LiveTarget) -> String,
    help: ([ReachFailure], LiveTarget) -> String
  ) -> [Finding] {
    targets.compactMap { target in
      let failed = reachFailures(of: target).filter { $0.trouble == trouble }
      guard !failed.isEmpty else { return nil }
      let groups = Self.merged(failed.map { (phrase($0, target), $0.cell.map { [$0] } ?? []) })
      let asked = target.target.visits.filter(\.wasAsked).map { Cell($0, of: target.target) }
      let ofVersion = Set(failed.lazy.filter(\.isOfVersion).compactMap(\.cell))
      let parts = groups.map { group -> String in
        guard !group.cells.isEmpty else { return group.text }
        // A text that names versions applies only to the offers of these versions.
        let among =
          !group.cells.isSubset(of: ofVersion)
          ? asked
          : asked.filter { cell in
            group.cells.contains { $0[.tlsVersion] == cell[.tlsVersion] }
          }
        let scope = CellScope(group.cells, among: among)
          .text(elsewhere: groups.count == 1 ? .not : .unsaid, ofOffers: true)
        return group.text + (scope.isEmpty && namesAddresses ? CellScope.addresses(of: group.cells) : scope)
      }
      let isError = !target.target.hasAnswered && !hasEnoughAnswers
      return target.finding(
        "'\(target.label)' " + Self.joined(parts), help: help(failed, target),
        severity: isError ? nil : .warning)
    }
  }

  /// What kept each visit from an answer.
  ///
  /// Where an address gave none at all, each visit has the reason that explains it best. A version that the server says it
  /// doesn't have, to any offer, explains the other alerts to offers of that version, and nothing about the other version.
  private func reachFailures(of target: LiveTarget) -> [ReachFailure] {
    if let failure = target.target.unresolved, target.target.visits.isEmpty {
      return [ReachFailure(failure: failure, trouble: ReachTrouble(failure))]
    }
    var visits: [String: [(failure: Evidence.Failure, cell: Cell)]] = [:]
    var answered: Set<String> = []
    var order: [String] = []
    for visit in target.target.visits {
      let cell = Cell(visit, of: target.target)
      let address = cell[.address]
      if visits[address] == nil {
        visits[address] = []
        order.append(address)
      }
      switch visit.outcome {
      case .failed(let failure) where failure.kind == .oversizedChain: answered.insert(address)
      case .failed(let failure): visits[address]?.append((failure, cell))
      case .served(let report):
        answered.insert(address)
        if let failure = report.failure, report.clientCertificate == .notAsked {
          visits[address]?.append((failure, cell))
        }
      case .notOffered: break
      }
    }
    return order.flatMap { address -> [ReachFailure] in
      let failed = visits[address] ?? []
      guard !answered.contains(address), let best = failed.min(by: { rank($0.failure) < rank($1.failure) }) else {
        return failed.map { failure, cell in
          let refused = failure.kind == .protocolVersion ? [cell[.tlsVersion]] : []
          return ReachFailure(failure: failure, trouble: ReachTrouble(failure), cell: cell, refusedVersions: refused)
        }
      }
      guard best.failure.kind == .protocolVersion else {
        return failed.map { ReachFailure(failure: best.failure, trouble: ReachTrouble(best.failure), cell: $0.cell) }
      }
      var refused: [String] = []
      for (failure, cell) in failed
      where failure.kind == .protocolVersion && !refused.contains(cell[.tlsVersion]) {
        refused.append(cell[.tlsVersion])
      }
      return failed.map { failure, cell in
        let isExplained = [.alert, .closed].contains(failure.kind) && refused.contains(cell[.tlsVersion])
        return ReachFailure(
          failure: isExplained ? best.failure : failure, trouble: .protocolMismatch, cell: cell,
          refusedVersions: refused)
      }
    }
  }

  /// Of two reasons of one kind, the one that isn't about the version: who breaks TLS 1.2 has refused 1.3 before.
  private func rank(_ failure: Evidence.Failure) -> Int {
    guard let rank = ReachTrouble(failure)?.rank else { return .max }
    return 2 * rank + (failure.kind == .protocolVersion ? 1 : 0)
  }
}

extension AssessedVisit {
  /// False where the server has nothing for the offer, or probing was ended.
  var wasAsked: Bool {
    switch outcome {
    case .served: true
    case .failed(let failure): failure.kind != .cancelled
    case .notOffered: false
    }
  }
}

extension Evidence.Failure {
  /// The server's or the system's words, as far as they may be shown.
  var shownMessage: String { CertificateText.shown(message, most: 160) }
}
