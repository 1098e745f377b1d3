import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension Rule {
  /// A host that DNS has no address for, or of whose addresses DNS didn't tell all.
  static let nameNotResolved = Rule(
    code: "P530",
    name: "name-not-resolved",
    severity: .error,
    title: "A host has no address.",
    rationale: """
      Nothing is known about a server that couldn't be asked: that is never the same as a server that doesn't match. It
      keeps an exit status of its own, and is a warning where `--min-success` of the targets have answered. A pinned name
      without an address is often one that was taken out of service, or one that only an internal DNS server knows.

      Where some addresses are known and others could not be looked up, or are too many to be asked, the finding is a
      warning: clients can land at places that nothing is said of.
      """,
    failing: .live("unresolved", "DNS has no address for the host."),
    passing: .live("whole-chain", "DNS has an address for the host, and a server answers there."),
    citation: "RFC 8020; docs/probing.md#which-servers",
    check: .live { _, facts in
      facts.reachFindings(.unresolved) { failure, _ in
        "can't be asked because its name has no address: \(failure.shownMessage)"
      } help: { _, target in
        target.entry == nil
          ? "Correct the name, or name the DNS server that knows it with '--resolver'."
          : "Take the entry out if the host is no more; if only some DNS servers know it, name one with '--resolver', or "
            + "give its address with '--connect-to'."
      } + facts.addressGaps
    })
}

extension LiveFacts {
  /// One finding for each target that was asked at some of its addresses only, whatever kept the others from it.
  fileprivate var addressGaps: [Finding] {
    targets.compactMap { target in
      guard let failure = target.target.unresolved, !target.target.visits.isEmpty else { return nil }
      let places = CellScope.addresses(of: Set(target.target.visits.map { Cell($0, of: target.target) }))
      return target.finding(
        "'\(target.label)' was asked\(places) only: \(failure.shownMessage)",
        help: "Probe again, or name another DNS server with '--resolver'; nothing is said of the addresses that are "
          + "missing, which '--connect-to' can give.",
        severity: .warning)
    }
  }
}
