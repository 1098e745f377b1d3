import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

/// Why servers could not be asked, in groups that have a rule each.
enum ReachTrouble: CaseIterable {
  case unresolved
  case refused
  case silent
  case handshake
  case protocolMismatch
  case startTLS
  case proxy

  /// Nil where nobody is to blame: probing was ended.
  init?(_ failure: Evidence.Failure) {
    switch failure.kind {
    case .nameNotResolved: self = .unresolved
    case .refused, .unreachable, .local: self = .refused
    case .timedOut: self = .silent
    // Some servers answer a version that they don't have with its own alert, others with silence or another one.
    case .alert where failure.alert == 70: self = .protocolMismatch
    case .alert, .closed: self = .handshake
    case .notTLS, .protocolVersion, .wrongKeyFamily, .brokenHandshake, .noCertificate: self = .protocolMismatch
    case .startTLSRefused: self = .startTLS
    case .proxyRefused: self = .proxy
    case .cancelled: return nil
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

extension LiveFacts {
  /// One finding for each target that could not be asked for a reason, at one of its addresses or at all of them.
  ///
  /// An error where the target gave no answer at all and too few targets did; otherwise a warning. Where the connection
  /// is what failed, the addresses are named also when it is all of them: DNS may have given the wrong ones.
  func reachFindings(
    _ trouble: ReachTrouble, namesAddresses: Bool = false, phrase: (Evidence.Failure, LiveTarget) -> String,
    help: (Evidence.Failure, LiveTarget) -> String
  ) -> [Finding] {
    targets.compactMap { target in
      let failed = reachFailures(of: target).filter { ReachTrouble($0.failure) == trouble }
      guard let first = failed.first else { return nil }
      let groups = Self.merged(failed.map { (phrase($0.failure, target), $0.cell.map { [$0] } ?? []) })
      let asked = target.target.visits.filter(\.wasAsked).map { Cell($0, of: target.target) }
      let parts = groups.map { group -> String in
        guard !group.cells.isEmpty else { return group.text }
        let scope = CellScope(group.cells, among: asked)
          .text(elsewhere: groups.count == 1 ? .not : .unsaid, ofOffers: true)
        return group.text + (scope.isEmpty && namesAddresses ? CellScope.addresses(of: group.cells) : scope)
      }
      let isError = !target.target.hasAnswered && !hasEnoughAnswers
      return target.finding(
        "'\(target.label)' " + Self.joined(parts), help: help(first.failure, target),
        severity: isError ? nil : .warning)
    }
  }

  /// What kept each visit from an answer.
  ///
  /// Where an address gave none at all, each visit has the reason that explains it best: a server that is too old
  /// answers the offers of two versions in two ways.
  private func reachFailures(of target: LiveTarget) -> [(failure: Evidence.Failure, cell: Cell?)] {
    if let failure = target.target.unresolved, target.target.visits.isEmpty { return [(failure, nil)] }
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
      case .failed(let failure): visits[address]?.append((failure, cell))
      case .served(let report):
        answered.insert(address)
        if let failure = report.failure, report.clientCertificate == .notAsked {
          visits[address]?.append((failure, cell))
        }
      case .notOffered: break
      }
    }
    return order.flatMap { address -> [(failure: Evidence.Failure, cell: Cell?)] in
      let failed = visits[address] ?? []
      guard !answered.contains(address), let best = failed.min(by: { rank($0.failure) < rank($1.failure) }) else {
        return failed.map { ($0.failure, $0.cell) }
      }
      return failed.map { (best.failure, $0.cell) }
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
