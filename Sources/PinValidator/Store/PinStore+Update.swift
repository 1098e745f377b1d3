import PinFormat

extension PinStore {
  /// Takes a newer manifest: verified, newer, fresh, not stopped by the activation guard, and on disk before it is in
  /// force.
  ///
  /// Several threads and processes may call it; one at a time is let in.
  ///
  /// - Parameter bytes: The whole file, as it came; nothing about it is believed before its signatures are verified.
  /// - Returns: What came of it.
  /// - Throws: ``UpdateError``; what was in force stays in force.
  @discardableResult
  public func update(_ bytes: consuming [UInt8]) throws(UpdateError) -> Activation {
    var seen = keyset
    while true {
      let manifest: LoadedManifest
      do {
        manifest = try settings.load(&bytes, by: seen)
      } catch {
        // Another process may have stored a keyset by which it is valid.
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

  /// Takes a manifest that was loaded; nil where that was by a keyset that has been replaced meanwhile.
  private func take(
    _ manifest: LoadedManifest, _ bytes: [UInt8], loadedBy seen: TrustedKeyset?
  ) throws(UpdateError) -> Activation? {
    try exclusively { (files, writer) throws(UpdateError) -> Activation? in
      let keyset = writer.keysets?.newest
      guard keyset === seen else { return nil }
      try keyset?.check(serialOf: manifest)
      let floor = try self.floor(of: manifest, in: keyset.serialEpoch, above: writer.floor)
      let state = inForce.value
      let after = Validator(manifest: manifest, evaluator: evaluator)
      if let before = state.validator?.manifest, before.hasSignedBytes(of: manifest) {
        if !state.isEndorsed || floor != writer.floor {
          if let files { try store(bytes, floor, files, &writer) }
          try confirm(after, floor, isEndorsed: true, &writer)
        }
        return .unchanged(manifest)
      }
      let instant = clock.now
      try checkTime(of: manifest, keyset, at: instant)
      let check = ActivationCheck(
        limits: settings.activationGuard, before: state.validator, after: after,
        chains: recentChains.since(instant.adding(seconds: -settings.activationGuard.recentPeriod)), instant: instant)
      if let objection = check.objection() { throw objection }
      if let files {
        try store(bytes, floor, files, &writer)
        writer.keep(instant, files)
      }
      return try take(after, source: .update, floor, isEndorsed: true, &writer)
    }
  }

  private func checkTime(
    of manifest: LoadedManifest, _ keyset: TrustedKeyset?, at instant: Instant
  ) throws(UpdateError) {
    // The clock that people see may say something else.
    let wall = clock.wall
    let since = "and it is \(instant)" + (wall < instant ? " by the last time seen; the clock says \(wall)" : "")
    if let keyset, instant >= keyset.expires {
      throw UpdateError(
        .keysetExpired,
        "the keyset of version \(keyset.version) expired \(keyset.expires), \(since); a newer one must come first")
    }
    guard instant < manifest.expires else {
      throw UpdateError(.stale, "the manifest expired \(manifest.expires), \(since)")
    }
  }

  /// Has a manifest's file and its floor on disk.
  private func store(
    _ bytes: [UInt8], _ floor: SerialFloor, _ files: StateFiles, _ writer: inout Writer
  ) throws(UpdateError) {
    do throws(FileError) {
      writer.isWhole = try files.store(bytes, floor)
    } catch {
      throw UpdateError(.notStored, error.message + "; the manifest isn't in force either")
    }
    writer.identity = files.identity
  }

  /// Takes a newer manifest from a file, as ``update(_:)`` does.
  ///
  /// - Parameter path: The file, which must be a regular one.
  /// - Returns: What came of it.
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

  /// Compares a manifest with the highest serial that was accepted.
  private func floor(
    of manifest: LoadedManifest, in epoch: Int64, above highest: SerialFloor?
  ) throws(UpdateError) -> SerialFloor {
    let floor: SerialFloor
    do {
      floor = try manifest.floor(epoch: epoch)
    } catch {
      throw UpdateError(error)
    }
    guard let highest else { return floor }
    guard floor.epoch >= highest.epoch else {
      throw UpdateError(
        .olderSerial,
        "serials of epoch \(highest.epoch) were accepted, and those who sign by now are of epoch \(floor.epoch): a newer "
          + "keyset must come first")
    }
    guard floor.epoch > highest.epoch || floor.serial >= highest.serial else {
      throw UpdateError(
        .olderSerial, "serial \(floor.serial) is below \(highest.serial), the highest that was ever accepted")
    }
    guard !floor.isLevel(with: highest) || floor.digest == highest.digest else {
      throw UpdateError(
        .conflictingSerial, "serial \(floor.serial) was accepted with other signed bytes; one of the two is a mistake")
    }
    return floor
  }
}
