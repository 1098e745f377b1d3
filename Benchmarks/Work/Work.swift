import Glibc
import PinFormat
import PinValidator

/// Does one kind of work again and again, for those who measure it from outside or count its instructions.
///
///     measured-work decide   MANIFEST KEY CHAIN HOST TIMES [ROUNDS]   from a chain's DER to the verdict
///     measured-work evaluate MANIFEST KEY CHAIN ANCHORS HOST INSTANT TIMES [ROUNDS]   path, name, then pins
///     measured-work evaluate-new …                                    the same, of a chain that wasn't seen before
///     measured-work evaluate-again …                                  the same, of one that is remembered
///     measured-work load     MANIFEST KEY TIMES [ROUNDS]              verify, parse, index
///     measured-work memory   MANIFEST KEY                             what one loaded manifest keeps, and takes at most
///     measured-work check    POLICY TIMES [ROUNDS]                    from YAML to the findings, phase by phase
///     measured-work compile  POLICY SIGNING-KEY TIMES [ROUNDS]        from YAML to the signed file, phase by phase
///     measured-work write    POLICY SIGNING-KEY MANIFEST              the same once, and keeps the file
///
/// Each line of output is a name, a figure and its unit: the median over the rounds (1 unless given). The work of n
/// times less that of m times is free of all that is done once, also in counted instructions.
@main
enum Work {
  static func main() {
    var arguments = Arguments(CommandLine.arguments.dropFirst())
    do {
      switch arguments.next() {
      case "decide": try DecisionWork(&arguments).run()
      case "evaluate-again": try EvaluationWork(&arguments, keeping: .evaluations).run()
      case "evaluate": try EvaluationWork(&arguments, keeping: .certificates).run()
      case "evaluate-new": try EvaluationWork(&arguments, keeping: .nothing).run()
      case "load":
        var work = try LoadWork(&arguments)
        try work.run()
      case "memory": try MemoryWork(&arguments).run()
      case "compile": try CompileWork(&arguments, signs: true).run()
      case "check": try CompileWork(&arguments, signs: false).run()
      case "write": try CompileWork(&arguments, signs: true).write()
      case let other: fail("no such work: \(other)")
      }
    } catch {
      fail("\(error)")
    }
  }
}

/// The words of the command line, in turn.
struct Arguments {
  private var rest: ArraySlice<String>

  init(_ words: ArraySlice<String>) {
    rest = words
  }

  mutating func next() -> String {
    guard let word = rest.popFirst() else { fail("an argument is missing") }
    return word
  }

  mutating func number(or absent: Int? = nil) -> Int {
    if rest.isEmpty, let absent { return absent }
    let word = next()
    guard let number = Int(word), number > 0 else { fail("'\(word)' is no number above 0") }
    return number
  }

  mutating func file(atMost limit: Int = FormatLimits.fileBytes) -> [UInt8] {
    do {
      return try WholeFile.read(next(), limit: limit)
    } catch {
      fail(error.message)
    }
  }
}

func fail(_ message: String) -> Never {
  let line = "measured-work: " + message + "\n"
  _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  exit(1)
}
