import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.Test;

/** The example, with the server that it expects and with an impostor. */
public class ExampleTest {
  private static final String FIXTURES = System.getProperty("pintle.root") + "/Tests/Fixtures/transports/";

  private static String run(int expected, String... arguments) throws Exception {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int status = PinnedGet.run(arguments, new PrintStream(output, true, "UTF-8"), new PrintStream(errors, true, "UTF-8"));
    assertEquals(errors.toString("UTF-8"), expected, status);
    return status == 0 ? output.toString("UTF-8") : errors.toString("UTF-8");
  }

  private static String[] get(String host, int port) {
    return new String[] {"test", FIXTURES + "1.keyset.json", FIXTURES + "manifest.json", "https://" + host + ":" + port + "/",
        pintle.ExampleServers.folder(), FIXTURES + "root.pem"};
  }

  @Test
  public void impostor() throws Exception {
    try (pintle.ExampleServers servers = new pintle.ExampleServers("allowed.test", "blocked.test", "untrusted.test")) {
      assertEquals("allowed.test", run(0, get("allowed.test", servers.port("allowed.test"))));
      String why = run(2, get("blocked.test", servers.port("blocked.test")));
      assertTrue(why, why.contains("presented: leaf sha256/") && why.contains("required: one of spare-leaf at the leaf sha256/"));
      assertTrue(run(2, get("untrusted.test", servers.port("untrusted.test"))).contains("the platform rejects the chain"));
      assertTrue(run(1, get("allowed.test", 1)).contains("ConnectException"));
      assertEquals(1, servers.requests("allowed.test"));
      assertEquals(0, servers.requests("blocked.test") + servers.requests("untrusted.test"));
    }
    assertTrue(run(1, "test").contains("usage"));
    assertTrue(run(1, "other", FIXTURES + "1.keyset.json", FIXTURES + "manifest.json", "https://allowed.test/")
        .contains("wrong-audience"));
  }
}
