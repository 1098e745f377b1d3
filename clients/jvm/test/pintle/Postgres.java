package pintle;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** PostgreSQL with TLS on loopback, as another user than root, which it refuses to run as. */
final class Postgres implements AutoCloseable {
  private final Path folder = Files.createTempDirectory("pintle-postgres");
  private final Path programs;
  private final Process process;
  final int port;

  Postgres(Path chain, Path key) throws Exception {
    Path found = null;
    try (DirectoryStream<Path> versions = Files.newDirectoryStream(Paths.get("/usr/lib/postgresql"))) {
      for (Path one : versions) if (Files.exists(one.resolve("bin/initdb"))) found = one.resolve("bin");
    }
    if (found == null) throw new IOException("there is no /usr/lib/postgresql/*/bin/initdb; run Scripts/install-packages test");
    programs = found;
    Files.copy(chain, folder.resolve("chain.pem"));
    Files.copy(key, folder.resolve("key.pem"));
    run(false, "chmod", "600", folder + "/key.pem");
    if (isRoot()) run(false, "chown", "-R", "postgres", folder.toString());
    run(true, programs + "/initdb", "-D", folder + "/data", "-A", "trust", "-U", "test", "--no-sync", "-E", "UTF8", "--locale=C");
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    process = start(true, programs + "/postgres", "-D", folder + "/data", "-k", folder.toString(), "-p", Integer.toString(port), "-c",
        "listen_addresses=127.0.0.1", "-c", "ssl=on", "-c", "ssl_cert_file=" + folder + "/chain.pem", "-c",
        "ssl_key_file=" + folder + "/key.pem", "-c", "fsync=off");
    for (int attempt = 0; attempt < 1000 && process.isAlive(); attempt++) {
      if (start(true, programs + "/pg_isready", "-q", "-h", "127.0.0.1", "-p", Integer.toString(port)).waitFor() == 0) return;
      Thread.sleep(20);
    }
    String log = log();
    close();
    throw new IOException("PostgreSQL didn't start: " + log);
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  private Process start(boolean asUser, String... command) throws IOException {
    List<String> whole = new ArrayList<>();
    if (asUser && isRoot()) whole.addAll(Arrays.asList("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
    whole.addAll(Arrays.asList(command));
    return new ProcessBuilder(whole).directory(new java.io.File("/")).redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())).start();
  }

  private final Path log = Files.createTempFile("pintle-postgres", ".log");

  private String log() throws IOException {
    return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
  }

  private void run(boolean asUser, String... command) throws Exception {
    if (start(asUser, command).waitFor() != 0) throw new IOException(String.join(" ", command) + ": " + log());
  }

  @Override
  public void close() throws IOException {
    try {
      process.destroy();
      if (!process.waitFor(10, TimeUnit.SECONDS)) process.destroyForcibly().waitFor();
      // Root may remove what another user has written.
      Scratch.remove(folder);
      Files.delete(log);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
