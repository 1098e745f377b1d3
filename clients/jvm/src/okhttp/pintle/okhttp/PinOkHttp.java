package pintle.okhttp;

import java.io.IOException;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import okhttp3.Connection;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import pintle.PinContext;
import pintle.PinStore;
import pintle.PinTrustManager;
import pintle.PinningException;

/**
 * OkHttp, decided by a store: in the handshake, and again for each request, before anything of it is sent.
 *
 * <p>A connection of the pool may have been made under an older manifest, or for another host of the same certificate
 * (HTTP/2 coalescing, RFC 7540 section 9.1.1). So each request's own host is judged, by the manifest in force.
 */
public final class PinOkHttp implements Interceptor {
  private final PinStore store;

  private PinOkHttp(PinStore store) {
    this.store = store;
  }

  /** Adds a store to a builder: its socket factory, its trust manager, and the check of each request. */
  public static OkHttpClient.Builder protect(OkHttpClient.Builder builder, PinStore store) throws GeneralSecurityException {
    return builder
        .sslSocketFactory(PinContext.of(store).getSocketFactory(), PinTrustManager.forServers(store))
        .addNetworkInterceptor(new PinOkHttp(store));
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    HttpUrl url = chain.request().url();
    Connection connection = chain.connection();
    // Also for http URLs, to which a server may have redirected.
    if (!url.isHttps() || connection == null || !(connection.socket() instanceof SSLSocket)) {
      throw new SSLPeerUnverifiedException(
          "a pinned client sends no request without TLS: there is none for " + url.host() + "; use an https URL");
    }
    SSLSocket socket = (SSLSocket) connection.socket();
    try {
      PinTrustManager.check(store, socket.getSession(), url.host(), url.port());
    } catch (PinningException e) {
      // So that the pool doesn't offer it again.
      socket.close();
      throw (IOException) new SSLPeerUnverifiedException(e.getMessage()).initCause(e);
    }
    return chain.proceed(chain.request());
  }
}
