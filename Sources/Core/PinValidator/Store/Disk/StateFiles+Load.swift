import PinFormat

extension StateFiles {
  /// Reads all that is there and says what is wrong with it; nothing of it is believed without its signatures.
  ///
  /// - Parameters:
  ///   - settings: Whose manifests are taken.
  ///   - chain: The keysets that are trusted already; nil for fixed signers.
  /// - Returns: What was found.
  func load(_ settings: PinStoreSettings, _ chain: KeysetChain?) -> StoredState {
    var state = StoredState(keysets: chain)
    if folder.isOpenToOthers {
      state.problems.append(
        PinStore.Problem(
          code: "exposed-directory",
          description: "others may write to the folder of the store's state; take the permission from them"))
    }
    if let chain { loadKeysets(chain, &state) }
    loadManifests(settings, &state)
    return state
  }

  private func loadManifests(_ settings: PinStoreSettings, _ state: inout StoredState) {
    var loaded: [UInt8]?
    for (number, name) in Self.manifests.enumerated() {
      guard let file = content(of: name, limit: settings.maximumBytes, &state) else {
        state.isWhole = false
        continue
      }
      if number == 0 { state.identity = file.identity }
      // The copies differ only if a process was killed while writing them.
      guard file.bytes != loaded else { continue }
      do throws(ManifestError) {
        state.manifests.append(try KnownManifest(file.bytes, settings, state.keysets))
        if loaded != nil { state.isWhole = false }
        loaded = file.bytes
      } catch {
        state.isWhole = false
        state.problems.append(
          PinStore.Problem(
            code: error.code.description,
            description: "the stored manifest '\(folder.full(name))': " + error.message))
      }
    }
  }

  /// A file's bytes; nil where it isn't there, or can't be read, which is a problem and nothing more: anybody who could
  /// make it unreadable could also remove it.
  func content(of name: String, limit: Int, _ state: inout StoredState) -> SafeFolder.Content? {
    do throws(FileError) {
      return try folder.content(of: name, limit: limit)
    } catch {
      state.problems.append(PinStore.Problem(code: "unreadable-state", description: error.message))
      return nil
    }
  }
}
