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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
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

  @Test
  public void whenToFetch() throws Exception {
    PinStore store = store();
    store.update(StateScene.release(3, 0));
    PinFetcher fetcher = fetcher(store, Collections.singletonList(https + "/manifest.json"), Collections.emptyList());
    files.put("/manifest.json", StateScene.release(4, 0));
    assertTrue(fetcher.fetch().isSuccessful());
    FetchSchedule schedule = new FetchSchedule();
    Status status = store.status();
    // The first one is anywhere in the interval, so that a fleet that starts together doesn't stay in step.
    assertEquals(1801, schedule.delay(true, 0, status, 0.5));
    assertEquals(3601, schedule.delay(true, 0, status, 0));
    assertEquals(3961, schedule.delay(true, 0, status, 1));
    assertEquals(7000, schedule.delay(true, 7000, status, 0));
    assertEquals(7900, schedule.delay(true, 7000, status, 1));
    files.clear();
    assertFalse(fetcher.fetch().isSuccessful());
    assertEquals(5, schedule.delay(false, 0, status, 0));
    assertEquals(20, schedule.delay(false, 0, status, 1));
    assertEquals(1800, schedule.delay(false, 900, status, 1));
    assertEquals(1, schedule.delay(true, 0, status, 0));
    assertEquals(3601, schedule.delay(true, 0, status, 0));
    assertEquals(5, schedule.delay(false, 0, status, 0));
    for (int i = 0; i < 40; i++) schedule.delay(false, 0, status, 0);
    assertEquals(450, schedule.delay(false, 0, status, 0));
    assertEquals(900, schedule.delay(false, 0, status, 1));
    assertEquals(360, FetchSchedule.first(true, 1));
    assertEquals(0, FetchSchedule.first(false, 1));
  }

  /** What can't be a URL is rejected at once, and no message has it, because it may have a secret. */
  @Test
  public void unusableUrls() throws Exception {
    PinStore store = store();
    for (String one : new String[] {"https://a.test/?token=se cret", "ftp://a.test/secret", "https://secret@a.test/", "secret",
        "https:///secret", "https://a.test/#secret"}) {
      try {
        new PinFetcher(store, Arrays.asList("https://a_b.test/", one), Collections.<String>emptyList());
        fail(one);
      } catch (IllegalArgumentException e) {
        assertTrue(e.getMessage(), e.getMessage().startsWith("manifest URL 2 ") && !e.getMessage().contains("secret"));
      }
    }
    for (String one : new String[] {"https://a.test/secret", "https://{version}.test/", "https://a.test/{version}/{version}"}) {
      try {
        new PinFetcher(store, Collections.<String>emptyList(), Collections.singletonList(one));
        fail(one);
      } catch (IllegalArgumentException e) {
        assertTrue(e.getMessage(), e.getMessage().startsWith("keyset URL 1 needs exactly one {version}"));
      }
    }
  }

  /** Defaults that the program has set must neither pin the fetcher's connection nor accept another server. */
  @Test
  public void defaultsOfTheProgram() throws Exception {
    files.put("/manifest.json", StateScene.release(9, 0));
    List<String> decided = Collections.synchronizedList(new ArrayList<>());
    PinStore store = PinStore.open(PinStoreSettings.keyset(StateScene.keyset(1), "test").anchors(Fixtures.root())
        .listener((handshake, decision) -> decided.add(handshake.host())));
    SSLSocketFactory factory = HttpsURLConnection.getDefaultSSLSocketFactory();
    HostnameVerifier verifier = HttpsURLConnection.getDefaultHostnameVerifier();
    SSLContext context = SSLContext.getDefault();
    try {
      HttpsURLConnection.setDefaultSSLSocketFactory(PinContext.of(store).getSocketFactory());
      HttpsURLConnection.setDefaultHostnameVerifier((host, session) -> true);
      SSLContext.setDefault(PinContext.of(store));
      List<String> urls = Collections.singletonList(https + "/manifest.json");
      String problems = new PinFetcher(store, urls, Collections.<String>emptyList()).fetch().problems().toString();
      assertTrue(problems, problems.contains("PKIX path building failed"));
      assertEquals(Collections.emptyList(), decided);
      // The certificate is for 127.0.0.1 only.
      urls = Collections.singletonList(https.replace("127.0.0.1", "localhost") + "/manifest.json");
      problems = fetcher(store, urls, Collections.emptyList()).fetch().problems().toString();
      assertTrue(problems, problems.contains("No name matching localhost found"));
      HttpsURLConnection.setDefaultHostnameVerifier((host, session) -> false);
      urls = Collections.singletonList(https + "/manifest.json");
      assertEquals("[]", fetcher(store, urls, Collections.emptyList()).fetch().problems().toString());
    } finally {
      HttpsURLConnection.setDefaultSSLSocketFactory(factory);
      HttpsURLConnection.setDefaultHostnameVerifier(verifier);
      SSLContext.setDefault(context);
    }
  }

  /** Android may check no name in the handshake. */
  @Test
  public void nameAfterTheHandshake() throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {PlatformTrust.of(Fixtures.root()).manager()}, null);
    try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", tls.getAddress().getPort())) {
      assertTrue(HttpGet.isFor("127.0.0.1", socket.getSession()));
      assertFalse(HttpGet.isFor("127.0.0.2", socket.getSession()));
      assertFalse(HttpGet.isFor("a b", socket.getSession()));
      assertFalse(HttpGet.isFor("127.0.0.1", context.createSSLEngine().getSession()));
    }
  }
}
