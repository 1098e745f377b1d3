import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinValidator

extension RotationFacts {
  /// A finding for each future of a kind, at the key that chains lose, or at the set of the first host.
  func futures(_ kind: Future.Kind) -> [Finding] {
    rotation.futures.filter { $0.kind == kind }.map { future in
      let set = keySet(of: scenario.servers[future.servers[0]])
      // Renewals concern each server's own key, so the fix isn't at one of them.
      let place = kind == .renewal ? set?.place : key(future.key)?.name.place ?? set?.place
      let hosts = Wording.list(future.servers.map { scenario.servers[$0].label }, most: 4)
      return Finding(
        at: place ?? releasePlace, future.sentence(of: hosts, at: scenario.now), help: future.advice(in: scenario),
        citation: future.source, severity: future.onlyReports ? .note : nil, witness: witness(future))
    }
  }

  /// A client of the release of that day, which is shown the chain; whether that release is stale doesn't count.
  private func witness(_ future: Future) -> Witness? {
    let server = scenario.servers[future.servers[0]]
    let instant = max(future.instant ?? scenario.now, scenario.now)
    guard let number = scenario.releases.lastIndex(where: { $0.issued <= instant && $0.origin != .released }),
      case let release = scenario.releases[number],
      case .pinned(let entry) = release.manifest.govern(
        host: server.host.text, port: server.port, at: instant, freshness: .fresh)
    else { return nil }
    return Witness(
      client: release.name, serial: release.serial, released: "\(release.issued)", kind: nil, host: server.label,
      instant: "\(instant)", until: nil, place: nil, chain: links(future.chain),
      outcome: future.onlyReports ? .admitted : .blocked,
      reason: release.manifest.reason(for: release.manifest.decide(future.chain, for: entry)))
  }
}

extension Example {
  /// A host that comes under another of some well-known keys, with a backup of an authority that isn't its own.
  static func known(active: String, before: String) -> Example {
    func lines(_ key: String) -> String {
      """
      key-sets:
        web: { active: [\(key)], backup: [gts-root-r1] }
      hosts:
        - { host: api.example.com, keys: web, expires: 2027-06-01, on-expiry: report-only }
      """
    }
    func text(_ key: String) -> String {
      """
      version: 1
      manifest: { audience: production, client-max-age: 90d }
      keys:
        digicert-global-root-g2: { pin: sha256/i7WTqTvh0OioIruIfFR4kMPnBqrS2rdiVPl/s2uC/CY=, position: root }
        globalsign-root-r3: { pin: sha256/cGuxAXyFXFkWm61cF4HPWX8S0srS9j0aSqN0k4AP+4A=, position: root }
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
        isrg-root-x1: { pin: sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=, position: root }
        lets-encrypt-yr1: { pin: sha256/LoMHBotttiDko50Gi13uXW71eIy7LAttI+rYT8wXF4w=, position: intermediate }
        starfield-services-root-g2: { pin: sha256/KwccWaCgrnaw6tsrrSO61FgLacNgG2MMLq8GE6+oP5I=, position: root }
        usertrust-rsa: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, position: root }
      \(lines(key))
      """
    }
    var example = Example(text(active))
    example.released = [
      Released(
        serial: 6, issued: Instant(written: "2026-05-01") ?? .earliest, [File(path: "policy.yaml", text: text(before))])
    ]
    return example
  }
}
