package pintle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Reads the host entries of a manifest, with what they say about trust. */
final class EntryReader {
  private static final int MAXIMUM_ITEMS = 1024;
  private static final String[] ACTIONS = {"enforce", "report-only", "unpinned", "block"};
  private final CanonicalScanner scanner;
  private final Manifest manifest;
  /** The name of each entry's key set, which is still to be found; null with mode off. */
  final List<String> keySets = new ArrayList<>();

  EntryReader(CanonicalScanner scanner, Manifest manifest) {
    this.scanner = scanner;
    this.manifest = manifest;
  }

  static Manifest.Action action(CanonicalScanner scanner) throws FormatException {
    String found = scanner.oneOf(ACTIONS);
    int number = 0;
    while (!ACTIONS[number].equals(found)) number++;
    return Manifest.Action.values()[number];
  }

  void read() throws FormatException {
    scanner.require('[');
    if (scanner.take(']')) return;
    Manifest.Entry last = null;
    do {
      int start = scanner.offset();
      Manifest.Entry entry = readEntry();
      int order = last == null ? -1 : last.host.compareTo(entry.host);
      if (order > 0 || order == 0 && last.port >= entry.port) {
        throw scanner.error(start, "entries are not sorted by host and port, or one is listed twice");
      }
      last = entry;
      manifest.entries.add(entry);
      List<Manifest.Entry> ofHost = manifest.byHost.get(entry.host);
      if (ofHost == null) {
        manifest.byHost.put(entry.host, Collections.singletonList(entry));
      } else {
        if (ofHost.size() == 1) ofHost = new ArrayList<>(ofHost);
        ofHost.add(entry);
        manifest.byHost.put(entry.host, ofHost);
      }
    } while (scanner.takeNext(']'));
  }

  private Manifest.Entry readEntry() throws FormatException {
    Manifest.Entry entry = new Manifest.Entry();
    int start = scanner.offset();
    String keySet = null;
    boolean hasTrust = false;
    scanner.require('{');
    if (scanner.takeField("expires")) entry.expires = scanner.instant();
    scanner.requireField("host");
    entry.host = host();
    if (scanner.takeField("include-subdomains")) {
      scanner.integer(1, 1);
      entry.includesSubdomains = true;
      if (HostName.isAddress(entry.host)) throw scanner.error(start, "an address has no subdomains");
    }
    if (scanner.takeField("key-set")) keySet = keySetName(scanner);
    scanner.requireField("mode");
    String mode = scanner.oneOf("enforce", "report-only", "off");
    if (scanner.takeField("on-expiry")) entry.onExpiry = action(scanner);
    if (scanner.takeField("port")) entry.port = (int) scanner.integer(1, 65535);
    if (scanner.takeField("reporting")) entry.reporting = (int) scanner.integer(0, 65535);
    if (scanner.takeField("require")) {
      scanner.oneOf("leaf-and-ca");
      entry.needsLeafAndAuthority = true;
    }
    if (scanner.takeField("trust")) {
      entry.trust = readTrust();
      hasTrust = true;
    }
    scanner.require('}');
    boolean hasExpiry = entry.expires != Long.MAX_VALUE;
    if (mode.equals("off")) {
      entry.mode = Manifest.Mode.OFF;
      if (keySet != null || hasExpiry || entry.onExpiry != null || entry.reporting >= 0 || entry.needsLeafAndAuthority
          || hasTrust) {
        throw scanner.error(start, "an entry with mode off has a field that has no effect");
      }
    } else {
      entry.mode = mode.equals("enforce") ? Manifest.Mode.ENFORCE : Manifest.Mode.REPORT_ONLY;
      if (keySet == null) throw scanner.error(start, "the field \"key-set\" is missing");
      if (hasExpiry != (entry.onExpiry != null)) throw scanner.error(start, "expires and on-expiry must be given together");
    }
    keySets.add(keySet);
    return entry;
  }

  private String host() throws FormatException {
    int start = scanner.offset() + 1;
    String host = scanner.word(253);
    if (!HostName.isCanonical(host)) throw scanner.error(start, "not a host in canonical form");
    return host;
  }

  static String keySetName(CanonicalScanner scanner) throws FormatException {
    int start = scanner.offset() + 1;
    String name = scanner.word(320);
    boolean isSound = name.startsWith("host:") ? HostName.isLabel(name.substring(5)) : CanonicalScanner.isName(name);
    if (!isSound) throw scanner.error(start, "an invalid name of a key set");
    return name;
  }

  private Manifest.Trust readTrust() throws FormatException {
    Manifest.Trust trust = new Manifest.Trust();
    int start = scanner.offset();
    scanner.require('{');
    if (scanner.takeField("anchors")) trust.anchors = digests();
    if (scanner.takeField("certificate")) trust.certificate = scanner.digest();
    if (scanner.takeField("exceptions")) trust.exceptions = exceptions();
    if (scanner.takeField("intermediates")) trust.intermediates = digests();
    if (scanner.takeField("minimum-ec-bits")) trust.minimumEcBits = (int) scanner.integer(1, 65536);
    if (scanner.takeField("minimum-rsa-bits")) trust.minimumRsaBits = (int) scanner.integer(1, 65536);
    if (scanner.takeField("minimum-tls")) trust.minimumTls = scanner.oneOf("1.2", "1.3");
    if (scanner.takeField("server-name")) trust.serverName = host();
    if (scanner.takeField("signatures")) trust.signatures = signatureKinds();
    if (scanner.takeField("system-anchors")) {
      scanner.integer(0, 0);
      trust.hasSystemAnchors = false;
    }
    if (scanner.offset() == start + 1) throw scanner.error(start, "trust says nothing");
    scanner.require('}');
    return trust;
  }

  private List<String> digests() throws FormatException {
    List<String> digests = new ArrayList<>();
    scanner.require('[');
    do {
      addSorted(scanner, digests, scanner.digest());
    } while (scanner.takeNext(']'));
    return digests;
  }

  private List<String> signatureKinds() throws FormatException {
    List<String> kinds = new ArrayList<>();
    scanner.require('[');
    do {
      addSorted(scanner, kinds, scanner.oneOf("ecdsa", "eddsa", "rsa-pkcs1", "rsa-pss"));
    } while (scanner.takeNext(']'));
    return kinds;
  }

  static void addSorted(CanonicalScanner scanner, List<String> list, String item) throws FormatException {
    if (!list.isEmpty() && list.get(list.size() - 1).compareTo(item) >= 0) throw scanner.error("a list is not sorted");
    list.add(item);
    if (list.size() > MAXIMUM_ITEMS) throw scanner.error("a list has too many items");
  }

  private List<Manifest.Trust.Exception> exceptions() throws FormatException {
    List<Manifest.Trust.Exception> exceptions = new ArrayList<>();
    List<String> order = new ArrayList<>();
    scanner.require('[');
    do {
      scanner.require('{');
      scanner.requireField("certificate");
      String certificate = scanner.digest();
      scanner.requireField("failure");
      String failure = scanner.oneOf(
          "expired", "name-mismatch", "not-yet-valid", "weak-key", "weak-signature", "wrong-usage");
      scanner.requireField("reason");
      scanner.text(ManifestReader.TEXT);
      scanner.requireField("until");
      exceptions.add(new Manifest.Trust.Exception(certificate, failure, scanner.instant()));
      scanner.require('}');
      addSorted(scanner, order, certificate + failure);
    } while (scanner.takeNext(']'));
    return exceptions;
  }
}
