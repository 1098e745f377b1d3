import PinFormat
import PinValidator

/// What happens as time goes on, for one server that presents one chain now: releases, and changes of the chain.
///
/// Decides for each client at each instant at which something changes, and says which blocks nobody may call safe.
struct Play {
  /// A span in which the server presents the same.
  struct Phase {
    enum Origin: String {
      /// What evidence shows, or the newest release lists as active.
      case now = "presented"
      /// What the policy lists as active and the newest release doesn't.
      case listed = "listed by the policy"
      case step = "a step of the policy"
      case change = "a change by --server"
      case plan = "a step of the plan"
      case loss = "what is presented in place of a lost key"
    }

    var origin: Origin
    var chain: ClientWorld.Presented
    var begin: Instant
    var end: Instant
  }

  let gate: Gate
  let clients: [Clients]
  /// What the clients of the newest release would say if nothing of it ended.
  let newestLasting: Clients
  let phases: [Phase]
  /// What the server may present today, as far as anybody knows.
  let today: [ClientWorld.Presented]
  let end: Instant

  private var world: ClientWorld { gate.world }

  struct Failure {
    var client: Clients.Kind
    var phase: Phase
    var instant: Instant
    var block: Clients.Block
  }

  /// The first block of each kind that is neither standing nor health.
  func failures() throws -> [Failure] {
    var failures: [Failure] = []
    for phase in phases {
      for instant in instants(in: phase) {
        let served = try served(phase, at: instant)
        for client in clients where client.issued <= instant && client.end.map({ instant < $0 }) ?? true {
          guard !failures.contains(where: { $0.client == client.kind && $0.phase.begin == phase.begin }),
            let block = client.block(served, tls13: world.speaksTLS13, at: instant)
          else { continue }
          if try !isExcused(block, client, phase, served, at: instant) {
            failures.append(Failure(client: client.kind, phase: phase, instant: instant, block: block))
          }
        }
      }
    }
    return failures
  }

  /// Whether clients who get through today don't any more with what is presented last.
  func strandsToday() throws -> Bool {
    guard let last = phases.last, let present = phases.first else { return false }
    let now = Instant.day(0)
    return try clients.contains { client in
      guard client.issued <= now, client.end.map({ now < $0 }) ?? true else { return false }
      return try !isBlockedToday(client, present.chain) && isBlockedToday(client, last.chain)
    }
  }

  /// Whether any client blocks anything, for whatever reason.
  func isBlockedAnywhere() throws -> Bool {
    try phases.contains { phase in
      try instants(in: phase).contains { instant in
        let served = try served(phase, at: instant)
        return clients.contains { client in
          client.issued <= instant && client.end.map({ instant < $0 }) ?? true
            && client.block(served, tls13: world.speaksTLS13, at: instant) != nil
        }
      }
    }
  }

  private func served(_ phase: Phase, at instant: Instant) throws -> [[UInt8]] {
    try world.served(world.renewed(phase.chain, since: phase.begin, at: instant), gate.mint)
  }

  /// Where something changes within a phase.
  private func instants(in phase: Phase) -> [Instant] {
    var all: Set<Instant> = [phase.begin]
    for client in clients {
      all.insert(client.issued)
      if let end = client.end { all.insert(end) }
    }
    for layer in world.layers {
      for day in [layer.expires, layer.trust.exceptionUntil] { if let day { all.insert(PinFormat.Instant.day(day)) } }
    }
    let certificates = world.authorities.flatMap { [$0.root, $0.intermediate] } + [world.oldLeaf, world.newLeaf]
    for certificate in certificates {
      if case .ends(let day) = certificate.flaw { all.insert(.day(day)) }
      if case .begins(let day) = certificate.flaw { all.insert(.day(day)) }
    }
    return all.filter { phase.begin <= $0 && $0 < phase.end }.sorted()
  }

  // MARK: Standing and health

  private func isExcused(
    _ block: Clients.Block, _ client: Clients, _ phase: Phase, _ served: [[UInt8]], at instant: Instant
  ) throws -> Bool {
    if client.kind.isOut {
      switch phase.origin {
      // Nothing that is released now or planned changes what these clients have or are shown.
      case .now: return true
      case .listed: return try isBlockedToday(client)
      case .step, .change, .plan, .loss:
        if block.isExpired { return true }
        return try failsAnyway(block, client, at: instant) || wasBlocked(client, before: phase)
      }
    }
    // The policy says itself when its entry blocks and its exception ends.
    if block.isExpired || endsException(block, client, served, at: instant) { return false }
    guard let newest = newestLasting.block(served, tls13: world.speaksTLS13, at: instant) else { return false }
    switch phase.origin {
    case .now:
      if block.isTrust, newest.isTrust { return true }
      return try isBlockedToday(self.newest, phase.chain)
    case .listed: return try isBlockedToday(self.newest)
    case .step, .change, .plan, .loss:
      if try failsAnyway(block, client, at: instant) { return true }
      guard let present = phases.first, try isBlockedToday(self.newest, present.chain) else { return false }
      return client.block(try self.served(present, at: instant), tls13: world.speaksTLS13, at: instant) != nil
    }
  }

  private var newest: Clients { clients.last { $0.kind == .newest } ?? clients[0] }

  /// Whether clients get through to nothing that the server may present today.
  private func isBlockedToday(_ client: Clients) throws -> Bool {
    try today.allSatisfy { try isBlockedToday(client, $0) }
  }

  private func isBlockedToday(_ client: Clients, _ chain: ClientWorld.Presented) throws -> Bool {
    client.block(try world.served(chain, gate.mint), tls13: world.speaksTLS13, at: .day(0)) != nil
  }

  /// Whether what the server presents now would fail for the same reasons by then, so that no change of it matters.
  private func failsAnyway(_ block: Clients.Block, _ client: Clients, at instant: Instant) throws -> Bool {
    guard block.isTrust, let present = phases.first,
      let kept = client.block(try served(present, at: instant), tls13: world.speaksTLS13, at: instant), kept.isTrust
    else { return false }
    return Set(block.failures).isSubset(of: kept.failures)
  }

  /// Whether clients were locked out already when a change came: today, or by what ended since then, but for a
  /// certificate that is renewed in time.
  private func wasBlocked(_ client: Clients, before phase: Phase) throws -> Bool {
    guard let present = phases.first else { return false }
    if try isBlockedToday(client, present.chain) { return true }
    let before = max(phase.begin.adding(seconds: -1), .day(0))
    let served = try served(present, at: before)
    guard let block = client.block(served, tls13: world.speaksTLS13, at: before) else { return false }
    return endsException(block, client, served, at: before) || block.isExpired
  }

  /// Whether what fails was excused by an exception of the client's own that has ended.
  private func endsException(
    _ block: Clients.Block, _ client: Clients, _ served: [[UInt8]], at instant: Instant
  ) -> Bool {
    guard block.isTrust else { return false }
    let ends = client.manifest.manifest.hosts.compactMap(\.trust).flatMap(\.exceptions).map(\.until)
      .filter { $0 <= instant }
    return ends.contains { until in
      client.block(served, tls13: world.speaksTLS13, at: until.adding(seconds: -1)) == nil
        && client.block(served, tls13: world.speaksTLS13, at: until) != nil
    }
  }
}

extension Instant {
  /// A day of a world.
  static func day(_ day: Int) -> Instant { ClientWorlds.instant(day) }
}
