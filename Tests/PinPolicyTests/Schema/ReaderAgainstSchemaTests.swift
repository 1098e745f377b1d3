import Diagnostics
import Foundation
import PolicySupport
import TestSupport
import Testing

@testable import PinPolicy

/// The fields of policies, of files of authorities and of tests have one source each, their schema: at each place that it describes,
/// the reader and `fmt` have to do what it says, and nothing else.
@Suite("The reader does what the schema says, at each place")
struct ReaderAgainstSchemaTests {
  @Test("The schema that is built in is the file")
  func embedded() throws {
    #expect(try FieldSchema.file == readFile(SchemaPlace.Format.policy.file.path))
    #expect(FieldSchema.authorities.fieldNames.first == "version")
    #expect(FieldSchema.policy.fieldNames.first == "version")
    #expect(try FieldSchema.testsFile == readFile(SchemaPlace.Format.tests.file.path))
    #expect(SchemaPlace.all.count > 100)
  }

  static let mappings = SchemaPlace.all.filter { !$0.fields.isEmpty }

  @Test("The same fields, in the same order; the same ones required", arguments: mappings)
  func fields(place: SchemaPlace) {
    #expect(place.said("additionalProperties")?.bool == false)
    let known = kinds(place, "{ unknown-field: 1 }").compactMap { kind in
      if case .unknownField(_, _, let known) = kind { known } else { nil as [String]? }
    }
    #expect(known == [place.fields])
    let missing = kinds(place, "{}").compactMap { kind in
      if case .missingField(let name, _) = kind { name } else { nil as String? }
    }
    let either = place.alternatives.isEmpty ? [] : [place.alternatives.joined(separator: " or ")]
    #expect(missing == place.required + either)
    let both = place.alternatives.map { $0 + ": x" }.joined(separator: ", ")
    let conflicts = kinds(place, "{ \(both) }").count { if case .conflictingFields = $0 { true } else { false } }
    #expect(conflicts == max(0, place.alternatives.count - 1))
  }

  @Test("fmt writes fields in the order of the schema", arguments: mappings)
  func order(place: SchemaPlace) throws {
    for other in place.alternatives + (place.alternatives.isEmpty ? [""] : []) {
      let fields = place.fields.filter { $0 != other }
      let backwards = fields.reversed().map { $0 + ": 1" }.joined(separator: ", ")
      let text = try PolicyFormat.format(Array((place.text("{ \(backwards) }") + "\n").utf8))
      let written = String(decoding: text, as: UTF8.self).matches(of: /([a-z-]+): "?1"?\b/).map { String($0.1) }
      #expect(written.filter(fields.contains) == fields)
    }
  }

