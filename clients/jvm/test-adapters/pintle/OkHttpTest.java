package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import javax.net.ssl.SSLPeerUnverifiedException;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;
import pintle.okhttp.PinOkHttp;

/** OkHttp: hosts that could share a connection (HTTP/2), web sockets, and URLs without TLS. */
public class OkHttpTest {
  private static Nginx nginx;
  private static Authority authority;

  @BeforeClass
  public static void start() throws Exception {
    authority = new Authority().certify("all", "a.test", "b.test", "c.test").certify("own", "c.test");
    nginx = new Nginx();
    nginx.site("a.test", authority.file("all.pem"), authority.file("all.key"), " http2");
    nginx.beside("b.test", "a.test", authority.file("all.pem"), authority.file("all.key"), " http2");
    nginx.beside("c.test", "a.test", authority.file("own.pem"), authority.file("own.key"), " http2");
    nginx.start();
  }

  @AfterClass
  public static void stop() throws Exception {
    nginx.close();
    authority.close();
  }

  static OkHttpClient client(PinStore store) throws Exception {
    return PinOkHttp.protect(new OkHttpClient.Builder(), store)
        .dns(host -> Collections.singletonList(InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1})))
        .retryOnConnectionFailure(false).build();
  }

  static String get(OkHttpClient client, String host, int port) throws Exception {
    return get(client, host, port, "/");
  }

  static String get(OkHttpClient client, String host, int port, String path) throws Exception {
    String url = "https://" + host + ":" + port + path;
    try (Response response = client.newCall(new Request.Builder().url(url).build()).execute()) {
      return response.body().string();
    }
  }

  private static PinStore store(List<String> decided, String... hostsAndKeys) throws Exception {
    return PinStore.open(authority.settings(authority.release(1, hostsAndKeys))
        .listener((handshake, decision) -> decided.add(handshake.host())));
  }

  /**
   * The certificate of a.test is one for the others, too (RFC 7540 section 9.1.1). Each has a connection of its own all the
   * same: c.test has another key there, and if b.test is blocked, the connection of a.test stays.
   */
  @Test
  public void hostsShareNoConnection() throws Exception {
    String[][] cases = {{"b.test", "all"}, {"b.test", "nobody"}, {"b.test", null}, {"c.test", "own"}};
    for (String[] one : cases) {
      String host = one[0];
      List<String> decided = Collections.synchronizedList(new ArrayList<>());
      PinStore store = one[1] == null ? store(decided, "a.test", "all") : store(decided, "a.test", "all", host, one[1]);
      OkHttpClient client = client(store);
      int port = nginx.port("a.test");
      int before = nginx.requests(host).size();
      assertEquals("a.test", get(client, "a.test", port));
      boolean isBlocked = "nobody".equals(one[1]);
      try {
        assertEquals(host, get(client, host, port));
        assertTrue(!isBlocked);
      } catch (java.io.IOException e) {
        assertTrue(e.toString(), isBlocked && PinningException.in(e).decision().reason().equals("mismatch"));
      }
      assertEquals("a.test", get(client, "a.test", port));
      // A decision for each handshake and each request.
      String own = isBlocked ? host : host + ", " + host;
      assertEquals("[a.test, a.test, " + own + ", a.test]", decided.toString());
      int after = before + (isBlocked ? 0 : 1);
      assertEquals(after, nginx.requests(host, after).size());
      client.connectionPool().evictAll();
    }
  }

  /** What a web socket came to. */
  private static final class Outcome extends WebSocketListener {
    final LinkedBlockingQueue<Object> first = new LinkedBlockingQueue<>();

    @Override
    public void onOpen(WebSocket socket, Response response) {
      first.add("open");
    }

    @Override
    public void onFailure(WebSocket socket, Throwable error, Response response) {
      first.add(error);
    }
  }

  private static Object outcome(OkHttpClient client, String url, boolean isPinned) throws Exception {
    Outcome outcome = new Outcome();
    Request request = new Request.Builder().url(url).build();
    WebSocket socket = isPinned ? PinOkHttp.webSocket(client, request, outcome) : client.newWebSocket(request, outcome);
    Object first = outcome.first.take();
    socket.cancel();
    return first;
  }

  /** Each web socket has a connection of its own, decided in its handshake. */
  @Test(timeout = 60_000)
  public void webSockets() throws Exception {
    OkHttpClient client = client(store(new ArrayList<>(), "a.test", "all", "b.test", "nobody"));
    try (WebSocketServer server = new WebSocketServer(authority.file("all.pem"), authority.file("all.key"));
        ServerSocket plain = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      String url = "wss://a.test:" + server.port();
      assertEquals("open", outcome(client, url + "/open", true));
      // The server keeps these connections open, and OkHttp those for the next request.
      for (int i = 0; i < 2; i++) assertTrue(outcome(client, url + "/none", true) instanceof java.net.ProtocolException);
      assertEquals(3, server.connections());
      assertEquals("[GET /open HTTP/1.1, GET /none HTTP/1.1, GET /none HTTP/1.1]", server.requests().toString());
      Throwable blocked = (Throwable) outcome(client, "wss://b.test:" + server.port() + "/open", true);
      assertEquals("mismatch", PinningException.in(blocked).decision().reason());
      // Its own newWebSocket sends nothing, even if a connection is there.
      Throwable refused = (Throwable) outcome(client, url + "/open", false);
      assertTrue(refused.toString(), refused.getMessage().contains("PinOkHttp.webSocket"));
      assertEquals(3, server.requests().size());
      // Nothing goes out without TLS.
      server.redirectsTo("http://a.test:" + plain.getLocalPort() + "/");
      assertNotNull(((Throwable) outcome(client, url + "/elsewhere", true)).getMessage());
      assertEquals(4, server.requests().size());
      plain.setSoTimeout(1);
      try (Socket socket = plain.accept()) {
        fail("connected without TLS: " + socket);
      } catch (SocketTimeoutException e) {
        assertNotNull(e);
      }
      for (OkHttpClient one : new OkHttpClient[] {client, new OkHttpClient()}) {
        try {
          outcome(one, (one == client ? "ws" : "wss") + "://a.test:" + server.port() + "/open", true);
          fail("a web socket that nobody judges");
        } catch (IllegalArgumentException e) {
          assertTrue(e.getMessage(), e.getMessage().contains(one == client ? "wss" : "protect"));
        }
      }
    } finally {
      client.dispatcher().executorService().shutdownNow();
    }
  }

  /** No byte of a request goes out without TLS. */
  @Test
  public void plainHttp() throws Exception {
    OkHttpClient client = client(store(new ArrayList<>(), "a.test", "all"));
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      try {
        client.newCall(new Request.Builder().url("http://127.0.0.1:" + listener.getLocalPort() + "/").build()).execute();
        fail("the request was sent");
      } catch (SSLPeerUnverifiedException e) {
        assertTrue(e.getMessage(), e.getMessage().contains("without TLS"));
      }
      client.connectionPool().evictAll();
      try (Socket socket = listener.accept()) {
        assertEquals(-1, socket.getInputStream().read());
      }
    }
  }
}
