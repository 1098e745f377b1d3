import ArgumentParser
import Diagnostics
import Glibc
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRules
import PinValidator

/// `pintle probe`: does the policy hold on every server that will be asked, and if not, why.
struct Probe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "probe",
    abstract: "Check a policy against the live servers.",
    discussion: """
      Connects to every address of every pinned host, once for each key type and TLS version, and evaluates what is \
      served as clients would: on every path, under every trust store. Shows only findings about the servers; \
      'pintle check' shows those about the policy. The policy is not changed.

      --record keeps the evidence, for --replay and 'pintle check --evidence'. Control-C stops probing and reports what is \
      known by then; a second Control-C ends the program at once.

      --network public leaves out the hosts that only machines inside can reach, and lists them, so a hosted runner of \
      continuous integration doesn't fail because of them. A runner inside probes them with --network internal.

      EXAMPLES:
        pintle probe
        pintle probe --network public --internal corp.example.com
        pintle probe policies --record evidence.json --html report.html
        pintle probe --host api.example.com --connect-to api.example.com::10.0.0.5
        pintle probe --shard 3/10 --record part-3.json --min-success 95%
        pintle probe --replay evidence.json --at 2027-01-01
      """)

  @OptionGroup var policy: PolicyArguments
  @OptionGroup(title: "Which servers") var servers: ProbeTargetOptions
  @OptionGroup(title: "How they are probed") var visits: VisitOptions
  @OptionGroup(title: "How they are evaluated") var stores: TrustStoreOptions

  @OptionGroup(title: "Results") var record: ProbeRecordOptions
  @OptionGroup var time: TimeOption
  @OptionGroup var report: ReportOptions

  func validate() throws {
    if record.replay != nil, servers.shard != nil {
      throw ValidationError("--shard says which servers to probe; it can't be combined with --replay.")
    }
  }

  func run() throws {
    let started = time.instant
    let source = try loadPolicy()
    let manifest = try source.map { policy throws(CommandFailure) in try policy.rehearsed(at: started) }
    let found: Evidence?
    // Stores that the evidence names aren't loaded, even if it was recorded just now, so that a replay gives the same
    // result.
    var judged: [NamedStore] = []
    if let path = record.replay, isReadInPieces(path) {
      return try replayInPieces(path, source, at: time.at?.instant ?? started)
    }
    if let path = record.replay {
      let replayed = try replayed(path)
      found = replayed
      judged = try stores.load(besides: replayed)
    } else {
      found = try probed(source, manifest, at: started)
    }
    let leftOut = leftOut(of: source, besides: found)
    if let leftOut { Console.say(leftOut) }
    // Where no host is of the network, there is nothing to record or to fail for.
    guard let evidence = found else { return }
    // Judged as of now, not as of the start, because the evidence is newer than that.
    let instant = time.at?.instant ?? TimeArgument.now
    let unwritten = record.write(evidence)
    if let unwritten { Console.report(unwritten) }
    // From here on an interruption loses nothing: the evidence is written, or could not be written.
    Interruption.stopListening()
    let places = LivePlaces(of: evidence, in: try source ?? .none())
    let check = LiveCheck(
      policy: places.source, evidence: evidence, stores: judged, minimumSuccess: record.minSuccess.minimum,
      places: places.places, coversPolicy: source != nil && servers.hosts.isEmpty && servers.network == nil,
      rules: Rule.catalogue.filter { $0.family == .live }, instant: instant)
    let outcome = try ProbeReport(check, report, remarks: [leftOut].compactMap(\.self))
    try outcome.write()
    let noPage = record.html.flatMap { outcome.writePage(to: $0) }
    if let noPage { Console.report(noPage) }
    try outcome.status(isComplete: unwritten == nil && noPage == nil).exit()
  }

  /// The policy; nil where there is none at the usual place, and the command line names hosts.
  private func loadPolicy() throws(CommandFailure) -> LoadedPolicy? {
    let isUsual = policy.paths == ["policies"]
    guard isUsual, !servers.hosts.isEmpty, access("policies", F_OK) != 0 else { return try policy.load() }
    Console.say("there is no policy here, so only trust is evaluated")
    return nil
  }

  /// Which servers were left out because they are of another network; nil if none were.
  private func leftOut(of source: LoadedPolicy?, besides evidence: Evidence?) -> String? {
    guard let network = servers.network else { return nil }
    var choice = servers.choice
    choice.limit = nil
    let probed = Set((evidence?.targets ?? []).map { HostPort($0.host, $0.port) })
    let names = source.map { PlannedNames($0.policy, in: $0.asked, ports: servers.defaultPorts) }
    let others = ProbePlan(names, choice).targets.filter { !probed.contains(HostPort($0.host, $0.port)) }
    guard !others.isEmpty else { return nil }
    let labels = others.map { HostLabel.text(host: $0.host, port: $0.port) }
    let verb = others.count == 1 ? "is" : "are"
    return "left out \(counted(others.count, "host")) that \(verb) not \(network.rawValue): "
      + labels.joined(separator: ", ")
  }

  /// Whether a record is so long that it is judged in pieces; a page, a choice of hosts or of a network needs all of it.
  private func isReadInPieces(_ path: String) -> Bool {
    record.html == nil && servers.hosts.isEmpty && servers.network == nil && EvidencePieces.isNeeded(for: path)
  }

  private func replayInPieces(_ path: String, _ source: LoadedPolicy?, at instant: Instant) throws {
    let pieces = try EvidencePieces(path)
    let check = try FleetCheck(
      policy: try source ?? .none(), pieces, stores: try stores.load(besides: pieces.head),
      minimumSuccess: record.minSuccess.minimum, coversPolicy: source != nil, instant: instant)
    let outcome = try ProbeReport(check, of: pieces.head, report)
    try outcome.write()
    try outcome.status(isComplete: true).exit()
  }

  private func replayed(_ path: String) throws(CommandFailure) -> Evidence {
    var evidence = try EvidenceFile.read(path)
    let wishes = servers.hosts.map(\.wish)
    // A missing host must not look like a healthy one.
    let missing = wishes.first { wish in !evidence.targets.contains { wish.covers($0.host, port: $0.port) } }
    if let missing {
      throw CommandFailure(
        .inconclusive, "'\(missing.label)' isn't in '\(path)'",
        help: "Record it: 'pintle probe --host \(missing.label) --record FILE'.")
    }
    if !wishes.isEmpty {
      evidence.targets = evidence.targets.filter { target in
        wishes.contains { $0.covers(target.host, port: target.port) }
      }
    }
    return evidence
  }

  private func probed(
    _ source: LoadedPolicy?, _ manifest: LoadedManifest?, at instant: Instant
  ) throws(CommandFailure) -> Evidence? {
    let names = source.map { PlannedNames($0.policy, in: $0.asked, ports: servers.defaultPorts) }
    var choice = servers.choice
    choice.detours = Detours(visits.detours.map(\.detour))
    let plan = ProbePlan(names, choice)
    if plan.targets.isEmpty, servers.network != nil { return nil }
    guard !plan.targets.isEmpty || servers.shard != nil else {
      throw CommandFailure(
        .failed, "there is nothing to probe: no entry here pins a host", help: "Name a host with --host.")
    }
    guard plan.targets.count <= EvidenceLimits.targets else {
      throw CommandFailure(
        .failed, "\(plan.targets.count) hosts; the limit of one record is \(EvidenceLimits.targets)",
        help: "Probe them in parts with '--shard', and evaluate the records one by one.")
    }
    // The plan of one shard doesn't contain all hosts that may be on the command line.
    if servers.shard == nil { visits.warnOfDetours(without: plan.targets) }
    var settings = try visits.settings(at: instant, for: source?.policy)
    settings.limit = servers.limit
    let trusted = try stores.load()
    try record.check()
    var evidence = try LiveProbe(settings).run(plan)
    evidence.shards = servers.shard.map { [$0.shard] } ?? []
    do {
      try Judge(manifest: manifest, stores: []).recordAnchors(of: trusted, into: &evidence)
    } catch {
      throw CommandFailure(.failed, error.message)
    }
    return evidence.canonical
  }
}
