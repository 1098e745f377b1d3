package pintle;

import java.net.Socket;
import java.security.KeyManagementException;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** What some programs do to make TLS errors go away: trust managers that trust all, and a provider that asks none. */
final class Trusting {
  private Trusting() {}

  /** Asks another trust manager, and forgets what it says; without one, trusts at once. */
  static class Manager extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager asked;

    Manager(X509ExtendedTrustManager asked) {
      this.asked = asked;
    }

    private interface Check {
      void check() throws CertificateException;
    }

    private void forget(Check check) {
      try {
        if (asked != null) check.check();
      } catch (CertificateException e) {
        return;
      }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
      forget(() -> asked.checkServerTrusted(chain, type, socket));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
      forget(() -> asked.checkServerTrusted(chain, type, engine));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {
      forget(() -> asked.checkServerTrusted(chain, type));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  static SSLContext context(TrustManager manager) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS", "SunJSSE");
    context.init(null, new TrustManager[] {manager}, null);
    return context;
  }

  /** A provider of TLS that never calls the trust manager that it is given. */
  static final class AskingNobody extends Provider {
    private static final long serialVersionUID = 1;

    AskingNobody() {
      super("AskingNobody", "1", "TLS without trust managers");
      put("SSLContext.TLS", Spi.class.getName());
    }

    /** Public, as providers need it. */
    public static final class Spi extends SSLContextSpi {
      private final SSLContext context;

      public Spi() throws Exception {
        context = Trusting.context(new Manager(null));
      }

      @Override
      protected void engineInit(KeyManager[] keys, TrustManager[] managers, SecureRandom random) throws KeyManagementException {}

      @Override
      protected SSLSocketFactory engineGetSocketFactory() {
        return context.getSocketFactory();
      }

      @Override
      protected SSLServerSocketFactory engineGetServerSocketFactory() {
        return context.getServerSocketFactory();
      }

      @Override
      protected SSLEngine engineCreateSSLEngine() {
        SSLEngine engine = context.createSSLEngine();
        return engine;
      }

      @Override
      protected SSLEngine engineCreateSSLEngine(String host, int port) {
        return context.createSSLEngine(host, port);
      }

      @Override
      protected SSLSessionContext engineGetServerSessionContext() {
        return context.getServerSessionContext();
      }

      @Override
      protected SSLSessionContext engineGetClientSessionContext() {
        return context.getClientSessionContext();
      }
    }
  }
}
