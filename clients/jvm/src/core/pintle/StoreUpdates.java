package pintle;

/** How a store takes a newer manifest or keyset: the checks of docs/updates.md, in their order. */
final class StoreUpdates {
  private final PinStore store;
  private final PinStoreSettings settings;
  private final StoreWriter writer;

  StoreUpdates(PinStore store, StoreWriter writer) {
    this.store = store;
    settings = store.settings;
    this.writer = writer;
  }

  PinStore.Result update(byte[] bytes) throws PintleException {
    Keyset seen = store.inForce.keyset;
    while (true) {
      Manifest manifest;
      try {
        manifest = settings.load(bytes, seen);
      } catch (PintleException e) {
        // Another process may have stored a newer keyset, under which it is valid.
        Keyset newer = seen != null && KnownManifest.isAboutSignatures(e) ? writer.newerKeyset(seen) : null;
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
    return writer.exclusively(new StoreWriter.Body<PinStore.Result>() {
      @Override
      public PinStore.Result run(StateFiles files) throws PintleException {
        Keyset keyset = writer.keysets == null ? null : writer.keysets.newest();
        if (keyset != seen) return null;
        if (keyset != null) keyset.checkSerial(manifest);
        PinStore.InForce state = store.inForce;
        long epoch = keyset == null ? 1 : keyset.serialEpoch;
        boolean isSame = state.decider != null && state.manifest().hasSignedBytesOf(manifest);
        compare(manifest, isSame, epoch, state);
        if (isSame) {
          if (!state.isEndorsed || state.epoch != epoch) {
            writer.store(manifest, files);
            writer.take(manifest, state.source, epoch, true);
          }
          return PinStore.Result.UNCHANGED;
        }
        long at = store.now(state);
        checkTime(manifest, keyset, at);
        Decider after = new Decider(manifest, store.trust.lazily());
        ActivationCheck.check(
            state.decider, after, settings, store.recent.since(at - settings.recentPeriod, at), at);
        writer.store(manifest, files);
        writer.take(manifest, PinStore.Source.UPDATE, epoch, true);
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

  PinStore.Result updateKeyset(byte[] bytes) throws PintleException {
    Keyset seen = store.inForce.keyset;
    if (seen == null) throw StoreWriter.noKeyset();
    while (true) {
      Keyset next;
      try {
        next = seen.successor(bytes, settings.platform);
      } catch (PintleException e) {
        Keyset newer = writer.newerKeyset(seen);
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
    return writer.exclusively(new StoreWriter.Body<PinStore.Result>() {
      @Override
      public PinStore.Result run(StateFiles files) throws PintleException {
        if (writer.keysets.contains(next)) return PinStore.Result.UNCHANGED;
        if (writer.keysets.newest() != seen) return null;
        KeysetChain longer = writer.keysets.with(next);
        writer.store(longer, files);
        writer.trust(longer);
        writer.hasChanged = true;
        // Manifests that were stored under a keyset that this process didn't have yet may be valid now.
        if (files != null) writer.adopt(files.load(settings, longer));
        return PinStore.Result.ACTIVATED;
      }
    });
  }
}
