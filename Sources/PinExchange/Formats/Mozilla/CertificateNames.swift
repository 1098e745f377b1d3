import Diagnostics
import OpenSSLKit
import PinFormat

/// Pins by the names that Mozilla gives to certificates, out of the files that have them.
struct CertificateNames {
  struct Named {
    var key: PinList.Key
    var place: Place
  }

  private(set) var keys: [String: Named] = [:]
  /// When the pins of Firefox's header expire.
  private(set) var expires: Instant?

  /// Reads Firefox's generated `StaticHPKPins.h`: a comment with the name, then the pin as a C string.
  /// (`security/manager/tools/genHPKPStaticPins.js`, `writeFingerprints`)
  mutating func readHeader(_ text: String, file: FileID) {
    var name: (text: String, line: Int)?
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = line.drop { $0 == " " }
      if line.hasPrefix("/* "), line.hasSuffix(" */") {
        name = (String(line.dropFirst(3).dropLast(3)), number + 1)
      } else if line.hasPrefix("\""), let named = name, let end = line.dropFirst().firstIndex(of: "\"") {
        let hash = String(line[line.index(after: line.startIndex)..<end])
        if let bytes = Base64.decode(hash.utf8), let digest = SHA256Digest(bytes) {
          add(PinList.Key(name: named.text, pin: Pin(digest)), named.text, line: named.line, of: file)
        }
        name = nil
      } else if line.hasPrefix("static const PRTime"), let open = line.lastIndex(of: "("),
        let micros = Int64(line[line.index(after: open)...].prefix { $0.isNumber })
      {
        expires = Instant(secondsSinceEpoch: micros / 1_000_000)
      }
    }
  }

  /// Reads certificates in PEM, each named by the line above it, as in curl's `cacert.pem`, or by its common name.
  mutating func readPEM(_ text: String, file: FileID) throws(ExchangeError) {
    var title = ""
    var block: [Substring] = []
    var start = 0
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = line.last == "\r" ? line.dropLast() : line
      if line.hasPrefix("-----BEGIN ") {
        (block, start) = ([line], number + 1)
      } else if !block.isEmpty {
        block.append(line)
        guard line.hasPrefix("-----END ") else { continue }
        try add(block.joined(separator: "\n") + "\n", title: title, line: start, of: file)
        (block, title) = ([], "")
      } else if !line.isEmpty, !line.allSatisfy({ $0 == "=" }) {
        title = line.hasPrefix("# ") ? String(line.dropFirst(2)) : String(line)
      }
    }
  }

  private mutating func add(_ pem: String, title: String, line: Int, of file: FileID) throws(ExchangeError) {
    do {
      for certificate in try Certificate.read(pem: Array(pem.utf8)) {
        let common = certificate.commonName ?? certificate.organization ?? certificate.subject
        let key = try PEMKey.key(certificate, name: title.isEmpty ? common : title)
        for name in [title, common] where !name.isEmpty { add(key, name, line: line, of: file) }
      }
    } catch {
      throw ExchangeError(.unusableKey, "the certificate in line \(line) can't be read: \(error.message)")
    }
  }

  private mutating func add(_ key: PinList.Key, _ name: String, line: Int, of file: FileID) {
    guard keys[name] == nil else { return }
    let place = Place(
      file: file, start: Position(line: line, column: 1), end: Position(line: line, column: 2))
    keys[name] = Named(key: key, place: place)
  }
}
