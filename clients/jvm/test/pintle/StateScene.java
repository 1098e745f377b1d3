package pintle;

import java.io.ByteArrayOutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A folder of a store's state, and releases for it: keyset 1 names the first signer, 2 both, 3 the second. Signatures are
 * made once for all tests, because the same files are written again and again.
 */
final class StateScene implements AutoCloseable {
  static final String HOST = "h0.example.com";
  private static final Map<String, byte[]> MADE = new LinkedHashMap<>();
  private static Release.Signer[] signers;
  private static Release.Signer root;
  private static Release.Signer mallory;
  final Path folder = Files.createTempDirectory("pintle-state");

  StateScene() throws Exception {
    prepare();
    java.nio.file.Files.setPosixFilePermissions(folder, java.nio.file.attribute.PosixFilePermissions.fromString("rwx------"));
  }

  private static synchronized void prepare() throws Exception {
    if (signers != null) return;
    root = Release.Signer.ed25519();
    mallory = Release.Signer.ed25519();
    signers = new Release.Signer[] {Release.Signer.ed25519(), Release.Signer.p256()};
  }

  private interface Make {
    byte[] make() throws Exception;
  }

  private static synchronized byte[] made(String name, Make make) throws Exception {
    if (!MADE.containsKey(name)) MADE.put(name, make.make());
    return MADE.get(name);
  }

  static byte[] release(long serial, int... by) throws Exception {
    prepare();
    return made("release " + serial + java.util.Arrays.toString(by), () -> {
      Release.Signer[] signing = new Release.Signer[by.length];
      for (int i = 0; i < by.length; i++) signing[i] = signers[by[i]];
      Map<String, Object> keys = Release.map("nobody", Release.map("pin", Base64.getEncoder().encodeToString(new byte[32])));
      Map<String, Object> sets = Release.map("nobody", Release.map("active", Release.list("nobody"), "backup", Release.list()));
      Object entry = Release.map("host", HOST, "key-set", "nobody", "mode", "enforce");
      return Release.sign(SignedFile.MANIFEST, Release.content(serial, keys, sets, entry), signing);
    });
  }

  /** A manifest of more than 3 KiB. */
  static byte[] large(long serial) throws Exception {
    prepare();
    String[] hosts = new String[60];
    // What is in force pins this host, so the guard accepts it.
    hosts[0] = HOST;
    for (int i = 1; i < hosts.length; i++) hosts[i] = String.format("h%02d.example.com", i);
    return Release.manifest(serial, signers[1], hosts);
  }

  static byte[] keyset(int version) throws Exception {
    return keyset(version, false);
  }

  private static byte[] keyset(int version, boolean isForged) throws Exception {
    prepare();
    return made("keyset " + version + isForged, () -> {
      Map<String, Object> keys = Release.map("root", Base64.getEncoder().encodeToString(isForged ? mallory.spki : root.spki));
      List<Object> names = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        if (version == (i == 0 ? 3 : 1)) continue;
        names.add("s" + i);
        keys.put("s" + i, Base64.getEncoder().encodeToString(signers[i].spki));
      }
      return Release.sign(SignedFile.KEYSET, Release.map("audience", "test", "expires", "2099-01-01T00:00:00Z", "issued",
          "2025-01-01T00:00:00Z", "keys", keys, "keyset-version", version, "minimum-serial", 1, "roots",
          Release.map("keys", Release.list("root"), "threshold", 1), "serial-epoch", 1, "signers",
          Release.map("keys", names, "threshold", 1), "type", SignedFile.KEYSET, "version", 1), isForged ? mallory : root);
    });
  }

  /** What an attacker writes who has keys of his own. */
  static byte[] forged(String name) throws Exception {
    prepare();
    if (name.startsWith("keysets")) return lines(keyset(1), keyset(2, true));
    return made("forged", () -> {
      Map<String, Object> content = Release.content(9007199254740991L, Release.map(), Release.map());
      content.put("drastic-change", "all pins go");
      return Release.sign(SignedFile.MANIFEST, content, mallory);
    });
  }

  static byte[] lines(byte[]... keysets) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (byte[] one : keysets) {
      bytes.write(one, 0, one.length);
      bytes.write('\n');
    }
    return bytes.toByteArray();
  }

  PinStoreSettings settings(boolean isEmbedded, PinStoreSettings.WithoutManifest without) throws Exception {
    return PinStoreSettings.keyset(keyset(1), "test").directory(folder.toFile()).withoutManifest(without)
        .embedded(isEmbedded ? release(5, 0) : null).anchors(Collections.emptyList());
  }

  PinStore open() throws Exception {
    return PinStore.open(settings(false, PinStoreSettings.WithoutManifest.BLOCK));
  }

  /** Serial 9 in force, by a signer whom only the third keyset names: made once, and copied. */
  StateScene filled() throws Exception {
    synchronized (MADE) {
      if (!MADE.containsKey("file lock")) {
        PinStore store = open();
        store.update(release(7, 0, 1));
        store.updateKeyset(keyset(2));
        store.updateKeyset(keyset(3));
        store.update(release(9, 1));
        for (String name : names()) MADE.put("file " + name, Files.readAllBytes(path(name)));
        return this;
      }
      for (Map.Entry<String, byte[]> one : MADE.entrySet()) {
        if (one.getKey().startsWith("file ")) Files.write(path(one.getKey().substring(5)), one.getValue());
      }
    }
    return this;
  }

  Path path(String name) {
    return folder.resolve(name);
  }

  List<String> names() throws Exception {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path one : entries) names.add(one.getFileName().toString());
    }
    Collections.sort(names);
    return names;
  }

  /** The serial in force, and what becomes of a stranger at a pinned host. */
  static String found(PinStore store) {
    Handshake stranger = Handshake.server(HOST, 443, Collections.<byte[]>emptyList(), null);
    Decision decision = store.evaluate(stranger, true);
    return store.status().serial() + " " + (decision.isBlocked() ? "cancel" : "performDefaultHandling");
  }

  static String outcome(PinStore store, byte[] bytes, boolean isKeyset) {
    try {
      return (isKeyset ? store.updateKeyset(bytes) : store.update(bytes)).name();
    } catch (PintleException e) {
      return e.code();
    }
  }

  @Override
  public void close() throws java.io.IOException {
    Scratch.remove(folder);
  }
}
