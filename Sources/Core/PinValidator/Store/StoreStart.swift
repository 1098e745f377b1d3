import PinFormat

/// What a store begins with: reads the state, chooses the manifest, repairs what is damaged on disk.
struct StoreStart {
  private(set) var inForce: KnownManifest?
  private(set) var source = PinStore.Source.none
  private(set) var problems: [PinStore.Problem] = []
  private(set) var writer = PinStore.Writer()

  init(_ settings: PinStoreSettings) {
    let chain = settings.trust.shippedKeyset.map { KeysetChain(shipped: $0) }
    guard let directory = settings.directory else {
      choose(among: StoredState(keysets: chain), settings)
      return
    }
    do throws(FileError) {
      let files = try StateFiles(directory)
      do throws(FileError) {
        try files.folder.whileLocked {
          files.removeLeftovers()
          choose(among: files.load(settings, chain), settings)
          writer.mend(files, source == .embedded ? nil : inForce?.manifest, &problems)
        }
      } catch {
        // Each file is replaced atomically, so it can be read without the lock; only writing needs it.
        report("unusable-directory", error.message + "; updates are rejected as long as nothing can be stored")
        choose(among: files.load(settings, chain), settings)
      }
    } catch {
      report("unusable-directory", error.message + "; updates are rejected as long as nothing can be stored")
      choose(among: StoredState(keysets: chain), settings)
    }
  }

  /// The embedded manifest, which is of the epoch of the keyset that was shipped with it.
  private mutating func embedded(_ settings: PinStoreSettings, _ chain: KeysetChain?) -> KnownManifest? {
    guard let bytes = settings.embedded else { return nil }
    let shipped = settings.trust.shippedKeyset
    let refusal: UpdateError
    do throws(UpdateError) {
      let known: KnownManifest
      do { known = try KnownManifest(bytes, settings, chain, epoch: shipped.serialEpoch) } catch {
        throw UpdateError(error)
      }
      try shipped?.check(serialOf: known.manifest)
      return known
    } catch {
      refusal = error
    }
    // Always the first problem.
    problems.insert(
      PinStore.Problem(code: refusal.code.description, description: "the embedded manifest: " + refusal.message), at: 0)
    return nil
  }

  /// Takes the highest manifest that there is.
  private mutating func choose(among state: StoredState, _ settings: PinStoreSettings) {
    problems += state.problems
    let embedded = embedded(settings, state.keysets)
    let known = state.eligible + (embedded.map { [$0] } ?? [])
    inForce = KnownManifest.best(of: known)
    writer.keysets = state.keysets
    writer.note(state, inForce?.manifest)
    guard let inForce else { return }
    source = inForce.manifest === embedded?.manifest ? .embedded : .stored
    for other in known
    where (other.epoch, other.manifest.serial) == (inForce.epoch, inForce.manifest.serial)
      && !other.manifest.hasSignedBytes(of: inForce.manifest)
    {
      report(
        "conflicting-state",
        "there are two manifests of serial \(inForce.manifest.serial) with different signed bytes; one of them is a mistake"
      )
    }
    if let refusal = inForce.refusal {
      report(
        "disowned-manifest",
        "the manifest in force, of serial \(inForce.manifest.serial), is one that the keyset wouldn't take by now: "
          + refusal.message + "; it stays in force until the next one arrives")
    }
  }

  private mutating func report(_ code: String, _ description: String) {
    problems.append(PinStore.Problem(code: code, description: description))
  }
}

extension PinStore {
  /// What the writer knows, behind the writers' lock.
  struct Writer: Sendable {
    /// The keysets that are trusted; nil for fixed signers.
    var keysets: KeysetChain?
    /// Of the stored manifest when it was last read or written: another one is another process's.
    var identity: FileIdentity?
    /// Of the stored keysets, likewise.
    var keysetsIdentity: FileIdentity?
    /// Whether both files of the manifest are there and hold what is in force.
    var isWhole = true
    /// Whether the files of keysets say what is trusted.
    var isChainWhole = true
    /// What took effect and wasn't told yet.
    var activations: [Activation] = []

    /// Keeps in mind what was found on disk beside the manifest that is in force.
    mutating func note(_ state: StoredState, _ manifest: LoadedManifest?) {
      identity = state.identity
      keysetsIdentity = state.keysetsIdentity
      isChainWhole = state.isChainWhole
      let isSame = state.best.map { manifest?.hasFileBytes(of: $0.manifest) ?? false } ?? false
      isWhole = state.isWhole && isSame || manifest == nil
    }

    /// Writes all files again where some are missing or damaged.
    mutating func mend(_ files: StateFiles, _ manifest: LoadedManifest?, _ problems: inout [Problem]) {
      do throws(FileError) {
        if !isWhole, let manifest {
          defer { identity = files.identity }
          isWhole = try files.store(manifest.fileBytes)
        }
        if !isChainWhole, let keysets {
          defer { keysetsIdentity = files.keysetsIdentity }
          isChainWhole = try files.store(keysets)
        }
      } catch {
        problems.append(Problem(code: "unusable-directory", description: error.message + "; the state isn't repaired"))
      }
    }
  }
}
