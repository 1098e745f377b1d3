package pintle.okhttp;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import okhttp3.Connection;
import okhttp3.ConnectionSpec;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import okio.Buffer;
import okio.ByteString;
import okio.ForwardingSource;
import okio.Okio;
import pintle.Handshake;
import pintle.PinContext;
import pintle.PinStore;
import pintle.PinTrustManager;
import pintle.PinningException;

/**
 * OkHttp, decided by a store: in the handshake, and again for each request, before anything of it is sent.
 *
 * <p>{@link PinContext} closes connections that a newer manifest blocks. A request, an answer or a web socket that was on one
 * then fails with an {@code SSLPeerUnverifiedException}, whose cause is the {@link PinningException}. What an answer's buffers
 * had by then may still be read.
 *
 * <p>Hosts never share a connection (HTTP/2 coalescing, RFC 7540 section 9.1.1): one that fails the pins of the second host would
 * have to be closed with the requests of the first on it, or would keep the second from a connection of its own.
 */
public final class PinOkHttp {
  private PinOkHttp() {}

  /**
   * Adds a store to a builder: its socket factory, its trust manager, and the check of each request.
   *
   * @param builder has the program's own settings
   * @param store decides
   * @return the builder
   * @throws GeneralSecurityException if the platform has no TLS
   */
  public static OkHttpClient.Builder protect(OkHttpClient.Builder builder, PinStore store) throws GeneralSecurityException {
    builder
        .sslSocketFactory(PinContext.of(store).getSocketFactory(), PinTrustManager.forServers(store))
        .addInterceptor(new NoWebSockets(store))
        .addNetworkInterceptor(new Check(store));
    // A builder doesn't say what is in it.
    return builder.hostnameVerifier(new Own(builder.build().hostnameVerifier()));
  }

  /**
   * Opens a web socket on a new connection, decided in its handshake, and closed by a manifest that blocks it. OkHttp asks no
   * network interceptor about web sockets, so a protected client's own {@code newWebSocket} fails: it could use a connection of
   * the pool that nobody has judged since.
   *
   * @param client made by {@link #protect}
   * @param request for a {@code wss:} or {@code https:} URL; nothing is sent without TLS, also after redirects
   * @param listener who is called
   * @return the web socket
   * @throws GeneralSecurityException if the platform has no TLS
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
    Judged judged = new Judged(store, client.hostnameVerifier(), listener);
    return builder.hostnameVerifier(judged).build().newWebSocket(request, judged);
  }

  private static SSLPeerUnverifiedException rejected(String why) {
    return new SSLPeerUnverifiedException(why);
  }

  private static IOException rejected(PinningException e) {
    return (IOException) rejected(e.getMessage()).initCause(e);
  }

  /** The refusal, if that is why a connection has failed: OkHttp only says that it is closed. */
  private static IOException reason(PinStore store, Handshake handshake, IOException error) {
    try {
      PinTrustManager.check(store, handshake);
      return error;
    } catch (PinningException e) {
      IOException reason = rejected(e);
      reason.addSuppressed(error);
      return reason;
    }
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
      Handshake handshake = PinTrustManager.handshake(socket.getSession(), url.host(), url.port());
      try {
        PinTrustManager.check(store, handshake);
      } catch (PinningException e) {
        // So that the pool doesn't offer it again. What else is on it is for the same host. Closing waits for no writer then.
        socket.setSoLinger(true, 0);
        socket.close();
        throw rejected(e);
      }
      try {
        Response response = chain.proceed(chain.request());
        ResponseBody body = response.body();
        return response.newBuilder().body(ResponseBody.create(body.contentType(), body.contentLength(),
            Okio.buffer(new Body(body, store, handshake)))).build();
      } catch (IOException e) {
        throw reason(store, handshake, e);
      }
    }
  }

  /** The body of an answer, which learns that its connection was refused. */
  private static final class Body extends ForwardingSource {
    private final PinStore store;
    private final Handshake handshake;

    Body(ResponseBody body, PinStore store, Handshake handshake) {
      super(body.source());
      this.store = store;
      this.handshake = handshake;
    }

    @Override
    public long read(Buffer sink, long count) throws IOException {
      try {
        return super.read(sink, count);
      } catch (IOException e) {
        throw reason(store, handshake, e);
      }
    }
  }

  /** A web socket's listener, which learns of the refusal, and its verifier, which sees its handshake. */
  private static final class Judged extends WebSocketListener implements HostnameVerifier {
    private final PinStore store;
    private final HostnameVerifier verifier;
    private final WebSocketListener listener;
    private volatile Handshake handshake;

    Judged(PinStore store, HostnameVerifier verifier, WebSocketListener listener) {
      this.store = store;
      this.verifier = verifier;
      this.listener = listener;
    }

    @Override
    public boolean verify(String host, SSLSession session) {
      handshake = PinTrustManager.handshake(session, host, session.getPeerPort());
      return verifier.verify(host, session);
    }

    @Override
    public void onFailure(WebSocket socket, Throwable error, Response response) {
      boolean isOpen = handshake != null && error instanceof IOException && PinningException.in(error) == null;
      listener.onFailure(socket, isOpen ? reason(store, handshake, (IOException) error) : error, response);
    }

    @Override
    public void onOpen(WebSocket socket, Response response) {
      listener.onOpen(socket, response);
    }

    @Override
    public void onMessage(WebSocket socket, String text) {
      listener.onMessage(socket, text);
    }

    @Override
    public void onMessage(WebSocket socket, ByteString bytes) {
      listener.onMessage(socket, bytes);
    }

    @Override
    public void onClosing(WebSocket socket, int code, String reason) {
      listener.onClosing(socket, code, reason);
    }

    @Override
    public void onClosed(WebSocket socket, int code, String reason) {
      listener.onClosed(socket, code, reason);
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
}
