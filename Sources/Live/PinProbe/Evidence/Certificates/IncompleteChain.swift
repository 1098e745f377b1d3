import PinFormat
import PinValidator

/// Finds where a server left out an intermediate certificate, by the paths that trust stores made of its chain.
struct IncompleteChain {
  /// What every trust store made of the chain.
  let judgements: [StoreJudgement]
  let served: [SHA256Digest]
  let records: [SHA256Digest: CertificateRecord]

  /// The gaps, in the order of the places.
  var flaws: [ChainFlaw] {
    var places: [Int] = []
    for path in judgements.compactMap(\.paths.first) {
      guard let place = gap(in: path), !places.contains(place) else { continue }
      places.append(place)
    }
    return places.sorted().compactMap { place in
      records[served[place]].map { .incomplete(last: place, issuer: $0.issuer, urls: $0.issuerURLs) }
    }
  }

  private func gap(in path: PathJudgement) -> Int? {
    let end = path.chain.count - 1
    // A certificate in the middle that the server didn't send came from the policy or from a trust store.
    for number in path.chain.indices where number > 0 && !served.contains(path.chain[number]) {
      guard number < end || !reachesAnchor(path) else { break }
      return served.firstIndex(of: path.chain[number - 1])
    }
    guard end >= 0, !reachesAnchor(path), let last = records[path.chain[end]], !last.isSelfSigned,
      !judgements.contains(where: { $0.paths.contains { isAbove(last.fingerprint, in: $0) } })
    else { return nil }
    return served.firstIndex(of: last.fingerprint)
  }

  private func reachesAnchor(_ path: PathJudgement) -> Bool {
    !path.failures.contains { [.missingIntermediate, .unknownIssuer].contains($0.code) }
  }

  /// True where a path ends in an anchor right above a certificate.
  private func isAbove(_ fingerprint: SHA256Digest, in path: PathJudgement) -> Bool {
    reachesAnchor(path) && path.chain.dropLast().last == fingerprint
  }
}
