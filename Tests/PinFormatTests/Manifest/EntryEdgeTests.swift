import PinFormat
import Testing

/// Fields of host entries and of their `trust`, at the edges of what is accepted.
@Suite("The edges of what an entry may say")
struct EntryEdgeTests {
  @Test(
    "Numbers of an entry",
    arguments: [
      (#""port":0"#, false), (#""port":1"#, true), (#""port":65535"#, true), (#""port":65536"#, false),
      (#""port":65537"#, false),
    ])
  func numbers(field: String, isTaken: Bool) {
    expect(entry(rest: "," + field), isTaken: isTaken)
  }

  @Test("Subdomains are included or not said", arguments: [(0, false), (1, true), (2, false)])
  func subdomains(value: Int, isTaken: Bool) {
    expect(#"{"host":"a.b","include-subdomains":\#(value),"key-set":"s","mode":"enforce"}"#, isTaken: isTaken)
  }

  /// No manifest has so many lists, so the highest number refers to none; one more isn't a number of a list.
  @Test("The number of a list of report URIs", arguments: [(65_535, "dangling-reference"), (65_536, "invalid-value")])
  func reporting(number: Int, code: String) {
    #expect(failure(entry(rest: #","reporting":\#(number)"#)) == code)
  }

  @Test(
    "An entry with mode off says nothing that has no effect",
    arguments: [
      (#"{"host":"a.b","mode":"off"}"#, true), (#"{"host":"a.b","mode":"off","port":1}"#, true),
      (#"{"host":"a.b","include-subdomains":1,"mode":"off"}"#, true),
      (#"{"host":"a.b","key-set":"s","mode":"off"}"#, false),
      (#"{"expires":"2026-12-01T00:00:00Z","host":"a.b","mode":"off"}"#, false),
      (#"{"host":"a.b","mode":"off","on-expiry":"block"}"#, false),
      (#"{"host":"a.b","mode":"off","require":"leaf-and-ca"}"#, false),
      (#"{"host":"a.b","mode":"off","trust":{"minimum-tls":"1.3"}}"#, false),
    ])
  func off(entry: String, isTaken: Bool) {
    expect(entry, isTaken: isTaken)
  }

  @Test("A list of report URIs with mode off has no effect") func reportingOff() {
    let entry = #"{"host":"a.b","mode":"off","reporting":0}"#
    #expect(failure(entry, reporting: #""reporting":[["https://r.example"]],"#) == "contradiction")
  }

  @Test("Expiry and its meaning are given together", arguments: [true, false], [true, false])
  func expiry(hasDate: Bool, hasAction: Bool) {
    let date = hasDate ? #""expires":"2026-12-01T00:00:00Z","# : ""
    let action = hasAction ? #","on-expiry":"block""# : ""
    expect(#"{\#(date)"host":"a.b","key-set":"s","mode":"enforce"\#(action)}"#, isTaken: hasDate == hasAction)
  }

  @Test(
    "Numbers of trust",
    arguments: [
      ("minimum-ec-bits", [1, 65_536], [0, 65_537]), ("minimum-rsa-bits", [1, 65_536], [0, 65_537]),
      ("system-anchors", [0], [1]),
    ])
  func trustNumbers(field: String, taken: [Int], refused: [Int]) {
    for value in taken { expect(trusting(#""\#(field)":\#(value)"#), isTaken: true) }
    for value in refused { expect(trusting(#""\#(field)":\#(value)"#), isTaken: false) }
  }

  @Test("Lists of trust are sorted, and have each item once")
  func order() {
    let certificates = [0, 1].map { fingerprint($0) + #":"AAAA""# }.joined(separator: ",")
    for (first, second) in [(0, 1), (1, 0), (1, 1)] {
      let isTaken = first < second
      for field in ["anchors", "intermediates"] {
        let trust = #""\#(field)":[\#(fingerprint(first)),\#(fingerprint(second))]"#
        expect(trusting(trust), certificates: certificates, isTaken: isTaken)
      }
      expect(trusting(#""exceptions":[\#(exception(first)),\#(exception(second))]"#), isTaken: isTaken)
      let failures = ["expired", "weak-key"]
      let named = [first, second].map { exception(0, failures[$0]) }.joined(separator: ",")
      expect(trusting(#""exceptions":[\#(named)]"#), isTaken: isTaken)
      let families = [first, second].map { #""\#(["ecdsa", "rsa-pss"][$0])""# }.joined(separator: ",")
      expect(trusting(#""signatures":[\#(families)]"#), isTaken: isTaken)
    }
  }

  @Test("As many items as a list may have, and one more", arguments: [(1_024, true), (1_025, false)])
  func counts(count: Int, isTaken: Bool) {
    let certificates = (0..<count).map { fingerprint($0) + #":"AAAA""# }.joined(separator: ",")
    let anchors = (0..<count).map(fingerprint).joined(separator: ",")
    expect(trusting(#""anchors":[\#(anchors)]"#), certificates: certificates, isTaken: isTaken)
    let exceptions = (0..<count).map { exception($0) }.joined(separator: ",")
    expect(trusting(#""exceptions":[\#(exceptions)]"#), isTaken: isTaken)
  }

  /// A tool may leave in an entry what has no effect with `mode: off`, and in any order what the format sorts.
  @Test("What is written is in the one encoding, whatever a tool has put together")
  func written() throws {
    let trust = #""exceptions":[\#(exception(0)),\#(exception(1))],"signatures":["ecdsa","rsa-pss"],"system-anchors":0"#
    let pinned =
      #"{"expires":"2026-12-01T00:00:00Z","host":"a.b","key-set":"s","mode":"enforce","on-expiry":"block","#
      + #""require":"leaf-and-ca","trust":{\#(trust)}}"#
    let bytes = text(pinned)
    var manifest = Manifest(try ManifestReader.read(bytes, signed: bytes.indices))
    #expect(manifest.signedBytes() == bytes)
    manifest.hosts[0].trust?.exceptions.reverse()
    manifest.hosts[0].trust?.signatures.reverse()
    #expect(manifest.signedBytes() == bytes)
    manifest.hosts[0].mode = .off
    #expect(manifest.signedBytes() == text(#"{"host":"a.b","mode":"off"}"#))
    manifest.hosts[0].mode = .enforce
    manifest.hosts[0].trust = Manifest.Trust()
    manifest.hosts[0].requirement = .any
    (manifest.hosts[0].expires, manifest.hosts[0].onExpiry) = (nil, nil)
    #expect(manifest.signedBytes() == text(entry()))
  }

  // MARK: Support

  private func entry(rest: String = "") -> String { #"{"host":"a.b","key-set":"s","mode":"enforce"\#(rest)}"# }

  private func trusting(_ trust: String) -> String { entry(rest: #","trust":{\#(trust)}"#) }

  private func fingerprint(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "\"" + String(repeating: "0", count: 64 - digits.count) + digits + "\""
  }

  private func exception(_ certificate: Int, _ failure: String = "expired") -> String {
    #"{"certificate":\#(fingerprint(certificate)),"failure":"\#(failure)","reason":"r","until":"2026-12-01T00:00:00Z"}"#
  }

  /// The code of what is wrong; nil where it is accepted, and then it is also the one encoding of what it says.
  private func failure(_ entry: String, certificates: String = "", reporting: String = "") -> String? {
    let bytes = text(entry, certificates: certificates, reporting: reporting)
    do throws(FormatError) {
      let tables = try ManifestReader.read(bytes, signed: bytes.indices)
      #expect(tables.signedBytes() == bytes, "\(entry.prefix(200))")
      #expect(Manifest(tables).signedBytes() == bytes, "\(entry.prefix(200))")
      return nil
    } catch {
      return error.code.description
    }
  }

  private func expect(_ entry: String, certificates: String = "", isTaken: Bool) {
    let failure = failure(entry, certificates: certificates)
    #expect((failure == nil) == isTaken, "\(entry.prefix(200)): \(failure ?? "accepted")")
  }

  private func text(_ entry: String, certificates: String = "", reporting: String = "") -> [UInt8] {
    let pin = #"{"pin":"K5AviRHoGBj4yZ1dXZgxlXUE2Q6UXeLo9U7ngcx19jY="}"#
    let listed = certificates.isEmpty ? "" : #""certificates":{\#(certificates)},"#
    let text =
      #"{"audience":"x",\#(listed)"expires":"2027-01-01T00:00:00Z","hosts":[\#(entry)],"#
      + #""issued":"2026-01-01T00:00:00Z","key-sets":{"s":{"active":["k"],"backup":["l"]}},"#
      + #""keys":{"k":\#(pin),"l":\#(pin)},"on-stale":"enforce","#
      + #""provenance":{"compiler":"x","sources":\#(fingerprint(0))},"refresh-after":"2026-06-01T00:00:00Z","#
      + #"\#(reporting)"serial":1,"type":"\#(Manifest.mediaType)","unpinned-hosts":"allow","version":1}"#
    return Array(text.utf8)
  }
}