  @Test("The same lengths of lists", arguments: SchemaPlace.all.filter(\.isList))
  func lists(place: SchemaPlace) throws {
    let item = try #require(SchemaPlace.all.first { $0.path == place.path + "/-" })
    func accepts(_ count: Int) -> Bool {
      problems(place, "[" + Array(repeating: item.sample, count: count).joined(separator: ", ") + "]").isEmpty
    }
    let (least, most) = (place.number("minItems") ?? 0, place.number("maxItems"))
    #expect(accepts(0) == (least == 0))
    #expect(accepts(most ?? 2_000))
    if let most { #expect(!accepts(most + 1)) }
    #expect(!problems(place, "x").isEmpty)
  }

  @Test("The same scalars: words, patterns and limits", arguments: SchemaPlace.all.filter(\.isScalar))
  func scalars(place: SchemaPlace) throws {
    var texts = Self.texts
    for limit in [place.number("minimum"), place.number("maximum")].compactMap(\.self) {
      texts += [limit - 1, limit, limit + 1].map(String.init)
    }
    if let length = place.number("maxLength") {
      texts += [length, length + 1].map { "https:" + String(repeating: "x", count: $0 - 6) }
    }
    var accepted = 0
    for text in texts {
      for isQuoted in [true, false] where isQuoted || ScalarText.isPlain(text, inFlow: true) {
        let isAccepted = try place.accepts(SchemaPlace.Scalar(text, isQuoted: isQuoted))
        var found = problems(place, isQuoted ? SchemaPlace.quoted(text) : text)
        // What IDNA knows, no pattern does.
        if isAccepted { found.removeAll { if case .badHost = $0 { true } else { false } } }
        #expect(found.isEmpty == isAccepted, "\(isQuoted ? "quoted" : "plain") \(text.prefix(80)): \(found)")
        if isAccepted { accepted += 1 }
      }
    }
    #expect(accepted > 0)
    if let words = place.said("enum")?.items?.compactMap(\.written) {
      let listed = problems(place, "x").compactMap { kind in
        if case .badScalar(_, _, let expected) = kind { expected } else { nil as String? }
      }
      #expect(listed.map { Set($0.split(separator: #/, | or /#).map(String.init)) } == [Set(words)])
    }
    #expect(!problems(place, "[\(place.sample)]").isEmpty)
    #expect(!problems(place, "{ a: \(place.sample) }").isEmpty)
  }

  /// Words and examples of all places, and what is just right or just wrong somewhere.
  static let texts: [String] = {
    let said = SchemaPlace.all.flatMap { place in
      (place.all("enum") + place.all("examples")).flatMap { $0.items ?? [] }.compactMap(\.written)
    }
    let name = String(repeating: "a", count: 64)
    return Set(said).sorted() + [
      "", " ", "x", "X", "-x", "x_y", "x y", "x/y", "/x", "../x", "x\ny", "x\u{0}", "x\u{7F}", "x\u{85}", "é", name,
      name + "a", "0", "1", "2", "443", "2026", "1.1", "true", "false", "null", "~", "yes", "No", "OFF", "system",
      "0000-01-01", "2027-00-01", "2027-13-01", "2027-06-32", "2027-6-1", "2027-06-01T24:00:00Z",
      "2027-06-01T12:00:00", "2027-06-01T12:00:60Z", "0d", "01d", "90", "90s", "999999m", "1000000m", "0%", "00%",
      "100%", "101%", "20", "sha256/x", "sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td5=", "https:", "https://",
      "1a:x", "a+b.c-d:x", "https://x y", "https://x\"", "https://x\\y", "https://é", "https:[", "*.example.com",
      "example.com:443", "example.com.", "::1", "1:2", "user@example.com",
    ]
  }()

  private func kinds(_ place: SchemaPlace, _ value: String) -> [PolicyProblem.Kind] {
    let text = Array(place.text(value).utf8)
    return switch place.format {
    case .policy: read(text).problems.map(\.kind)
    case .authorities: AuthorityFile.read(text, file: FileID(0)).problems.map(\.kind)
    case .tests: PolicyTestFile(reading: text, file: FileID(0)).problems.map(\.kind)
    }
  }

  /// What is wrong with a value, other than what it refers to.
  private func problems(_ place: SchemaPlace, _ value: String) -> [PolicyProblem.Kind] {
    let text = Array(place.text(value).utf8)
    let all: [PolicyProblem.Kind]
    switch place.format {
    case .policy:
      guard let policy = try? ExampleFiles.resolve(text) else { return [.noPolicyFiles] }
      all = policy.problems.map(\.kind)
    case .authorities, .tests: all = kinds(place, value)
    }
    return all.filter { kind in
      switch kind {
      case .undefinedAudience, .overlayWithoutEntry, .repeatedOverlay, .ungovernedHost, .unpinnedInSlice,
        .undefinedKey, .undefinedKeySet, .repeatedKey, .duplicateHost, .unreadableKeyFile, .badKeyFile,
        .missingSettings:
        false
      // A slice needs both.
      case .missingField("hosts", _), .missingField("slice-of", _): false
      case .badScalar("source", _, AuthorityFile.sourceName), .badScalar("key", _, AuthorityFile.keyName): false
      default: true
      }
    }
  }
}
