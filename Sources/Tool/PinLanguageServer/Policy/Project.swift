import Diagnostics
import PinFormat
import PinPolicy
import PinRules

/// One policy directory, as it is with the client's unsaved texts laid over it.
struct Project {
  /// The directory, with a `/` at its end.
  let root: String
  /// True where the findings may not be those of the texts as they are now.
  private(set) var needsCheck = true
  /// What was published last, by path, so that files without findings are reported once.
  var published: [String: [WireDiagnostic]] = [:]
  /// The versions of the open texts whose findings were sent.
  var versions: [String: Int] = [:]
  /// The findings of the last check.
  private(set) var diagnostics: [Diagnostic] = []
  /// The texts of the last reading, which places point into.
  private(set) var sources = SourceSet([])

  private var draft: PolicyDraft
  private var reading: PolicyDraft.Reading?
  private var known: Meaning?
  private var lines: [String: TextLines] = [:]

  init(root: String) {
    self.root = root
    draft = PolicyDraft(root: root)
  }

  /// Forgets what was read: a text or a file may have changed.
  mutating func invalidate() {
    reading = nil
    known = nil
    needsCheck = true
  }

  /// The directory as it is.
  mutating func read(under texts: [String: [UInt8]]) throws(PolicyDraftError) -> PolicyDraft.Reading {
    if let reading { return reading }
    let found = try draft.read(under: texts)
    reading = found
    sources = found.parsed.sources
    return found
  }

  /// What the policy means, of files that can't be read what they said last.
  mutating func meaning(under texts: [String: [UInt8]]) throws(PolicyDraftError) -> Meaning {
    if let known { return known }
    let reading = try read(under: texts)
    let meaning = Meaning(try draft.meaning(of: reading))
    known = meaning
    return meaning
  }

  /// Asks all rules.
  ///
  /// - Parameters:
  ///   - texts: The open texts, by path.
  ///   - live: What evidence shows.
  ///   - own: Asks rules of the user's own, for each audience.
  ///   - instant: The instant that counts as now.
  mutating func check(
    under texts: [String: [UInt8]], live: LiveInput?, own: ([LoadedPolicy]) -> [[Rule]] = { _ in [] },
    at instant: Instant
  ) {
    needsCheck = false
    do throws(PolicyDraftError) {
      var found = AudienceFindings()
      let reading = try read(under: texts)
      sources = reading.parsed.sources
      let policies = try draft.policies(of: reading).map { LoadedPolicy(policy: $0, root: root) }
      let own = own(policies)
      for (index, loaded) in policies.enumerated() {
        let policy = loaded.policy
        // Evidence is judged by the first audience.
        var input = CheckInput(policy: policy, live: index == 0 ? live : nil, at: instant)
        input.ownRules = own.isEmpty ? [] : own[index]
        input.usedElsewhere = found.suppressionsInUse(before: loaded)
        found.add(CheckedPolicy.check(input).result, for: loaded)
      }
      diagnostics = found.result.diagnostics
      // Tests aren't run here: the file that is written is read.
      for (path, bytes) in texts.sorted(by: { $0.key < $1.key }) where PolicyDirectory.isTestFile(path) {
        let added = sources.adding(SourceSet.File(path: path, bytes: bytes))
        sources = added.sources
        let problems = PolicyTestFile(reading: bytes, file: added.id).problems
        diagnostics += (try? LoadedPolicy.findings(problems, in: sources, at: instant)) ?? []
      }
    } catch {
      // The directory no longer exists, so it has no findings.
      diagnostics = []
      sources = SourceSet([])
    }
  }

  /// The lines of a file of the last reading.
  mutating func lines(of file: FileID) -> TextLines {
    let source = sources[file]
    if let kept = lines[source.path], kept.bytes == source.bytes { return kept }
    let made = TextLines(source.bytes)
    lines[source.path] = made
    return made
  }
}
