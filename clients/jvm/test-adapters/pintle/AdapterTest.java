package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLPeerUnverifiedException;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;
import pintle.java11.PinHttpClient;
import pintle.netty.PinNetty;
import pintle.okhttp.PinOkHttp;

/**
 * OkHttp, Java's HttpClient, HttpsURLConnection and Netty with nginx: the table of the fixtures, connections of a pool under
 * a newer manifest, and connections that are shared by several hosts. A blocked server gets no byte of a request.
 */
public class AdapterTest {
  private static Nginx nginx;
  private static Authority authority;

  @BeforeClass
  public static void start() throws Exception {
    authority = new Authority().certify("both", "a.test", "b.test");
    nginx = new Nginx();
    for (Object one : Fixtures.cases("cases.json")) nginx.fixture((String) Json.object(one).get("host"));
    Path chain = authority.file("both.pem");
    nginx.site("a.test", chain, authority.file("both.key"), " http2");
    nginx.beside("b.test", "a.test", chain, authority.file("both.key"), " http2");
    nginx.start();
  }

  @AfterClass
  public static void stop() throws Exception {
    nginx.close();
    authority.close();
  }

  /** What a library's client does with a URL: the answer's body. */
  private interface Get {
    String get(String host, int port) throws Exception;
  }

  private static PinStore store(byte[] manifest) throws Exception {
    return PinStore.open(Fixtures.settings(manifest).recentPeriod(0));
  }

  private static String outcome(Get client, String host) throws Exception {
    try {
      return client.get(host, nginx.port(host));
    } catch (Exception e) {
      PinningException why = PinningException.in(e);
      if (why == null) throw e;
      Decision decision = why.decision();
      return "rejected: " + decision.reason();
    }
  }

  /** Each row of the fixtures, and how many bytes of requests arrived. */
  private static void table(Get client) throws Exception {
    for (Object value : Fixtures.cases("cases.json")) {
      Map<String, Object> row = Json.object(value);
      String host = (String) row.get("host");
      int before = nginx.requests(host).size();
      boolean isAllowed = row.get("disposition").equals("useCredential");
      assertEquals(host, isAllowed ? host : "rejected: " + row.get("reason"), outcome(client, host));
      int after = before + (isAllowed ? 1 : 0);
      assertEquals(host, after, nginx.requests(host, after).size());
    }
  }

