package pintle;

import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;

/** Two hosts that are allowed at first, and two updates: one that blocks nothing, and one that blocks a.test. */
abstract class Running {
  static Authority authority;
  ExecutorService threads;
  WebSocketServer server;
  PinStore store;

  @BeforeClass
  public static void certify() throws Exception {
    authority = new Authority().certify("all", "a.test", "b.test").certify("next", "a.test");
  }

  @AfterClass
  public static void remove() throws Exception {
    authority.close();
  }

  @Before
  public void start() throws Exception {
    threads = Executors.newCachedThreadPool();
    server = new WebSocketServer(authority.file("all.pem"), authority.file("all.key"));
    store = PinStore.open(authority.settings(authority.release(1, "a.test", "all", "b.test", "all")));
  }

  @After
  public void stop() throws Exception {
    server.close();
    threads.shutdownNow();
  }

  /** How a library opens an answer. */
  interface Get {
    InputStream open(String host, String path) throws Exception;
  }

  static Get okHttp(OkHttpClient client, int port) {
    return (host, path) -> client.newCall(new Request.Builder().url("https://" + host + ":" + port + path).build()).execute()
        .body().byteStream();
  }

  /** So many bytes. Java's own readNBytes then still asks for none, which waits for the next. */
  static String read(InputStream input, int count) throws IOException {
    byte[] bytes = new byte[count];
    for (int found = 0; found < count;) {
      int more = input.read(bytes, found, count - found);
      if (more < 0) throw new IOException("the answer ended after " + found + " bytes");
      found += more;
    }
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  /** What ended an answer: an exception, or what was read until its end. */
  static Object end(InputStream input) {
    try {
      return new String(input.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      return e;
    }
  }

  void updateThatBlocksNothing() throws Exception {
    store.update(authority.release(2, "a.test", "all", "b.test", "all", "c.test", "nobody"));
  }

  void updateThatBlocksA() throws Exception {
    store.update(authority.release(3, "a.test", "nobody", "b.test", "all", "c.test", "nobody"));
  }

  static void assertRefused(Object found) {
    PinningException why = found instanceof Throwable ? PinningException.in((Throwable) found) : null;
    assertTrue(String.valueOf(found), why != null && why.decision().reason().equals("mismatch"));
  }
}
