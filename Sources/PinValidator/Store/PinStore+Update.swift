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
  public func update(_ bytes: [UInt8]) throws(UpdateError) -> Activation {
    let manifest: LoadedManifest
    do {
      manifest = try settings.load(bytes)
    } catch {
      throw UpdateError(error)
    }
    return try exclusively { (files, writer) throws(UpdateError) -> Activation in
      let (floor, isNew) = try self.floor(of: manifest, above: writer.floor)
      let before = inForce.value.validator
      if !isNew, let before, before.manifest.serial == manifest.serial { return .unchanged(before.manifest) }
      let instant = clock.now
      guard instant < manifest.expires else {
        throw UpdateError(
          .stale,
          "the manifest expired \(manifest.expires), and it is \(instant)"
            + (clock.wall < instant ? " by the last time seen; the clock says \(clock.wall)" : ""))
      }
      let after = Validator(manifest: manifest, evaluator: evaluator)
      let check = ActivationCheck(
        limits: settings.activationGuard, before: before, after: after,
        chains: recentChains.since(instant.adding(seconds: -settings.activationGuard.recentPeriod)), instant: instant)
      if let objection = check.objection() { throw objection }
      if let files {
        do throws(FileError) {
          try files.store(manifest.fileBytes, floor)
        } catch {
          throw UpdateError(.notStored, error.message + "; the manifest isn't in force either")
        }
        writer.identity = files.identity
        writer.isWhole = true
        writer.keep(instant, files)
      }
      return try take(after, source: .update, floor, &writer)
    }
  }

  /// Takes a newer manifest from a file, as ``update(_:)`` does.
  ///
  /// - Parameter path: The file.
  /// - Returns: What came of it.
  /// - Throws: ``UpdateError``, of code `unreadable-file` where the file can't be read.
  @discardableResult
  public func update(file path: String) throws(UpdateError) -> Activation {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try WholeFile.read(path, limit: settings.maximumBytes)
    } catch {
      throw UpdateError(.unreadableFile, error.message)
    }
    return try update(bytes)
  }

  /// Compares a manifest with the highest serial that was ever accepted.
  private func floor(
    of manifest: LoadedManifest, above highest: SerialFloor?
  ) throws(UpdateError) -> (floor: SerialFloor, isNew: Bool) {
    let floor: SerialFloor
    do {
      floor = SerialFloor(serial: manifest.serial, digest: try manifest.signedDigest())
    } catch {
      throw UpdateError(error)
    }
    guard let highest else { return (floor, true) }
    guard floor.serial >= highest.serial else {
      throw UpdateError(
        .olderSerial, "serial \(floor.serial) is below \(highest.serial), the highest that was ever accepted")
    }
    guard floor.serial > highest.serial || floor.digest == highest.digest else {
      throw UpdateError(
        .conflictingSerial, "serial \(floor.serial) was accepted with other signed bytes; one of the two is a mistake")
    }
    return (floor, floor.serial > highest.serial)
  }
}
