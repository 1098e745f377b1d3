package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.junit.Test;
import pintle.okhttp.PinOkHttp;

/** OkHttp while a manifest takes effect: HTTP/2, web sockets, connections of the pool, and requests without an answer. */
public class OkHttpRunningTest extends Running {
  /** A server that hasn't answered yet. */
  @Test(timeout = 60_000)
  public void okHttpBeforeTheAnswer() throws Exception {
    OkHttpClient client = OkHttpTest.client(store).newBuilder().retryOnConnectionFailure(true).build();
    Future<Object> end = threads.submit(() -> {
      try {
        return okHttp(client, server.port()).open("a.test", "/never");
      } catch (IOException e) {
        return e;
      }
    });
    while (server.requests().isEmpty()) Thread.sleep(5);
    updateThatBlocksA();
    assertRefused(end.get());
    assertEquals(1, server.requests().size());
  }

  /** HTTP/2, whose answers share a connection. */
  @Test(timeout = 60_000)
  public void okHttpWithStreams() throws Exception {
    Files.write(authority.file("large"), new byte[8 << 20]);
    String slow = "location = /slow { limit_rate 100000; alias " + authority.file("large") + "; }";
    try (Nginx nginx = new Nginx()) {
      nginx.site("a.test", authority.file("all.pem"), authority.file("all.key"), " http2", slow);
      nginx.site("b.test", authority.file("all.pem"), authority.file("all.key"), " http2", slow);
      nginx.start();
      OkHttpClient client = OkHttpTest.client(store);
      InputStream[] a = {null, null};
      for (int i = 0; i < 2; i++) a[i] = okHttp(client, nginx.port("a.test")).open("a.test", "/slow");
      InputStream b = okHttp(client, nginx.port("b.test")).open("b.test", "/slow");
      for (InputStream one : new InputStream[] {a[0], a[1], b}) assertEquals(0, one.read());
      assertEquals(2, client.connectionPool().connectionCount());
      updateThatBlocksNothing();
      for (InputStream one : new InputStream[] {a[0], a[1], b}) read(one, 4000);
      updateThatBlocksA();
      for (InputStream one : a) assertRefused(end(one));
      read(b, 4000);
      b.close();
    }
  }

  /** What a web socket receives, and what ends it. */
  private static final class Messages extends WebSocketListener {
    final LinkedBlockingQueue<Object> events = new LinkedBlockingQueue<>();

    @Override
    public void onOpen(WebSocket socket, Response response) {
      events.add("open");
    }

    @Override
    public void onMessage(WebSocket socket, String text) {
      events.add(text);
    }

    @Override
    public void onMessage(WebSocket socket, okio.ByteString bytes) {
      events.add(bytes);
    }

    @Override
    public void onClosing(WebSocket socket, int code, String reason) {
      events.add(code + " " + reason);
      socket.close(code, reason);
    }

    @Override
    public void onClosed(WebSocket socket, int code, String reason) {
      events.add("closed " + code);
    }

    @Override
    public void onFailure(WebSocket socket, Throwable error, Response response) {
      events.add(error);
    }
  }

  /** A frame from a server (RFC 6455 section 5.2). */
  private static byte[] frame(int opcode, String content) {
    byte[] bytes = ("  " + content).getBytes(StandardCharsets.US_ASCII);
    bytes[0] = (byte) (0x80 | opcode);
    bytes[1] = (byte) content.length();
    return bytes;
  }

  @Test(timeout = 60_000)
  public void webSockets() throws Exception {
    OkHttpClient client = OkHttpTest.client(store);
    Messages a = new Messages();
    Messages b = new Messages();
    WebSocket socket = PinOkHttp.webSocket(client, request("a.test"), a);
    assertEquals("open", a.events.take());
    WebSocket other = PinOkHttp.webSocket(client, request("b.test"), b);
    assertEquals("open", b.events.take());
    updateThatBlocksNothing();
    server.send(frame(1, "text"));
    server.send(frame(2, "x"));
    for (Messages one : new Messages[] {a, b}) assertEquals("text [text=x]", one.events.take() + " " + one.events.take());
    updateThatBlocksA();
    assertRefused(a.events.take());
    assertTrue(!socket.send("after"));
    server.send(frame(1, "again"));
    assertEquals("again", b.events.take());
    // The listener still learns how a server ends one, and that the program does.
    server.send(frame(8, "\u000c\u0000bye"));
    assertEquals("3072 bye", b.events.take());
    other.cancel();
    assertNull(a.events.poll());
    Messages cancelled = new Messages();
    other = PinOkHttp.webSocket(client, request("b.test"), cancelled);
    assertEquals("open", cancelled.events.take());
    other.cancel();
    assertNull(PinningException.in((Throwable) cancelled.events.take()));
  }

  private Request request(String host) {
    return new Request.Builder().url("wss://" + host + ":" + server.port() + "/open").build();
  }

  /** An idle connection that is blocked is gone, so that the first request meets the server's new certificate. */
  @Test(timeout = 60_000)
  public void rotation() throws Exception {
    OkHttpClient client = OkHttpTest.client(store);
    assertEquals("whole", OkHttpTest.get(client, "a.test", server.port(), "/whole"));
    updateThatBlocksNothing();
    assertEquals("whole", OkHttpTest.get(client, "a.test", server.port(), "/whole"));
    assertEquals(1, server.connections());
    server.present(authority.file("next.pem"), authority.file("next.key"));
    store.update(authority.release(3, "a.test", "next", "b.test", "all", "c.test", "nobody"));
    assertEquals("whole", OkHttpTest.get(client, "a.test", server.port(), "/whole"));
    assertEquals(2, server.connections());
  }

  /** Time alone ends no connection, but the next request on one isn't sent, and the one after that has another. */
  @Test(timeout = 60_000)
  public void entryThatExpires() throws Exception {
    AtomicLong now = new AtomicLong(1_800_000_000L);
    AtomicInteger decisions = new AtomicInteger();
    Map<String, Object> fields = Release.map("expires", "2028-01-01T00:00:00Z", "on-expiry", "block");
    store = PinStore.open(authority.settings(authority.release(1, fields, "a.test", "all")).clock(now::get)
        .listener((handshake, decision) -> decisions.incrementAndGet()));
    try (Nginx nginx = new Nginx()) {
      nginx.site("a.test", authority.file("all.pem"), authority.file("all.key"), " http2").start();
      OkHttpClient client = OkHttpTest.client(store);
      for (int i = 1; i <= 2; i++) {
        assertEquals("a.test", OkHttpTest.get(client, "a.test", nginx.port("a.test")));
        // For the handshake and for each request.
        assertEquals(i == 1 ? 2 : 5, decisions.get());
        if (i == 2) break;
        now.set(1_900_000_000L);
        try {
          OkHttpTest.get(client, "a.test", nginx.port("a.test"));
          fail("sent");
        } catch (IOException e) {
          assertEquals("expired", PinningException.in(e).decision().reason());
        }
        now.set(1_800_000_000L);
      }
      assertEquals(2, nginx.requests("a.test").size());
    }
  }
}
