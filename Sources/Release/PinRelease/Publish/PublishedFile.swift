import Diagnostics
import PinFormat
import PinPolicy

/// A file that clients fetch, and what becomes of it (docs/ci.md).
package struct PublishedFile: Sendable {
  package enum Kind: String, Sendable {
    /// A version of the keyset.
    case keyset
    /// A release under its serial, which never changes.
    case manifest
    /// The newest release, under the one name that clients know.
    case pointer
  }

  package enum Action: String, Sendable {
    /// The same bytes are there.
    case keep
    case create
    case replace
  }

  package let kind: Kind
  package let audience: String
  /// The keyset's version, or the manifest's serial.
  package let number: Int64
  /// Below the target.
  package let path: String
  package let bytes: [UInt8]
  /// What is there now.
  package let present: [UInt8]?
  /// The serial of the release that a pointer is taken from.
  package var replacedSerial: Int64?

  package var action: Action { present == nil ? .create : present == bytes ? .keep : .replace }

  static func keyset(_ version: Int64, of audience: String) -> String { "\(audience)/keysets/\(version).keyset.json" }

  static func pointer(of audience: String) -> String { "\(audience)/manifest.json" }

  /// Serials begin again in each epoch, and a published file never changes, so each epoch has a folder.
  static func manifest(_ serial: Int64, epoch: Int64, of audience: String) -> String {
    epoch == 1 ? "\(audience)/\(serial).json" : "\(audience)/epoch-\(epoch)/\(serial).json"
  }

  /// The most bytes of an audience's name, which file systems and registries take.
  private static let longestAudience = 100

  /// Refuses an audience that isn't the plain name of a folder: it comes from a file, and becomes part of a path.
  static func check(audience: String) throws(WorkFailure) {
    let name = audience.unicodeScalars
    func isPlain(_ scalar: Unicode.Scalar) -> Bool {
      scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
    }
    guard let first = name.first, isPlain(first), name.count <= longestAudience,
      name.allSatisfy({ isPlain($0) || ["-", "_", "."].contains($0) })
    else {
      throw WorkFailure(
        .refused, code: "unsafe-audience", "the audience '\(VisibleText.of(audience))' can't be the name of a folder",
        help: "Rename it: letters, digits, '-', '_' and '.', beginning with a letter or a digit, at most "
          + "\(longestAudience) bytes.")
    }
    guard audience != FolderTarget.lockName else {
      throw WorkFailure(
        .refused, code: "unsafe-audience", "the audience '\(audience)' has the name of the folder's lock file",
        help: "Rename it.")
    }
  }
}
