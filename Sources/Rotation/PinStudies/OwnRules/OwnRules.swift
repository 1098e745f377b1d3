package import Diagnostics
package import PinFormat
package import PinPolicy
package import PinRelease
package import PinRules
import PinValidator

/// Rules of the user's own: programs that get the resolved policy and answer findings.
///
/// A rules file decides which programs run, so it must never come from what is checked: see docs/own-rules.md.
package struct OwnRules: Sendable {
  /// The file as messages name it.
  package let path: String
  private let real: String
  private let file: RulesFile
  private let end: UserCommand.Ending

  /// How long a program may take unless the file says more.
  private static let timeout = 10

  /// Reads a rules file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - shown: What messages call it, if not its path.
  ///   - instant: The time, for the report of its mistakes.
  ///   - end: Called where a signal that asks this program to end came while a program of the file ran.
  /// - Throws: ``WorkFailure`` where it can't be read, or after the findings where it has mistakes.
  package init(
    _ path: String, shownAs shown: String? = nil, at instant: Instant, endingWith end: @escaping UserCommand.Ending
  ) throws(WorkFailure) {
    let bytes = try InputFile.read(path, limit: RulesFile.sizeLimit)
    guard let real = InputFile.realPath(path), InputFile.isRegular(path) else {
      throw WorkFailure(.failed, "the rules file '\(VisibleText.of(shown ?? path))' is not a file")
    }
    self.path = shown ?? path
    (self.real, self.end) = (real, end)
    let sources = SourceSet([SourceSet.File(path: self.path, bytes: bytes)])
    let problems: [PolicyProblem]
    (file, problems) = RulesFile.read(bytes, file: FileID(0))
    guard problems.isEmpty else {
      throw WorkFailure(.failed, "the rules file can't be used", help: "Fix the errors above.")
        .shown(after: [TextRenderer().render(try Report.ofReading(sources, problems, at: instant))])
    }
  }

  /// Refuses a file that the author of the policy, or of a folder that was opened, may have written.
  ///
  /// - Parameters:
  ///   - folders: Folders that it must not be in.
  ///   - policies: The policy, which it must not be in either.
  /// - Throws: ``WorkFailure`` where it is in one of these.
  package func requireOutside(_ folders: [String] = [], of policies: [LoadedPolicy]) throws(WorkFailure) {
    let own = Set(policies.compactMap(\.root).map { $0.isEmpty ? "." : $0 })
    let opened = folders.compactMap(InputFile.realPath)
    // A link of these folders leads to what their author chose.
    let ways = [real] + self.folders.compactMap(InputFile.realPath).map { $0 + "/" }
    for folder in opened + own.compactMap(InputFile.realPath)
    where ways.contains(where: { $0.hasPrefix(folder == "/" ? folder : folder + "/") }) {
      let isPolicy = !opened.contains(folder)
      throw WorkFailure(
        .usage,
        "the rules file '\(VisibleText.of(path))' is in '\(VisibleText.of(folder))', the folder of "
          + (isPolicy
            ? "the policy, so people who change the policy may change its rules"
            : "a workspace, so opening it "
              + "would run its programs"),
        help: isPolicy ? "Keep it in a folder of its own, such as 'ci'." : "Name a copy outside of the workspace.")
    }
  }

  /// The folders on the way to the file, as it was named.
  private var folders: [String] {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return parts.indices.dropFirst(path.hasPrefix("/") ? 1 : 0).map { parts[...$0].joined(separator: "/") }
  }

  // MARK: Running

  /// Runs all programs, each once, about all audiences of a policy.
  ///
  /// - Parameters:
  ///   - policies: The policy as each of its audiences has it.
  ///   - instant: The instant that counts as now.
  ///   - longest: The most seconds that a program may take, whatever the file says.
  /// - Returns: For each audience, the rules with what was found for it. If the policy can't be read as a whole, no
  ///   program runs, and that is what is found.
  /// - Throws: ``WorkFailure`` where a program fails, exceeds a limit or answers something else.
  package func rules(
    for policies: [LoadedPolicy], at instant: Instant, longest: Int = .max
  ) throws(WorkFailure) -> [[Rule]] {
    guard policies.allSatisfy({ $0.policy.problems.isEmpty }) else { return policies.map { [notRun(on: $0)] } }
    let inventories = policies.map { KeyInventory(LoadedPolicy(policy: $0.policy), released: nil, at: instant) }
    let book = PlaceBook()
    let text = ResolvedPolicyJSON(inventories).text(noting: book)
    let places = PointedPlaces(text, book, policies.map(\.policy))
    var rules = [[Rule]](repeating: [], count: policies.count)
    for program in file.programs {
      let command = command(of: program, longest: longest)
      let bytes = try command.run(
        given: Array(text.utf8), variables: ["PINTLE_AT=\(instant)"], output: "its findings",
        outputLimit: RuleAnswer.byteLimit
      ).output
      let answer: RuleAnswer
      do {
        answer = try RuleAnswer(bytes, codes: Set(program.codes.map(\.code.value)), places)
      } catch {
        throw WorkFailure(.failed, "\(command.title): \(error.reason)", help: error.help)
      }
      for audience in rules.indices {
        rules[audience] += program.codes.map { code in
          rule(code, command.title, answer.findings.filter { $0.code == code.code.value && $0.audience == audience })
        }
      }
    }
    return rules
  }

  private func command(of program: RulesFile.Program, longest: Int = .max) -> UserCommand {
    UserCommand(
      program.command.map(\.value), in: WholeFile.names(of: real).folder,
      namedAt: "\(path):\(program.place.start.line)",
      limit: .seconds(min(program.timeout?.value ?? Self.timeout, longest)), endingWith: end)
  }

  private func rule(
    _ code: (code: Located<String>, title: Located<String>?), _ program: String, _ found: [RuleAnswer.Found]
  ) -> Rule {
    let title = code.title?.value ?? code.code.value
    var seen: Set<Finding> = []
    // What entries have from one place, such as their file's defaults, is reported once.
    let findings = found.map { found in
      Finding(
        at: found.place, found.message, help: found.help ?? "The rule is your own: ask the person who wrote it.",
        severity: found.severity)
    }.filter { seen.insert($0).inserted }
    return Rule(
      code: code.code.value,
      name: title.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "-"),
      severity: .warning, title: title, rationale: "A rule of your own, which the program \(program) checks.",
      failing: Example(""), passing: Example(""), citation: "\(path):\(code.code.place.start.line)",
      check: .policy { _ in findings })
  }

  /// An error in place of all findings, so that a policy never seems fine to rules that weren't asked.
  private func notRun(on loaded: LoadedPolicy) -> Rule {
    let problem = loaded.policy.problems.first?.place ?? .beginning(of: FileID(0))
    // Of other files than those that were asked about, nothing is shown.
    let isShown = loaded.isAsked(problem.file)
    let asked = loaded.policy.sources.ids.first(where: loaded.isAsked)
    let findings = [
      Finding(
        at: isShown ? problem : .beginning(of: asked ?? problem.file),
        "the policy can't be read as a whole, so the rules of '\(path)' were not checked",
        related: isShown ? [] : [Diagnostic.Related("this can't be read", at: problem)],
        help: "Fix what 'pintle check' reports about the whole policy, and run the command again.")
    ]
    return Rule(
      code: "X000", name: "own-rules-not-checked", severity: .error, title: "Rules of your own were not checked.",
      rationale: "Programs get the policy only if Pintle can read all of it.", failing: Example(""),
      passing: Example(""), citation: "docs/own-rules.md", isSuppressible: false, check: .policy { _ in findings })
  }

  // MARK: Explaining

  /// The page about a code; nil if the file doesn't have it.
  package func page(of code: String) -> String? {
    for program in file.programs {
      guard let found = program.codes.first(where: { $0.code.value == code }) else { continue }
      return """
        \(code) (a rule of your own)

        \(VisibleText.of(found.title?.value ?? code))

        The program \(command(of: program).title) reports it, and says how severe each finding is.

        To accept a finding for a time, end its line with:

            # pintle:allow \(code) until YYYY-MM-DD: reason

        Source: \(path):\(found.code.place.start.line)

        """
    }
    return nil
  }
}
