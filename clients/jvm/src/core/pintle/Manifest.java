package pintle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A manifest whose signatures were verified and whose content was read strictly (docs/manifest-format.md). */
final class Manifest {
  static final int MAXIMUM_BYTES = 64 << 20;
  static final int LARGEST_FILE = (1 << 28) - 1;

  /** What applies from an expiry on, in the order of what counts more. */
  enum Action { ENFORCE, REPORT_ONLY, UNPINNED, BLOCK }

  enum Mode { ENFORCE, REPORT_ONLY, OFF }

  static final class Key {
    final String name;
    final String pin;
    /** {@code leaf}, {@code intermediate}, {@code root}, or null for anywhere. */
    final String position;
    /** Why it is denied; null if it isn't. */
    final String denial;

    Key(String name, String pin, String position, String denial) {
      this.name = name;
      this.pin = pin;
      this.position = position;
      this.denial = denial;
    }
  }

  /** The keys of entries: the active ones first, each sorted by name. */
  static final class KeySet {
    final List<String> active;
    final List<String> backup;
    Key[] members;
    int activeCount;

    KeySet(List<String> active, List<String> backup) {
      this.active = active;
      this.backup = backup;
    }
  }

  static final class Entry {
    String host;
    int port;
    boolean includesSubdomains;
    Mode mode;
    KeySet keySet;
    boolean needsLeafAndAuthority;
    /** {@code Long.MAX_VALUE} if it doesn't expire. */
    long expires = Long.MAX_VALUE;
    Action onExpiry;
    /** Index into {@link #reporting}, or -1. */
    int reporting = -1;
    Trust trust = Trust.NONE;

    String label() {
      return HostName.label(host, port);
    }
  }

  /** How trust evaluation differs from the system's; certificates by their digests. */
  static final class Trust {
    static final Trust NONE = new Trust();
    List<String> anchors = Collections.emptyList();
    String certificate;
    List<Exception> exceptions = Collections.emptyList();
    List<String> intermediates = Collections.emptyList();
    int minimumEcBits;
    int minimumRsaBits;
    String minimumTls;
    String serverName;
    List<String> signatures = Collections.emptyList();
    boolean hasSystemAnchors = true;

    /** A failure that is excused for one certificate. */
    static final class Exception {
      final String certificate;
      final String failure;
      final long until;

      Exception(String certificate, String failure, long until) {
        this.certificate = certificate;
        this.failure = failure;
        this.until = until;
      }
    }
  }

  final SignedFile file;
  final String signedDigest;
  List<String> signedBy;
  String audience;
  long serial;
  long issued;
  long refreshAfter;
  long expires;
  Action onStale;
  boolean deniesUnpinned;
  String drasticChange;
  String criticalExtension;
  final Map<String, byte[]> certificates = new HashMap<>();
  /** Denied keys by pin: of several with one pin the first by name. */
  final Map<String, Key> denied = new HashMap<>();
  final List<Entry> entries = new ArrayList<>();
  final List<List<String>> reporting = new ArrayList<>();
  /** The entries of a host, by host. */
  final Map<String, List<Entry>> byHost = new HashMap<>();

  Manifest(SignedFile file) {
    this.file = file;
    signedDigest = file.signedDigest();
  }

  /** Verifies and reads a file; the steps and their codes are those of docs/manifest-format.md#loading. */
  static Manifest load(byte[] bytes, Signers signers, String audience, int maximumBytes) throws PintleException {
    int limit = Math.min(maximumBytes, LARGEST_FILE);
    if (bytes.length > limit) {
      throw new PintleException("too-large", "the file has " + bytes.length + " bytes; the limit is " + limit);
    }
    SignedFile file;
    try {
      file = new SignedFile(bytes, SignedFile.MANIFEST);
    } catch (FormatException e) {
      throw new PintleException("malformed-file", e.getMessage());
    }
    List<String> signedBy;
    try {
      signedBy = signers.verify(file);
    } catch (PintleException e) {
      throw e.code().equals("too-few-signatures") ? SignedFile.hint(e, bytes, false) : e;
    }
    Manifest manifest = new Manifest(file);
    manifest.signedBy = signedBy;
    try {
      new ManifestReader(file.content(), manifest).read();
    } catch (FormatException e) {
      throw new PintleException("malformed-manifest", e.getMessage());
    }
    if (!manifest.audience.equals(audience)) {
      throw new PintleException("wrong-audience", "the manifest is for the audience \"" + manifest.audience
          + "\", not for \"" + audience + "\"");
    }
    if (manifest.criticalExtension != null) {
      throw new PintleException("unknown-extension", "the manifest needs the extension \"" + manifest.criticalExtension
          + "\", which is not known here");
    }
    for (Map.Entry<String, byte[]> one : manifest.certificates.entrySet()) {
      if (!Bytes.hex(Bytes.sha256(one.getValue())).equals(one.getKey()) || !Certificate.isReadable(one.getValue())) {
        throw new PintleException("wrong-certificate", "the bytes under " + one.getKey()
            + " are not a certificate in DER with this digest");
      }
    }
    return manifest;
  }

  boolean hasSignedBytesOf(Manifest other) {
    return signedDigest.equals(other.signedDigest);
  }

  boolean hasFileBytesOf(Manifest other) {
    return java.util.Arrays.equals(file.bytes, other.file.bytes);
  }

  /** The entry that governs a host in canonical form, or null. Port 0 stands for no port. */
  Entry entry(String host, int port) {
    Entry found = best(host, port, false);
    if (found != null || HostName.isAddress(host)) return found;
    for (int dot = host.indexOf('.'); dot >= 0 && found == null; dot = host.indexOf('.', dot + 1)) {
      found = best(host.substring(dot + 1), port, true);
    }
    return found;
  }

  private Entry best(String host, int port, boolean isBelow) {
    List<Entry> all = byHost.get(host);
    Entry best = null;
    if (all == null) return null;
    for (Entry entry : all) {
      if (isBelow && !entry.includesSubdomains || entry.port != 0 && entry.port != port) continue;
      // The one without a port comes first, so one for this very port replaces it.
      best = entry;
    }
    return best;
  }
}
