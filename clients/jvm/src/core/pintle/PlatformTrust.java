package pintle;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** The platform's own trust: its trust manager, the anchors of that, and how a path is built over the same anchors. */
final class PlatformTrust {
  /** Of entries with anchors of their own; gone with the manifest that they belong to. */
  private final Map<Manifest.Trust, X509TrustManager> ofEntries =
      Collections.synchronizedMap(new WeakHashMap<Manifest.Trust, X509TrustManager>());
  private X509TrustManager manager;
  private PathEvaluator evaluator;
  private final Collection<X509Certificate> anchors;
  private final boolean isSystem;
  private Class<?> android = AndroidPaths.find(AndroidPaths.CLASS);

  private PlatformTrust(X509TrustManager manager, Collection<X509Certificate> anchors) {
    this.manager = manager;
    this.anchors = anchors;
    isSystem = manager == null && anchors == null;
  }

  /** The system's. */
  static PlatformTrust system() {
    return new PlatformTrust(null, null);
  }

  static PlatformTrust of(X509TrustManager manager) {
    return new PlatformTrust(manager, null);
  }

  static PlatformTrust of(Collection<X509Certificate> anchors) {
    return new PlatformTrust(null, new ArrayList<>(anchors));
  }

  /** For tests: a substitute for Android's class. */
  PlatformTrust android(Class<?> extensions) {
    android = extensions;
    return this;
  }

  boolean isAndroid() {
    return android != null;
  }

  /** The trust manager; null if there are no anchors, because a factory refuses to make one then. */
  synchronized X509TrustManager manager() throws GeneralSecurityException {
    if (manager == null) {
      if (anchors != null && anchors.isEmpty()) return null;
      manager = make(anchors);
    }
    return manager;
  }

  /** Null stands for the system's anchors. */
  private static X509TrustManager make(Collection<X509Certificate> anchors) throws GeneralSecurityException {
    KeyStore store = null;
    if (anchors != null) {
      store = KeyStore.getInstance(KeyStore.getDefaultType());
      try {
        store.load(null, null);
      } catch (IOException e) {
        throw new KeyStoreException(e);
      }
      int number = 0;
      for (X509Certificate one : anchors) store.setCertificateEntry("anchor-" + number++, one);
    }
    TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    for (TrustManager one : factory.getTrustManagers()) if (one instanceof X509TrustManager) return (X509TrustManager) one;
    throw new KeyStoreException("the platform has no trust manager for X.509");
  }

  List<X509Certificate> anchors() throws GeneralSecurityException {
    if (anchors != null) return new ArrayList<>(anchors);
    X509TrustManager found = manager();
    return found == null ? new ArrayList<X509Certificate>() : Arrays.asList(found.getAcceptedIssuers());
  }

  /** The platform's trust manager over the anchors that count for an entry. */
  X509TrustManager managerFor(TrustRequest request) throws GeneralSecurityException {
    if (request.trust.anchors.isEmpty() && request.trust.hasSystemAnchors) {
      X509TrustManager found = manager();
      if (found == null) throw new KeyStoreException("there is no trust anchor");
      return found;
    }
    X509TrustManager known = ofEntries.get(request.trust);
    if (known != null) return known;
    List<X509Certificate> all = new ArrayList<>();
    for (Certificate one : request.named(request.trust.anchors)) all.add(one.platform);
    if (request.trust.hasSystemAnchors) all.addAll(anchors());
    if (all.isEmpty()) throw new KeyStoreException("there is no trust anchor");
    X509TrustManager made = make(all);
    ofEntries.put(request.trust, made);
    return made;
  }

  /** Made when it is first needed, because reading the system's anchors takes a while. */
  synchronized PathEvaluator evaluator() throws GeneralSecurityException {
    if (evaluator == null) {
      evaluator = android != null ? new AndroidPaths(android, this) : new TrustEvaluator(anchors(), isSystem);
    }
    return evaluator;
  }

  /** Evaluates as {@link #evaluator()}; if that can't be had, nothing is trusted. */
  PathEvaluator lazily() {
    return new PathEvaluator() {
      @Override
      public Evaluation evaluate(List<byte[]> served, TrustRequest request) {
        PathEvaluator found;
        try {
          found = evaluator();
        } catch (GeneralSecurityException | RuntimeException e) {
          return Evaluation.refused("cryptography", "the platform's anchors can't be read: " + e);
        }
        return found.evaluate(served, request);
      }
    };
  }
}
