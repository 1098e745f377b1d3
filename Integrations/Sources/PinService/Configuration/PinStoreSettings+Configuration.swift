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
    let files = try values.required("signers.files", try values.strings("signers.files"))
    let threshold = try values.number("signers.threshold", in: 1...64) ?? 1
    let keys = try values.read("signers.files", files)
    do throws(ManifestError) {
      self.init(
        signers: try TrustedSigners(publicKeys: keys, threshold: threshold), audience: audience,
        withoutManifest: policy)
    } catch {
      throw values.error(error.code == .unusableThreshold ? "signers.threshold" : "signers.files", error.message)
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
