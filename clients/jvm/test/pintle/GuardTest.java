package pintle;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.HandshakeCompletedListener;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.junit.Test;

/** Each method of each stream, socket and engine that gives or takes bytes, also those that a later JDK adds. */
public class GuardTest {
  private static final byte BYTE = 'x';

  private enum When { NEVER, WITHOUT_PROOF, BEFORE, MEANWHILE }

  private final CertificateException refusal = new CertificateException("no longer");
  private final OpenConnections connections = new OpenConnections();
  private When when;
  /** What reached the platform's stream or engine. */
  private final List<String> reached = new ArrayList<>();
  private Engine engine;

  private void reach(Object transport, String name) {
    reached.add(name);
    if (when == When.MEANWHILE) connections.refuse(transport, refusal);
  }

  private void prepare(Object transport) {
    connections.guard(transport, null);
    if (when != When.WITHOUT_PROOF) connections.allow(transport);
    if (when == When.BEFORE) connections.refuse(transport, refusal);
  }

  private PinSocket socket(When when) throws Exception {
    this.when = when;
    reached.clear();
    SSLSocket platform = new ForwardingSocket((SSLSocket) SSLContext.getDefault().getSocketFactory().createSocket()) {
      private final Object itself = this;

      @Override
      public InputStream getInputStream() {
        return new InputStream() {
          private int left = 64;

          @Override
          public int read() {
            reach(itself, "read");
            return left-- > 0 ? BYTE : -1;
          }

          @Override
          public int available() {
            reach(itself, "available");
            return left;
          }
        };
      }

      @Override
      public OutputStream getOutputStream() {
        return new OutputStream() {
          @Override
          public void write(int one) {
            reach(itself, "write");
          }

          @Override
          public void flush() {
            reach(itself, "flush");
          }
        };
      }

      @Override
      public void sendUrgentData(int data) {
        reach(itself, "sendUrgentData");
      }

      @Override
      public void startHandshake() {}

      @Override
      public void addHandshakeCompletedListener(HandshakeCompletedListener listener) {}

      @Override
      public void removeHandshakeCompletedListener(HandshakeCompletedListener listener) {}
    };
    prepare(platform);
    PinSocket pinned = new PinSocket(platform, connections);
    if (when == When.NEVER || when == When.MEANWHILE) pinned.startHandshake();
    return pinned;
  }

