import Glibc
import PinFormat
import PinProbe
import PinValidator

/// A client of pinned servers, for the runbooks: it runs while signers come and go, and says what it thinks.
///
///     pinned-client run --keyset FILE --releases DIR --state DIR --anchors FILE --connect ADDRESS:PORT
///     pinned-client ask HOST --at INSTANT
///     pinned-client stop
///
/// `run` stays until it is stopped or its shell is gone, and listens on `client.socket` in the folder it was started in. `ask` has it look into
/// the folder of releases, as a service's timer would, shake hands with the server, and decide: all of it at an instant
/// that the caller gives, so that a runbook of years takes seconds.
@main
enum PinnedClient {
  static let socket = "client.socket"

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "run":
      let client = RunningClient(Options(Array(arguments.dropFirst())))
      Conversation.serve(at: socket) { line in line == "stop" ? nil : client.answer(line) }
    case "ask" where arguments.count == 4 && arguments[2] == "--at":
      print(Conversation.ask("\(arguments[1]) \(arguments[3])", at: socket), terminator: "")
    case "stop" where arguments.count == 1:
      print(Conversation.ask("stop", at: socket), terminator: "")
    default: fail("wrong usage")
    }
  }
}

/// The options of `run`: each has one value.
struct Options {
  private var values: [String: String] = [:]

  init(_ arguments: [String]) {
    guard arguments.count % 2 == 0 else { fail("each option needs a value") }
    for index in stride(from: 0, to: arguments.count, by: 2) { values[arguments[index]] = arguments[index + 1] }
  }

  subscript(_ name: String) -> String {
    guard let value = values[name] else { fail("\(name) is missing") }
    return value
  }
}

func fail(_ message: String) -> Never {
  let line = "pinned-client: " + message + "\n"
  _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  exit(1)
}
