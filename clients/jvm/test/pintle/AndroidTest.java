package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import javax.net.ssl.X509TrustManager;
import org.junit.Test;

/** Android's way to the validated path, with a substitute for X509TrustManagerExtensions. */
public class AndroidTest {
  /** Has the constructor and the method of android.net.http.X509TrustManagerExtensions. */
  public static final class Extensions {
    static boolean answersOtherPath;
    private final X509TrustManager manager;

    public Extensions(X509TrustManager manager) {
      this.manager = manager;
    }

    public List<X509Certificate> checkServerTrusted(X509Certificate[] chain, String authType, String host)
        throws CertificateException {
      // The JDK knows no "GENERIC", which Android only wants to be there.
      manager.checkServerTrusted(chain, "UNKNOWN");
      List<X509Certificate> path = new ArrayList<>();
      path.add(chain[answersOtherPath ? 1 : 0]);
      List<X509Certificate> all = new ArrayList<>(Arrays.asList(chain));
      all.addAll(Arrays.asList(manager.getAcceptedIssuers()));
      while (true) {
        X509Certificate last = path.get(path.size() - 1);
        X509Certificate next = null;
        for (X509Certificate one : all) {
          if (!path.contains(one) && one.getSubjectX500Principal().equals(last.getIssuerX500Principal())) next = one;
        }
        if (next == null) return path;
        path.add(next);
      }
    }
  }

  private static PinStore store(byte[] manifest) throws Exception {
    PinStoreSettings settings = Fixtures.settings(manifest);
    settings.trust.android(Extensions.class);
    return PinStore.open(settings);
  }

  private static Decision ask(PinStore store, String host) throws Exception {
    return store.evaluate(Handshake.server(host, 443, Fixtures.pem(host + "/chain.pem"), "1.3"), true);
  }

  @Test
  public void fixtures() throws Exception {
    assertNull(AndroidPaths.find(AndroidPaths.CLASS));
    assertNotNull(AndroidPaths.find(Extensions.class.getName()));
    PinStore store = store(Fixtures.file("manifest.json"));
    for (Object value : Fixtures.cases("cases.json")) {
      Map<String, Object> row = Json.object(value);
      String host = (String) row.get("host");
      Decision decision = ask(store, host);
      assertEquals(host, row.get("reason"), decision.reason());
      // As the validated path has the root, and never what was appended.
      if (decision.step() > 2) assertEquals(host, 3, decision.chain().size());
    }
    Extensions.answersOtherPath = true;
    try {
      assertEquals("other", ask(store, "allowed.test").failures().get(0).code());
    } finally {
      Extensions.answersOtherPath = false;
    }
    // Android validates no client certificates for the program.
    Handshake client = Handshake.client("clients.test", 443, Fixtures.pem("client/chain.pem"), "1.3");
    assertEquals("other", store.evaluate(client, true).failures().get(0).code());
  }

  @Test
  public void privateRootAndName() throws Exception {
    List<byte[]> chain = Fixtures.pem("untrusted.test/chain.pem");
    Object trust = Release.map("anchors", Release.list(Fixtures.digest(chain.get(1))), "system-anchors", 0);
    Map<String, Object> keys = Release.map("root", Release.map("pin", Fixtures.pin(chain.get(1))));
    Map<String, Object> sets = Release.map("set", Release.map("active", Release.list("root"), "backup", Release.list()));
    Map<String, Object> content = Release.content(1, keys, sets,
        Release.map("host", "other.test", "key-set", "set", "mode", "enforce", "trust", trust),
        Release.map("host", "untrusted.test", "key-set", "set", "mode", "enforce", "trust", trust));
    content.put("certificates", Release.map(Fixtures.digest(chain.get(1)), Base64.getEncoder().encodeToString(chain.get(1))));
    PinStore store = store(Release.sign(SignedFile.MANIFEST, content, Release.Signer.ofFixtures()));
    assertEquals(Collections.emptyList(), store.problems());
    assertEquals("matched", ask(store, "untrusted.test").reason());
    Decision decision = store.evaluate(Handshake.server("other.test", 443, chain, "1.3"), true);
    assertEquals("name-mismatch", decision.failures().get(0).code());
  }
}
