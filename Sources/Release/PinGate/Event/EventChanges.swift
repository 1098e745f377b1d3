import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinRotation
import PinStudies

/// What is different between two versions of a draft, in the words of `diff`.
enum EventChanges {
  /// One line each; never none for two versions that differ.
  static func lines(from old: [UInt8], to new: [UInt8], _ content: SignedContent) -> [String] {
    let lines = content == .manifest ? ofManifests(old, new) : ofKeysets(old, new)
    return lines.isEmpty ? ["other bytes"] : lines
  }

  private static func ofManifests(_ old: [UInt8], _ new: [UInt8]) -> [String] {
    guard let before = try? SignedManifest.unverifiedContent(of: old),
      let after = try? SignedManifest.unverifiedContent(of: new)
    else { return ["it wasn't a manifest"] }
    // Other dates, sources and compiler show in what they make of the policy.
    let heads = [HeaderField.audience, .serial, .issued, .previous, .drasticChange, .commit].filter {
      before[$0] != after[$0]
    }
    let changes = ManifestChanges(from: before, to: after)
    let groups = ChangeGroup.all(of: changes, from: before, to: after, detail: .brief)
    let text = ChangeText(groups: groups).text().split(separator: "\n").map(String.init)
    return heads.map { "\($0.rawValue)  \(before[$0].words) -> \(after[$0].words)" } + text
      + TableChanges(from: before, to: after).keys
  }

  private static func ofKeysets(_ old: [UInt8], _ new: [UInt8]) -> [String] {
    guard let before = try? KeysetFile(reading: old), let after = try? KeysetFile(reading: new) else {
      return ["it wasn't a keyset"]
    }
    return KeysetChanges(from: before, to: after).sentences
  }
}

extension SHA256Digest {
  /// The digest of signed bytes, which people who sign compare.
  static func ofSigned(_ bytes: [UInt8]) throws(CryptoError) -> SHA256Digest {
    SHA256Digest(try SHA256.digest(of: bytes))
  }
}
