package pintle;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * nginx on loopback, one process, one port for each site. Every byte of a request that arrives leaves a line in the log,
 * also if the request isn't complete; {@link #requests} first makes a request of its own, so that nothing is on its way.
 */
final class Nginx implements AutoCloseable {
  private final Path folder = Files.createTempDirectory("pintle-nginx");
  private final Map<String, Integer> ports = new LinkedHashMap<>();
  private final List<String> servers = new ArrayList<>();
  private Process process;
  private final int ownPort;

  Nginx() throws IOException {
    ownPort = freePort();
    servers.add("server { listen 127.0.0.1:" + ownPort + "; location / { return 200 \"own\"; } }");
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** A site with a chain and key in PEM; further directives such as {@code ssl_protocols TLSv1.2;}. */
  Nginx site(String host, Path chain, Path key, String listen, String... directives) throws IOException {
    int port = ports.containsKey(host) ? ports.get(host) : freePort();
    ports.put(host, port);
    servers.add("server { listen 127.0.0.1:" + port + " ssl" + listen + "; server_name " + host + ";\n  ssl_certificate "
        + chain.toAbsolutePath() + "; ssl_certificate_key " + key.toAbsolutePath() + ";\n  " + String.join(" ", directives)
        + "\n  location / { return 200 \"" + host + "\"; } }");
    return this;
  }

  /** A site under a port that another one has, told apart by the name that clients ask for. */
  Nginx beside(String host, String other, Path chain, Path key, String listen) throws IOException {
    ports.put(host, ports.get(other));
    return site(host, chain, key, listen);
  }

  Nginx fixture(String host, String... directives) throws IOException {
    return site(host, Fixtures.FOLDER.resolve(host + "/chain.pem"), Fixtures.FOLDER.resolve(host + "/key.pem"), "", directives);
  }

  int port(String host) {
    return ports.get(host);
  }

  Nginx start() throws Exception {
    String configuration = "daemon off; master_process off; worker_processes 1; pid " + folder + "/pid;\n"
        + "error_log " + folder + "/error.log info; events { worker_connections 64; }\nhttp {\n"
        + "log_format pintle '$server_name $ssl_session_reused $request_length \"$request\"';\n"
        + "access_log " + folder + "/access.log pintle;\nssl_protocols TLSv1.2 TLSv1.3;\nssl_session_cache builtin:100;\n"
        + "client_body_temp_path " + folder + "/t1; proxy_temp_path " + folder + "/t2; fastcgi_temp_path " + folder
        + "/t3; uwsgi_temp_path " + folder + "/t4; scgi_temp_path " + folder + "/t5;\n" + String.join("\n", servers) + "\n}\n";
    Path file = folder.resolve("nginx.conf");
    Files.write(file, configuration.getBytes(StandardCharsets.UTF_8));
    process = new ProcessBuilder("/usr/sbin/nginx", "-e", folder + "/start.log", "-p", folder.toString(), "-c", file.toString())
        .redirectErrorStream(true).redirectOutput(folder.resolve("output").toFile()).start();
    for (int attempt = 0; attempt < 500; attempt++) {
      if (!process.isAlive()) break;
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress("127.0.0.1", ownPort), 1000);
        return this;
      } catch (IOException e) {
        Thread.sleep(10);
      }
    }
    String output = new String(Files.readAllBytes(folder.resolve("output")), StandardCharsets.UTF_8);
    close();
    throw new IOException("nginx didn't start: " + output);
  }

  /** The lines of the log about a host: name, {@code r} for a resumed session, bytes of the request, its first line. */
  List<String> requests(String host) throws Exception {
    if (!process.isAlive()) {
      List<String> log = Files.readAllLines(folder.resolve("error.log"));
      throw new IOException("nginx ended with status " + process.exitValue() + ": "
          + String.join("\n", log.subList(Math.max(0, log.size() - 20), log.size())));
    }
    try (Socket socket = new Socket("127.0.0.1", ownPort)) {
      socket.getOutputStream().write("GET /mark HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      while (socket.getInputStream().read() >= 0) continue;
    }
    List<String> lines = new ArrayList<>();
    for (String line : Files.readAllLines(folder.resolve("access.log"))) if (line.startsWith(host + " ")) lines.add(line);
    return lines;
  }

  /** The same, once so many are there: of a connection that the client still closes, nginx writes the line afterwards. */
  List<String> requests(String host, int expected) throws Exception {
    for (int i = 0; i < 500 && requests(host).size() < expected; i++) Thread.sleep(10);
    return requests(host);
  }

  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    Scratch.remove(folder);
  }
}
