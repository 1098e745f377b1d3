package import OpenSSLKit
import PinFormat
package import PinValidator

/// The form of a served chain: which certificate issued which, and what is wrong with their order.
package struct ChainForm {
  /// By place; nil where the bytes aren't a certificate.
  private let certificates: [Certificate?]
  /// Where the same certificate was already.
  private let repeated: [Int]
  /// The places of each certificate's issuers.
  private var issuers: [[Int]] = []
  /// The place of the server's own certificate: the first, unless that is an authority's and one that it issued follows.
  private var leaf = 0
  /// The places that something links to the leaf, the leaf included.
  private var related: Set<Int> = []

  /// Verifies as many signatures as names and key identifiers allow.
  package init(_ certificates: [Certificate?], issuance: IssuanceCache) {
    self.certificates = certificates
    var seen: Set<SHA256Digest> = []
    repeated = certificates.indices.filter { place in
      certificates[place].map { !seen.insert(SHA256Digest($0.fingerprint)).inserted } ?? false
    }
    // As many pairs as trust evaluation checks; a chain of unrelated certificates needs none.
    var budget = 256
    let distinct = certificates.indices.filter { !repeated.contains($0) }
    issuers = certificates.indices.map { place in
      guard let certificate = certificates[place], !certificate.isSelfSigned else { return [] }
      return distinct.filter { other in
        guard other != place, let issuer = certificates[other], issuer.mayHaveIssued(certificate) else { return false }
        return issuance.hasSigned(issuer, certificate, budget: &budget) ?? false
      }
    }
    guard !certificates.isEmpty else { return }
    if certificates[0]?.isCA == true {
      leaf = distinct.last { certificates[$0]?.isCA == false && ancestors(of: $0).contains(0) } ?? 0
    }
    related = ancestors(of: leaf)
  }

  /// A place and all those that something links to it.
  private func ancestors(of place: Int) -> Set<Int> {
    var open = [place]
    var found: Set<Int> = [place]
    while let place = open.popLast() {
      for issuer in issuers[place] where found.insert(issuer).inserted { open.append(issuer) }
    }
    return found
  }

  /// What is wrong with it, no matter who judges it, in the order of the places.
  package var flaws: [ChainFlaw] {
    var flaws: [ChainFlaw] = []
    if !isInOrder { flaws.append(.wrongOrder(expected: rightOrder)) }
    for place in certificates.indices where place != leaf {
      guard let certificate = certificates[place] else { continue }
      if repeated.contains(place) {
        flaws.append(.repeated(place))
      } else if !related.contains(place) {
        flaws.append(.superfluous(place))
      } else if certificate.isSelfSigned {
        flaws.append(.root(place))
      }
    }
    return flaws
  }

  /// Each certificate is behind one that it issued; with cross-signing there may be several for one place.
  private var isInOrder: Bool {
    leaf == 0 && related.allSatisfy { place in place == 0 || (0..<place).contains { issuers[$0].contains(place) } }
  }

  /// From the leaf to the first issuer of each, then what cross-signing adds.
  private var rightOrder: [Int] {
    var order = [leaf]
    while let next = next(behind: order) { order.append(next) }
    return order
  }

  private func next(behind order: [Int]) -> Int? {
    for place in order.reversed() {
      if let issuer = issuers[place].first(where: { !order.contains($0) }) { return issuer }
    }
    return nil
  }

  /// The place of a served certificate.
  func place(of fingerprint: SHA256Digest) -> Int? {
    certificates.firstIndex { $0.map { SHA256Digest($0.fingerprint) } == fingerprint }
  }
}
