import PinFormat

/// What a store begins with: reads the state, chooses the manifest, mends what is damaged on disk.
struct StoreStart {
  private(set) var manifest: LoadedManifest?
  private(set) var source = PinStore.Source.none
  /// Whether the newest keyset endorses the manifest.
  private(set) var isEndorsed = true
  private(set) var problems: [PinStore.Problem] = []
  private(set) var writer = PinStore.Writer()
  /// The last time seen, as it was stored.
  private(set) var time: Instant?

  init(_ settings: PinStoreSettings) {
    let chain = settings.trust.shippedKeyset.map { KeysetChain(shipped: $0) }
    guard let directory = settings.directory else {
      choose(among: StoredState(keysets: chain), settings)
      return
    }
    do throws(FileError) {
      let files = try StateFiles(directory)
      do throws(FileError) {
        try files.folder.whileLocked { open(files, settings, chain, mends: true) }
      } catch {
        // Each file is replaced in one step, so reading without the lock is sound; only writing isn't.
        report("unusable-directory", error.message + "; updates are refused as long as nothing can be kept")
        open(files, settings, chain, mends: false)
      }
    } catch {
      report("unusable-directory", error.message + "; updates are refused as long as nothing can be kept")
      choose(among: StoredState(keysets: chain), settings)
    }
  }

  private mutating func open(
    _ files: StateFiles, _ settings: PinStoreSettings, _ chain: KeysetChain?, mends: Bool
  ) {
    if mends { files.removeLeftovers() }
    let state = files.load(settings, chain)
    problems += state.problems
    time = state.time
    if let hidden = state.hidden { report("unusable-directory", hidden) }
    choose(among: state, settings)
    writer.storedTime = state.time
    // Where something can't be read, all is looked at again before anything is taken.
    writer.identity = state.hidden == nil ? state.identity : nil
    writer.keysetsIdentity = state.keysetsIdentity
    writer.isWhole = state.isWhole && state.floor == writer.floor
    writer.isChainWhole = state.isChainWhole
    if mends, state.hidden == nil { writer.mend(files, manifest, &problems) }
  }

  /// The embedded manifest, which is of the epoch of the keyset that was shipped with it.
  private mutating func embedded(_ settings: PinStoreSettings, _ state: inout StoredState) -> KnownManifest? {
    guard let bytes = settings.embedded else { return nil }
    let refusal: UpdateError
    do throws(ManifestError) {
      let known = try KnownManifest(bytes, settings, state, epoch: settings.trust.shippedKeyset.serialEpoch)
      if known.isUsable { return known }
      guard let reason = known.refusal else { return nil }
      refusal = reason
    } catch {
      // First of all, as ever.
      problems.insert(
        PinStore.Problem(code: error.code.description, description: "the embedded manifest: " + error.message), at: 0)
      return nil
    }
    // It was in order when it was shipped, and what came since needs no word, unless there is nothing else.
    state.refusals.append(
      PinStore.Problem(code: refusal.code.description, description: "the embedded manifest: " + refusal.message))
    return nil
  }

  /// Takes the highest manifest that there is, unless a higher one was accepted before.
  private mutating func choose(among stored: StoredState, _ settings: PinStoreSettings) {
    var state = stored
    let embedded = embedded(settings, &state)
    if let embedded { state.witness(embedded) }
    writer.floor = state.floor
    writer.keysets = state.keysets
    if let usable = state.usable {
      take(usable, .stored)
    } else if let embedded, embedded.floor == state.floor {
      take(embedded, .embedded)
    }
    if manifest == nil { problems += state.refusals }
    if let floor = state.floor {
      for known in state.manifests + (embedded.map { [$0] } ?? [])
      where known.floor.isLevel(with: floor) && known.floor != floor {
        report("conflicting-state", "serial \(floor.serial) was accepted with other signed bytes than one manifest has")
      }
      // The height of an epoch that is over no longer counts.
      if manifest == nil, floor.epoch >= (writer.keysets?.newest).serialEpoch {
        report(
          "below-floor",
          "serial \(floor.serial) was accepted before, and no such manifest is at hand; an older one is never used")
      }
    }
  }

  private mutating func take(_ known: KnownManifest, _ source: PinStore.Source) {
    manifest = known.manifest
    self.source = source
    guard let refusal = known.refusal else { return }
    isEndorsed = false
    report(
      "disowned-manifest",
      "the manifest in force, of serial \(known.manifest.serial), is one that the keyset wouldn't take by now: "
        + refusal.message + "; it stays in force until the next one arrives")
  }

  private mutating func report(_ code: String, _ description: String) {
    problems.append(PinStore.Problem(code: code, description: description))
  }
}

extension PinStore {
  /// What whoever writes knows, behind the writers' lock.
  struct Writer: Sendable {
    /// The highest serial that was ever accepted; nil where there was none.
    var floor: SerialFloor?
    /// The keysets that are trusted; nil for fixed signers.
    var keysets: KeysetChain?
    /// Of the stored manifest when it was last read or written: another one is another process's.
    var identity: FileIdentity?
    /// Of the stored keysets, likewise.
    var keysetsIdentity: FileIdentity?
    /// Whether all files of manifest and floor are there and say what is in force.
    var isWhole = true
    /// Whether the files of keysets say what is trusted.
    var isChainWhole = true
    var storedTime: Instant?
    /// What took effect and wasn't told yet.
    var activations: [Activation] = []

    /// Writes down the time where it is later than what is on disk; a time that can't be is no reason to refuse anything.
    mutating func keep(_ time: Instant, _ files: StateFiles) {
      guard storedTime.map({ $0 < time }) ?? true else { return }
      do throws(FileError) {
        try files.store(time)
        storedTime = time
      } catch { return }
    }

    /// Writes all files anew where some are missing or damaged.
    mutating func mend(_ files: StateFiles, _ manifest: LoadedManifest?, _ problems: inout [Problem]) {
      do throws(FileError) {
        if !isWhole, let floor {
          defer { identity = files.identity }
          isWhole = try files.store(manifest?.fileBytes, floor)
        }
        // Behind the floor: under another keyset the manifest alone doesn't tell its epoch.
        if !isChainWhole, let keysets {
          defer { keysetsIdentity = files.keysetsIdentity }
          isChainWhole = try files.store(keysets)
        }
      } catch {
        problems.append(Problem(code: "unusable-directory", description: error.message + "; the state isn't mended"))
      }
    }
  }
}
