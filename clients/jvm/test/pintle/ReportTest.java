package pintle;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** Reports: the bytes of the fixture, and the limits of docs/reports.md. */
public class ReportTest {
  private static final Path FOLDER = Vectors.ROOT.resolve("Tests/Fixtures/mismatch-reports");
  private static final long NOW = Vectors.seconds("2026-12-05T12:00:00Z");

  private final MismatchReports reports = new MismatchReports();
  private final long[] now = {NOW};

  private static byte[] pem(String name) throws Exception {
    return Fixtures.pem(FOLDER.resolve("chain/" + name + ".pem")).get(0);
  }

  /** A manifest that pins the host by two keys that nobody has. */
  private PinStore store(String[] uris, Object... otherEntries) throws Exception {
    byte[][] pins = {new byte[32], new byte[32]};
    Arrays.fill(pins[0], (byte) 1);
    Arrays.fill(pins[1], (byte) 2);
    Map<String, Object> keys = Release.map("one", Release.map("pin", Base64.getEncoder().encodeToString(pins[0])), "two",
        Release.map("pin", Base64.getEncoder().encodeToString(pins[1])));
    Map<String, Object> sets = Release.map("set", Release.map("active", Release.list("one"), "backup", Release.list("two")));
    List<Object> hosts = new ArrayList<>(Arrays.asList(otherEntries));
    hosts.add(0, Release.map("host", "api.example.com", "key-set", "set", "mode", "enforce", "expires", "2027-01-01T00:00:00Z",
        "on-expiry", "block", "reporting", 0));
    Map<String, Object> content = Release.content(1, keys, sets, hosts.toArray());
    content.put("reporting", Release.list(Release.list((Object[]) uris)));
    byte[] manifest = Release.sign(SignedFile.MANIFEST, content, Release.Signer.ofFixtures());
    PinStore store = PinStore.open(Fixtures.settings(manifest).listener(reports).clock(() -> now[0])
        .anchors(Collections.singletonList(Fixtures.certificate(pem("root")))));
    assertEquals(Collections.emptyList(), store.problems());
    return store;
  }

  private static Handshake handshake(String host, int port, byte[]... more) throws Exception {
    List<byte[]> served = new ArrayList<>(Arrays.asList(pem("leaf"), pem("intermediate")));
    served.addAll(Arrays.asList(more));
    return Handshake.server(host, port, served, "1.3");
  }

  @Test
  public void format() throws Exception {
    PinStore store = store(new String[] {"https://reports.example.net/pins"});
    assertEquals("mismatch", store.evaluate(handshake("API.example.com.", 443), true).reason());
    MismatchReports.Report report = reports.poll(NOW);
    assertArrayEquals(Files.readAllBytes(FOLDER.resolve("valid/rfc7469.json")), report.body());
    assertEquals(Collections.singletonList("https://reports.example.net/pins"), report.addresses());
    assertNull(reports.poll(NOW));
  }

  @Test
  public void sameChainOnceADay() throws Exception {
    PinStore store = store(new String[] {"https://reports.example.net/pins"});
    for (int i = 0; i < 3; i++) store.evaluate(handshake("api.example.com", 443), true);
    // An appended certificate makes no new report: validated chains are compared.
    store.evaluate(handshake("api.example.com", 443, pem("other")), true);
    assertNotNull(reports.poll(NOW));
    assertNull(reports.poll(NOW));
    store.evaluate(handshake("api.example.com", 8443), true);
    assertNotNull(reports.poll(NOW));
    now[0] = NOW + 86400;
    store.evaluate(handshake("api.example.com", 443), true);
    assertNotNull(reports.poll(now[0]));
    assertEquals(0, reports.dropped());
  }

  @Test
  public void addresses() throws Exception {
    Object below = Release.map("host", "reports.example.com", "key-set", "set", "mode", "enforce", "include-subdomains", 1);
    PinStore store = store(new String[] {"http://a.example.net/", "https://api.example.com/", "https://b@c.example.net/", "urn:x",
        "https://d.reports.example.com/", "https://%zz/", "https://e.example.net/"}, below);
    store.evaluate(handshake("api.example.com", 443), true);
    assertEquals(Arrays.asList("https://d.reports.example.com/", "https://e.example.net/"), reports.poll(NOW).addresses());
    // An entry that has a report itself gets none from others.
    store.evaluate(Handshake.server("d.reports.example.com", 443, Arrays.asList(pem("leaf"), pem("intermediate")), null), true);
    PinStore only = store(new String[] {"https://api.example.com/"});
    only.evaluate(handshake("api.example.com", 444), true);
    assertNull(reports.poll(NOW));
    assertEquals(1, reports.dropped());
  }

  @Test
  public void limits() throws Exception {
    PinStore store = store(new String[] {"https://reports.example.net/pins"});
    for (int port = 1; port <= 110; port++) store.evaluate(handshake("api.example.com", port), true);
    assertEquals(10, reports.dropped());
    int sent = 0;
    while (reports.poll(NOW) != null) sent++;
    assertEquals(20, sent);
    assertNull(reports.poll(NOW + 29));
    assertNotNull(reports.poll(NOW + 30));
    assertNull(reports.poll(NOW + 59));
    assertNull(reports.poll(NOW + 8 * 86400));
    assertEquals(10 + 79, reports.dropped());
  }

  /** A large report has all certificates if they fit; otherwise it says how many are missing. */
  @Test
  public void large() throws Exception {
    PinStore store = store(new String[] {"https://reports.example.net/pins"});
    byte[] padding = pem("other");
    byte[][] more = new byte[30][];
    Arrays.fill(more, padding);
    store.evaluate(handshake("api.example.com", 443, more), true);
    String body = new String(reports.poll(NOW).body(), StandardCharsets.US_ASCII);
    assertTrue(body.length() <= 256 << 10);
    assertEquals(32, Json.list(Json.object(Json.read(body)).get("served-certificate-chain")).size());
    Handshake larger = handshake("api.example.com", 444, new byte[150_000], new byte[100_000], new byte[1]);
    Decision decision = store.evaluate(handshake("api.example.com", 444), true);
    body = new String(MismatchReports.body(larger, decision), StandardCharsets.US_ASCII);
    List<Object> served = Json.list(Json.object(Json.read(body)).get("served-certificate-chain"));
    assertEquals(3, served.size());
    assertTrue(served.get(2).toString().startsWith("2 more certificates were served and are left out\n-----BEGIN"));
    assertNull(MismatchReports.body(Handshake.server("h", 1, Arrays.asList(new byte[300_000]), null), decision));
  }
}
