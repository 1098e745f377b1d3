import PinFormat
import PinPolicy
package import PinProbe
import PinRelease
package import PinRotation
import PinRules
import PinValidator

/// What each kind of client is shown by a server that answered.
enum ObservedViews {
  /// One view for each trust store, and one more for each further way that a client with fewer anchors takes.
  ///
  /// Kinds that are shown the same are one.
  ///
  /// - Parameters:
  ///   - target: The server.
  ///   - assessment: The evidence, judged.
  ///   - carried: When the certificates end that the judging manifest carries for the target.
  /// - Returns: The views.
  static func views(
    of target: AssessedTarget, in assessment: Assessment, _ carried: CarriedCertificates
  ) -> [ClientView] {
    var kinds: [(names: [String], landings: [Landing])] = []
    func add(_ name: String, _ landings: [Landing]) {
      if let known = kinds.firstIndex(where: { $0.landings == landings }) {
        kinds[known].names.append(name)
      } else {
        kinds.append(([name], landings))
      }
    }
    for (store, name) in assessment.stores.enumerated() {
      add(name, landings(of: target, store, along: nil, in: assessment, carried))
      for route in routes(of: target, store) {
        let anchor = assessment.certificates[route.anchor].map { $0.commonName ?? $0.subject } ?? route.anchor.hex
        add("\(name), path over \(anchor)", landings(of: target, store, along: route, in: assessment, carried))
      }
    }
    return kinds.map {
      ClientView(kind: kinds.count > 1 ? $0.names.joined(separator: "; ") : nil, landings: $0.landings)
    }
  }

  /// A way beside the first: by its anchor, and its place among those with the same anchor.
  private struct Route: Hashable {
    var anchor: SHA256Digest
    var number: Int
  }

  /// The further ways of one chain that fail for nothing but what the first does.
  ///
  /// One that fails where the first one is fine is nothing that a client takes.
  private static func routes(in judgement: StoreJudgement) -> [(route: Route, path: PathJudgement)] {
    var counts: [SHA256Digest: Int] = [:]
    let first = Set(judgement.paths.first?.failures ?? [])
    return judgement.paths.dropFirst().filter { first.isSuperset(of: $0.failures) }.compactMap { path in
      guard let anchor = path.chain.last else { return nil }
      defer { counts[anchor, default: 0] += 1 }
      return (Route(anchor: anchor, number: counts[anchor] ?? 0), path)
    }
  }

  private static func routes(of target: AssessedTarget, _ store: Int) -> [Route] {
    var found: [Route] = []
    for report in target.visits.lazy.compactMap(\.served) where report.judgements[store].paths.count > 1 {
      for (route, _) in routes(in: report.judgements[store]) where !found.contains(route) { found.append(route) }
    }
    return found
  }

  /// Where such clients end up, each chain once; a chain that the way doesn't lead through takes its first.
  private static func landings(
    of target: AssessedTarget, _ store: Int, along route: Route?, in assessment: Assessment,
    _ carried: CarriedCertificates
  ) -> [Landing] {
    var landings: [Landing] = []
    for visit in target.visits {
      guard let judgement = visit.served?.judgements[store], let first = judgement.paths.first else { continue }
      let other = route.flatMap { route in routes(in: judgement).first { $0.route == route }?.path }
      let path = other ?? first
      let end = carried.end(of: path, served: visit.served?.chain ?? [])
      let trust = trust(path, other == nil ? judgement.inevitable : Set(path.failures), in: assessment, end)
      guard !landings.contains(where: { $0.trust == trust }) else { continue }
      let address = HostLabel.text(host: visit.address, port: visit.port)
      var setup = ServerSetup.usual
      setup.tlsVersion = visit.offer.tlsVersion
      let sendsLeafAlone = visit.served?.chain.count == 1
      setup.sendsIntermediates =
        !sendsLeafAlone || path.chain.count <= 2 && !path.failures.contains { $0.code == .missingIntermediate }
      landings.append(
        Landing(place: "\(address), \(visit.offer.keyFamily.rawValue)", judged: trust, setup: setup))
    }
    if landings.count == 1 { landings[0].place = nil }
    return landings
  }

  private static func trust(
    _ path: PathJudgement, _ failures: Set<TrustFailure>, in assessment: Assessment, _ end: TrustEnd?
  ) -> Landing.Trust {
    var pins = path.chain.prefix(path.linked).map { assessment.certificates[$0]?.pin }
    if !path.hasEnd { pins.append(nil) }
    if let failure = path.failures.first {
      return .refused(failure.message, PresentedChain(pins), failures: failures)
    }
    let ends =
      path.excused.map(\.exception).compactMap { $0.trustEnd(assessment.certificates[$0.certificate]?.notBefore) }
      + (end.map { [$0] } ?? [])
    return .trusted(PresentedChain(pins), until: ends.min { $0.instant < $1.instant })
  }
}

extension CertificateSpan {
  /// The certificates of the validated chains of each server, each once.
  package static func observed(in assessment: Assessment, of scenario: Scenario) -> [CertificateSpan] {
    let numbers = Dictionary(
      scenario.servers.enumerated().map { (HostPort($0.element.host, $0.element.port), $0.offset) },
      uniquingKeysWith: { first, _ in first })
    var spans: [CertificateSpan] = []
    for target in assessment.targets {
      guard let number = numbers[HostPort(target.host, target.port)] else { continue }
      var seen: Set<SHA256Digest> = []
      for path in target.visits.lazy.compactMap(\.served).flatMap(\.judgements).flatMap(\.paths)
      where path.failures.isEmpty {
        for (place, fingerprint) in path.chain.enumerated() where seen.insert(fingerprint).inserted {
          guard let record = assessment.certificates[fingerprint], let end = record.notAfter else { continue }
          let role: Role = place == 0 ? .leaf : place == path.chain.count - 1 ? .root : .intermediate
          spans.append(
            CertificateSpan(server: number, role: role, name: record.label, begin: record.notBefore, end: end))
        }
      }
    }
    return spans
  }
}

extension CertificateRecord {
  /// What people call it.
  fileprivate var label: String { commonName ?? names.first ?? (subject.isEmpty ? "without a name" : subject) }
}
