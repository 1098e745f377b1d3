import Diagnostics
import PinExchange
import PinFormat
import Testing

/// Imports of the other formats in JSON, from realistic files, as policies and findings.
struct JSONImportTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let format: ImportFormat
    let files: [String]
    var name: String { format.name + (files.count > 1 ? "-" + (files.last?.split(separator: ".").last ?? "") : "") }
    var testDescription: String { name }
  }

  static let cases = [
    Case(format: .firefox, files: ["firefox/PreloadedHPKPins.json", "firefox/StaticHPKPins.h"]),
    Case(format: .firefox, files: ["firefox/PreloadedHPKPins.json", "firefox/cacert.pem"]),
    Case(format: .reactNativeSSLManager, files: ["react-native-ssl-manager/ssl_config.json"]),
    Case(format: .wultra, files: ["wultra/fingerprints.json", "wultra/certificates.pem"]),
  ]

  @Test(arguments: cases)
  func theFileBecomesAPolicy(test: Case) throws {
    let imported = try ImportScene.read(test.format, test.files)
    let names = test.files.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    let draft = ImportScene.draft(imported, files: names)
    let text = PolicyWriter.write(draft)
    try GoldenFile.expect(text.bytes, "\(test.format.name)/imported-\(test.name).yaml")
    try GoldenFile.expect(
      Array((ImportScene.shown(draft.findings).joined(separator: "\n") + "\n").utf8),
      "\(test.format.name)/findings-\(test.name).txt")
    let (_, findings) = try ImportScene.check(text)
    #expect(Set(findings.filter { $0.severity == .error }.map(\.code)).isSubset(of: ["P313"]))
  }

  /// A fingerprint without its certificate is no pin, and is told to be none.
  @Test func fingerprintsAloneAreNoPins() throws {
    let imported = try ImportScene.read(.wultra, ["wultra/fingerprints.json"])
    #expect(imported.list.hosts == [])
    #expect(imported.findings.filter { $0.kind == .unusablePin }.count == 3)
  }

  @Test(
    arguments: [
      (ImportFormat.firefox, "[]"), (.firefox, "{}"), (.wultra, "{}"), (.wultra, "7"), (.reactNativeSSLManager, "[]"),
      (.reactNativeSSLManager, #"{"sha256Keys": []}"#),
    ] as [(ImportFormat, String)])
  func otherFilesAreRefused(format: ImportFormat, text: String) {
    #expect(throws: ExchangeError.self) {
      try format.read(
        [ExchangedFile(name: "x.json", bytes: Array(text.utf8))], ImportSettings(at: PinListScene.instant))
    }
  }
}
