package pintle;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Who may sign manifests, and who may sign the next keyset (docs/keyset-format.md). */
final class Keyset {
  static final int MAXIMUM_BYTES = 65536;
  private static final int MAXIMUM_KEYS_OF_ROLE = 64;

  /** The whole file. */
  final byte[] file;
  final String digest;
  String audience;
  String criticalExtension;
  long expires;
  long issued;
  long version;
  long minimumSerial;
  long serialEpoch;
  private final Map<String, byte[]> keys = new LinkedHashMap<>();
  private Role rootRole;
  private Role signerRole;
  Signers roots;
  Signers signers;

  private static final class Role {
    final List<String> keys;
    final int threshold;

    Role(List<String> keys, int threshold) {
      this.keys = keys;
      this.threshold = threshold;
    }
  }

  private Keyset(SignedFile file) throws PintleException {
    this.file = file.bytes;
    digest = file.signedDigest();
    try {
      read(file.content());
    } catch (FormatException e) {
      throw new PintleException("malformed-keyset", e.getMessage());
    }
  }

  private static SignedFile scan(byte[] bytes) throws PintleException {
    if (bytes.length > MAXIMUM_BYTES) {
      throw new PintleException("too-large", "the file has " + bytes.length + " bytes; the limit is " + MAXIMUM_BYTES);
    }
    try {
      return new SignedFile(bytes, SignedFile.KEYSET);
    } catch (FormatException e) {
      throw new PintleException("malformed-file", e.getMessage());
    }
  }

  /** Loads a keyset that came with the program and is trusted because of that. */
  static Keyset shipped(byte[] bytes, String audience, SigningKey.Platform platform) throws PintleException {
    SignedFile file;
    Keyset keyset;
    try {
      file = scan(bytes);
      keyset = new Keyset(file);
    } catch (PintleException e) {
      throw SignedFile.hint(e, bytes, true);
    }
    keyset.checkUse(audience);
    keyset.useKeys(platform);
    keyset.roots.verify(file);
    return keyset;
  }

  /** The number of a keyset of which nothing has been verified. */
  static long unverifiedVersion(byte[] bytes) throws PintleException {
    return new Keyset(scan(bytes)).version;
  }

  /** The next version; or this one if the signed bytes are its own. */
  Keyset successor(byte[] bytes, SigningKey.Platform platform) throws PintleException {
    SignedFile file;
    try {
      file = scan(bytes);
      if (file.signedDigest().equals(digest)) return this;
      roots.verify(file);
    } catch (PintleException e) {
      throw SignedFile.hint(e, bytes, true);
    }
    Keyset next = new Keyset(file);
    next.checkUse(audience);
    if (next.version < version) throw wrong("older-version", next, "is below " + version + ", which is trusted");
    if (next.version == version) throw wrong("conflicting-version", next, "is trusted with other signed bytes");
    if (next.version != version + 1) throw wrong("skipped-version", next, "doesn't follow " + version);
    if (next.serialEpoch < serialEpoch || next.serialEpoch == serialEpoch && next.minimumSerial < minimumSerial) {
      throw wrong("serials-fall", next, "has a lower serial-epoch or minimum-serial than version " + version);
    }
    next.useKeys(platform);
    next.roots.verify(file);
    return next;
  }

  private static PintleException wrong(String code, Keyset next, String why) {
    return new PintleException(code, "version " + next.version + " " + why);
  }

  private void checkUse(String expected) throws PintleException {
    if (!audience.equals(expected)) {
      throw new PintleException("wrong-audience", "the keyset is for the audience \"" + audience + "\", not for \""
          + expected + "\"");
    }
    if (criticalExtension != null) {
      throw new PintleException("unknown-extension", "the keyset needs the extension \"" + criticalExtension + "\"");
    }
  }

  private void useKeys(SigningKey.Platform platform) throws PintleException {
    signers = Signers.of(keysOf(signerRole), signerRole.threshold, platform);
    roots = Signers.of(keysOf(rootRole), rootRole.threshold, platform);
  }

