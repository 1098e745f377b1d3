package pintle;

import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.PKIXReason;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Evaluates trust in a served chain: the platform's PKIX builds and validates the path, and {@link PathChecks} asks for
 * what docs/validation.md asks beyond that. Both must accept.
 */
final class TrustEvaluator implements PathEvaluator {
  private static final int MAXIMUM_BYTES = 256 << 10;
  private final List<X509Certificate> system;
  /** Whether these are all that the system's store happens to have; otherwise the program has chosen each as an anchor. */
  private final boolean isStore;
  /** Intermediates in the system's store: steps of a path, and no end of one unless the entry names them. */
  private List<Certificate> steps = Collections.emptyList();
  /** Read when they are first needed: most programs make few connections in their first moments. */
  private volatile AnchorSet systemAnchors;
  /** Of entries; gone with the manifest that they belong to. */
  private final Map<Manifest.Trust, AnchorSet> ofEntries =
      Collections.synchronizedMap(new WeakHashMap<Manifest.Trust, AnchorSet>());

  TrustEvaluator(List<X509Certificate> systemAnchors) {
    this(systemAnchors, false);
  }

  TrustEvaluator(List<X509Certificate> systemAnchors, boolean isStore) {
    system = new ArrayList<>(systemAnchors);
    this.isStore = isStore;
  }

  /** Evaluates what a peer sent. */
  @Override
  public Evaluation evaluate(List<byte[]> served, TrustRequest request) {
    try {
      if (served.isEmpty()) return Evaluation.refused("unusable-chain", "no certificate was served");
      List<Certificate> chain = new ArrayList<>();
      Evaluation unreadable = read(served, chain);
      if (unreadable != null) return unreadable;
      if (request.trust.certificate != null) return identityToken(chain.get(0), request);
      return evaluate(chain, request, anchors(request));
    } catch (CertificateException e) {
      String code = e instanceof Certificate.UnusualKey ? "key-encoding" : "other";
      return Evaluation.refused(code, "a certificate that the entry's trust names can't be read: " + e.getMessage());
    } catch (GeneralSecurityException | RuntimeException e) {
      // Whatever a provider throws, nothing is let through.
      return Evaluation.refused("cryptography", "the platform could not evaluate the path: " + e);
    }
  }

  /** Reads the certificates within their limits; the answer is null if all could be read. */
  static Evaluation read(List<byte[]> served, List<Certificate> chain) {
    if (served.size() > Handshake.MAXIMUM_CERTIFICATES) {
      return Evaluation.refused("unusable-chain", "more than 32 certificates were served");
    }
    long bytes = 0;
    for (byte[] one : served) bytes += one.length;
    if (bytes > MAXIMUM_BYTES) {
      return Evaluation.refused("unusable-chain", "more than 262144 bytes of certificates were served");
    }
    for (int place = 0; place < served.size(); place++) {
      try {
        chain.add(new Certificate(served.get(place)));
      } catch (CertificateException | RuntimeException e) {
        return Evaluation.refused(Collections.singletonList(
            new TrustFailure(e instanceof Certificate.UnusualKey ? "key-encoding" : "malformed", place, null,
                "the certificate can't be read: " + e.getMessage())));
      }
    }
    return null;
  }

  /** The leaf must be this certificate, byte for byte; path, name and usage are then not validated. */
  static Evaluation identityToken(Certificate leaf, TrustRequest request) {
    List<Certificate> path = Collections.singletonList(leaf);
    if (!leaf.fingerprint.equals(request.trust.certificate)) {
      return Evaluation.refused(Collections.singletonList(new TrustFailure("wrong-certificate", 0, leaf,
          "another certificate than the one that the entry names")));
    }
    return Evaluation.of(path, new PathChecks(request, Collections.<String>emptySet()).ofIdentityToken(leaf), request);
  }

  private AnchorSet anchors(TrustRequest request) throws CertificateException {
    AnchorSet known = ofEntries.get(request.trust);
    if (known != null) return known;
    if (request.trust.anchors.isEmpty() && request.trust.hasSystemAnchors) {
      known = new AnchorSet(system(), request.trust.anchors);
    } else {
      Map<String, Certificate> all = new LinkedHashMap<>();
      for (Certificate one : request.named(request.trust.anchors)) all.put(one.fingerprint, one);
      if (request.trust.hasSystemAnchors) all.putAll(system().certificates);
      known = new AnchorSet(new AnchorSet(all), request.trust.anchors);
    }
    ofEntries.put(request.trust, known);
    return known;
  }

  private AnchorSet system() {
    AnchorSet found = systemAnchors;
    if (found == null) {
      Map<String, Certificate> all = new LinkedHashMap<>();
      List<Certificate> intermediates = new ArrayList<>();
      for (X509Certificate one : system) {
        try {
          Certificate certificate = new Certificate(one.getEncoded());
          if (isStore && !certificate.isSelfSigned()) intermediates.add(certificate);
          else all.put(certificate.fingerprint, certificate);
        } catch (CertificateException | RuntimeException e) {
          // An anchor that can't be read vouches for nothing.
          continue;
        }
      }
      found = new AnchorSet(all);
      steps = intermediates;
      systemAnchors = found;
    }
    return found;
  }

