import Foundation
import PinFormat
import TestSupport
import Testing

@Suite("What is not the one canonical encoding of a manifest")
struct FormatErrorTests {
  /// A small manifest with one of everything.
  private static let text: String = {
    let zero = String(repeating: "0", count: 64)
    let pin = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    return #"{"audience":"production","certificates":{"\#(zero)":"AAAA"},"critical":["a","b"],"#
      + #""drastic-change":"sold","expires":"2027-01-01T00:00:00Z","hosts":[{"expires":"2026-12-01T00:00:00Z","host":"a.example","#
      + #""include-subdomains":1,"key-set":"web","mode":"enforce","on-expiry":"block","port":443,"reporting":0,"#
      + #""require":"leaf-and-ca","trust":{"anchors":["\#(zero)"],"minimum-tls":"1.3"}},"#
      + #"{"host":"b.example","mode":"off"}],"issued":"2026-11-01T00:00:00Z","#
      + #""key-sets":{"web":{"active":["k"],"backup":["l"]}},"keys":{"k":{"denied":"why\n","pin":"\#(pin)"},"#
      + #""l":{"pin":"\#(pin)","position":"root"}},"on-stale":"enforce","#
      + #""provenance":{"compiler":"c","sources":"\#(zero)"},"#
      + #""refresh-after":"2026-12-01T00:00:00Z","reporting":[["https://r.example"]],"serial":7,"#
      + #""type":"application/vnd.pintle.manifest.v1+json","unpinned-hosts":"allow","version":1}"#
  }()

  @Test("A field of the format in another place is called misplaced, not unknown")
  func misplaced() {
    let names = Set(Self.text.matches(of: /"([a-z-]+)":/).map(\.1)).subtracting(["audience", "web", "k", "l"])
    #expect(names.count > 30)
    for name in names {
      #expect(failure("{\"\(name)\":0," + Self.text.dropFirst())?.code == .misplacedField, "\(name)")
    }
  }

  private func failure(_ text: String) -> FormatError? {
    let bytes = Array(text.utf8)
    do {
      _ = try ManifestReader.read(bytes, signed: bytes.indices)
      return nil
    } catch { return error }
  }

  @Test("The text itself is accepted, and is what would be written")
  func accepted() throws {
    let bytes = Array(Self.text.utf8)
    let tables = try ManifestReader.read(bytes, signed: bytes.indices)
    #expect(String(decoding: Manifest(tables).signedBytes(), as: UTF8.self) == Self.text)
  }

  typealias Row = (from: String, to: String, code: FormatError.Code, message: String)

