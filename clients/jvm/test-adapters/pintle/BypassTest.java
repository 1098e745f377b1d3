package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.Provider;
import java.security.Security;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.SocketFactory;
import javax.net.ssl.HandshakeCompletedEvent;
import javax.net.ssl.HandshakeCompletedListener;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.X509TrustManager;
import okhttp3.ConnectionSpec;
import okhttp3.OkHttpClient;
import org.apache.http.client.methods.HttpGet;
import org.apache.http.conn.ssl.NoopHostnameVerifier;
import org.apache.http.conn.ssl.SSLConnectionSocketFactory;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClients;
import org.bouncycastle.jsse.provider.BouncyCastleJsseProvider;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Test;
import pintle.java11.PinHttpClient;
import pintle.netty.PinNetty;
import pintle.okhttp.PinOkHttp;

/**
 * Each place where the check is handed to somebody else's code, with code there that doesn't honour it. The two impostors have
 * certificates for the host, one by the authority that the store trusts, one by another: neither gets a byte.
 */
public class BypassTest {
  private static final byte[] SECRET = "GET /secret HTTP/1.1\r\nHost: a.test\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  /** What these log of refusals, which are expected here. */
  private static final Logger[] QUIET = {Logger.getLogger("org.bouncycastle"), Logger.getLogger("io.netty.channel")};
  private static Authority authority;
  private static Authority other;
  private static Impostor server;
  private static Impostor[] impostors;
  private PinStore store;

  @BeforeClass
  public static void start() throws Exception {
    for (Logger one : QUIET) one.setLevel(Level.OFF);
    authority = new Authority().certify("own", "a.test").certify("thief", "a.test");
    other = new Authority().certify("alien", "a.test");
    server = new Impostor(authority.file("own.pem"), authority.file("own.key"));
    impostors = new Impostor[] {new Impostor(authority.file("thief.pem"), authority.file("thief.key")),
        new Impostor(other.file("alien.pem"), other.file("alien.key"))};
  }

  @AfterClass
  public static void stop() throws Exception {
    for (AutoCloseable one : new AutoCloseable[] {server, impostors[0], impostors[1], authority, other}) one.close();
  }

  @Before
  public void open() throws Exception {
    store = PinStore.open(authority.settings(authority.release(1, "a.test", "own")));
  }

  @After
  public void removeProviders() {
    Security.removeProvider("AskingNobody");
    Security.removeProvider("BCJSSE");
  }

  /** Something that sends {@link #SECRET}, or another request, by any means. */
  interface Client {
    void send(int port) throws Exception;
  }

  /** Each client sends to the server, so that the count counts, and nothing to the impostors. */
  private void rows(Map<String, Client> rows, boolean reachesServer) throws Exception {
    for (Map.Entry<String, Client> row : rows.entrySet()) {
      for (Impostor one : impostors) {
        try {
          row.getValue().send(one.port());
        } catch (Exception e) {
          // What counts is what arrives.
        }
        assertEquals(row.getKey(), 0, one.received());
      }
      if (!reachesServer) continue;
      row.getValue().send(server.port());
      assertTrue(row.getKey(), server.received() > 0);
    }
  }

  private interface Step {
    void on(SSLSocket socket) throws Exception;
  }

  private static void send(Socket socket, Step before) throws Exception {
    try (SSLSocket tls = (SSLSocket) socket) {
      before.on(tls);
      try {
        tls.startHandshake();
      } catch (IOException e) {
        // Who ignores this goes on to write.
      }
      for (int i = 0; i < 2; i++) {
        try {
          tls.getOutputStream().write(SECRET);
          tls.getInputStream().read();
          break;
        } catch (IOException e) {
          if (i == 1) throw e;
        }
      }
    }
  }

  private static Socket layered(SSLSocketFactory factory, String host, int port) throws IOException {
    return factory.createSocket(new Socket(InetAddress.getLoopbackAddress(), port), host, port, true);
  }

  private static SSLParameters with(SSLParameters parameters, String algorithm) {
    parameters.setEndpointIdentificationAlgorithm(algorithm);
    parameters.setServerNames(Collections.singletonList(new SNIHostName("other.test")));
    return parameters;
  }

