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
  private KeysetChain keysets;
  /** Of the stored files when they were last read or written: other ones are another process's. */
  private List<Object> identity;
  private List<Object> keysetsIdentity;
  private boolean isWhole = true;
  private boolean isChainWhole = true;
  private boolean hasChanged;

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
        "can't use the folder " + e.getMessage() + "; updates are rejected as long as nothing can be stored"));
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
    return new PinStore.Problem("unusable-directory", "can't write " + e.getMessage() + "; the state isn't repaired");
  }

  // Letting one writer in

  private interface Body<Answer> {
    Answer run(StateFiles files) throws PintleException;
  }

  /** Lets one writer in, after a look at what other processes have stored. */
  private <Answer> Answer exclusively(final Body<Answer> body) throws PintleException {
    Answer answer;
    boolean changed;
    lock.lock();
    try {
      hasChanged = false;
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
      throw new PintleException("not-stored", "can't use the folder " + e.getMessage()
          + "; nothing is accepted that can't be stored", e);
    } finally {
      changed = hasChanged;
      lock.unlock();
      // After the lock is released, so that listeners may call the store.
      if (changed) store.tellActivated();
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
  private void adopt(StateFiles.Found found) {
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
  private void take(Manifest manifest, PinStore.Source source, long epoch, boolean isEndorsed) {
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
  private void trust(KeysetChain chain) {
    PinStore.InForce state = store.inForce.copy();
    Manifest manifest = state.manifest();
    state.keyset = chain.newest();
    state.isEndorsed = manifest == null || chain.newest().endorses(manifest);
    if (manifest != null && !state.isShipped) state.epoch = KeysetChain.epoch(chain, manifest);
    store.inForce = state.settled();
    keysets = chain;
  }

  // Updates

  PinStore.Result update(byte[] bytes) throws PintleException {
    Keyset seen = store.inForce.keyset;
    while (true) {
      Manifest manifest;
      try {
        manifest = settings.load(bytes, seen);
      } catch (PintleException e) {
        // Another process may have stored a newer keyset, under which it is valid.
        Keyset newer = seen != null && KnownManifest.isAboutSignatures(e) ? newerKeyset(seen) : null;
        if (newer == null) throw e;
        seen = newer;
        continue;
      }
      PinStore.Result result = take(manifest, seen);
      if (result != null) return result;
      seen = store.inForce.keyset;
    }
  }

  /** Null if the manifest was loaded by a keyset that has been replaced meanwhile. */
  private PinStore.Result take(final Manifest manifest, final Keyset seen) throws PintleException {
    return exclusively(new Body<PinStore.Result>() {
      @Override
      public PinStore.Result run(StateFiles files) throws PintleException {
        Keyset keyset = keysets == null ? null : keysets.newest();
        if (keyset != seen) return null;
        if (keyset != null) keyset.checkSerial(manifest);
        PinStore.InForce state = store.inForce;
        long epoch = keyset == null ? 1 : keyset.serialEpoch;
        boolean isSame = state.decider != null && state.manifest().hasSignedBytesOf(manifest);
        compare(manifest, isSame, epoch, state);
        if (isSame) {
          if (!state.isEndorsed || state.epoch != epoch) {
            store(manifest, files);
            take(manifest, state.source, epoch, true);
          }
          return PinStore.Result.UNCHANGED;
        }
        long at = store.now(state);
        checkTime(manifest, keyset, at);
        Decider after = new Decider(manifest, store.trust.lazily());
        ActivationCheck.check(
            state.decider, after, settings, store.recent.since(at - settings.recentPeriod, at), at);
        store(manifest, files);
        take(manifest, PinStore.Source.UPDATE, epoch, true);
        return PinStore.Result.ACTIVATED;
      }
    });
  }

  private static void compare(Manifest manifest, boolean isSame, long epoch, PinStore.InForce state) throws PintleException {
    if (state.decider == null || epoch > state.epoch) return;
    long highest = state.manifest().serial;
    if (manifest.serial < highest) {
      throw new PintleException("older-serial", "serial " + manifest.serial + " is below " + highest
          + ", the highest that was ever accepted");
    }
    if (manifest.serial == highest && !isSame) {
      throw new PintleException("conflicting-serial", "serial " + manifest.serial
          + " was accepted with other signed bytes; one of the two is a mistake");
    }
  }

  private static void checkTime(Manifest manifest, Keyset keyset, long at) throws PintleException {
    if (keyset != null && at >= keyset.expires) {
      throw new PintleException("keyset-expired", "the keyset of version " + keyset.version + " expired "
          + Instants.format(keyset.expires) + ", and it is " + Instants.format(at) + "; a newer one must come first");
    }
    if (at >= manifest.expires) {
      throw new PintleException("stale", "the manifest expired " + Instants.format(manifest.expires) + ", and it is "
          + Instants.format(at));
    }
  }

  private void store(Manifest manifest, StateFiles files) throws PintleException {
    if (files == null) return;
    try {
      isWhole = files.store(manifest);
    } catch (IOException e) {
      throw new PintleException("not-stored", "can't write " + e.getMessage() + "; the manifest isn't in force either", e);
    }
    identity = files.identity();
  }

  PinStore.Result updateKeyset(byte[] bytes) throws PintleException {
    Keyset seen = store.inForce.keyset;
    if (seen == null) throw noKeyset();
    while (true) {
      Keyset next;
      try {
        next = seen.successor(bytes, settings.platform);
      } catch (PintleException e) {
        Keyset newer = newerKeyset(seen);
        if (newer == null) throw e;
        seen = newer;
        continue;
      }
      PinStore.Result result = take(next, seen);
      if (result != null) return result;
      seen = store.inForce.keyset;
    }
  }

  /** Null if the keyset that vouched for it isn't the newest any more. */
  private PinStore.Result take(final Keyset next, final Keyset seen) throws PintleException {
    return exclusively(new Body<PinStore.Result>() {
      @Override
      public PinStore.Result run(StateFiles files) throws PintleException {
        if (keysets.contains(next)) return PinStore.Result.UNCHANGED;
        if (keysets.newest() != seen) return null;
        KeysetChain longer = keysets.with(next);
        if (files != null) {
          try {
            isChainWhole = files.store(longer);
          } catch (IOException e) {
            throw new PintleException("not-stored", "can't write " + e.getMessage() + "; the keyset isn't trusted either", e);
          }
          keysetsIdentity = files.keysetsIdentity();
        }
        trust(longer);
        hasChanged = true;
        // Manifests that were stored under a keyset that this process didn't have yet may be valid now.
        if (files != null) adopt(files.load(settings, longer));
        return PinStore.Result.ACTIVATED;
      }
    });
  }

  /** The keyset that is trusted after a look at what other processes have stored; null if it is the same. */
  private Keyset newerKeyset(Keyset seen) {
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
