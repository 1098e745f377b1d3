import Diagnostics
import PinFormat

/// What two manifests call their keys, and why they deny them: what a comparison of hosts, which goes by pins, leaves
/// out.
struct KeyTableChanges {
  /// One line each: what goes, what comes, and what a name stands for now.
  let lines: [String]

  init(from before: Manifest, to after: Manifest) {
    let old = Dictionary(before.keys.map { ($0.name, $0) }) { first, _ in first }
    let new = Dictionary(after.keys.map { ($0.name, $0) }) { first, _ in first }
    var lines = before.keys.filter { new[$0.name] == nil }.map { "- " + Self.words($0) }
    lines += after.keys.filter { old[$0.name] == nil }.map { "+ " + Self.words($0) }
    for key in after.keys {
      guard let was = old[key.name], was != key else { continue }
      lines.append("- " + Self.words(was))
      lines.append("+ " + Self.words(key))
    }
    self.lines = lines
  }

  /// `api-2027 (sha256/…, leaf)`, with the reason of a key that is denied.
  private static func words(_ key: Manifest.Key) -> String {
    let position = key.position.map { ", " + $0.rawValue } ?? ""
    let denied = key.denied.map { ", denied: " + $0 } ?? ""
    return VisibleText.of("\(key.name) (\(key.pin)\(position))\(denied)")
  }

  func text() -> String {
    lines.isEmpty ? "" : "keys of the manifest\n" + lines.map { "  " + $0 + "\n" }.joined()
  }
}
