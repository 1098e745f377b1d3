import PinFormat

/// Whose manifests a store takes.
public enum ManifestTrust: Sendable {
  /// Always those of the same signers: a change of them needs a new client.
  case signers(TrustedSigners)
  /// Those of the signers that the newest keyset names, beginning with this one, which was shipped with the service.
  case keyset(TrustedKeyset)

  /// The keyset that was shipped; nil for fixed signers.
  var shippedKeyset: TrustedKeyset? {
    if case .keyset(let keyset) = self { keyset } else { nil }
  }
}

extension PinStoreSettings {
  /// Verifies and reads a manifest as these settings ask, by the signers of a keyset, or by the fixed ones.
  func load(_ bytes: inout [UInt8], by keyset: TrustedKeyset?) throws(ManifestError) -> LoadedManifest {
    try LoadedManifest.load(
      in: &bytes, signers: signers(of: keyset), requiredAudience: audience, maximumBytes: maximumBytes,
      keepsDigest: true)
  }

  /// Verifies the signatures of a file before it is read into memory.
  ///
  /// Where the system can't map it, nothing is found wrong here: whatever is read is verified again.
  func verify(_ file: UnnamedFile, by keyset: TrustedKeyset?) throws(ManifestError) {
    let (count, limit) = (file.count, min(maximumBytes, FormatLimits.fileBytes))
    guard count <= limit else {
      throw ManifestError(.tooLarge, "the file has \(count) bytes; the limit is \(limit)")
    }
    let signers = signers(of: keyset)
    _ = try file.withMapping { bytes throws(ManifestError) in try signers.verify(mapped: bytes) }
  }

  private func signers(of keyset: TrustedKeyset?) -> TrustedSigners {
    switch trust {
    case .signers(let fixed): fixed
    case .keyset(let shipped): (keyset ?? shipped).signers
    }
  }
}

extension TrustedKeyset {
  /// Refuses a serial that is below the minimum.
  func check(serialOf manifest: LoadedManifest) throws(UpdateError) {
    guard manifest.serial >= keyset.minimumSerial else {
      throw UpdateError(
        .belowMinimumSerial,
        "serial \(manifest.serial) is below \(keyset.minimumSerial), the minimum of the keyset of version \(version)")
    }
  }

  /// Whether a manifest that was loaded by another keyset's signers would be taken by this one's, were it offered now.
  func endorses(_ manifest: LoadedManifest) -> Bool {
    guard manifest.serial >= keyset.minimumSerial else { return false }
    let bytes = manifest.fileBytes
    guard let envelope = try? SignatureEnvelope(scanning: bytes) else { return false }
    return (try? signers.verify(envelope, of: bytes)) != nil
  }
}
