import Foundation
import PinFormat
import Testing

@Suite("What is not the one canonical encoding of a keyset")
struct KeysetErrorTests {
  /// A small keyset with one of everything.
  private static let text =
    #"{"audience":"production","critical":["x"],"expires":"2027-11-21T00:00:00Z","issued":"2026-11-21T00:00:00Z","#
    + #""keys":{"a":"AAAA","b":"AAAB","c":"AAAC"},"keyset-version":3,"minimum-serial":40,"#
    + #""roots":{"keys":["a","b"],"threshold":2},"serial-epoch":5,"signers":{"keys":["b","c"],"threshold":1},"#
    + #""type":"application/vnd.pintle.keyset.v1+json","version":1}"#

  private func failure(_ text: String) -> FormatError? {
    let bytes = Array(text.utf8)
    do {
      _ = try KeysetReader.read(bytes, signed: bytes.indices)
      return nil
    } catch { return error }
  }

  @Test("The text itself is accepted, says what it says, and is what would be written")
  func accepted() throws {
    let bytes = Array(Self.text.utf8)
    let keyset = try KeysetReader.read(bytes, signed: bytes.indices)
    #expect(keyset.version == 3 && keyset.minimumSerial == 40 && keyset.serialEpoch == 5)
    #expect(keyset.roots == Keyset.Role(keys: ["a", "b"], threshold: 2))
    #expect(keyset.signers == Keyset.Role(keys: ["b", "c"], threshold: 1))
    #expect(keyset.key("c")?.subjectPublicKeyInfo == [0, 0, 2] && keyset.key("d") == nil)
    #expect(String(decoding: keyset.signedBytes(), as: UTF8.self) == Self.text)
  }

  typealias Row = (from: String, to: String, code: FormatError.Code, message: String)

  static let everyField = [
    #""audience":"production","#, #""expires":"2027-11-21T00:00:00Z","#, #""issued":"2026-11-21T00:00:00Z","#,
    #""keys":{"a":"AAAA","b":"AAAB","c":"AAAC"},"#, #""keyset-version":3,"#, #""minimum-serial":40,"#,
    #""roots":{"keys":["a","b"],"threshold":2},"#, #""serial-epoch":5,"#,
    #""signers":{"keys":["b","c"],"threshold":1},"#,
    #""type":"application/vnd.pintle.keyset.v1+json","#,
  ]

