import Diagnostics
import Glibc

/// Asks a person at the terminal for what the command line didn't say.
enum StarterDialogue {
  /// What the options have settled already, and isn't asked.
  struct Settled {
    var owner: Bool
    var audience: Bool
    var hosts: Bool
    var keys: Bool
    var privateCA: Bool
    var reportURI: Bool
    var service: Bool
    var `internal`: Bool
    var hook: Bool
    var editor: Bool
  }

  private typealias Complaint = (message: String, help: String)

  static func complete(_ answers: inout StarterAnswers, except settled: Settled) throws(CommandFailure) {
    Console.say(Console.wrapped("A few questions; press Enter for the default in brackets. Existing files are kept."))
    if !settled.owner {
      answers.owner = try ask(
        "Who is responsible for the pins (an address or a team)?", check: StarterAnswers.complaint(owner:))
    }
    if !settled.audience {
      let question = "Which environment is the manifest for? [\(answers.audience)]"
      let audience = try ask(question, check: StarterAnswers.complaint(audience:))
      answers.audience = audience ?? answers.audience
    }
    if !settled.hosts {
      let host = try ask("Which host do you want to pin first? [later]", check: StarterAnswers.complaint(host:))
      answers.hosts = host.map { [$0] } ?? []
    }
    if !settled.keys, !answers.hosts.isEmpty { try askForKeys(&answers, settled) }
    if !settled.reportURI {
      let question = "Where are mismatches reported (https://…)? [nowhere]"
      answers.reportURI = try ask(question, check: StarterAnswers.complaint(reportURI:))
    }
    if !settled.service {
      answers.service = try choose("Continuous integration: github, gitlab or none?", answers.service)
    }
    if answers.service != .none, !settled.internal { try askForInside(&answers) }
    if !settled.hook {
      answers.hasHook = try choose("A hook that checks the policy before each commit: yes or no?", YesNo.yes) == .yes
    }
    if !settled.editor {
      answers.editor = try choose("Editor settings: vscode or none?", StarterAnswers.Editor.vscode)
    }
  }

  private enum YesNo: String, CaseIterable {
    case yes
    case no
  }

  /// Both or none: a host that is pinned to one key alone would be a trap.
  private static func askForKeys(_ answers: inout StarterAnswers, _ settled: Settled) throws(CommandFailure) {
    let host = answers.hosts[0]
    let question = "A file with the certificate that '\(host)' presents, or its authority's? [later]"
    let readActive = { (active: String) throws(CommandFailure) in try StarterKeys.read(active: [active], backup: []) }
    guard let active = try ask(question, check: complaint(readActive)) else { return }
    let spare = "A file with its backup: the request or public key of a key that no server presents yet? [later]"
    let readBackup = { (backup: String) throws(CommandFailure) in
      try StarterKeys.read(active: [active], backup: [backup])
    }
    guard let backup = try ask(spare, check: complaint(readBackup)) else { return }
    var authority: String?
    if !settled.privateCA {
      let root = "Does your own authority issue its certificate? The file with that root, if so [a public authority]"
      authority = try ask(
        root,
        check: complaint { (path: String) throws(CommandFailure) in
          try StarterKeys.read(active: [active], backup: [backup], privateCA: path)
        })
    }
    let keys = try StarterKeys.read(active: [active], backup: [backup], privateCA: authority)
    (answers.active, answers.backup) = (keys.active, keys.backup)
    answers.privateCA = keys.privateCA ?? answers.privateCA
  }

  /// Hosted runners can't reach internal hosts; a runner inside can, and must not be led by anybody's pull request.
  private static func askForInside(_ answers: inout StarterAnswers) throws(CommandFailure) {
    answers.internalDomains = try ask(
      "Which domains can only be reached from inside, such as corp.example.com? Private addresses are known. [none]",
      check: StarterAnswers.complaint(internalDomains:))
    answers.insideRunner = try ask(
      "The label of a runner inside, which probes internal hosts of the main branch? [none: they aren't probed]",
      check: StarterAnswers.complaint(insideRunner:))
  }

  /// What is wrong with a file, as soon as it is named.
  private static func complaint(
    _ read: @escaping (String) throws(CommandFailure) -> StarterKeys.Found
  ) -> (String) -> Complaint? {
    { path in
      do throws(CommandFailure) {
        _ = try read(path)
        return nil
      } catch {
        return (VisibleText.of(error.message), VisibleText.of(error.help ?? "Name another file."))
      }
    }
  }

  /// A choice by its name, or by the beginning of one: `y`.
  private static func choose<Choice: CaseIterable & RawRepresentable<String>>(
    _ question: String, _ usual: Choice
  ) throws(CommandFailure) -> Choice {
    let names = Choice.allCases.map(\.rawValue)
    func meant(_ answer: String) -> Choice? {
      let fitting = names.filter { $0.hasPrefix(answer.lowercased()) }
      return fitting.count == 1 ? Choice(rawValue: fitting[0]) : nil
    }
    let answer = try ask("\(question) [\(usual.rawValue)]") { answer in
      meant(answer) == nil
        ? ("'\(VisibleText.of(answer))' is not one of them", "Type \(names.joined(separator: ", ")).") : nil
    }
    return answer.flatMap(meant) ?? usual
  }

  /// Asks until the answer will do; nil for none.
  private static func ask(_ question: String, check: (String) -> Complaint?) throws(CommandFailure) -> String? {
    while true {
      Console.ask(Console.wrapped(question) + " ")
      guard let line = readLine() else {
        Console.say("")
        throw CommandFailure(.failed, "the questions weren't answered", help: "Nothing was written.")
      }
      let answer = String(line.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
      if answer.isEmpty { return nil }
      guard let complaint = check(answer) else { return answer }
      Console.say("  " + Console.wrapped("\(complaint.message). \(complaint.help)", indent: 2))
    }
  }
}
