import PinFormat

extension AggregateReport {
  /// The report as it is sent: canonical JSON (RFC 8785), numbers of zero and empty lists left out.
  public func encoded() -> [UInt8] {
    var writer = CanonicalWriter(capacity: 1_024)
    writer.field("day", first: true)
    writer.string(String(day.description.prefix(10)))
    let drops = dropped.filter { $0.value > 0 }.sorted { $0.key < $1.key }
    if !drops.isEmpty {
      writer.field("dropped")
      writer.byte("[")
      for index in drops.indices {
        if index > 0 { writer.byte(",") }
        writer.field("count", first: true)
        writer.integer(drops[index].value)
        writer.field("reason")
        writer.string(drops[index].key.rawValue)
        writer.byte("}")
      }
      writer.byte("]")
    }
    if !hosts.isEmpty {
      writer.field("hosts")
      writer.list(hosts) { $0.host($1) }
    }
    writer.field("id")
    writer.string(id)
    if !manifests.isEmpty {
      writer.field("manifests")
      writer.list(manifests) { writer, manifest in
        var isFirst = true
        if let audience = manifest.audience {
          writer.field("audience", first: &isFirst)
          writer.string(audience)
        }
        writer.field("decisions", first: &isFirst)
        writer.integer(manifest.decisions)
        if let version = manifest.keysetVersion {
          writer.field("keyset-version")
          writer.integer(version)
        }
        writer.field("serial")
        writer.integer(manifest.serial)
        writer.byte("}")
      }
    }
    writer.number("not-pinned", notPinned)
    if otherHosts != Counts() {
      writer.field("other-hosts")
      writer.byte("{")
      var isFirst = true
      writer.counts(otherHosts, first: &isFirst)
      writer.byte("}")
    }
    writer.field("reporter")
    writer.string(reporter)
    writer.field("type")
    writer.string(Self.mediaType)
    if !ungoverned.isEmpty {
      writer.field("ungoverned")
      writer.list(ungoverned) { $0.failure($1) }
    }
    writer.field("version")
    writer.integer(1)
    writer.byte("}")
    return writer.bytes
  }
}

extension CanonicalWriter {
  /// Writes a field behind others, unless it is zero.
  fileprivate mutating func number(_ name: StaticString, _ value: Int64) {
    guard value != 0 else { return }
    field(name)
    integer(value)
  }

  fileprivate mutating func host(_ host: AggregateReport.Host) {
    let counts = host.counts
    byte("{")
    var isFirst = true
    number("backup-matches", counts.backupMatches, first: &isFirst)
    name("entry", first: &isFirst)
    string(host.entry)
    if !host.failingPins.isEmpty {
      field("failing-pins")
      list(host.failingPins) { $0.failingPin($1) }
    }
    if !counts.failures.isEmpty {
      field("failures")
      list(counts.failures) { $0.failure($1) }
    }
    if let first = host.firstFailure {
      field("first-failure")
      instant(first)
    }
    if let last = host.lastFailure {
      field("last-failure")
      instant(last)
    }
    field("mode")
    string(host.mode.rawValue)
    number("other-failing-pins", host.otherFailingPins)
    number("report-only-mismatches", counts.reportOnlyMismatches)
    number("successes", counts.successes)
    byte("}")
  }

  /// Writes counts into an object that has been opened.
  fileprivate mutating func counts(_ counts: AggregateReport.Counts, first: inout Bool) {
    number("backup-matches", counts.backupMatches, first: &first)
    if !counts.failures.isEmpty {
      name("failures", first: &first)
      list(counts.failures) { $0.failure($1) }
    }
    number("report-only-mismatches", counts.reportOnlyMismatches, first: &first)
    number("successes", counts.successes, first: &first)
  }

  private mutating func number(_ text: StaticString, _ value: Int64, first: inout Bool) {
    guard value != 0 else { return }
    name(text, first: &first)
    integer(value)
  }

  /// Writes a field's name into an object that has been opened.
  private mutating func name(_ text: StaticString, first: inout Bool) {
    if !first { byte(",") }
    first = false
    byte("\"")
    literal(text)
    literal("\":")
  }

  fileprivate mutating func failure(_ failure: AggregateReport.Failure) {
    var isFirst = true
    if let code = failure.code {
      field("code", first: &isFirst)
      string(code)
    }
    field("count", first: &isFirst)
    integer(failure.count)
    field("kind")
    string(failure.kind)
    byte("}")
  }

  fileprivate mutating func failingPin(_ seen: AggregateReport.FailingPin) {
    field("count", first: true)
    integer(seen.count)
    field("first")
    instant(seen.first)
    field("last")
    instant(seen.last)
    field("pin")
    string(seen.pin.description)
    field("position")
    string(seen.position.rawValue)
    byte("}")
  }
}
