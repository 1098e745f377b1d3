import Diagnostics
import Testing

@testable import PinRules

/// What a fix does to the policy that it mends.
@Suite("Fixes")
struct FixTests {
  static let cases: [FixCase] = [
    .example(.unknownField, .safe),
    .hosts(
      .unknownField, .suggested, "two slips",
      """
      hosts:
        - host: api.example.com
          include-subdo: true
          keys: public-web
      """,
      to: """
        hosts:
          - host: api.example.com
            include-subdomains: true
            keys: public-web
        """),
    .example(.hostNotCanonical, .safe),
    .example(.suppressionUnused, .safe),
    .example(.repeatedKey, .safe),
  ]

  @Test(arguments: cases)
  func aFixMendsItsFinding(_ test: FixCase) throws {
    let before = try ExampleCheck(test.example)
    let finding = try #require(before.diagnostics(of: test.code).first)
    let fix = try #require(finding.fixes.first, "\(finding)")
    #expect(fix.safety == test.safety)
    #expect(!fix.title.isEmpty && !fix.title.hasSuffix(".") && fix.title.first?.isUppercase == false)
    let fixed = test.example.fixed(fix, of: before.sources)
    let after = try ExampleCheck(fixed)
    #expect(after.diagnostics(of: test.code).count < before.diagnostics(of: test.code).count, "\(fixed.text)")
    if let result = test.result { #expect(fixed.text == result) }
    // What is mended doesn't become unreadable by it.
    let errors = after.diagnostics.filter { $0.code.hasPrefix("P1") && $0.severity == .error }
    if !test.isToFillIn { #expect(errors.count <= before.diagnostics.count { $0.code.hasPrefix("P1") }, "\(errors)") }
    for fix in finding.fixes { #expect(fix.edits == fix.edits.sorted { $0.place < $1.place }) }
  }
}
