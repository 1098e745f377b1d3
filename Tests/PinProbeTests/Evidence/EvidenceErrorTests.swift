import Foundation
import PinFormat
import PinProbe
import TestSupport
import Testing

@Suite("Messages about evidence that is rejected")
struct EvidenceErrorTests {
  private static let zero = String(repeating: "0", count: 64)
  private static let one = String(repeating: "1", count: 64)

  /// A small record with one of everything.
  private static let text =
    #"{"begun":"2026-11-01T00:00:00Z","certificates":{"\#(zero)":"AAAA","\#(one)":"AAAA"},"#
    + #""ended":"2026-11-01T01:00:00Z","partial":1,"shards":{"count":3,"numbers":[1,2]},"#
    + #""stores":{"a":["\#(zero)","\#(one)"],"b":[]},"targets":[{"addresses":[{"address":"10.0.0.1","visits":["#
    + #"{"attempts":2,"chain":["\#(one)"],"client-certificate":"asked","failure":{"alert":116,"kind":"alert","#
    + #""message":"no"},"key-type":"rsa","observed":"2026-11-01T00:30:00Z","server-date":"2026-11-01T00:30:00Z","#
    + #""staple":"AAAA","timestamps":2,"tls-version":"1.2"}]}],"host":"a.example","port":443,"starttls":"smtp"},"#
    + #"{"host":"b.example","port":443,"unresolved":{"kind":"name-not-resolved","message":"no"}}],"#
    + #""tool":"t","type":"application/vnd.pintle.evidence+json","version":1}"#

  private func failure(_ bytes: [UInt8]) -> FormatError? {
    do throws(FormatError) {
      _ = try Evidence(reading: bytes)
      return nil
    } catch { return error }
  }

  @Test("The text itself is accepted, and is what would be written")
  func accepted() throws {
    #expect(String(decoding: try Evidence(reading: Array(Self.text.utf8)).encoded(), as: UTF8.self) == Self.text)
  }

  typealias Row = (from: String, to: String, code: FormatError.Code, message: String)

