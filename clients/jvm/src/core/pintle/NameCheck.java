package pintle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Whether a certificate is for a name, and which names its authorities exclude (docs/validation.md). */
final class NameCheck {
  /** Many names under many constraints take long to compare, so there is a limit, as in libcrypto. */
  private static final int MAXIMUM_COMPARISONS = 1 << 17;
  private static final int OTHER = 0xA0;
  static final int EMAIL = 0x81;
  private static final int DNS = 0x82;
  private static final int DIRECTORY = 0xA4;
  private static final int URI = 0x86;
  private static final int ADDRESS = 0x87;

  private NameCheck() {}

  /** Whether a host in canonical form is one of the names of the Subject Alternative Name (RFC 6125 section 6.4). */
  static boolean isFor(Certificate leaf, String host) {
    if (leaf.dnsNames == null) return false;
    if (HostName.isAddress(host)) {
      byte[] asked = HostName.addressBytes(host);
      for (byte[] address : leaf.addresses) if (Arrays.equals(asked, address)) return true;
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

  /** A part of the names that an authority permits or excludes. */
  private static final class Subtree {
    final boolean isExcluded;
    final int tag;
    final byte[] bytes;

    Subtree(boolean isExcluded, int tag, byte[] bytes) {
      this.isExcluded = isExcluded;
      this.tag = tag;
      this.bytes = bytes;
    }

    String text() {
      return new Certificate.Name(tag, bytes).text();
    }
  }

  /** The subtrees of one list; false if it is empty or can't be read. */
  private static boolean read(Der list, boolean isExcluded, List<Subtree> found) {
    if (list.isAtEnd()) return false;
    while (!list.isAtEnd()) {
      Der subtree = list.enter(Der.SEQUENCE);
      int tag = subtree == null ? -1 : subtree.tag();
      Der base = tag < 0 ? null : subtree.enter(tag);
      if (base == null) return false;
      found.add(new Subtree(isExcluded, tag, base.rest()));
    }
    return true;
  }

  /**
   * What is wrong with the name constraints of an authority, or with the names of a certificate below it; null if nothing is. The
   * platform compares names that are well formed. This is what it doesn't compare, or reads otherwise than libcrypto.
   *
   * @param below the place of that certificate
   */
  static TrustFailure constraintFailure(Certificate authority, int place, Certificate certificate, int below) {
    Certificate.Extension constraints = authority.extensions.get(Certificate.NAME_CONSTRAINTS);
    if (constraints == null) return null;
    Der whole = new Der(constraints.value);
    Der lists = whole.enter(Der.SEQUENCE);
    Der permitted = lists == null ? null : lists.enter(0xA0);
    Der excluded = lists == null ? null : lists.enter(0xA1);
    List<Subtree> subtrees = new ArrayList<>();
    if (permitted == null && excluded == null || !lists.isAtEnd() || !whole.isAtEnd()
        || permitted != null && !read(permitted, false, subtrees) || excluded != null && !read(excluded, true, subtrees)) {
      return new TrustFailure("malformed", place, authority,
          "the nameConstraints have an empty list, or aren't DER (RFC 5280 section 4.2.1.10)");
    }
    for (Subtree one : subtrees) {
      if (one.isExcluded && one.tag == DNS && !excludedName(one).isEmpty() && !isDnsName(excludedName(one))) {
        return new TrustFailure("malformed", place, authority,
            "the nameConstraints exclude an invalid name (RFC 5280 section 4.2.1.10)");
      }
    }
    String message = (long) subtrees.size() * certificate.names.size() > MAXIMUM_COMPARISONS
        ? "the certificate has more names, and an authority more constraints, than are compared" : null;
    for (Certificate.Name name : certificate.names) if (message == null) message = fault(name, subtrees, below == 0);
    return message == null ? null : new TrustFailure("name-constraints", below, certificate, message);
  }

  private static String fault(Certificate.Name name, List<Subtree> subtrees, boolean isLeaf) {
    if (name.bytes == null) return "an e-mail address of the subject isn't an IA5String";
    boolean isPermitted = true;
    boolean isMatched = false;
    for (Subtree one : subtrees) {
      if (one.tag != name.tag || name.tag == OTHER && !isSameOther(name.bytes, one.bytes)) continue;
      if (!isComparable(name, one.bytes)) return "a name that an authority above constrains, or the constraint, isn't valid";
      if (name.tag == EMAIL || name.tag == ADDRESS) {
        boolean matches = name.tag == EMAIL ? emailMatches(name.text(), one.text()) : addressMatches(name.bytes, one.bytes);
        if (one.isExcluded && matches) return "an authority above excludes a name of the certificate";
        if (!one.isExcluded) {
          isPermitted = false;
          isMatched |= matches;
        }
      }
      if (one.isExcluded && name.tag == DNS && isLeaf && covers(name.text(), excludedName(one))) {
        return "an authority above excludes a name that a name of the certificate covers";
      }
    }
    return isPermitted || isMatched ? null : "an authority above doesn't permit the certificate's names";
  }

  /** Some readers don't match the name itself if there is a leading dot; the stricter reading is used. */
  private static String excludedName(Subtree subtree) {
    String name = subtree.text();
    return name.startsWith(".") ? name.substring(1) : name;
  }

  /** Whether both are names of the same kind of otherName. */
  private static boolean isSameOther(byte[] name, byte[] constraint) {
    String oid = new Der(name).oid();
    return oid == null || oid.equals(new Der(constraint).oid());
  }

  /** As in libcrypto, a mask may have gaps, and kinds for which RFC 5280 has no rule can't be compared. */
  private static boolean isComparable(Certificate.Name name, byte[] constraint) {
    String text = name.text();
    switch (name.tag) {
      // The platform reads the form of these as libcrypto does, and rejects minima and maxima.
      case DIRECTORY: case URI: return true;
      case ADDRESS:
        return (name.bytes.length == 4 || name.bytes.length == 16) && (constraint.length == 8 || constraint.length == 32);
      case DNS: return isDnsName(text.startsWith("*.") ? text.substring(2) : text);
      case EMAIL: {
        // A quoted local part has several spellings, so it can't be compared with a mailbox.
        int at = text.indexOf('@');
        return at > 0 && isDotted(text.substring(0, at), "!#$%&'*+-/=?^_`{|}~") && isDnsName(text.substring(at + 1));
      }
      default: return false;
    }
  }

  private static boolean addressMatches(byte[] address, byte[] constraint) {
    boolean matches = address.length * 2 == constraint.length;
    for (int i = 0; matches && i < address.length; i++) {
      matches = ((address[i] ^ constraint[i]) & constraint[address.length + i]) == 0;
    }
    return matches;
  }

  /** RFC 5280 section 4.2.1.10: a mailbox, a host, or with a leading dot the hosts below. */
  private static boolean emailMatches(String email, String constraint) {
    int at = email.lastIndexOf('@');
    int constraintAt = constraint.lastIndexOf('@');
    if (constraintAt < 0 && constraint.startsWith(".")) {
      int front = email.length() - constraint.length();
      return front > 0 && email.regionMatches(true, front, constraint, 0, constraint.length());
    }
    if (constraintAt > 0 && !email.substring(0, at).equals(constraint.substring(0, constraintAt))) return false;
    return email.substring(at + 1).equalsIgnoreCase(constraint.substring(constraintAt + 1));
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
    return isDotted(name, "-_");
  }

  /** Letters, digits and some other characters, with single dots between them. */
  private static boolean isDotted(String name, String others) {
    if (name.isEmpty() || name.startsWith(".") || name.endsWith(".") || name.contains("..")) return false;
    for (int i = 0; i < name.length(); i++) {
      char character = name.charAt(i);
      boolean isLetter = character >= 'a' && character <= 'z' || character >= 'A' && character <= 'Z';
      if (!isLetter && !(character >= '0' && character <= '9') && character != '.' && others.indexOf(character) < 0) return false;
    }
    return true;
  }
}
