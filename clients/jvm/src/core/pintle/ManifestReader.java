package pintle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the signed bytes of a manifest, in one pass. */
final class ManifestReader {
  static final int TEXT = 4096;
  private final CanonicalScanner scanner;
  private final Manifest manifest;
  private final Map<String, Manifest.Key> keys = new HashMap<>();
  private final Map<String, Manifest.KeySet> keySets = new HashMap<>();

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
    EntryReader entries = new EntryReader(scanner, manifest);
    entries.read();
    scanner.requireField("issued");
    manifest.issued = scanner.instant();
    scanner.requireField("key-sets");
    readKeySets();
    scanner.requireField("keys");
    readKeys();
    scanner.requireField("on-stale");
    manifest.onStale = EntryReader.action(scanner);
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
    resolve(entries.keySets);
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

  // Keys and key sets

  private void readKeySets() throws FormatException {
    scanner.require('{');
    if (scanner.take('}')) return;
    String last = "";
    do {
      int start = scanner.offset();
      String name = EntryReader.keySetName(scanner);
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
      EntryReader.addSorted(scanner, names, scanner.name());
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
      String denial = scanner.takeField("denied") ? scanner.text(TEXT) : null;
      scanner.requireField("pin");
      String pin = Bytes.base64(scanner.base64(32, 32));
      String position = scanner.takeField("position") ? scanner.oneOf("leaf", "intermediate", "root") : null;
      scanner.require('}');
      Manifest.Key key = new Manifest.Key(name, pin, position, denial);
      keys.put(name, key);
      if (denial != null && !manifest.denied.containsKey(pin)) manifest.denied.put(pin, key);
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
  private void resolve(List<String> keySetOfEntry) throws FormatException {
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