  static let rows: [Row] = [
    (#""version":1"#, #""version":2"#, .unsupportedVersion, "evidence: a version of the format other than 1"),
    (#""version":1}"#, "\"version\":1}\n", .trailingBytes, "bytes follow the end of the evidence"),
    ("evidence+json", "manifest+json", .invalidValue, "the type is not application/vnd.pintle.evidence+json"),
    (#""tool":"t","#, "", .misplacedField, #""type" is misplaced or repeated, expected the field "tool""#),
    (#""tool":"t","#, #""serial":1,"tool":"t","#, .unknownField, #"unknown field "serial""#),
    (#""tool":"t""#, #""tool":"\u001b[2J""#, .invalidValue, "the tool holds a control character"),
    (#""ended":"2026-11"#, #""ended":"2026-10"#, .contradiction, "it ended before it began"),
    (#"[1,2]"#, #"[2,1]"#, .notSorted, "shards: numbers of shards are not sorted"),
    (#"[1,2]"#, #"[1,2,3]"#, .contradiction, "no shard is missing, so it is the whole fleet"),
    (#"[1,2]"#, #"[1,4]"#, .invalidValue, "a shard's number can't be"),
    (#""b":[]"#, #""a":[]"#, .notSorted, "stores[2]: trust stores are not sorted by name"),
    (#""b":[]"#, #""B":[]"#, .invalidValue, "stores[2]: the name of a trust store can't be"),
    (#"["\#(zero)","\#(one)"]"#, #"["\#(one)","\#(zero)"]"#, .notSorted, "stores[1]: fingerprints are not sorted"),
    (#"["\#(zero)","\#(one)"]"#, #"["\#(one)"]"#, .contradiction, "certificates[1]: nothing names this certificate"),
    (
      #""chain":["1"#, #""chain":["2"#, .danglingReference,
      "targets[1]: the certificate 2\(one.dropFirst()) is not there"
    ),
    (#""address":"10.0.0.1""#, #""address":"a.example""#, .invalidValue, "targets[1]: an IP address can't be"),
    (#""host":"b"#, #""host":"a"#, .notSorted, "targets[2]: targets are not sorted by host and port"),
    (
      #","unresolved":{"kind":"name-not-resolved","message":"no"}"#, "", .contradiction,
      "targets[2]: a target has neither"
    ),
    (#","key-type":"rsa""#, "", .misplacedField, #"expected the field "key-type""#),
    (#""attempts":2"#, #""attempts":1"#, .invalidValue, "attempts can't be"),
    (#""asked""#, #""not-asked""#, .invalidValue, "client-certificate can't be"),
    (#""message":"no"},"key"#, #""message":"no","hint":1},"key"#, .unknownField, #"unknown field "hint""#),
    (#""kind":"alert""#, #""kind":"alarm""#, .invalidValue, "a kind of failure can't be"),
  ]

  @Test("Each mistake is named, with its place", arguments: rows)
  func refused(row: Row) throws {
    #expect(Self.text.contains(row.from))
    let changed = Array(Self.text.replacingOccurrences(of: row.from, with: row.to).utf8)
    let error = try #require(failure(changed))
    #expect(error.code == row.code)
    #expect(error.message.contains(row.message), "\(error)")
    #expect(error.offset <= changed.count)
  }

  /// A text in which `@` is a part repeated, each time with another number in place of `#`.
  private func repeated(_ part: String, _ count: Int, in text: String, from first: Int = 100_000) -> [UInt8] {
    let items = (0..<count).map { part.replacingOccurrences(of: "#", with: String(first + $0)) }
    return Array(text.replacingOccurrences(of: "@", with: items.joined(separator: ",")).utf8)
  }

  @Test("Nothing has more items or bytes than the format allows")
  func limits() {
    let head = #"{"begun":"2026-11-01T00:00:00Z","#
    let end = #""tool":"t","type":"application/vnd.pintle.evidence+json","version":1}"#
    let ended = #""ended":"2026-11-01T00:00:00Z","#
    let visit =
      #"{"failure":{"kind":"local","message":"no"},"key-type":"rsa","observed":"2026-11-01T00:00:00Z","#
      + #""tls-version":"1.3"}"#
    let target = #"{"host":"h#.example","port":1,"unresolved":{"kind":"local","message":"no"}}"#
    let address = #"{"address":"10.0.0.1","port":#,"visits":[\#(visit)]}"#
    let targets = head + ended + #""targets":[@],"# + end
    let addresses = head + ended + #""targets":[{"addresses":[@],"host":"h","port":1}],"# + end
    let stores = head + ended + #""stores":{@},"# + end
    let cases: [(fits: [UInt8], exceeds: [UInt8], message: String)] = [
      (repeated(target, 100_000, in: targets), repeated(target, 100_001, in: targets), "too many targets"),
      (repeated(#""s#":[]"#, 16, in: stores), repeated(#""s#":[]"#, 17, in: stores), "too many trust stores"),
      (
        repeated(address, 64, in: addresses, from: 10_000), repeated(address, 65, in: addresses, from: 10_000),
        "too many addresses"
      ),
    ]
    for (fits, exceeds, message) in cases {
      #expect(failure(fits) == nil, "\(String(describing: failure(fits)))")
      #expect(failure(exceeds)?.code == .overLimit)
      #expect(failure(exceeds)?.message.contains(message) == true)
    }
  }

  @Test("Chains, certificates and staples have at most the bytes that the format allows")
  func byteLimits() {
    func evidence(certificates sizes: [Int], staple: Int) -> [UInt8] {
      let certificates = sizes.enumerated().map { number, size in
        Manifest.Certificate(
          fingerprint: SHA256Digest([UInt8](repeating: UInt8(number), count: 32)) ?? Pin.empty,
          der: [UInt8](repeating: 1, count: size))
      }
      let visit = Evidence.Visit(
        offer: Evidence.Offer(.rsa, .tls13), observed: .earliest, attempts: 1,
        served: Evidence.Served(
          chain: certificates.map(\.fingerprint), staple: [UInt8](repeating: 2, count: staple)), failure: nil)
      return Evidence(
        begun: .earliest, ended: .latest, tool: "t", certificates: certificates,
        targets: [
          Evidence.Target(
            host: .example, port: 443, addresses: [Evidence.Address(address: "::1", port: 443, visits: [visit])])
        ]
      ).encoded()
    }
    #expect(failure(evidence(certificates: [262_144], staple: 16_384)) == nil)
    #expect(failure(evidence(certificates: [131_072, 131_072], staple: 1)) == nil)
    let refused = [
      evidence(certificates: [262_145], staple: 1), evidence(certificates: [131_072, 131_073], staple: 1),
      evidence(certificates: [1], staple: 16_385),
    ]
    for bytes in refused { #expect(failure(bytes)?.code == .overLimit, "\(String(describing: failure(bytes)))") }
  }

  @Test("A file that is too long is refused unread")
  func fileLimit() {
    let bytes = [UInt8](repeating: UInt8(ascii: "{"), count: EvidenceLimits.fileBytes + 1)
    #expect(failure(bytes)?.code == .overLimit)
    #expect(failure(bytes)?.offset == EvidenceLimits.fileBytes)
  }
}
