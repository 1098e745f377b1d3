import Foundation
import PinFormat
import TestSupport
import Testing

@testable import PinLanguageServer

/// With the record that docs/probing.md shows: of three hosts one has an address with another key.
@Suite struct EvidenceTests {
  private static let example = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "docs/examples/probing").path()

  private func session(options: [String: Any] = [:], marking mark: String) throws -> Session {
    let session = try Session(options: options, now: Instant(secondsSinceEpoch: 1_795_305_600))  // 2026-11-22
    for file in FileManager.default.enumerator(atPath: Self.example)?.compactMap({ $0 as? String }) ?? [] {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: Self.example + "/" + file, isDirectory: &isFolder)
      if !isFolder.boolValue {
        try session.directory.write(try readFile(Self.example + "/" + file), to: "probing/" + file)
      }
    }
    let text = String(decoding: try session.directory.read("probing/policies/payments.yaml"), as: UTF8.self)
    let name = mark.replacing("‸", with: "")
    let place = try #require(text.firstRange(of: name))
    session.open("../probing/policies/payments.yaml", text.replacingCharacters(in: place, with: mark))
    return session
  }

  private func hover(_ session: Session) -> String {
    let hover = session.ask("hover", "../probing/policies/payments.yaml") as? [String: Any]
    return (hover?["contents"] as? [String: Any])?["value"] as? String ?? ""
  }

  private func codes(_ session: Session) -> [String] {
    (session.findings.first { $0.key.hasSuffix("payments.yaml") }?.value ?? []).compactMap { $0["code"] as? String }
  }

  @Test func aRecordBesideThePolicyTellsWhereThingsStand() throws {
    let session = try session(marking: "api‸.example.com")
    #expect(hover(session).contains("Asked last `2026-11-21T09:53:0"))
    // Unless asked, it reports nothing.
    #expect(!codes(session).contains { $0.hasPrefix("P5") })
  }

  @Test func aRecordThatIsNamedIsJudged() throws {
    let scratch = try Session()
    let evidence = try scratch.directory.write(try readFile(Self.example + "/evidence.json"), to: "e.json")
    let session = try session(options: ["evidence": evidence], marking: "api‸.example.com")
    #expect(Set(codes(session)).isSuperset(of: ["P520", "P528", "P531"]))
    let cut = try scratch.directory.write(Array(try readFile(evidence).dropLast(9)), to: "cut.json")
    let without = try self.session(options: ["evidence": cut], marking: "api‸.example.com")
    #expect(!hover(without).contains("Asked last"))
  }

  @Test func aKeySaysWhereItMatchedLast() throws {
    let session = try session(marking: "  sh‸op: {")
    #expect(hover(session).contains("Matched last at `"))
  }
}
