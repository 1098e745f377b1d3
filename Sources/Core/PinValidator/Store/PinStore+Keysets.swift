import OpenSSLKit
import PinFormat

extension PinStore {
  /// What an update of the keyset did.
  public enum KeysetActivation: Sendable {
    /// Manifests are taken by this keyset from now on.
    case activated(TrustedKeyset, replacing: TrustedKeyset)
    /// It is the one that is trusted already, or one that led there.
    case unchanged(TrustedKeyset)
  }

  /// The keyset by which manifests are taken; nil where the signers are fixed.
  ///
  /// Takes no lock. ``status`` tells the keyset and the manifest that belong together.
  public var keyset: TrustedKeyset? { inForce.read { $0.keyset } }

  /// The keysets from the shipped one to the newest, each vouched for by the one before; none where the signers are fixed.
  package var trustedKeysets: [TrustedKeyset] { (writer.withLock { $0.keysets?.trusted } ?? nil) ?? [] }

  /// Takes the next version of the keyset: vouched for by the one that is trusted, and on disk before it counts.
  ///
  /// The manifest in force stays, also where the new keyset doesn't endorse it; ``Status/isEndorsed`` tells. Several
  /// threads and processes may call it; one at a time is let in.
  ///
  /// - Parameter bytes: The whole file, as it came; nothing about it is believed before its signatures are verified.
  /// - Returns: The result.
  /// - Throws: ``UpdateError``: one of ``KeysetError``'s codes, `no-keyset` where the signers are fixed, or `not-stored`;
  ///   the keyset that was trusted stays trusted.
  @discardableResult
  public func update(keyset bytes: [UInt8]) throws(UpdateError) -> KeysetActivation {
    guard var seen = keyset else {
      throw UpdateError(.noKeyset, "the service was made with fixed signers, so it accepts no keyset")
    }
    while true {
      let next: TrustedKeyset
      do {
        next = try seen.successor(bytes)
      } catch {
        guard let newer = newerKeyset(than: seen) else { throw UpdateError(error) }
        seen = newer
        continue
      }
      if let activation = try take(next, after: seen) { return activation }
      seen = keyset ?? seen
    }
  }

  /// Takes the next version of the keyset from a file, as ``update(keyset:)`` does.
  ///
  /// - Parameter path: The file, which must be a regular one.
  /// - Returns: The result.
  /// - Throws: ``UpdateError``, of code `unreadable-file` where the file can't be read.
  @discardableResult
  public func update(keysetFile path: String) throws(UpdateError) -> KeysetActivation {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try WholeFile.read(path, limit: TrustedKeyset.maximumBytes, onlyRegular: true)
    } catch {
      throw UpdateError(.unreadableFile, error.message)
    }
    return try update(keyset: bytes)
  }

  /// Puts a keyset in the place of the one that vouched for it; nil where that one isn't the newest any more.
  private func take(_ next: TrustedKeyset, after seen: TrustedKeyset) throws(UpdateError) -> KeysetActivation? {
    try exclusively { (files, writer) throws(UpdateError) -> KeysetActivation? in
      guard let chain = writer.keysets else { return nil }
      let newest = chain.newest
      if chain.contains(next) { return .unchanged(newest) }
      guard newest === seen else { return nil }
      var longer = chain
      longer.append(next)
      // The disk may have later keysets, stored by a program that was shipped with a later one.
      longer.walk(over: [])
      if let files {
        do throws(FileError) {
          writer.isChainWhole = try files.store(longer)
        } catch {
          throw UpdateError(.notStored, error.message + "; the keyset isn't trusted either")
        }
        writer.keysetsIdentity = files.keysetsIdentity
      }
      try trust(longer, &writer)
      // Manifests that were stored under a keyset that this process didn't have yet may be valid now.
      if let files { try adopt(files.load(settings, longer), &writer) }
      return .activated(longer.newest, replacing: newest)
    }
  }

  /// Has manifests taken by the newest keyset of a chain.
  func trust(_ chain: KeysetChain, _ writer: inout Writer) throws(UpdateError) {
    let newest = chain.newest
    let manifest = inForce.read { $0.validator?.manifest }
    try change { state in
      state.keyset = newest
      state.isEndorsed = manifest.map { newest.endorses($0) } ?? true
      if let manifest, !state.isShipped { state.epoch = Optional(chain).epoch(of: manifest) }
    }
    writer.keysets = chain
  }

  /// The keyset that is trusted after a look at what other processes have stored; nil where it is the same.
  func newerKeyset(than seen: TrustedKeyset) -> TrustedKeyset? {
    if let newest = keyset, newest !== seen { return newest }
    guard settings.directory != nil else { return nil }
    // If the files can't be read, nothing changes.
    try? exclusively { (_, _) throws(UpdateError) -> Void in }
    guard let newest = keyset, newest !== seen else { return nil }
    return newest
  }
}

extension TrustedKeyset? {
  /// The epoch of serials; fixed signers have but one.
  var serialEpoch: Int64 { self?.keyset.serialEpoch ?? 1 }
}
