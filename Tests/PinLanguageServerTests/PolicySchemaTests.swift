import Foundation
import TestSupport
import Testing

@testable import PinLanguageServer

@Suite struct PolicySchemaTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// What editors say of a field is what the schema says, so the text that is built in has to be the file's.
  @Test func theSchemaThatIsBuiltInIsTheFile() throws {
    let file = try readFile(Self.root.appending(path: "schemas/policy.schema.json").path())
    let text = String(decoding: file, as: UTF8.self)
    if ProcessInfo.processInfo.environment["PINTLE_RECORD"] != nil {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      let source =
        """
        /// The text of `schemas/policy.schema.json`, made of it by `PINTLE_RECORD=1 swift test --filter PolicySchemaTests`.
        package enum PolicySchemaText {
          package static let json = #\"""

        """ + lines.map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined() + "    \"\"\"#\n}\n"
      let path = Self.root.appending(path: "Sources/PinLanguageServer/Fields/PolicySchemaText.swift")
      try Data(source.utf8).write(to: path)
    }
    #expect(PolicySchemaText.json + "\n" == text)
  }

  static let places: [(path: String, title: String?)] = [
    ("version", "Format version"), ("hosts/-/port", "Port"), ("hosts/-/expires", "Expires"),
    ("hosts/-/keys/active", "Active keys"), ("keys/any-name/file", "Key file"),
    ("keys/any-name/steps/active", "Active"),
    ("key-sets/x/backup/-", "Name of a key or key set"), ("manifest/limits/max-hosts", "Most hosts"),
    ("manifest/clients", "Kinds of clients"), ("manifest/clients/-", "Kind of client"),
    ("hosts/-/trust/exceptions/-/until", "Until"), ("hosts/-/nothing", nil), ("hosts/host", nil), ("x", nil),
  ]

  @Test(arguments: places)
  func placesOfAPolicyHaveTheirWords(path: String, title: String?) throws {
    let schema = try #require(PolicySchema.builtIn)
    let steps = path.split(separator: "/").map { $0 == "-" ? Outline.Step.item : .field(String($0)) }
    #expect(schema.schema(at: steps)?.title == title)
  }
}
