package pintle;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A TLS server that counts the bytes that it can read, and answers what ends as the head of a request does. */
final class Impostor implements AutoCloseable {
  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final SSLContext context = SSLContext.getInstance("TLS");
  private final List<Thread> connections = new CopyOnWriteArrayList<>();
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger bytes = new AtomicInteger();

  /** As PostgreSQL begins TLS: a request of 8 bytes, and the answer S. */
  volatile boolean isDatabase;

  Impostor(Path chain, Path key) throws Exception {
    context.init(Fixtures.keys(Fixtures.pem(chain), Fixtures.pem(key).get(0)), null, null);
    Thread thread = new Thread(this::accept, "impostor");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return server.getLocalPort();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket plain = server.accept();
        Thread thread = new Thread(() -> serve(plain), "impostor");
        thread.setDaemon(true);
        connections.add(thread);
        thread.start();
        accepted.incrementAndGet();
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket plain) {
    try {
      if (isDatabase) {
        plain.getInputStream().readNBytes(8);
        plain.getOutputStream().write('S');
      }
    } catch (IOException e) {
      return;
    }
    try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, null, true)) {
      socket.setUseClientMode(false);
      // So that a client that waits as well isn't waited for.
      socket.setSoTimeout(5000);
      InputStream input = socket.getInputStream();
      StringBuilder head = new StringBuilder();
      for (int one; (one = input.read()) >= 0;) {
        bytes.incrementAndGet();
        if (!head.append((char) one).toString().endsWith("\r\n\r\n")) continue;
        String answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
        socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
        return;
      }
    } catch (IOException | RuntimeException e) {
      // Most connections of these tests fail.
      return;
    }
  }

  /** The bytes since the last call, once all connections have ended. */
  int received() throws Exception {
    int before = accepted.get();
    new Socket(InetAddress.getLoopbackAddress(), port()).close();
    // Connections are accepted in their order, so those before this one are known afterwards.
    for (int i = 0; i < 1000 && accepted.get() <= before; i++) Thread.sleep(5);
    for (Thread one : connections) {
      one.join(20_000);
      if (one.isAlive()) throw new IOException("a connection is still open");
    }
    connections.clear();
    return bytes.getAndSet(0);
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
