import Diagnostics
import PinExchange
import PinFormat
import PinRules
import Testing

/// The examples of the rules about imported files are files, and importing them says what the rule says.
struct ImportRulesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let rule: Rule
    var testDescription: String { rule.code }
  }

  static let rules = Rule.exchangeRules.map(Case.init)

  @Test func everyKindOfFindingHasItsRule() {
    #expect(ImportFinding.Kind.allCases.map(\.rawValue) == Rule.exchangeRules.map(\.code))
  }

  @Test(arguments: rules)
  func theFailingExampleIsFound(test: Case) throws {
    #expect(try Self.codes(of: test.rule.failing).contains(test.rule.code))
  }

  @Test(arguments: rules)
  func thePassingExampleIsNot(test: Case) throws {
    #expect(try !Self.codes(of: test.rule.passing).contains(test.rule.code))
  }

  /// Messages read as one clause, and help as an instruction.
  @Test(arguments: rules)
  func messagesAreWellFormed(test: Case) throws {
    for finding in try Self.findings(of: test.rule.failing) {
      #expect(!finding.message.hasSuffix(".") && !finding.message.contains("\n"))
      #expect(finding.message.first?.isUppercase == false)
      #expect(finding.help.hasSuffix("."))
      #expect(Rule.imported(finding.kind.rawValue, at: finding.place, finding.message, help: finding.help) != nil)
    }
  }

  private static func codes(of example: Example) throws -> Set<String> {
    Set(try findings(of: example).map(\.kind.rawValue))
  }

  private static func findings(of example: Example) throws -> [ImportFinding] {
    let files = example.files.map { ExchangedFile(name: $0.path, bytes: $0.bytes) }
    let format: ImportFormat =
      switch files.first?.name {
      case "network_security_config.xml": .android
      case "trustkit_network_security_config.xml": .trustKitAndroid
      default: .chromium
      }
    return ImportScene.draft(try format.read(files, ImportSettings(at: example.instant))).findings
  }
}
