package import Diagnostics
import PinFormat

/// Merges files of evidence as streams.
///
/// In memory are a piece of each, and where each certificate is. All files are open at once.
///
/// What wins is decided by ``Evidence/merging(_:_:)`` for what files say of themselves, and by the same order for targets.
package struct EvidenceMerge {
  /// What was merged, without targets, and how much of it there is.
  package private(set) var head: Evidence
  package private(set) var targets = 0
  package private(set) var certificates = 0
  private let parts: [EvidencePieces]
  /// The next targets of each part, the last one first.
  private var pieces: [[Evidence.Target]]
  /// The next target of each part, in descending order.
  private var waiting: [(target: Evidence.Target, part: Int)] = []

  /// Opens files, and finds out whether they can be merged.
  package init(_ paths: [String]) throws(WorkFailure) {
    var parts: [EvidencePieces] = []
    for path in paths { parts.append(try EvidencePieces(path, most: max(8, 4_096 / paths.count))) }
    self.parts = parts
    pieces = parts.map { _ in [] }
    do {
      head = try Evidence.merging(parts[0].head, parts.dropFirst().map(\.head))
    } catch {
      throw WorkFailure(.failed, "the records can't be merged: \(error.message)", help: error.help)
    }
  }

  /// Writes the merged file, as a whole or not at all.
  package mutating func write(to path: String) throws(WorkFailure) {
    for part in parts {
      for store in part.head.stores { part.keep(store.anchors) }
    }
    // Certificates come first, and which are named is known only when all targets are chosen.
    var chosen = try Spool()
    for part in parts.indices { try advance(part) }
    var current: (target: Evidence.Target, part: Int)?
    while let next = waiting.popLast() {
      try advance(next.part)
      guard let last = current else {
        current = next
        continue
      }
      if last.target.host == next.target.host, last.target.port == next.target.port {
        if next.target.isPreferred(to: last.target) { current = next }
      } else {
        try choose(last, &chosen)
        current = next
      }
    }
    if let current { try choose(current, &chosen) }

    var file = try StreamedFile(path)
    var writer = CanonicalWriter(capacity: 64)
    head.writeBeginning(to: &writer)
    try file.write(writer.bytes)
    try writeCertificates(to: &file)
    writer = CanonicalWriter(capacity: 1_024)
    head.writeMiddle(to: &writer)
    try file.write(writer.bytes)
    if targets > 0 {
      try file.write(Array(#","targets":["#.utf8))
      try chosen.copy(to: &file)
      try file.write([UInt8(ascii: "]")])
    }
    writer = CanonicalWriter(capacity: 1_024)
    head.writeEnd(to: &writer)
    try file.write(writer.bytes)
    try file.finish()
  }

  private mutating func choose(_ one: (target: Evidence.Target, part: Int), _ chosen: inout Spool) throws(WorkFailure) {
    targets += 1
    guard targets <= EvidenceLimits.streamedTargets else {
      throw WorkFailure(
        .failed, "the records have more than \(EvidenceLimits.streamedTargets) hosts, the limit of one file",
        help: "Evaluate the records one by one instead.")
    }
    for address in one.target.addresses {
      for visit in address.visits { parts[one.part].keep(visit.served?.chain ?? []) }
    }
    try chosen.write((targets > 1 ? [UInt8(ascii: ",")] : []) + one.target.encoded())
  }

  /// Puts a part's next target in its place among the others.
  private mutating func advance(_ part: Int) throws(WorkFailure) {
    if pieces[part].isEmpty {
      guard let piece = try parts[part].next() else { return }
      pieces[part] = piece.targets.reversed()
    }
    guard let target = pieces[part].popLast() else { return }
    waiting.insert((target, part)) { $0.target.precedes($1.target) }
  }

  private mutating func writeCertificates(to file: inout StreamedFile) throws(WorkFailure) {
    var rest = parts.map { $0.certificates[...] }
    // The next certificate of each part, in descending order.
    var waiting: [(entry: EvidencePieces.Entry, part: Int)] = []
    func advance(_ part: Int) {
      rest[part] = rest[part].drop { !$0.isKept }
      guard let entry = rest[part].popFirst() else { return }
      waiting.insert((entry, part)) { $0.entry.fingerprint < $1.entry.fingerprint }
    }
    for part in parts.indices { advance(part) }
    var last: SHA256Digest?
    while let (entry, part) = waiting.popLast() {
      advance(part)
      guard entry.fingerprint != last else { continue }
      last = entry.fingerprint
      let start = certificates == 0 ? #","certificates":{""# : ",\""
      try file.write(Array((start + entry.fingerprint.hex + "\":").utf8) + parts[part].text(of: entry))
      certificates += 1
    }
    if certificates > 0 { try file.write([UInt8(ascii: "}")]) }
  }
}

extension Array {
  /// Inserts an element in its place in a list in descending order.
  fileprivate mutating func insert(_ element: Element, by precedes: (Element, Element) -> Bool) {
    insert(element, at: partitioningIndex { !precedes(element, $0) })
  }
}

extension EvidenceMergeError {
  /// What to do about it.
  fileprivate var help: String {
    switch self {
    case .shardCounts: "Merge shards of the same division only, such as 1/10 to 10/10."
    case .stores: "Probe all of them with the same trust stores."
    case .certificate: "At least one of the files was changed. Record it again."
    case .targets, .anchors: "Evaluate the records one by one instead."
    }
  }
}
