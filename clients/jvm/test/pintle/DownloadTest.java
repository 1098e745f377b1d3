package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.junit.Test;

/**
 * Servers whose answer never ends, although each byte comes in time, at each place of it: the deadline counts, closing waits
 * for nobody, and threads don't pile up.
 */
public class DownloadTest {
  private static final Map<String, String> PLACES = new LinkedHashMap<>();

  static {
    String ok = "HTTP/1.1 200 OK\r\n";
    PLACES.put("status line", "HTTP/1.1 200 ");
    PLACES.put("header", ok + "X: ");
    PLACES.put("chunk header", ok + "Transfer-Encoding: chunked\r\n\r\n");
    PLACES.put("chunk", ok + "Transfer-Encoding: chunked\r\n\r\nffffff\r\n");
    PLACES.put("chunk trailer", ok + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: ");
    PLACES.put("body", ok + "Content-Length: 1000000\r\n\r\n");
  }

  /** A record of TLS, 16384 bytes long. */
  private static final String HANDSHAKE = "\u0016\u0003\u0003\u0040\u0000";

  /** Sends a start, and then one byte after the other, on each connection. */
  private static final class Dripper implements AutoCloseable {
    private final ServerSocket listener;
    private final String start;
    private final AtomicInteger connections = new AtomicInteger();
    private final Semaphore drips = new Semaphore(0);
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    Dripper(ServerSocket listener, String start) {
      this.listener = listener;
      this.start = start;
      run(() -> {
        while (true) {
          Socket socket = listener.accept();
          connections.incrementAndGet();
          sockets.add(socket);
          run(() -> drip(socket));
        }
      });
    }

    private interface Work {
      void run() throws Exception;
    }

    private static void run(Work work) {
      Thread thread = new Thread(() -> {
        try {
          work.run();
        } catch (Exception e) {
          // The other side, or the test, has closed the socket.
          return;
        }
      });
      thread.setDaemon(true);
      thread.start();
    }

    private void drip(Socket socket) throws Exception {
      OutputStream output = socket.getOutputStream();
      output.write(start.getBytes(StandardCharsets.ISO_8859_1));
      while (true) {
        output.write('0');
        output.flush();
        drips.release();
        Thread.sleep(10);
      }
    }

    /** The kernel connects before the test's thread accepts, so a client may have ended before its connection is counted. */
    void assertConnections(String message, int count) throws Exception {
      while (connections.get() < count) Thread.sleep(5);
      assertEquals(message, count, connections.get());
    }

    /** Ends the connections that there are. */
    void hangUp() throws IOException {
      for (Socket socket : sockets) socket.close();
      sockets.clear();
    }

    @Override
    public void close() throws IOException {
      listener.close();
      hangUp();
    }
  }

  private static Dripper plain(String start) throws IOException {
    return new Dripper(new ServerSocket(0, 8, InetAddress.getByName("127.0.0.1")), start);
  }

  private static Dripper tls(String start) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(Fixtures.keys("127.0.0.1"), null, null);
    return new Dripper(
        context.getServerSocketFactory().createServerSocket(0, 8, InetAddress.getByName("127.0.0.1")), start);
  }

  private static SSLSocketFactory trusting() throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {PlatformTrust.of(Fixtures.root()).manager()}, null);
    return context.getSocketFactory();
  }

  private static PinFetcher fetcher(String scheme, Dripper server) throws Exception {
    PinStore store = PinStore.open(PinStoreSettings.keyset(StateScene.keyset(1), "test").anchors(Collections.emptyList()));
    String url = scheme + "://127.0.0.1:" + server.listener.getLocalPort() + "/m.json?token=secret";
    return new PinFetcher(store, Collections.singletonList(url), Collections.<String>emptyList())
        .allowPlainHttp().socketFactory(trusting());
  }

  private static void assertProblem(String expected, PinFetcher fetcher) {
    String problems = fetcher.fetch().problems().toString();
    assertTrue(problems, problems.contains(expected));
    assertFalse(problems, problems.contains("secret"));
  }

  private static int downloads() {
    int count = 0;
    for (Thread one : Thread.getAllStackTraces().keySet()) if (one.getName().equals("pintle-download")) count++;
    return count;
  }

  static void awaitDownloads(int count) throws Exception {
    while (downloads() != count) Thread.sleep(5);
  }

  /** While a thread waits for what can't be ended, as looking a name up, the server isn't asked again. */
  @Test(timeout = 60_000)
  public void waitingWithoutEnd() throws Exception {
    Semaphore end = new Semaphore(0);
    SSLSocketFactory waiting = new PinSocketFactory(PinStore.open(PinStoreSettings.keyset(StateScene.keyset(1), "test"))) {
      @Override
      public Socket createSocket(Socket plain, String host, int port, boolean closes) throws IOException {
        end.acquireUninterruptibly();
        throw new IOException("ended");
      }
    };
    try (Dripper server = plain(HANDSHAKE)) {
      PinFetcher fetcher = fetcher("https", server).deadline(500).socketFactory(waiting);
      assertProblem("it took longer than the deadline", fetcher);
      assertProblem("still holds an earlier request", fetcher);
      server.assertConnections("held", 1);
      assertEquals(1, downloads());
      end.release(2);
      awaitDownloads(0);
      assertProblem("ended", fetcher);
      server.assertConnections("asked again", 2);
    }
  }

  /** The socket is closed under the thread. */
  @Test(timeout = 60_000)
  public void deadline() throws Exception {
    for (Map.Entry<String, String> place : PLACES.entrySet()) {
      for (String scheme : new String[] {"http", "https"}) {
        try (Dripper server = scheme.equals("http") ? plain(place.getValue()) : tls(place.getValue())) {
          PinFetcher fetcher = fetcher(scheme, server).deadline(400);
          assertProblem("it took longer than the deadline", fetcher);
          awaitDownloads(0);
          assertProblem("it took longer than the deadline", fetcher);
          awaitDownloads(0);
          server.assertConnections(place.getKey(), 2);
        }
      }
    }
    try (Dripper server = plain(HANDSHAKE)) {
      assertProblem("it took longer than the deadline", fetcher("https", server).deadline(500));
      awaitDownloads(0);
    }
  }

  @Test(timeout = 60_000)
  public void closing() throws Exception {
    for (String scheme : new String[] {"http", "https"}) {
      for (Map.Entry<String, String> place : PLACES.entrySet()) {
        try (Dripper server = scheme.equals("http") ? plain(place.getValue()) : tls(place.getValue())) {
          PinFetcher fetcher = fetcher(scheme, server).deadline(600_000).start();
          server.drips.acquire(3);
          fetcher.close();
          fetcher.thread().join();
          awaitDownloads(0);
        }
      }
    }
  }
}
