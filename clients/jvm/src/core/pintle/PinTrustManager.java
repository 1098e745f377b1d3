package pintle;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * Decides on servers by the manifest in force, within the handshake, on top of the platform's trust manager: both must
 * accept. If endpoint identification is off, the name is checked here.
 *
 * <p>A resumed session brings no certificates, so no trust manager is called: use {@link PinContext}, whose connections are
 * never resumed, or ask {@link #check(SSLSession, String, int)} after the handshake and before the first byte.
 */
public final class PinTrustManager extends X509ExtendedTrustManager {
  private final PinStore store;
  /** The entry under which a server judges its clients; null for clients, who judge servers. */
  private final String clientEntry;
  private final int clientPort;

  private PinTrustManager(PinStore store, String clientEntry, int clientPort) {
    this.store = store;
    this.clientEntry = clientEntry;
    this.clientPort = clientPort;
  }

  /**
   * {@return a trust manager for programs that connect to servers}
   *
   * @param store decides
   */
  public static PinTrustManager forServers(PinStore store) {
    return new PinTrustManager(store, null, 0);
  }

  /**
   * {@return a trust manager for servers whose clients present certificates}
   *
   * @param entry the host of the manifest's entry for the clients
   * @param port the port of that entry, or any port if it has none
   * @param store decides
   */
  public static PinTrustManager forClients(PinStore store, String entry, int port) {
    return new PinTrustManager(store, entry, port);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) throws CertificateException {
    if (!(socket instanceof SSLSocket)) throw new CertificateException("the host isn't known: this isn't a TLS socket");
    SSLSocket tls = (SSLSocket) socket;
    check(chain, authType, tls.getHandshakeSession(), tls.getSSLParameters(), socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) throws CertificateException {
    if (engine == null) throw new CertificateException("the host isn't known: there is no engine");
    check(chain, authType, engine.getHandshakeSession(), engine.getSSLParameters(), engine);
  }

  /** Always rejects: without the host there is no decision. */
  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
    throw new CertificateException("Pintle can't decide without the host: the transport must pass its socket or engine");
  }

  /** Of a server that judges its clients none: which anchors count for them changes with the manifest. */
  @Override
  public X509Certificate[] getAcceptedIssuers() {
    if (clientEntry != null) return new X509Certificate[0];
    try {
      return store.trust.anchors().toArray(new X509Certificate[0]);
    } catch (GeneralSecurityException e) {
      return new X509Certificate[0];
    }
  }

  private void check(final X509Certificate[] chain, final String authType, SSLSession session, SSLParameters parameters,
      final Object transport) throws CertificateException {
    if (clientEntry != null) throw new CertificateException("this trust manager judges clients, not servers");
    if (session == null || session.getPeerHost() == null || session.getPeerPort() <= 0) {
      throw new CertificateException("the host isn't known: give the socket or engine the host and port that it connects to");
    }
    String algorithm = parameters.getEndpointIdentificationAlgorithm();
    boolean checksName = "HTTPS".equalsIgnoreCase(algorithm) || "LDAPS".equalsIgnoreCase(algorithm);
    OpenConnections.Connection known = store.connections.find(transport);
    String host = known == null || known.host == null ? session.getPeerHost() : known.host;
    final Handshake handshake = Handshake.server(host, session.getPeerPort(), encoded(chain),
        Handshake.version(session.getProtocol()));
    store.connections.add(transport, handshake, !checksName);
    Decision decision = store.evaluate(handshake, !checksName, new PinStore.PlatformCheck() {
      @Override
      public void check(Decision decision) throws CertificateException {
        checkPlatform(decision, handshake, chain, authType, transport);
      }
    });
    settle(transport, handshake, decision);
  }

  private void settle(Object transport, Handshake handshake, Decision decision) throws CertificateException {
    if (!decision.isBlocked()) {
      store.connections.allow(transport);
      return;
    }
    PinningException refusal = new PinningException(handshake, decision);
    store.connections.refuse(transport, refusal);
    throw refusal;
  }

  /**
   * The platform's own trust manager must accept as well. For an entry whose {@code trust} allows what it would reject, one
   * over the entry's anchors takes its place; if it can't express the entry (a single certificate, another name, an
   * exception), only the evaluation decides, which checks all of path, name, usage and dates.
   */
  private void checkPlatform(Decision decision, Handshake handshake, X509Certificate[] chain, String authType, Object transport)
      throws CertificateException {
    Manifest.Trust trust = decision.verdict == Decision.Verdict.ALLOW ? decision.entry.trust : Manifest.Trust.NONE;
    if (trust.certificate != null || trust.serverName != null || !trust.exceptions.isEmpty()) return;
    X509TrustManager platform;
    X509Certificate[] offered = chain;
    try {
      TrustRequest request = decision.manifest == null
          ? new TrustRequest(handshake, decision.at)
          : new TrustRequest(handshake, decision.at, trust, decision.manifest.certificates);
      platform = store.trust.managerFor(request);
      List<X509Certificate> all = new ArrayList<>(Arrays.asList(chain));
      for (Certificate one : request.named(trust.intermediates)) all.add(one.platform);
      offered = all.toArray(new X509Certificate[0]);
    } catch (GeneralSecurityException e) {
      throw new CertificateException("the platform's trust manager can't be made: " + e.getMessage(), e);
    }
    if (!(platform instanceof X509ExtendedTrustManager)) {
      platform.checkServerTrusted(offered, authType);
      // Only extended ones check names, so a host that isn't pinned is evaluated here as well.
      if (decision.verdict == Decision.Verdict.NOT_PINNED && !decision.wasReplaced) {
        Evaluation evaluation = store.trust.lazily().evaluate(handshake.certificates, new TrustRequest(handshake, decision.at));
        if (evaluation.chain == null) throw new CertificateException(evaluation.failures.get(0).toString());
      }
    } else if (transport instanceof SSLEngine) {
      ((X509ExtendedTrustManager) platform).checkServerTrusted(offered, authType, (SSLEngine) transport);
    } else {
      ((X509ExtendedTrustManager) platform).checkServerTrusted(offered, authType, (Socket) transport);
    }
  }

  private static List<byte[]> encoded(java.security.cert.Certificate[] chain) throws CertificateEncodingException {
    List<byte[]> encoded = new ArrayList<>();
    for (java.security.cert.Certificate one : chain) encoded.add(one.getEncoded());
    return encoded;
  }

  /**
   * Decides again on the certificates of a session, as of now and by the manifest in force: for resumed sessions, and for
   * connections of a pool, also for another host than the one that they were made for. Trust is evaluated in full.
   *
   * @param store decides
   * @param session of the connection, after its handshake
   * @param host the host that the connection is for
   * @param port the port that the connection is for
   * @return the decision
   * @throws PinningException if the connection must be closed before anything more is sent on it
   */
  public static Decision check(PinStore store, SSLSession session, String host, int port) throws PinningException {
    return check(store, handshake(session, host, port));
  }

  /**
   * As {@link #check(PinStore, SSLSession, String, int)}, for a connection that may be closed by now.
   *
   * @param store decides
   * @param handshake what the transport knows about the other side
   * @return the decision
   * @throws PinningException if the connection must be closed before anything more is sent on it
   */
  public static Decision check(PinStore store, Handshake handshake) throws PinningException {
    Decision decision = store.evaluate(handshake, false);
    if (decision.isBlocked()) throw new PinningException(handshake, decision);
    return decision;
  }

  /**
   * {@return what the session of an open connection knows of its server, to be kept for {@link #check(PinStore, Handshake)}}
   *
   * @param session of the connection, after its handshake
   * @param host the host that the connection is for
   * @param port the port that the connection is for
   */
  public static Handshake handshake(SSLSession session, String host, int port) {
    return Handshake.server(host, port, chain(session), Handshake.version(session.getProtocol()));
  }

  /**
   * As {@link #check(PinStore, SSLSession, String, int)}.
   *
   * @param session of the connection, after its handshake
   * @param host the host that the connection is for
   * @param port the port that the connection is for
   * @return the decision
   * @throws PinningException if the connection must be closed before anything more is sent on it
   */
  public Decision check(SSLSession session, String host, int port) throws PinningException {
    return check(store, session, host, port);
  }

  /**
   * Decides again on the client of a session, for a server: see {@link #check(PinStore, SSLSession, String, int)}.
   *
   * @param session of the connection, after its handshake
   * @return the decision
   * @throws PinningException if the connection must be closed before anything more is sent on it
   */
  public Decision checkClient(SSLSession session) throws PinningException {
    if (clientEntry == null) throw new IllegalStateException("this trust manager judges servers, not clients");
    return check(store, Handshake.client(clientEntry, clientPort, chain(session), Handshake.version(session.getProtocol())));
  }

  private static List<byte[]> chain(SSLSession session) {
    try {
      return encoded(session.getPeerCertificates());
    } catch (SSLPeerUnverifiedException | CertificateEncodingException e) {
      // Without certificates nothing is trusted.
      return new ArrayList<>();
    }
  }

  // Clients

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) throws CertificateException {
    SSLSession session = socket instanceof SSLSocket ? ((SSLSocket) socket).getHandshakeSession() : null;
    checkClient(chain, session, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) throws CertificateException {
    checkClient(chain, engine == null ? null : engine.getHandshakeSession(), engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
    checkClient(chain, null, null);
  }

  /** No entry means no client: anchors say who may vouch for servers, not who may be a client. */
  private void checkClient(X509Certificate[] chain, SSLSession session, Object transport) throws CertificateException {
    if (clientEntry == null) throw new CertificateException("this trust manager judges servers, not clients");
    String version = session == null ? null : Handshake.version(session.getProtocol());
    Handshake handshake = Handshake.client(clientEntry, clientPort, encoded(chain), version);
    if (transport == null) {
      check(store, handshake);
      return;
    }
    store.connections.add(transport, handshake, true);
    settle(transport, handshake, store.evaluate(handshake, false));
  }
}
