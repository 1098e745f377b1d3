package pintle;

/** The names of algorithms of keys and signatures that this client doesn't verify, but people may have. */
final class AlgorithmName {
  private static final String NIST = "2.16.840.1.101.3.4.3.";
  private static final String COMPOSITE = "1.3.6.1.5.5.7.6.";
  private static final String[] SIZES = {"44", "65", "87"};
  private static final String[] SETS = {"128s", "128f", "192s", "192f", "256s", "256f"};

  private AlgorithmName() {}

  /** The name, or the identifier itself. */
  static String of(String oid) {
    if (isMlDsa(oid)) return "ML-DSA-" + SIZES[number(oid, NIST) - 17];
    int nist = number(oid, NIST);
    if (nist >= 20 && nist < 32) return "SLH-DSA-" + (nist < 26 ? "SHA2-" : "SHAKE-") + SETS[(nist - 20) % 6];
    if (nist >= 32 && nist < 35) return "HashML-DSA-" + SIZES[nist - 32];
    if (nist >= 35 && nist < 47) return "HashSLH-DSA-" + (nist < 41 ? "SHA2-" : "SHAKE-") + SETS[(nist - 35) % 6];
    int composite = number(oid, COMPOSITE);
    if (composite < 37 || composite >= 55) return oid;
    return "composite ML-DSA-" + SIZES[composite < 41 ? 0 : composite < 49 ? 1 : 2];
  }

  /** ML-DSA (RFC 9881 section 2), which Java verifies since version 24, and this client on no version. */
  static boolean isMlDsa(String oid) {
    int number = number(oid, NIST);
    return number >= 17 && number < 20;
  }

  private static int number(String oid, String arc) {
    String last = oid.startsWith(arc) ? oid.substring(arc.length()) : "";
    return last.length() == 2 && Character.isDigit(last.charAt(0)) && Character.isDigit(last.charAt(1))
        ? Integer.parseInt(last) : 0;
  }
}
