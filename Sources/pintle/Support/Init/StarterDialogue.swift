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
    var reportURI: Bool
    var service: Bool
    var hook: Bool
    var editor: Bool
  }

  static func complete(_ answers: inout StarterAnswers, except settled: Settled) throws(CommandFailure) {
    Console.say("A few questions; press Enter for the default in brackets. Existing files are kept.")
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
    if !settled.keys, !answers.hosts.isEmpty { try askForKeys(&answers) }
    if !settled.reportURI {
      let question = "Where are mismatches reported (https://…)? [nowhere]"
      answers.reportURI = try ask(question, check: StarterAnswers.complaint(reportURI:))
    }
    if !settled.service {
      answers.service = try choose("Continuous integration: github, gitlab or none?", answers.service)
    }
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
  private static func askForKeys(_ answers: inout StarterAnswers) throws(CommandFailure) {
    let host = answers.hosts[0]
    while true {
      let question = "A file with the certificate that '\(host)' presents, or its authority's? [later]"
      guard let active = try ask(question, check: { _ in nil }) else { return }
      let spare = "A file with its backup: the request or public key of a key that no server presents yet? [later]"
      guard let backup = try ask(spare, check: { _ in nil }) else { return }
      do {
        (answers.active, answers.backup) = try StarterKeys.read(active: [active], backup: [backup])
        return
      } catch {
        Console.report(error)
      }
    }
  }

  private static func choose<Choice: CaseIterable & RawRepresentable<String>>(
    _ question: String, _ usual: Choice
  ) throws(CommandFailure) -> Choice {
    let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    let answer = try ask("\(question) [\(usual.rawValue)]") { answer in
      Choice(rawValue: answer) == nil ? ("'\(VisibleText.of(answer))' is not one of them", "Type \(names).") : nil
    }
    return answer.flatMap(Choice.init(rawValue:)) ?? usual
  }

  /// Asks until the answer will do; nil for none.
  private static func ask(
    _ question: String, check: (String) -> (message: String, help: String)?
  ) throws(CommandFailure) -> String? {
    while true {
      Console.ask(question + " ")
      guard let line = readLine() else {
        Console.say("")
        throw CommandFailure(.failed, "the questions weren't answered", help: "Nothing was written.")
      }
      let answer = String(line.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
      if answer.isEmpty { return nil }
      guard let complaint = check(answer) else { return answer }
      Console.say("  \(complaint.message). \(complaint.help)")
    }
  }
}
