import PinFormat

/// What was found on disk.
struct StoredState {
  /// The manifests that could be read and verified, each once.
  var manifests: [KnownManifest] = []
  /// The keysets, as far as they could be reached; nil for fixed signers.
  var keysets: KeysetChain?
  /// Of the first manifest file.
  var identity: FileIdentity?
  /// Of the first file of keysets.
  var keysetsIdentity: FileIdentity?
  var problems: [PinStore.Problem] = []
  /// Whether both files of the manifest are there and say the same.
  var isWhole = true
  /// Whether the files of keysets say what is trusted.
  var isChainWhole = true

  init(keysets: KeysetChain?) {
    self.keysets = keysets
  }

  /// The stored manifests that may be in force.
  ///
  /// One that the newest keyset endorses hides those of its epoch that only an
  /// older one vouches for, whatever their serial: updates are endorsed, so a revoked signer put those there.
  var eligible: [KnownManifest] {
    manifests.filter { one in
      one.refusal == nil || !manifests.contains { $0.refusal == nil && $0.epoch >= one.epoch }
    }
  }

  /// The manifest that should be in force, of those that were stored.
  var best: KnownManifest? { KnownManifest.best(of: eligible) }
}

/// Which of several manifests should be in force, and the floor for updates: the highest serial of the newest epoch; of
/// the same one, the copy that the newest keyset endorses.
struct ManifestRank: Comparable, Sendable {
  let epoch: Int64
  let serial: Int64
  let isEndorsed: Bool

  static func < (left: ManifestRank, right: ManifestRank) -> Bool {
    (left.epoch, left.serial, left.isEndorsed ? 1 : 0) < (right.epoch, right.serial, right.isEndorsed ? 1 : 0)
  }
}

/// A stored or embedded manifest that a keyset vouches for, be it not the newest.
///
/// Signatures are all that says so, whatever else is on disk.
struct KnownManifest: Sendable {
  let manifest: LoadedManifest
  /// The count of serials that it belongs to; 1 for fixed signers.
  let epoch: Int64
  /// Why the newest keyset doesn't endorse it; nil where it does.
  let refusal: UpdateError?

  var rank: ManifestRank { ManifestRank(epoch: epoch, serial: manifest.serial, isEndorsed: refusal == nil) }

  /// The one to be in force; the first of several that are equal.
  static func best(of known: [KnownManifest]) -> KnownManifest? {
    known.reduce(nil) { best, next in best.map { $0.rank < next.rank } ?? true ? next : best }
  }

  /// Verifies a manifest by the newest keyset, or else by one that led there.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - settings: Whose manifests are taken.
  ///   - chain: The keysets; nil for fixed signers.
  ///   - epoch: Which epoch it belongs to; unless given, that of the newest keyset that would take it.
  /// - Throws: ``ManifestError``, as the newest keyset's signers give it.
  init(
    _ bytes: consuming [UInt8], _ settings: PinStoreSettings, _ chain: KeysetChain?, epoch: Int64? = nil
  ) throws(ManifestError) {
    let (manifest, refusal) = try Self.load(&bytes, settings, chain)
    self.manifest = manifest
    self.refusal = refusal
    self.epoch = epoch ?? chain.epoch(of: manifest)
  }

  private static func load(
    _ bytes: inout [UInt8], _ settings: PinStoreSettings, _ chain: KeysetChain?
  ) throws(ManifestError) -> (LoadedManifest, UpdateError?) {
    let newest = chain?.newest
    let refused: ManifestError
    do {
      let manifest = try settings.load(&bytes, by: newest)
      do throws(UpdateError) {
        try newest?.check(serialOf: manifest)
        return (manifest, nil)
      } catch {
        return (manifest, error)
      }
    } catch {
      refused = error
    }
    guard let chain, refused.code == .tooFewSignatures || refused.code == .invalidSignature else { throw refused }
    var tried = chain.newest
    for keyset in chain.trusted.dropLast().reversed() where !keyset.hasSigners(of: tried) {
      tried = keyset
      if let manifest = try? settings.load(&bytes, by: keyset) { return (manifest, UpdateError(refused)) }
    }
    throw refused
  }
}

extension KeysetChain? {
  /// The epoch of a manifest: that of the newest keyset that would take it, or else the first one's.
  func epoch(of manifest: LoadedManifest) -> Int64 {
    guard let self else { return 1 }
    return (self.trusted.last { $0.endorses(manifest) } ?? self.shipped).keyset.serialEpoch
  }
}

extension TrustedKeyset {
  /// Whether the same keys sign manifests, and as many of them are needed: then another try would end as the last one did.
  fileprivate func hasSigners(of other: TrustedKeyset) -> Bool {
    signers.threshold == other.signers.threshold && signers.keyIDs == other.signers.keyIDs
  }
}
