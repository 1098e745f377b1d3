package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.HandshakeCompletedListener;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Open sockets while a manifest takes effect: newer.json blocks allowed.test. The adapters are in RunningTest. */
public class OpenConnectionsTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private SSLServerSocket listener;

  @Before
  public void start() throws Exception {
    listen(null);
  }

  private void listen(PinTrustManager ofClients) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(Fixtures.keys("allowed.test"), ofClients == null ? null : new TrustManager[] {ofClients}, null);
    if (listener != null) listener.close();
    listener = (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 4, InetAddress.getByName("127.0.0.1"));
    listener.setNeedClientAuth(ofClients != null);
  }

  @After
  public void stop() throws Exception {
    listener.close();
    threads.shutdownNow();
  }

  private static PinStoreSettings settings() throws Exception {
    return Fixtures.settings(Fixtures.file("manifest.json")).recentPeriod(0);
  }

  private SSLSocket connect(SSLContext context) throws Exception {
    return connect(context, "allowed.test");
  }

  private SSLSocket connect(SSLContext context, String host) throws Exception {
    int port = listener.getLocalPort();
    return (SSLSocket) context.getSocketFactory().createSocket(new Socket("127.0.0.1", port), host, port, true);
  }

  private Future<SSLSocket> accepted() {
    return threads.submit(() -> {
      SSLSocket socket = (SSLSocket) listener.accept();
      socket.startHandshake();
      return socket;
    });
  }

  private static Callable<Object> reading(SSLSocket socket) throws IOException {
    InputStream input = socket.getInputStream();
    return () -> {
      try {
        return input.read();
      } catch (IOException e) {
        return e;
      }
    };
  }

  /** A reader that waits, and one that comes later: to neither it may look like the end of the answer. */
  @Test(timeout = 60_000)
  public void readers() throws Exception {
    for (boolean isWaiting : new boolean[] {true, false}) {
      PinStore store = PinStore.open(settings());
      SSLContext own = SSLContext.getInstance("TLS");
      own.init(null, new TrustManager[] {PinTrustManager.forServers(store)}, null);
      Future<SSLSocket> server = accepted();
      SSLSocket pinned = connect(PinContext.of(store));
      pinned.startHandshake();
      Future<SSLSocket> otherServer = accepted();
      SSLSocket other = connect(own);
      other.startHandshake();
      server.get().getOutputStream().write('a');
      assertEquals('a', pinned.getInputStream().read());
      Callable<Object> reading = reading(pinned);
      Future<Object> end = isWaiting ? threads.submit(reading) : null;
      store.update(Fixtures.file("newer.json"));
      assertTrue(pinned.isClosed() && other.isClosed());
      Object found = isWaiting ? end.get() : reading.call();
      assertTrue(String.valueOf(found), found instanceof IOException && PinningException.in((IOException) found) != null);
      server.get().close();
      otherServer.get().close();
    }
  }

  /** A platform on which a socket that another thread closes ends as an answer does. */
  @Test
  public void endOfAnAnswer() throws Exception {
    OpenConnections connections = new OpenConnections();
    boolean[] isRefused = {false};
    CertificateException refusal = new CertificateException("no longer");
    SSLSocket ending = new ForwardingSocket((SSLSocket) SSLContext.getDefault().getSocketFactory().createSocket()) {
      @Override
      public InputStream getInputStream() {
        return new InputStream() {
          @Override
          public int read() {
            // While a thread reads, which has looked for a refusal before.
            if (isRefused[0]) connections.refuse(itself(), refusal);
            return -1;
          }
        };
      }

      private SSLSocket itself() {
        return this;
      }

      @Override
      public void startHandshake() {}

      @Override
      public void addHandshakeCompletedListener(HandshakeCompletedListener listener) {}

      @Override
      public void removeHandshakeCompletedListener(HandshakeCompletedListener listener) {}
    };
    connections.guard(ending, null);
    connections.allow(ending);
    InputStream input = new PinSocket(ending, connections).getInputStream();
    assertEquals(-1, input.read());
    isRefused[0] = true;
    try {
      input.read();
      fail("a refusal looked like the end of an answer");
    } catch (SSLException e) {
      assertSame(refusal, e.getCause());
    }
  }

  /** An update during the handshake, right after the decision: it must find the connection. */
  @Test(timeout = 60_000)
  public void updateDuringTheHandshake() throws Exception {
    AtomicReference<PinStore> store = new AtomicReference<>();
    AtomicBoolean isFirst = new AtomicBoolean(true);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    store.set(PinStore.open(settings().listener((handshake, decision) -> {
      if (!isFirst.getAndSet(false)) return;
      try {
        store.get().update(Fixtures.file("newer.json"));
      } catch (Exception e) {
        failure.set(e);
      }
    })));
    Future<SSLSocket> server = accepted();
    SSLSocket socket = connect(PinContext.of(store.get()));
    Object end;
    try {
      socket.startHandshake();
      end = reading(socket).call();
    } catch (IOException e) {
      end = e;
    }
    assertNull(failure.get());
    assertFalse(isFirst.get());
    assertTrue(String.valueOf(end), end instanceof IOException);
    assertTrue(socket.isClosed());
    try {
      server.get().close();
    } catch (java.util.concurrent.ExecutionException e) {
      assertTrue(e.getCause() instanceof IOException);
    }
  }

  /** The peer doesn't read, so a thread waits in write, with the lock of TLS: it must not hold up the update. */
  @Test(timeout = 60_000)
  public void peerThatDoesNotRead() throws Exception {
    for (boolean isOverAnother : new boolean[] {true, false}) {
      PinStore store = PinStore.open(settings());
      Future<SSLSocket> server = accepted();
      SSLContext context = PinContext.of(store);
      SSLSocket socket = isOverAnother ? connect(context)
          : (SSLSocket) context.getSocketFactory().createSocket("allowed.test", listener.getLocalPort());
      socket.startHandshake();
      server.get();
      AtomicInteger written = new AtomicInteger();
      Future<Object> end = threads.submit(() -> {
        try {
          while (true) {
            socket.getOutputStream().write(new byte[65536]);
            written.incrementAndGet();
          }
        } catch (IOException e) {
          return e;
        }
      });
      for (int last = -1; written.get() == 0 || written.get() != last; Thread.sleep(100)) last = written.get();
      store.update(Fixtures.file("newer.json"));
      assertTrue(end.get() instanceof IOException);
      assertTrue(socket.isClosed());
      server.get().close();
    }
  }

  /** What was closed is forgotten, even if the program still has it. */
  @Test(timeout = 60_000)
  public void closedOnesAreForgotten() throws Exception {
    PinStore store = PinStore.open(settings());
    Future<SSLSocket> server = accepted();
    SSLSocket socket = connect(PinContext.of(store));
    socket.startHandshake();
    SSLSocket platform = ((PinSocket) socket).socket;
    assertNotNull(store.connections.find(platform));
    socket.close();
    store.update(Fixtures.file("newer.json"));
    assertNull(store.connections.find(platform));
    server.get().close();
  }

  /** A new keyset blocks nothing, so nothing is decided on again; a new manifest has one decision for each connection. */
  @Test
  public void decisions() throws Exception {
    List<String> decided = new ArrayList<>();
    try (StateScene scene = new StateScene()) {
      PinStore store = PinStore.open(scene.settings(true, PinStoreSettings.WithoutManifest.BLOCK)
          .listener((handshake, decision) -> decided.add(handshake.host())));
      Object[] engines = {new Object(), new Object()};
      for (Object one : engines) {
        store.connections.add(one, Handshake.server("other.example", 443, new ArrayList<byte[]>(), null), false);
      }
      assertEquals(PinStore.Result.ACTIVATED, store.updateKeyset(StateScene.keyset(2)));
      assertEquals("[]", decided.toString());
      assertEquals(PinStore.Result.ACTIVATED, store.update(StateScene.release(6, 0, 1)));
      assertEquals("[other.example, other.example]", decided.toString());
      for (Object one : engines) assertNull(store.connections.find(one).refusal);
    }
  }

  /** What cannot be decided on again ends. */
  @Test
  public void clockThatFails() throws Exception {
    AtomicBoolean fails = new AtomicBoolean();
    PinStore store = PinStore.open(settings().clock(() -> {
      if (fails.get()) throw new IllegalStateException("no time");
      return 1_800_000_000L;
    }));
    Object engine = new Object();
    store.connections.add(engine, Handshake.server("unpinned.test", 443, new ArrayList<byte[]>(), null), false);
    fails.set(true);
    store.tellActivated(true);
    assertEquals("Pintle can't decide on unpinned.test:443 again: java.lang.IllegalStateException: no time",
        store.connections.find(engine).refusal.getMessage());
  }

  /** A host that isn't pinned is the platform's matter, here of a trust manager that accepts everything. */
  @Test(timeout = 60_000)
  public void whatThePlatformAccepted() throws Exception {
    PinStore store = PinStore.open(settings().trustManager(new Lenient()));
    Future<SSLSocket> server = accepted();
    try (SSLSocket socket = connect(PinContext.of(store), "unpinned.test")) {
      socket.startHandshake();
      store.update(Fixtures.file("newer.json"));
      server.get().getOutputStream().write('a');
      assertEquals('a', socket.getInputStream().read());
    }
    server.get().close();
  }

  private static final class Lenient extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  /** A server that judges the certificates of its clients. */
  @Test(timeout = 60_000)
  public void clientsOfAServer() throws Exception {
    PinStore store = PinStore.open(settings());
    listen(PinTrustManager.forClients(store, "clients.test", 443));
    String folder = null;
    for (Object value : Fixtures.cases("clients.json")) {
      Map<String, Object> row = Json.object(value);
      if (row.get("verdict").equals("allow")) folder = ((String) row.get("chain")).replace("/chain.pem", "");
    }
    SSLContext client = SSLContext.getInstance("TLS");
    client.init(Fixtures.keys(folder), new TrustManager[] {PlatformTrust.of(Fixtures.root()).manager()}, null);
    Future<SSLSocket> server = accepted();
    try (SSLSocket socket = connect(client)) {
      socket.startHandshake();
      SSLSocket accepted = server.get();
      Future<Object> end = threads.submit(reading(accepted));
      store.update(Fixtures.file("newer.json"));
      Object found = end.get();
      assertTrue(String.valueOf(found), found instanceof IOException || found.equals(-1));
      assertTrue(accepted.isClosed());
    }
  }
}
