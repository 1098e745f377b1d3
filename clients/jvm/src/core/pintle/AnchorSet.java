package pintle;

import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The certificates that count as anchors for one {@code trust}, by fingerprint; and which of them a path may end at. */
final class AnchorSet {
  final Map<String, Certificate> certificates;
  final Map<X509Certificate, Certificate> byPlatform;
  /** Fingerprints of those that the entry names. */
  final Set<String> named;
  private volatile Usable forServers;
  private volatile Usable forClients;

  AnchorSet(Map<String, Certificate> certificates) {
    this.certificates = certificates;
    byPlatform = new HashMap<>();
    for (Certificate one : certificates.values()) byPlatform.put(one.platform, one);
    named = Collections.emptySet();
  }

  /** The same certificates, for an entry. */
  AnchorSet(AnchorSet all, List<String> named) {
    certificates = all.certificates;
    byPlatform = all.byPlatform;
    this.named = new HashSet<>(named);
  }

  /**
   * The anchors that pass {@link PathChecks}: PKIX doesn't look at the dates or the key of an anchor. They are remembered
   * until one of them, or an exception for one, begins or ends.
   */
  Set<TrustAnchor> usable(TrustRequest request) {
    Usable known = request.isClient ? forClients : forServers;
    if (known != null && known.since <= request.at && request.at < known.until) return known.anchors;
    known = new Usable(request);
    if (request.isClient) forClients = known;
    else forServers = known;
    return known.anchors;
  }

  private final class Usable {
    final Set<TrustAnchor> anchors;
    long since = Long.MIN_VALUE;
    long until = Long.MAX_VALUE;

    Usable(TrustRequest request) {
      Set<TrustAnchor> found = new HashSet<>();
      for (Certificate one : certificates.values()) {
        List<TrustFailure> failures = new PathChecks(request, named).ofAnchor(one);
        if (Evaluation.unexcused(failures, request).isEmpty()) found.add(new TrustAnchor(one.platform, null));
        changes(TrustRequest.seconds(one.platform.getNotBefore()), request.at);
        changes(TrustRequest.seconds(one.platform.getNotAfter()), request.at);
      }
      for (Manifest.Trust.Exception one : request.trust.exceptions) changes(one.until, request.at);
      anchors = Collections.unmodifiableSet(found);
    }

    private void changes(long when, long at) {
      if (when <= at) since = Math.max(since, when);
      else until = Math.min(until, when);
    }
  }
}
