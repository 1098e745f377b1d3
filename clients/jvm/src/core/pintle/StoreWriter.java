package pintle;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The writers' side of a store: one writer at a time, over all threads and, with a folder, over processes. */
final class StoreWriter {
  private final PinStore store;
  private final PinStoreSettings settings;
  private final ReentrantLock lock = new ReentrantLock();
  /** The keysets that are trusted; null for fixed signers. */
  KeysetChain keysets;
  /** Of the stored files when they were last read or written: other ones are another process's. */
  private List<Object> identity;
  private List<Object> keysetsIdentity;
  private boolean isWhole = true;
  private boolean isChainWhole = true;
  boolean hasChanged;

  StoreWriter(PinStore store, Keyset shipped, List<PinStore.Problem> problems) {
    this.store = store;
    settings = store.settings;
    keysets = shipped == null ? null : new KeysetChain(shipped, settings.platform);
    open(problems);
  }

  static PintleException noKeyset() {
    return new PintleException("no-keyset", "the store was opened with fixed signers, so it accepts no keyset");
  }

  // Starting

  private void open(final List<PinStore.Problem> problems) {
    if (settings.directory == null) {
      choose(new StateFiles.Found(keysets), problems);
      return;
    }
    final StateFiles files;
    try {
      files = new StateFiles(settings.directory.toPath());
    } catch (IOException | RuntimeException e) {
      unusable(e, problems);
      choose(new StateFiles.Found(keysets), problems);
      return;
    }
    try {
      files.folder.whileLocked(new SafeFolder.Work<Void>() {
        @Override
        public Void run() {
          files.removeLeftovers();
          choose(files.load(settings, keysets), problems);
          if (!store.inForce.isShipped) {
            mend(files, problems);
          } else {
            mendKeysets(files, problems);
          }
          return null;
        }
      });
    } catch (IOException | PintleException e) {
      // Each file is replaced atomically, so it can be read without the lock; only writing needs it.
      unusable(e, problems);
      if (store.inForce == null) choose(files.load(settings, keysets), problems);
    }
  }

  private static void unusable(Exception e, List<PinStore.Problem> problems) {
    problems.add(new PinStore.Problem("unusable-directory",
        "can't use the state folder " + SafeFolder.problem(e)
            + "; updates are rejected until this process can write to it"));
  }

  /** Takes the highest manifest that there is. */
  private void choose(StateFiles.Found found, List<PinStore.Problem> problems) {
    problems.addAll(found.problems);
    KnownManifest embedded = embedded(found.keysets, problems);
    List<KnownManifest> known = found.eligible();
    if (embedded != null) known.add(embedded);
    KnownManifest best = KnownManifest.best(known);
    keysets = found.keysets;
    PinStore.InForce state = new PinStore.InForce();
    state.keyset = keysets == null ? null : keysets.newest();
    if (best != null) {
      state.decider = new Decider(best.manifest, store.trust.lazily());
      state.source = best == embedded ? PinStore.Source.EMBEDDED : PinStore.Source.STORED;
      state.epoch = best.epoch;
      state.isShipped = best == embedded;
      state.isEndorsed = best.refusal == null;
    }
    note(found, best == null ? null : best.manifest);
    store.inForce = state.settled();
    if (best == null) return;
    for (KnownManifest other : known) {
      if (other.epoch == best.epoch && other.manifest.serial == best.manifest.serial
          && !other.manifest.hasSignedBytesOf(best.manifest)) {
        problems.add(new PinStore.Problem("conflicting-state", "there are two manifests of serial " + best.manifest.serial
            + " with different signed bytes; one of them is a mistake"));
      }
    }
    if (best.refusal != null) {
      problems.add(new PinStore.Problem("disowned-manifest", "the manifest in force, of serial " + best.manifest.serial
          + ", is one that the keyset wouldn't accept by now: " + best.refusal.getMessage()
          + "; it stays in force until the next one arrives"));
    }
  }

  /** The embedded manifest, which is of the epoch of the keyset that was shipped with it. */
  private KnownManifest embedded(KeysetChain chain, List<PinStore.Problem> problems) {
    if (settings.embedded == null) return null;
    try {
      Keyset shipped = chain == null ? null : chain.shipped();
      KnownManifest known = KnownManifest.load(settings.embedded, settings, chain, shipped == null ? 1 : shipped.serialEpoch);
      if (shipped != null) shipped.checkSerial(known.manifest);
      return known;
    } catch (PintleException e) {
      // Always the first problem.
      problems.add(0, new PinStore.Problem(e.code(), "the embedded manifest: " + e.getMessage()));
      return null;
    }
  }

  /** Keeps in mind what was found on disk beside the manifest that is in force. */
  private void note(StateFiles.Found found, Manifest manifest) {
    identity = found.identity;
    keysetsIdentity = found.keysetsIdentity;
    isChainWhole = found.isChainWhole;
    KnownManifest best = KnownManifest.best(found.eligible());
    isWhole = manifest == null || found.isWhole && best != null && manifest.hasFileBytesOf(best.manifest);
  }

  /** Writes all files again if some are missing or damaged. */
  private void mend(StateFiles files, List<PinStore.Problem> problems) {
    Manifest manifest = store.inForce.manifest();
    if (!isWhole && manifest != null) {
      try {
        isWhole = files.store(manifest);
      } catch (IOException e) {
        problems.add(notRepaired(e));
      }
      identity = files.identity();
    }
    mendKeysets(files, problems);
  }

  private void mendKeysets(StateFiles files, List<PinStore.Problem> problems) {
    if (isChainWhole || keysets == null) return;
    try {
      isChainWhole = files.store(keysets);
    } catch (IOException e) {
      problems.add(notRepaired(e));
    }
    keysetsIdentity = files.keysetsIdentity();
  }