  private Collection<byte[]> keysOf(Role role) {
    List<byte[]> found = new ArrayList<>();
    for (String name : role.keys) found.add(keys.get(name));
    return found;
  }

  void checkSerial(Manifest manifest) throws PintleException {
    if (manifest.serial < minimumSerial) {
      throw new PintleException("below-minimum-serial", "serial " + manifest.serial + " is below " + minimumSerial
          + ", the minimum of the keyset of version " + version);
    }
  }

  /** Whether a manifest that another keyset's signers signed would be accepted by this one's. */
  boolean endorses(Manifest manifest) {
    try {
      checkSerial(manifest);
      signers.verify(manifest.file);
      return true;
    } catch (PintleException e) {
      return false;
    }
  }

  // Reading

  private void read(CanonicalScanner scanner) throws FormatException {
    scanner.require('{');
    scanner.requireField("audience");
    audience = scanner.text(4096);
    if (scanner.takeField("critical")) criticalExtension = names(scanner).get(0);
    scanner.requireField("expires");
    expires = scanner.instant();
    scanner.requireField("issued");
    issued = scanner.instant();
    scanner.requireField("keys");
    readKeys(scanner);
    scanner.requireField("keyset-version");
    version = scanner.integer(1, CanonicalScanner.LARGEST);
    scanner.requireField("minimum-serial");
    minimumSerial = scanner.integer(1, CanonicalScanner.LARGEST);
    scanner.requireField("roots");
    rootRole = role(scanner);
    scanner.requireField("serial-epoch");
    serialEpoch = scanner.integer(1, CanonicalScanner.LARGEST);
    scanner.requireField("signers");
    signerRole = role(scanner);
    scanner.requireField("type");
    scanner.oneOf(SignedFile.KEYSET);
    scanner.requireField("version");
    scanner.integer(1, 1);
    scanner.require('}');
    scanner.finish();
    if (issued > expires) throw scanner.error("expires is before issued");
    Set<String> used = new HashSet<>(rootRole.keys);
    used.addAll(signerRole.keys);
    if (!used.equals(keys.keySet())) throw scanner.error("a key belongs to no role, or a role names a key that isn't there");
  }

  /** A sorted list of 1 to 64 names. */
  static List<String> names(CanonicalScanner scanner) throws FormatException {
    List<String> names = new ArrayList<>();
    scanner.require('[');
    do {
      int start = scanner.offset();
      String name = scanner.name();
      if (!names.isEmpty() && names.get(names.size() - 1).compareTo(name) >= 0) {
        throw scanner.error(start, "names are not sorted, or one is listed twice");
      }
      names.add(name);
      if (names.size() > 64) throw scanner.error(start, "too many names");
    } while (scanner.takeNext(']'));
    return names;
  }

  private void readKeys(CanonicalScanner scanner) throws FormatException {
    Set<String> distinct = new HashSet<>();
    String last = "";
    scanner.require('{');
    do {
      int start = scanner.offset();
      String name = scanner.name();
      if (name.compareTo(last) <= 0) throw scanner.error(start, "keys are not sorted, or one is listed twice");
      last = name;
      scanner.require(':');
      byte[] spki = scanner.base64(1, 128);
      if (!distinct.add(Bytes.base64(spki))) throw scanner.error(start, "a key is listed under a second name");
      keys.put(name, spki);
      if (keys.size() > 2 * MAXIMUM_KEYS_OF_ROLE) throw scanner.error(start, "too many keys");
    } while (scanner.takeNext('}'));
  }

  private static Role role(CanonicalScanner scanner) throws FormatException {
    scanner.require('{');
    scanner.requireField("keys");
    List<String> names = names(scanner);
    scanner.requireField("threshold");
    int threshold = (int) scanner.integer(1, names.size());
    scanner.require('}');
    return new Role(names, threshold);
  }
}
