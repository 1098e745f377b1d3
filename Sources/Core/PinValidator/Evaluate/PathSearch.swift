#if !CryptoKit
import OpenSSLKit
import PinFormat

/// Proposes the paths from a leaf to an anchor that names and signatures allow, one after the other.
///
/// It only proposes. Each path is checked by libcrypto, and its failures are given to the search, which proposes no
/// other path with the same fault. The order depends on the certificates alone, and never on that in which they were sent.
struct PathSearch {
  /// Where a path may end.
  enum Reach {
    /// In the first anchor that it meets, as a client's does.
    case firstAnchor
    /// In any anchor, since clients may lack the others; but these, which the policy names, all of them have.
    case everyAnchor(named: [SHA256Digest])
  }

  /// Whether an issuer signed a certificate, within a number of signatures that may still be verified; nil beyond it.
  typealias Verify = (Certificate, Certificate, inout Int) -> Bool?

  /// The most certificates of a path, leaf and anchor included: what trust evaluation takes.
  static let maximumDepth = 10
  /// The most certificates that are stepped on.
  static let maximumSteps = 4_096

  let store: TrustStore
  private let reach: Reach
  /// What the server sent and the policy adds.
  private let offered: [Certificate]
  private let query: PathQuery
  private let verify: Verify
  /// The signatures that were verified.
  private var verified: [(link: Pair, isGood: Bool)] = []
  /// How many signatures may still be verified.
  private(set) var signatures: Int
  private var steps = Self.maximumSteps
  // Arrays: there are at most a few dozen of each, and dictionaries and sets would make the small library larger.
  /// What may have issued a certificate, the most likely first.
  private var known: [(certificate: SHA256Digest, issuers: [Issuer])] = []
  /// The path so far.
  private var steppedOn: [Step] = []

  private var leaf: Certificate?
  /// True as long as only what looks fit is stepped on: a path of such certificates is most likely valid.
  private var isPicky: Bool
  /// Certificates with which no path is valid.
  private var ruledOut: [SHA256Digest] = []
  /// Certificates from which no path leads to an anchor, as far as the search is picky.
  private var deadEnds: [SHA256Digest] = []
  /// Certificates that may not be on one path together.
  private var keptApart: [Pair] = []
  /// True where a limit ended the search.
  private(set) var isCutShort = false

  private struct Issuer {
    let certificate: Certificate
    let fingerprint: SHA256Digest
    let isAnchor: Bool
    let hint: Certificate.IssuerHint
    let looksFit: Bool

    /// The lower, the sooner it is tried.
    var preference: (Int, Int, Int, SHA256Digest) { (isAnchor ? 0 : 1, hint.rawValue, looksFit ? 0 : 1, fingerprint) }
  }

  private struct Step {
    let certificate: Certificate
    let fingerprint: SHA256Digest
    var issuers: ArraySlice<Issuer>
    /// Another path may lead from here to an anchor, even if none does from where the search came.
    var mayLead = false
  }

  private struct Pair: Equatable {
    let below: SHA256Digest
    let above: SHA256Digest
  }

  init(
    in store: TrustStore, _ reach: Reach, offered: [Certificate], for query: PathQuery, signatures: Int,
    verify: @escaping Verify
  ) {
    self.store = store
    self.reach = reach
    self.query = query
    self.verify = verify
    self.signatures = signatures
    isPicky =
      switch reach {
      case .firstAnchor: true
      case .everyAnchor: false
      }
    self.offered = offered
  }

  /// Begins at a leaf.
  mutating func begin(at leaf: Certificate) throws(CryptoError) {
    guard !ruledOut.contains(SHA256Digest(leaf.fingerprint)) else { return }
    self.leaf = leaf
    // The caller has checked the leaf alone already.
    try enter(leaf, isAnchor: try store.contains(leaf) && store.canEndPath(in: leaf))
  }

  /// The next path; nil where there is no other.
  mutating func next() throws(CryptoError) -> [Certificate]? {
    if let path = try nextPath() { return path }
    guard isPicky, !isCutShort, let leaf else { return nil }
    isPicky = false
    deadEnds = []
    try begin(at: leaf)
    return try nextPath()
  }

  private mutating func nextPath() throws(CryptoError) -> [Certificate]? {
    while let last = steppedOn.last {
      // Clients don't use what is found beyond the limit.
      if isCutShort, case .firstAnchor = reach { return nil }
      guard let issuer = last.issuers.first else {
        leave()
        continue
      }
      steppedOn[steppedOn.count - 1].issuers.removeFirst()
      guard issuer.looksFit || !isPicky, !ruledOut.contains(issuer.fingerprint),
        !deadEnds.contains(issuer.fingerprint), mayFollow(issuer), hasSigned(issuer, last)
      else { continue }
      guard steps > 0 else {
        isCutShort = true
        return nil
      }
      steps -= 1
      try enter(issuer.certificate, isAnchor: issuer.isAnchor)
      if issuer.isAnchor { return steppedOn.map { $0.certificate } }
    }
    return nil
  }

  /// Counts signatures that libcrypto verifies on a path.
  mutating func spend(_ count: Int) {
    signatures -= count
    if signatures <= 0 { isCutShort = true }
  }

