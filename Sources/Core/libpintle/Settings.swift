import CLibPintle
import PinFormat
import PinValidator

extension CallerError {
  /// A refusal by the loader.
  init(_ error: ManifestError) { self = .refused(error.code.description, error.message) }

  /// A refusal by the store.
  init(_ error: UpdateError) {
    let isSystems = [.unreadableFile, .notStored, .inherited].contains(error.code)
    status = isSystems ? Int(PINTLE_SYSTEM) : Int(PINTLE_REFUSED)
    code = error.code.description
    message = error.message
  }
}

/// Makes the store's settings out of a caller's.
func storeSettings(_ pointer: UnsafePointer<pintle_settings>?) throws(CallerError) -> PinStoreSettings {
  let known = KnownSize(least: 128, defaults: pintle_settings())
  guard let given = CallerMemory.sized(pointer, size: known) else {
    throw .argument("the settings are null, or their size isn't set, or they are newer than this library")
  }
  guard let audience = CallerMemory.text(given.audience) else { throw .argument("the settings name no audience") }
  let withoutManifest: WithoutManifest
  switch Int(given.without_manifest) {
  case Int(PINTLE_WITHOUT_MANIFEST_BLOCK): withoutManifest = .block
  case Int(PINTLE_WITHOUT_MANIFEST_NOT_PINNED): withoutManifest = .notPinned
  default: throw .argument("without_manifest has a value that this library doesn't know")
  }
  var settings = try trustedSettings(given, audience, withoutManifest)
  if given.directory != nil {
    guard let directory = CallerMemory.text(given.directory) else { throw .argument("the directory isn't UTF-8") }
    settings.directory = directory
  }
  if given.maximum_bytes > 0 { settings.maximumBytes = Int(clamping: given.maximum_bytes) }
  guard
    let embedded = CallerMemory.bytes(given.embedded.data, given.embedded.size, limit: settings.bytesToCopy)
  else { throw .argument("the embedded manifest is null") }
  if !embedded.isEmpty { settings.embedded = embedded }
  settings.anchors = try trustAnchors(given)
  guard given.maximum_loss_percent <= 100 else { throw .argument("maximum_loss_percent is above 100") }
  guard given.reserved == 0, given.recent_period >= 0 else { throw .argument("recent_period is below 0") }
  settings.activationGuard.maximumLossPercent = Int(given.maximum_loss_percent)
  settings.activationGuard.replaysRecentChains = given.skip_recent_chains == 0
  if given.recent_period > 0 { settings.activationGuard.recentPeriod = given.recent_period }
  if let clock = given.clock {
    let caller = CallerClock(function: clock, context: given.clock_context)
    settings.clock = { caller.now }
  }
  return settings
}

/// Settings that say who signs: a keyset, or some keys.
private func trustedSettings(
  _ given: pintle_settings, _ audience: String, _ withoutManifest: WithoutManifest
) throws(CallerError) -> PinStoreSettings {
  // An empty file is an invalid keyset, not a missing one.
  guard given.keyset.data == nil, given.keyset.size == 0 else {
    guard given.signer_count == 0, given.threshold == 0 else {
      throw .argument("the settings have a keyset, which says who signs, and signers or a threshold besides")
    }
    guard let file = CallerMemory.bytes(given.keyset.data, given.keyset.size, limit: TrustedKeyset.bytesToCopy) else {
      throw .argument("the keyset is null")
    }
    do {
      return PinStoreSettings(
        keyset: try TrustedKeyset.load(shipped: file, audience: audience), withoutManifest: withoutManifest)
    } catch {
      throw .refused(error.code.description, "the keyset of the settings: " + error.message)
    }
  }
  guard let keys = CallerMemory.list(given.signers, given.signer_count) else {
    throw .argument("a signer is null")
  }
  do {
    let signers = try TrustedSigners(publicKeys: keys, threshold: Int(given.threshold))
    return PinStoreSettings(signers: signers, audience: audience, withoutManifest: withoutManifest)
  } catch {
    throw CallerError(error)
  }
}

extension TrustedKeyset {
  /// As much of a keyset file as is needed to see that it is too large.
  static var bytesToCopy: Int { maximumBytes + 1 }
}

extension PinStoreSettings {
  /// As much of a manifest file as is needed to see that it is too large.
  var bytesToCopy: Int { min(maximumBytes, FormatLimits.fileBytes) + 1 }
}

private func trustAnchors(_ given: pintle_settings) throws(CallerError) -> TrustAnchors {
  guard given.anchor_count != 0 else { return .system }
  guard let files = CallerMemory.list(given.anchors, given.anchor_count) else { throw .argument("an anchor is null") }
  do {
    return try TrustAnchors(files, includingSystem: given.system_anchors != 0)
  } catch {
    throw .refused("unusable-anchor", "the anchors can't be used: " + error.message)
  }
}

/// A caller's own clock.
///
/// `@unchecked`: the header demands that it can be called from any thread.
private struct CallerClock: @unchecked Sendable {
  let function: @convention(c) (UnsafeMutableRawPointer?) -> Int64
  let context: UnsafeMutableRawPointer?

  var now: Instant { Instant(secondsSinceEpoch: function(context)) }
}
