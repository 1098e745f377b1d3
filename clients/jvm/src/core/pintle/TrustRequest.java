package pintle;

import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** What trust is evaluated for: the name, the time, and what the governing entry says about trust. */
final class TrustRequest {
  final boolean isClient;
  /** The name to verify, in canonical form; null for clients. */
  final String name;
  final long at;
  /** {@code 1.2}, {@code 1.3}, or null if the transport doesn't say. */
  final String tlsVersion;
  final Manifest.Trust trust;
  private final Map<String, byte[]> certificates;

  TrustRequest(Handshake handshake, long at, Manifest.Trust trust, Map<String, byte[]> certificates) {
    isClient = handshake.isClient;
    name = isClient ? null : trust.serverName != null ? trust.serverName : HostName.canonical(handshake.host);
    this.at = at;
    tlsVersion = handshake.tlsVersion;
    this.trust = trust;
    this.certificates = certificates;
  }

  TrustRequest(Handshake handshake, long at) {
    this(handshake, at, Manifest.Trust.NONE, Collections.<String, byte[]>emptyMap());
  }

  /** The certificates that trust names; one that can't be read fails the evaluation, and is never ignored. */
  List<Certificate> named(List<String> digests) throws CertificateException {
    List<Certificate> found = new ArrayList<>();
    for (String digest : digests) found.add(new Certificate(certificates.get(digest)));
    return found;
  }

  /** Whether an exception of the entry excuses a failure at this time. */
  boolean excuses(TrustFailure failure) {
    if (!TrustFailure.EXCUSABLE.contains(failure.code()) || failure.fingerprint == null) return false;
    for (Manifest.Trust.Exception one : trust.exceptions) {
      if (one.failure.equals(failure.code()) && one.certificate.equals(failure.fingerprint) && at < one.until) return true;
    }
    return false;
  }

  boolean hasExpired(Certificate certificate) {
    return at >= seconds(certificate.platform.getNotAfter());
  }

  static long seconds(java.util.Date date) {
    return Math.floorDiv(date.getTime(), 1000L);
  }

  /** The least version of TLS isn't a matter of the path. */
  TrustFailure versionFailure() {
    if (trust.minimumTls == null || tlsVersion != null && tlsVersion.compareTo(trust.minimumTls) >= 0) return null;
    return new TrustFailure("old-tls-version", "TLS " + trust.minimumTls + " is required, and "
        + (tlsVersion == null ? "the negotiated version is not known" : tlsVersion + " was negotiated"));
  }
}
