package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** The thread of a fetcher, and what a fetcher remembers of a server between rounds. */
public class BackgroundTest {
  private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
  private volatile byte[] file;
  private volatile byte[] keyset;
  private volatile int status = 200;
  private volatile String tag;
  private volatile String retryAfter;
  private HttpServer server;

  @Before
  public void start() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
    server.createContext("/missing", exchange -> {
      exchange.sendResponseHeaders(404, -1);
      exchange.close();
    });
    server.createContext("/2.keyset.json", exchange -> {
      exchange.sendResponseHeaders(200, keyset.length);
      exchange.getResponseBody().write(keyset);
      exchange.close();
    });
    server.createContext("/3.keyset.json", exchange -> {
      exchange.sendResponseHeaders(404, -1);
      exchange.close();
    });
    server.createContext("/", exchange -> {
      requests.add(exchange.getRequestHeaders().getFirst("If-None-Match") + " "
          + exchange.getRequestHeaders().getFirst("If-Modified-Since"));
      exchange.getResponseHeaders().add("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT");
      if (tag != null) exchange.getResponseHeaders().add("ETag", tag);
      if (retryAfter != null) exchange.getResponseHeaders().add("Retry-After", retryAfter);
      boolean hasBody = status == 200;
      exchange.sendResponseHeaders(status, hasBody ? file.length : -1);
      if (hasBody) exchange.getResponseBody().write(file);
      exchange.close();
    });
    server.start();
  }

  @After
  public void stop() {
    server.stop(0);
  }

  private PinFetcher fetcher(PinStore store) {
    String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/m.json";
    return new PinFetcher(store, Collections.singletonList(url), Collections.<String>emptyList()).allowPlainHttp();
  }

  private static PinStoreSettings settings() throws Exception {
    return PinStoreSettings.keyset(StateScene.keyset(1), "test").anchors(Collections.emptyList());
  }

  @Test
  public void activates() throws Exception {
    file = StateScene.release(9, 0, 1);
    PinStore store = PinStore.open(settings());
    CountDownLatch activated = new CountDownLatch(1);
    store.addActivationListener(one -> activated.countDown());
    try (PinFetcher fetcher = fetcher(store)) {
      fetcher.start();
      assertTrue(activated.await(30, TimeUnit.SECONDS));
    }
    assertEquals(9, store.status().serial());
  }

  /** Problems reach the listener, and the thread goes on, whatever is thrown in it. */
  @Test(timeout = 60_000)
  public void problems() throws Exception {
    BlockingQueue<String> problems = new LinkedBlockingQueue<>();
    AtomicBoolean fails = new AtomicBoolean();
    try (StateScene scene = new StateScene(); Log log = new Log(error -> {})) {
      PinStore store = PinStore.open(scene.settings(false, PinStoreSettings.WithoutManifest.BLOCK).clock(() -> {
        if (fails.get()) throw new IllegalStateException("no\ntime");
        return 1_800_000_000L;
      }));
      fails.set(true);
      file = StateScene.forged("manifest.json");
      PinFetcher fetcher = fetcher(store).housekeeping(20).listener(problem -> {
        problems.add(problem);
        throw new AssertionError(problem);
      }).start();
      assertEquals("java.lang.IllegalStateException: no?time", problems.take());
      fails.set(false);
      fetcher.close();
      fetcher.thread().join();
      problems.clear();
      // The folder can't be written any more.
      fetcher = fetcher(store).housekeeping(20).listener(problem -> {
        problems.add(problem);
        throw new AssertionError(problem);
      }).start();
      Thread thread = fetcher.thread();
      assertTrue(problems.take().contains("/m.json: too-few-signatures"));
      Files.move(scene.folder, scene.folder.resolveSibling(scene.folder.getFileName() + "-away"));
      try {
        String problem = problems.take();
        assertTrue(problem, problem.startsWith("not-stored"));
        assertEquals(problem, problems.take());
      } finally {
        Files.move(scene.folder.resolveSibling(scene.folder.getFileName() + "-away"), scene.folder);
      }
      assertTrue(log.thrown.take() instanceof AssertionError);
      fetcher.close();
      thread.join();
    }
  }

  /** An interrupt that a listener leaves behind, of whatever kind it is, neither ends the thread nor spoils its round. */
  @Test(timeout = 60_000)
  public void listenersThatInterrupt() throws Exception {
    List<String> told = Collections.synchronizedList(new ArrayList<>());
    BlockingQueue<String> problems = new LinkedBlockingQueue<>();
    try (StateScene scene = new StateScene(); Log log = new Log(error -> Thread.currentThread().interrupt())) {
      PinStore store = PinStore.open(scene.settings(false, PinStoreSettings.WithoutManifest.BLOCK));
      CountDownLatch activated = new CountDownLatch(1);
      store.addActivationListener(one -> {
        told.add(Thread.currentThread().getName());
        activated.countDown();
        Thread.currentThread().interrupt();
        throw new IllegalStateException("logged by a handler that interrupts as well");
      });
      keyset = StateScene.keyset(2);
      file = StateScene.release(9, 0, 1);
      String base = "http://127.0.0.1:" + server.getAddress().getPort();
      PinFetcher fetcher = new PinFetcher(store, Arrays.asList(base + "/missing", base + "/m.json"),
          Collections.singletonList(base + "/{version}.keyset.json")).allowPlainHttp().housekeeping(20).listener(problem -> {
            problems.add(problem);
            Thread.currentThread().interrupt();
          }).start();
      // The keyset's listener was called before the manifest was asked for.
      assertTrue(problems.take().contains("/missing: java.io.IOException: the server answered with status 404"));
      assertEquals(0, activated.getCount());
      assertEquals(9, store.status().serial());
      assertEquals(Arrays.asList("pintle-fetcher", "pintle-fetcher"), told);
      assertEquals(2, log.thrown.size());
      // It still maintains the folder.
      Path stored = scene.folder.resolve("manifest.json");
      Files.delete(stored);
      while (!Files.exists(stored)) Thread.sleep(5);
      assertTrue(fetcher.thread().isAlive());
      fetcher.close();
      fetcher.thread().join();
      assertEquals("[]", problems.toString());
    }
  }

  /** In a thread of the program, what a listener leaves behind is the program's. */
  @Test
  public void interruptsOfTheProgram() throws Exception {
    PinStore store = PinStore.open(settings());
    store.addActivationListener(one -> Thread.currentThread().interrupt());
    store.update(StateScene.release(9, 0));
    assertTrue(Thread.interrupted());
  }

  /** What is closed says so. */
  @Test
  public void closed() throws Exception {
    PinStore store = PinStore.open(settings());
    PinFetcher fetcher = fetcher(store).start();
    assertStartFails(fetcher, "this fetcher was started before; it runs until it is closed");
    while (requests.isEmpty()) Thread.sleep(1); // of its first round, which has one URL
    fetcher.close();
    assertStartFails(fetcher, "this fetcher is closed; make a new one to fetch again");
    fetcher.thread().join();
    // The JDK may ask once more for the download that close() broke off.
    DownloadTest.awaitDownloads(0);
    int asked = requests.size();
    String problem = "the fetcher is closed, so it asks nobody; make a new one to fetch again";
    assertEquals(Collections.singletonList(problem), fetcher.fetch().problems());
    assertEquals(asked, requests.size());
    fetcher = fetcher(store);
    fetcher.close();
    assertStartFails(fetcher, "this fetcher is closed; make a new one to fetch again");
  }

  private static void assertStartFails(PinFetcher fetcher, String message) {
    try {
      fetcher.start();
      fail("started");
    } catch (IllegalStateException e) {
      assertEquals(message, e.getMessage());
    }
  }

  /** The thread repairs what is damaged on disk. */
  @Test(timeout = 60_000)
  public void maintains() throws Exception {
    file = StateScene.release(9, 0);
    try (StateScene scene = new StateScene()) {
      PinStore store = scene.open();
      store.update(file);
      Path stored = scene.folder.resolve("manifest.json");
      Files.delete(stored);
      try (PinFetcher fetcher = fetcher(store).housekeeping(20).start()) {
        while (!Files.exists(stored)) Thread.sleep(5);
        assertTrue(fetcher.thread().isAlive());
      }
    }
  }

  /** Tags are sent only for the release that is in force, and only as long as nothing is missing. */
  @Test
  public void entityTags() throws Exception {
    AtomicLong now = new AtomicLong(1_800_000_000L);
    PinStore store = PinStore.open(settings().clock(now::get));
    PinFetcher fetcher = fetcher(store);
    file = StateScene.release(3, 0);
    tag = "\"a\"";
    assertTrue(fetcher.fetch().isSuccessful());
    status = 304;
    assertTrue(fetcher.fetch().isSuccessful());
    // Another release came from elsewhere.
    store.update(StateScene.release(4, 0));
    String problems = fetcher.fetch().problems().toString();
    assertTrue(problems, problems.contains("status 304"));
    status = 200;
    file = StateScene.release(4, 0);
    assertTrue(fetcher.fetch().isSuccessful());
    // A newer one is due.
    now.set(4_069_008_000L);
    assertEquals("refresh-due", store.status().freshness());
    assertTrue(fetcher.fetch().isSuccessful());
    now.set(1_800_000_000L);
    tag = "\"" + String.join("", Collections.nCopies(300, "a")) + "\"";
    String date = "Sun, 06 Nov 1994 08:49:37 GMT";
    assertTrue(fetcher.fetch().isSuccessful());
    assertTrue(fetcher.fetch().isSuccessful());
    // What was rejected is asked for again.
    tag = "\"b\"";
    file = StateScene.release(2, 0);
    assertFalse(fetcher.fetch().isSuccessful());
    assertFalse(fetcher.fetch().isSuccessful());
    assertEquals(List.of("null null", "\"a\" " + date, "null null", "null null", "null null", "\"a\" " + date, "null " + date,
        "null " + date, "null null"), requests);
  }

  @Test
  public void retryAfter() throws Exception {
    AtomicLong now = new AtomicLong(1_800_000_000L);
    PinStore store = PinStore.open(settings().clock(now::get));
    PinFetcher fetcher = fetcher(store);
    for (int one : new int[] {429, 503}) {
      status = one;
      retryAfter = "100";
      assertEquals(100, fetcher.fetch().patience);
      int asked = requests.size();
      now.addAndGet(99);
      PinFetcher.Round round = fetcher.fetch();
      assertTrue(round.problems().toString(), round.problems().toString().endsWith("left alone for 1 more second]"));
      assertEquals(1, round.patience);
      assertEquals(asked, requests.size());
      now.addAndGet(1);
      assertEquals(100, fetcher.fetch().patience);
      assertEquals(asked + 1, requests.size());
      // A clock that was ahead was set right.
      now.addAndGet(-1000);
      retryAfter = "never";
      assertEquals(0, fetcher.fetch().patience);
      assertEquals(asked + 2, requests.size());
      retryAfter = "999999999999999999";
      assertEquals(900, fetcher.fetch().patience);
      now.addAndGet(900);
    }
    status = 500;
    assertEquals(0, fetcher.fetch().patience);
    now.set(System.currentTimeMillis() / 1000);
    store.update(StateScene.release(9, 0, 1));
    status = 503;
    assertEquals(3600, fetcher.fetch().patience);
  }

  @Test
  public void retryAfterForms() {
    long now = 784_111_777;
    assertEquals(0, FetchSource.seconds("Sun, 06 Nov 1994 08:49:37 GMT", now));
    assertEquals(0, FetchSource.seconds("Sun, 06 Nov 1994 08:49:30 GMT", now));
    assertEquals(60, FetchSource.seconds("Sun, 06 Nov 1994 08:50:37 GMT", now));
    assertEquals(91 * 86400, FetchSource.seconds("Sun, 05 Feb 1995 08:49:37 GMT", now));
    assertEquals(0, FetchSource.seconds("0", now));
    assertEquals(7, FetchSource.seconds("007", now));
    for (String wrong : new String[] {null, "", "-1", "1.5", "1 ", "9999999999999999999", "Sun, 06 Nov 1994 08:49:37", "now",
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 31 Feb 1995 08:49:37 GMT",
        "Sun, 06 Nox 1994 08:49:37 GMT", "Sun, 06 anF 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT"}) {
      assertEquals(String.valueOf(wrong), -1, FetchSource.seconds(wrong, now));
    }
  }
}
