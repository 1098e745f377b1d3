import ArgumentParser
import Diagnostics
import OpenSSLKit
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRules
import PinStudies
import PinValidator

/// `pintle build`: from policy to signed manifest.
struct Build: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build",
    abstract: "Build and sign the manifest of a policy.",
    discussion: """
      Checks the policy first and builds nothing while there are errors. The same policy, serial and issue time give \
      the same signed bytes on every machine. The file is written completely or not at all.

      The first release needs --serial and --issued-at. A later one takes the previous manifest as --against, \
      increments its serial and records its digest. As a directory of all released manifests, the baseline is the one \
      with the highest serial; the build fails if two of them have the same serial and different contents. If --issued-at is missing, the baseline is written again if the \
      policy is unchanged, otherwise the build fails.

      With --if-due, nothing is written, and the exit status is 0, if the policy says what the baseline says and the \
      baseline doesn't expire within so many days. --serial is then only for a first release: if the folder of the \
      baseline has none.

      If the policy has several audiences, all their manifests are made, or none. -o is then a folder, and each manifest \
      is written to AUDIENCE/SERIAL.json in it. --against is a folder with the same layout; --serial is for audiences \
      without a release in it. --audience builds only one, into the file of -o.

      --unsigned makes a draft, which clients don't accept: 'pintle sign' adds the signatures, also on other machines. \
      With --keyset, the build fails if clients of the keyset would reject the manifest: for its audience, for a \
      serial below the minimum, or because the key isn't one of its signers.

      EXAMPLES:
        pintle build -o first.json --sign-key release.key --serial 1 --issued-at now
        pintle build policies -o next.json --sign-key release.key \\
          --against first.json --issued-at 2026-12-01
        pintle build -o next.json --against released --issued-at now \\
          --sign-key release.key
        pintle build -o draft.json --unsigned --issued-at now \\
          --against released --keyset 1.keyset.json
      """)

  @Argument(help: ArgumentHelp("The policy directory.", valueName: "directory"), completion: .directory)
  var directory = "policies"

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Where to write the manifest; '-' for standard output.", valueName: "file"),
    completion: .file())
  var output: String

  @Option(help: .audience)
  var audience: String?

  @OptionGroup var keys: SigningKeyOptions

  @Flag(help: "Make an unsigned draft for others to sign.")
  var unsigned = false

  @Option(
    parsing: .unconditional, help: "The serial of the release; the default is the baseline's serial plus 1.",
    transform: SerialArgument.read)
  var serial: Int64?

  @Option(
    help: ArgumentHelp("When the release is issued: an instant, a date, or 'now'.", valueName: "time"),
    transform: TimeArgument.read)
  var issuedAt: TimeArgument?

  @OptionGroup var baseline: BaselineOptions

  @Option(
    help: ArgumentHelp(
      "The sources' commit, for the manifest's provenance: its id, or 'git' for the one that is checked out.",
      valueName: "id"))
  var commit: String?

  @Option(
    help: ArgumentHelp(
      "Why clients should activate the release although it pins far less, or blocks servers that they know.",
      valueName: "reason"))
  var drasticChange: String?

  @Option(
    help: ArgumentHelp(
      "Why to build a release that locks clients out. It is kept beside a draft, in N.reason, for those who sign.",
      valueName: "reason"))
  var unsafe: String?

  @OptionGroup var evidence: EvidenceOptions

  @OptionGroup var time: IssueTimeOption

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Build only if the policy differs from the baseline, or the baseline expires within so many days.",
      valueName: "days"))
  var ifDue: Int64?

  @OptionGroup var facts: FactsOptions

  func validate() throws {
    try facts.check(output: output)
    if ifDue != nil, baseline.baseline == nil || issuedAt == nil || facts.format != .text {
      throw ValidationError("--if-due requires --against and --issued-at, and can't be combined with --format json.")
    }
    if let ifDue, !(0...3_650).contains(ifDue) { throw ValidationError("--if-due takes 0 to 3650 days.") }
    if keys.isEmpty, !unsigned {
      throw ValidationError("Give at least one --sign-key, or --unsigned for a draft that others sign.")
    }
    if !keys.isEmpty, unsigned {
      throw ValidationError("--unsigned makes a draft; it can't be combined with --sign-key.")
    }
    if drasticChange?.isEmpty == true { throw ValidationError("Give --drastic-change a reason.") }
    if let unsafe, DraftReason.text(Array(unsafe.utf8)) == nil {
      throw ValidationError(
        "--unsafe takes a reason: one line of visible text, at most \(DraftReason.maximumBytes) bytes.")
    }
    if baseline.baseline == nil, unsafe != nil || evidence.evidence != nil {
      throw ValidationError(
        "\(unsafe != nil ? "--unsafe" : "--evidence") requires --against: only then is the release judged.")
    }
  }

  func run() throws {
    if let issuedAt { try IssueTime.check(issuedAt.instant, rehearsedAt: time.at) }
    try build(
      LoadedPolicy.loadEach(
        wholeOf: directory, audience: audience, for: "A manifest is built from all of a policy: name its directory."))
  }

  /// Builds the manifests of a policy.
  ///
  /// - Parameters:
  ///   - policies: As each audience has it.
  ///   - edit: Writes the policy, if it is in memory only; the drafts, which replace no file, are written with it or not
  ///     at all.
  /// - Throws: ``CommandFailure``, and then nothing was written.
  func build(
    _ policies: [LoadedPolicy], with edit: (() throws(CommandFailure) -> Void)? = nil
  ) throws(CommandFailure) {
    if policies.contains(where: { isOneOfSeveral($0.policy) }), output == "-" || output.hasSuffix(".json") {
      throw CommandFailure(
        .usage, "the policy has several audiences, and '\(output)' isn't a folder",
        help: "Name a folder, or one of the audiences: --audience \(policies[0].oneOfSeveral ?? "NAME").")
    }
    if unsafe != nil, policies.count > 1 {
      throw CommandFailure(
        .usage, "--unsafe is about one release, and the policy has several audiences",
        help: "Name the one that it is for: --audience \(policies[0].oneOfSeveral ?? "NAME").")
    }
    var trusts: [Trust?] = []
    for policy in policies { trusts.append(try baseline.trust(for: policy.oneOfSeveral)) }
    let known = trusts.flatMap { $0?.publicKeys ?? [] }
    let signers = unsigned ? [] : try keys.signers(known: known)
    let shares = try TrustedKeyset.share(signers, among: trusts.map { $0?.keyset })
    let evidence = try self.evidence.load()
    // Nothing is written before all of them are made.
    var releases: [Made] = []
    for (index, policy) in policies.enumerated() {
      if let made = try make(policy, shares[index], trusts[index], evidence) { releases.append(made) }
    }
    guard !releases.isEmpty else { return }
    let audiences = policies.reduce(into: Set(releases.map(\.manifest.audience))) { $0.formUnion($1.policy.audiences) }
    for release in releases where isDraft(release) { try refuse(draft: release.path, for: audiences) }
    try write(releases, with: edit)
    for release in releases {
      Console.say(release.line)
      if !release.isUnchanged, release.verdict != nil || release.manifest.serial > 1 { sayVerdict(on: release) }
    }
    for isFirst in [false, true] { sayWhatIsMissing(releases.filter { isDraft($0) && $0.isFirst == isFirst }) }
    if !baseline.keys.isEmpty, releases.contains(where: { !$0.isUnchanged }) {
      SignerMistake.warn(of: signers, named: keys.signKey, notAmong: known)
    }
    try show(releases)
  }

  /// A manifest that is ready to be written.
  private struct Made {
    var path: String
    var file: [UInt8]
    var manifest: Manifest
    var isUnchanged: Bool
    var warnings: Int
    /// Nil if it is compared with no release.
    var verdict: ReleaseVerdict?
    /// Whether nothing is released before it.
    var isFirst = false
    /// What is printed about it.
    var line: String
    /// Whose signatures the keyset still requires, and how they are added; nil if it has enough.
    var missing: String?
  }

  /// Whether `--output` is a folder, which each audience has a folder in.
  private func isOneOfSeveral(_ policy: Policy) -> Bool { audience == nil && !policy.audiences.isEmpty }

  /// Checks the policy, and makes and signs its manifest; nil where none is due.
  private func make(
    _ policy: LoadedPolicy, _ signers: [Signer], _ trust: Trust?, _ evidence: EvidenceOptions.Loaded
  ) throws(CommandFailure) -> Made? {
    let name = policy.oneOfSeveral
    let before = try baseline.load(
      orVerifiedBy: signers.flatMap(\.keys).map(\.publicKey), for: name, orFirst: ifDue != nil && serial != nil)
    let instant = time.instant(for: issuedAt?.instant)
    var input = CheckInput(policy: policy.policy, baseline: before?.manifest, at: instant)
    input.raisesAnnouncements = false
    let signing = signers.flatMap(\.keys).compactMap { Policy.SignerKind(of: $0.publicKey) }
    input.signerNames = trust?.signerNames
    input.signers = (trust?.kinds ?? []) + signing.map { ("a key that signs", $0) }
    let outcome = CheckedPolicy.check(input, isRehearsed: false)
    guard let checked = outcome.checked else { throw Self.refusal(outcome.result, of: policy, at: instant) }
    // That the baseline expires soon is fixed by building.
    let fixed = Rule.baselineExpiring.code
    let warnings = outcome.result.diagnostics.count { $0.severity == .warning && $0.code != fixed }
    // Errors would have ended the build, so there are only warnings.
    if warnings > 0, !policy.policy.isSlice {
      let what = isOneOfSeveral(policy.policy) ? "the policy for \(name ?? "")" : "the policy"
      Console.say("\(what) has \(counted(warnings, "warning")): see 'pintle check'")
    }
    let plan = ReleasePlan(
      // Where nobody says whether there is a release, the serial is for those without one.
      serial: before != nil && (ifDue != nil || isOneOfSeveral(policy.policy)) ? nil : serial,
      issued: issuedAt?.instant,
      baseline: before,
      commit: try SourceCommit.resolve(commit, for: policy, in: directory), drasticChange: drasticChange)
    if let ifDue, let before, !checked.isDue(plan, within: ifDue, compiler: Version.compiler) {
      let whom = name.map { " for '\($0)'" } ?? ""
      Console.say(
        "no release is due\(whom): the policy says what serial \(before.manifest.serial) says, which expires at "
          + "\(before.manifest.expires)")
      return nil
    }
    /// Where clients would not load what is made of the policy: the finding of 'check', with file and line.
    func located(_ failure: CommandFailure) -> CommandFailure {
      let result = CheckedPolicy.check(input).result
      let isCause = result.diagnostics.contains { $0.severity == .error }
      return isCause ? Self.refusal(result, of: policy, at: instant) : failure
    }
    let built: BuildOutcome
    do throws(CommandFailure) { built = try build(checked, plan, for: name) } catch { throw located(error) }
    switch built {
    case .release(let manifest):
      let path = path(of: manifest, policy.policy)
      try keep(before?.releases.compactMap(\.path) ?? [], path)
      let verdict = try before.map { (before) throws(CommandFailure) in
        try self.verdict(on: policy, as: manifest, after: before, evidence)
      }
      try trust?.keyset?.requireTaken(manifest, at: instant, trust?.keysetPath)
      try SignerMistake.refuse(signers, pinnedBy: manifest)
      let file: [UInt8]
      do throws(CommandFailure) { file = try sign(manifest, signers) } catch { throw located(error) }
      let line =
        "built \(Output.name(path)): \(VisibleText.of(manifest.audience)) serial \(manifest.serial), "
        + "\(counted(manifest.hosts.count, "host entry", plural: "host entries")), issued \(manifest.issued), "
        + "expires \(manifest.expires), \(ManifestText.size(file.count))"
      return Made(
        path: path, file: file, manifest: manifest, isUnchanged: false, warnings: warnings, verdict: verdict,
        isFirst: before == nil, line: line, missing: try missing(from: file, trust))
    case .unchanged(let baseline):
      let manifest = baseline.manifest
      guard instant < manifest.expires else {
        throw CommandFailure(
          .refused, "the policy has not changed, but the baseline expired at \(manifest.expires)",
          help: "To release it again, add --issued-at now.")
      }
      let path = path(of: manifest, policy.policy)
      let line =
        "copied serial \(manifest.serial) to \(Output.name(path)): the policy has not changed, and the manifest "
        + "still expires at \(manifest.expires). To release it again, add --issued-at now."
      return Made(
        path: path, file: try addSignatures(to: baseline, signers), manifest: manifest, isUnchanged: true,
        warnings: warnings, line: line)
    }
  }

  /// Whether a release is safe, as `diff` says; refuses one that isn't, if nobody gives a reason.
  private func verdict(
    on policy: LoadedPolicy, as manifest: Manifest, after before: Baseline, _ evidence: EvidenceOptions.Loaded
  ) throws(CommandFailure) -> ReleaseVerdict {
    let verdict = try ReleaseVerdict(
      of: policy, as: manifest, after: before.manifest, among: before.releases, at: manifest.issued
    ) { evidence.add(to: &$0) }
    guard case .checked(let diff, _) = verdict, verdict.needsReason(for: manifest), unsafe == nil else {
      return verdict
    }
    Console.say(FindingsFormat.text.render(diff, shown: diff.report, style: TextRenderer()))
    let whom = policy.oneOfSeveral.map { " for '\($0)'" } ?? ""
    throw CommandFailure(
      .unsafeRotation, "the release\(whom) isn't safe, so nothing was built",
      help:
        "Plan the change with 'pintle rotate', or pass what servers present: --evidence FILE. If it can't wait, give the "
        + "reason: --unsafe REASON. Those who sign a draft are shown it.")
  }

  /// Says whether clients can take a release, before anybody signs or publishes it.
  private func sayVerdict(on release: Made) {
    guard let verdict = release.verdict else {
      let advice = baseline.baseline == nil ? ": if clients have one, pass --against" : ": the audience has none yet"
      return Console.say("compared with no release" + advice)
    }
    Console.say(VisibleText.of(verdict.headline))
    if unsafe != nil, !verdict.needsReason(for: release.manifest) {
      Console.say("the reason given with --unsafe isn't needed, and was not kept")
    }
  }

  /// Whose signatures a release still lacks; nil without a keyset, or if it has enough.
  private func missing(from file: [UInt8], _ trust: Trust?) throws(CommandFailure) -> String? {
    guard let trust, trust.keyset != nil else { return nil }
    return try KnownSigners(trust, paths: [], threshold: 1).open((try? SignedManifest.keyIDs(of: file)) ?? [])
  }

  /// Whether it needs signatures before clients take it.
  private func isDraft(_ made: Made) -> Bool { (unsigned || made.missing != nil) && !made.isUnchanged }

  /// Prints which signatures drafts still lack, with the command that adds them.
  private func sayWhatIsMissing(_ drafts: [Made]) {
    guard let first = drafts.first else { return }
    var words = drafts.map(\.path)
    if let against = baseline.baseline, !first.isFirst { words += ["--against", against] }
    if let keyset = baseline.keyset {
      words += ["--keyset", AudienceFolder.path(in: keyset, drafts.count == 1 ? first.manifest.audience : nil)]
    }
    for key in baseline.keys where baseline.baseline != nil { words += ["--key", key] }
    if let record = evidence.evidence { words += ["--evidence", record] }
    words += time.at?.option ?? []
    let sign = "pintle sign " + (words + ["--sign-key", "KEY"]).map(ShellWord.of).joined(separator: " ")
    let command = first.path == "-" ? "" : ": " + sign
    if drafts.count == 1, let open = first.missing { return Console.say(open + command) }
    for draft in drafts {
      if let open = draft.missing { Console.say("\(VisibleText.of(draft.manifest.audience)): \(open)") }
    }
    let state = unsigned ? "nobody has signed \(drafts.count == 1 ? "it" : "them") yet" : "to sign them"
    Console.say(state + command)
  }

  /// Refuses a draft in the folder of what is released, where each later command would reject it.
  private func refuse(draft path: String, for audiences: Set<String>) throws(CommandFailure) {
    guard let against = baseline.baseline, path != "-",
      let places = ReleasedPlaces(of: against, for: audiences), places.contain(path)
    else { return }
    let name = path == output ? path.split(separator: "/").last.map(String.init) ?? path : "event"
    throw CommandFailure(
      .usage,
      "'\(places.name)' holds only what clients have, and \(Output.name(path)) would be a draft; nothing was built",
      help:
        "Write it elsewhere, such as -o \(ShellWord.of(places.contain(name) ? "/tmp/" + name : name)), and move it there once it has "
        + "all signatures.")
  }

  private func path(of manifest: Manifest, _ policy: Policy) -> String {
    guard isOneOfSeveral(policy) else { return output }
    return "\(output.hasSuffix("/") ? output : output + "/")\(manifest.audience)/\(manifest.serial).json"
  }

  /// Prints what was found.
  private static func refusal(
    _ result: Checker.Result, of policy: LoadedPolicy, at instant: Instant
  ) -> CommandFailure {
    Console.say(ReportOptions.text(result, of: policy, at: instant))
    return CommandFailure(
      .findings, "the policy has errors; nothing was built", help: "Fix the errors above and build again.")
  }

  /// Refuses to write a new release over its baseline, or over an earlier release.
  private func keep(_ released: [String], _ path: String) throws(CommandFailure) {
    guard released.contains(where: { InputFile.isSame(path, $0) }) else { return }
    throw CommandFailure(
      .usage, "'\(path)' is \(released.count == 1 ? "the baseline" : "released"), which clients may still have",
      help: "Write the release to another file, and keep the baseline: -o NEXT.json.")
  }

  /// Where the reason of an unsafe release is kept, for those who sign a draft and who look back; nil if there is none.
  private func reasonPath(of made: Made) throws(CommandFailure) -> String? {
    guard !made.isUnchanged else { return nil }
    let path = DraftReason.path(of: made.path)
    guard unsafe != nil, made.verdict?.needsReason(for: made.manifest) == true else {
      guard let path, FileIdentity(ofLink: path) != nil else { return nil }
      throw CommandFailure(
        .usage, "'\(VisibleText.of(path))' gives a reason for an unsafe release, and this one needs none",
        help: "Remove that file, and build again.")
    }
    guard let path else {
      throw CommandFailure(
        .usage,
        "the reason of an unsafe release is kept beside it, and '\(VisibleText.of(made.path))' doesn't end in .json",
        help: "Name it by its serial, such as -o event/8.json.")
    }
    return path
  }

  /// Writes all manifests or none; then the reason, of which there is one at most.
  private func write(
    _ releases: [Made], with edit: (() throws(CommandFailure) -> Void)?
  ) throws(CommandFailure) {
    for release in releases { try keys.protectKeys(from: release.path) }
    let reasons = try releases.map { (made) throws(CommandFailure) in try reasonPath(of: made) }
    let isFolder = releases.contains { $0.path != output }
    guard isFolder || edit != nil else {
      try Output.write(releases[0].file, to: output)
      return try write(reasons)
    }
    var files: [OutputFiles.File] = []
    for release in releases {
      // What is there under the serial is released already.
      if InputFile.isRegular(release.path), try Input.read(release.path, limit: .manifest) == release.file { continue }
      if isFolder { try StarterFiles.makeFolders(above: release.manifest.audience + "/N.json", in: output) }
      files.append(.new(release.path, release.file))
    }
    try OutputFiles(files).write(then: edit ?? {})
    try write(reasons)
  }

  private func write(_ reasons: [String?]) throws(CommandFailure) {
    for path in reasons { if let path, let unsafe { try Output.write(Array((unsafe + "\n").utf8), to: path) } }
  }

  /// Says on standard output what was built; in text, standard error has said so.
  private func show(_ releases: [Made]) throws(CommandFailure) {
    func write(_ made: Made, to writer: inout JSONWriter) {
      writer.member("file", made.path)
      writer.member("bytes", made.file.count)
      writer.member("isUnchanged", made.isUnchanged)
      writer.member("warnings", made.warnings)
      if !made.isUnchanged { writer.member("verdict", made.verdict?.code ?? "not-checked") }
      writer.release("manifest", made.manifest)
      writer.array("signedBy") { writer in
        for id in (try? SignedManifest.keyIDs(of: made.file)) ?? [] { writer.object { $0.signer(id, name: nil) } }
      }
    }
    try facts.write(
      text: nil,
      json: Facts.text(releases[0].path == output ? "build" : "builds") { writer in
        guard releases[0].path != output else { return write(releases[0], to: &writer) }
        writer.array("manifests") { writer in
          for made in releases { writer.object { write(made, to: &$0) } }
        }
      })
  }

  /// The baseline with the signatures of those signers who haven't signed it; without such, its very bytes.
  private func addSignatures(to baseline: Baseline, _ signers: [Signer]) throws(CommandFailure) -> [UInt8] {
    do throws(SigningError) {
      let signed = try SignedManifest.keyIDs(of: baseline.bytes)
      let others = signers.filter { !$0.keys.allSatisfy { signed.contains($0.id) } }
      return others.isEmpty ? baseline.bytes : try SignedManifest.add(others, to: baseline.bytes).bytes
    } catch {
      throw CommandFailure(.failed, "the manifest can't be signed: \(error.message)", help: error.help)
    }
  }

  private func sign(_ manifest: Manifest, _ signers: [Signer]) throws(CommandFailure) -> [UInt8] {
    do {
      return try SignedManifest.sign(manifest, with: signers).bytes
    } catch {
      throw CommandFailure(.failed, "the manifest can't be signed: \(error.message)", help: error.help)
    }
  }

  private func build(
    _ checked: CheckedPolicy, _ plan: ReleasePlan, for audience: String?
  ) throws(CommandFailure) -> BuildOutcome {
    do {
      return try checked.build(plan, compiler: Version.compiler)
    } catch {
      throw CommandFailure(.failed, (audience.map { "\($0): " } ?? "") + error.message)
    }
  }
}