  private Evaluation evaluate(List<Certificate> served, TrustRequest request, AnchorSet anchors)
      throws GeneralSecurityException {
    Certificate leaf = served.get(0);
    List<Certificate> offered = new ArrayList<>(served.subList(1, served.size()));
    offered.addAll(request.named(request.trust.intermediates));
    if (request.trust.hasSystemAnchors) offered.addAll(steps);
    // A self-signed leaf that is an anchor needs no issuer.
    Certificate own = anchors.certificates.get(leaf.fingerprint);
    if (own != null && leaf.isSelfSigned()) {
      List<Certificate> path = Collections.singletonList(leaf);
      return Evaluation.of(path, new PathChecks(request, anchors.named).failures(path, true), request);
    }
    PathSearch search = new PathSearch(leaf, offered, anchors.usable(request), anchors.byPlatform, request);
    for (List<Certificate> path : search.build()) {
      List<TrustFailure> failures = new PathChecks(request, anchors.named).failures(path, true);
      if (Evaluation.unexcused(failures, request).isEmpty()) return Evaluation.of(path, failures, request);
    }
    List<Certificate> path = candidate(leaf, offered, anchors);
    boolean endsAtAnchor = path.size() > 1 && anchors.certificates.containsKey(path.get(path.size() - 1).fingerprint);
    List<TrustFailure> failures = new PathChecks(request, anchors.named).failures(path, endsAtAnchor);
    if (!endsAtAnchor) {
      failures.add(openEnd(path));
    } else if (Evaluation.unexcused(failures, request).isEmpty() && !isValidBut(path, failures, request, search)) {
      // It may be valid all the same, where the search ended at its limit.
      TrustFailure reason = reason(path, request);
      if (reason != null) failures.add(reason);
    }
    return Evaluation.of(path, failures, request);
  }

  /** Whether PKIX accepts a path that has no failure but those that the entry excuses, as of a time at which it can. */
  private static boolean isValidBut(
      List<Certificate> path, List<TrustFailure> failures, TrustRequest request, PathSearch search) {
    for (TrustFailure failure : failures) {
      long at;
      if (failure.code().equals("expired")) {
        at = TrustRequest.seconds(path.get(failure.certificate()).platform.getNotAfter()) - 1;
      } else if (failure.code().equals("not-yet-valid")) {
        at = TrustRequest.seconds(path.get(failure.certificate()).platform.getNotBefore()) + 1;
      } else {
        continue;
      }
      // All dates were checked as of now, so this time only satisfies the platform.
      List<Certificate> found = search.buildOnly(path, at);
      if (found != null && found.equals(path)) return true;
    }
    return false;
  }

  /** The likeliest path, for naming what is wrong: by names and signatures, anchors first. */
  private static List<Certificate> candidate(Certificate leaf, List<Certificate> offered, AnchorSet anchors) {
    List<Certificate> path = new ArrayList<>();
    path.add(leaf);
    List<Certificate> all = new ArrayList<>(anchors.certificates.values());
    all.addAll(offered);
    int signatures = 100;
    while (path.size() < 12) {
      Certificate below = path.get(path.size() - 1);
      if (path.size() > 1 && anchors.certificates.containsKey(below.fingerprint)) break;
      Certificate best = null;
      for (Certificate one : all) {
        if (path.contains(one) || !one.platform.getSubjectX500Principal().equals(below.platform.getIssuerX500Principal())) {
          continue;
        }
        boolean signed = signatures-- > 0 && one.hasSigned(below);
        if (signed) {
          best = one;
          break;
        }
        if (best == null) best = one;
      }
      if (best == null || best.fingerprint.equals(below.fingerprint)) break;
      path.add(best);
    }
    return path;
  }

  private static TrustFailure openEnd(List<Certificate> path) {
    int place = path.size() - 1;
    Certificate last = path.get(place);
    boolean isSelfSigned = last.isSelfSigned();
    String code = place > 0 ? "unknown-issuer" : isSelfSigned ? "self-signed" : "missing-intermediate";
    return new TrustFailure(code, place, last, place == 0 && isSelfSigned
        ? "the certificate is self-signed and not an anchor"
        : place == 0 ? "the leaf's issuer was not served and is not an anchor; an intermediate may be missing"
        : isSelfSigned ? "the path ends in a root that is not a trust anchor" : "the issuer does not chain to a trust anchor");
  }

  /** Why the platform's validation refuses a path, in the words of docs/validation.md; null if it accepts it. */
  private static TrustFailure reason(List<Certificate> path, TrustRequest request) {
    try {
      PathSearch.validate(path, request.at);
    } catch (CertPathValidatorException e) {
      return reason(e, path);
    } catch (GeneralSecurityException | RuntimeException e) {
      return new TrustFailure("cryptography", "the platform could not evaluate the path: " + e);
    }
    return null;
  }

  private static TrustFailure reason(CertPathValidatorException e, List<Certificate> path) {
    CertPathValidatorException.Reason reason = e.getReason();
    String code = "other";
    if (reason == CertPathValidatorException.BasicReason.INVALID_SIGNATURE) code = "bad-signature";
    if (reason == CertPathValidatorException.BasicReason.EXPIRED) code = "expired";
    if (reason == CertPathValidatorException.BasicReason.NOT_YET_VALID) code = "not-yet-valid";
    if (reason == CertPathValidatorException.BasicReason.ALGORITHM_CONSTRAINED) code = "rejected";
    if (reason == PKIXReason.NO_TRUST_ANCHOR) code = "unknown-issuer";
    if (reason == PKIXReason.NOT_CA_CERT) code = "not-an-authority";
    if (reason == PKIXReason.PATH_TOO_LONG) code = "path-too-long";
    if (reason == PKIXReason.INVALID_NAME) code = "name-constraints";
    if (reason == PKIXReason.INVALID_KEY_USAGE) code = "not-an-authority";
    if (reason == PKIXReason.UNRECOGNIZED_CRIT_EXT) code = "malformed";
    int place = e.getIndex();
    return new TrustFailure(code, place, place < 0 ? null : path.get(place),
        "the platform rejects the path: " + e.getMessage());
  }
}
