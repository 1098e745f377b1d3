package pintle;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.SocketChannel;
import java.security.cert.CertificateException;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import javax.net.ssl.HandshakeCompletedEvent;
import javax.net.ssl.HandshakeCompletedListener;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/**
 * The platform's socket, on which nothing is sent or received unless the store allowed this very connection in its handshake. So
 * a platform that doesn't ask the trust manager, for example because of a cipher suite without certificates, sends nothing.
 */
final class PinSocket extends ForwardingSocket {
  private final OpenConnections connections;
  private final Object handshaking = new Object();
  private volatile boolean isHandshaken;
  /** Some platforms call listeners of handshakes in it. */
  private volatile Thread inHandshake;
  private volatile Exception failure;
  private volatile OpenConnections.Connection connection;
  private final Map<HandshakeCompletedListener, HandshakeCompletedListener> listeners = new IdentityHashMap<>();
  private BiFunction<SSLSocket, List<String>, String> selector;
  private InputStream input;
  private OutputStream output;

  PinSocket(SSLSocket socket, OpenConnections connections) {
    super(socket);
    this.connections = connections;
  }

  /** Makes the handshake if there was none, and looks for the proof that the store allowed the connection. */
  private void prove() throws IOException {
    if (isBeforeHandshake()) {
      synchronized (handshaking) {
        // Another thread may have made it meanwhile.
        if (!isHandshaken) startHandshake();
      }
    }
    checkProof();
  }

  private boolean isBeforeHandshake() {
    return !isHandshaken && inHandshake != Thread.currentThread();
  }

  private void checkProof() throws IOException {
    if (connection == null) connection = connections.find(socket);
    SSLException fault = OpenConnections.fault(connection);
    if (fault == null) return;
    socket.close();
    throw fault;
  }

  /** If the store has ended the connection, that is why. */
  private IOException reason(IOException error) {
    CertificateException refusal = connection == null ? null : connection.refusal;
    if (refusal == null) return error;
    SSLException reason = OpenConnections.fault(connection);
    reason.addSuppressed(error);
    return reason;
  }

  /** Not all platforms know the name that a socket was connected with. */
  @Override
  public void connect(SocketAddress address, int timeout) throws IOException {
    if (address instanceof InetSocketAddress) connections.connects(socket, ((InetSocketAddress) address).getHostString());
    socket.connect(address, timeout);
  }

  @Override
  public void connect(SocketAddress address) throws IOException {
    connect(address, 0);
  }

  @Override
  public void startHandshake() throws IOException {
    synchronized (handshaking) {
      checkFailure();
      inHandshake = Thread.currentThread();
      try {
        socket.startHandshake();
      } catch (IOException | RuntimeException e) {
        // A program that ignores this and writes must not begin again. After a timeout it may.
        if (!(e instanceof InterruptedIOException)) failure = e;
        throw e;
      } finally {
        inHandshake = null;
      }
      isHandshaken = true;
    }
    checkProof();
  }

  private void checkFailure() throws IOException {
    if (isHandshaken) checkProof();
    if (failure == null) return;
    socket.close();
    throw (SSLException) new SSLException("the handshake has failed: " + failure.getMessage()).initCause(failure);
  }

  @Override
  public synchronized InputStream getInputStream() throws IOException {
    checkFailure();
    if (input == null) input = new Input(socket.getInputStream());
    return input;
  }

  @Override
  public synchronized OutputStream getOutputStream() throws IOException {
    checkFailure();
    if (output == null) output = new Output(socket.getOutputStream());
    return output;
  }

  // These extend no FilterInputStream or FilterOutputStream: whatever else a JDK's stream does goes through the methods here.

  private final class Input extends InputStream {
    private final InputStream in;

    Input(InputStream in) {
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 255;
    }

    @Override
    public int read(byte[] bytes, int start, int count) throws IOException {
      prove();
      int found;
      try {
        found = in.read(bytes, start, count);
      } catch (IOException e) {
        throw reason(e);
      }
      try {
        // A refusal meanwhile: it must not look like the end of an answer either.
        checkProof();
      } catch (IOException e) {
        if (found > 0) Arrays.fill(bytes, start, start + found, (byte) 0);
        throw e;
      }
      return found;
    }

    /** Makes no handshake, as on the platform: before it, there is nothing to read. */
    @Override
    public int available() throws IOException {
      if (isBeforeHandshake()) return 0;
      checkProof();
      return in.available();
    }

    @Override
    public void close() throws IOException {
      PinSocket.this.close();
    }
  }

  private final class Output extends OutputStream {
    private final OutputStream out;

    Output(OutputStream out) {
      this.out = out;
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int start, int count) throws IOException {
      prove();
      try {
        out.write(bytes, start, count);
      } catch (IOException e) {
        throw reason(e);
      }
    }

    /** Some platforms send only now what was written before. */
    @Override
    public void flush() throws IOException {
      if (isBeforeHandshake()) return;
      checkProof();
      try {
        out.flush();
      } catch (IOException e) {
        throw reason(e);
      }
    }

    @Override
    public void close() throws IOException {
      PinSocket.this.close();
    }
  }

  // What would hand out the platform's socket, which writes without asking

  /** Urgent data isn't encrypted. */
  @Override
  public void sendUrgentData(int data) throws IOException {
    throw new SocketException("TLS has no urgent data; write to the output stream");
  }

  /** On some platforms this is the channel below TLS. */
  @Override
  public SocketChannel getChannel() {
    return null;
  }

  @Override
  public void addHandshakeCompletedListener(final HandshakeCompletedListener listener) {
    HandshakeCompletedListener own = new HandshakeCompletedListener() {
      @Override
      public void handshakeCompleted(HandshakeCompletedEvent event) {
        listener.handshakeCompleted(new HandshakeCompletedEvent(PinSocket.this, event.getSession()));
      }
    };
    if (listener == null) throw new IllegalArgumentException("the listener is null");
    socket.addHandshakeCompletedListener(own);
    synchronized (listeners) {
      listeners.put(listener, own);
    }
  }

  @Override
  public void removeHandshakeCompletedListener(HandshakeCompletedListener listener) {
    synchronized (listeners) {
      HandshakeCompletedListener own = listeners.remove(listener);
      if (own == null) throw new IllegalArgumentException("the listener isn't registered");
      socket.removeHandshakeCompletedListener(own);
    }
  }

  @Override
  public void setHandshakeApplicationProtocolSelector(final BiFunction<SSLSocket, List<String>, String> selector) {
    this.selector = selector;
    socket.setHandshakeApplicationProtocolSelector(selector == null ? null : new BiFunction<SSLSocket, List<String>, String>() {
      @Override
      public String apply(SSLSocket platform, List<String> protocols) {
        return selector.apply(PinSocket.this, protocols);
      }
    });
  }

  @Override
  public BiFunction<SSLSocket, List<String>, String> getHandshakeApplicationProtocolSelector() {
    return selector;
  }

  @Override
  public String toString() {
    return "pinned " + socket;
  }
}
