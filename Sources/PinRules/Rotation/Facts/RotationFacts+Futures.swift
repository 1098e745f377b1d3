import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinValidator

extension RotationFacts {
  /// What a release brings along of one kind of future: what the newest release doesn't accept either is no news.
  func findings(_ kind: Future.Kind) -> [Finding] {
    let text = FutureText(scenario, KeyNames(scenario))
    return rotation.futures.filter { $0.future.kind == kind }.compactMap(\.new).map { finding($0, text) }
  }

  private func finding(_ foreseen: ForeseenFuture, _ text: FutureText) -> Finding {
    let future = foreseen.future
    let first = foreseen.cases[0]
    let hosts = Wording.list(foreseen.servers.map { scenario.servers[$0].label }, most: 4)
    let place =
      future.key.flatMap { key($0) }?.name.place ?? keySet(ofServer: first.server)?.place
      ?? entry(ofServer: first.server)?.written.place ?? releasePlace
    return Finding(
      at: place,
      text.sentence(foreseen, hosts: hosts),
      help: text.advice(future),
      citation: future.source.map { input.citation($0.url, published: $0.published, says: $0.says) },
      severity: foreseen.onlyReports ? .note : nil, witness: witness(first))
  }

  private func witness(_ one: ForeseenFuture.Case) -> Witness? {
    let release = scenario.releases[one.release]
    let server = scenario.servers[one.server]
    guard
      case .pinned(let entry) = release.manifest.govern(
        host: server.host.text, port: server.port, at: one.instant, freshness: .fresh)
    else { return nil }
    let verdict = release.manifest.decide(one.chain, for: entry)
    let isBlocked = if case .block = verdict { true } else { false }
    return Witness(
      client: release.name, serial: release.serial, released: "\(release.issued)", kind: nil, host: server.label,
      instant: "\(one.instant)", until: nil, place: nil, chain: links(one.chain),
      outcome: isBlocked ? .blocked : .admitted, reason: release.manifest.reason(for: verdict))
  }
}
