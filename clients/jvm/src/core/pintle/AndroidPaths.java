package pintle;

import java.io.ByteArrayInputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import javax.net.ssl.X509TrustManager;

/**
 * Android's {@code X509TrustManagerExtensions} (API 17), by reflection: its {@code checkServerTrusted(chain, authType,
 * host)} validates, and answers the path that it has built. {@link PathChecks} then asks for what it doesn't check, such as
 * the name.
 */
final class AndroidPaths implements PathEvaluator {
  static final String CLASS = "android.net.http.X509TrustManagerExtensions";
  private final Class<?> extensions;
  private final PlatformTrust trust;

  AndroidPaths(Class<?> extensions, PlatformTrust trust) {
    this.extensions = extensions;
    this.trust = trust;
  }

  /** Null if this isn't Android; tests give the name of a substitute for Android's class. */
  static Class<?> find(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      return null;
    }
  }

  @Override
  public Evaluation evaluate(List<byte[]> served, TrustRequest request) {
    List<Certificate> chain = new ArrayList<>();
    if (served.isEmpty()) return Evaluation.refused("unusable-chain", "no certificate was served");
    Evaluation unreadable = TrustEvaluator.read(served, chain);
    if (unreadable != null) return unreadable;
    if (request.trust.certificate != null) return TrustEvaluator.identityToken(chain.get(0), request);
    if (request.isClient) return Evaluation.refused("other", "Android validates no client certificates");
    try {
      List<byte[]> offered = new ArrayList<>(served);
      for (Certificate one : request.named(request.trust.intermediates)) offered.add(one.der);
      List<Certificate> path = new ArrayList<>();
      unreadable = TrustEvaluator.read(validated(offered, request), path);
      if (unreadable != null) return unreadable;
      if (path.isEmpty() || !path.get(0).fingerprint.equals(chain.get(0).fingerprint)) {
        return Evaluation.refused("other", "the platform answered without a path of this certificate");
      }
      PathChecks checks = new PathChecks(request, new HashSet<>(request.trust.anchors));
      return Evaluation.of(path, checks.failures(path, true), request);
    } catch (InvocationTargetException e) {
      return Evaluation.refused("other", "the platform rejects the path: " + e.getCause());
    } catch (ReflectiveOperationException | GeneralSecurityException | RuntimeException e) {
      return Evaluation.refused("cryptography", "the platform could not evaluate the path: " + e);
    }
  }

  private List<byte[]> validated(List<byte[]> offered, TrustRequest request)
      throws ReflectiveOperationException, GeneralSecurityException {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    X509Certificate[] chain = new X509Certificate[offered.size()];
    for (int i = 0; i < chain.length; i++) {
      chain[i] = (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(offered.get(i)));
    }
    Object validator = extensions.getConstructor(X509TrustManager.class).newInstance(trust.managerFor(request));
    Method check = extensions.getMethod("checkServerTrusted", X509Certificate[].class, String.class, String.class);
    List<byte[]> path = new ArrayList<>();
    // The kind of key exchange isn't known here, and only has to be named.
    Object answer = check.invoke(validator, chain, "GENERIC", request.name == null ? "" : request.name);
    for (Object one : (List<?>) answer) path.add(((X509Certificate) one).getEncoded());
    return path;
  }
}
