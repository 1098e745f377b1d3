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
  private final String subject;

  /** The message names the rule in brackets at its end if it is known more exactly than by the code. */
  TrustFailure(String code, int place, Certificate certificate, String message) {
    if (!CODES.contains(code)) throw new IllegalArgumentException(code);
    this.code = code;
    this.certificate = place;
    this.fingerprint = certificate == null ? null : certificate.fingerprint;
    this.subject = certificate == null ? null : certificate.subject();
    this.message = Bytes.printable(message);
  }

  TrustFailure(String code, String message) {
    this(code, -1, null, message);
  }

  /** {@return the stable code, such as {@code expired}} */
  public String code() {
    return code;
  }

  /** {@return the place of the certificate that failed, counted from the leaf (0); -1 if it isn't about a single one} */
  public int certificate() {
    return certificate;
  }

  /** {@return what is wrong, for people} */
  public String message() {
    return message;
  }

  /** The message, the certificate, the rule that is broken, and who has to act. */
  String explanation() {
    String text = certificate < 0 ? "" : certificate == 0 ? "leaf" : "certificate " + certificate;
    if (subject != null) text += " '" + Bytes.printable(subject) + "'";
    if (certificate >= 0) text += ": ";
    return text + message + (message.endsWith(")") ? "" : " (" + rule() + ")") + "; the " + actor() + " has to act";
  }

  private String rule() {
    switch (code) {
      case "malformed": return "RFC 5280 section 4.1";
      case "unusable-chain": case "missing-intermediate": return "RFC 8446 section 4.4.2";
      case "wrong-certificate": return "the policy's 'certificate:'";
      case "self-signed": case "unknown-issuer": case "rejected": return "RFC 5280 section 6.1.1";
      case "bad-signature": case "expired": case "not-yet-valid": return "RFC 5280 section 6.1.3";
      case "not-an-authority": return "RFC 5280 sections 4.2.1.3 and 4.2.1.9";
      case "path-too-long": return "RFC 5280 section 4.2.1.9";
      case "name-constraints": return "RFC 5280 section 4.2.1.10";
      case "wrong-usage": return "RFC 5280 sections 4.2.1.3 and 4.2.1.12";
      case "name-mismatch": return "RFC 9525 section 6.3";
      case "weak-key": case "weak-signature": return "RFC 9325 section 4.5";
      case "old-tls-version": return "the policy's 'minimum-tls:'";
      default: return "RFC 5280 section 6.1";
    }
  }

  private String actor() {
    switch (code) {
      case "unknown-issuer": case "rejected": case "wrong-certificate": case "other": return "policy author";
      case "cryptography": return "client operator";
      case "not-an-authority": case "path-too-long": case "name-constraints": case "bad-signature": return "CA";
      case "malformed": case "key-encoding": case "wrong-usage": case "weak-signature":
        return certificate < 0 ? "server operator" : "CA";
      case "weak-key": case "expired": case "not-yet-valid": return certificate > 0 ? "CA" : "server operator";
      default: return "server operator";
    }
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
