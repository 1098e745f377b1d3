package pintle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the signed bytes of a manifest, in one pass. */
final class ManifestReader {
  private static final int TEXT = 4096;
  private static final int TRUST_ITEMS = 1024;
  private static final String[] ACTIONS = {"enforce", "report-only", "unpinned", "block"};
  private final CanonicalScanner scanner;
  private final Manifest manifest;
  private final Map<String, Manifest.Key> keys = new HashMap<>();
  private final Map<String, Manifest.KeySet> keySets = new HashMap<>();
  private final List<String> keySetOfEntry = new ArrayList<>();

  ManifestReader(CanonicalScanner scanner, Manifest manifest) {
    this.scanner = scanner;
    this.manifest = manifest;
  }

  void read() throws FormatException {
    scanner.require('{');
    scanner.requireField("audience");
    manifest.audience = scanner.text(TEXT);
    if (scanner.takeField("certificates")) readCertificates();
    if (scanner.takeField("critical")) manifest.criticalExtension = Keyset.names(scanner).get(0);
    if (scanner.takeField("drastic-change")) manifest.drasticChange = scanner.text(TEXT);
    scanner.requireField("expires");
    manifest.expires = scanner.instant();
    scanner.requireField("hosts");
    readHosts();
    scanner.requireField("issued");
    manifest.issued = scanner.instant();
    scanner.requireField("key-sets");
    readKeySets();
    scanner.requireField("keys");
    readKeys();
    scanner.requireField("on-stale");
    manifest.onStale = action();
    if (scanner.takeField("previous")) scanner.digest();
    scanner.requireField("provenance");
    readProvenance();
    scanner.requireField("refresh-after");
    manifest.refreshAfter = scanner.instant();
    if (scanner.takeField("reporting")) readReporting();
    scanner.requireField("serial");
    manifest.serial = scanner.integer(1, CanonicalScanner.LARGEST);
    scanner.requireField("type");
    scanner.oneOf(SignedFile.MANIFEST);
    scanner.requireField("unpinned-hosts");
    manifest.deniesUnpinned = scanner.oneOf("allow", "deny").equals("deny");
    scanner.requireField("version");
    scanner.integer(1, 1);
    scanner.require('}');
    scanner.finish();
    if (manifest.issued > manifest.refreshAfter || manifest.refreshAfter > manifest.expires) {
      throw scanner.error("issued, refresh-after and expires are not in this order");
    }
    resolve();
  }

  private Manifest.Action action() throws FormatException {
    String found = scanner.oneOf(ACTIONS);
    int number = 0;
    while (!ACTIONS[number].equals(found)) number++;
    return Manifest.Action.values()[number];
  }

  private void readCertificates() throws FormatException {
    String last = "";
    scanner.require('{');
    do {
      int start = scanner.offset();
      String digest = scanner.digest();
      if (digest.compareTo(last) <= 0) throw scanner.error(start, "certificates are not sorted, or one is listed twice");
      last = digest;
      scanner.require(':');
      manifest.certificates.put(digest, scanner.base64(1, 65536));
    } while (scanner.takeNext('}'));
  }

  private void readProvenance() throws FormatException {
    scanner.require('{');
    if (scanner.takeField("commit")) {
      int start = scanner.offset();
      String commit = scanner.word(64);
      if (!commit.matches("[0-9a-f]{40}|[0-9a-f]{64}")) throw scanner.error(start, "an invalid commit");
    }
    scanner.requireField("compiler");
    scanner.text(TEXT);
    scanner.requireField("sources");
    scanner.digest();
    scanner.require('}');
  }

  // Hosts

  private void readHosts() throws FormatException {
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
    if (scanner.takeField("key-set")) keySet = keySetName();
    scanner.requireField("mode");
    String mode = scanner.oneOf("enforce", "report-only", "off");
    if (scanner.takeField("on-expiry")) entry.onExpiry = action();
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
    keySetOfEntry.add(keySet);
    return entry;
  }

  private String host() throws FormatException {
    int start = scanner.offset() + 1;
    String host = scanner.word(253);
    if (!HostName.isCanonical(host)) throw scanner.error(start, "not a host in canonical form");
    return host;
  }

