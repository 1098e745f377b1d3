package pintle;

import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXCertPathBuilderResult;
import java.security.cert.PKIXCertPathChecker;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Has the platform's PKIX build a path, within limits, of certificates that pass {@link PathChecks} each. */
final class PathSearch {
  /** At most eight intermediates, as in the C library. */
  private static final int MAXIMUM_INTERMEDIATES = 8;
  /** A search among many certificates with one name takes long. */
  private static final int MAXIMUM_STEPS = 100;

  private final Certificate leaf;
  private final List<Certificate> offered;
  private final Set<TrustAnchor> anchors;
  private final TrustRequest request;
  private final Map<X509Certificate, Certificate> known = new HashMap<>();
  private final Map<X509Certificate, Certificate> ofAnchors;
  /** How many certificates were tried, over all branches of the search. */
  private int steps;

  PathSearch(Certificate leaf, List<Certificate> offered, Set<TrustAnchor> anchors,
      Map<X509Certificate, Certificate> ofAnchors, TrustRequest request) {
    this.leaf = leaf;
    this.offered = offered;
    this.anchors = anchors;
    this.ofAnchors = ofAnchors;
    this.request = request;
    known.put(leaf.platform, leaf);
    for (Certificate one : offered) known.put(one.platform, one);
  }

  int steps() {
    return steps;
  }

  /** The paths that the platform builds, leaf to anchor, at the time of the request: those with the nearest anchor first. */
  List<List<Certificate>> build() throws GeneralSecurityException {
    List<List<Certificate>> paths = new ArrayList<>();
    List<Certificate> path = build(request.at, offered, anchors);
    if (path == null) return paths;
    // The platform may go on behind a certificate whose key is that of an anchor.
    for (int i = 1; i < path.size() - 1; i++) {
      for (TrustAnchor anchor : anchors) {
        Certificate one = ofAnchors.get(anchor.getTrustedCert());
        if (!one.pin.equals(path.get(i).pin) || !one.hasSubjectOf(path.get(i))) continue;
        List<Certificate> shorter = build(request.at, path.subList(1, i), Collections.singleton(anchor));
        if (shorter != null) paths.add(shorter);
      }
    }
    paths.add(path);
    return paths;
  }

  /** A path of no other certificates than these, as of another time. */
  List<Certificate> buildOnly(List<Certificate> path, long at) {
    Certificate anchor = path.get(path.size() - 1);
    for (TrustAnchor one : anchors) {
      if (!one.getTrustedCert().equals(anchor.platform)) continue;
      try {
        return build(at, path.subList(1, path.size() - 1), Collections.singleton(one));
      } catch (GeneralSecurityException e) {
        return null;
      }
    }
    return null;
  }

  private List<Certificate> build(long at, List<Certificate> intermediates, Set<TrustAnchor> anchors)
      throws GeneralSecurityException {
    if (anchors.isEmpty()) return null;
    X509CertSelector target = new X509CertSelector();
    target.setCertificate(leaf.platform);
    PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors, target);
    List<X509Certificate> store = new ArrayList<>();
    store.add(leaf.platform);
    for (Certificate one : intermediates) store.add(one.platform);
    parameters.addCertStore(CertStore.getInstance("Collection", new CollectionCertStoreParameters(store)));
    // Revocation isn't checked: docs/validation.md says why.
    parameters.setRevocationEnabled(false);
    parameters.setMaxPathLength(MAXIMUM_INTERMEDIATES);
    parameters.setDate(new Date(at * 1000));
    parameters.addCertPathChecker(new Checker());
    PKIXCertPathBuilderResult result;
    try {
      result = (PKIXCertPathBuilderResult) CertPathBuilder.getInstance("PKIX").build(parameters);
    } catch (CertPathBuilderException | InvalidAlgorithmParameterException | TooManySteps e) {
      return null;
    }
    List<Certificate> path = new ArrayList<>();
    for (java.security.cert.Certificate one : result.getCertPath().getCertificates()) {
      Certificate certificate = known.get(one);
      if (certificate == null) throw new CertificateException("the platform's path has a certificate that wasn't given");
      path.add(certificate);
    }
    Certificate anchor = ofAnchors.get(result.getTrustAnchor().getTrustedCert());
    if (anchor == null) throw new CertificateException("the platform's path has an anchor that wasn't given");
    path.add(anchor);
    if (path.get(0) != leaf) return null;
    if (!anchor.extensions.containsKey(Certificate.NAME_CONSTRAINTS)) return path;
    try {
      validate(path, at);
      return path;
    } catch (GeneralSecurityException | RuntimeException e) {
      return null;
    }
  }

  /**
   * Has the platform validate a path, leaf to anchor. PKIX ignores the name constraints of an anchor, so one that has some is
   * also a part of the path, under its own name and key; it must be self-signed for that.
   */
  static void validate(List<Certificate> path, long at) throws GeneralSecurityException {
    int last = path.size() - 1;
    X509Certificate anchor = path.get(last).platform;
    boolean isConstrained = path.get(last).extensions.containsKey(Certificate.NAME_CONSTRAINTS);
    List<X509Certificate> certificates = new ArrayList<>();
    for (Certificate one : path.subList(0, isConstrained ? last + 1 : last)) certificates.add(one.platform);
    TrustAnchor trusted = isConstrained
        ? new TrustAnchor(anchor.getSubjectX500Principal(), anchor.getPublicKey(), null) : new TrustAnchor(anchor, null);
    PKIXParameters parameters = new PKIXParameters(Collections.singleton(trusted));
    parameters.setRevocationEnabled(false);
    parameters.setDate(new Date(at * 1000));
    CertPathValidator.getInstance("PKIX")
        .validate(CertificateFactory.getInstance("X.509").generateCertPath(certificates), parameters);
  }

  private static final class TooManySteps extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Rejects certificates that no path may have, so that the platform looks for another one, and counts its steps. */
  private final class Checker extends PKIXCertPathChecker {
    @Override
    public void init(boolean forward) {}

    @Override
    public boolean isForwardCheckingSupported() {
      return true;
    }

    @Override
    public Set<String> getSupportedExtensions() {
      return null;
    }

    @Override
    public Object clone() {
      return this;
    }

    @Override
    public void check(java.security.cert.Certificate certificate, Collection<String> unresolved)
        throws CertPathValidatorException {
      if (++steps > MAXIMUM_STEPS) throw new TooManySteps();
      Certificate one = known.get(certificate);
      // An anchor that was served as well is judged as an anchor.
      if (one == null || ofAnchors.containsKey(one.platform)) return;
      List<TrustFailure> failures = new PathChecks(request, Collections.<String>emptySet())
          .ofCertificate(one, one == leaf);
      if (!Evaluation.unexcused(failures, request).isEmpty()) {
        throw new CertPathValidatorException(failures.get(0).message());
      }
    }
  }
}
