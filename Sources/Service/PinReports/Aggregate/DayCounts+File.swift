import PinFormat

extension DayCounts {
  static let prefix = "counts-"

  /// The days that a report can name.
  private static let days = Instant.earliest.day...Instant.latest.day

  /// The name of its file.
  var fileName: String { Self.prefix + String(day) }

  /// The file's bytes; nil where libcrypto fails.
  func file() -> [UInt8]? {
    var lines = SealedLines("pintle-counts")
    lines.line("day", String(day), String(name))
    lines.line("not-pinned", String(notPinned))
    for (name, counts) in manifests {
      let (serial, count) = (String(name.serial), String(counts.decisions))
      // An audience may have spaces: it is the rest of the line.
      if let audience = name.audience {
        lines.line("manifest", serial, count, counts.keysetVersion.map { String($0) } ?? "-", audience)
      } else {
        lines.line("manifest", serial, count)
      }
    }
    for (key, count) in ungoverned { lines.line("ungoverned", String(count), key.kind, key.code ?? "-") }
    for (reason, count) in dropped { lines.line("drop", String(count), reason.rawValue) }
    lines.host("-", others)
    for (label, host) in hosts { lines.host(label, host) }
    return lines.sealed()
  }

  /// Reads a file back; nil where anything about it isn't right.
  static func read(_ bytes: [UInt8]) -> DayCounts? {
    guard let (lines, rest) = SealedLines.read(bytes, kind: "pintle-counts"), rest.isEmpty, let head = lines.first,
      head.count == 3, head[0] == "day", let day = Int64(head[1]), Self.days.contains(day), let name = UInt64(head[2])
    else { return nil }
    var counts = DayCounts(day: day, name: name)
    var label = "-"
    for line in lines.dropFirst() {
      if line.first == "host", line.count == 9 {
        guard let host = HostCounts(line) else { return nil }
        label = line[1]
        counts.set(label, host)
        continue
      }
      switch (line.first, line.count) {
      case ("not-pinned", 2): counts.notPinned = Int64(line[1]) ?? 0
      // Files of earlier versions have neither keyset nor audience.
      case ("manifest", 3), ("manifest", 5...):
        guard let serial = Int64(line[1]), let count = Int64(line[2]) else { return nil }
        let audience = line.count > 3 ? line[4...].joined(separator: " ") : nil
        counts.manifests[ManifestName(serial: serial, audience: audience)] = ManifestCounts(
          decisions: count, keysetVersion: line.count > 3 ? Int64(line[3]) : nil)
      case ("ungoverned", 4):
        guard let count = Int64(line[1]) else { return nil }
        counts.ungoverned[FailureNames(kind: line[2], code: line[3] == "-" ? nil : line[3])] = count
      case ("drop", 3):
        guard let count = Int64(line[1]), let reason = DropReason(rawValue: line[2]) else { return nil }
        counts.dropped[reason] = count
      default:
        var host = label == "-" ? counts.others : counts.hosts[label] ?? counts.others
        guard host.read(line) else { return nil }
        counts.set(label, host)
      }
    }
    return counts
  }

  private mutating func set(_ label: String, _ host: HostCounts) {
    if label == "-" { others = host } else { hosts[label] = host }
  }
}

extension HostCounts {
  /// Reads the line that begins a host.
  fileprivate init?(_ line: [String]) {
    guard let mode = Mode(rawValue: line[2]), let successes = Int64(line[3]), let backups = Int64(line[4]),
      let mismatches = Int64(line[5]), let otherPins = Int64(line[6])
    else { return nil }
    self.init(mode: mode)
    self.successes = successes
    backupMatches = backups
    reportOnlyMismatches = mismatches
    self.otherPins = otherPins
    firstFailure = Instant(word: line[7])
    lastFailure = Instant(word: line[8])
  }

  /// Reads a line that belongs to a host.
  fileprivate mutating func read(_ line: [String]) -> Bool {
    switch (line.first, line.count) {
    case ("uri", 2): uris.append(line[1])
    case ("failure", 4):
      guard let count = Int64(line[1]) else { return false }
      failures[FailureNames(kind: line[2], code: line[3] == "-" ? nil : line[3])] = count
    case ("pin", 6):
      guard let pin = try? Pin(line[1]), let position = ChainPosition(rawValue: line[2]),
        let first = Instant(word: line[3]), let last = Instant(word: line[4]), let count = Int64(line[5])
      else { return false }
      pins[Place(pin: pin, position: position)] = Sightings(first: first, last: last, count: count)
    default: return false
    }
    return true
  }
}

extension SealedLines {
  fileprivate mutating func host(_ label: String, _ host: HostCounts) {
    line(
      "host", label, host.mode.rawValue, String(host.successes), String(host.backupMatches),
      String(host.reportOnlyMismatches), String(host.otherPins), host.firstFailure?.word ?? "-",
      host.lastFailure?.word ?? "-")
    for uri in host.uris { line("uri", uri) }
    for (key, count) in host.failures { line("failure", String(count), key.kind, key.code ?? "-") }
    for (place, seen) in host.pins {
      line(
        "pin", place.pin.description, place.position.rawValue, seen.first.word, seen.last.word, String(seen.count))
    }
  }
}
