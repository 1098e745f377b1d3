package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import javax.net.ssl.HttpsURLConnection;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Test;
import pintle.java11.PinHttpClient;
import pintle.netty.PinNetty;
import pintle.okhttp.PinOkHttp;

/** Answers and web sockets that run while a manifest takes effect: what it blocks ends, and what it doesn't goes on. */
public class RunningTest {
  private static Authority authority;
  private ExecutorService threads;
  private WebSocketServer server;
  private PinStore store;

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
  private interface Get {
    InputStream open(String host, String path) throws Exception;
  }

  /** So many bytes. Java's own readNBytes then still asks for none, which waits for the next. */
  private static String read(InputStream input, int count) throws IOException {
    byte[] bytes = new byte[count];
    for (int found = 0; found < count;) {
      int more = input.read(bytes, found, count - found);
      if (more < 0) throw new IOException("the answer ended after " + found + " bytes");
      found += more;
    }
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  /** What ended an answer: an exception, or what was read until its end. */
  private static Object end(InputStream input) {
    try {
      return new String(input.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      return e;
    }
  }

  private void updateThatBlocksNothing() throws Exception {
    store.update(authority.release(2, "a.test", "all", "b.test", "all", "c.test", "nobody"));
  }

  private void updateThatBlocksA() throws Exception {
    store.update(authority.release(3, "a.test", "nobody", "b.test", "all", "c.test", "nobody"));
  }

  /**
   * Answers of two hosts, of which one is blocked.
   *
   * @param isWaiting whether a thread reads the answer meanwhile
   * @param isAtOnce whether the answer ends with the update, not only with the next bytes
   */
  private Object ended(Get get, String path, boolean isWaiting, boolean isAtOnce) throws Exception {
    byte[] more = (path.equals("/chunked") ? "4\r\nmore\r\n" : "more").getBytes(StandardCharsets.US_ASCII);
    InputStream a = get.open("a.test", path);
    InputStream b = get.open("b.test", path);
    assertEquals("firstfirst", read(a, 5) + read(b, 5));
    updateThatBlocksNothing();
    server.send(more);
    for (InputStream one : new InputStream[] {a, b}) assertEquals("more", read(one, 4));
    Future<Object> end = isWaiting ? threads.submit(() -> end(a)) : null;
    updateThatBlocksA();
    Object found = isAtOnce ? isWaiting ? end.get() : end(a) : null;
    server.send(more);
    if (!isAtOnce) found = isWaiting ? end.get() : end(a);
    assertEquals("more", read(b, 4));
    b.close();
    return found;
  }

  private static void assertRefused(Object found) {
    PinningException why = found instanceof Throwable ? PinningException.in((Throwable) found) : null;
    assertTrue(String.valueOf(found), why != null && why.decision().reason().equals("mismatch"));
  }

  private Get okHttp(OkHttpClient client, int port) {
    return (host, path) -> client.newCall(new Request.Builder().url("https://" + host + ":" + port + path).build()).execute()
        .body().byteStream();
  }

  @Test(timeout = 60_000)
  public void okHttp() throws Exception {
    for (String path : new String[] {"/length", "/chunked", "/endless"}) {
      for (boolean isWaiting : new boolean[] {true, false}) {
        stop();
        start();
        assertRefused(ended(okHttp(OkHttpTest.client(store), server.port()), path, isWaiting, true));
      }
    }
  }

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

  /** Java's words, but not the end of the answer. */
  @Test(timeout = 60_000)
  public void urlConnection() throws Exception {
    Get get = (host, path) -> {
      HttpsURLConnection connection =
          (HttpsURLConnection) URI.create("https://" + host + ":" + server.port() + path).toURL().openConnection();
      connection.setSSLSocketFactory(PinContext.forUrlConnections(store));
      return connection.getInputStream();
    };
    for (String path : new String[] {"/length", "/chunked", "/endless"}) {
      for (boolean isWaiting : new boolean[] {true, false}) {
        stop();
        start();
        Object found = ended(get, path, isWaiting, true);
        assertTrue(path + " " + found, found instanceof IOException);
      }
    }
  }

  @Test(timeout = 60_000)
  public void httpClient() throws Exception {
    for (String path : new String[] {"/length", "/chunked", "/endless"}) {
      stop();
      start();
      PinHttpClient clients = new PinHttpClient(store, () -> HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1));
      Get get = (host, one) -> clients.get().send(
          HttpRequest.newBuilder(URI.create("https://" + host + ":" + server.port() + one)).build(),
          HttpResponse.BodyHandlers.ofInputStream()).body();
      assertRefused(ended(get, path, true, false));
    }
  }

  /** A channel, which a manifest ends when bytes arrive, and also when the program sends some. */
  @Test(timeout = 60_000)
  public void netty() throws Exception {
    NioEventLoopGroup group = new NioEventLoopGroup(1);
    try {
      for (boolean isSending : new boolean[] {true, false}) {
        stop();
        start();
        SslContext context = PinNetty.client(store);
        LinkedBlockingQueue<Object> events = new LinkedBlockingQueue<>();
        Channel channel = new Bootstrap().group(group).channel(NioSocketChannel.class)
            .handler(new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(context.newHandler(channel.alloc(), "a.test", server.port()), new Events(events));
              }
            }).connect("127.0.0.1", server.port()).sync().channel();
        channel.writeAndFlush(Unpooled.copiedBuffer("GET /endless HTTP/1.1\r\n\r\n", StandardCharsets.US_ASCII));
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("first")) head.append(events.take());
        updateThatBlocksNothing();
        server.send("more".getBytes(StandardCharsets.US_ASCII));
        assertEquals("more", events.take());
        updateThatBlocksA();
        if (isSending) {
          channel.writeAndFlush(Unpooled.copiedBuffer("GET / HTTP/1.1\r\n\r\n", StandardCharsets.US_ASCII));
        } else {
          server.send("more".getBytes(StandardCharsets.US_ASCII));
        }
        assertRefused(events.take());
        channel.closeFuture().sync();
        assertEquals(1, server.requests().size());
      }
    } finally {
      group.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
    }
  }

  /** What arrives, and what fails. */
  private static final class Events extends ChannelInboundHandlerAdapter {
    private final LinkedBlockingQueue<Object> events;

    Events(LinkedBlockingQueue<Object> events) {
      this.events = events;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
      events.add(((ByteBuf) bytes).toString(StandardCharsets.US_ASCII));
      ((ByteBuf) bytes).release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable error) {
      events.add(error);
      context.close();
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

  /** A store lives as long as the program; what its clients add to it mustn't. */
  @Test
  public void clientsLeaveNothingBehind() throws Exception {
    for (int i = 0; i < 3; i++) {
      OkHttpTest.client(store);
      new PinHttpClient(store, HttpClient::newBuilder).get();
      PinNetty.client(store);
      PinContext.of(store);
    }
    assertEquals(new ArrayList<>(), store.activationListeners);
  }
}
