import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRules
import PinValidator

/// Puts the answer to a question together, one part after the other.
struct WhyInquiry {
  let question: WhyQuestion
  var why: Why
  /// The newest release, and what its clients decide about what is presented: the gravest where servers differ.
  private(set) var newest: ReleasedManifest?
  private(set) var decision: Decision?
  private(set) var view: WhyQuestion.View?
  /// The names that any release gives to a key; those of newer releases count.
  private(set) var names: [Pin: String] = [:]

  init(_ question: WhyQuestion) {
    self.question = question
    why = Why(target: question.label, at: question.instant)
    newest = question.releases.last
    for release in question.releases {
      for key in release.manifest.keys { names[key.pin] = key.name }
    }
  }

  mutating func run() {
    judge()
    findCause()
    findBegin()
    describe()
    findChanges()
    if [.mismatch, .deniedKey, .untrusted].contains(why.cause) { weigh() }
    plan()
  }

  /// Decides as clients of each release do, on each chain.
  private mutating func judge() {
    guard let newest else { return }
    for candidate in question.views {
      let found = question.decision(of: newest, on: candidate)
      let isGraver = decision.map { !$0.isBlocked && found.isBlocked } ?? true
      if isGraver { (view, decision) = (candidate, found) }
    }
    guard let view else { return }
    for release in question.releases {
      let decision = question.decision(of: release, on: view)
      let groups = question.clients.groups.filter { $0.serial == release.serial }
      why.affected.append(
        Why.Affected(
          release: release.name, serial: release.serial, issued: release.issued, isBlocked: decision.isBlocked,
          isMatch: decision.isMatch,
          decisions: question.clients.groups.isEmpty ? nil : groups.reduce(0) { $0 + $1.decisions },
          reporters: groups.map(\.reporter)))
    }
    if question.clients.groups.isEmpty {
      why.notes.append(
        "How many clients run each release? Ask the collector, and pass its answer with --collector: "
          + "curl -sSf http://127.0.0.1:8464/v1/manifests >clients.json")
    }
    let known = Set(question.releases.map(\.serial))
    let others = Set(question.clients.groups.map(\.serial)).filter { !known.contains($0) }.sorted()
    if !others.isEmpty {
      why.notes.append(
        "Clients also run " + others.map { "serial \($0)" }.joined(separator: ", ")
          + ", which isn't in '\(question.commands.releases)'.")
    }
  }

  private mutating func findCause() {
    guard let decision, let manifest = decision.manifest else {
      why.cause = .unknown
      let verdict = question.event?.verdict
      why.isBlocked = verdict?.hasPrefix("block: ") ?? false
      why.answer =
        verdict.map { VisibleText.of(why.isBlocked ? String($0.dropFirst(7)) : $0) + ", says the client's log" }
        ?? "nobody knows: the server presented no certificate"
      if let silence = question.silence { why.facts.append(("server", "could not be asked: \(silence)")) }
      if !why.isBlocked, let rejection = question.event?.rejection {
        why.answer = "the client rejected a file [\(rejection.name)] and kept what it had, says its log"
        why.facts.append(("means", rejection.text))
      }
      describePins()
      return
    }
    why.isBlocked = decision.isBlocked
    let reason = VisibleText.of(manifest.reason(for: decision.verdict))
    let allowing = why.affected.last(where: \.isMatch)
    switch decision.verdict {
    case .block(.mismatch, _):
      why.cause = allowing == nil ? .mismatch : .release
      why.answer =
        allowing.map {
          "clients with \(newest?.name ?? "") are blocked; \($0.release) allows the server: "
            + "the release changed, not the server"
        } ?? reason
    case .block(.untrusted(let failure), _):
      why.cause = .untrusted
      let cause = newest.flatMap { newest in view.flatMap { question.cause(of: decision, of: newest, on: $0) } }
      let found = cause.map { "the server \($0.clause)" } ?? VisibleText.of(failure.explanation)
      why.answer = "the server's chain isn't valid, so pins aren't the cause: \(found)"
    case .block(let block, _):
      why.cause =
        switch block {
        case .deniedKey: .deniedKey
        case .unreadableChain: .untrusted
        case .expired(.entry): .entryExpired
        case .expired(.manifest): .manifestExpired
        default: .host
        }
      why.answer = reason
    case .allow, .notPinned:
      let blocking = why.affected.filter(\.isBlocked)
      why.cause = blocking.isEmpty ? .none : .olderReleases
      why.answer =
        blocking.isEmpty
        ? "clients with \(newest?.name ?? "the release") aren't blocked now: \(reason)"
        : "clients with \(blocking.map(\.release).listed()) are blocked; \(newest?.name ?? "") allows the server: \(reason)"
      if blocking.isEmpty, self.entry == nil { reportUnpinned() }
    }
  }

