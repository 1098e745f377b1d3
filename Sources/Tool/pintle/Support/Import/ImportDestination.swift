import Diagnostics
import Glibc
import OpenSSLKit
import PinExchange
import PinFormat
import PinPolicy
import PinRules
import PinValidator

/// The policy directory that an imported file goes to.
struct ImportDestination {
  /// What the directory says before.
  struct Existing {
    var directory: PolicyDirectory
    var policy: ExistingPolicy
    /// Whether one of its files has `manifest:`.
    var hasSettings: Bool
  }

  /// The policy file as messages show it.
  private let path: String
  private let isStandardOutput: Bool

  init(_ output: String) {
    isStandardOutput = output == "-"
    path = output == "-" ? "imported.yaml" : output
  }

  private var folder: String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// Reads the directory; what is wrong with it stays as it is.
  func existing() throws(CommandFailure) -> Existing {
    guard !isStandardOutput else { return Existing(directory: .empty, policy: ExistingPolicy(), hasSettings: false) }
    guard path.hasSuffix(".yaml") || path.hasSuffix(".yml") else {
      throw CommandFailure(
        .usage, "'\(path)' isn't the name of a policy file", help: "Give -o a name that ends in '.yaml', or '-'.")
    }
    guard access(folder.isEmpty ? "." : folder, F_OK) == 0 else {
      return Existing(directory: .empty, policy: ExistingPolicy(), hasSettings: false)
    }
    do {
      let directory = try PolicyDirectory.load([folder.isEmpty ? "." : folder]).without(path)
      let policy = try directory.policy()
      return Existing(directory: directory, policy: ExistingPolicy(policy), hasSettings: policy.settings != nil)
    } catch {
      throw CommandFailure(.failed, "the directory of '\(path)' can't be read: \(error)")
    }
  }

  func needsManifest(_ existing: Existing) -> Bool { !isStandardOutput && !existing.hasSettings }

  /// What nobody but the policy's owners can repair, and why it is accepted for a time.
  private static let acceptable: [String: String] = [
    Rule.publicSuffixSubdomains.code: "the imported file pins this suffix",
    Rule.tooFewKeys.code: "the imported file has no other key",
    Rule.missingBackup.code: "the imported file has one pin",
    Rule.knownBadPin.code: "the imported file has this pin",
    Rule.deniedKeyInSet.code: "the imported file denies its only key",
    Rule.unsatisfiableRequirement.code: "the imported file says so", Rule.rejectedKey.code: "the imported file says so",
    Rule.issuanceEnds.code: "the imported file pins a key under which its CA stops issuing",
    Rule.rootLeavesStore.code: "the imported file pins a root that a trust store removes",
  ]

  /// The text with suppressions where checking it would find errors that can be accepted, and a report on what the file
  /// alone doesn't show: CAs stop issuing under its pins, or stores remove them.
  ///
  /// - Throws: ``CommandFailure`` where errors are left.
  func accepted(
    _ text: PolicyText, besides existing: Existing, draft: ImportDraft, at instant: Instant
  ) throws(CommandFailure) -> (text: PolicyText, endings: Report) {
    var accepted = text
    let first = try errors(in: text, existing, instant)
    let codes = Dictionary(grouping: first.diagnostics.filter { Self.acceptable[$0.code] != nil }) {
      Int($0.place.start.line)
    }.mapValues { Set($0.map(\.code)) }
    accepted.accept(codes, until: draft.reviewBy) { codes in
      codes.compactMap { Self.acceptable[$0] }.joined(separator: ", and ")
    }
    let rest = try errors(in: accepted, existing, instant)
    guard rest.diagnostics.isEmpty else {
      Console.ask(TextRenderer(isColoured: Console.isComplaintColoured).render(rest))
      throw CommandFailure(
        .failed, "the policy would have errors", help: "Nothing was written. Fix the imported files, and import again."
      )
    }
    return (accepted, try endings(in: accepted, existing, instant))
  }

  private func errors(in text: PolicyText, _ existing: Existing, _ instant: Instant) throws(CommandFailure) -> Report {
    let policy = try policy(with: text, existing)
    let asked = Set(policy.sources.ids.filter { policy.sources[$0].path == path })
    var report = Self.check(LoadedPolicy(policy: policy, asked: asked), instant)
    report.diagnostics.removeAll { $0.severity != .error }
    return report
  }

