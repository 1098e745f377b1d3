package pintle;

import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** Something that trust evaluation found wrong (docs/validation.md#the-failures). */
public final class TrustFailure {
  /** The codes: of several failures, the one that explains the others comes first. */
  private static final List<String> CODES = Arrays.asList("malformed", "key-encoding", "unusable-chain", "wrong-certificate",
      "self-signed", "missing-intermediate", "unknown-issuer", "rejected", "bad-signature", "not-an-authority",
      "path-too-long", "name-constraints", "wrong-usage", "expired", "not-yet-valid", "name-mismatch", "weak-key",
      "weak-signature", "old-tls-version", "cryptography", "other");
  static final List<String> EXCUSABLE = Arrays.asList(
      "expired", "name-mismatch", "not-yet-valid", "weak-key", "weak-signature", "wrong-usage");

  private final String code;
  private final int certificate;
  private final String message;
  /** Of the certificate that failed; null if it isn't one. */
  final String fingerprint;

  TrustFailure(String code, int certificate, String fingerprint, String message) {
    if (!CODES.contains(code)) throw new IllegalArgumentException(code);
    this.code = code;
    this.certificate = certificate;
    this.fingerprint = fingerprint;
    this.message = Bytes.printable(message);
  }

  TrustFailure(String code, String message) {
    this(code, -1, null, message);
  }

  /** The stable code, such as {@code expired}. */
  public String code() {
    return code;
  }

  /** The place of the certificate that failed, counted from the leaf (0); -1 if it isn't about a single one. */
  public int certificate() {
    return certificate;
  }

  /** What is wrong, for people. */
  public String message() {
    return message;
  }

  static void sort(List<TrustFailure> failures) {
    Collections.sort(failures, new Comparator<TrustFailure>() {
      @Override
      public int compare(TrustFailure left, TrustFailure right) {
        int order = CODES.indexOf(left.code) - CODES.indexOf(right.code);
        return order != 0 ? order : left.certificate - right.certificate;
      }
    });
  }

  @Override
  public String toString() {
    return code + (certificate < 0 ? "" : " (certificate " + certificate + ")") + ": " + message;
  }
}
