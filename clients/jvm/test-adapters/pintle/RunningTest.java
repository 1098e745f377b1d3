package pintle;

import static org.junit.Assert.assertEquals;
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
import java.util.ArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import javax.net.ssl.HttpsURLConnection;
import org.junit.Test;
import pintle.java11.PinHttpClient;
import pintle.netty.PinNetty;

/** Answers that run while a manifest takes effect, with each library: what it blocks ends, and what it doesn't goes on. */
public class RunningTest extends Running {
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
        assertRefused(ended(get, path, isWaiting, true));
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