  @Test("Each field must be there, once, in its place", arguments: everyField)
  func misplaced(field: String) {
    let name = field.dropFirst().prefix { $0 != "\"" }
    let without = failure(Self.text.replacing(field, with: "", maxReplacements: 1))
    #expect(without?.code == .misplacedField)
    #expect(without?.message.contains("expected the field \"\(name)\"") == true, "\(String(describing: without))")
    let twice = failure(Self.text.replacing(field, with: field + field, maxReplacements: 1))
    #expect(twice?.code == .misplacedField)
    #expect(twice?.message.contains("the field \"\(name)\" is misplaced or repeated") == true)
    let last = Self.text.replacing(field, with: "", maxReplacements: 1).dropLast() + "," + field.dropLast() + "}"
    #expect(failure(String(last))?.code == .misplacedField)
    let unknown = failure(Self.text.replacing(field, with: #""surplus":1,"# + field, maxReplacements: 1))
    #expect(unknown?.code == .unknownField)
    #expect(unknown?.message.contains("unknown field \"surplus\"") == true)
  }

  static let values: [Row] = [
    (#","version":1}"#, "}", .missingField, "the field \"version\" is missing"),
    (#""version":1}"#, #""version":2}"#, .unsupportedVersion, "a version of the format other than 1"),
    (#""version":1}"#, #""version":1,"x":1}"#, .unknownField, "unknown field \"x\", expected \"}\""),
    (#""version":1}"#, "\"version\":1}\n", .trailingBytes, "bytes follow the end of the keyset"),
    ("keyset.v1", "manifest.v1", .invalidValue, "the type is not application/vnd.pintle.keyset.v1+json"),
    (#""audience":"production""#, #""audience":"""#, .invalidValue, "the audience is empty"),
    (#"production"#, String(repeating: "p", count: 4_097), .overLimit, "the audience has more than 4096 bytes"),
    (#"production"#, #"pr\u006fduction"#, .notCanonical, "not an escape of RFC 8785"),
    (#""critical":["x"]"#, #""critical":[]"#, .notCanonical, "signed.critical"),
    (#""critical":["x"]"#, #""critical":["x","x"]"#, .notSorted, "names are not sorted, or one is listed twice"),
    (#""critical":["x"]"#, #""critical":["y","x"]"#, .notSorted, "names are not sorted, or one is listed twice"),
    (#""critical":["x"]"#, #""critical":["X"]"#, .invalidValue, "the name of an extension can't be"),
    (#""expires":"2027"#, #""expires":"2025"#, .contradiction, "expires lies before issued"),
    (#""expires":"2027-11-21T00"#, #""expires":"2027-11-21t00"#, .invalidValue, "an instant can't be"),
    (#""issued":"2026-11-21"#, #""issued":"2026-13-21"#, .invalidValue, "an instant can't be"),
    (#""keyset-version":3"#, #""keyset-version":0"#, .invalidValue, "a keyset's version can't be"),
    (#""keyset-version":3"#, #""keyset-version":03"#, .invalidValue, "a keyset's version can't be"),
    (#""keyset-version":3"#, #""keyset-version":-3"#, .notCanonical, "expected a keyset's version"),
    (#""keyset-version":3"#, #""keyset-version":9007199254740992"#, .invalidValue, "a keyset's version can't be"),
    (#""keyset-version":3"#, #""keyset-version":99999999999999999999"#, .invalidValue, "a keyset's version can't be"),
    (#""minimum-serial":40"#, #""minimum-serial":0"#, .invalidValue, "a serial can't be"),
    (#""minimum-serial":40"#, #""minimum-serial":9007199254740992"#, .invalidValue, "a serial can't be"),
    (#""serial-epoch":5"#, #""serial-epoch":0"#, .invalidValue, "an epoch of serials can't be"),
    (#""serial-epoch":5"#, #""serial-epoch":9007199254740992"#, .invalidValue, "an epoch of serials can't be"),
  ]

  static let roles: [Row] = [
    (#""threshold":2"#, #""threshold":3"#, .invalidValue, "signed.roots: a threshold can't be"),
    (#""threshold":2"#, #""threshold":0"#, .invalidValue, "signed.roots: a threshold can't be"),
    (#""threshold":1"#, #""threshold":3"#, .invalidValue, "signed.signers: a threshold can't be"),
    (#""keys":["a","b"]"#, #""keys":[]"#, .notCanonical, "signed.roots"),
    (#""keys":["a","b"]"#, #""keys":["b","a"]"#, .notSorted, "signed.roots: names are not sorted"),
    (#""keys":["a","b"]"#, #""keys":["a","a"]"#, .notSorted, "one is listed twice"),
    (#""keys":["a","b"]"#, #""keys":["a","d"]"#, .danglingReference, "there is no key \"d\""),
    (#""keys":["a","b"],"threshold":2"#, #""threshold":2,"keys":["a","b"]"#, .misplacedField, "field \"threshold\""),
    (#""keys":["a","b"],"threshold":2"#, #""keys":["a","b"]"#, .missingField, "\"threshold\" is missing"),
    (#""threshold":2}"#, #""threshold":2,"x":1}"#, .unknownField, "unknown field \"x\""),
    (#""roots":{"keys":["a","b"],"threshold":2}"#, #""roots":{}"#, .missingField, "\"keys\" is missing"),
    (#""roots":{"keys":["a","b"],"threshold":2}"#, #""roots":null"#, .notCanonical, "expected {"),
  ]

  static let keys: [Row] = [
    (#"{"a":"AAAA","b":"AAAB","c":"AAAC"}"#, "{}", .notCanonical, "signed.keys[1]"),
    (#""a":"AAAA","b":"AAAB""#, #""b":"AAAB","a":"AAAA""#, .notSorted, "names of keys are not sorted"),
    (#""b":"AAAB""#, #""a":"AAAB""#, .notSorted, "or one is listed twice"),
    (#""b":"AAAB""#, #""b":"AAAA""#, .contradiction, "the key of \"a\" is listed under a second name"),
    (#""c":"AAAC"}"#, #""c":"AAAC","d":"AAAD"}"#, .contradiction, "the key \"d\" signs nothing"),
    (#""c":"AAAC""#, #""c":"AAA""#, .invalidValue, "a public key can't be"),
    (#""c":"AAAC""#, #""c":"AAB=""#, .invalidValue, "a public key can't be"),
    (#""c":"AAAC""#, #""c":"""#, .invalidValue, "a public key can't be"),
    (#""c":"AAAC""#, #""c":["AAAC"]"#, .notCanonical, "signed.keys[3]: expected \""),
    (#""c":"#, #""C":"#, .invalidValue, "signed.keys[3]: the name of a key can't be"),
    (#""c":"#, #""-c":"#, .invalidValue, "the name of a key can't be"),
    (#""c":"#, "\"" + String(repeating: "c", count: 65) + "\":", .overLimit, "more than 64 bytes"),
  ]

  @Test("is rejected, with its place and its kind", arguments: values + roles + keys)
  func refused(row: Row) {
    let changed = Self.text.replacing(row.from, with: row.to, maxReplacements: 1)
    #expect(changed != Self.text)
    let error = failure(changed)
    #expect(error?.code == row.code, "\(row.to): \(String(describing: error))")
    #expect(error?.message.contains(row.message) == true, "\(row.to): \(String(describing: error))")
  }

  /// A keyset of so many keys, which have both roles or one each, with names and bytes of the given length.
  private func keyset(keys count: Int, bytes: Int = 3, critical: Int = 0, areShared: Bool = true) -> Keyset {
    var keys: [Keyset.Key] = []
    for number in 0..<count {
      let distinct = [UInt8(number / 256), UInt8(number % 256)]
      let key = distinct + [UInt8](repeating: 7, count: bytes - 2)
      keys.append(Keyset.Key(name: "k\(1_000 + number)", subjectPublicKeyInfo: key))
    }
    let roots = Keyset.Role(keys: keys.prefix(areShared ? count : count / 2).map(\.name), threshold: 1)
    let signers = Keyset.Role(keys: keys.suffix(areShared ? count : count / 2).map(\.name), threshold: 1)
    return Keyset(
      audience: "test", version: 1, issued: .earliest, expires: .latest, roots: roots, signers: signers, keys: keys,
      critical: (0..<critical).map { "x\(1_000 + $0)" })
  }

  @Test("Each limit is met exactly")
  func limits() throws {
    func error(_ keyset: Keyset) -> FormatError? { failure(String(decoding: keyset.signedBytes(), as: UTF8.self)) }
    #expect(error(keyset(keys: 64, bytes: 128, critical: 64)) == nil)
    #expect(error(keyset(keys: 128, areShared: false)) == nil)
    #expect(error(keyset(keys: 65))?.code == .overLimit)
    #expect(error(keyset(keys: 129))?.message.contains("too many keys") == true)
    #expect(error(keyset(keys: 1, bytes: 129))?.message.contains("a public key has more than 128 bytes") == true)
    #expect(error(keyset(keys: 1, critical: 65))?.message.contains("too many names") == true)
    let long = Array(keyset(keys: 1).signedBytes() + [UInt8](repeating: 0x20, count: 65_536))
    let tooLong = #expect(throws: FormatError.self) { try KeysetReader.read(long, signed: 0..<long.count - 65_536) }
    #expect(tooLong?.code == .overLimit)
  }
}
