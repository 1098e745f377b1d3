import PinFormat

extension PinStore {
  /// Takes a newer manifest: verified, newer, fresh, not stopped by the activation guard, and on disk before it is in
  /// force.
  ///
  /// Several threads and processes may call it; one at a time is let in.
  ///
  /// - Parameter bytes: The whole file, as it came; nothing about it is believed before its signatures are verified.
  /// - Returns: The result.
  /// - Throws: ``UpdateError``; what was in force stays in force.
  @discardableResult
  public func update(_ bytes: consuming [UInt8]) throws(UpdateError) -> Activation {
    var seen = keyset
    while true {
      let manifest: LoadedManifest
      do {
        manifest = try settings.load(&bytes, by: seen)
      } catch {
        // Another process may have stored a newer keyset, under which it is valid.
        guard let keyset = seen, error.code == .tooFewSignatures || error.code == .invalidSignature,
          let newer = newerKeyset(than: keyset)
        else { throw UpdateError(error) }
        seen = newer
        continue
      }
      if let activation = try take(manifest, bytes, loadedBy: seen) { return activation }
      seen = keyset
    }
  }

  /// Takes a newer manifest that was downloaded, as ``update(_:)`` does; its bytes come into memory only where signers
  /// that are trusted have signed them.
  package func update(_ file: UnnamedFile) throws(UpdateError) -> Activation {
    var seen = keyset
    while true {
      do {
        try settings.verify(file, by: seen)
        break
      } catch {
        guard let keyset = seen, error.code == .tooFewSignatures || error.code == .invalidSignature,
          let newer = newerKeyset(than: keyset)
        else { throw UpdateError(error) }
        seen = newer
      }
    }
    let bytes: [UInt8]
    do throws(FileError) { bytes = try file.content(limit: settings.maximumBytes) } catch {
      throw UpdateError(.unreadableFile, error.message)
    }
    return try update(bytes)
  }

  /// Takes a manifest that was loaded; nil where that was by a keyset that has been replaced meanwhile.
  private func take(
    _ manifest: LoadedManifest, _ bytes: [UInt8], loadedBy seen: TrustedKeyset?
  ) throws(UpdateError) -> Activation? {
    try exclusively { (files, writer) throws(UpdateError) -> Activation? in
      let keyset = writer.keysets?.newest
      guard keyset === seen else { return nil }
      try keyset?.check(serialOf: manifest)
      let state = inForce.value
      let epoch = keyset.serialEpoch
      let isSame = state.validator?.manifest.hasSignedBytes(of: manifest) ?? false
      if let highest = state.rank { try compare(manifest, isSame: isSame, in: epoch, to: highest) }
      let after = Validator(manifest: manifest, evaluator: evaluator)
      if isSame {
        if !state.isEndorsed || state.epoch != epoch {
          if let files { try store(bytes, files, &writer) }
          try confirm(after, epoch: epoch, isEndorsed: true)
        }
        return .unchanged(manifest)
      }
      let instant = now
      try checkTime(of: manifest, keyset, at: instant)
      let check = ActivationCheck(
        limits: settings.activationGuard, before: state.validator, after: after,
        chains: recentChains.since(instant.adding(seconds: -settings.activationGuard.recentPeriod), until: instant),
        instant: instant)
      if let objection = check.objection() { throw objection }
      if let files { try store(bytes, files, &writer) }
      return try take(after, source: .update, epoch: epoch, isEndorsed: true, &writer)
    }
  }

  private func checkTime(
    of manifest: LoadedManifest, _ keyset: TrustedKeyset?, at instant: Instant
  ) throws(UpdateError) {
    // The wall clock may be behind `instant`; then the message says so.
    let wall = settings.clock()
    let since =
      "and it is \(instant)" + (wall < instant ? ", when what is in force was issued; the clock says \(wall)" : "")
    if let keyset, instant >= keyset.expires {
      throw UpdateError(
        .keysetExpired,
        "the keyset of version \(keyset.version) expired \(keyset.expires), \(since); a newer one must come first")
    }
    guard instant < manifest.expires else {
      throw UpdateError(.stale, "the manifest expired \(manifest.expires), \(since)")
    }
  }

  /// Has a manifest's file on disk.
  private func store(_ bytes: [UInt8], _ files: StateFiles, _ writer: inout Writer) throws(UpdateError) {
    do throws(FileError) {
      writer.isWhole = try files.store(bytes)
    } catch {
      throw UpdateError(.notStored, error.message + "; the manifest isn't in force either")
    }
    writer.identity = files.identity
  }

  /// Takes a newer manifest from a file, as ``update(_:)`` does.
  ///
  /// - Parameter path: The file, which must be a regular one.
  /// - Returns: The result.
  /// - Throws: ``UpdateError``, of code `unreadable-file` where the file can't be read.
  @discardableResult
  public func update(file path: String) throws(UpdateError) -> Activation {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try WholeFile.read(path, limit: settings.maximumBytes, onlyRegular: true)
    } catch {
      throw UpdateError(.unreadableFile, error.message)
    }
    return try update(bytes)
  }

  /// Compares a manifest with the one in force, which has the highest serial that was accepted.
  private func compare(
    _ manifest: LoadedManifest, isSame: Bool, in epoch: Int64, to highest: ManifestRank
  ) throws(UpdateError) {
    guard epoch > highest.epoch || manifest.serial >= highest.serial else {
      throw UpdateError(
        .olderSerial, "serial \(manifest.serial) is below \(highest.serial), the highest that was ever accepted")
    }
    guard epoch > highest.epoch || manifest.serial > highest.serial || isSame else {
      throw UpdateError(
        .conflictingSerial,
        "serial \(manifest.serial) was accepted with other signed bytes; one of the two is a mistake")
    }
  }
}