  private static OkHttpClient okHttp(PinStore store) throws Exception {
    return PinOkHttp.protect(new OkHttpClient.Builder(), store)
        .dns(host -> Collections.singletonList(InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1})))
        .retryOnConnectionFailure(false).build();
  }

  private static Get of(OkHttpClient client) {
    return (host, port) -> {
      try (Response response = client.newCall(new Request.Builder().url("https://" + host + ":" + port + "/").build()).execute()) {
        return response.body().string();
      }
    };
  }

  @Test
  public void okHttp() throws Exception {
    PinStore store = store(Fixtures.file("manifest.json"));
    OkHttpClient client = okHttp(store);
    table(of(client));
    // A connection of the pool, under a newer manifest.
    assertEquals("allowed.test", outcome(of(client), "allowed.test"));
    assertTrue(client.connectionPool().connectionCount() > 0);
    int before = nginx.requests("allowed.test").size();
    store.update(Fixtures.file("newer.json"));
    assertEquals("rejected: mismatch", outcome(of(client), "allowed.test"));
    assertEquals("rejected: mismatch", outcome(of(client), "allowed.test"));
    assertEquals(before, nginx.requests("allowed.test").size());
  }

  /** The connection for a.test also is one for b.test (RFC 7540 section 9.1.1), whose pins it must satisfy then. */
  @Test
  public void okHttpCoalesces() throws Exception {
    byte[] root = Fixtures.pem(authority.file("root.pem")).get(0);
    byte[] leaf = Fixtures.pem(authority.file("both.pem")).get(0);
    for (String which : new String[] {"same", "other", "none"}) {
      Map<String, Object> keys = Release.map("leaf", Release.map("pin", Fixtures.pin(leaf)), "other",
          Release.map("pin", java.util.Base64.getEncoder().encodeToString(new byte[32])));
      Map<String, Object> sets = Release.map("leaf", Release.map("active", Release.list("leaf"), "backup", Release.list()),
          "other", Release.map("active", Release.list("other"), "backup", Release.list()));
      List<Object> hosts = new ArrayList<>();
      hosts.add(Release.map("host", "a.test", "key-set", "leaf", "mode", "enforce"));
      if (!which.equals("none")) {
        hosts.add(Release.map("host", "b.test", "key-set", which.equals("same") ? "leaf" : "other", "mode", "enforce"));
      }
      byte[] manifest = Release.sign(
          SignedFile.MANIFEST, Release.content(1, keys, sets, hosts.toArray()), Release.Signer.ofFixtures());
      List<Object> decisions = new ArrayList<>();
      PinStore store = PinStore.open(Fixtures.settings(manifest).anchors(Collections.singletonList(Fixtures.certificate(root)))
          .listener((handshake, decision) -> decisions.add(handshake.host)));
      OkHttpClient client = okHttp(store);
      int port = nginx.port("a.test");
      int before = nginx.requests("b.test").size();
      assertEquals("a.test", of(client).get("a.test", port));
      assertEquals(which.equals("other") ? "rejected: mismatch" : "b.test", outcome(of(client), "b.test"));
      // One handshake, and a decision for each request: without coalescing there would be two of b.test.
      assertEquals("[a.test, a.test, b.test]", decisions.toString());
      int after = before + (which.equals("other") ? 0 : 1);
      assertEquals(after, nginx.requests("b.test", after).size());
      client.connectionPool().evictAll();
    }
  }

  @Test
  public void httpClient() throws Exception {
    PinStore store = store(Fixtures.file("manifest.json"));
    PinHttpClient clients = new PinHttpClient(store, () -> HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1));
    Get get = (host, port) -> clients.get().send(
        HttpRequest.newBuilder(URI.create("https://" + host + ":" + port + "/")).build(),
        HttpResponse.BodyHandlers.ofString()).body();
    table(get);
    HttpClient before = clients.get();
    assertSame(before, clients.get());
    int requests = nginx.requests("allowed.test").size();
    store.update(Fixtures.file("newer.json"));
    assertNotSame(before, clients.get());
    assertEquals("rejected: mismatch", outcome(get, "allowed.test"));
    assertEquals(requests, nginx.requests("allowed.test").size());
    HttpClient last = clients.get();
    clients.close();
    store.update(Fixtures.file("newer.json"));
    assertSame(last, clients.get());
  }

  @Test
  public void urlConnection() throws Exception {
    PinStore store = store(Fixtures.file("manifest.json"));
    table((host, port) -> {
      javax.net.ssl.HttpsURLConnection connection =
          (javax.net.ssl.HttpsURLConnection) URI.create("https://" + host + ":" + port + "/").toURL().openConnection();
      connection.setSSLSocketFactory(PinContext.of(store).getSocketFactory());
      try {
        return new String(connection.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      } finally {
        connection.disconnect();
      }
    });
  }

  @Test
  public void netty() throws Exception {
    PinStore store = store(Fixtures.file("manifest.json"));
    SslContext context = PinNetty.client(store);
    NioEventLoopGroup group = new NioEventLoopGroup(1);
    try {
      table((host, port) -> {
        SslHandler[] handler = new SslHandler[1];
        Channel channel = new Bootstrap().group(group).channel(NioSocketChannel.class)
            .handler(new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                handler[0] = context.newHandler(channel.alloc(), host, port);
                channel.pipeline().addLast(handler[0], new Quiet());
              }
            }).connect("127.0.0.1", port).sync().channel();
        // Written at once: it must wait for the handshake.
        channel.writeAndFlush(Unpooled.copiedBuffer("GET / HTTP/1.0\r\n\r\n", StandardCharsets.US_ASCII));
        try {
          handler[0].handshakeFuture().sync();
        } finally {
          channel.closeFuture().await(10000);
        }
        return host;
      });
      Channel channel = new Bootstrap().group(group).channel(NioSocketChannel.class)
          .handler(new Quiet()).connect("127.0.0.1", nginx.port("unpinned.test")).sync().channel();
      SslHandler hostless = context.newHandler(channel.alloc());
      channel.pipeline().addFirst(hostless);
      try {
        hostless.handshakeFuture().sync();
        fail("a handler without a host was allowed");
      } catch (Exception e) {
        assertNotNull(e.getMessage());
      } finally {
        channel.close().sync();
      }
    } finally {
      group.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
    }
  }

  /** The failure of a handshake is the handshake future's, too. */
  private static final class Quiet extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable error) {
      context.close();
    }
  }

  /** No byte of a request goes out without TLS. */
  @Test
  public void plainHttp() throws Exception {
    OkHttpClient client = okHttp(store(Fixtures.file("manifest.json")));
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
