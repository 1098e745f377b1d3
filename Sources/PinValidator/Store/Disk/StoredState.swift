import PinFormat

/// What was found on disk.
struct StoredState {
  /// The manifests that could be read and verified, the highest first.
  var manifests: [KnownManifest] = []
  /// The highest of the floors that could be read, and of the manifests.
  var floor: SerialFloor?
  /// The floors that could be read: each names signed bytes that were accepted.
  var records: [SerialFloor] = []
  /// The keysets, as far as they could be reached; nil for fixed signers.
  var keysets: KeysetChain?
  var time: Instant?
  /// Of the first manifest file.
  var identity: FileIdentity?
  /// Of the first file of keysets.
  var keysetsIdentity: FileIdentity?
  var problems: [PinStore.Problem] = []
  /// What is only worth telling where no manifest can be used.
  var refusals: [PinStore.Problem] = []
  /// Whether every file of manifest and floor is there and all say the same.
  var isWhole = true
  /// Whether the files of keysets say what is trusted.
  var isChainWhole = true
  /// Whether the system refused to have a file read that may be in order.
  var isUnreadable = false
  /// Whether that is so for both files of keysets, or for the only one.
  var hidesKeysets = false

  /// Whether there may be a floor that nobody could read: then nothing is written, or it would be lost.
  var hidesFloor: Bool { isUnreadable && floor == nil }

  /// Why nothing may be written or taken; nil where all that counts could be read.
  var hidden: String? {
    if hidesFloor {
      return "the stored files can't be read, so nobody knows the highest serial that was accepted" + Self.remedy
    }
    if hidesKeysets {
      return "the stored keysets can't be read, so nobody knows who may sign by now" + Self.remedy
    }
    return nil
  }

  private static let remedy = "; updates are refused as long as that is so: make them readable to this user"

  /// Raises the floor.
  mutating func witness(_ manifest: KnownManifest) {
    if floor.map({ $0 < manifest.floor }) ?? true { floor = manifest.floor }
  }

  /// The manifest that the floor stands for; of two copies the one with the signatures that are wanted by now.
  var usable: KnownManifest? {
    let standing = manifests.filter { $0.floor == floor && $0.isUsable }
    return standing.first { $0.refusal == nil } ?? standing.first
  }
}

/// A stored or embedded manifest that was verified.
struct KnownManifest: Sendable {
  let manifest: LoadedManifest
  /// The floor that it gave when it was accepted, or would give.
  let floor: SerialFloor
  /// Whether a record says so: then it was accepted by the keyset of that time.
  let isRecorded: Bool
  /// Why the newest keyset doesn't endorse it; nil where it does.
  let refusal: UpdateError?

  /// Whether it may be in force, as far as the keysets go.
  var isUsable: Bool { isRecorded || refusal == nil }

  /// Verifies a manifest by the newest keyset, or else by one that led there.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - settings: Whose manifests are taken.
  ///   - state: The floors and the keysets.
  ///   - epoch: Which epoch it belongs to where no record tells; unless given, that of the keyset that verifies it.
  /// - Throws: ``ManifestError``, as the newest keyset's signers give it.
  init(
    _ bytes: consuming [UInt8], _ settings: PinStoreSettings, _ state: StoredState, epoch: Int64? = nil
  ) throws(ManifestError) {
    let (manifest, keyset, refusal) = try Self.load(&bytes, settings, state.keysets)
    self.manifest = manifest
    self.refusal = refusal
    let floor = try manifest.floor(epoch: epoch ?? keyset.serialEpoch)
    let record = state.records.filter { $0.serial == floor.serial && $0.digest == floor.digest }.max()
    self.floor = record ?? floor
    isRecorded = record != nil
  }

  private static func load(
    _ bytes: inout [UInt8], _ settings: PinStoreSettings, _ chain: KeysetChain?
  ) throws(ManifestError) -> (LoadedManifest, TrustedKeyset?, UpdateError?) {
    let newest = chain?.newest
    let refused: ManifestError
    do {
      let manifest = try settings.load(&bytes, by: newest)
      do throws(UpdateError) {
        try newest?.check(serialOf: manifest)
        return (manifest, newest, nil)
      } catch {
        return (manifest, newest, error)
      }
    } catch {
      refused = error
    }
    guard let chain, refused.code == .tooFewSignatures || refused.code == .invalidSignature else { throw refused }
    var tried = chain.newest
    for keyset in chain.trusted.dropLast().reversed() where !keyset.hasSigners(of: tried) {
      tried = keyset
      if let manifest = try? settings.load(&bytes, by: keyset) { return (manifest, keyset, UpdateError(refused)) }
    }
    throw refused
  }
}

extension LoadedManifest {
  /// The floor that it gives once it is accepted in an epoch.
  func floor(epoch: Int64) throws(ManifestError) -> SerialFloor {
    SerialFloor(epoch: epoch, serial: serial, digest: try signedDigest())
  }
}

extension TrustedKeyset {
  /// Whether the same keys sign manifests, and as many of them are needed: then another try would end as the last one did.
  fileprivate func hasSigners(of other: TrustedKeyset) -> Bool {
    signers.threshold == other.signers.threshold && signers.keyIDs == other.signers.keyIDs
  }
}
