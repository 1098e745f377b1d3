package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.HttpCookie;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.junit.Test;

/** One request and its answer, byte by byte: what is sent, through which proxy, and which answers can't be read. */
public class HttpGetTest {
  /** Answers each request with the same bytes, or passes a tunnel on. */
  private static final class Server implements AutoCloseable {
    final ServerSocket listener;
    final List<String> heads = new CopyOnWriteArrayList<>();

    Server(ServerSocket listener, String answer) {
      this.listener = listener;
      daemon(() -> {
        while (true) {
          Socket socket = listener.accept();
          daemon(() -> serve(socket, answer));
        }
      });
    }

    Server(String answer) throws IOException {
      this(new ServerSocket(0, 8, InetAddress.getByName("127.0.0.1")), answer);
    }

    private void serve(Socket socket, String answer) throws IOException {
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) head.append((char) socket.getInputStream().read());
      heads.add(head.toString());
      if (head.indexOf("CONNECT ") == 0 && answer.isEmpty()) {
        String[] to = head.toString().split(" ")[1].split(":");
        Socket other = new Socket(InetAddress.getByName(to[0]), Integer.parseInt(to[1]));
        write(socket, "HTTP/1.1 200 Connected\r\n\r\n");
        daemon(() -> pass(other.getInputStream(), socket.getOutputStream()));
        pass(socket.getInputStream(), other.getOutputStream());
      }
      write(socket, answer);
      socket.close();
    }

    private static void write(Socket socket, String text) throws IOException {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
    }

    private static void pass(InputStream from, OutputStream to) throws IOException {
      for (int one; (one = from.read()) >= 0;) {
        to.write(one);
        to.flush();
      }
    }

    private interface Work {
      void run() throws IOException;
    }

    private static void daemon(Work work) {
      Thread thread = new Thread(() -> {
        try {
          work.run();
        } catch (IOException e) {
          // The other side, or the test, has closed the socket.
          return;
        }
      });
      thread.setDaemon(true);
      thread.start();
    }

    Proxy proxy() {
      return new Proxy(Proxy.Type.HTTP, new InetSocketAddress("127.0.0.1", listener.getLocalPort()));
    }

    String at(String path) {
      return "http://127.0.0.1:" + listener.getLocalPort() + path;
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }

