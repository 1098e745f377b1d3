import OpenSSLKit
import PinFormat
import PinValidator
import TestSupport
import Testing

/// Every path that cross-signing allows, compared with a search that knows who certified whom.
@Suite struct EveryPathTests {
  @Test(arguments: 0..<80)
  func agreesWithBruteForce(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let make = try Maker()
    let web = try Web(4, make)
    let all = web.links
    let served = all.filter { $0.isCross && !random.once(in: 3) }.shuffled(using: &random)
    var anchors = all.filter { !$0.isCross && !random.once(in: 3) }
    // With a CA below a root in the store, partial chains are accepted.
    if random.once(in: 3) { anchors.append(random.pick(all.filter(\.isCross))) }
    let expected = Set(web.paths(served: served, anchors: anchors))

    let examined = try examine([web.leaf] + served.map(\.certificate), anchors: anchors.map(\.certificate))
    let found = examined.paths.map { web.text($0.certificates.map(\.der)) }
    #expect(Set(found).count == found.count)
    if expected.isEmpty {
      #expect(examined.paths.count == 1)
      #expect(examined.paths[0].validated == nil)
    } else {
      #expect(examined.paths.allSatisfy { $0.validated != nil })
    }
    // libcrypto's own path may use one CA twice; the others never do.
    #expect(expected.isSuperset(of: found.dropFirst()))
    if !examined.isCutShort { #expect(expected.subtracting(found) == []) }
    if expected.count > 16 { #expect(examined.isCutShort) }
    if examined.isCutShort { #expect(found.count >= 16) }
  }

  /// Six authorities that all certify each other: more ways than anybody wants to see.
  @Test func aTangleEndsAtTheLimits() throws {
    let make = try Maker()
    let web = try Web(6, make)
    let cross = web.links.filter(\.isCross).map(\.certificate)
    let served = [web.leaf] + cross
    let withAnchors = try examine(served, anchors: web.links.filter { !$0.isCross }.map(\.certificate))
    #expect(withAnchors.isCutShort)
    #expect((16...17).contains(withAnchors.paths.count))
    let without = try examine(served, anchors: [make.root])
    #expect(without.paths.count == 1)
    #expect(without.paths[0].validated == nil)
  }

  /// Other certificates of the same authorities, so that the ways multiply without an anchor in sight.
  @Test func twinsInEachStepEndAtTheLimits() throws {
    let make = try Maker()
    var layers: [[TestCertificate]] = [[try make.selfSigned("twins 0", .authority("Twins 0"))]]
    for depth in 1...7 {
      let issuer = layers[depth - 1][0]
      let first = try make.authority("Twins \(depth)", by: issuer)
      let others = try (1...3).map { number in
        try make.archive.certificate(
          "Twins \(depth), \(number)",
          CertificateProfile.authority("Twins \(depth)").with {
            $0.key = .existing(first)
            $0.notAfter = "2048-0\(number)-01"
          }, by: issuer)
      }
      layers.append([first] + others)
    }
    let leaf = try make.leaf("below twins", by: layers[7][0])
    let served = [leaf] + layers.dropFirst().reversed().joined()
    // Each dead end is searched only once.
    let examined = try examine(served, anchors: [make.root])
    #expect(!examined.isCutShort)
    #expect(examined.paths.count == 1)
    let anchored = try examine(served, anchors: layers[0])
    #expect(anchored.isCutShort)
    #expect((16...17).contains(anchored.paths.count))
  }

  @Test func signaturesAreVerifiedOnceAndWithinABudget() throws {
    let make = try Maker()
    let cache = IssuanceCache()
    let root = try Certificate(der: make.root.der)
    let intermediate = try Certificate(der: make.intermediate.der)
    var budget = 1
    #expect(cache.hasSigned(root, intermediate, budget: &budget) == true)
    #expect(budget == 0)
    #expect(cache.hasSigned(root, intermediate, budget: &budget) == true)
    #expect(cache.hasSigned(intermediate, root, budget: &budget) == nil)
    budget = 1
    #expect(cache.hasSigned(intermediate, root, budget: &budget) == false)
  }

  @Test func aNameAloneIsNoIssuer() throws {
    let make = try Maker()
    // The root's name with another key: neither the identifier nor the signature matches.
    let impostor = try make.selfSigned("impostor", .authority("Root"))
    let examined = try examine([make.leaf, make.intermediate], anchors: [impostor, make.root])
    #expect(
      examined.paths.map { $0.certificates.map(\.der) } == [
        [try make.leaf.der, try make.intermediate.der, try make.root.der]
      ])
  }

  private func examine(_ served: [TestCertificate], anchors: [TestCertificate]) throws -> ExaminedPaths {
    let evaluator = TrustEvaluator(anchors: try TrustAnchors(anchors.map(\.der)))
    let request = TrustRequest(peer: .server("example.com"), at: try instant("2026-06-01"), tlsVersion: .tls13)
    return evaluator.examinePaths(
      of: try ServedChain(served.map(\.der)), for: request, issuance: IssuanceCache()
    ) { _ in nil }
  }
}

/// Authorities each of which certified each other one, and itself.
private struct Web {
  struct Link {
    let subject: Int
    let issuer: Int
    let certificate: TestCertificate
    var isCross: Bool { subject != issuer }
  }

  let links: [Link]
  /// By the first authority.
  let leaf: TestCertificate

  init(_ count: Int, _ make: Maker) throws {
    let roots = try (0..<count).map { try make.selfSigned("web \($0)", .authority("Web \($0)")) }
    var links: [Link] = []
    for subject in 0..<count {
      for issuer in 0..<count where subject != issuer {
        let certificate = try make.archive.certificate(
          "web \(subject) by \(issuer)",
          CertificateProfile.authority("Web \(subject)").with { $0.key = .existing(roots[subject]) },
          by: roots[issuer])
        links.append(Link(subject: subject, issuer: issuer, certificate: certificate))
      }
      links.append(Link(subject: subject, issuer: subject, certificate: roots[subject]))
    }
    self.links = links
    leaf = try make.leaf("web leaf", by: roots[0])
  }

  /// A path for people: `leaf 0<1 1<1`, each authority and who certified it.
  func text(_ path: [[UInt8]]) -> String {
    let names = path.map { der in
      links.first { $0.certificate.der == der }.map { "\($0.subject)<\($0.issuer)" } ?? "leaf"
    }
    return names.joined(separator: " ")
  }

  /// All sequences of certificates, each by the next one's subject and no authority twice, that end in an anchor.
  func paths(served: [Link], anchors: [Link]) -> [String] {
    let isPartial = anchors.contains(where: \.isCross)
    var found: [[[UInt8]]] = []
    func go(_ path: [[UInt8]], wanted: Int, seen: Set<Int>) {
      var used: Set<[UInt8]> = []
      for link in served + anchors where link.subject == wanted && !seen.contains(wanted) {
        guard used.insert(link.certificate.der).inserted else { continue }
        let next = path + [link.certificate.der]
        let isAnchor = anchors.contains { $0.certificate.der == link.certificate.der }
        if isAnchor, isPartial || !link.isCross { found.append(next) }
        if link.isCross { go(next, wanted: link.issuer, seen: seen.union([wanted])) }
      }
    }
    go([leaf.der], wanted: 0, seen: [])
    return found.map(text)
  }
}
