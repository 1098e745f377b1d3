package pintle;

import java.io.IOException;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/** The connections that were decided on in their handshakes, so that what a new manifest blocks ends, also while in use. */
final class OpenConnections {
  private static final long PATIENCE_MILLISECONDS = 1000;

  /** What is known of a connection. */
  static final class Connection {
    /** The socket below TLS; null if it isn't known. */
    private volatile Socket plain;
    /** The host that a socket was connected with; null if it is the session's. */
    volatile String host;
    /** Null before the handshake. */
    private volatile Handshake handshake;
    private volatile boolean isReplaced;
    /** Whether a socket or engine of this library asks before each byte, so that it needn't be closed by force. */
    private volatile boolean isGuarded;
    /** Whether the store has allowed it in its handshake: the proof without which nothing is sent. */
    private volatile boolean isAllowed;
    /** Why it must end; null if it needn't. */
    volatile CertificateException refusal;
  }

  /** By socket or engine; gone with these. */
  private final Map<Object, Connection> connections = new WeakHashMap<>();

  /** Begins to know a socket or engine that asks for the proof, and the socket below, which may be null. */
  void guard(Object transport, Socket plain) {
    Connection connection = known(transport);
    connection.isGuarded = true;
    connection.plain = plain;
  }

  /** Remembers the host that a socket is connected with. */
  void connects(Object transport, String host) {
    known(transport).host = host;
  }

  /** Makes the proof for this socket or engine. */
  void allow(Object transport) {
    known(transport).isAllowed = true;
  }

  /**
   * Refuses a connection in its handshake. A socket or engine that doesn't ask for the proof is closed: what calls the trust
   * manager could catch the exception, and go on.
   */
  void refuse(Object transport, CertificateException refusal) {
    Connection connection = known(transport);
    connection.refusal = refusal;
    if (connection.isGuarded) return;
    if (transport instanceof SSLEngine) ((SSLEngine) transport).closeOutbound();
    if (!(transport instanceof Socket)) return;
    try {
      // Not by force: the other side may learn of it.
      ((Socket) transport).close();
    } catch (IOException e) {
      // It is closed all the same.
      return;
    }
  }

  /** Why nothing may be sent on a connection; null if the store has allowed it, and no manifest has blocked it since. */
  static SSLException fault(Connection connection) {
    CertificateException refusal = connection == null ? null : connection.refusal;
    if (refusal != null) return (SSLException) new SSLException(refusal.getMessage()).initCause(refusal);
    if (connection != null && connection.isAllowed) return null;
    return new SSLException("the TLS library ended the handshake without asking Pintle about the server; nothing was sent. Check the"
        + " cipher suites (none without certificates), the client mode, and other security providers");
  }

  /**
   * Remembers what the other side presented. Ask for the decision only after that: then an update finds the connection here,
   * or the decision finds the update.
   *
   * @param transport a socket or an engine
   * @param isReplaced as in {@link PinStore#evaluate}
   */
  void add(Object transport, Handshake handshake, boolean isReplaced) {
    Connection connection = known(transport);
    connection.isReplaced = isReplaced;
    connection.handshake = handshake;
  }

  private synchronized Connection known(Object transport) {
    Connection connection = connections.get(transport);
    if (connection == null) {
      connection = new Connection();
      connections.put(transport, connection);
    }
    return connection;
  }

  /** Null before the other side has presented something. */
  synchronized Connection find(Object transport) {
    return connections.get(transport);
  }

  private synchronized Map<Object, Connection> all() {
    return new IdentityHashMap<>(connections);
  }

  private synchronized void forget(Object transport) {
    connections.remove(transport);
  }

  /** Ends each connection that the manifest in force blocks, with one decision for each. */
  void endRefused(PinStore store) {
    List<Thread> closing = new ArrayList<>();
    for (Map.Entry<Object, Connection> one : all().entrySet()) {
      Connection connection = one.getValue();
      if (connection.handshake == null || connection.refusal != null) continue;
      SSLSocket socket = one.getKey() instanceof SSLSocket ? (SSLSocket) one.getKey() : null;
      if (socket != null && socket.isClosed()) {
        forget(socket);
        continue;
      }
      CertificateException refusal = refusal(store, connection);
      if (refusal == null) continue;
      connection.refusal = refusal;
      if (socket != null) closing.add(close(connection.plain, socket));
    }
    await(closing);
  }

  private static CertificateException refusal(PinStore store, Connection connection) {
    try {
      Decision decision = store.evaluate(connection.handshake, !connection.isReplaced);
      return decision.isBlocked() ? new PinningException(connection.handshake, decision) : null;
    } catch (RuntimeException | Error e) {
      return new CertificateException("Pintle can't decide on " + connection.handshake + " again: " + e, e);
    }
  }

  /** In a thread of its own, because a peer that doesn't read can delay the end of TLS. */
  private static Thread close(final Socket plain, final SSLSocket socket) {
    Thread thread = new Thread("pintle-close") {
      @Override
      public void run() {
        // The socket below first: otherwise the reader could take this for the end of the answer.
        if (plain != null) close(plain);
        close(socket);
      }
    };
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      // The system has no thread left.
      thread.run();
    }
    return thread;
  }

  private static void close(Socket socket) {
    try {
      // Then closing waits for no thread that writes.
      socket.setSoLinger(true, 0);
    } catch (IOException | RuntimeException e) {
      // Of a socket that is closed already.
    }
    try {
      socket.close();
    } catch (IOException | RuntimeException e) {
      return;
    }
  }

  /** So that a pool has no refused connection when the update returns; a peer can't delay that for long. */
  private static void await(List<Thread> threads) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLISECONDS);
    try {
      for (Thread one : threads) one.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
