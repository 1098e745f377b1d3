import Diagnostics
import Foundation
import PinFormat
import PinPolicy
import PinStudies
import TestSupport
import Testing

/// What looks like a pin, in text of any kind.
struct FoundPinTests {
  private static let pin = "hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc="
  private static let hex = "871a9194f4eed5b312ff40c84c1d524aed2f778bbff25f138cf81f680a7adc67"

  /// The digits of each byte, with something between two and before each.
  private static func spelled(_ separator: String, before: String = "") -> String {
    stride(from: 0, to: 64, by: 2).map { before + hex.dropFirst($0).prefix(2) }.joined(separator: separator)
  }

  private static func read(_ text: String) -> FoundPins { FoundPins(in: Array(text.utf8), file: FileID(0)) }
  private static func found(_ text: String) -> [FoundPin] { read(text).pins }

  /// The rows of the table of spellings in docs/import.md: an example, and what the page says about it.
  private static let spellings: [(example: String, answer: String)] = {
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/import.md")
      .standardized
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    return text.components(separatedBy: "\n").drop { !$0.hasPrefix("| In a file | For example |") }.dropFirst(2)
      .prefix { $0.hasPrefix("| ") }.map { line in
        let cells = line.components(separatedBy: " | ")
        let example = cells[1].dropFirst().dropLast().replacing("⏎", with: "\n")
        return (String(example), String(cells[2].dropLast(2)))
      }
  }()

  @Test func thePageIsRead() {
    #expect(Self.spellings.count > 35)
    #expect(Set(Self.spellings.map(\.answer)) == ["found", "only if the policy has it", "can't be read", "not a pin"])
  }

  @Test(arguments: spellings)
  func isReadAsThePageSays(_ example: String, _ answer: String) throws {
    let pin = try Pin("sha256/" + Self.pin)
    for text in [example, "x\n\(example)\ny", "(\(example))", "\t\(example);"] {
      let read = Self.read(text)
      switch answer {
      case "found": #expect(read.pins.map(\.pin) == [pin] && read.pins.map(\.isLikely) == [true], "\(text)")
      case "only if the policy has it":
        #expect(read.pins.map(\.pin) == [pin] && read.pins.map(\.isLikely) == [false], "\(text)")
      default: #expect(read.pins == [], "\(text)")
      }
      #expect(read.unread.count == (answer == "can't be read" ? 1 : 0), "\(text)")
    }
  }

  @Test(arguments: [
    // Kotlin, Java, Swift, JavaScript, PHP
    "builder.add(\"api.example.com\", \"sha256/\(pin)\")", "val pin = \"\(pin)\"", "let pins: Set = [\"\(pin)\"]",
    "pins: ['sha256/\(pin)']", "'pins' => array('sha256//\(pin)'),",
    // Property lists, XML
    "<string>\(pin)</string>", "<pin digest=\"SHA-256\">\(pin)</pin>",
    // Shell, YAML, nginx, headers
    "curl --pinnedpubkey 'sha256//\(pin)' https://a", "- sha256/\(pin)", "pin: sha256/\(pin) # root",
    "add_header Public-Key-Pins 'pin-sha256=\"\(pin)\"; max-age=1';", "pin-sha256=\(pin);", "PIN=\(pin)",
    // JSON with escaped slashes
    "{\"pins\": [\"sha256\\/\(pin.replacing("/", with: "\\/"))\"]}",
    // Hexadecimal
    "PIN = '\(hex)'", "pin: \(hex.uppercased())", "\(hex)", "0x\(hex)",
    // The same in bytes, as openssl, Envoy, hex dumps and sources write them
    "verify_certificate_hash: [\"\(spelled(":").uppercased())\"]", "SHA256 Fingerprint=\(spelled(":"))", spelled(" "),
    "\(spelled("."))\n", "pin \(spelled("-"))", "{ \(spelled(", ", before: "0x")) }",
    "[\(spelled(",\n  ", before: "0x"))]",
    spelled(":\n    "),
    // A comment after a whole digest is about the next one.
    "\(spelled(", ", before: "0x")), // spare\n0x12, 0x34",
    // Without padding only after a name
    "\"sha256/\(pin.dropLast())\"",
  ])
  func isFound(_ text: String) throws {
    let found = Self.found(text)
    #expect(found.map(\.pin) == [try Pin("sha256/" + Self.pin)])
    #expect(found.map(\.isLikely) == [true])
  }