  private static PinStore.Problem notRepaired(IOException e) {
    return new PinStore.Problem("unusable-directory", "can't write " + SafeFolder.problem(e) + "; the state isn't repaired");
  }

  // Letting one writer in

  interface Body<Answer> {
    Answer run(StateFiles files) throws PintleException;
  }

  /** Lets one writer in, after a look at what other processes have stored. */
  <Answer> Answer exclusively(final Body<Answer> body) throws PintleException {
    Answer answer;
    boolean changed;
    Manifest before = null;
    Manifest after;
    lock.lock();
    try {
      hasChanged = false;
      before = store.inForce.manifest();
      if (settings.directory == null) {
        answer = body.run(null);
      } else {
        // Opened each time, because the folder may be made or mounted after the start.
        final StateFiles files = new StateFiles(settings.directory.toPath());
        answer = files.folder.whileLocked(new SafeFolder.Work<Answer>() {
          @Override
          public Answer run() throws PintleException {
            adoptNewer(files);
            return body.run(files);
          }
        });
      }
    } catch (IOException | java.nio.file.InvalidPathException e) {
      throw new PintleException("not-stored", "can't use the state folder " + SafeFolder.problem(e)
          + "; nothing is accepted that can't be stored", e);
    } finally {
      changed = hasChanged;
      after = store.inForce.manifest();
      lock.unlock();
      // After the lock is released, so that listeners may call the store.
      if (changed) store.tellActivated(after != before);
    }
    return answer;
  }

  private void adoptNewer(StateFiles files) {
    List<Object> found = files.identity();
    boolean isSame = found != null && found.equals(identity);
    if (isSame && keysets != null) {
      List<Object> ofKeysets = files.keysetsIdentity();
      isSame = ofKeysets == null ? keysetsIdentity == null : ofKeysets.equals(keysetsIdentity);
    }
    if (!isSame) adopt(files.load(settings, keysets));
  }

  /** Takes what was stored if it is above what is known here. */
  void adopt(StateFiles.Found found) {
    if (found.keysets != null) {
      if (found.keysets.newest() != keysets.newest()) trust(found.keysets);
      keysets = found.keysets;
    }
    PinStore.InForce before = store.inForce;
    KnownManifest best = KnownManifest.best(found.eligible());
    if (best != null && (before.decider == null
        || KnownManifest.compare(before.epoch, before.manifest().serial, before.isEndorsed, best) < 0)) {
      boolean isSame = before.decider != null && before.manifest().hasSignedBytesOf(best.manifest);
      take(best.manifest, isSame ? before.source : PinStore.Source.STORED, best.epoch, best.refusal == null);
    }
    note(found, store.inForce.manifest());
  }

  /** Puts a manifest into force; readers see all of it at once. */
  void take(Manifest manifest, PinStore.Source source, long epoch, boolean isEndorsed) {
    PinStore.InForce before = store.inForce;
    PinStore.InForce state = before.copy();
    state.decider = new Decider(manifest, store.trust.lazily());
    state.source = source;
    state.epoch = epoch;
    state.isEndorsed = isEndorsed;
    state.isShipped = false;
    store.inForce = state.settled();
    // With other signatures or in a later epoch, the same bytes change no decision.
    if (before.decider == null || !before.manifest().hasSignedBytesOf(manifest)) hasChanged = true;
  }

  /** Has manifests accepted by the newest keyset of a chain. */
  void trust(KeysetChain chain) {
    PinStore.InForce state = store.inForce.copy();
    Manifest manifest = state.manifest();
    state.keyset = chain.newest();
    state.isEndorsed = manifest == null || chain.newest().endorses(manifest);
    if (manifest != null && !state.isShipped) state.epoch = KeysetChain.epoch(chain, manifest);
    store.inForce = state.settled();
    keysets = chain;
  }

  /** Has a manifest's file on disk. */
  void store(Manifest manifest, StateFiles files) throws PintleException {
    if (files == null) return;
    try {
      isWhole = files.store(manifest);
    } catch (IOException e) {
      throw new PintleException("not-stored", "can't write " + SafeFolder.problem(e) + "; the manifest isn't in force either", e);
    }
    identity = files.identity();
  }

  /** Has keysets on disk. */
  void store(KeysetChain chain, StateFiles files) throws PintleException {
    if (files == null) return;
    try {
      isChainWhole = files.store(chain);
    } catch (IOException e) {
      throw new PintleException("not-stored", "can't write " + SafeFolder.problem(e) + "; the keyset isn't trusted either", e);
    }
    keysetsIdentity = files.keysetsIdentity();
  }

  /** The keyset that is trusted after a look at what other processes have stored; null if it is the same. */
  Keyset newerKeyset(Keyset seen) {
    if (store.inForce.keyset == seen && settings.directory != null) {
      try {
        exclusively(new Body<Void>() {
          @Override
          public Void run(StateFiles files) {
            return null;
          }
        });
      } catch (PintleException e) {
        // If the files can't be read, nothing changes.
        return null;
      }
    }
    return store.inForce.keyset == seen ? null : store.inForce.keyset;
  }

  void maintain() throws PintleException {
    if (settings.directory == null) return;
    exclusively(new Body<Void>() {
      @Override
      public Void run(StateFiles files) throws PintleException {
        List<PinStore.Problem> problems = new ArrayList<>();
        if (!store.inForce.isShipped) {
          mend(files, problems);
        } else {
          mendKeysets(files, problems);
        }
        if (!problems.isEmpty()) throw new PintleException("not-stored", problems.get(0).message());
        return null;
      }
    });
  }
}
