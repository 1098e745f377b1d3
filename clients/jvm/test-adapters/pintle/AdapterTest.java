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
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import okhttp3.OkHttpClient;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;
import pintle.java11.PinHttpClient;
import pintle.netty.PinNetty;

/**
 * OkHttp, Java's HttpClient, HttpsURLConnection and Netty with nginx: the table of the fixtures, and connections of a pool
 * under a newer manifest. A blocked server gets no byte of a request.
 */
public class AdapterTest {
  private static Nginx nginx;

  @BeforeClass
  public static void start() throws Exception {
    nginx = new Nginx();
    for (Object one : Fixtures.cases("cases.json")) nginx.fixture((String) Json.object(one).get("host"));
    nginx.start();
  }

  @AfterClass
  public static void stop() throws Exception {
    nginx.close();
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

  private static Get of(OkHttpClient client) {
    return (host, port) -> OkHttpTest.get(client, host, port);
  }

  @Test
  public void okHttp() throws Exception {
    PinStore store = store(Fixtures.file("manifest.json"));
    OkHttpClient client = OkHttpTest.client(store);
    table(of(client));
    // A connection of the pool, under a newer manifest.
    assertEquals("allowed.test", outcome(of(client), "allowed.test"));
    int before = nginx.requests("allowed.test").size();
    store.update(Fixtures.file("newer.json"));
    assertEquals("rejected: mismatch", outcome(of(client), "allowed.test"));
    assertEquals("rejected: mismatch", outcome(of(client), "allowed.test"));
    assertEquals(before, nginx.requests("allowed.test").size());
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
    // Also when another keyset takes effect.
    PinStore other = PinStore.open(PinStoreSettings.keyset(StateScene.keyset(1), "test").anchors(Fixtures.root()));
    PinHttpClient ofOther = new PinHttpClient(other, HttpClient::newBuilder);
    before = ofOther.get();
    other.updateKeyset(StateScene.keyset(2));
    assertNotSame(before, ofOther.get());
  }

  /** If no new client can be made, the old one must not be given out. */
  @Test
  public void httpClientThatFails() throws Exception {
    PinStore store = store(Fixtures.file("manifest.json"));
    boolean[] fails = {true};
    PinHttpClient clients = new PinHttpClient(store, () -> {
      if (fails[0]) throw new IllegalStateException("no settings");
      return HttpClient.newBuilder();
    });
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 2; i++) {
        try {
          clients.get();
          fail("an old client, or none");
        } catch (IllegalStateException e) {
          assertEquals("no settings", e.getMessage());
        }
      }
      fails[0] = false;
      assertNotNull(clients.get());
      fails[0] = true;
      store.update(Fixtures.file("newer.json"));
    }
  }

  @Test
  public void urlConnection() throws Exception {
    PinStore store = store(Fixtures.file("manifest.json"));
    table((host, port) -> {
      javax.net.ssl.HttpsURLConnection connection =
          (javax.net.ssl.HttpsURLConnection) URI.create("https://" + host + ":" + port + "/").toURL().openConnection();
      connection.setSSLSocketFactory(PinContext.forUrlConnections(store));
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
}