  /// `12 C5` isn't two bytes where the second one begins a longer word.
  @Test(arguments: ["12 ", "- 12: ", "ad, be, ", "9D:7C:", "0x12, "])
  func isFoundBehindBytes(_ before: String) throws {
    let pin = "C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M="
    #expect(Self.found(before + pin).map(\.pin) == [try Pin("sha256/" + pin)])
  }

  @Test(arguments: [
    "", "sha256/", "sha256/abcd", "\(pin)abc", "abc\(pin)", "\(pin)=", "_\(pin)", "x-\(pin)",
    "\(spelled(":")):00", "00:\(spelled(":"))", "\(spelled(":"))a", "\(spelled(":").dropLast(3))", "x-\(spelled(":"))",
    "\(hex)0", "a\(hex)", "\(hex)-x", "sha1/mFVrDoPJUqkRW9w2hXSSXWjvSV8=",
    "-----BEGIN CERTIFICATE-----\n\(pin)\n-----END CERTIFICATE-----",
    "https://example.com/\(String(repeating: "a", count: 60))",
  ])
  func isNotFound(_ text: String) {
    #expect(Self.found(text) == [])
  }

  /// The digests of scripts, containers and downloads look the same.
  @Test(arguments: [
    "integrity=\"sha256-\(pin)\"", "image: nginx@sha256:\(hex)", "https://example.com/blobs/sha256/\(hex)",
    "\"sha256_cert_fingerprints\": [\"\(spelled(":").uppercased())\"]",
  ])
  func isLessLikely(_ text: String) {
    #expect(Self.found(text).map(\.isLikely) == [false])
  }

  /// What follows in a list has the name of its first; an app lists fingerprints by SHA-1, too.
  @Test(arguments: [
    ("PINS=C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=,\(pin.dropLast())", 2, 0),
    ("keyHashes = [\n'\(pin.dropLast())',\n'\(pin.dropLast())',\n'\(pin.dropLast())'\n]", 3, 0),
    ("publicKeyHashes: [\n'Zz1\(pin.dropLast())=er',\n'Zz1\(pin)er'\n]", 0, 2),
    ("fingerprints = [\n'59:\(spelled(":").prefix(56))',\n'59:\(spelled(":").prefix(56))'\n]", 0, 2),
    ("curl --pinnedpubkey \"sha1//BQr5oEtKUmTzlcelRcWvGvMnQzk=\"", 0, 1),
    ("Public-Key-Pins \"pin-sha256=\\\"\(pin)\\\"; pin-sha256=\\\"obviouslywrong\\\"\"", 1, 1),
    ("sha512/z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==", 0, 1),
    ("TYPE52 \\# 35 03 00 01 \(hex)", 0, 1), ("TYPE52 \\# 35 ( 030101\(hex.prefix(30)) \(hex.dropFirst(30)) )", 1, 0),
    ("\"2 1 1 \(hex)\"", 1, 0), ("TYPE52 \\# 35", 0, 0), ("1.3 1 1 \(hex.prefix(58))", 0, 0),
    // A policy's words right before the name of another use, and what only has as many digits or bytes.
    ("image: pinned@sha256:\(hex)", 0, 0), ("integrity: sha256-\(pin) # pinned", 0, 0),
    ("ssh fingerprint: SHA256:\(pin.dropLast())", 0, 0), ("hash: \(hex)0", 0, 0),
    ("md5s:\n\(hex.prefix(32))\n\(hex.suffix(32))", 0, 0),
    ("pin = sha256/\(pin.prefix(30))\n\(pin.dropFirst(30).dropLast()) x", 0, 1),
    // Commits, words that only have the same letters, OpenPGP, and paths.
    ("rev: \(hex.prefix(40))", 0, 0), ("hash: \(hex.prefix(40))", 0, 0), ("pin to \(hex.prefix(40))", 0, 0),
    ("mapping, ping: '\(pin.dropLast())'", 0, 0),
    ("gpg fingerprint: \(hex.prefix(40))", 0, 0), ("import x from crypto/sha256/block", 0, 0),
    ("require(\"md5/md5\")", 0, 0),
    ("sha256/block.go", 0, 0),
  ])
  func namesOfLists(_ text: String, _ found: Int, _ unread: Int) {
    let read = Self.read(text)
    #expect(read.pins.count { $0.isLikely } == found && read.unread.count == unread, "\(read)")
  }

