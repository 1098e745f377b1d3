import PinFormat

/// What a version of a keyset says in words, for those who are to sign it: all of it, or what it changes.
///
/// Keys are distinguished by their ids, not by the names that a version gives to them.
package struct KeysetChanges: Sendable {
  /// One sentence each, names in single quotes, no full stop; none where the two say the same.
  package private(set) var sentences: [String] = []

  /// What the first version says.
  package init(of first: KeysetFile) {
    let keyset = first.keyset
    say(of: .roots, from: nil, to: first)
    say(of: .signers, from: nil, to: first)
    if keyset.minimumSerial > 1 { say("manifests with a serial below \(keyset.minimumSerial) are rejected") }
    if keyset.serialEpoch > 1 { say("serials are those of epoch \(keyset.serialEpoch)") }
    if !keyset.critical.isEmpty { say(ofCritical: keyset.critical) }
    say("it is issued \(keyset.issued)")
    say("it expires \(keyset.expires)")
  }

  /// What a version changes.
  package init(from last: KeysetFile, to next: KeysetFile) {
    say(of: .roots, from: last, to: next)
    say(of: .signers, from: last, to: next)
    for member in next.keyring.members {
      if let before = last.keyring[member.keyID], before.name != member.name {
        say("the key of '\(before.name)' is called '\(member.name)' now")
      }
    }
    serials(from: last.keyset, to: next.keyset)
    if last.keyset.critical != next.keyset.critical { say(ofCritical: next.keyset.critical) }
    instant("it is issued", \.issued, from: last.keyset, to: next.keyset)
    instant("it expires", \.expires, from: last.keyset, to: next.keyset)
  }

  private mutating func instant(
    _ what: String, _ field: KeyPath<Keyset, Instant>, from last: Keyset, to next: Keyset
  ) {
    let (before, after) = (last[keyPath: field], next[keyPath: field])
    if before != after { say("\(what) \(after), before: \(before)") }
  }

  private mutating func say(_ sentence: String) { sentences.append(sentence) }

  private mutating func say(ofCritical extensions: [String]) {
    let names = extensions.map { "'\($0)'" }.joined(separator: ", ")
    say(
      names.isEmpty
        ? "clients no longer need any extension" : "only clients that support these extensions accept it: \(names)")
  }

  private mutating func say(of part: Part, from last: KeysetFile?, to next: KeysetFile) {
    let before = last.map { part.members($0.keyring) } ?? []
    let after = part.members(next.keyring)
    for member in before where !after.contains(where: { $0.keyID == member.keyID }) {
      say("'\(member.name)' may no longer sign \(part.what) (\(member.algorithm.name) \(member.keyID.hex))")
    }
    for member in after where !before.contains(where: { $0.keyID == member.keyID }) {
      say("'\(member.name)' may sign \(part.what) (\(member.algorithm.name) \(member.keyID.hex))")
    }
    let needed = Self.needed(part.role(next.keyset))
    guard let last else {
      say("\(part.what) need \(needed)")
      return
    }
    let neededBefore = Self.needed(part.role(last.keyset))
    if needed != neededBefore { say("\(part.what) need \(needed), before: \(neededBefore)") }
  }

  private static func needed(_ role: Keyset.Role) -> String {
    "\(role.threshold) of \(role.keys.count) signature\(role.keys.count == 1 ? "" : "s")"
  }

  private mutating func serials(from last: Keyset, to next: Keyset) {
    if next.serialEpoch != last.serialEpoch {
      say(
        "serials begin again at \(next.minimumSerial), in epoch \(next.serialEpoch): "
          + "clients accept them after higher ones")
    } else if next.minimumSerial != last.minimumSerial {
      say("manifests with a serial below \(next.minimumSerial) are rejected, before: below \(last.minimumSerial)")
    }
  }
}

/// One of the two roles, with what its keys sign.
private struct Part: Sendable {
  var what: String
  var members: @Sendable (Keyring) -> [Keyring.Member]
  var role: @Sendable (Keyset) -> Keyset.Role

  static let roots = Part(what: "keysets", members: { $0.roots }, role: { $0.roots })
  static let signers = Part(what: "manifests", members: { $0.signers }, role: { $0.signers })
}
