package pintle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What is asked of a path, leaf to anchor, besides what the platform's path validation asks.
 *
 * <p>The rules are those of docs/validation.md: strength, one encoding of each key, usages, dates, and the forms of RFC
 * 5280 that the C library's validation demands too. The platform checks signatures, name constraints and policies; what it
 * checks as well is checked here again, so that failures have codes and exceptions can be applied.
 */
final class PathChecks {
  private static final String SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
  private static final String CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
  private static final List<String> SERVER_GATED = Arrays.asList("1.3.6.1.4.1.311.10.3.3", "2.16.840.1.113730.4.1");
  /** Extensions that are understood where they are critical. */
  private static final Set<String> KNOWN = new HashSet<>(Arrays.asList(Certificate.KEY_USAGE, Certificate.ALTERNATIVE_NAMES,
      Certificate.BASIC_CONSTRAINTS, Certificate.NAME_CONSTRAINTS, Certificate.EXTENDED_KEY_USAGE,
      Certificate.SUBJECT_KEY_ID, Certificate.AUTHORITY_KEY_ID, "2.5.29.31", "2.5.29.32", "2.5.29.33", "2.5.29.36",
      "2.5.29.54"));
  private static final int MAXIMUM_PATH = 10;

  private final TrustRequest request;
  /** Fingerprints of the anchors that the entry names. */
  private final Set<String> named;
  private final List<TrustFailure> failures = new ArrayList<>();

  PathChecks(TrustRequest request, Set<String> named) {
    this.request = request;
    this.named = named;
  }

  /** All failures of a path, and not only the first. */
  List<TrustFailure> failures(List<Certificate> path, boolean endsAtAnchor) {
    int last = path.size() - 1;
    int intermediates = 0;
    for (int place = 0; place <= last; place++) {
      Certificate certificate = path.get(place);
      boolean isAnchor = endsAtAnchor && place == last;
      check(certificate, place, isAnchor, place == last, last > 0);
      checkDates(certificate, place);
      if (place > 0) {
        if (certificate.pathLength >= 0 && intermediates > certificate.pathLength) {
          add("path-too-long", certificate, place, "more certificates are below the authority than it allows");
        }
        if (!certificate.isSelfIssued()) intermediates++;
        TrustFailure constraint = null;
        for (int below = 0; below < place && constraint == null; below++) {
          if (below > 0 && path.get(below).isSelfIssued()) continue;
          constraint = NameCheck.constraintFailure(certificate, place, path.get(below), below);
        }
        if (constraint != null) failures.add(constraint);
      }
    }
    if (path.size() > MAXIMUM_PATH) {
      add("path-too-long", path.get(MAXIMUM_PATH - 1), MAXIMUM_PATH - 1, "the path has more certificates than the limit");
    }
    if (!request.isClient && (request.name == null || !NameCheck.isFor(path.get(0), request.name))) {
      add("name-mismatch", path.get(0), 0, "the name asked for isn't among the certificate's names");
    }
    return failures;
  }

  /** What the one certificate that an entry names is asked for: its key, and its dates. */
  List<TrustFailure> ofIdentityToken(Certificate leaf) {
    checkKey(leaf, 0);
    checkDates(leaf, 0);
    return failures;
  }

  /** What is wrong with one certificate, wherever it leads: by it, the search for a path decides whether to use it. */
  List<TrustFailure> ofCertificate(Certificate certificate, boolean isLeaf) {
    check(certificate, isLeaf ? 0 : 1, false, false, true);
    return failures;
  }

  /** What is wrong with an anchor: what it restricts binds. */
  List<TrustFailure> ofAnchor(Certificate anchor) {
    check(anchor, 1, true, true, true);
    checkDates(anchor, 1);
    return failures;
  }

  private void add(String code, Certificate certificate, int place, String message) {
    failures.add(new TrustFailure(code, place, certificate, message));
  }

  private void check(Certificate certificate, int place, boolean isAnchor, boolean isLast, boolean isOfSeveral) {
    checkKey(certificate, place);
    checkUsage(certificate, place, isAnchor);
    // A self-signed end that isn't an anchor is a failure of its own. The form of an intermediate in the platform's store is
    // checked: only an entry can make it an anchor as it is.
    boolean isFree = isLast && certificate.isSelfSigned() || isAnchor && named.contains(certificate.fingerprint);
    if (isOfSeveral) checkForm(certificate, place, isFree, isLast);
    for (String oid : certificate.extensions.keySet()) {
      if (certificate.isCritical(oid) && !KNOWN.contains(oid)) {
        add("malformed", certificate, place, "the critical extension " + oid + " is not known (RFC 5280 section 4.2)");
      }
    }
    if (isAnchor) return;
    checkSignature(certificate, place);
    if (certificate.repeatsAnExtension) {
      add("malformed", certificate, place, "the certificate has the same extension twice (RFC 5280 section 4.2)");
    }
  }

  private void checkDates(Certificate certificate, int place) {
    if (request.hasExpired(certificate)) add("expired", certificate, place, "the certificate has expired");
    if (request.at < TrustRequest.seconds(certificate.platform.getNotBefore())) {
      add("not-yet-valid", certificate, place, "the certificate is not valid yet");
    }
  }

