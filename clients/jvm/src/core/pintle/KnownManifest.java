package pintle;

import java.util.List;

/** A stored or embedded manifest that a keyset vouches for, be it not the newest. Signatures are all that says so. */
final class KnownManifest {
  final Manifest manifest;
  /** The count of serials that it belongs to; 1 for fixed signers. */
  final long epoch;
  /** Why the newest keyset doesn't endorse it; null if it does. */
  final PintleException refusal;

  private KnownManifest(Manifest manifest, long epoch, PintleException refusal) {
    this.manifest = manifest;
    this.epoch = epoch;
    this.refusal = refusal;
  }

  /** Verifies a manifest by the newest keyset, or else by one that led there; epoch 0 means that of the keyset. */
  static KnownManifest load(byte[] bytes, PinStoreSettings settings, KeysetChain chain, long epoch) throws PintleException {
    Keyset newest = chain == null ? null : chain.newest();
    Manifest manifest;
    PintleException refusal = null;
    try {
      manifest = settings.load(bytes, newest);
      if (newest != null) {
        try {
          newest.checkSerial(manifest);
        } catch (PintleException e) {
          refusal = e;
        }
      }
    } catch (PintleException e) {
      refusal = e;
      manifest = chain == null || !isAboutSignatures(e) ? null : byOlder(bytes, settings, chain);
      if (manifest == null) throw e;
    }
    return new KnownManifest(manifest, epoch != 0 ? epoch : KeysetChain.epoch(chain, manifest), refusal);
  }

  static boolean isAboutSignatures(PintleException e) {
    return e.code().equals("too-few-signatures") || e.code().equals("invalid-signature");
  }

  private static Manifest byOlder(byte[] bytes, PinStoreSettings settings, KeysetChain chain) {
    Keyset tried = chain.newest();
    for (int i = chain.trusted.size() - 2; i >= 0; i--) {
      Keyset keyset = chain.trusted.get(i);
      // The same signers would end as the last ones did.
      if (keyset.signers.isSame(tried.signers)) continue;
      tried = keyset;
      try {
        return settings.load(bytes, keyset);
      } catch (PintleException e) {
        continue;
      }
    }
    return null;
  }

  /** The highest serial of the newest epoch; of the same one, the copy that the newest keyset endorses. */
  static int compare(long epoch, long serial, boolean isEndorsed, KnownManifest other) {
    int order = Long.compare(epoch, other.epoch);
    if (order == 0) order = Long.compare(serial, other.manifest.serial);
    return order != 0 ? order : Boolean.compare(isEndorsed, other.refusal == null);
  }

  /** The one to be in force; the first of several that are equal; null if there is none. */
  static KnownManifest best(List<KnownManifest> known) {
    KnownManifest best = null;
    for (KnownManifest next : known) {
      if (best == null || compare(best.epoch, best.manifest.serial, best.refusal == null, next) < 0) best = next;
    }
    return best;
  }
}
