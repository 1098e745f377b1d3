package import PinFormat

/// What a file of a signing event is, by its path in the folder `event`.
///
/// Drafts are `8.json` and `2.keyset.json`, or the same in a folder of the audience's name. The signatures of a draft are
/// beside it: `8.signatures/KEYID.json`; and so is the reason of an unsafe one: `8.reason`. Nobody's signature is in the file of another one, so that pushes don't conflict.
package enum EventPath: Hashable, Sendable {
  case manifest
  case keyset
  /// A signature by a key on the draft at a path.
  case signature(of: String, by: SHA256Digest)
  /// Why the draft of a manifest at a path is unsafe.
  case reason(of: String)

  /// The folder of the repository that has the drafts and their signatures.
  package static let folder = "event"

  private static let file = ".json"
  private static let signatures = ".signatures"
  package static let reason = ".reason"

  /// Nil for anything else: other names, hidden files, deeper folders.
  package init?(_ path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let name = parts.last, parts.allSatisfy(Self.isPlain) else { return nil }
    let folders = parts.dropLast()
    if name.hasSuffix(Self.reason) {
      let draft = String(path.dropLast(Self.reason.count)) + Self.file
      guard EventPath(draft) == .manifest else { return nil }
      self = .reason(of: draft)
      return
    }
    guard name.hasSuffix(Self.file) else { return nil }
    if let folder = folders.last, folder.hasSuffix(Self.signatures) {
      let id = name.dropLast(Self.file.count)
      guard folders.count <= 2, folder.count > Self.signatures.count, let key = SHA256Digest(hex: id.utf8)
      else { return nil }
      let draft = folders.joined(separator: "/").dropLast(Self.signatures.count) + Self.file
      self = .signature(of: String(draft), by: key)
    } else {
      guard folders.count <= 1 else { return nil }
      self = name.hasSuffix(KeysetFiles.suffix) ? .keyset : .manifest
    }
  }

  /// The folder of a draft's signatures; nil where the draft's name doesn't end in `.json`.
  package static func signatures(of draft: String) -> String? {
    let name = draft.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard name.hasSuffix(file), name.utf8.count > file.utf8.count else { return nil }
    return draft.dropLast(file.count) + signatures
  }

  /// The name of a key's signature in that folder.
  package static func name(of keyID: SHA256Digest) -> String { keyID.hex + file }

  /// Names that need no quotes anywhere, and aren't hidden.
  package static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.first != UInt8(ascii: ".") && name.utf8.first != UInt8(ascii: "-")
      && name.utf8.count <= 128
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}
