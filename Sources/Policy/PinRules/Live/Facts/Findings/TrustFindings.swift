import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinValidator

/// A failure of trust evaluation at one target, with all the cells that have it.
struct TrustTrouble {
  let facts: LiveFacts
  let target: LiveTarget
  let failure: TrustFailure
  /// In the order of the evidence; never empty.
  var judged: [LiveTarget.Judged]

  /// Why that is a failure, on the path that failed first.
  var cause: TrustCause {
    TrustCause(
      failure: failure, chain: chain, served: judged.first.map { target.served[$0.visit].report.chain } ?? [],
      asked: target.askedName(facts).text, clockOffset: clockOffset, records: facts.assessment.certificates,
      isRoot: facts.isRoot)
  }

  /// The certificate that failed, where it is one in particular.
  var record: CertificateRecord? { cause.record }

  /// True where the failing certificate came from the server, and not from the policy or a trust store.
  var isServed: Bool { cause.isServed }

  /// The path that failed first.
  var chain: [SHA256Digest] { judged.first?.path.chain ?? [] }

  /// The server's clock against ours, where it is known and off by an hour at least.
  var clockOffset: Int64? {
    judged.lazy.compactMap { target.served[$0.visit].report.clockOffset }.first { abs($0) >= 3_600 }
  }

  /// The `trust` of the entry that governs the target.
  var trust: Policy.Trust? { facts.entry(of: target)?.trust }
}

extension LiveFacts {
  /// One finding for each target that has failures of a kind.
  ///
  /// Where only a path fails that the validator doesn't take, but another client may, it is a warning.
  ///
  /// - Parameters:
  ///   - isMeant: Whether a failure is of the kind, as it is in a path.
  ///   - related: Further places.
  ///   - help: What to do, about the first of several failures.
  /// - Returns: The findings, in the order of the targets.
  func trustFindings(
    _ isMeant: (TrustCause, LiveTarget.Judged) -> Bool,
    related: (TrustTrouble) -> [Diagnostic.Related] = { _ in [] }, help: (TrustTrouble) -> String
  ) -> [Finding] {
    targets.compactMap { target in
      guard target.isAnswerable else { return nil }
      var troubles: [TrustTrouble] = []
      var known: [Trouble: Int] = [:]
      // In a misordered chain, clients took another certificate as the server's, so its failures don't apply to the
      // server.
      for judged in target.judged where !target.served[judged.visit].report.isMisordered {
        for failure in judged.path.failures {
          let found = TrustTrouble(facts: self, target: target, failure: failure, judged: [judged])
          guard isMeant(found.cause, judged) else { continue }
          let trouble = Trouble(certificate: failure.fingerprint, code: failure.code, message: failure.message)
          if let index = known[trouble] {
            troubles[index].judged.append(judged)
          } else {
            known[trouble] = troubles.count
            troubles.append(found)
          }
        }
      }
      guard let first = troubles.first else { return nil }
      let isReached = troubles.contains { $0.judged.contains(where: \.isDefault) }
      let parts = Self.merged(troubles.map { ($0.cause.clause, Set($0.judged.map(\.cell))) })
      return target.finding(
        "'\(target.label)' "
          + Self.joined(parts.map { $0.text + scope($0.cells, of: target, isOnly: parts.count == 1) }),
        related: related(first), help: help(first), severity: isReached ? nil : .warning)
    }
  }

  /// Parts of a message that say the same, each once: two certificates may have ended at the same time.
  static func merged(_ parts: [(text: String, cells: Set<Cell>)]) -> [(text: String, cells: Set<Cell>)] {
    var merged: [(text: String, cells: Set<Cell>)] = []
    for part in parts {
      if let index = merged.firstIndex(where: { $0.text == part.text }) {
        merged[index].cells.formUnion(part.cells)
      } else {
        merged.append(part)
      }
    }
    return merged
  }

  private struct Trouble: Hashable {
    var certificate: SHA256Digest?
    var code: TrustFailure.Code
    var message: String
  }

  private func scope(_ cells: Set<Cell>, of target: LiveTarget, isOnly: Bool) -> String {
    let isFine = target.judged.allSatisfy { cells.contains($0.cell) || $0.path.failures.isEmpty }
    return CellScope(cells, among: target.judged.map(\.cell))
      .text(elsewhere: isFine ? .fine("it holds") : isOnly ? .not : .unsaid)
  }

  /// Parts of one message; of many the first few and how many more there are.
  static func joined(_ parts: [String], most: Int = 4) -> String {
    let more = parts.count > most ? ["\(parts.count - most + 1) more such"] : []
    return (parts.prefix(more.isEmpty ? most : most - 1) + more).joined(separator: "; and ")
  }
}
