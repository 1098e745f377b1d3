import OpenSSLKit
import PinFormat

/// A report in the queue, without its bytes: where it goes, and what came of that so far.
struct QueuedReport: Sendable {
  /// One of the addresses.
  struct Address: Sendable {
    enum State: String, Sendable {
      case pending
      case delivered
      case rejected
    }

    let uri: String
    var state = State.pending
    var attempts = 0
    /// From when on it may be tried.
    var notBefore: Instant
  }

  let number: UInt64
  /// What it is about, so that it isn't queued twice: an aggregate's name, or nothing.
  let subject: String
  let created: Instant
  let mediaType: String
  var addresses: [Address]
  let digest: SHA256Digest
  let bodyBytes: Int
  /// The size of its file, at least: what counts against the limit.
  var fileBytes: Int { addresses.reduce(bodyBytes + 384) { $0 + $1.uri.utf8.count + 64 } }

  var isFinished: Bool { !addresses.contains { $0.state == .pending } }
  var pendingCount: Int { addresses.count { $0.state == .pending } }

  /// The name of its file; the names sort as the reports do.
  var fileName: String { Self.fileName(number) }

  static let prefix = "report-"
  /// More than there is time for.
  static let maximumAttempts = 1_000_000

  static func fileName(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return prefix + String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// The number in a file's name.
  static func number(ofFile name: String) -> UInt64? {
    guard name.hasPrefix(prefix), name.utf8.count == prefix.utf8.count + 16 else { return nil }
    // The last number is reserved, so there is always a next one.
    guard let number = UInt64(name.dropFirst(prefix.utf8.count), radix: 16), fileName(number) == name,
      number < UInt64(Int64.max)
    else { return nil }
    return number
  }
}

extension QueuedReport {
  /// The file's bytes; nil where libcrypto fails.
  func file(body: [UInt8]) -> [UInt8]? {
    var lines = SealedLines("pintle-report")
    lines.line("created", created.word)
    lines.line("type", mediaType)
    if !subject.isEmpty { lines.line("subject", subject) }
    for address in addresses {
      lines.line("to", address.state.rawValue, String(address.attempts), address.notBefore.word, address.uri)
    }
    lines.line("body", String(bodyBytes), digest.hex)
    return lines.sealed().map { $0 + body }
  }

  /// Reads a file back; nil where anything about it isn't right, its body included.
  static func read(_ bytes: [UInt8], number: UInt64) -> (report: QueuedReport, body: [UInt8])? {
    guard let (lines, rest) = SealedLines.read(bytes, kind: "pintle-report") else { return nil }
    var created: Instant?
    var mediaType: String?
    var subject = ""
    var addresses: [Address] = []
    var digest: SHA256Digest?
    var count = -1
    for line in lines {
      switch (line.first, line.count) {
      case ("created", 2): created = Instant(word: line[1])
      case ("type", 2): mediaType = line[1]
      case ("subject", 2): subject = line[1]
      case ("to", 5):
        guard let state = Address.State(rawValue: line[1]), let attempts = Int(line[2]),
          (0...maximumAttempts).contains(attempts),
          let notBefore = Instant(word: line[3])
        else { return nil }
        addresses.append(Address(uri: line[4], state: state, attempts: attempts, notBefore: notBefore))
      case ("body", 3):
        count = Int(line[1]) ?? -1
        digest = SHA256Digest(hex: line[2].utf8)
      default: return nil
      }
    }
    let body = Array(rest)
    guard let created, let mediaType, let digest, !addresses.isEmpty, body.count == count,
      let found = try? SHA256.digest(of: body), SHA256Digest(found) == digest
    else { return nil }
    let report = QueuedReport(
      number: number, subject: subject, created: created, mediaType: mediaType, addresses: addresses, digest: digest,
      bodyBytes: count)
    return (report, body)
  }
}
