package pintle;

/** Whether a certificate is for a name, and which names its authorities exclude (docs/validation.md). */
final class NameCheck {
  /** Many names under many constraints take long to compare, so there is a limit, as in libcrypto. */
  private static final int MAXIMUM_COMPARISONS = 1 << 17;

  private NameCheck() {}

  /** Whether a host in canonical form is one of the names of the Subject Alternative Name (RFC 6125 section 6.4). */
  static boolean isFor(Certificate leaf, String host) {
    if (leaf.dnsNames == null) return false;
    if (HostName.isAddress(host)) {
      byte[] asked = HostName.addressBytes(host);
      for (byte[] address : leaf.addresses) if (java.util.Arrays.equals(asked, address)) return true;
      return false;
    }
    for (String name : leaf.dnsNames) if (matches(name, host)) return true;
    return false;
  }

  private static boolean matches(String name, String host) {
    if (name.length() == host.length() && isBelow(name, host)) return true;
    if (!name.startsWith("*.")) return false;
    // A wildcard is the whole first label, stands for one label, and never for all names of a top-level domain.
    String rest = name.substring(2);
    int dot = host.indexOf('.');
    if (dot < 1 || !isDnsName(rest) || rest.indexOf('.') < 0) return false;
    for (int i = 0; i < dot; i++) if (host.charAt(i) == '_') return false;
    String below = host.substring(dot + 1);
    return below.length() == rest.length() && isBelow(below, rest);
  }

  /** What is wrong with the name constraints of an authority above a leaf; null if nothing is. */
  static TrustFailure constraintFailure(Certificate authority, int place, Certificate leaf) {
    Certificate.Extension constraints = authority.extensions.get(Certificate.NAME_CONSTRAINTS);
    if (constraints == null) return null;
    Der whole = new Der(constraints.value);
    Der lists = whole.enter(Der.SEQUENCE);
    TrustFailure empty = new TrustFailure("malformed", place, authority.fingerprint,
        "the nameConstraints have an empty list, or aren't DER (RFC 5280 section 4.2.1.10)");
    if (lists == null || !whole.isAtEnd() || lists.isAtEnd()) return empty;
    Der permitted = lists.enter(0xA0);
    if (permitted != null && permitted.isAtEnd()) return empty;
    if (lists.isAtEnd()) return null;
    Der excluded = lists.enter(0xA1);
    if (excluded == null || excluded.isAtEnd() || !lists.isAtEnd()) return empty;
    long comparisons = 0;
    while (!excluded.isAtEnd()) {
      Der subtree = excluded.enter(Der.SEQUENCE);
      if (subtree == null) return empty;
      Der base = subtree.enter(0x82);
      if (base == null) continue;
      String name = new String(base.rest(), Bytes.ASCII);
      // Some readers don't match the name itself if there is a leading dot; the stricter reading is used.
      if (name.startsWith(".")) name = name.substring(1);
      if (!name.isEmpty() && !isDnsName(name)) {
        return new TrustFailure("malformed", place, authority.fingerprint,
            "the nameConstraints exclude an invalid name (RFC 5280 section 4.2.1.10)");
      }
      if (leaf.dnsNames == null) continue;
      comparisons += leaf.dnsNames.size();
      if (comparisons > MAXIMUM_COMPARISONS) {
        return new TrustFailure("name-constraints", 0, leaf.fingerprint,
            "the certificate has more names, and an authority more constraints, than are compared");
      }
      for (String one : leaf.dnsNames) {
        if (covers(one, name)) {
          return new TrustFailure("name-constraints", 0, leaf.fingerprint,
              "an authority above excludes a name that a name of the certificate covers");
        }
      }
    }
    return null;
  }

  /** Whether a name, or a host that a wildcard stands for, is at or below a subtree. */
  private static boolean covers(String written, String subtree) {
    boolean isWildcard = written.startsWith("*.");
    String name = isWildcard ? written.substring(2) : written;
    if (!isDnsName(name)) return false;
    if (isBelow(name, subtree)) return true;
    return isWildcard && subtree.length() > name.length() && isBelow(subtree, name)
        && subtree.lastIndexOf('.', subtree.length() - name.length() - 2) < 0;
  }

  private static boolean isBelow(String name, String subtree) {
    int front = name.length() - subtree.length();
    if (front < 0 || !name.regionMatches(true, front, subtree, 0, subtree.length())) return false;
    return front == 0 || subtree.isEmpty() || name.charAt(front - 1) == '.';
  }

  private static boolean isDnsName(String name) {
    if (name.isEmpty() || name.startsWith(".") || name.endsWith(".") || name.contains("..")) return false;
    for (int i = 0; i < name.length(); i++) {
      char character = name.charAt(i);
      boolean isLetter = character >= 'a' && character <= 'z' || character >= 'A' && character <= 'Z';
      if (!isLetter && !(character >= '0' && character <= '9') && "-_.".indexOf(character) < 0) return false;
    }
    return true;
  }
}
