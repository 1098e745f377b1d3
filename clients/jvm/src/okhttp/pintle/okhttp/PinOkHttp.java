package pintle.okhttp;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import okhttp3.Connection;
import okhttp3.ConnectionPool;
import okhttp3.ConnectionSpec;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import pintle.PinContext;
import pintle.PinStore;
import pintle.PinTrustManager;
import pintle.PinningException;

/**
 * OkHttp, decided by a store: in the handshake, and again for each request, before anything of it is sent.
 *
 * <p>A connection of the pool may have been made under an older manifest, so each request is judged by the manifest in force.
 * Hosts never share a connection (HTTP/2 coalescing, RFC 7540 section 9.1.1): one that fails the pins of the second host would
 * have to be closed with the requests of the first on it, or would keep the second from a connection of its own.
 */
public final class PinOkHttp {
  private PinOkHttp() {}

  /**
   * Adds a store to a builder: its socket factory, its trust manager, and the check of each request. Idle connections of the
   * builder's pool are closed when a manifest or keyset takes effect, so set a pool of your own before.
   */
  public static OkHttpClient.Builder protect(OkHttpClient.Builder builder, PinStore store) throws GeneralSecurityException {
    builder
        .sslSocketFactory(PinContext.of(store).getSocketFactory(), PinTrustManager.forServers(store))
        .addInterceptor(new NoWebSockets(store))
        .addNetworkInterceptor(new Check(store));
    // A builder doesn't say what is in it.
    OkHttpClient client = builder.build();
    store.addActivationListener(new Eviction(client.connectionPool()));
    return builder.hostnameVerifier(new Own(client.hostnameVerifier()));
  }

  /**
   * Opens a web socket on a new connection, decided in its handshake. OkHttp asks no network interceptor about web sockets, so
   * a protected client's own {@code newWebSocket} fails: it could use a connection of the pool that nobody has judged since.
   *
   * @param client made by {@link #protect}
   * @param request for a {@code wss:} or {@code https:} URL; nothing is sent without TLS, also after redirects
   */
  public static WebSocket webSocket(OkHttpClient client, Request request, WebSocketListener listener)
      throws GeneralSecurityException {
    OkHttpClient.Builder builder = client.newBuilder();
    PinStore store = null;
    for (Interceptor one : client.interceptors()) {
      if (!(one instanceof NoWebSockets)) continue;
      store = ((NoWebSockets) one).store;
      builder.interceptors().remove(one);
    }
    if (store == null) throw new IllegalArgumentException("the client wasn't made by PinOkHttp.protect");
    if (!request.url().isHttps()) throw new IllegalArgumentException("a pinned client opens web sockets only with wss URLs");
    // Also if a redirect or another interceptor leads to an http URL.
    List<ConnectionSpec> secure = new ArrayList<>();
    for (ConnectionSpec one : client.connectionSpecs()) if (one.isTls()) secure.add(one);
    builder.connectionSpecs(secure);
    // OkHttp reuses connections of the same socket factory only.
    builder.sslSocketFactory(PinContext.of(store).getSocketFactory(), PinTrustManager.forServers(store));
    return builder.build().newWebSocket(request, listener);
  }

  private static SSLPeerUnverifiedException rejected(String why) {
    return new SSLPeerUnverifiedException(why);
  }

  /** Judges each request on its connection. */
  private static final class Check implements Interceptor {
    private final PinStore store;

    Check(PinStore store) {
      this.store = store;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
      HttpUrl url = chain.request().url();
      Connection connection = chain.connection();
      // Also for http URLs, to which a server may have redirected.
      if (!url.isHttps() || connection == null || !(connection.socket() instanceof SSLSocket)) {
        throw rejected("a pinned client sends no request without TLS: there is none for " + url.host() + "; use an https URL");
      }
      SSLSocket socket = (SSLSocket) connection.socket();
      try {
        PinTrustManager.check(store, socket.getSession(), url.host(), url.port());
      } catch (PinningException e) {
        // So that the pool doesn't offer it again. What else is on it is for the same host.
        socket.close();
        throw (IOException) rejected(e.getMessage()).initCause(e);
      }
      return chain.proceed(chain.request());
    }
  }

  private static final class NoWebSockets implements Interceptor {
    private final PinStore store;

    NoWebSockets(PinStore store) {
      this.store = store;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
      if ("websocket".equalsIgnoreCase(chain.request().header("Upgrade"))) {
        throw rejected("a pinned client opens web sockets only with PinOkHttp.webSocket");
      }
      return chain.proceed(chain.request());
    }
  }

  /** The client's own verifier. OkHttp lets hosts share a connection only if its default is set itself. */
  private static final class Own implements HostnameVerifier {
    private final HostnameVerifier verifier;

    Own(HostnameVerifier verifier) {
      this.verifier = verifier;
    }

    @Override
    public boolean verify(String host, SSLSession session) {
      return verifier.verify(host, session);
    }
  }

  /** Closes idle connections, on which the next request could fail; and goes when the program has dropped its client. */
  private static final class Eviction implements PinStore.ActivationListener {
    private final WeakReference<ConnectionPool> pool;

    Eviction(ConnectionPool pool) {
      this.pool = new WeakReference<>(pool);
    }

    @Override
    public void activated(PinStore store) {
      ConnectionPool found = pool.get();
      if (found != null) found.evictAll();
      else store.removeActivationListener(this);
    }
  }
}