  private static String fetched(String url, Proxy proxy, SSLSocketFactory factory) {
    try {
      Map<String, String> conditions = Collections.singletonMap("If-None-Match", "\"a\"");
      Download download = new Download(new URL(url), conditions, 20, System.nanoTime() + 20_000_000_000L, factory);
      download.proxy = proxy;
      Download.Answer answer = download.get();
      return answer.status + (answer.body == null ? "" : " " + new String(answer.body, StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  private static String fetched(String url) {
    return fetched(url, Proxy.NO_PROXY, null);
  }

  @Test(timeout = 60_000)
  public void answers() throws Exception {
    String ok = "HTTP/1.1 200 OK\r\n";
    String chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
    Map<String, String> table = new LinkedHashMap<>();
    table.put(ok + "Content-Length: 3\r\n\r\nabcd", "200 abc");
    table.put(ok + "content-length:3\nContent-Length: 3\n\nabc", "200 abc");
    table.put(ok + "\r\nabc", "200 abc");
    table.put("HTTP/1.0 200\r\n\r\n", "200 ");
    table.put("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok + "Content-Length: 1\r\n\r\na", "200 a");
    table.put(chunked + "3\r\nabc\r\n0A ;x=y\r\n0123456789\r\n0\r\nX: y\r\n\r\n", "200 abc0123456789");
    table.put("HTTP/1.1 304 Not Modified\r\n\r\n", "304");
    table.put("HTTP/1.1 302 Found\r\n\r\n", "302");
    table.put("HTTP/1.1 101 Switching Protocols\r\n\r\n", "101");
    table.put("HTTP/1.1 204 No Content\r\n\r\n", "204");
    table.put("", "the answer is cut off");
    table.put(ok, "the answer is cut off");
    table.put(ok + "Content-Length: 3\r\n\r\nab", "the answer is cut off");
    table.put(chunked + "3\r\nabc\r\n", "the answer is cut off");
    table.put(chunked + "3\r\nabc\r\n0\r\n", "the answer is cut off");
    table.put(chunked + "3\r\nabcd\r\n0\r\n\r\n", "the answer has a chunk that doesn't end where it says");
    table.put(chunked + "-3\r\nabc\r\n0\r\n\r\n", "the answer has a length that isn't one");
    table.put(chunked + "ffffffffffffffff\r\na", "the answer has a length that isn't one");
    table.put(chunked + "ffffff\r\n" + "0123456789".repeat(3), "the answer has more than 20 bytes");
    table.put(ok + "\r\n" + "0123456789".repeat(3), "the answer has more than 20 bytes");
    table.put(ok + "Content-Length: 30\r\n\r\n" + "0123456789".repeat(3), "the answer has more than 20 bytes");
    table.put(ok + "Content-Length: -1\r\n\r\n", "the answer has a length that isn't one");
    table.put(ok + "Content-Length: 1, 1\r\n\r\na", "the answer has a length that isn't one");
    table.put(ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", "the answer has two Content-Length");
    table.put(ok + "Transfer-Encoding: gzip, chunked\r\n\r\n", "the answer's Transfer-Encoding isn't chunked");
    table.put(ok + "Content-Encoding: gzip\r\n\r\na", "the answer is encoded");
    for (String field : new String[] {"no colon", ": a", " folded: a", "A : b"}) {
      table.put(ok + field + "\r\n\r\na", "the answer has a header field that can't be read");
    }
    for (String first : new String[] {"HTTP/2 200 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 020 OK", "SSH-2.0-x", ""}) {
      table.put(first + "\r\n\r\n", "the answer isn't HTTP/1.1");
    }
    table.put(ok + "X: " + "y".repeat(70_000), "the answer's head has more than 65536 bytes");
    table.put(chunked + "1;" + "y".repeat(70_000), "the answer's head has more than 65536 bytes");
    table.put("HTTP/1.1 100 Continue\r\n\r\n".repeat(20), "the server sends only interim answers");
    table.put("HTTP/1.1 302 Found\r\nLocation: http://other.test/\r\n\r\n", "redirected to another host, port or scheme");
    for (Map.Entry<String, String> row : table.entrySet()) {
      try (Server server = new Server(row.getKey())) {
        assertEquals(row.getKey(), row.getValue(), fetched(server.at("/m")));
      }
    }
  }

  /** What isn't visible ASCII can't end the line of the request. */
  @Test(timeout = 60_000)
  public void requests() throws Exception {
    try (Server server = new Server("HTTP/1.1 204 No Content\r\n\r\n")) {
      for (String path : new String[] {"", "?q", "/a\u00e4?b c\r\nX: y"}) fetched(server.at(path));
      String rest = " HTTP/1.1\r\nHost: " + server.at("").substring(7) + "\r\nUser-Agent: pintle-jvm\r\nAccept: */*\r\n"
          + "Accept-Encoding: identity\r\nConnection: close\r\nIf-None-Match: \"a\"\r\n\r\n";
      assertEquals("GET /" + rest, server.heads.get(0));
      assertEquals("GET /?q" + rest, server.heads.get(1));
      assertEquals("GET /a%C3%A4?b%20c%0D%0AX:%20y" + rest, server.heads.get(2));
    }
  }

  /**
   * A mirror, or a proxy, that wants to know who asks gets nothing of what the program has for others
   * (jvm-authenticator).
   */
  @Test(timeout = 60_000)
  public void nothingOfTheProgramsDefaults() throws Exception {
    List<String> used = new CopyOnWriteArrayList<>();
    ProxySelector selector = ProxySelector.getDefault();
    CookieHandler cookies = CookieHandler.getDefault();
    CookieManager jar = new CookieManager();
    for (String status : new String[] {"401", "407"}) {
      String answer = "HTTP/1.1 " + status + " U\r\nWWW-Authenticate: Basic realm=\"x\"\r\n"
          + "Proxy-Authenticate: Basic realm=\"x\"\r\nSet-Cookie: new=b\r\nContent-Length: 0\r\n\r\n";
      try (Server server = new Server(answer)) {
        jar.getCookieStore().add(new URI(server.at("/")), new HttpCookie("old", "secret"));
        CookieHandler.setDefault(jar);
        Authenticator.setDefault(new Authenticator() {
          @Override
          protected PasswordAuthentication getPasswordAuthentication() {
            used.add("authenticator");
            return new PasswordAuthentication("user", "secret".toCharArray());
          }
        });
        ProxySelector.setDefault(new ProxySelector() {
          @Override
          public List<Proxy> select(URI uri) {
            used.add("selector for " + uri);
            return Collections.singletonList(Proxy.NO_PROXY);
          }

          @Override
          public void connectFailed(URI uri, SocketAddress address, IOException error) {
            used.add("selector for " + uri);
          }
        });
        System.setProperty("socksProxyHost", "127.0.0.1");
        System.setProperty("socksProxyPort", "1");
        for (int i = 0; i < 2; i++) assertEquals(status, fetched(server.at("/m")));
        assertEquals(status, fetched("http://mirror.test/m", server.proxy(), null));
        assertEquals("the proxy answered with status " + status, fetched("https://mirror.test/m", server.proxy(), null));
        assertEquals(4, server.heads.size());
        for (String head : server.heads) {
          assertFalse(head, head.matches("(?is).*(authorization|cookie|secret).*"));
        }
        assertEquals(1, jar.getCookieStore().getCookies().size());
      } finally {
        System.clearProperty("socksProxyHost");
        System.clearProperty("socksProxyPort");
        ProxySelector.setDefault(selector);
        CookieHandler.setDefault(cookies);
        Authenticator.setDefault(null);
        jar.getCookieStore().removeAll();
      }
    }
    assertEquals(Collections.emptyList(), used);
  }

  @Test(timeout = 60_000)
  public void proxies() throws Exception {
    String answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na";
    SSLContext own = SSLContext.getInstance("TLS");
    own.init(Fixtures.keys("127.0.0.1"), null, null);
    SSLContext trusting = SSLContext.getInstance("TLS");
    trusting.init(null, new TrustManager[] {PlatformTrust.of(Fixtures.root()).manager()}, null);
    ServerSocket listener = own.getServerSocketFactory().createServerSocket(0, 8, InetAddress.getByName("127.0.0.1"));
    try (Server plain = new Server(answer); Server tunnel = new Server(""); Server tls = new Server(listener, answer)) {
      assertEquals("200 a", fetched("http://mirror.test/m?q", plain.proxy(), null));
      String head = plain.heads.get(0);
      assertTrue(head, head.startsWith("GET http://mirror.test/m?q HTTP/1.1\r\nHost: mirror.test\r\n"));
      String url = tls.at("/m").replace("http:", "https:");
      assertEquals("200 a", fetched(url, tunnel.proxy(), trusting.getSocketFactory()));
      String authority = tls.at("").substring(7);
      assertEquals("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n", tunnel.heads.get(0));
      assertTrue(tls.heads.get(0), tls.heads.get(0).startsWith("GET /m HTTP/1.1\r\n"));
    }
  }
}
