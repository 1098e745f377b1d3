import CLibC
import PinFormat

extension StateFiles {
  /// Reads all that is there and says what is wrong with it; nothing of it is believed without its checksum or its
  /// signatures.
  func load(_ settings: PinStoreSettings) -> StoredState {
    var state = StoredState()
    if folder.isOpenToOthers {
      state.problems.append(
        PinStore.Problem(
          code: "exposed-directory",
          description: "others may write to the folder of the store's state; take the permission from them"))
    }
    loadFloors(&state)
    loadManifests(settings, &state)
    for manifest in state.manifests { state.witness(manifest) }
    state.time = loadTime(&state)
    for manifest in state.manifests where manifest.floor != state.floor { state.isWhole = false }
    return state
  }

  private func loadFloors(_ state: inout StoredState) {
    for name in Self.floors {
      guard let file = file(name, limit: StoredRecord.limit, &state) else { continue }
      guard let floor = StoredRecord.floor(file.bytes) else {
        state.isCorrupt(folder.full(name), "it isn't as it was written")
        continue
      }
      if let known = state.floor {
        if known != floor { state.isWhole = false }
        if known.serial == floor.serial, known.digest != floor.digest {
          state.isCorrupt(folder.full(name), "it says another digest for serial \(floor.serial) than the other floor")
        }
      }
      if floor.serial > state.floor?.serial ?? 0 { state.floor = floor }
    }
  }

  private func loadManifests(_ settings: PinStoreSettings, _ state: inout StoredState) {
    for (number, name) in Self.manifests.enumerated() {
      guard let file = file(name, limit: settings.maximumBytes, &state) else { continue }
      if number == 0 { state.identity = file.identity }
      do throws(ManifestError) {
        state.manifests.append(try settings.load(file.bytes))
      } catch {
        state.isWhole = false
        state.problems.append(
          PinStore.Problem(
            code: error.code.description, description: "the stored manifest '\(folder.full(name))': " + error.message))
      }
    }
    state.manifests.sort { $0.serial > $1.serial }
  }

  private func loadTime(_ state: inout StoredState) -> Instant? {
    guard let file = file(Self.time, limit: StoredRecord.limit, &state) else { return nil }
    guard let time = StoredRecord.time(file.bytes) else {
      state.isCorrupt(folder.full(Self.time), "it isn't as it was written")
      return nil
    }
    return time
  }

  /// A file's bytes; nil where it isn't there, or can't be read, which is a problem.
  private func file(
    _ name: String, limit: Int, _ state: inout StoredState
  ) -> (bytes: [UInt8], identity: FileIdentity)? {
    do throws(FileError) {
      guard let file = try folder.content(of: name, limit: limit) else {
        state.isWhole = false
        return nil
      }
      return file
    } catch {
      state.isWhole = false
      if error.keepsContent { state.isUnreadable = true }
      state.problems.append(PinStore.Problem(code: "unreadable-state", description: error.message))
      return nil
    }
  }
}

extension StoredState {
  fileprivate mutating func isCorrupt(_ path: String, _ why: String) {
    isWhole = false
    problems.append(PinStore.Problem(code: "corrupt-state", description: "'\(path)' can't be used: \(why)"))
  }
}

extension FileError {
  /// Whether the file may be as it was written all the same: another user's, or on a disk in trouble.
  ///
  /// Pintle's own refusals, a link and a socket are about something else that stands in its place.
  fileprivate var keepsContent: Bool { ![0, ELOOP, ENXIO].contains(number) }
}

extension PinStoreSettings {
  /// Verifies and reads a manifest as these settings ask.
  func load(_ bytes: [UInt8]) throws(ManifestError) -> LoadedManifest {
    try LoadedManifest.load(bytes, signers: signers, audience: audience, maximumBytes: maximumBytes)
  }
}
