package pintle;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a store keeps on disk, and in which order it is written (docs/updates.md#on-disk): the same files as every other
 * client of Pintle. All that is read is believed for its signatures alone.
 */
final class StateFiles {
  private static final String[] MANIFESTS = {"manifest.json", "manifest.copy.json"};
  private static final String[] KEYSETS = {"keysets", "keysets.copy"};
  /** What older versions kept, which could be forged; nothing reads it. */
  private static final String[] OBSOLETE = {"floor.1", "floor.2", "time"};

  final SafeFolder folder;

  StateFiles(Path directory) throws IOException {
    folder = new SafeFolder(directory);
  }

  /** What tells whether somebody has stored another manifest, or another keyset. */
  List<Object> identity() {
    return folder.identity(MANIFESTS[0]);
  }

  List<Object> keysetsIdentity() {
    return folder.identity(KEYSETS[0]);
  }

  /** Whether all files have their names; those that don't must be written again. */
  boolean store(Manifest manifest) throws IOException {
    return store(MANIFESTS, manifest.file.bytes);
  }

  boolean store(KeysetChain chain) throws IOException {
    byte[] bytes = chain.fileBytes();
    if (bytes == null) {
      throw new FileSystemException(folder.full(KEYSETS[0]), null, "there are more than " + KeysetChain.MAXIMUM_COUNT
          + " keysets from the shipped one on; ship a newer one");
    }
    return store(KEYSETS, bytes);
  }

  /** Writes both copies under other names first, so that a full disk is met before anything has changed. */
  private boolean store(String[] names, byte[] bytes) throws IOException {
    try {
      for (String name : names) folder.prepare(bytes, name);
      folder.commit(names[0]);
    } catch (IOException | RuntimeException e) {
      for (String name : names) folder.discard(name);
      throw e;
    }
    IOException failure = null;
    try {
      folder.sync();
    } catch (IOException e) {
      failure = e;
    }
    boolean isWhole = true;
    try {
      folder.commit(names[1]);
    } catch (IOException e) {
      // It is repaired later: the first file has all the content.
      folder.discard(names[1]);
      isWhole = false;
    }
    if (failure != null) throw failure;
    try {
      folder.sync();
    } catch (IOException e) {
      return false;
    }
    return isWhole;
  }

  /** Removes what an update left that was killed, and what an older version kept. */
  void removeLeftovers() {
    for (String[] names : new String[][] {MANIFESTS, KEYSETS, OBSOLETE}) {
      for (String name : names) folder.discard(name);
    }
    for (String name : OBSOLETE) folder.remove(name);
  }

  /** What was found on disk. */
  static final class Found {
    final List<KnownManifest> manifests = new ArrayList<>();
    KeysetChain keysets;
    List<Object> identity;
    List<Object> keysetsIdentity;
    final List<PinStore.Problem> problems = new ArrayList<>();
    /** Whether both files of the manifest are there and say the same. */
    boolean isWhole = true;
    /** Whether the files of keysets say what is trusted. */
    boolean isChainWhole = true;

    Found(KeysetChain keysets) {
      this.keysets = keysets;
    }

    /**
     * The stored manifests that may be in force. One that the newest keyset endorses hides those of its epoch that only an
     * older one vouches for, whatever their serial: updates are endorsed, so a revoked signer put those there.
     */
    List<KnownManifest> eligible() {
      List<KnownManifest> found = new ArrayList<>();
      for (KnownManifest one : manifests) {
        boolean isHidden = false;
        for (KnownManifest other : manifests) isHidden |= other.refusal == null && other.epoch >= one.epoch;
        if (one.refusal == null || !isHidden) found.add(one);
      }
      return found;
    }

    void problem(String code, String message) {
      problems.add(new PinStore.Problem(code, message));
    }
  }

  /** Reads all that is there and says what is wrong with it. */
  Found load(PinStoreSettings settings, KeysetChain chain) {
    Found found = new Found(chain);
    if (folder.isOpenToOthers()) {
      found.problem("exposed-directory", "others may write to the folder of the store's state; take the permission from them");
    }
    if (chain != null) loadKeysets(chain, found);
    loadManifests(settings, found);
    return found;
  }

  private void loadManifests(PinStoreSettings settings, Found found) {
    byte[] loaded = null;
    for (String name : MANIFESTS) {
      List<Object> identity = folder.identity(name);
      byte[] bytes = content(name, settings.maximumBytes, found);
      if (bytes == null) {
        found.isWhole = false;
        continue;
      }
      if (name.equals(MANIFESTS[0])) found.identity = identity;
      // The copies differ only if a process was killed while it wrote them.
      if (Arrays.equals(bytes, loaded)) continue;
      try {
        found.manifests.add(KnownManifest.load(bytes, settings, found.keysets, 0));
        if (loaded != null) found.isWhole = false;
        loaded = bytes;
      } catch (PintleException e) {
        found.isWhole = false;
        found.problem(e.code(), "the stored manifest '" + folder.full(name) + "': " + e.getMessage());
      }
    }
  }

  private byte[] content(String name, int limit, Found found) {
    try {
      return folder.content(name, limit);
    } catch (IOException e) {
      // Nothing more than a problem: anybody who could make it unreadable could also remove it.
      found.problem("unreadable-state", "can't read " + SafeFolder.problem(e));
      return null;
    }
  }

  private void loadKeysets(KeysetChain chain, Found found) {
    List<KeysetLines> files = new ArrayList<>();
    List<KeysetChain.Stored> all = new ArrayList<>();
    found.keysetsIdentity = folder.identity(KEYSETS[0]);
    for (String name : KEYSETS) {
      KeysetLines file = new KeysetLines(folder.full(name), content(name, KeysetChain.MAXIMUM_BYTES, found));
      files.add(file);
      all.addAll(file.keysets);
    }
    KeysetChain longer = chain.walk(all);
    found.keysets = longer;
    for (KeysetLines file : files) file.report(longer, found);
    if (!longer.beyond.isEmpty()) {
      found.problem("disconnected-keysets", "the folder has keysets up to version "
          + longer.beyond.get(longer.beyond.size() - 1).version + ", which can't be reached from version "
          + longer.shipped().version + ", which was shipped: version " + longer.newest().version + " is trusted");
    }
    if (longer.isOnlyShipped() && files.get(0).bytes == null && files.get(1).bytes == null) return;
    byte[] expected = longer.fileBytes();
    for (KeysetLines file : files) found.isChainWhole &= expected != null && Arrays.equals(file.bytes, expected);
  }

  /** A file of keysets as it was found. */
  private static final class KeysetLines {
    private final String path;
    final byte[] bytes;
    final List<KeysetChain.Stored> keysets = new ArrayList<>();
    private final List<Integer> numbers = new ArrayList<>();
    private int damagedLine = Integer.MAX_VALUE;
    private PintleException damage;

    KeysetLines(String path, byte[] bytes) {
      this.path = path;
      this.bytes = bytes;
      if (bytes == null) return;
      int start = 0;
      int number = 0;
      while (start < bytes.length || number == 0) {
        int end = start;
        while (end < bytes.length && bytes[end] != '\n') end++;
        // No store writes more lines, and checking all that fit into the file would delay the start.
        if (++number > KeysetChain.MAXIMUM_COUNT) {
          damage(number, new PintleException("too-large", "there are more than " + KeysetChain.MAXIMUM_COUNT));
          break;
        }
        try {
          keysets.add(new KeysetChain.Stored(Arrays.copyOfRange(bytes, start, end)));
          numbers.add(number);
        } catch (PintleException e) {
          damage(number, e);
        }
        start = end + 1;
      }
    }

    private void damage(int line, PintleException e) {
      if (line >= damagedLine) return;
      damagedLine = line;
      damage = e;
    }

    /** What is wrong with the file; nothing if it only lacks what came later. */
    void report(KeysetChain chain, Found found) {
      for (int i = 0; i < keysets.size(); i++) {
        PintleException fault = numbers.get(i) > damagedLine || chain.holds(keysets.get(i)) ? null : chain.fault(keysets.get(i));
        if (fault != null) damage(numbers.get(i), fault);
      }
      if (damage != null) {
        found.problem(damage.code(), "the stored keysets '" + path + "', line " + damagedLine + ": " + damage.getMessage());
      }
    }
  }
}
