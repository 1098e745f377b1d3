import Foundation
import Testing

/// One name, one thing; and a noun that many types end in is explained in docs/architecture.md.
struct NounTests {
  /// A noun of more types than this has a row.
  private static let many = 7

  @Test func eachTypeNameIsDeclaredOnce() throws {
    // Programs aren't imported by anything. For the folders CryptoKit, docs/architecture.md says why.
    let ignored = ["CryptoKit", "Tool/pintle/", "Service/pintle-agent/", "Service/pintle-collect/"]
    let visible = try SourceTypes().all.filter { type in
      type.isVisible && !ignored.contains { type.file.contains($0) }
    }
    let twice = Dictionary(grouping: visible, by: \.name).filter { $0.value.count > 1 }
    #expect(twice.mapValues { $0.map(\.file) } == [:])
  }

  @Test func nounsOfManyTypesAreExplained() throws {
    let nouns = try SourceTypes().all.compactMap { type in type.noun.map { ($0, type.name) } }
    let counts = Dictionary(grouping: nouns, by: \.0).mapValues { Set($0.map(\.1)).count }
    let page = try String(contentsOf: SourceTypes.root.appending(path: "docs/architecture.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").drop { $0 != "| noun | what a type that ends in it is |" }.dropFirst(2)
      .prefix { $0.hasPrefix("|") }.map { $0.split(separator: "|")[0].trimmingCharacters(in: .whitespaces) }
    let explained = rows.map { $0.trimmingCharacters(in: ["`"]) }
    #expect(explained == explained.sorted())
    let missing = counts.filter { $0.value > Self.many && !explained.contains($0.key) }
    #expect(missing == [:], "docs/architecture.md, Nouns: what are these?")
    #expect(explained.filter { counts[$0] ?? 0 < 3 } == [], "few types end in these nouns")
  }
}
