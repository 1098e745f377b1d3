import PinFormat

/// What a store begins with: reads the state, chooses the manifest, mends what is damaged on disk.
struct StoreStart {
  private(set) var manifest: LoadedManifest?
  private(set) var source = PinStore.Source.none
  private(set) var problems: [PinStore.Problem] = []
  private(set) var writer = PinStore.Writer()
  /// The last time seen, as it was stored.
  private(set) var time: Instant?

  init(_ settings: PinStoreSettings) {
    var embedded: LoadedManifest?
    if let bytes = settings.embedded {
      do throws(ManifestError) {
        embedded = try settings.load(bytes)
      } catch {
        report(error.code.description, "the embedded manifest: " + error.message)
      }
    }
    guard let directory = settings.directory else {
      choose(among: StoredState(), embedded)
      return
    }
    do throws(FileError) {
      let files = try StateFiles(directory)
      do throws(FileError) {
        try files.folder.whileLocked { open(files, settings, embedded, mends: true) }
      } catch {
        // Each file is replaced in one step, so reading without the lock is sound; only writing isn't.
        report("unusable-directory", error.message + "; updates are refused as long as nothing can be kept")
        open(files, settings, embedded, mends: false)
      }
    } catch {
      report("unusable-directory", error.message + "; updates are refused as long as nothing can be kept")
      choose(among: StoredState(), embedded)
    }
  }

  private mutating func open(
    _ files: StateFiles, _ settings: PinStoreSettings, _ embedded: LoadedManifest?, mends: Bool
  ) {
    if mends { files.removeLeftovers() }
    let state = files.load(settings)
    problems += state.problems
    time = state.time
    if state.hidesFloor { report("unusable-directory", PinStore.hiddenFloor) }
    choose(among: state, embedded)
    writer.storedTime = state.time
    writer.identity = state.identity
    writer.isWhole = state.isWhole && state.floor == writer.floor
    if mends, !state.hidesFloor { writer.mend(files, manifest, &problems) }
  }

  /// Takes the highest manifest that there is, unless a higher one was accepted before.
  private mutating func choose(among stored: StoredState, _ embedded: LoadedManifest?) {
    var state = stored
    if let embedded { state.witness(embedded) }
    writer.floor = state.floor
    if let usable = state.usable {
      manifest = usable
      source = .stored
    } else if let embedded, embedded.floor == state.floor {
      manifest = embedded
      source = .embedded
    }
    if let floor = state.floor {
      for manifest in stored.manifests + (embedded.map { [$0] } ?? [])
      where manifest.serial == floor.serial && manifest.floor != floor {
        report("conflicting-state", "serial \(floor.serial) was accepted with other signed bytes than one manifest has")
      }
      if manifest == nil {
        report(
          "below-floor",
          "serial \(floor.serial) was accepted before, and no such manifest is at hand; an older one is never used")
      }
    }
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
    /// Of the stored manifest when it was last read or written: another one is another process's.
    var identity: FileIdentity?
    /// Whether all files are there and say what is in force.
    var isWhole = true
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
      guard !isWhole, let floor else { return }
      do throws(FileError) {
        try files.store(manifest?.fileBytes, floor)
        isWhole = true
      } catch {
        problems.append(Problem(code: "unusable-directory", description: error.message + "; the state isn't mended"))
      }
      identity = files.identity
    }
  }
}
