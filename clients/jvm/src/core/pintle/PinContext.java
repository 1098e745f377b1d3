package pintle;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
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

/**
 * TLS for clients, decided by a store: a context whose connections are never resumed, so that the trust manager is called
 * for each of them, and with endpoint identification on. A connection that a newer manifest blocks is ended: sockets are
 * closed, and engines fail with the next bytes.
 *
 * <p>Each connection has a context of the platform of its own, because a context keeps its sessions.
 */
public final class PinContext extends SSLContextSpi {
  private final OpenConnections connections;
  private final PinTrustManager manager;
  private final KeyManager[] keys;
  private final SecureRandom random = new SecureRandom();

  private PinContext(PinStore store, KeyManager[] keys) {
    connections = store.connections;
    manager = PinTrustManager.forServers(store);
    this.keys = keys;
  }

  /** A context for connections to servers. */
  public static SSLContext of(PinStore store) throws GeneralSecurityException {
    return of(store, null);
  }

  /** A context for connections to servers that ask for a client certificate. */
  public static SSLContext of(PinStore store, KeyManager[] keys) throws GeneralSecurityException {
    PinContext context = new PinContext(store, keys);
    return new SSLContext(context, context.fresh().getProvider(), "TLS") {};
  }

  /**
   * For HttpsURLConnection, whose sockets it makes over sockets of Java's own. Those of {@link #of(PinStore)} would work too, but
   * if a manifest ends such a connection, HttpsURLConnection may take that for the end of the answer.
   */
  public static SSLSocketFactory forUrlConnections(PinStore store) throws GeneralSecurityException {
    PinContext context = new PinContext(store, null);
    context.fresh();
    return context.new Factory() {
      @Override
      public Socket createSocket() throws IOException {
        throw DownloadSockets.unsupported();
      }
    };
  }

  private SSLContext fresh() throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys, new TrustManager[] {manager}, random);
    return context;
  }

  private SSLContext newContext() {
    try {
      return fresh();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the platform has no TLS any more", e);
    }
  }

  @Override
  protected void engineInit(KeyManager[] keys, TrustManager[] managers, SecureRandom random) throws KeyManagementException {
    throw new KeyManagementException("this context is ready, and its trust manager can't be replaced");
  }

  @Override
  protected SSLSocketFactory engineGetSocketFactory() {
    return new Factory();
  }

  @Override
  protected SSLServerSocketFactory engineGetServerSocketFactory() {
    throw new UnsupportedOperationException("this context is for clients; for servers use PinTrustManager.forClients");
  }

  /** Without a host there is no decision, so a handshake of this engine fails. */
  @Override
  protected SSLEngine engineCreateSSLEngine() {
    return identified(newContext().createSSLEngine());
  }

  @Override
  protected SSLEngine engineCreateSSLEngine(String host, int port) {
    return identified(newContext().createSSLEngine(host, port));
  }

  private SSLEngine identified(SSLEngine engine) {
    engine.setUseClientMode(true);
    engine.setSSLParameters(strict(engine.getSSLParameters()));
    return new PinEngine(engine, connections);
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
    return newContext().getServerSessionContext();
  }

  @Override
  protected SSLSessionContext engineGetClientSessionContext() {
    return newContext().getClientSessionContext();
  }

  /** Sockets of a context each. */
  private class Factory extends SSLSocketFactory {
    private SSLSocketFactory next() {
      return newContext().getSocketFactory();
    }

    private Socket identified(Socket socket) {
      SSLSocket tls = (SSLSocket) socket;
      tls.setSSLParameters(strict(tls.getSSLParameters()));
      return socket;
    }

    @Override
    public String[] getDefaultCipherSuites() {
      return next().getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
      return next().getSupportedCipherSuites();
    }

    @Override
    public Socket createSocket() throws IOException {
      return identified(next().createSocket());
    }

    @Override
    public Socket createSocket(Socket socket, String host, int port, boolean closes) throws IOException {
      SSLSocket tls = (SSLSocket) identified(next().createSocket(socket, host, port, closes));
      connections.over(socket, tls);
      return tls;
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
      return identified(next().createSocket(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
      return identified(next().createSocket(host, port, local, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
      return identified(next().createSocket(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
      return identified(next().createSocket(host, port, local, localPort));
    }
  }
}
