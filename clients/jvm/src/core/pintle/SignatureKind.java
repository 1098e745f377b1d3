package pintle;

import java.util.Arrays;
import java.util.List;

/** The kinds of signatures that certificates may have: with SHA-256, SHA-384 or SHA-512, or EdDSA. */
final class SignatureKind {
  private static final String PSS = "1.2.840.113549.1.1.10";
  private static final List<String> STRONG_DIGESTS = Arrays.asList(
      "2.16.840.1.101.3.4.2.1", "2.16.840.1.101.3.4.2.2", "2.16.840.1.101.3.4.2.3");

  private SignatureKind() {}

  /** The kind as a policy names it; null if it isn't accepted. */
  static String of(Certificate certificate) {
    Der identifier = new Der(certificate.outerAlgorithm).enter(Der.SEQUENCE);
    String oid = identifier == null ? null : identifier.oid();
    if (oid == null) return null;
    switch (oid) {
      case "1.2.840.113549.1.1.11":
      case "1.2.840.113549.1.1.12":
      case "1.2.840.113549.1.1.13": return "rsa-pkcs1";
      case "1.2.840.10045.4.3.2":
      case "1.2.840.10045.4.3.3":
      case "1.2.840.10045.4.3.4": return "ecdsa";
      case "1.3.101.112":
      case "1.3.101.113": return "eddsa";
      case PSS: return hasStrongDigest(identifier) ? "rsa-pss" : null;
      default: return null;
    }
  }

  /** Whether it is ML-DSA (RFC 9881). */
  static boolean isMlDsa(Certificate certificate) {
    Der identifier = new Der(certificate.outerAlgorithm).enter(Der.SEQUENCE);
    String oid = identifier == null ? null : identifier.oid();
    return oid != null && AlgorithmName.isMlDsa(oid) && identifier.isAtEnd();
  }

  /** What to say of such a signature. */
  static String notVerified(Certificate certificate) {
    String oid = new Der(certificate.outerAlgorithm).enter(Der.SEQUENCE).oid();
    return "signatures of type " + AlgorithmName.of(oid) + " aren't accepted";
  }

  /** RFC 4055 section 3.1: [0] is the digest, SHA-1 if it is absent; [1] is MGF1 with a digest of its own. */
  private static boolean hasStrongDigest(Der identifier) {
    Der parameters = identifier.enter(Der.SEQUENCE);
    Der digest = parameters == null ? null : parameters.enter(0xA0);
    Der mask = digest == null ? null : parameters.enter(0xA1);
    digest = digest == null ? null : digest.enter(Der.SEQUENCE);
    mask = mask == null ? null : mask.enter(Der.SEQUENCE);
    if (digest == null || mask == null || mask.oid() == null) return false;
    Der ofMask = mask.enter(Der.SEQUENCE);
    return STRONG_DIGESTS.contains(digest.oid()) && ofMask != null && STRONG_DIGESTS.contains(ofMask.oid());
  }
}
