package pintle;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;

/**
 * Web sockets over TLS (RFC 6455 section 4.2.2): /open is one, /elsewhere is redirected, /whole is an answer, /length, /chunked
 * and /endless are answers that begin with "first" and go on with {@link #send}, /never has none, and anything else is missing.
 */
final class WebSocketServer implements AutoCloseable {
  private final ServerSocket listener;
  private final AtomicInteger connections = new AtomicInteger();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final List<Socket> running = new CopyOnWriteArrayList<>();
  private volatile String location;
  private volatile SSLContext context;

  WebSocketServer(Path chain, Path key) throws Exception {
    present(chain, key);
    listener = new ServerSocket(0, 8, InetAddress.getByName("127.0.0.1"));
    thread(this::accept);
  }

  /** Has another certificate from the next connection on. */
  void present(Path chain, Path key) throws Exception {
    SSLContext next = SSLContext.getInstance("TLS");
    next.init(Fixtures.keys(Fixtures.pem(chain), Fixtures.pem(key).get(0)), null, null);
    context = next;
  }

  private interface Work {
    void run() throws Exception;
  }

  private static void thread(Work work) {
    Thread thread = new Thread(() -> {
      try {
        work.run();
      } catch (Exception e) {
        // The client, or the test, has closed the socket.
        return;
      }
    });
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() throws Exception {
    while (true) {
      Socket plain = listener.accept();
      sockets.add(plain);
      thread(() -> answer(context.getSocketFactory().createSocket(plain, null, true)));
    }
  }

  private void answer(Socket socket) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    boolean isFirst = true;
    for (String request; (request = lines.readLine()) != null; isFirst = false) {
      if (isFirst) connections.incrementAndGet();
      requests.add(request);
      String key = "";
      for (String line; !(line = lines.readLine()).isEmpty();) {
        if (line.toLowerCase(java.util.Locale.ROOT).startsWith("sec-websocket-key:")) key = line.substring(18).trim();
      }
      String path = request.split(" ")[1];
      if (!path.equals("/whole")) running.add(socket);
      socket.getOutputStream().write(head(path, key).getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** Sends bytes on all connections whose answer runs. */
  void send(byte[] bytes) {
    for (Socket socket : running) {
      try {
        socket.getOutputStream().write(bytes);
      } catch (IOException e) {
        running.remove(socket);
      }
    }
  }

  private String head(String path, String key) throws Exception {
    if (path.equals("/elsewhere")) return "HTTP/1.1 302 Found\r\nLocation: " + location + "\r\nContent-Length: 0\r\n\r\n";
    String answer = "HTTP/1.1 200 OK\r\n";
    if (path.equals("/whole")) return answer + "Content-Length: 5\r\n\r\nwhole";
    if (path.equals("/length")) return answer + "Content-Length: 100\r\n\r\nfirst";
    if (path.equals("/chunked")) return answer + "Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n";
    if (path.equals("/never")) return "";
    if (path.equals("/endless")) return answer + "\r\nfirst";
    if (!path.equals("/open")) return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    byte[] digest = MessageDigest.getInstance("SHA-1")
        .digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.US_ASCII));
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
        + Base64.getEncoder().encodeToString(digest) + "\r\n\r\n";
  }

  int port() {
    return listener.getLocalPort();
  }

  void redirectsTo(String url) {
    location = url;
  }

  /** The connections that had a request. */
  int connections() {
    return connections.get();
  }

  /** The first lines of all requests. */
  List<String> requests() {
    return requests;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) socket.close();
  }
}
