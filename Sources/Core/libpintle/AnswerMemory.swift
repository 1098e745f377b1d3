import CLibPintle
import PinFormat
import PinValidator

extension Answer {
  /// Lays the answer out in one block of memory, which `pintle_decision_free` frees.
  func inCallersMemory() -> UnsafeMutablePointer<pintle_decision> {
    // The same code measures and writes, so it can't write past the end.
    var measure = Arena(nil)
    _ = layOut(in: &measure)
    let block = UnsafeMutableRawPointer.allocate(byteCount: measure.count, alignment: Arena.alignment)
    let decision = block.bindMemory(to: pintle_decision.self, capacity: 1)
    var arena = Arena(block)
    decision.initialize(to: layOut(in: &arena))
    return decision
  }

  /// The structure, for which room is left at the beginning, and behind it what it points to.
  private func layOut(in arena: inout Arena) -> pintle_decision {
    _ = arena.reserve(MemoryLayout<pintle_decision>.size)
    var decision = pintle_decision()
    decision.size = MemoryLayout<pintle_decision>.size
    decision.verdict = Int32(verdict)
    decision.disposition = Int32(disposition.rawValue)
    decision.step = Int32(step)
    decision.events = events.rawValue
    decision.at = instant.secondsSinceEpoch
    decision.serial = serial
    decision.reason = arena.text(reason)
    decision.message = arena.text(message)
    if let entry { decision.entry = arena.text(entry) }
    if let clock { decision.clock = arena.text(clock) }
    let names = events.names
    decision.event_names = arena.list(names) { arena, name in arena.text(name) }
    decision.event_count = names.count
    decision.matches = arena.list(matches) { arena, match in
      pintle_match(key: arena.text(match.key), certificate: Int32(clamping: match.certificate), reserved: 0)
    }
    decision.match_count = matches.count
    decision.failures = arena.list(failures) { arena, failure in
      pintle_failure(
        code: arena.text(failure.code.description), message: arena.text(failure.explanation),
        certificate: failure.certificate.map { Int32(clamping: $0) } ?? -1, reserved: 0)
    }
    decision.failure_count = failures.count
    decision.chain = arena.list(chain) { arena, certificate in
      pintle_bytes(data: arena.bytes(certificate), size: certificate.count)
    }
    decision.chain_count = chain.count
    decision.required = arena.list(keys.required) { $0.key($1) }
    decision.required_count = keys.required.count
    decision.presented = arena.list(keys.presented) { $0.key($1) }
    decision.presented_count = keys.presented.count
    decision.requires_leaf_and_ca = keys.requiresLeafAndCA ? 1 : 0
    return decision
  }
}

/// Memory that is handed out from its beginning, or only counted where there is none.
private struct Arena {
  static let alignment = 16

  private let base: UnsafeMutableRawPointer?
  /// How much has been handed out.
  private(set) var count = 0

  init(_ base: UnsafeMutableRawPointer?) {
    self.base = base
  }

  /// The next bytes, aligned for anything.
  mutating func reserve(_ bytes: Int) -> UnsafeMutableRawPointer? {
    let start = (count + Self.alignment - 1) / Self.alignment * Self.alignment
    count = start + bytes
    return base.map { $0 + start }
  }

  /// A copy of some bytes.
  mutating func bytes(_ bytes: [UInt8]) -> UnsafeRawPointer? {
    let place = reserve(bytes.count)
    bytes.withUnsafeBytes { source in
      UnsafeMutableRawBufferPointer(start: place, count: place == nil ? 0 : bytes.count).copyBytes(
        from: place == nil ? UnsafeRawBufferPointer(start: nil, count: 0) : source)
    }
    return UnsafeRawPointer(place)
  }

  /// A copy of a text, with a zero byte at its end.
  mutating func text(_ text: String) -> UnsafePointer<CChar>? {
    let copy = bytes(Array(text.utf8) + [0])
    return copy?.assumingMemoryBound(to: CChar.self)
  }

  /// A key, with copies of its texts.
  mutating func key(_ key: DecisionKeys.Key) -> pintle_key {
    pintle_key(
      name: key.name.flatMap { text($0) }, pin: key.pin.flatMap { text($0.description) },
      certificate: key.certificate.map { Int32(clamping: $0) } ?? -1, position: key.position.value,
      status: key.status.value, reserved: 0)
  }

  /// A list whose items may take memory of their own; nil where it is empty.
  mutating func list<Source, Item: BitwiseCopyable>(
    _ sources: [Source], _ item: (inout Arena, Source) -> Item
  ) -> UnsafePointer<Item>? {
    guard !sources.isEmpty else { return nil }
    let place = reserve(sources.count * MemoryLayout<Item>.stride)
    for (index, source) in sources.enumerated() {
      let made = item(&self, source)
      place?.storeBytes(of: made, toByteOffset: index * MemoryLayout<Item>.stride, as: Item.self)
    }
    return UnsafePointer(place?.assumingMemoryBound(to: Item.self))
  }
}

extension ChainPosition? {
  /// Its value in the header.
  fileprivate var value: UInt32 {
    switch self {
    case nil: UInt32(PINTLE_POSITION_ANY)
    case .leaf: UInt32(PINTLE_POSITION_LEAF)
    case .intermediate: UInt32(PINTLE_POSITION_INTERMEDIATE)
    case .root: UInt32(PINTLE_POSITION_ROOT)
    }
  }
}

extension DecisionKeys.Status? {
  /// Its value in the header.
  fileprivate var value: UInt32 {
    switch self {
    case nil: UInt32(PINTLE_KEY_UNKNOWN)
    case .active: UInt32(PINTLE_KEY_ACTIVE)
    case .backup: UInt32(PINTLE_KEY_BACKUP)
    case .denied: UInt32(PINTLE_KEY_DENIED)
    }
  }
}