  private Map<String, Client> sockets(SSLSocketFactory factory) {
    Map<String, Client> rows = new LinkedHashMap<>();
    rows.put("the exception of the handshake is ignored", port -> send(layered(factory, "a.test", port), socket -> {}));
    rows.put("a socket that connects itself", port -> send(factory.createSocket("a.test", port), socket -> {}));
    rows.put("a socket that is connected later", port -> send(factory.createSocket(),
        socket -> socket.connect(new InetSocketAddress("a.test", port))));
    rows.put("no endpoint identification", port -> send(layered(factory, "a.test", port),
        socket -> socket.setSSLParameters(with(socket.getSSLParameters(), null))));
    rows.put("another endpoint identification", port -> send(layered(factory, "a.test", port),
        socket -> socket.setSSLParameters(with(socket.getSSLParameters(), ""))));
    rows.put("a listener of handshakes", port -> {
      CountDownLatch done = new CountDownLatch(1);
      send(layered(factory, "a.test", port), socket -> socket.addHandshakeCompletedListener(event -> {
        try {
          event.getSocket().getOutputStream().write(SECRET);
        } catch (IOException e) {
          // Refused.
        } finally {
          done.countDown();
        }
      }));
      done.await(10, TimeUnit.SECONDS);
    });
    return rows;
  }

  private static void sendAsServer(Socket socket) throws Exception {
    send(socket, tls -> {
      // Both sides wait for the other's first message.
      tls.setSoTimeout(500);
      tls.setUseClientMode(false);
      tls.setEnabledCipherSuites(tls.getSupportedCipherSuites());
    });
  }

  @Test(timeout = 120_000)
  public void sockets() throws Exception {
    SSLSocketFactory factory = PinContext.of(store).getSocketFactory();
    rows(sockets(factory), true);
    rows(Collections.singletonMap("the mode of servers", port -> sendAsServer(layered(factory, "a.test", port))), false);
    rows(Collections.singletonMap("no host", port -> send(layered(factory, null, port), socket -> {})), false);
    rows(Collections.singletonMap("an address", port -> send(factory.createSocket(InetAddress.getByName("127.0.0.1"), port),
        socket -> {})), false);
  }

