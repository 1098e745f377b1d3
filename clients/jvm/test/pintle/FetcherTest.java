package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Fetching over https and http from servers on loopback, hostile ones among them. */
public class FetcherTest {
  private final Map<String, byte[]> files = new ConcurrentHashMap<>();
  private final Map<String, String> redirects = new ConcurrentHashMap<>();
  private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer plain;
  private HttpsServer tls;
  private String http;
  private String https;

  @Before
  public void start() throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0);
    plain = HttpServer.create(any, 0);
    tls = HttpsServer.create(any, 0);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(Fixtures.keys("127.0.0.1"), null, null);
    tls.setHttpsConfigurator(new HttpsConfigurator(context));
    for (HttpServer server : new HttpServer[] {plain, tls}) {
      server.createContext("/", this::answer);
      server.setExecutor(threads);
      server.start();
    }
    http = "http://127.0.0.1:" + plain.getAddress().getPort();
    https = "https://127.0.0.1:" + tls.getAddress().getPort();
  }

  @After
  public void stop() {
    plain.stop(0);
    tls.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    asked.add(path);
    byte[] file = files.get(path);
    if (redirects.containsKey(path)) {
      exchange.getResponseHeaders().add("Location", redirects.get(path));
      exchange.sendResponseHeaders(302, -1);
    } else if (path.equals("/endless") || path.equals("/slow")) {
      exchange.sendResponseHeaders(200, 0);
      try {
        while (true) {
          exchange.getResponseBody().write(new byte[path.equals("/slow") ? 1 : 65536]);
          exchange.getResponseBody().flush();
          if (path.equals("/slow")) Thread.sleep(20);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    } else if (path.equals("/encoded")) {
      exchange.getResponseHeaders().add("Content-Encoding", "gzip");
      exchange.sendResponseHeaders(200, 1);
      exchange.getResponseBody().write(0);
    } else if (file == null) {
      exchange.sendResponseHeaders(path.endsWith("gone") ? 410 : 404, -1);
    } else {
      exchange.sendResponseHeaders(200, file.length);
      exchange.getResponseBody().write(file);
    }
    exchange.close();
  }

  private static PinStore store() throws Exception {
    return PinStore.open(PinStoreSettings.keyset(StateScene.keyset(1), "test").anchors(Collections.emptyList())
        .maximumBytes(200_000));
  }

  /** The fetcher's own connections trust the fixtures' root. */
  private PinFetcher fetcher(PinStore store, List<String> manifests, List<String> keysets) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {PlatformTrust.of(Fixtures.root()).manager()}, null);
    return new PinFetcher(store, manifests, keysets).socketFactory(context.getSocketFactory());
  }

  private static String mirror(String base) {
    return base + "/{version}.keyset.json";
  }

  @Test
  public void keysetsFirst() throws Exception {
    files.put("/2.keyset.json", StateScene.keyset(2));
    files.put("/3.keyset.json", StateScene.keyset(3));
    files.put("/manifest.json", StateScene.release(9, 1));
    PinStore store = store();
    PinFetcher.Round round = fetcher(store, Arrays.asList(https + "/manifest.json", https + "/never"),
        Collections.singletonList(mirror(https))).fetch();
    assertEquals(Collections.emptyList(), round.problems());
    assertTrue(round.isSuccessful());
    assertEquals("3 9", store.status().keysetVersion() + " " + store.status().serial());
    assertEquals(Arrays.asList("/2.keyset.json", "/3.keyset.json", "/4.keyset.json", "/manifest.json"), asked);
  }

  /** A rejected, missing, endless, slow, encoded or redirected answer: the next URL is tried, and what is in force stays. */
  @Test
  public void hostileServers() throws Exception {
    files.put("/manifest.json", StateScene.release(3, 0));
    files.put("/old.json", StateScene.release(2, 0));
    files.put("/foreign.json", StateScene.forged("manifest.json"));
    files.put("/2.keyset.json", new byte[65537]);
    redirects.put("/elsewhere", http + "/manifest.json");
    redirects.put("/otherport", "https://127.0.0.1:1/manifest.json");
    redirects.put("/circle", "/circle");
    redirects.put("/next", "/manifest.json");
    PinStore store = store();
    store.update(StateScene.release(3, 0));
    List<String> urls = new ArrayList<>();
    for (String path : new String[] {"old.json", "foreign.json", "none", "endless", "slow", "encoded", "elsewhere", "otherport", "circle"}) {
      urls.add(https + "/" + path);
    }
    urls.add(http + "/manifest.json");
    urls.add("https://127.0.0.1:1/");
    PinFetcher fetcher = fetcher(store, urls, Collections.singletonList(mirror(https))).deadline(700);
    PinFetcher.Round round = fetcher.fetch();
    assertFalse(round.isSuccessful());
    assertEquals(String.join("\n", round.problems()), urls.size() + 1, round.problems().size());
    for (String one : new String[] {"older-serial", "too-few-signatures", "status 404", "more than 200000 bytes", "deadline",
        "encoded", "another host, port or scheme", "more than 3 redirects", "only https"}) {
      assertTrue(one + ": " + round.problems(), round.problems().toString().contains(one));
    }
    assertEquals(3, round.problems().toString().split("another host, port or scheme", -1).length);
    assertEquals(3, store.status().serial());
    assertTrue(fetcher(store, Collections.singletonList(https + "/next"), Collections.emptyList()).fetch().isSuccessful());
    assertTrue(fetcher(store, Collections.singletonList(http + "/manifest.json"), Collections.emptyList()).allowPlainHttp()
        .fetch().isSuccessful());
    // Without the private root the platform doesn't trust the server.
    round = new PinFetcher(store, Collections.singletonList(https + "/next"), Collections.<String>emptyList()).fetch();
    assertTrue(round.problems().toString(), round.problems().toString().contains("SSLHandshakeException"));
  }

  /** Each byte comes in time, and the headers never end: the deadline counts, and closing ends the round. */
  @Test(timeout = 60_000)
  public void drippingHeaders() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 8, InetAddress.getByName("127.0.0.1"))) {
      threads.execute(() -> {
        while (true) {
          try (Socket socket = listener.accept()) {
            socket.getOutputStream().write("HTTP/1.1 200 OK\r\nX: ".getBytes(StandardCharsets.US_ASCII));
            while (true) {
              socket.getOutputStream().write('a');
              Thread.sleep(20);
            }
          } catch (IOException e) {
            if (listener.isClosed()) return;
          } catch (InterruptedException e) {
            return;
          }
        }
      });
      String url = "http://127.0.0.1:" + listener.getLocalPort() + "/m.json?token=secret";
      PinFetcher fetcher = new PinFetcher(store(), Collections.singletonList(url), Collections.<String>emptyList()).allowPlainHttp();
      String problems = fetcher.deadline(500).fetch().problems().toString();
      assertTrue(problems, problems.contains("deadline") && !problems.contains("secret"));
      fetcher.deadline(600_000).start();
      Thread thread = fetcher.thread();
      for (int i = 0; i < 100 && !fetcher.isConnected(); i++) Thread.sleep(20);
      fetcher.close();
      thread.join();
    }
  }

  @Test
  public void whenToFetch() throws Exception {
    PinStore store = store();
    store.update(StateScene.release(3, 0));
    PinFetcher fetcher = fetcher(store, Collections.singletonList(https + "/manifest.json"), Collections.emptyList());
    files.put("/manifest.json", StateScene.release(4, 0));
    PinFetcher.Round success = fetcher.fetch();
    assertEquals(3601, fetcher.delay(success, 0));
    assertEquals(3961, fetcher.delay(success, 1));
    files.clear();
    PinFetcher.Round failure = fetcher.fetch();
    assertEquals(5, fetcher.delay(failure, 0));
    assertEquals(20, fetcher.delay(failure, 1));
    for (int i = 0; i < 40; i++) fetcher.delay(failure, 0);
    assertEquals(450, fetcher.delay(failure, 0));
    assertEquals(900, fetcher.delay(failure, 1));
    fetcher.close();
    try {
      fetcher.start();
      fail("a closed fetcher was started");
    } catch (IllegalStateException e) {
      assertTrue(e.getMessage().contains("before"));
    }
  }

  @Test
  public void background() throws Exception {
    files.put("/manifest.json", StateScene.release(9, 0, 1));
    PinStore store = store();
    java.util.concurrent.CountDownLatch activated = new java.util.concurrent.CountDownLatch(1);
    store.addActivationListener(one -> activated.countDown());
    try (PinFetcher fetcher = fetcher(store, Collections.singletonList(https + "/manifest.json"), Collections.emptyList())) {
      fetcher.start();
      assertTrue(activated.await(30, java.util.concurrent.TimeUnit.SECONDS));
    }
    assertEquals(9, store.status().serial());
  }
}
