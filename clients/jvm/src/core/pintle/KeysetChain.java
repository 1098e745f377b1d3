package pintle;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** The keysets that a store trusts, and what else its folder has. It never changes. */
final class KeysetChain {
  static final int MAXIMUM_COUNT = 1024;
  static final int MAXIMUM_BYTES = 16 << 20;

  /** A keyset as it is in the folder, of which only the number was read. */
  static final class Stored {
    final long version;
    final byte[] bytes;

    Stored(byte[] bytes) throws PintleException {
      this.bytes = bytes;
      version = Keyset.unverifiedVersion(bytes);
    }
  }

  /** From the shipped one to the newest, each vouched for by the one before; there is always the first. */
  final List<Keyset> trusted;
  /** Those below the shipped one: a program that ships one of them begins there. */
  private final List<Stored> older;
  /** Those above the newest that don't follow it: another program's, which shipped a later one. */
  final List<Stored> beyond;
  private final SigningKey.Platform platform;

  private KeysetChain(List<Keyset> trusted, List<Stored> older, List<Stored> beyond, SigningKey.Platform platform) {
    this.trusted = trusted;
    this.older = older;
    this.beyond = beyond;
    this.platform = platform;
  }

  KeysetChain(Keyset shipped, SigningKey.Platform platform) {
    this(Collections.singletonList(shipped), Collections.<Stored>emptyList(), Collections.<Stored>emptyList(), platform);
  }

  Keyset shipped() {
    return trusted.get(0);
  }

  Keyset newest() {
    return trusted.get(trusted.size() - 1);
  }

  boolean isOnlyShipped() {
    return trusted.size() == 1 && older.isEmpty() && beyond.isEmpty();
  }

  boolean contains(Keyset keyset) {
    for (Keyset one : trusted) if (one.digest.equals(keyset.digest)) return true;
    return false;
  }

  /** With a keyset for which the newest has vouched, and what the disk may have beyond it. */
  KeysetChain with(Keyset next) {
    List<Keyset> longer = new ArrayList<>(trusted);
    longer.add(next);
    return new KeysetChain(longer, older, beyond, platform).walk(Collections.<Stored>emptyList());
  }

  /** Walks forward over what was found on disk, as far as one vouches for the next. */
  KeysetChain walk(Collection<Stored> found) {
    List<Stored> all = new ArrayList<>(found);
    all.addAll(older);
    all.addAll(beyond);
    Collections.sort(all, new Comparator<Stored>() {
      @Override
      public int compare(Stored left, Stored right) {
        return Long.compare(left.version, right.version);
      }
    });
    List<Keyset> longer = new ArrayList<>(trusted);
    for (Stored candidate : all) {
      Keyset newest = longer.get(longer.size() - 1);
      if (candidate.version != newest.version + 1) continue;
      try {
        longer.add(newest.successor(candidate.bytes, platform));
      } catch (PintleException e) {
        // It stays among those that nobody vouches for.
        continue;
      }
    }
    List<Stored> below = new ArrayList<>();
    List<Stored> above = new ArrayList<>();
    for (Stored one : all) {
      List<Stored> kept = one.version < shipped().version ? below : above;
      if (kept == above && one.version <= longer.get(longer.size() - 1).version) continue;
      // One of each version, which has its own roots' signatures: a file that was damaged doesn't.
      if (!kept.isEmpty() && kept.get(kept.size() - 1).version == one.version) continue;
      if (fault(one) == null) kept.add(one);
    }
    return new KeysetChain(longer, below, above, platform);
  }

  /** What is wrong with a keyset by itself, no matter who vouches for it. */
  PintleException fault(Stored keyset) {
    try {
      Keyset.shipped(keyset.bytes, shipped().audience, platform);
      return null;
    } catch (PintleException e) {
      return e;
    }
  }

  /** Whether a file of this version would be on disk with these very bytes. */
  boolean holds(Stored keyset) {
    long place = keyset.version - shipped().version;
    if (place >= 0 && place < trusted.size()) return Arrays.equals(trusted.get((int) place).file, keyset.bytes);
    for (Stored one : place < 0 ? older : beyond) if (Arrays.equals(one.bytes, keyset.bytes)) return true;
    return false;
  }

  /** One keyset a line, the oldest first; null if the trusted ones are too many. What isn't trusted is left out first. */
  byte[] fileBytes() {
    List<byte[]> lines = new ArrayList<>();
    long size = 0;
    for (Keyset one : trusted) {
      lines.add(one.file);
      size += one.file.length + 1;
    }
    if (lines.size() > MAXIMUM_COUNT || size > MAXIMUM_BYTES) return null;
    for (Stored one : beyond) {
      size += one.bytes.length + 1;
      if (lines.size() >= MAXIMUM_COUNT || size > MAXIMUM_BYTES) break;
      lines.add(one.bytes);
    }
    for (int i = older.size() - 1; i >= 0; i--) {
      size += older.get(i).bytes.length + 1;
      if (lines.size() >= MAXIMUM_COUNT || size > MAXIMUM_BYTES) break;
      lines.add(0, older.get(i).bytes);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (byte[] line : lines) {
      bytes.write(line, 0, line.length);
      bytes.write('\n');
    }
    return bytes.toByteArray();
  }

  /** The epoch of a manifest: that of the newest keyset that would accept it, or else the first one's. */
  static long epoch(KeysetChain chain, Manifest manifest) {
    if (chain == null) return 1;
    for (int i = chain.trusted.size() - 1; i >= 0; i--) {
      if (chain.trusted.get(i).endorses(manifest)) return chain.trusted.get(i).serialEpoch;
    }
    return chain.shipped().serialEpoch;
  }
}