  /** Arguments for a method: 8 bytes from 0 on, if it asks for a range. */
  private static Object[] arguments(Method method) {
    Class<?>[] types = method.getParameterTypes();
    Object[] arguments = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      if (types[i] == byte[].class) arguments[i] = new byte[8];
      else if (types[i] == int.class) arguments[i] = i > 0 && i + 1 < types.length ? 0 : 8;
      else if (types[i] == long.class) arguments[i] = 8L;
      else if (types[i] == OutputStream.class) arguments[i] = new ByteArrayOutputStream();
      else fail("a new type of argument: " + method);
    }
    return arguments;
  }

  private static Object call(Object target, Method method, Object... arguments) throws Exception {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Exception) throw (Exception) e.getCause();
      throw e;
    }
  }

  private static List<Method> methods(Class<?> type, String without) {
    List<Method> found = new ArrayList<>();
    for (Method one : type.getMethods()) {
      if (one.getDeclaringClass() == Object.class || Modifier.isStatic(one.getModifiers())) continue;
      if (!one.getName().matches(without)) found.add(one);
    }
    assertTrue(found.toString(), found.size() > 3);
    return found;
  }

  /** What gives and takes nothing. */
  private static final String NO_BYTES = "close|mark|markSupported|reset";

  private void refused(Object stream, Method method) throws Exception {
    Object[] arguments = arguments(method);
    try {
      Object result = call(stream, method, arguments);
      fail(method + " " + when + " returned " + result);
    } catch (SSLException e) {
      assertSame(method.toString(), when == When.WITHOUT_PROOF ? null : refusal, e.getCause());
    }
    if (!method.getName().equals("write")) {
      for (Object one : arguments) {
        if (one instanceof byte[]) assertArrayEquals(method.toString(), new byte[8], (byte[]) one);
        if (one instanceof ByteArrayOutputStream) assertEquals(method.toString(), 0, ((ByteArrayOutputStream) one).size());
      }
    }
    if (when != When.MEANWHILE) assertEquals(method + " " + when, "[]", reached.toString());
  }

  /** Before the handshake, these give and send nothing, and begin no handshake. */
  @Test
  public void beforeTheHandshake() throws Exception {
    for (When one : new When[] {When.WITHOUT_PROOF, When.BEFORE}) {
      PinSocket socket = socket(one);
      assertEquals(0, socket.getInputStream().available());
      socket.getOutputStream().flush();
      assertEquals("[]", reached.toString());
    }
  }

  @Test
  public void inputStreams() throws Exception {
    for (Method method : methods(InputStream.class, NO_BYTES)) {
      call(socket(When.NEVER).getInputStream(), method, arguments(method));
      assertTrue(method.toString(), reached.size() > 0);
      for (When one : new When[] {When.WITHOUT_PROOF, When.BEFORE, When.MEANWHILE}) {
        // It gives a number only.
        if (method.getName().equals("available") && one == When.MEANWHILE) continue;
        refusedAfterHandshake(method, one);
      }
    }
  }

  @Test
  public void outputStreams() throws Exception {
    for (Method method : methods(OutputStream.class, "close")) {
      call(socket(When.NEVER).getOutputStream(), method, arguments(method));
      assertTrue(method.toString(), reached.size() > 0);
      for (When one : new When[] {When.WITHOUT_PROOF, When.BEFORE}) refusedAfterHandshake(method, one);
    }
  }

  /** The streams are there before the handshake, after which the socket gives none if the store refused. */
  private void refusedAfterHandshake(Method method, When one) throws Exception {
    PinSocket socket = socket(one);
    Object stream = method.getDeclaringClass() == OutputStream.class ? socket.getOutputStream() : socket.getInputStream();
    try {
      socket.startHandshake();
    } catch (SSLException e) {
      // It is ignored, as programs may do.
    }
    refused(stream, method);
    assertTrue(method + " " + one, socket.isClosed());
  }

  /** Bytes that don't go through TLS: urgent ones, and those of the channel below. */
  @Test(timeout = 60_000)
  public void besidesTheStreams() throws Exception {
    try {
      socket(When.NEVER).sendUrgentData(BYTE);
      fail("it was sent");
    } catch (SocketException e) {
      assertEquals("TLS has no urgent data; write to the output stream", e.getMessage());
    }
    assertEquals("[]", reached.toString());
    try (ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
        SocketChannel channel = SocketChannel.open(listener.getLocalAddress());
        SSLSocket platform =
            (SSLSocket) SSLContext.getDefault().getSocketFactory().createSocket(channel.socket(), "a.test", 443, true)) {
      assertSame(channel, platform.getChannel());
      assertNull(new PinSocket(platform, connections).getChannel());
    }
  }

  private SSLEngine engine(When when) throws Exception {
    this.when = when;
    reached.clear();
    engine = new Engine();
    prepare(engine);
    return new PinEngine(engine, connections);
  }

  private static Object[] buffers(Method method, ByteBuffer source, ByteBuffer target) {
    boolean isWrap = method.getName().equals("wrap");
    Class<?>[] types = method.getParameterTypes();
    Object[] arguments = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      ByteBuffer buffer = i == 0 ? source : target;
      if (types[i] == ByteBuffer.class) arguments[i] = buffer;
      else if (types[i] == ByteBuffer[].class) arguments[i] = new ByteBuffer[] {buffer};
      else if (types[i] == int.class) arguments[i] = i == (isWrap ? 1 : 2) ? 0 : 1;
      else fail("a new type of argument: " + method);
    }
    return arguments;
  }

  @Test
  public void engines() throws Exception {
    for (Method method : methods(SSLEngine.class, "(?!wrap$|unwrap$).*")) {
      boolean isWrap = method.getName().equals("wrap");
      for (When one : When.values()) {
        ByteBuffer source = ByteBuffer.wrap(new byte[] {BYTE, BYTE});
        ByteBuffer target = ByteBuffer.allocate(8);
        target.put((byte) 1);
        SSLEngine pinned = engine(one);
        if (one == When.MEANWHILE) {
          // The end of the handshake.
          pinned.wrap(ByteBuffer.allocate(0), ByteBuffer.allocate(8));
          connections.find(engine).refusal = null;
        }
        String context = method + " " + one;
        try {
          SSLEngineResult result = (SSLEngineResult) call(pinned, method, buffers(method, source, target));
          // What wraps gets no bytes of the application without the proof; the bytes made are the handshake's.
          if (isWrap) assertEquals(context, one == When.NEVER || one == When.MEANWHILE ? 2 : 0, result.bytesConsumed());
          else assertEquals(context, When.NEVER, one);
        } catch (SSLException e) {
          assertTrue(context, !isWrap && one != When.NEVER);
          assertSame(context, one == When.WITHOUT_PROOF ? null : refusal, e.getCause());
          assertArrayEquals(context, Arrays.copyOf(new byte[] {1}, 8), target.array());
          assertEquals(context, 1, target.position());
        }
      }
    }
  }

  /** Moves each byte from the source to the target. */
  private final class Engine extends SSLEngine {
    private SSLEngineResult move(ByteBuffer source, ByteBuffer target) {
      reach(this, "move");
      int count = source.remaining();
      target.put(source);
      return new SSLEngineResult(SSLEngineResult.Status.OK, getHandshakeStatus(), count, count);
    }

    @Override public SSLEngineResult wrap(ByteBuffer[] a, int b, int c, ByteBuffer d) { return move(a[b], d); }
    @Override public SSLEngineResult unwrap(ByteBuffer a, ByteBuffer[] b, int c, int d) { return move(a, b[c]); }
    @Override public Runnable getDelegatedTask() { return null; }
    @Override public void closeInbound() {}
    @Override public boolean isInboundDone() { return false; }
    @Override public void closeOutbound() {}
    @Override public boolean isOutboundDone() { return false; }
    @Override public String[] getSupportedCipherSuites() { return new String[0]; }
    @Override public String[] getEnabledCipherSuites() { return new String[0]; }
    @Override public void setEnabledCipherSuites(String[] a) {}
    @Override public String[] getSupportedProtocols() { return new String[0]; }
    @Override public String[] getEnabledProtocols() { return new String[0]; }
    @Override public void setEnabledProtocols(String[] a) {}
    @Override public SSLSession getSession() { return null; }
    @Override public void beginHandshake() {}
    @Override public SSLEngineResult.HandshakeStatus getHandshakeStatus() {
      return SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING;
    }
    @Override public void setUseClientMode(boolean a) {}
    @Override public boolean getUseClientMode() { return true; }
    @Override public void setNeedClientAuth(boolean a) {}
    @Override public boolean getNeedClientAuth() { return false; }
    @Override public void setWantClientAuth(boolean a) {}
    @Override public boolean getWantClientAuth() { return false; }
    @Override public void setEnableSessionCreation(boolean a) {}
    @Override public boolean getEnableSessionCreation() { return true; }
  }
}
