#if Service
public import Configuration
public import PinValidator

extension PinStoreSettings {
  /// Reads the settings of a store: the keys below `pintle` that `docs/service.md` lists.
  ///
  /// - Parameter configuration: The process's configuration.
  /// - Throws: ``ServiceSettingsError``, which names the key, where a value is missing or can't be used.
  public init(_ configuration: ConfigReader) throws(ServiceSettingsError) {
    let values = ConfigurationValues(pintle: configuration)
    let audience = try values.required("audience", try values.string("audience"))
    let policy = try values.required(
      "without-manifest",
      try values.choice("without-manifest", ["block": WithoutManifest.block, "not-pinned": .notPinned]))
    if let path = try values.string("keyset.file") {
      try values.refuse(["signers.files", "signers.threshold"], besides: "keyset.file")
      self.init(keyset: try values.keyset("keyset.file", path, audience), withoutManifest: policy)
    } else {
      self.init(signers: try values.signers(), audience: audience, withoutManifest: policy)
    }
    directory = try values.string("directory")
    if let path = try values.string("embedded-file") {
      embedded = try values.read("embedded-file", path, limit: LoadedManifest.defaultMaximumBytes)
    }
    if let bytes = try values.number("maximum-bytes", in: 1_024...LoadedManifest.defaultMaximumBytes) {
      maximumBytes = bytes
    }
    if let percent = try values.number("guard.maximum-loss-percent", in: 0...100) {
      activationGuard.maximumLossPercent = percent
    }
    if let replays = try values.flag("guard.replays-recent-chains") { activationGuard.replaysRecentChains = replays }
    if let seconds = try values.number("guard.recent-seconds", in: 60...30 * 86_400) {
      activationGuard.recentPeriod = Int64(seconds)
    }
    if let paths = try values.strings("anchors.files") {
      let includesSystem = try values.flag("anchors.system") ?? false
      let files = try values.read("anchors.files", paths)
      do throws(TrustFailure) {
        anchors = try TrustAnchors(files, includingSystem: includesSystem)
      } catch {
        throw values.error("anchors.files", error.message)
      }
    } else {
      try values.refuse(["anchors.system"], without: "anchors.files")
    }
  }
}

extension ConfigurationValues {
  /// The keyset that was shipped with the service.
  fileprivate func keyset(
    _ key: String, _ path: String, _ audience: String
  ) throws(ServiceSettingsError) -> TrustedKeyset {
    let bytes = try read(key, path, limit: TrustedKeyset.maximumBytes)
    do throws(KeysetError) {
      return try TrustedKeyset.load(shipped: bytes, audience: audience)
    } catch {
      throw self.error(key, error.message)
    }
  }

  /// The fixed keys of a service without a keyset.
  fileprivate func signers() throws(ServiceSettingsError) -> TrustedSigners {
    guard let files = try strings("signers.files") else {
      throw error("signers.files", "is not set, and neither is \(prefix)keyset.file: one of them says who may sign")
    }
    let threshold = try number("signers.threshold", in: 1...64) ?? 1
    let keys = try read("signers.files", files)
    do throws(ManifestError) {
      return try TrustedSigners(publicKeys: keys, threshold: threshold)
    } catch {
      throw self.error(error.code == .unusableThreshold ? "signers.threshold" : "signers.files", error.message)
    }
  }
}
#endif