  private static let other = "0b9fa5a59eed715c26c1020c711b4f6ec42d58b0015e14337a39dad301c5afc3"

  private static func numbers(_ hex: String, _ spell: (UInt8) -> String) -> String {
    (Hex.decode(Array(hex.utf8)) ?? []).map(spell).joined(separator: ", ")
  }

  /// Arrays of several digests, and what has as many numbers.
  @Test(
    arguments: [
      ("pins = [\(numbers(hex + other) { "\($0)" })]", 2, 0),
      ("pins[] = {\(numbers(hex + other + hex) { "0x" + Hex.encode([$0]) })}", 3, 0),
      ("seed = [\(numbers(hex + other) { "\($0)" })]", 0, 0),
      ("pin = \"\(numbers(hex + other) { "\\x" + Hex.encode([$0]) }.replacing(", ", with: ""))\"", 2, 0),
      ("pins = [\(numbers(hex + other + "ff") { "\($0)" })]", 0, 1),
      ("pins = [\(numbers(hex + "ff") { "\($0)u8" }),]", 0, 1),
      ("pin = [\(numbers(String(repeating: "1a", count: 33)) { "\($0)" })]", 0, 0),
      ("pin = \(numbers(hex) { "\($0)" })\n", 1, 0),
      ("pin = [\(numbers(hex) { "\(Int8(bitPattern: $0)).toByte()" })]", 1, 0),
      ("keyHashes = ['\(hex.prefix(43))', '\(hex.prefix(43))']", 0, 2),
      ("pin = \"\(hex.prefix(20))\" + \"\(hex.dropFirst(20).prefix(23))\"", 0, 0),
      ("pin_der[] = {\(numbers("308181" + String(repeating: hex, count: 4)) { "0x" + Hex.encode([$0]) })}", 0, 1),
    ] as [(String, Int, Int)])
  func arrays(_ text: String, _ found: Int, _ unread: Int) {
    let read = Self.read(text)
    #expect(read.pins.count { $0.isLikely } == found && read.unread.count == unread, "\(text): \(read)")
  }

