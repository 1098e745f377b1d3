import Foundation
import TestSupport
import Testing

/// Rules and reports say which option helps; the option must exist.
struct OptionNameTests {
  /// What is about options of other programs.
  private static let others = [
    "Exchange/PinExchange/Renewal/", "Exchange/PinExchange/Formats/Curl/", "Policy/PinPolicy/Renewal/RenewalWay",
    "Exchange/PinExchange/PinList/OtherContent", "Exchange/PinExchange/Formats/Envoy/", "Output/Diagnostics/HTML/",
    "Release/PinRelease/Git/",
  ]
  /// Options of git, certbot and the AWS command line, in the files whose messages are about these.
  private static let foreign: [String: Set] = [
    "Policy/PinRules/Rotation/Futures/FutureRules.swift": ["reuse-key"],
    "Release/PinGate/Event/EventStatus.swift": ["rebase"],
    "Release/PinGate/Event/WithdrawnDrafts.swift": ["all", "contains", "prune"],
    "Release/PinRelease/Sign/SignatureGuess.swift": ["query"],
  ]

  @Test func optionsThatMessagesNameExist() throws {
    let options = try Self.options()
    let sources = SourceTypes.root.appending(path: "Sources")
    let paths = FileManager.default.enumerator(atPath: sources.path())?.compactMap { $0 as? String } ?? []
    var wrong: [String] = []
    var count = 0
    for path in paths.sorted() where path.hasSuffix(".swift") && !Self.others.contains(where: path.hasPrefix) {
      // Styles of pages have variables that are written alike.
      guard !path.hasPrefix("Service/"), !path.hasPrefix("Core/"), !path.hasSuffix("Style.swift") else { continue }
      let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
      for line in text.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        for match in line.matches(of: #/(?:^|[^\w-])--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)/#) {
          count += 1
          let name = String(match.output.1)
          if !options.contains(name), Self.foreign[path]?.contains(name) != true { wrong.append("\(path): --\(name)") }
        }
      }
    }
    #expect(wrong == [])
    #expect(count > 200, "the search finds options")
  }

  /// All options of all commands.
  private static func options() throws -> Set<String> {
    struct Dump: Decodable { var command: Command }
    struct Command: Decodable {
      var arguments: [Argument]?
      var subcommands: [Command]?

      var options: [String] {
        (arguments ?? []).flatMap { ($0.names ?? []).map(\.name) } + (subcommands ?? []).flatMap(\.options)
      }
    }
    struct Argument: Decodable { var names: [Name]? }
    struct Name: Decodable { var name: String }
    let help = try Workplace().run("pintle --experimental-dump-help")
    return Set(try JSONDecoder().decode(Dump.self, from: Data(help.stdout)).command.options)
  }
}
