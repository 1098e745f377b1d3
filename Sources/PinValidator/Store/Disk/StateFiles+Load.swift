import CLibC
import PinFormat

extension StateFiles {
  /// Reads all that is there and says what is wrong with it; nothing of it is believed without its checksum or its
  /// signatures.
  ///
  /// - Parameters:
  ///   - settings: Whose manifests are taken.
  ///   - chain: The keysets that are trusted already; nil for fixed signers.
  /// - Returns: What was found.
  func load(_ settings: PinStoreSettings, _ chain: KeysetChain?) -> StoredState {
    var state = StoredState()
    state.keysets = chain
    if folder.isOpenToOthers {
      state.problems.append(
        PinStore.Problem(
          code: "exposed-directory",
          description: "others may write to the folder of the store's state; take the permission from them"))
    }
    loadFloors(&state)
    if let chain { loadKeysets(chain, &state) }
    loadManifests(settings, &state)
    for manifest in state.manifests { state.witness(manifest) }
    state.time = loadTime(&state)
    for manifest in state.manifests where manifest.floor != state.floor { state.isWhole = false }
    // Under another keyset the manifest alone wouldn't tell that it was accepted.
    for record in state.records where record != state.floor { state.isWhole = false }
    // The same signed bytes may bear other signatures.
    let usable = state.usable?.manifest
    for known in state.manifests where !(usable?.hasFileBytes(of: known.manifest) ?? false) { state.isWhole = false }
    return state
  }

  private func loadFloors(_ state: inout StoredState) {
    for name in Self.floors {
      guard let file = file(name, limit: StoredRecord.limit, &state) else { continue }
      guard let floor = StoredRecord.floor(file.bytes) else {
        state.isCorrupt(folder.full(name), "it isn't as it was written")
        continue
      }
      if let known = state.records.first, known.isLevel(with: floor), known != floor {
        state.isCorrupt(folder.full(name), "it says another digest for serial \(floor.serial) than the other floor")
        continue
      }
      state.records.append(floor)
    }
    state.floor = state.records.max()
  }

  private func loadManifests(_ settings: PinStoreSettings, _ state: inout StoredState) {
    for (number, name) in Self.manifests.enumerated() {
      guard let file = file(name, limit: settings.maximumBytes, &state) else { continue }
      if number == 0 { state.identity = file.identity }
      let place = "the stored manifest '\(folder.full(name))': "
      do throws(ManifestError) {
        let manifest = try KnownManifest(file.bytes, settings, state)
        state.manifests.append(manifest)
        // Nobody misses one that was replaced long ago, unless there is no other.
        if !manifest.isUsable, let refusal = manifest.refusal {
          state.isWhole = false
          state.refusals.append(
            PinStore.Problem(code: refusal.code.description, description: place + refusal.message))
        }
      } catch {
        state.isWhole = false
        state.problems.append(PinStore.Problem(code: error.code.description, description: place + error.message))
      }
    }
    state.manifests.sort { $1.floor < $0.floor }
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
    let content = content(of: name, limit: limit, &state)
    if content.file == nil { state.isWhole = false }
    if content.keepsContent { state.isUnreadable = true }
    return content.file
  }

  /// A file's bytes, and whether it may be in order although the system refuses to have it read, which is a problem.
  func content(
    of name: String, limit: Int, _ state: inout StoredState
  ) -> (file: (bytes: [UInt8], identity: FileIdentity)?, keepsContent: Bool) {
    do throws(FileError) {
      return (try folder.content(of: name, limit: limit), false)
    } catch {
      state.problems.append(PinStore.Problem(code: "unreadable-state", description: error.message))
      return (nil, error.keepsContent)
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