  /// A host that no entry governs may be misspelt.
  private mutating func reportUnpinned() {
    why.answer = "isn't pinned: no entry of \(newest?.name ?? "the release") covers this host"
    let hosts = newest?.manifest.hosts.map(\.host.text) ?? []
    if let meant = Suggestion.nearest(to: question.host, among: hosts),
      Suggestion.isOneSlip(from: question.host, to: meant, among: hosts)
    {
      why.answer += "; did you mean '\(meant)'?"
    }
  }

  /// Since when: what is known exactly comes before what somebody claims.
  private mutating func findBegin() {
    let leaf = why.isBlocked ? view?.chain.first.map { Why.Link($0, named: names) } : nil
    switch why.cause {
    case .entryExpired:
      why.since = decision?.verdict.context.entry.flatMap { newest?.manifest.hosts[$0].expires }
      return
    case .manifestExpired:
      why.since = newest?.loaded.expires
      return
    case .release:
      why.since = newest?.issued
      return
    case .none, .olderReleases: return
    default: break
    }
    let pin = leaf?.pin?.description
    let collected = question.clients.failures.filter {
      $0.host == question.host && $0.port == question.port && (pin == nil || $0.leaf == pin)
    }
    if !collected.isEmpty {
      let reports = collected.reduce(0) { $0 + $1.reports }
      why.since = collected.compactMap(\.firstSeen).min()
      why.facts.append(("reports", "\(reports) at the collector"))
    }
    if let event = question.event {
      why.since = [why.since, event.first].compactMap(\.self).min()
      let times = [event.first, event.last].compactMap { $0?.description }
      why.facts.append(
        (
          "log",
          counted(event.count, "line") + (times.isEmpty ? "" : ", " + Set(times).sorted().joined(separator: " to "))
        ))
    }
    why.since = [why.since, question.claimed].compactMap(\.self).min()
    if why.since == nil, why.cause == .mismatch, let begin = leaf?.notBefore {
      why.facts.append(("since", "not known; the certificate is valid from \(begin)"))
    }
  }

  private mutating func describe() {
    guard let view, let decision, let newest else { return }
    let version = view.tlsVersion.map { ", TLS \($0.rawValue)" } ?? ""
    let recorded = question.record.map { ", as recorded in \(VisibleText.of($0))" } ?? ""
    why.facts.insert(("server", view.places.joined(separator: ", ") + version + recorded), at: 0)
    let others = question.views.filter { $0.chain != view.chain }
    if !others.isEmpty {
      why.notes.append(
        "Not all servers present the same: " + others.flatMap(\.places).joined(separator: ", ") + " present"
          + (others.flatMap(\.places).count == 1 ? "s" : "") + " another chain.")
    }
    why.facts.append(("manifest", "\(VisibleText.of(newest.loaded.audience)) \(newest.name) of \(newest.issued)"))
    why.chain = view.chain.map { Why.Link($0, named: names) }
    if decision.isBlocked { describePins() }
  }

  /// The keys that clients with the newest release accept.
  private mutating func describePins() {
    guard let newest, let set = keySet else { return }
    for (role, keys) in [("active", set.active), ("backup", set.backup)] {
      for name in keys {
        guard let key = newest.manifest.keys.first(where: { $0.name == name }) else { continue }
        let place = key.position.map { " at the \($0.rawValue)" } ?? ""
        why.facts.append(("pinned", "'\(name)', \(role)\(place), \(key.pin)"))
      }
    }
  }

  /// The entry of the newest release that governs the host.
  private var entry: Int? {
    guard let newest else { return nil }
    return (try? newest.loaded.tables.entry(for: question.host.utf8Span.span, port: question.port)) ?? nil
  }

  /// The key set of the entry that governs the host.
  var keySet: Manifest.KeySet? {
    guard let newest, let entry else { return nil }
    let name = newest.manifest.hosts[entry].keySet
    return newest.manifest.keySets.first { $0.name == name }
  }
}

extension Decision {
  var isMatch: Bool {
    switch verdict {
    case .allow(.matched, _), .allow(.matchedBoth, _): true
    default: false
    }
  }

  var isBlocked: Bool {
    if case .block = verdict { return true }
    return false
  }
}
