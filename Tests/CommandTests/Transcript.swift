import Foundation

/// A terminal session as text: commands and what they print, run again by the tests and compared word for word.
///
///     #: A line for the reader.
///     $ pintle explain P999
///     ! pintle: error: there is no rule 'P999'
///     ? 64
///
/// `$` is a command for the shell, `!` a line of standard error, `?` an exit status other than 0; what has no mark is a
/// line of standard output. Empty lines at the end of a step's output are not compared.
struct Transcript: Equatable {
  struct Step: Equatable {
    var comments: [String] = []
    var command = ""
    var output: [String] = []
    var complaints: [String] = []
    var status: Int32 = 0

    /// Drops empty lines at the end of the output, which in a file separate the steps.
    mutating func trim() {
      while output.last == "" { output.removeLast() }
    }
  }

  var steps: [Step] = []
  /// Comments behind the last step.
  var rest: [String] = []

  init() {}

  init(_ text: String) {
    var pending: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("$ ") {
        steps.append(Step(comments: pending, command: String(line.dropFirst(2))))
        pending = []
      } else if line.hasPrefix("#: ") {
        pending.append(line)
      } else if steps.isEmpty {
        continue
      } else if line.hasPrefix("! ") || line == "!" {
        steps[steps.count - 1].complaints.append(String(line.dropFirst(2)))
      } else if line.hasPrefix("? ") {
        steps[steps.count - 1].status = Int32(line.dropFirst(2)) ?? -1
      } else {
        steps[steps.count - 1].output.append(line)
      }
    }
    for index in steps.indices { steps[index].trim() }
    rest = pending
  }

  var text: String {
    var blocks = steps.map { step in
      let status = step.status == 0 ? [] : ["? \(step.status)"]
      let complaints = step.complaints.map { $0.isEmpty ? "!" : "! " + $0 }
      return (step.comments + ["$ " + step.command] + step.output + complaints + status).joined(separator: "\n")
    }
    if !rest.isEmpty { blocks.append(rest.joined(separator: "\n")) }
    return blocks.joined(separator: "\n\n") + "\n"
  }
}
