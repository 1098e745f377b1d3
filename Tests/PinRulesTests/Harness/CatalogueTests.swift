import Diagnostics
import Foundation
import PinRules
import Testing

/// What holds for every rule of the catalogue: nobody can add one without it.
@Suite("The catalogue of rules")
struct CatalogueTests {
  static let all = Rule.catalogue.map(RuleCase.init)
  /// The rules that checking a policy asks.
  static let asked = all.filter { !$0.isElsewhere && !$0.isOfKeysets }
  /// The rules about keysets; what neither asks is tested where its command is.
  static let ofKeysets = all.filter(\.isOfKeysets)

  struct RuleCase: Sendable, CustomTestStringConvertible {
    let rule: Rule

    var testDescription: String { rule.code + " " + rule.name }

    var isElsewhere: Bool {
      if case .elsewhere = rule.check { true } else { false }
    }

    var isOfKeysets: Bool {
      if case .keyset = rule.check { true } else { false }
    }
  }

  @Test("Every rule that is written is in the catalogue")
  func complete() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/Policy/PinRules").standardizedFileURL
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var written: Set<String> = []
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      for match in try String(contentsOf: file, encoding: .utf8).matches(of: /\bcode: "(P[0-9]{3})"/) {
        written.insert(String(match.1))
      }
    }
    #expect(written == Set(Rule.catalogue.map(\.code)))
  }

  @Test func codesAreUniqueAndSorted() {
    let codes = Rule.catalogue.map(\.code)
    #expect(codes == Set(codes).sorted())
    let names = Rule.catalogue.map(\.name)
    #expect(names.count == Set(names).count)
  }

  /// A rule that isn't asked by checking has no example that shows it: there are few, and they are known.
  @Test func rulesThatAreAskedElsewhere() {
    #expect(
      Self.all.filter(\.isElsewhere).map(\.rule.code) == ["P212", "P351", "P352", "P353", "P354", "P701"]
        + (901...919).map { "P\($0)" })
  }

  @Test(arguments: all)
  func textsAreWellFormed(_ test: RuleCase) throws {
    let rule = test.rule
    #expect(rule.code.wholeMatch(of: /P[1-9][0-9][0-9]/) != nil)
    #expect(rule.family != nil)
    #expect(rule.name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil)
    #expect(rule.title.hasSuffix(".") && rule.title.first?.isUppercase == true && !rule.title.contains("\n"))
    #expect(rule.rationale.hasSuffix(".") && rule.rationale.count > 80)
    #expect(rule.rationale.count <= 1_024, "code hosts take no longer description of a rule in SARIF")
    #expect(!rule.citation.isEmpty && !rule.citation.hasSuffix("."))
    if case .suppressions = rule.check { #expect(!rule.isSuppressible, "a suppression could accept itself") }
  }

  /// A page of our own that a rule cites has the section that it names.
  @Test(arguments: all)
  func citedPagesExist(_ test: RuleCase) throws {
    for page in test.rule.citation.matches(of: /(docs\/[a-z-]+\.md)(?:#([a-z0-9-]+))?/) {
      let url = TestFiles.tests.deletingLastPathComponent().appendingPathComponent(String(page.output.1))
      let text = try String(contentsOf: url, encoding: .utf8)
      guard let section = page.output.2 else { continue }
      let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { heading in
        heading.drop { $0 == "#" || $0 == " " }.lowercased().filter { $0.isLetter || $0.isNumber || " -".contains($0) }
          .replacingOccurrences(of: " ", with: "-")
      }
      #expect(headings.contains(String(section)), "\(page.output.1) has no section \(section)")
    }
  }

  @Test(arguments: asked)
  func failingExampleFails(_ test: RuleCase) throws {
    let check = try ExampleCheck(test.rule.failing)
    #expect(!check.diagnostics(of: test.rule.code).isEmpty)
    try Snapshot.expect(check.rendered(test.rule.code), named: test.rule.code)
  }

  @Test(arguments: asked)
  func passingExamplePasses(_ test: RuleCase) throws {
    let check = try ExampleCheck(test.rule.passing)
    #expect(check.diagnostics(of: test.rule.code) == [])
    let unreadable = check.diagnostics.filter { $0.code.hasPrefix("P1") && $0.severity == .error }
    #expect(unreadable == [])
  }

  @Test(arguments: ofKeysets)
  func failingKeysetFails(_ test: RuleCase) throws {
    let example = try ExampleKeyset(test.rule.failing)
    #expect(example.diagnostics.contains { $0.code == test.rule.code })
    #expect(!test.rule.isSuppressible, "a keyset has no comments")
    try Snapshot.expect(example.rendered(test.rule.code), named: test.rule.code)
  }

  @Test(arguments: ofKeysets)
  func passingKeysetPasses(_ test: RuleCase) throws {
    #expect(try ExampleKeyset(test.rule.passing).diagnostics.filter { $0.code == test.rule.code } == [])
  }

  /// Messages read as one clause, and help as an instruction, whichever rule speaks.
  @Test(arguments: all)
  func messagesAreWellFormed(_ test: RuleCase) throws {
    for example in [test.rule.failing, test.rule.passing] {
      let check = try ExampleCheck(example)
      let ofKeyset = test.isOfKeysets ? try ExampleKeyset(example).diagnostics : []
      for finding in check.diagnostics + check.suppressed + ofKeyset {
        #expect(!finding.message.isEmpty && !finding.message.hasSuffix(".") && !finding.message.contains("\n"))
        #expect(finding.message.first?.isUppercase == false)
        #expect(finding.help.hasSuffix(".") || finding.help.hasSuffix("?"), "\(finding.code): \(finding.help)")
        for place in [finding.place] + finding.related.map(\.place) {
          #expect(Int(place.file.index) < check.sources.files.count)
          #expect(place.start.line >= 1 && place.start.column >= 1 && place.start < place.end, "\(finding)")
        }
      }
    }
  }

  @Test func everySnapshotHasItsRule() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: TestFiles.snapshots.path)
    let known = Set(Rule.catalogue.map { $0.code + ".txt" })
    #expect(Set(files).subtracting(known) == [])
  }
}
