import Diagnostics
import PinFormat
import PinStudies

/// What differs between the keys, key sets and certificates of two manifests, by name: what a comparison of hosts, which
/// goes by pins, leaves out.
struct TableChanges {
  /// One line each: what goes, what comes, and what a name stands for now.
  let keys: [String]
  private let keySets: [(words: String, names: [String])]
  private let certificates: [String]

  init(from before: Manifest, to after: Manifest) {
    keys = Self.differences(before.keys.map(Self.words), after.keys.map(Self.words)).map {
      $0.mark + $0.name + $0.words
    }
    // Sets that differ in the same way, such as those that entries have of their own, are shown as one.
    var sets: [(words: String, names: [String])] = []
    var numbers: [String: Int] = [:]
    for change in Self.differences(before.keySets.map(Self.words), after.keySets.map(Self.words)) {
      let words = change.mark + change.words
      if let number = numbers[words] {
        sets[number].names.append(change.name)
      } else {
        numbers[words] = sets.count
        sets.append((words, [change.name]))
      }
    }
    keySets = sets
    let subjects = CertificateSubjects(of: [before, after], .whole)
    func words(_ certificate: Manifest.Certificate) -> (name: String, words: String) {
      let name = "sha256:\(certificate.fingerprint.hex)"
      return (name, "\(subjects.named(name).dropFirst(name.count)), \(certificate.der.count) bytes")
    }
    certificates = Self.differences(before.certificates.map(words), after.certificates.map(words))
      .map { $0.mark + $0.name + VisibleText.of($0.words) }
  }

  /// `api-2027` and ` (sha256/…, leaf)`, with the reason of a key that is denied.
  private static func words(_ key: Manifest.Key) -> (name: String, words: String) {
    let position = key.position.map { ", " + $0.rawValue } ?? ""
    let denied = key.denied.map { ", denied: " + $0 } ?? ""
    return (VisibleText.of(key.name), VisibleText.of(" (\(key.pin)\(position))\(denied)"))
  }

  private static func words(_ set: Manifest.KeySet) -> (name: String, words: String) {
    let lists = [set.active, set.backup].map { $0.isEmpty ? "none" : $0.joined(separator: ", ") }
    return (VisibleText.of(set.name), VisibleText.of("active \(lists[0]); backup \(lists[1])"))
  }

  private typealias Named = (name: String, words: String)

  /// What goes, what comes, then both of what changes, byte by byte.
  private static func differences(_ before: [Named], _ after: [Named]) -> [(mark: String, name: String, words: String)]
  {
    let old = Dictionary(before.map { ($0.name, $0.words) }) { first, _ in first }
    let new = Dictionary(after.map { ($0.name, $0.words) }) { first, _ in first }
    var found = before.filter { new[$0.name] == nil }.map { (mark: "- ", name: $0.name, words: $0.words) }
    found += after.filter { old[$0.name] == nil }.map { ("+ ", $0.name, $0.words) }
    for now in after {
      guard let was = old[now.name], !was.utf8.elementsEqual(now.words.utf8) else { continue }
      found += [("- ", now.name, was), ("+ ", now.name, now.words)]
    }
    return found
  }

  func text() -> String {
    var sets: [String] = []
    for set in keySets {
      let names = FoldedNames.lines(set.names, width: 100)
      sets.append("\(set.words.prefix(2))\(names.joined(separator: "\n    ")): \(set.words.dropFirst(2))")
    }
    return [("keys", keys), ("key sets", sets), ("certificates", certificates)].filter { !$0.1.isEmpty }
      .map { title, lines in "\(title) of the manifest\n" + lines.map { "  \($0)\n" }.joined() }
      .joined(separator: "\n")
  }
}
