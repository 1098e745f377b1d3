package pintle;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.security.GeneralSecurityException;
import java.security.KeyManagementException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.jetbrains.annotations.Nullable;

/**
 * TLS for clients, decided by a store: a context whose connections are never resumed, so that the trust manager is called
 * for each of them, and with endpoint identification on. Before the store has allowed a connection, its socket or engine sends
 * nothing of the application, whatever the platform does. A connection that a newer manifest blocks is ended: sockets are closed,
 * and engines fail with the next bytes.
 *
 * <p>Each connection has a context of the platform of its own, because a context keeps its sessions.
 */
public final class PinContext extends SSLContextSpi {
  private final OpenConnections connections;
  private final PinTrustManager manager;
  private final KeyManager[] keys;
  private final boolean isAndroid;
  private final SecureRandom random = new SecureRandom();

  PinContext(PinStore store, KeyManager[] keys) {
    connections = store.connections;
    isAndroid = store.trust.isAndroid();
    manager = PinTrustManager.forServers(store);
    this.keys = keys;
  }

  /**
   * {@return a context for connections to servers}
   *
   * @param store decides
   * @throws GeneralSecurityException if the platform has no TLS
   */
  public static SSLContext of(PinStore store) throws GeneralSecurityException {
    return of(store, null);
  }

  /**
   * {@return a context for connections to servers that ask for a client certificate}
   *
   * @param store decides
   * @param keys for the client's own certificate; null for none
   * @throws GeneralSecurityException if the platform has no TLS
   */
  public static SSLContext of(PinStore store, @Nullable KeyManager[] keys) throws GeneralSecurityException {
    PinContext context = new PinContext(store, keys);
    return new SSLContext(context, context.fresh().getProvider(), "TLS") {};
  }

  /**
   * {@return a factory for HttpsURLConnection, whose sockets it makes over sockets of Java's own}
   * Those of {@link #of(PinStore)} would work too, but
   * if a manifest ends such a connection, HttpsURLConnection may take that for the end of the answer.
   *
   * @param store decides
   * @throws GeneralSecurityException if the platform has no TLS
   */
  public static SSLSocketFactory forUrlConnections(PinStore store) throws GeneralSecurityException {
    PinContext context = new PinContext(store, null);
    context.fresh();
    return new PinSocketFactory(context) {
      @Override
      public Socket createSocket() throws IOException {
        // HttpsURLConnection then connects a socket of Java's own.
        throw (SocketException) new SocketException("only TLS over a socket").initCause(new UnsupportedOperationException());
      }
    };
  }

  /** A context of the platform for one connection. */
  SSLContext fresh() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, new TrustManager[] {manager}, random);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the platform has no TLS: " + e.getMessage(), e);
    }
  }

  @Override
  protected void engineInit(KeyManager[] keys, TrustManager[] managers, SecureRandom random) throws KeyManagementException {
    throw new KeyManagementException("this context is ready, and its trust manager can't be replaced");
  }

  @Override
  protected SSLSocketFactory engineGetSocketFactory() {
    return new PinSocketFactory(this);
  }

  @Override
  protected SSLServerSocketFactory engineGetServerSocketFactory() {
    throw new UnsupportedOperationException("this context is for clients; for servers use PinTrustManager.forClients");
  }

  /** Without a host there is no decision, so a handshake of this engine fails. */
  @Override
  protected SSLEngine engineCreateSSLEngine() {
    return identified(fresh().createSSLEngine());
  }

  @Override
  protected SSLEngine engineCreateSSLEngine(String host, int port) {
    return identified(fresh().createSSLEngine(host, port));
  }

  private SSLEngine identified(SSLEngine engine) {
    engine.setUseClientMode(true);
    engine.setSSLParameters(strict(engine.getSSLParameters()));
    connections.guard(engine, null);
    return new PinEngine(engine, connections);
  }

  /**
   * A socket that asks for the proof of its decision.
   *
   * @param plain the socket below TLS; null if it isn't known
   */
  SSLSocket identified(SSLSocket socket, Socket plain) {
    socket.setSSLParameters(strict(socket.getSSLParameters()));
    connections.guard(socket, plain);
    // Android's libraries need the platform's own class to ask for HTTP/2. Its TLS has no cipher suites without certificates.
    return isAndroid ? socket : new PinSocket(socket, connections);
  }

  /** Endpoint identification, and no version below TLS 1.2. */
  private static SSLParameters strict(SSLParameters parameters) {
    List<String> protocols = new ArrayList<>();
    for (String one : parameters.getProtocols()) if (one.equals("TLSv1.2") || one.equals("TLSv1.3")) protocols.add(one);
    parameters.setProtocols(protocols.toArray(new String[0]));
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    return parameters;
  }

  @Override
  protected SSLSessionContext engineGetServerSessionContext() {
    return fresh().getServerSessionContext();
  }

  @Override
  protected SSLSessionContext engineGetClientSessionContext() {
    return fresh().getClientSessionContext();
  }
}
