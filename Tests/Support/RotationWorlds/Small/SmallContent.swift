import PinFormat
import PinValidator

/// What a release of a small world says: which of three keys two hosts may present, and which one is denied.
///
/// The parent's entry includes its subdomains, so the child without an entry of its own has the parent's.
package struct SmallContent: Hashable, Sendable {
  /// The keys of the parent's entry, bit 0 for key 1; none for no entry.
  package var parent: Int
  /// The keys of the child's entry; none for no entry.
  package var child: Int
  /// The denied key; 0 for none.
  package var denied: Int

  package static let parentHost = "b.test"
  package static let childHost = "a.b.test"

  package init(parent: Int, child: Int, denied: Int) {
    self.parent = parent
    self.child = child
    self.denied = denied
  }

  /// Every content: 8 by 8 sets of keys, and 4 answers to which key is denied.
  package static let all: [SmallContent] = (0..<256).map {
    SmallContent(parent: $0 & 7, child: $0 >> 3 & 7, denied: $0 >> 6)
  }

  /// Those that differ for the child: a parent's entry beside one of the child's own says nothing to it.
  package static let ofTheChild = all.filter { $0.child == 0 || $0.parent == 0 }

  /// Whether clients let a host present a key, as the model's text has it; 0 is a key that nobody knows.
  package func accepts(_ key: Int, atChild: Bool) -> Bool {
    var keys = parent
    if atChild, child != 0 { keys = child }
    if keys == 0 { return true }
    if key == 0 || key == denied { return false }
    return keys >> (key - 1) & 1 == 1
  }

  /// The release that says this.
  package func release(_ origin: PlainRelease.Origin, issued: Int) -> PlainRelease {
    var entries: [PlainEntry] = []
    if parent != 0 { entries.append(PlainEntry(Self.parentHost, subdomains: true, keys: Self.keys(parent))) }
    if child != 0 { entries.append(PlainEntry(Self.childHost, keys: Self.keys(child))) }
    return PlainRelease(origin, issued: issued, entries, denied: denied == 0 ? [] : [denied])
  }

  private static func keys(_ set: Int) -> [PlainKey] {
    (1...3).filter { set >> ($0 - 1) & 1 == 1 }.map { PlainKey($0) }
  }
}