  private String keySetName() throws FormatException {
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
      addSorted(digests, scanner.digest());
    } while (scanner.takeNext(']'));
    return digests;
  }

  private List<String> signatureKinds() throws FormatException {
    List<String> kinds = new ArrayList<>();
    scanner.require('[');
    do {
      addSorted(kinds, scanner.oneOf("ecdsa", "eddsa", "rsa-pkcs1", "rsa-pss"));
    } while (scanner.takeNext(']'));
    return kinds;
  }

  private void addSorted(List<String> list, String item) throws FormatException {
    if (!list.isEmpty() && list.get(list.size() - 1).compareTo(item) >= 0) throw scanner.error("a list is not sorted");
    list.add(item);
    if (list.size() > TRUST_ITEMS) throw scanner.error("a list has too many items");
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
      scanner.text(TEXT);
      scanner.requireField("until");
      exceptions.add(new Manifest.Trust.Exception(certificate, failure, scanner.instant()));
      scanner.require('}');
      addSorted(order, certificate + failure);
    } while (scanner.takeNext(']'));
    return exceptions;
  }

  // Keys and key sets

  private void readKeySets() throws FormatException {
    scanner.require('{');
    if (scanner.take('}')) return;
    String last = "";
    do {
      int start = scanner.offset();
      String name = keySetName();
      if (name.compareTo(last) <= 0) throw scanner.error(start, "key sets are not sorted, or one is listed twice");
      last = name;
      scanner.require(":{");
      scanner.requireField("active");
      List<String> active = keyNames();
      scanner.requireField("backup");
      List<String> backup = keyNames();
      scanner.require('}');
      int count = active.size() + backup.size();
      if (count < 1 || count > 1024) throw scanner.error(start, "a key set has 1 to 1024 keys");
      keySets.put(name, new Manifest.KeySet(active, backup));
    } while (scanner.takeNext('}'));
  }

  private List<String> keyNames() throws FormatException {
    scanner.require('[');
    if (scanner.take(']')) return Collections.emptyList();
    List<String> names = new ArrayList<>();
    do {
      addSorted(names, scanner.name());
    } while (scanner.takeNext(']'));
    return names;
  }

  private void readKeys() throws FormatException {
    scanner.require('{');
    if (scanner.take('}')) return;
    String last = "";
    do {
      int start = scanner.offset();
      String name = scanner.name();
      if (name.compareTo(last) <= 0) throw scanner.error(start, "keys are not sorted, or one is listed twice");
      last = name;
      scanner.require(":{");
      boolean isDenied = scanner.takeField("denied");
      if (isDenied) scanner.text(TEXT);
      scanner.requireField("pin");
      String pin = Bytes.base64(scanner.base64(32, 32));
      String position = scanner.takeField("position") ? scanner.oneOf("leaf", "intermediate", "root") : null;
      scanner.require('}');
      Manifest.Key key = new Manifest.Key(name, pin, position);
      keys.put(name, key);
      if (isDenied && !manifest.denied.containsKey(pin)) manifest.denied.put(pin, key);
    } while (scanner.takeNext('}'));
  }

  private void readReporting() throws FormatException {
    int lastStart = -1;
    int lastEnd = -1;
    scanner.require('[');
    do {
      int start = scanner.offset();
      List<String> uris = new ArrayList<>();
      scanner.require('[');
      do {
        uris.add(scanner.word(2048));
        if (uris.size() > 16) throw scanner.error(start, "too many report URIs");
      } while (scanner.takeNext(']'));
      scanner.checkOrder(lastStart, lastEnd, start, scanner.offset());
      lastStart = start;
      lastEnd = scanner.offset();
      manifest.reporting.add(uris);
      if (manifest.reporting.size() > 65536) throw scanner.error(start, "too many lists of report URIs");
    } while (scanner.takeNext(']'));
  }

  /** Every reference must name something that is there. */
  private void resolve() throws FormatException {
    for (Manifest.KeySet set : keySets.values()) {
      List<Manifest.Key> members = new ArrayList<>();
      for (String name : set.active) members.add(key(name));
      set.activeCount = members.size();
      for (String name : set.backup) {
        Manifest.Key key = key(name);
        // A key in both lists is active.
        if (Collections.binarySearch(set.active, name) < 0) members.add(key);
      }
      set.members = members.toArray(new Manifest.Key[0]);
    }
    boolean[] isUsed = new boolean[manifest.reporting.size()];
    for (int i = 0; i < manifest.entries.size(); i++) {
      Manifest.Entry entry = manifest.entries.get(i);
      String name = keySetOfEntry.get(i);
      if (name != null) {
        entry.keySet = keySets.get(name);
        if (entry.keySet == null) throw new FormatException("the key set \"" + name + "\" is not there");
      }
      if (entry.reporting >= isUsed.length) throw new FormatException("a list of report URIs is not there");
      if (entry.reporting >= 0) isUsed[entry.reporting] = true;
      checkCertificate(entry.trust.certificate);
      for (String digest : entry.trust.anchors) checkCertificate(digest);
      for (String digest : entry.trust.intermediates) checkCertificate(digest);
    }
    for (boolean used : isUsed) if (!used) throw new FormatException("no entry refers to a list of report URIs");
  }

  private Manifest.Key key(String name) throws FormatException {
    Manifest.Key key = keys.get(name);
    if (key == null) throw new FormatException("the key \"" + name + "\" is not there");
    return key;
  }

  private void checkCertificate(String digest) throws FormatException {
    if (digest != null && !manifest.certificates.containsKey(digest)) {
      throw new FormatException("the certificate " + digest + " is not there");
    }
  }
}
