import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinRules
import PinStudies
import TestSupport
import Testing

/// Where each key of a policy is in a chain, and who certified it.
struct KeyStandingsTests {
  let maker: Maker

  init() throws {
    maker = try Maker()
  }

  /// An authority below an intermediate.
  private var low: TestCertificate {
    get throws { try maker.archive.certificate("low", .authority("Low"), by: maker.otherIntermediate) }
  }

  /// Another root of the root's name.
  private var twin: TestCertificate {
    get throws { try maker.archive.certificate("twin root", .authority("Root")) }
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// The files that the policy's keys name, and the other fields of each.
    var files: [(name: String, fields: String)]
    var expected: [String]
  }

  @Test(arguments: [
    Case(
      testDescription: "an intermediate is below the root that certified it",
      files: [("leaf", ""), ("inter", ""), ("root", "")],
      expected: ["inter: intermediate below root", "leaf: leaf", "root: root"]),
    Case(
      testDescription: "an issuer that the policy doesn't have isn't known", files: [("inter", ""), ("leaf", "")],
      expected: ["inter: intermediate", "leaf: leaf"]),
    Case(
      testDescription: "of two roots of one name, the identifiers tell which", files: [("twin", ""), ("inter", "")],
      expected: ["inter: intermediate", "twin: root"]),
    Case(
      testDescription: "whatever their order", files: [("twin", ""), ("root", ""), ("inter", "")],
      expected: ["inter: intermediate below root", "root: root", "twin: root"]),
    Case(
      testDescription: "what is above an issuer is followed",
      files: [("low", ""), ("other-inter", ""), ("other-root", "")],
      expected: [
        "low: intermediate below other-inter other-root", "other-inter: intermediate below other-root",
        "other-root: root",
      ]),
    Case(
      testDescription: "and where that isn't known, something is", files: [("low", ""), ("other-inter", "")],
      expected: ["low: intermediate below other-inter ?", "other-inter: intermediate"]),
    Case(
      testDescription: "`position: ca` is any authority", files: [("root", ", position: ca"), ("leaf", "")],
      expected: ["leaf: leaf", "root: root (any authority)"]),
  ])
  func declared(_ row: Case) throws {
    #expect(try standings(row.files) == row.expected)
  }

  /// What was seen above a key counts before the names in files, as far as the chain leads.
  @Test func observed() throws {
    let evidence = try RotationEvidence.evidence(
      [.init("example.com", [maker.leaf, maker.intermediate])],
      stores: [("system", [maker.root]), ("none", [maker.otherRoot])])
    let found = try standings([("inter", ""), ("twin", "")], evidence)
    #expect(
      found == ["inter: intermediate below root, ?", "leaf: leaf", "root: root", "twin: root"])
  }

  /// `name: position below its issuers`, several ways up separated by commas; all that is known.
  private func standings(_ files: [(name: String, fields: String)], _ evidence: Evidence? = nil) throws -> [String] {
    let certificates = [
      "leaf": try maker.leaf, "inter": try maker.intermediate, "root": try maker.root,
      "other-root": try maker.otherRoot, "other-inter": try maker.otherIntermediate, "low": try low, "twin": try twin,
    ]
    let names = try Dictionary(uniqueKeysWithValues: certificates.map { (try $1.pin, $0) })
    let text = RotationScene.text(
      keys: files.map { "  \($0.name): { file: \($0.name).pem\($0.fields) }" } + [RotationScene.key("z")],
      sets: ["web: { active: [\(files.map(\.name).joined(separator: ", "))], backup: [z] }"],
      hosts: ["host: example.com, keys: web"])
    let world = try RotationScene.world(
      text, adding: Dictionary(uniqueKeysWithValues: certificates.map { ("\($0).pem", $1.pem) })
    ) { $0.evidence = evidence }
    return world.scenario.standings.compactMap { pin, standing in
      guard let name = names[pin] else { return nil }
      let above = standing.issuers.map { $0.map { $0.map { names[$0] ?? "another" } ?? "?" }.joined(separator: " ") }
      return "\(name): \(standing.position)" + (above.isEmpty ? "" : " below " + above.joined(separator: ", "))
        + (standing.isAnyAuthority ? " (any authority)" : "")
    }.sorted()
  }
}