  static let structure: [Row] = [
    (#""serial":7"#, #""serial": 7"#, .notCanonical, "signed: expected a serial, found \" 7"),
    (#""serial":7"#, #" "serial":7"#, .notCanonical, "expected the field \"serial\""),
    (#""serial":7"#, #""serial":07"#, .invalidValue, "a serial can't be \"07"),
    (#""serial":7"#, #""serial":7.0"#, .notCanonical, "expected the field \"type\""),
    (#""serial":7"#, #""serial":7e0"#, .notCanonical, "expected the field \"type\""),
    (#""serial":7"#, #""serial":-7"#, .notCanonical, "expected a serial"),
    (#""serial":7"#, #""serial":0"#, .invalidValue, "a serial can't be"),
    (#""serial":7"#, #""serial":9007199254740992"#, .invalidValue, "a serial can't be"),
    (#""serial":7"#, #""serial":99999999999999999999"#, .invalidValue, "a serial can't be"),
    (#""serial":7"#, #""serial":"7""#, .notCanonical, "expected a serial"),
    (#""serial":7"#, #""serial":true"#, .notCanonical, "expected a serial"),
    (#""serial":7,"#, #""serial":7,"serial":7,"#, .misplacedField, "the field \"serial\" is misplaced or repeated"),
    (#""serial":7,"#, "", .misplacedField, "\"type\" is misplaced or repeated, expected the field \"serial\""),
    (#""serial":7"#, #""serial":7,"surplus":1"#, .unknownField, "unknown field \"surplus\""),
    (#","version":1}"#, "}", .missingField, "the field \"version\" is missing"),
    (#""version":1}"#, #""version":1,"x":1}"#, .unknownField, "unknown field \"x\", expected \"}\""),
    (#""version":1"#, #""version":2"#, .unsupportedVersion, "a version of the format other than 1"),
    (#""version":1"#, #""version":0"#, .invalidValue, "a version can't be"),
    (#""version":1}"#, "\"version\":1}\n", .trailingBytes, "bytes follow"),
    (#""version":1}"#, #""version":1"#, .truncated, "the bytes end"),
    (#""audience""#, #""Audience""#, .unknownField, "unknown field \"Audience\""),
    (#""audience":"production""#, #""audience":"""#, .invalidValue, "the audience is empty"),
    (#""drastic-change":"sold""#, #""drastic-change":"""#, .invalidValue, "the reason for a drastic change is empty"),
    (#""drastic-change":"sold""#, #""drastic-change":1"#, .notCanonical, "expected \""),
    (#""audience":"production""#, #""audience":null"#, .notCanonical, "expected \""),
    ("manifest.v1", "manifest.v2", .invalidValue, "the type is not"),
    (#""refresh-after":"2026-12"#, #""refresh-after":"2027-12"#, .contradiction, "does not lie between"),
    (#""issued":"2026-11-01T00"#, #""issued":"2026-11-01t00"#, .invalidValue, "an instant can't be"),
    (#""on-stale":"enforce""#, #""on-stale":"fail""#, .invalidValue, "on-stale can't be"),
  ]

  static let strings: [Row] = [
    (#"why\n"#, #"why\u000a"#, .notCanonical, "not an escape of RFC 8785"),
    (#"why\n"#, #"why\u001F"#, .notCanonical, "not an escape"), (#"why\n"#, #"why\/"#, .notCanonical, "not an escape"),
    (#"why\n"#, #"wh\u0079"#, .notCanonical, "not an escape"),
    (#"why\n"#, "why\n", .notCanonical, "a control character"),
    (#"why\n"#, #"why\"#, .notCanonical, "expected"), (#"why\n"#, #"why\u00"#, .notCanonical, "not an escape"),
    (#""denied":"why\n""#, #""denied":"""#, .invalidValue, "a denial's reason is empty"),
    (#"why\n"#, String(repeating: "w", count: 4_097), .overLimit, "more than 4096 bytes"),
  ]

  static let lists: [Row] = [
    (#"["a","b"]"#, #"["b","a"]"#, .notSorted, "signed.critical: names are not sorted"),
    (#"["a","b"]"#, #"["a","a"]"#, .notSorted, "not sorted, or one is listed twice"),
    (#"["a","b"]"#, "[]", .notCanonical, "expected \""), (#"["a","b"]"#, #"["a","b",]"#, .notCanonical, "expected \""),
    (#"["a","b"]"#, #"["a" "b"]"#, .notCanonical, "\",\" or \"]\""),
    (#"{"host":"b.example""#, #"{"host":"a.example""#, .notSorted, "signed.hosts[2]: entries are not sorted"),
    (#""port":443"#, #""port":0"#, .invalidValue, "signed.hosts[1]: a port can't be"),
    (#""port":443"#, #""port":65536"#, .invalidValue, "a port can't be"),
    (#""l":{"pin""#, #""k":{"pin""#, .notSorted, "signed.keys[2]: keys are not sorted"),
    (#""active":["k"]"#, #""active":["l","k"]"#, .notSorted, "names of keys are not sorted"),
    (#""active":["k"],"backup":["l"]"#, #""active":[],"backup":[]"#, .invalidValue, "a key set without keys"),
    (#""active":["k"]"#, #""active":["z"]"#, .danglingReference, "the key \"z\" is not there"),
    (#""key-set":"web""#, #""key-set":"wob""#, .danglingReference, "signed.hosts[1]: the key set \"wob\" is not there"),
    (#""reporting":0"#, #""reporting":1"#, .contradiction, "no entry refers to this list"),
    (#","reporting":[["https://r.example"]]"#, "", .danglingReference, "a list of report URIs that is not there"),
    (#""reporting":0,"#, "", .contradiction, "no entry refers to this list"),
    (#"[["https://r.example"]]"#, "[[]]", .notCanonical, "expected \""),
    ("https://r.example", "https://r .example", .invalidValue, "a report URI"),
    (#""anchors":["0"#, #""anchors":["1"#, .danglingReference, "trust refers to the certificate 1000"),
    (#":"AAAA""#, #":"AAB=""#, .invalidValue, "a certificate can't be"),
    (#":"AAAA""#, #":"""#, .invalidValue, "a certificate can't be"),
  ]

  static let values: [Row] = [
    ("a.example", "A.example", .invalidValue, "is a host that is not in canonical form"),
    ("a.example", "a.example.", .invalidValue, "not in canonical form"),
    ("a.example", "a..example", .invalidValue, "is not a valid host name"),
    ("a.example", "10.0.0.5", .contradiction, "an address has no subdomains"),
    (#""include-subdomains":1"#, #""include-subdomains":0"#, .invalidValue, "include-subdomains can't be"),
    (#""mode":"enforce""#, #""mode":"off""#, .contradiction, "has a field that has no effect"),
    (#""key-set":"web","#, "", .missingField, "\"key-set\" is missing"),
    (#""on-expiry":"block","#, "", .contradiction, "must be given together"),
    (#""require":"leaf-and-ca""#, #""require":"any""#, .invalidValue, "require can't be"),
    (
      #"{"anchors":["0000000000000000000000000000000000000000000000000000000000000000"],"minimum-tls":"1.3"}"#, "{}",
      .contradiction, "trust says nothing"
    ),
    (#""minimum-tls":"1.3""#, #""minimum-tls":"1.1""#, .invalidValue, "minimum-tls can't be"),
    ("SuFU=", "SuFV=", .invalidValue, "signed.keys[1]: a pin can't be"),
    ("SuFU=", "SuF_=", .invalidValue, "a pin can't be"),
    (#""k":{"denied""#, #""K":{"denied""#, .invalidValue, "the name of a key can't be"),
    (#""web":{"#, #""-web":{"#, .invalidValue, "the name of a key set can't be"),
    (#""web":{"#, #""host:":{"#, .invalidValue, "key set"),
    (#""position":"root""#, #""position":"anchor""#, .invalidValue, "a position can't be"),
    (#""sources":"0"#, #""sources":"A"#, .invalidValue, "the digest of the sources can't be"),
  ]

  @Test("Each mistake has its code, its place and its words", arguments: structure + strings + lists + values)
  func refused(row: Row) throws {
    let range = try #require(Self.text.firstRange(of: row.from))
    let changed = Self.text.replacingCharacters(in: range, with: row.to)
    let error = try #require(failure(changed), "accepted: \(row.from) as \(row.to)")
    #expect(error.code == row.code, "\(error)")
    #expect(error.message.contains(row.message), "\(error)")
    #expect(error.offset <= changed.utf8.count)
  }

  @Test(
    "Bytes that aren't UTF-8 are rejected",
    arguments: [
      [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80], [0x80], [0xC3], [0xE2, 0x82], [0xFF], [0xC3, 0x28],
    ] as [[UInt8]])
  func invalidUTF8(bad: [UInt8]) throws {
    let parts = Self.text.split(separator: "production", maxSplits: 1)
    let bytes = Array(parts[0].utf8) + bad + Array(parts[1].utf8)
    let error = #expect(throws: FormatError.self) { try ManifestReader.read(bytes, signed: bytes.indices) }
    #expect(error?.message == "signed: not UTF-8")
  }
}