  private void checkKey(Certificate certificate, int place) {
    PublicKeyForm key = certificate.key;
    // Before the weak key, which an exception may excuse: in another encoding, no pin or denial of the key would match.
    if (key.fault != null) {
      boolean isOther = key.algorithm != null && !key.isAccepted();
      add(isOther ? "malformed" : "key-encoding", certificate, place, key.fault);
      return;
    }
    int leastRsa = Math.max(2048, request.trust.minimumRsaBits);
    int leastCurve = Math.max(256, request.trust.minimumEcBits);
    int bits = key.rsaBits > 0 ? key.rsaBits : key.edwardsBits();
    if (bits == 0) {
      java.security.PublicKey platform = certificate.platform.getPublicKey();
      if (!(platform instanceof java.security.interfaces.ECPublicKey)) {
        add("malformed", certificate, place, "the public key can't be read");
        return;
      }
      bits = ((java.security.interfaces.ECPublicKey) platform).getParams().getCurve().getField().getFieldSize();
    }
    int least = key.rsaBits > 0 ? leastRsa : leastCurve;
    if (!key.hasSoundExponent) {
      add("malformed", certificate, place, "the RSA key's exponent is even or 1 (RFC 8017 section 3.1)");
    } else if (bits < least) {
      add("weak-key", certificate, place, "the key has " + bits + " bits; the minimum is " + least);
    }
  }

  private void checkUsage(Certificate certificate, int place, boolean isAnchor) {
    String usage = request.isClient ? CLIENT_AUTH : SERVER_AUTH;
    List<String> usages = certificate.usages;
    boolean isMeant = usages == null || usages.contains(usage);
    if (!isMeant && isAnchor && place > 0 && !request.isClient) {
      for (String gated : SERVER_GATED) isMeant |= usages.contains(gated);
    }
    // digitalSignature, keyEncipherment, keyAgreement; a client has to sign.
    int needed = request.isClient ? 0x8800 : 0xA800;
    if (place == 0 && certificate.keyUsage >= 0 && (certificate.keyUsage & needed) == 0) isMeant = false;
    if (!isMeant) add("wrong-usage", certificate, place, "Key Usage or Extended Key Usage doesn't allow this use");
  }

  private void checkSignature(Certificate certificate, int place) {
    String kind = SignatureKind.of(certificate);
    if (kind == null && SignatureKind.isMlDsa(certificate)) {
      add("malformed", certificate, place, SignatureKind.notVerified(certificate));
    } else if (kind == null) {
      add("weak-signature", certificate, place, "the signature is of an unknown kind, or its digest is weaker than SHA-256");
    } else if (!request.trust.signatures.isEmpty() && !request.trust.signatures.contains(kind)) {
      add("weak-signature", certificate, place, "the policy doesn't accept this kind of signature");
    }
  }

  /** The forms of RFC 5280 sections 4.1 and 4.2.1 that a conforming authority keeps; an anchor is free of some. */
  private void checkForm(Certificate certificate, int place, boolean isFree, boolean isLast) {
    boolean isCa = certificate.isCa();
    boolean hasUsage = certificate.keyUsage >= 0;
    if (place > 0 && (!isCa || !certificate.maySignCertificates())
        || place == 0 && certificate.isAuthority == null && hasUsage && certificate.maySignCertificates()) {
      add("not-an-authority", certificate, place, "the certificate signs others and is not a certificate authority");
    }
    boolean hasNames = certificate.dnsNames != null;
    form(certificate, place, certificate.pathLength >= 0 && !isCa, "4.2.1.9", " has a path length, but not CA:TRUE");
    form(certificate, place, certificate.pathLength >= 0 && isCa && !(hasUsage ? certificate.maySignCertificates() : isFree),
        "4.2.1.9", " has a path length, but no keyUsage with keyCertSign");
    form(certificate, place, isCa && !isFree && !certificate.isCritical(Certificate.BASIC_CONSTRAINTS),
        "4.2.1.9", " is a CA's, and its basicConstraints is not critical");
    form(certificate, place, isCa && !isFree && !hasUsage, "4.2.1.3", " is a CA's and has no keyUsage extension");
    form(certificate, place, !isCa && hasUsage && certificate.maySignCertificates(), "4.2.1.9", " has keyCertSign, but not CA:TRUE");
    form(certificate, place, certificate.hasEmptyIssuer, "4.1.2.4", " has an empty issuer name");
    boolean signsLists = hasUsage && (certificate.keyUsage & 0x0200) != 0;
    form(certificate, place, certificate.hasEmptySubject && (isCa || signsLists || !hasNames), "4.1.2.6", " has an empty subject name");
    form(certificate, place, certificate.hasEmptySubject && hasNames && !certificate.isCritical(Certificate.ALTERNATIVE_NAMES),
        "4.2.1.6", " has an empty subject, and its subjectAltName is not critical");
    form(certificate, place, hasNames && certificate.alternativeNameCount == 0, "4.2.1.6", "'s subjectAltName is empty");
    form(certificate, place, !Arrays.equals(certificate.innerAlgorithm, certificate.outerAlgorithm),
        "4.1.1.2", " names two algorithms for its signature");
    form(certificate, place, certificate.isCritical(Certificate.AUTHORITY_KEY_ID), "4.2.1.1", "'s authorityKeyIdentifier is critical");
    form(certificate, place, certificate.isCritical(Certificate.SUBJECT_KEY_ID), "4.2.1.2", "'s subjectKeyIdentifier is critical");
    if (certificate.platform.getVersion() >= 3) {
      form(certificate, place, !isLast && !certificate.hasAuthorityKeyId, "4.2.1.1", " has no authorityKeyIdentifier");
      form(certificate, place, isCa && !isFree && !certificate.extensions.containsKey(Certificate.SUBJECT_KEY_ID),
          "4.2.1.2", " is a CA's and has no subjectKeyIdentifier");
    } else {
      form(certificate, place, !certificate.extensions.isEmpty(), "4.1.2.1", " has extensions, but is not of version 3");
    }
  }

  private void form(Certificate certificate, int place, boolean isWrong, String section, String what) {
    if (isWrong) add("malformed", certificate, place, "the certificate" + what + " (RFC 5280 section " + section + ")");
  }
}