  /** Ignores all exceptions, and goes on for a while. */
  private static void send(SSLEngine engine, int port) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(500);
      ByteBuffer request = ByteBuffer.wrap(SECRET);
      ByteBuffer incoming = ByteBuffer.allocate(1 << 16);
      for (int i = 0; i < 40 && request.hasRemaining(); i++) {
        try {
          if (!Anonymous.step(engine, socket, request, incoming)) return;
        } catch (IOException | RuntimeException e) {
          // Two servers would wait for each other.
          if (e instanceof SocketTimeoutException && !engine.getUseClientMode()) return;
        }
      }
      if (request.hasRemaining()) throw new IOException("not sent");
      socket.getInputStream().read();
    }
  }

  private Map<String, Client> engines(SSLContext context) {
    Map<String, Client> rows = new LinkedHashMap<>();
    rows.put("exceptions of an engine are ignored", port -> send(context.createSSLEngine("a.test", port), port));
    rows.put("an engine without endpoint identification", port -> {
      SSLEngine engine = context.createSSLEngine("a.test", port);
      engine.setSSLParameters(with(engine.getSSLParameters(), null));
      send(engine, port);
    });
    return rows;
  }

  @Test(timeout = 120_000)
  public void engines() throws Exception {
    SSLContext context = PinContext.of(store);
    rows(engines(context), true);
    rows(Collections.singletonMap("an engine without a host", port -> send(context.createSSLEngine(), port)), false);
    rows(Collections.singletonMap("an engine as a server", port -> {
      SSLEngine engine = context.createSSLEngine("a.test", port);
      engine.setUseClientMode(false);
      send(engine, port);
    }), false);
  }

  /** A trust manager around this one, which forgets what it says, in contexts of the program's own. */
  @Test(timeout = 120_000)
  public void swallowingTrustManager() throws Exception {
    SSLContext context = Trusting.context(new Trusting.Manager(PinTrustManager.forServers(store)));
    rows(sockets(context.getSocketFactory()), true);
    rows(Collections.singletonMap("an engine", port -> {
      SSLEngine engine = context.createSSLEngine("a.test", port);
      engine.setUseClientMode(true);
      send(engine, port);
    }), true);
    // One that isn't extended hands over no socket, so no host.
    PinTrustManager pinned = PinTrustManager.forServers(store);
    SSLContext plain = Trusting.context(new X509TrustManager() {
      @Override
      public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String type)
          throws java.security.cert.CertificateException {
        pinned.checkServerTrusted(chain, type);
      }

      @Override
      public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String type) {}

      @Override
      public java.security.cert.X509Certificate[] getAcceptedIssuers() {
        return new java.security.cert.X509Certificate[0];
      }
    });
    rows(Collections.singletonMap("a trust manager without sockets",
        port -> send(layered(plain.getSocketFactory(), "a.test", port), socket -> {})), false);
  }

  private Map<String, Client> libraries(NioEventLoopGroup group) throws Exception {
    Map<String, Client> rows = new LinkedHashMap<>();
    SSLContext trusting = Trusting.context(new Trusting.Manager(null));
    X509TrustManager all = new Trusting.Manager(null);
    OkHttpClient pinned = PinOkHttp.protect(new OkHttpClient.Builder(), store).retryOnConnectionFailure(false).build();
    Map<String, OkHttpClient> clients = new LinkedHashMap<>();
    clients.put("as it is", pinned);
    clients.put("a socket factory", pinned.newBuilder().sslSocketFactory(trusting.getSocketFactory(), all).build());
    clients.put("a verifier of names", pinned.newBuilder().hostnameVerifier((host, session) -> true).build());
    clients.put("both", pinned.newBuilder().sslSocketFactory(trusting.getSocketFactory(), all)
        .hostnameVerifier((host, session) -> true).connectionSpecs(Collections.singletonList(ConnectionSpec.COMPATIBLE_TLS)).build());
    OkHttpClient.Builder bare = pinned.newBuilder().hostnameVerifier((host, session) -> true).socketFactory(SocketFactory.getDefault());
    bare.interceptors().clear();
    bare.networkInterceptors().clear();
    clients.put("no interceptors", bare.build());
    clients.forEach((name, client) -> rows.put("OkHttp, " + name, port -> {
      try {
        OkHttpTest.get(client, "a.test", port);
      } finally {
        client.connectionPool().evictAll();
      }
    }));
    rows.put("HttpsURLConnection", port -> {
      HttpsURLConnection connection = (HttpsURLConnection) URI.create("https://a.test:" + port + "/").toURL().openConnection();
      connection.setSSLSocketFactory(PinContext.forUrlConnections(store));
      connection.setHostnameVerifier((host, session) -> true);
      try (InputStream input = connection.getInputStream()) {
        input.readAllBytes();
      }
    });
    PinHttpClient http = new PinHttpClient(store, () -> HttpClient.newBuilder().sslContext(trusting)
        .sslParameters(with(trusting.getDefaultSSLParameters(), null)));
    rows.put("HttpClient", port -> http.get().send(HttpRequest.newBuilder(URI.create("https://a.test:" + port + "/")).build(),
        HttpResponse.BodyHandlers.discarding()));
    SslContext netty = PinNetty.client(store);
    SslContext own = SslContextBuilder.forClient().trustManager(new Trusting.Manager(PinTrustManager.forServers(store))).build();
    for (SslContext context : new SslContext[] {netty, own}) {
      rows.put(context == own ? "Netty with a trust manager that forgets" : "Netty", port -> {
        Channel channel = new Bootstrap().group(group).channel(NioSocketChannel.class).handler(new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel channel) {
            SslHandler handler = context.newHandler(channel.alloc(), "a.test", port);
            handler.engine().setSSLParameters(with(handler.engine().getSSLParameters(), null));
            channel.pipeline().addLast(handler);
          }
        }).connect("127.0.0.1", port).sync().channel();
        channel.writeAndFlush(Unpooled.copiedBuffer(SECRET));
        channel.closeFuture().await(10_000);
      });
    }
    SSLConnectionSocketFactory apache = new SSLConnectionSocketFactory(PinContext.of(store), NoopHostnameVerifier.INSTANCE);
    rows.put("Apache HttpClient", port -> {
      try (CloseableHttpClient client = HttpClients.custom().setSSLSocketFactory(apache).disableAutomaticRetries().build()) {
        client.execute(new HttpGet("https://a.test:" + port + "/"), response -> null);
      }
    });
    return rows;
  }

  @Test(timeout = 120_000)
  public void libraries() throws Exception {
    NioEventLoopGroup group = new NioEventLoopGroup(1);
    SSLContext before = SSLContext.getDefault();
    SSLSocketFactory factory = HttpsURLConnection.getDefaultSSLSocketFactory();
    javax.net.ssl.HostnameVerifier verifier = HttpsURLConnection.getDefaultHostnameVerifier();
    try {
      SSLContext trusting = Trusting.context(new Trusting.Manager(null));
      SSLContext.setDefault(trusting);
      HttpsURLConnection.setDefaultSSLSocketFactory(trusting.getSocketFactory());
      HttpsURLConnection.setDefaultHostnameVerifier((host, session) -> true);
      rows(libraries(group), true);
    } finally {
      SSLContext.setDefault(before);
      HttpsURLConnection.setDefaultSSLSocketFactory(factory);
      HttpsURLConnection.setDefaultHostnameVerifier(verifier);
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }

  /** A provider in front that asks no trust manager: without it, all of this would reach the impostors. */
  @Test(timeout = 120_000)
  public void providerThatAsksNobody() throws Exception {
    NioEventLoopGroup group = new NioEventLoopGroup(1);
    Security.insertProviderAt(new Trusting.AskingNobody(), 1);
    try {
      assertEquals("AskingNobody", SSLContext.getInstance("TLS").getProvider().getName());
      Map<String, Client> rows = new LinkedHashMap<>(libraries(group));
      rows.remove("Netty with a trust manager that forgets");
      rows.keySet().removeIf(name -> name.equals("OkHttp, a socket factory") || name.equals("OkHttp, both"));
      rows.putAll(sockets(PinContext.of(store).getSocketFactory()));
      rows.putAll(engines(PinContext.of(store)));
      rows(rows, false);
      try {
        send(layered(PinContext.of(store).getSocketFactory(), "a.test", server.port()), socket -> {});
        fail("nobody was asked");
      } catch (IOException e) {
        assertTrue(e.toString(), e.getMessage().contains("without asking Pintle"));
      }
      // It does what it says.
      send(layered(SSLContext.getInstance("TLS").getSocketFactory(), "a.test", impostors[0].port()), socket -> {});
      assertTrue(impostors[0].received() > 0);
      server.received();
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }

  /** Bouncy Castle's JSSE in front of the platform's. */
  @Test(timeout = 120_000)
  public void bouncyCastle() throws Exception {
    Provider provider = new BouncyCastleJsseProvider(false, new org.bouncycastle.jce.provider.BouncyCastleProvider());
    Security.insertProviderAt(provider, 1);
    assertEquals("BCJSSE", PinContext.of(store).getProvider().getName());
    Map<String, Client> rows = new LinkedHashMap<>();
    rows.putAll(sockets(PinContext.of(store).getSocketFactory()));
    rows.putAll(engines(PinContext.of(store)));
    // It knows only the address of a socket that is connected later, so its own check of the name fails.
    rows(Collections.singletonMap("connected later", rows.remove("a socket that is connected later")), false);
    rows(rows, true);
    try (SSLSocket socket = (SSLSocket) PinContext.of(store).getSocketFactory().createSocket()) {
      socket.connect(new InetSocketAddress("a.test", impostors[0].port()));
      socket.startHandshake();
      fail("an impostor was allowed");
    } catch (IOException e) {
      assertEquals("mismatch", PinningException.in(e).decision().reason());
    }
    impostors[0].received();
    // It would take the second attempt for a renegotiation.
    try (SSLSocket socket = (SSLSocket) layered(PinContext.of(store).getSocketFactory(), "a.test", impostors[0].port())) {
      for (int i = 0; i < 3; i++) {
        try {
          if (i == 1) socket.getOutputStream().write(SECRET);
          else socket.startHandshake();
          fail("an impostor was allowed");
        } catch (IOException e) {
          assertEquals("mismatch", PinningException.in(e).decision().reason());
        }
      }
    }
    assertEquals(0, impostors[0].received());
  }

  /** Listeners of handshakes get the pinned socket, also from platforms that call them within the handshake. */
  @Test(timeout = 60_000)
  public void listenersOfHandshakes() throws Exception {
    try (SSLSocket platform = (SSLSocket) layered(PinContext.of(store).getSocketFactory(), "a.test", server.port())) {
      List<HandshakeCompletedListener> listeners = new ArrayList<>();
      int[] handshakes = {0};
      SSLSocket calling = new ForwardingSocket(((PinSocket) platform).socket) {
        @Override
        public void addHandshakeCompletedListener(HandshakeCompletedListener listener) {
          listeners.add(listener);
        }

        @Override
        public void removeHandshakeCompletedListener(HandshakeCompletedListener listener) {
          listeners.remove(listener);
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
          return socket.getOutputStream();
        }

        @Override
        public void startHandshake() throws IOException {
          handshakes[0]++;
          socket.startHandshake();
          // The decision is known by the socket that the trust manager was called with.
          store.connections.allow(this);
          for (HandshakeCompletedListener one : listeners) one.handshakeCompleted(new HandshakeCompletedEvent(this, getSession()));
        }
      };
      PinSocket pinned = new PinSocket(calling, store.connections);
      List<Object> found = new ArrayList<>();
      HandshakeCompletedListener listener = event -> {
        found.add(event.getSocket());
        try {
          event.getSocket().getOutputStream().write(SECRET);
        } catch (IOException e) {
          found.add(e);
        }
      };
      pinned.addHandshakeCompletedListener(listener);
      pinned.startHandshake();
      assertEquals(Collections.singletonList(pinned), found);
      assertEquals(1, handshakes[0]);
      pinned.removeHandshakeCompletedListener(listener);
      assertEquals(Collections.emptyList(), listeners);
    }
    assertEquals(SECRET.length, server.received());
  }

  /** A tunnel in TLS to a proxy that is known; behind it is an impostor. */
  @Test(timeout = 120_000)
  public void tlsInTls() throws Exception {
    SSLSocketFactory factory = PinContext.of(store).getSocketFactory();
    rows(Collections.singletonMap("a tunnel", port -> {
      try (Relay relay = new Relay(authority.file("own.pem"), authority.file("own.key"), port)) {
        Socket tunnel = factory.createSocket("a.test", relay.port());
        send(factory.createSocket(tunnel, "a.test", port, true), socket -> {});
      }
    }), true);
  }

  /** Cipher suites without certificates, for which no trust manager is called; a JVM of its own, because others turn them off. */
  @Test(timeout = 120_000)
  public void anonymousCipherSuites() throws Exception {
    assertEquals("[socket: 0, engine: 0, without Pintle's sockets: " + SECRET.length + "]", Anonymous.run(SECRET));
  }

  /** A builder that keeps its own context, and one that follows redirects to http. */
  @Test
  public void buildersOfHttpClients() throws Exception {
    HttpClient plain = HttpClient.newHttpClient();
    HttpClient.Builder builder = (HttpClient.Builder) java.lang.reflect.Proxy.newProxyInstance(getClass().getClassLoader(),
        new Class<?>[] {HttpClient.Builder.class}, (proxy, method, arguments) -> method.getName().equals("build") ? plain : proxy);
    for (HttpClient.Builder one : new HttpClient.Builder[] {builder,
        HttpClient.newBuilder().followRedirects(HttpClient.Redirect.ALWAYS)}) {
      try {
        new PinHttpClient(store, () -> one).get();
        fail("a client that can go around the store");
      } catch (IllegalStateException e) {
        assertTrue(e.getMessage(), e.getMessage().contains("use "));
      }
    }
  }

  /** A method that isn't overridden would act on the socket or engine that has no connection. */
  @Test
  public void everyMethodIsForwarded() throws Exception {
    for (Class<?>[] pair : new Class<?>[][] {{SSLSocket.class, PinSocket.class}, {SSLEngine.class, PinEngine.class}}) {
      for (Method method : pair[0].getMethods()) {
        if (method.getDeclaringClass() == Object.class || (method.getModifiers() & (Modifier.STATIC | Modifier.FINAL)) != 0) continue;
        Class<?> owner = pair[1].getMethod(method.getName(), method.getParameterTypes()).getDeclaringClass();
        // The others of the engine call these.
        if (pair[0] == SSLEngine.class && method.getName().matches("wrap|unwrap|getPeerHost|getPeerPort")) continue;
        assertTrue(method.toString(), owner.getPackage() == PinSocket.class.getPackage());
      }
    }
  }
}