  /// Takes note of what is wrong with the path that was proposed last, or with one before the search began.
  mutating func avoid(_ failures: [TrustFailure], of path: [Certificate]) {
    for failure in failures {
      guard let place = failure.certificate, path.indices.contains(place) else { continue }
      let certificate = SHA256Digest(path[place].fingerprint)
      switch failure.code {
      // Caused by certificates above, so another path may be valid.
      case .badSignature, .missingIntermediate, .unknownIssuer, .cryptography, .other: continue
      // Caused by certificates below, whatever is above.
      case .pathTooLong: goBack(to: place)
      case .nameConstraints:
        guard
          let above = path.indices.first(where: { $0 > place && !path[$0].permits(path[place], asLeaf: place == 0) })
        else {
          continue
        }
        let authority = SHA256Digest(path[above].fingerprint)
        if place == 0 {
          ruledOut.append(authority)
        } else {
          keptApart.append(Pair(below: certificate, above: authority))
        }
        goBack(to: above)
      default:
        ruledOut.append(certificate)
        goBack(to: place)
      }
    }
  }
}

extension PathSearch {
  private mutating func enter(_ certificate: Certificate, isAnchor: Bool) throws(CryptoError) {
    let fingerprint = SHA256Digest(certificate.fingerprint)
    var step = Step(certificate: certificate, fingerprint: fingerprint, issuers: [], mayLead: isAnchor)
    let isEnd =
      switch reach {
      case .firstAnchor: isAnchor
      case .everyAnchor(let named): isAnchor && named.contains(fingerprint)
      }
    // libcrypto doesn't look for an issuer of a self-signed certificate.
    if !isEnd, !certificate.isSelfSigned {
      if steppedOn.count + 1 < Self.maximumDepth {
        step.issuers = try issuers(of: certificate)[...]
      } else {
        step.mayLead = true
      }
    }
    steppedOn.append(step)
  }

  /// Goes back from a certificate above which everything was tried.
  private mutating func leave() {
    let left = steppedOn.removeLast()
    if !left.mayLead {
      // A dead end is searched only once, not once for each path to it.
      deadEnds.append(left.fingerprint)
    } else if !steppedOn.isEmpty {
      steppedOn[steppedOn.count - 1].mayLead = true
    }
  }

  /// Goes back to the first certificates of the path, so many.
  private mutating func goBack(to count: Int) {
    guard steppedOn.count > count else { return }
    steppedOn.removeLast(steppedOn.count - count)
    if !steppedOn.isEmpty { steppedOn[steppedOn.count - 1].mayLead = true }
  }

  /// Whether a certificate may be above the path so far.
  ///
  /// The same authority twice leads nowhere new: without what is between, the path is as valid.
  private mutating func mayFollow(_ issuer: Issuer) -> Bool {
    let isKeptOut = steppedOn.enumerated().contains { place, step in
      step.fingerprint == issuer.fingerprint
        || place > 0 && step.certificate.isSameAuthority(as: issuer.certificate)
        || keptApart.contains(Pair(below: step.fingerprint, above: issuer.fingerprint))
    }
    if isKeptOut { steppedOn[steppedOn.count - 1].mayLead = true }
    return !isKeptOut
  }

  private mutating func hasSigned(_ issuer: Issuer, _ step: Step) -> Bool {
    let link = Pair(below: step.fingerprint, above: issuer.fingerprint)
    if let known = verified.first(where: { $0.link == link }) { return known.isGood }
    if let answer = verify(issuer.certificate, step.certificate, &signatures) {
      verified.append((link, answer))
      return answer
    }
    isCutShort = true
    steppedOn[steppedOn.count - 1].mayLead = true
    return false
  }

  /// What may have issued a certificate: anchors first, then by key identifiers and dates, then by fingerprint.
  private mutating func issuers(of certificate: Certificate) throws(CryptoError) -> [Issuer] {
    let fingerprint = SHA256Digest(certificate.fingerprint)
    if let known = known.first(where: { $0.certificate == fingerprint }) { return known.issuers }
    let stored = try store.issuers(namedBy: certificate)
    var issuers: [Issuer] = []
    for (place, candidate) in (stored + offered).enumerated() {
      guard let hint = candidate.hint(asIssuerOf: certificate),
        !issuers.contains(where: { $0.certificate.der == candidate.der })
      else { continue }
      let issuer = Issuer(
        certificate: candidate, fingerprint: SHA256Digest(candidate.fingerprint),
        isAnchor: place < stored.count && store.canEndPath(in: candidate), hint: hint,
        looksFit: candidate.looksFit(for: query))
      issuers.insert(issuer, at: issuers.firstIndex { issuer.preference < $0.preference } ?? issuers.count)
    }
    if case .everyAnchor(let named) = reach {
      // All clients have these anchors, and end the path at them.
      var ends: [Issuer] = []
      for issuer in issuers where issuer.isAnchor && named.contains(issuer.fingerprint) {
        let answer = verify(issuer.certificate, certificate, &signatures)
        if answer == nil { isCutShort = true }
        if answer ?? false { ends.append(issuer) }
      }
      if !ends.isEmpty { issuers = ends }
    }
    known.append((fingerprint, issuers))
    return issuers
  }
}
#endif
