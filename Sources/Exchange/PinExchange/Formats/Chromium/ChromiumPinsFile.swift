import Diagnostics
import OpenSSLKit
import PinFormat

/// Chromium's `transport_security_state_static.pins`: names, and for each a pin, a certificate or a public key.
///
/// Lines that begin with `#` are comments. A name is a line of its own, a capital letter and then letters, digits and
/// `_`; `PinsListTimestamp` is followed by the seconds since 1970 at which the list was last looked at.
/// (`net/tools/transport_security_state_generator/input_file_parsers.cc`, `ParseCertificatesFile`)
struct ChromiumPinsFile {
  /// A key, and where its name is.
  struct Entry {
    var key: PinList.Key
    var place: Place
  }

  /// The list's keys by their names.
  private(set) var entries: [String: Entry] = [:]
  private(set) var timestamp: Instant?

  private let file: FileID
  private var lines: [Substring.UTF8View] = []

  /// How many names are read: many times what any list has.
  private static let mostNames = 100_000

  init(_ bytes: [UInt8], file: FileID, into builder: inout ImportBuilder) throws(ExchangeError) {
    self.file = file
    guard (try? UTF8Span(validating: bytes.span)) != nil else { throw ExchangeError(.notJSON, "it isn't UTF-8") }
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var number = 0
    while number < lines.count {
      let line = Self.text(lines[number])
      number += 1
      if line.isEmpty || line.hasPrefix("#") { continue }
      guard entries.count < Self.mostNames else {
        throw ExchangeError(.overLimit, "it has more than \(Self.mostNames) names")
      }
      let start = number - 1
      // The value begins on the next line that isn't a comment.
      while number < lines.count, Self.text(lines[number]).hasPrefix("#") { number += 1 }
      let first = number < lines.count ? Self.text(lines[number]) : ""
      guard Self.isValue(first) || line == "PinsListTimestamp" else {
        builder.find(
          .unreadablePart, at: place(start, line),
          "\(ImportWords.quoted(line)) is followed by no pin, certificate or public key",
          help: "Write a name and on the next line its 'sha256/…', or the PEM of its certificate or key.")
        continue
      }
      var value = [first]
      number += 1
      if first.hasPrefix("-----BEGIN ") {
        while number < lines.count, !(value.last ?? "").hasPrefix("-----END ") {
          value.append(Self.text(lines[number]))
          number += 1
        }
      }
      read(line, value, at: place(start, line), into: &builder)
    }
  }

  private static func text(_ line: Substring.UTF8View) -> String {
    var text = Substring(line)
    while let last = text.utf8.last, last == 0x0D || last == 0x20 || last == 0x09 { text = text.dropLast() }
    return String(text)
  }

  private static func isValue(_ line: String) -> Bool {
    line.lowercased().hasPrefix("sha256/") || line.hasPrefix("-----BEGIN ")
  }

  private func place(_ line: Int, _ text: String) -> Place {
    Place(
      file: file, start: Position(line: line + 1, column: 1),
      end: Position(line: line + 1, column: max(2, text.unicodeScalars.count + 1)))
  }

  private mutating func read(_ name: String, _ value: [String], at place: Place, into builder: inout ImportBuilder) {
    let first = value.first ?? ""
    if name == "PinsListTimestamp" {
      guard let seconds = Int64(first), (0..<253_402_300_800).contains(seconds), timestamp == nil else {
        builder.find(
          .unreadablePart, at: place, "invalid or duplicate timestamp \(ImportWords.quoted(first))",
          help: "Write one timestamp: when the list was last reviewed, in seconds since 1970.")
        return
      }
      timestamp = Instant(secondsSinceEpoch: seconds)
      return
    }
    guard entries[name] == nil else {
      builder.find(
        .contradiction, at: place, "the name '\(name)' is listed twice; the first one was used",
        help: "Give the second key another name.")
      return
    }
    if !first.hasPrefix("-----BEGIN ") {
      let hash = "sha256/" + first.dropFirst(7)
      guard let pin = builder.pin(Located(hash, at: place), of: name) else { return }
      entries[name] = Entry(key: PinList.Key(name: name, pin: pin.value), place: place)
      return
    }
    do {
      let pem = Array((value.joined(separator: "\n") + "\n").utf8)
      entries[name] = Entry(key: try PEMKey.read(pem, name: name), place: place)
    } catch {
      builder.find(
        .unusablePin, at: place, "the PEM of '\(name)' can't be read: \(error.message)",
        help: "Export the certificate or the public key again.")
    }
  }
}

/// Keys out of PEM that is within other files.
enum PEMKey {
  /// The key of the first certificate, whose subject is noted, request or public key of a PEM text.
  static func read(_ pem: [UInt8], name: String) throws(CryptoError) -> PinList.Key {
    switch try KeyFile(pem) {
    case .certificates(let certificates, _):
      guard let certificate = certificates.first else { throw CryptoError(.nothingFound, "there is no certificate") }
      return PinList.Key(
        name: name, pin: try pin(certificate.publicKeyDigest()),
        owner: certificate.isCA ? .certificateAuthority : .server, note: certificate.subject)
    case .request(let request):
      return PinList.Key(
        name: name, pin: try pin(SHA256.digest(of: request.subjectPublicKeyInfo)), owner: .server,
        note: "a certificate request")
    case .publicKey(let bytes, _):
      return PinList.Key(name: name, pin: try pin(SHA256.digest(of: bytes)), note: "a public key")
    }
  }

  private static func pin(_ digest: SHA256.Value) throws(CryptoError) -> Pin { Pin(SHA256Digest(digest)) }
}
