import PinFormat

/// How fast the queue may send, across restarts: the token bucket, and which addresses are let alone for a while.
struct QueuePace: Sendable {
  static let fileName = "pace"

  /// An address that didn't take reports.
  struct Pause: Hashable, Sendable {
    var failures: Int
    var until: Instant
  }

  var bucket: TokenBucket
  var pauses: [String: Pause] = [:]

  init(_ limits: ReportLimits, at now: Instant) {
    bucket = TokenBucket(capacity: limits.burst, secondsPerToken: limits.secondsPerDelivery, since: now)
  }

  /// The file's bytes; nil where libcrypto fails.
  func file() -> [UInt8]? {
    var lines = SealedLines("pintle-pace")
    lines.line("tokens", String(bucket.tokens), bucket.since.word)
    for (uri, pause) in pauses { lines.line("pause", String(pause.failures), pause.until.word, uri) }
    return lines.sealed()
  }

  /// Reads a file back; nil where anything about it isn't right.
  static func read(_ bytes: [UInt8], _ limits: ReportLimits) -> QueuePace? {
    guard let (lines, rest) = SealedLines.read(bytes, kind: "pintle-pace"), rest.isEmpty, let first = lines.first,
      first.count == 3, first[0] == "tokens", let tokens = Int(first[1]), let since = Instant(word: first[2])
    else { return nil }
    var pace = QueuePace(limits, at: since)
    pace.bucket = TokenBucket(
      capacity: limits.burst, secondsPerToken: limits.secondsPerDelivery, tokens: tokens, since: since)
    for line in lines.dropFirst() {
      guard line.count == 4, line[0] == "pause", let failures = Int(line[1]), (0...64).contains(failures),
        let until = Instant(word: line[2])
      else {
        return nil
      }
      pace.pauses[line[3]] = Pause(failures: failures, until: until)
    }
    return pace
  }
}
