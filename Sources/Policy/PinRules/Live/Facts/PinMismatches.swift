import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

/// How the pins of one target fail: taken apart so that each mistake is one finding.
///
/// Only cells whose trust holds are checked: the others have a finding about trust. A visit all of whose cells fail
/// presents keys that aren't pinned; one that fails in some of them only depends on who judges it.
struct PinMismatches {
  /// Visits that match under no trust store and on no path.
  let unpinned: PinMismatchGroup?
  /// Cells that fail where others of the same visit match.
  let dependent: PinMismatchGroup?

  init(_ facts: LiveFacts, _ target: LiveTarget) {
    var all: [PinMismatchGroup.Entry] = []
    var matchedVisits: Set<Int> = []
    for judged in target.judged {
      let state = facts.pinState(judged, of: target)
      if state.isMatched { matchedVisits.insert(judged.visit) }
      if state.isMatched || state.mismatch != nil { all.append((judged, state.mismatch)) }
    }
    unpinned = PinMismatchGroup(all, facts, target) { !matchedVisits.contains($0.visit) }
    dependent = PinMismatchGroup(
      all.filter { matchedVisits.contains($0.judged.visit) }, facts, target
    ) { _ in true }
  }
}

/// Cells of one target whose chains satisfy the entry in no cell, or only elsewhere.
struct PinMismatchGroup {
  typealias Entry = (judged: LiveTarget.Judged, mismatch: PinMismatch?)

  let facts: LiveFacts
  let target: LiveTarget
  /// The cells that fail, never empty, and all cells from which they are distinguished.
  let failing: [(judged: LiveTarget.Judged, mismatch: PinMismatch)]
  let others: [LiveTarget.Judged]

  init?(
    _ all: [Entry], _ facts: LiveFacts, _ target: LiveTarget, where isMeant: (LiveTarget.Judged) -> Bool
  ) {
    failing = all.compactMap { entry in
      entry.mismatch.flatMap { isMeant(entry.judged) ? (entry.judged, $0) : nil }
    }
    if failing.isEmpty { return nil }
    let cells = Set(failing.map(\.judged.cell))
    others = all.map(\.judged).filter { !cells.contains($0.cell) }
    self.facts = facts
    self.target = target
  }

  /// True where the kind of key alone tells what fails from what matches.
  var isOfOneKeyFamily: Bool {
    scope(Set(failing.map(\.judged.cell))).dimensions == [.keyFamily]
  }

  /// What fails, and where.
  var message: String {
    var parts: [(mismatch: PinMismatch, cells: Set<Cell>)] = []
    for (judged, mismatch) in failing {
      if let index = parts.firstIndex(where: { $0.mismatch == mismatch }) {
        parts[index].cells.insert(judged.cell)
      } else {
        parts.append((mismatch, [judged.cell]))
      }
    }
    // If there is only one kind of mismatch, everything else matches.
    let verb = parts.count == 1 ? "its pins match" : nil
    return LiveFacts.joined(
      parts.map { part in
        phrase(part.mismatch) + scope(part.cells).text(elsewhere: verb.map { .fine($0) } ?? .unsaid)
      })
  }

  /// Where the keys that the entry requires are named, and the positions that don't let a key count.
  var related: [Diagnostic.Related] {
    let keys = facts.keysPlace(of: target).map { [Diagnostic.Related("these keys are required", at: $0)] } ?? []
    let requirement = facts.entry(of: target)?.requirement.flatMap { required in
      required.value == .leafAndCA
        ? Diagnostic.Related("one key at the leaf and one above it have to match", at: required.place) : nil
    }
    let names = Set(failing.flatMap { $0.mismatch.misplaced.map(\.key) }).sorted()
    return keys + (requirement.map { [$0] } ?? [])
      + names.prefix(3).compactMap { name in
        facts.key(named: name)?.position.map {
          Diagnostic.Related("'\(name)' counts only as \($0.value.withArticle)", at: $0.place)
        }
      }
  }

  /// Of little weight where the entry only reports.
  var severity: Severity? { target.reportsOnly ? .warning : nil }

  private func scope(_ cells: Set<Cell>) -> CellScope {
    CellScope(cells, among: failing.map(\.judged.cell) + others.map(\.cell))
  }

  private func phrase(_ mismatch: PinMismatch) -> String {
    let set = facts.keySet(of: target)?.title ?? "the key set"
    let chain = "the validated chain of '\(target.label)'"
    let misplaced = mismatch.misplaced.first.map {
      " ('\($0.key)' is there as \(KeyPosition($0.position).withArticle), which doesn't count)"
    }
    switch mismatch.kind {
    case .noKey: return "no key of \(set) matches \(chain)\(misplaced ?? "")"
    case .leafMissing:
      return "no key of \(set) matches the leaf of '\(target.label)'\(misplaced ?? "")"
    case .authorityMissing:
      return "no key of \(set) matches above the leaf of '\(target.label)'\(misplaced ?? "")"
    }
  }
}