  /// The errors about CAs and stores at the keys of the new hosts, accepted or not.
  ///
  /// The keys may be in other files, whose suppressions hide the errors from those who add a host.
  private func endings(in text: PolicyText, _ existing: Existing, _ instant: Instant) throws(CommandFailure) -> Report {
    let policy = try policy(with: text, existing)
    let sets = policy.hosts.filter { policy.sources[$0.written.place.file].path == path }.compactMap(\.keySet?.value)
    let keys = Set(sets.flatMap { policy.keySets[$0].members.map { policy.keys[$0.key].name.place } })
    var report = Self.check(LoadedPolicy(policy: policy), instant)
    report.diagnostics = (report.diagnostics + report.suppressed.map(\.diagnostic)).filter {
      [Rule.issuanceEnds, .rootLeavesStore].map(\.code).contains($0.code) && $0.severity == .error
        && keys.contains($0.place)
    }
    return report
  }

  private func policy(with text: PolicyText, _ existing: Existing) throws(CommandFailure) -> Policy {
    do {
      return try existing.directory.adding([SourceSet.File(path: path, bytes: text.bytes)]).policy()
    } catch {
      throw CommandFailure(.failed, "libcrypto could not work: \(error.message)")
    }
  }

  private static func check(_ loaded: LoadedPolicy, _ instant: Instant) -> Report {
    CheckedPolicy.check(CheckInput(policy: loaded.policy, at: instant)).result.report(of: loaded, at: instant)
  }

  /// Writes the policy file, and the manifest-wide one beside it.
  func write(_ text: PolicyText, manifest: [UInt8]?) throws(CommandFailure) {
    guard !isStandardOutput else { return try Console.write(text.bytes) }
    try makeFolder()
    let settings = manifest.map { OutputFiles.File(path: folder + "manifest.yaml", bytes: $0, existing: .keep) }
    try OutputFiles([settings, OutputFiles.File(path: path, bytes: text.bytes)].compactMap { $0 }).write()
  }

  private func makeFolder() throws(CommandFailure) {
    guard !folder.isEmpty, mkdir(folder, 0o777) != 0, errno != EEXIST else { return }
    throw CommandFailure(
      .failed, "can't make the directory '\(folder)': \(String(cString: strerror(errno)))",
      help: "Make the directories above it first.")
  }
}

extension ExistingPolicy {
  init(_ policy: Policy) {
    self.init()
    keys = policy.keys.map {
      Key(name: $0.name.value, pin: $0.pin, position: $0.position?.value, isDenied: $0.denied != nil)
    }
    keySets = Set(policy.keySets.filter { !$0.isInline }.map(\.name))
    for host in policy.hosts {
      let place = host.written.place
      let members = host.keySet.map { policy.keySets[$0.value].members } ?? []
      hosts[host.label] = Host(
        place: "\(policy.sources[place.file].path):\(place.start.line)", mode: host.mode.value,
        coversSubdomains: host.coversSubdomains, pins: Set(members.compactMap { policy.keys[$0.key].pin }))
    }
  }
}

/// What was wrong in imported files, as every renderer takes it.
enum ImportReport {
  /// With `endings`, which is what the policy that was made says about pins that end soon.
  static func of(
    _ findings: [ImportFinding], in files: [ExchangedFile], endings: Report?, at instant: Instant
  ) -> Report {
    // Sources are sorted by path, but the places have the numbers of the command line.
    var all = files.map { SourceSet.File(path: $0.name, bytes: $0.bytes) }
    var numbersOfEndings: [FileID: Int] = [:]
    for file in (endings?.diagnostics ?? []).map(\.place.file) where numbersOfEndings[file] == nil {
      numbersOfEndings[file] = all.count
      if let endings { all.append(endings.sources[file]) }
    }
    let sources = SourceSet(all)
    let order = all.indices.sorted { all[$0].path.utf8.lexicographicallyPrecedes(all[$1].path.utf8) }
    var numbers: [Int: FileID] = [:]
    for (position, index) in order.enumerated() { numbers[index] = FileID(position) }
    let diagnostics = findings.compactMap { finding -> Diagnostic? in
      var place = finding.place
      place.file = numbers[Int(place.file.index)] ?? FileID(0)
      return Rule.imported(finding.kind.rawValue, at: place, finding.message, help: finding.help)
    }
    let ends = (endings?.diagnostics ?? []).map { ending in
      var ending = ending
      ending.severity = .warning
      ending.place.file = numbersOfEndings[ending.place.file].flatMap { numbers[$0] } ?? FileID(0)
      (ending.related, ending.fixes) = ([], [])
      return ending
    }
    let codes = Set(ends.map(\.code))
    return Report(
      diagnostics: (diagnostics + ends).sorted(), sources: sources,
      rules: Rule.catalogue.filter { codes.contains($0.code) }.map(\.info) + Rule.exchangeRules.map(\.info),
      tool: .pintle, instant: instant.description)
  }
}
