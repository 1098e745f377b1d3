import Diagnostics
import PinRules

/// Findings as the protocol carries them.
struct DiagnosticWriter {
  let encoding: PositionEncoding
  /// The client shows further places.
  let showsRelated: Bool
  /// The address of the documentation.
  let reference: String?

  private static let rules = Dictionary(Rule.catalogue.map { ($0.code, $0.info) }) { first, _ in first }

  /// What has no effect: editors grey it out.
  private static let withoutEffect: Set<String> = Set(
    [
      "unused-key", "unused-key-set", "entry-without-effect", "fields-without-effect", "exception-unused",
      "suppression-unused",
    ].compactMap { name in Rule.catalogue.first { $0.name == name }?.code })

  /// A finding with its texts made visible and its places in the client's units.
  ///
  /// - Parameters:
  ///   - diagnostic: The finding.
  ///   - lines: The text of a file.
  ///   - uri: The address of a file.
  /// - Returns: The finding.
  func write(
    _ diagnostic: Diagnostic, lines: (FileID) -> TextLines, uri: (FileID) -> String
  ) -> WireDiagnostic {
    var wire = WireDiagnostic(
      range: lines(diagnostic.place.file).range(of: diagnostic.place, encoding),
      severity: Self.number(of: diagnostic.severity), code: diagnostic.code,
      message: VisibleText.of(diagnostic.message) + "\n" + VisibleText.of(diagnostic.help))
    wire.codeDescription = Self.rules[diagnostic.code]?.address(in: reference).map { .init(href: $0) }
    if Self.withoutEffect.contains(diagnostic.code) { wire.tags = [1] }
    if showsRelated, !diagnostic.related.isEmpty {
      wire.relatedInformation = diagnostic.related.map { related in
        WireDiagnostic.Related(
          location: Location(
            uri: uri(related.place.file), range: lines(related.place.file).range(of: related.place, encoding)),
          message: VisibleText.of(related.message))
      }
    }
    return wire
  }

  private static func number(of severity: Severity) -> Int {
    switch severity {
    case .error: 1
    case .warning: 2
    case .note: 3
    }
  }
}
