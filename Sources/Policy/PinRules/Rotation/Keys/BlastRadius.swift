import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// A key whose loss would cut off too many servers.
  static let blastRadius = Rule(
    code: "P612",
    name: "blast-radius",
    severity: .warning,
    title: "The loss of one key locks clients out of too many servers.",
    rationale: """
      A key can be stolen: then it must be denied. Or it can be destroyed: then no server can present it. In both cases
      a server needs another chain that all its clients accept already, so its backup must have been released long enough
      ago. This rule counts the servers without such a chain, among all servers that are pinned. The limit is `limits: {
      max-blast-radius: … }` in the manifest file, by default 20 %.
      """,
    failing: .rotation(
      RotationLines.api("api-2025", backup: "spare"),
      after: .rotation(6, on: "2026-11-01", RotationLines.api("api-2025", backup: "api-2027"))),
    passing: .rotation(
      RotationLines.api("api-2025", backup: "api-2027, spare"),
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2025", backup: "api-2027, spare"))),
    citation: "docs/rotation.md#safe-and-resilient; RFC 7469 section 4.3",
    check: .rotation { _, facts in
      let limit = facts.policy.settings?.maximumBlastRadius ?? 20
      let total = facts.scenario.pinnedServerCount
      return facts.rotation.losses.compactMap { loss in
        guard loss.stranded.count * 100 > limit * total else { return nil }
        return facts.finding(loss, of: total, limit: limit)
      }
    })
}

extension RotationFacts {
  fileprivate func finding(_ loss: KeyLoss, of total: Int, limit: Int) -> Finding? {
    guard let first = loss.stranded.min(by: { ($0.instant, $0.server) < ($1.instant, $1.server) }) else { return nil }
    let servers = Set(loss.stranded.map(\.server)).sorted()
    let titles = Set(servers.compactMap { keySet(of: $0.part)?.title }).sorted()
    let sets =
      titles.isEmpty
      ? "the key sets" : (titles.count > 3 ? ["their key sets"] : titles).listed()
    let reach = candidate.map { everyClientRuns(from: $0) } ?? scenario.now.adding(seconds: scenario.window)
    return Finding(
      at: key(loss.pin)?.name.place ?? releasePlace,
      "losing '\(name(loss.pin))' locks clients out of \(servers.count) of \(counted(total, "server")), "
        + "\(servers.count * 100 / total) %, where the limit is \(limit) %: "
        + Wording.list(servers.map(\.label), most: 4),
      help: (recent(on: servers, insteadOf: loss.pin).map {
        "'\($0)' in \(sets) is too new: released now, every client has it by \(reach). If its chain doesn't need "
          + "'\(name(loss.pin))', keep it there; if it does, add a backup that doesn't."
      }
        ?? "Add a backup that doesn't depend on '\(name(loss.pin))' to \(sets), and keep it there; released now, every "
        + "client has it by \(reach).")
        + advice(on: servers),
      witness: witness(first, loss.pin))
  }

  /// A key that the candidate has for all of these servers, and that some release in use doesn't have yet.
  private func recent(on servers: [Numbered<Server>], insteadOf lost: Pin) -> String? {
    guard let candidate else { return nil }
    let keys = servers.map { server -> Set<Pin> in
      let others = scenario.releases.indices.filter { $0 != candidate }
        .compactMap { acceptedKeys(ofRelease: $0, server.part) }
      return Set(acceptedKeys(ofRelease: candidate, server.part) ?? []).filter { pin in
        pin != lost && key(pin).map { $0.denied == nil } ?? false && others.contains { !$0.contains(pin) }
      }
    }
    guard var shared = keys.first else { return nil }
    for more in keys.dropFirst() { shared.formIntersection(more) }
    return shared.map { name($0) }.sorted().first
  }

  /// What a backup needs besides, because the entry says which certificates clients trust.
  private func advice(on servers: [Numbered<Server>]) -> String {
    let trusts = servers.compactMap { server in
      candidate.flatMap {
        scenario.releases[$0].manifest.trust(at: HostPort(server.host, server.port))
      }
    }
    if trusts.contains(where: { $0.certificate != nil }) {
      return " With 'certificate:', clients accept no other certificate: name those of both keys in 'anchors:' instead."
    }
    return trusts.contains { !$0.systemAnchors }
      ? " Its chain has to end in one of the entry's 'anchors:' too, and that one must not depend on the lost key." : ""
  }

  /// The client that refuses what would be presented to most clients' benefit.
  private func witness(_ stranded: KeyLoss.Stranded, _ pin: Pin) -> Witness {
    let denied = deniedInstead(of: pin, server: stranded.server.part)
    let replacement = LossAnalysis(scenario).replacement(
      forLossOf: pin, server: stranded.server.number, at: stranded.instant, without: Set(denied))
    let number = denied.isEmpty ? stranded.release.number : replacement?.refusing ?? stranded.release.number
    let release = scenario.releases[number]
    return Witness(
      client: release.name, serial: release.serial, released: "\(release.issued)", kind: nil,
      host: stranded.server.label, instant: "\(stranded.instant)",
      until: scenario.run(ofRelease: number).end.map { "\($0)" }, place: nil,
      chain: links(replacement?.chain),
      reason: "'\(name(pin))' is lost, and nothing else is left that all clients accept"
        + (denied.isEmpty ? "" : ": \(keyList(denied)) \(denied.count == 1 ? "is" : "are") denied"))
  }

  /// The keys that some release has for a server and this policy denies: they replace nothing.
  private func deniedInstead(of pin: Pin, server: Server) -> [Pin] {
    var accepted: Set<Pin> = []
    for release in scenario.releases.indices {
      accepted.formUnion(acceptedKeys(ofRelease: release, server) ?? [])
    }
    return policy.keys.lazy.filter { $0.denied != nil }.compactMap(\.pin).filter { $0 != pin && accepted.contains($0) }
  }
}
