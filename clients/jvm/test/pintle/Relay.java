package pintle;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A proxy that is spoken to in TLS: what is in that, it passes on. */
final class Relay implements AutoCloseable {
  private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());

  Relay(Path chain, Path key, int port) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS", "SunJSSE");
    context.init(Fixtures.keys(Fixtures.pem(chain), Fixtures.pem(key).get(0)), null, null);
    start(() -> {
      SSLSocket front = (SSLSocket) context.getSocketFactory().createSocket(server.accept(), null, true);
      front.setUseClientMode(false);
      Socket behind = new Socket(InetAddress.getLoopbackAddress(), port);
      start(() -> pass(front, behind));
      pass(behind, front);
    });
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread = new Thread(() -> {
      try {
        work.run();
      } catch (IOException e) {
        // One side has ended.
        return;
      }
    }, "relay");
    thread.setDaemon(true);
    thread.start();
  }

  private static void pass(Socket from, Socket to) throws IOException {
    try (from; to) {
      InputStream input = from.getInputStream();
      OutputStream output = to.getOutputStream();
      byte[] buffer = new byte[8192];
      for (int count; (count = input.read(buffer)) >= 0;) output.write(buffer, 0, count);
    }
  }

  int port() {
    return server.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
