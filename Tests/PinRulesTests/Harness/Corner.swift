import Diagnostics
import Testing

/// A policy and where one rule objects to it.
struct Corner: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var text: String
  /// As ``ExampleCheck/places(of:)`` writes them; none where the rule has nothing to say.
  var places: [String]
  /// What the first finding's message or help holds.
  var saying: String

  init(_ description: String, _ text: String, at places: [String] = [], saying: String = "") {
    testDescription = description
    self.text = text
    self.places = places
    self.saying = saying
  }

  /// A corner about hosts: the lines follow those of `Example.publicWeb`, so that they begin on line 8.
  static func hosts(
    _ description: String, _ lines: String, at places: [String] = [], saying: String = ""
  ) -> Corner {
    Corner(description, preamble + "\n" + lines, at: places, saying: saying)
  }

  func expect(_ code: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let check = try ExampleCheck(text)
    #expect(check.places(of: code) == places, "\(check.rendered(code))", sourceLocation: sourceLocation)
    guard !saying.isEmpty, let first = check.diagnostics(of: code).first else { return }
    #expect((first.message + "\n" + first.help).contains(saying), sourceLocation: sourceLocation)
  }

  private static let preamble = """
    version: 1
    defaults: { expires: 2027-06-01, on-expiry: report-only }
    keys:
      isrg-root-x1: { pin: sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=, position: root }
      gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
    key-sets:
      public-web: { active: [isrg-root-x1], backup: [gts-root-r1] }
    """
}