  /// A key of GTS Root R1 in digits, split and in a block of YAML; and parts that only look alike.
  @Test(
    arguments: [
      ("pin = \"\(key.hex)\"", 1, 0, 0), ("pin = \"\(key.hex.prefix(300))\"", 0, 1, 0),
      ("licence = \"\(key.hex)\"", 0, 0, 0),
      ("pin = \"\(key.base64.prefix(64))\" +\n  \"\(key.base64.dropFirst(64))\"", 1, 0, 0),
      ("pin: |\n  \(key.base64.prefix(64))\n  \(key.base64.dropFirst(64))\n", 1, 0, 0),
      ("spki[] = {\(numbers(key.hex) { "0x" + Hex.encode([$0]) })}", 1, 0, 0),
      ("pin: \(numbers(key.hex) { Hex.encode([$0]) }.replacing(", ", with: ":"))", 1, 0, 0),
      // A certificate, and PEM in Base64.
      ("x5c: [\"\(Base64.encode(certificate))\"]", 0, 0, 1),
      ("tls.crt: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUQ=", 0, 0, 1),
      ("pin: >-\n  \(pin.prefix(30))\n", 0, 1, 0), ("pins:\n  - >\n    \(pin)\n  - |+\n    \(hex)\n", 2, 0, 0),
      ("text: >-\n  \(pin.prefix(30))\n", 0, 0, 0), ("pin: a > b\n\(pin.prefix(30))\n", 0, 0, 0),
      ("uint32_t pin[] = { 0x871a9194, 0xf4eed5b3, 0x12ff40c8 }", 0, 0, 0),
      (
        "uint64_t pin[] = { 0x871a9194f4eed5b3, 0x12ff40c84c1d524a, 0xed2f778bbff25f13, 0x8cf81f680a7adc67, 1 }", 1, 0,
        0
      ),
      ("[\"\(hex.prefix(32))\", \"\(hex.suffix(32))\"]", 0, 0, 0),
    ] as [(String, Int, Int, Int)])
  func keysAndParts(_ text: String, _ found: Int, _ unread: Int, _ counted: Int) {
    let read = Self.read(text)
    #expect(
      read.pins.count { $0.isLikely } == found && read.unread.count == unread && read.certificates == counted,
      "\(text): \(read)")
    #expect(read.pins.allSatisfy { $0.pin.description == "sha256/" + Self.pin })
  }

  /// From the page, so that it is written once.
  private static let key: (base64: String, hex: String) = {
    let example = spellings.first { $0.example.hasPrefix("pin = \"MII") }?.example ?? ""
    let base64 = String(example.dropFirst(7).dropLast())
    return (base64, Hex.encode(Base64.decode(Array(base64.utf8)) ?? []))
  }()

  private static let certificate: [UInt8] =
    (try? Data(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures/examples/keys/api.der").standardized)).map { Array($0) } ?? []

  /// A certificate in an array of bytes is counted.
  @Test func arraysOfDERAreCounted() {
    let der = Hex.encode(Self.certificate)
    let read = Self.read("pin_der[] = {\(Self.numbers(der) { "0x" + Hex.encode([$0]) })}")
    #expect(read.certificates == 1 && read.pins == [] && read.unread == [])
  }

  /// Libraries pin certificates, too: they are counted.
  @Test func certificatesAreCounted() {
    let labels = ["CERTIFICATE", "TRUSTED CERTIFICATE", "PUBLIC KEY", "PRIVATE KEY"]
    let pem = labels.map { "-----BEGIN \($0)-----\\nAAAA\\n-----END \($0)-----" }
    #expect(Self.read(pem.joined(separator: "\n") + "\n-----BEGIN CERTIFICATE-----\nAAAA").certificates == 3)
  }

  @Test func placesAreThoseOfTheDigits() throws {
    let text = "é = [\n  \"sha256\\/\(Self.pin.replacing("/", with: "\\/"))\", \"\(Self.hex)\"\n]"
    let places = Self.found(text).map(\.place)
    #expect(places.map(\.start) == [Position(line: 2, column: 12), Position(line: 2, column: 62)])
    #expect(places[0].end == Position(line: 2, column: 12 + 46))
  }

  /// An app's Kotlin and Java: constants and literals, whatever is built of them.
  @Test func anAppsSources() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Fixtures/find/app").standardized
    let lines = try ["Network.kt", "Pins.java"].map { name in
      FoundPins(in: Array(try Data(contentsOf: folder.appending(path: name))), file: FileID(0)).pins.map(
        \.place.start.line)
    }
    #expect(lines == [[22, 26, 27, 31, 32], [7, 8, 11]])
  }

  /// Whatever the text, it takes no longer than it is long.
  @Test(arguments: [
    "\\/", "-----BEGIN ", "sha256/", "A", "=", "A=", "-", "a1:", "a1 ", "0x", "a1\n", "\\xa1", "\"a\"+", "\"+\"", "[1,",
    "(1, ", "tlsa 3 1 1 ", "TLSA 3 1 1 (ab\n", "a_", "%2B", "\"a1\" ", "&#", "\"\n",
    "3 1 1 ", "1 ", "11:", "11 ", "a1_", "a1\\\n", "[1, // a\n", "[1, /*", "a1, #", "871a\n", "sha256:",
    "type52 \\# 35 (ab ", ":52:\\003", "pin-sha256=\"", "sha1//", "pin: \"A1b2\", ", "pinpin",
    "MFkwEwYHKoZIzj0C", "MFkwEwYHKoZIzj0C\n", "\"MFkwEwYHKoZIzj0C\", ", "3059301306072a8648ce3d02\n",
    "pin: >\n A1b2A1b2A1b2A1b2\n",
    "\"A1b2\", ", "=1,", "\"1,", ":200,", "pin=[200,", "'\\235", "'\\x9da", "0x12u8, ", "(1.toByte(), ",
  ])
  func hostileTextEnds(_ part: String) {
    let time = processorTime { _ = Self.found(String(repeating: part, count: 2_000)) }
    #expect(time < .milliseconds(1_400))
  }
}
