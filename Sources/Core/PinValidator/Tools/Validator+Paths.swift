#if !CryptoKit
package import PinFormat

extension Validator {
  /// Decides as ``evaluate(_:at:transport:)`` does, and then once more on every other path that
  /// cross-signing allows: for tools that explain.
  ///
  /// Where no entry pins the host at this time, or one blocks whatever the server shows, each path has that verdict;
  /// trust is still evaluated, without customisations.
  ///
  /// - Returns: The paths with their verdicts, the one of the decision first; whether the search ended at a limit; and
  ///   what is wrong with each path.
  package func examine(
    host: String, port: UInt16, served: ServedChain, at instant: Instant, tlsVersion: TLSVersion?,
    issuance: IssuanceCache
  ) -> (paths: [(path: ExaminedPath, verdict: Verdict)], isCutShort: Bool, inevitable: Set<TrustFailure>) {
    switch manifest.govern(host: host, port: port, at: instant) {
    case .answered(let verdict):
      let request = TrustRequest(peer: .server(host), at: instant, tlsVersion: tlsVersion)
      let examined = evaluator.examinePaths(of: served, for: request, issuance: issuance) { _ in nil }
      return (examined.paths.map { ($0, verdict) }, examined.isCutShort, examined.inevitable)
    case .pinned(let entry):
      let request = TrustRequest(
        peer: .server(host), at: instant, tlsVersion: tlsVersion, trust: manifest.tables.trust(ofHost: entry.number))
      let examined = evaluator.examinePaths(of: served, for: request, issuance: issuance) {
        manifest.tables.certificate($0)
      }
      let paths = examined.paths.map { ($0, decision(on: $0.evaluation, for: entry).verdict) }
      return (paths, examined.isCutShort, examined.inevitable)
    }
  }
}
#endif
