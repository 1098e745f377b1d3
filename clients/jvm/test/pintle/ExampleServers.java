package pintle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** nginx for the test of the example, which isn't in this package. */
public final class ExampleServers implements AutoCloseable {
  private static Path folder;
  private final Nginx nginx = new Nginx();

  public ExampleServers(String... hosts) throws Exception {
    for (String host : hosts) nginx.fixture(host);
    nginx.start();
    folder = Files.createTempDirectory("pintle-example");
  }

  public static String folder() {
    return folder.toString();
  }

  public int port(String host) {
    return nginx.port(host);
  }

  public int requests(String host) throws Exception {
    return nginx.requests(host).size();
  }

  @Override
  public void close() throws IOException {
    nginx.close();
    Scratch.remove(folder);
  }
}
