/// Reading what most entries, key sets and keys look like.
///
/// A manifest has hundreds of thousands of them, so their plainest form is read some bytes at a time. Whatever has
/// another form, a mistake included, is answered with nil and read by the scanner instead, from its beginning: it alone
/// says what is accepted, and the forms here are all accepted by it, with the same outcome.

/// An entry that was read before, as far as others repeat it byte for byte.
struct EntryPattern {
  /// From the opening brace to the host's first character.
  let before: Range<Int>
  /// From the quotation mark behind the key set's name to the closing brace.
  let after: Range<Int>
  /// What the repeated parts said.
  let record: HostRecord

  /// Takes an entry that was accepted; nil where its fields say something that others can't repeat.
  init?(_ entry: ScannedEntry, _ range: Range<Int>, _ record: HostRecord) {
    guard let keySet = entry.keySet, !entry.hasTrust, entry.mode != .off else { return nil }
    before = range.lowerBound..<entry.host.lowerBound
    after = keySet.upperBound..<range.upperBound
    self.record = record
  }
}

/// The two patterns that were new last: what a fleet's entries say differs in little, and often by turns.
struct EntryPatterns {
  private var last: EntryPattern?
  private var lastButOne: EntryPattern?

  /// Takes an entry that was accepted.
  mutating func add(_ entry: ScannedEntry, _ range: Range<Int>, _ record: HostRecord, of text: Span<UInt8>) {
    guard let pattern = EntryPattern(entry, range, record) else { return }
    func repeats(_ known: EntryPattern?) -> Bool {
      guard let known else { return false }
      return text.extracting(known.before).equals(text.extracting(pattern.before))
        && text.extracting(known.after).equals(text.extracting(pattern.after))
    }
    // An entry may have been scanned for its host's sake, and its pattern be known.
    guard !repeats(last), !repeats(lastButOne) else { return }
    lastButOne = last
    last = pattern
  }

  /// The entry at an offset, where it repeats a pattern, and the record of an entry of that pattern.
  @inline(__always)
  func plainEntry(in text: Span<UInt8>, at start: Int) -> (entry: PlainEntry, like: HostRecord)? {
    if let last, let plain = text.plainEntry(at: start, like: last) { return (plain, last.record) }
    if let lastButOne, let plain = text.plainEntry(at: start, like: lastButOne) { return (plain, lastButOne.record) }
    return nil
  }
}

/// An entry whose fields are those of another one, but for the host, its subdomains and the key set.
struct PlainEntry {
  let host: Range<Int>
  let includesSubdomains: Bool
  /// Where the key set's name begins.
  let keySet: Int
  /// Whether that is `host:` and the host.
  let namesSetOfHost: Bool
  let end: Int
}

/// A key of which nothing is said but its pin.
struct PlainKey {
  let name: Range<Int>
  let pin: SHA256Digest
  let end: Int
}

extension Span where Element == UInt8 {
  /// The entry at an offset, where it repeats a pattern.
  @inline(__always)
  func plainEntry(at start: Int, like pattern: EntryPattern) -> PlainEntry? {
    guard repeats(pattern.before, at: start) else { return nil }
    let host = start + pattern.before.count
    guard let hostEnd = endOfHost(from: host) else { return nil }
    var offset = hostEnd
    let includesSubdomains = holds("\",\"include-subdomains\":1,\"key-set\":\"", at: offset)
    if includesSubdomains {
      offset += 36
    } else {
      guard holds("\",\"key-set\":\"", at: offset) else { return nil }
      offset += 13
    }
    let keySet = offset
    let namesSetOfHost = holds("host:", at: offset) && repeats(host..<hostEnd + 1, at: offset + 5)
    if namesSetOfHost {
      offset += 5 + hostEnd - host
    } else {
      guard let end = endOfPlainKeySetName(from: offset) else { return nil }
      offset = end
    }
    guard repeats(pattern.after, at: offset) else { return nil }
    return PlainEntry(
      host: host..<hostEnd, includesSubdomains: includesSubdomains, keySet: keySet, namesSetOfHost: namesSetOfHost,
      end: offset + pattern.after.count)
  }

  /// Whether a key set's name is `host:` and this host.
  func isKeySet(_ name: Range<Int>, of host: Range<Int>) -> Bool {
    name.count == host.count + 5 && holds("host:", at: name.lowerBound) && repeats(host, at: name.lowerBound + 5)
  }

  /// The item of `keys` at an offset, where it says nothing but a pin.
  @inline(__always)
  func plainKey(at start: Int) -> PlainKey? {
    guard let name = endOfPlainName(at: start), holds("\":{\"pin\":\"", at: name) else { return nil }
    let end = name + 10 + PinText.byteCount
    guard holds(UInt8(ascii: "\""), at: end), holds(UInt8(ascii: "}"), at: end + 1),
      let pin = PinText.digest(in: self, at: name + 10)
    else { return nil }
    return PlainKey(name: start + 1..<name, pin: pin, end: end + 2)
  }

  /// Where the item of `key-sets` at an offset ends, which has keys of both kinds; they are added to the members.
  ///
  /// The name begins behind the offset, and ends at `nameEnd` where it is known already.
  @inline(__always)
  func plainKeySet(at start: Int, nameEnd: Int?, into members: inout [KeySetMember]) -> Int? {
    guard holds(UInt8(ascii: "\""), at: start), let name = nameEnd ?? endOfPlainKeySetName(from: start + 1),
      holds("\":{\"active\":[", at: name)
    else { return nil }
    let before = members.count
    if let active = plainKeyNames(at: name + 13, areBackups: false, into: &members),
      holds(",\"backup\":[", at: active),
      let backup = plainKeyNames(at: active + 11, areBackups: true, into: &members),
      holds(UInt8(ascii: "}"), at: backup), members.count - before <= FormatLimits.keysOfASet
    {
      return backup + 1
    }
    members.removeSubrange(before...)
    return nil
  }

  /// Where a list of sorted key names ends, which isn't empty, behind its bracket.
  @inline(__always)
  private func plainKeyNames(at start: Int, areBackups: Bool, into members: inout [KeySetMember]) -> Int? {
    var offset = start
    var last: Int?
    while true {
      guard let end = endOfPlainName(at: offset) else { return nil }
      if let last, !isOrdered(last, before: offset + 1) { return nil }
      last = offset + 1
      members.append(KeySetMember(nameOffset: offset + 1, isBackup: areBackups))
      if holds(UInt8(ascii: "]"), at: end + 1) { return end + 2 }
      guard holds(UInt8(ascii: ","), at: end + 1) else { return nil }
      offset = end + 2
    }
  }

  /// The end of a key set's name.
  @inline(__always)
  private func endOfPlainKeySetName(from start: Int) -> Int? {
    if holds("host:", at: start) {
      guard let end = endOfName(from: start + 5, takesColons: true), end - start <= 320,
        HostLabel.isLabel(extracting(start + 5..<end))
      else { return nil }
      return end
    }
    return endOfPlainName(at: start - 1)
  }

  /// The end of a name of at most 64 characters whose quotation mark stands at an offset.
  @inline(__always)
  private func endOfPlainName(at start: Int) -> Int? {
    guard holds(UInt8(ascii: "\""), at: start), let end = endOfName(from: start + 1), end > start + 1,
      end - start <= 65, ByteSet.lettersAndDigits.contains(self[start + 1])
    else { return nil }
    return end
  }
}
