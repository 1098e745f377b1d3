package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

/** Real handshakes of the JVM with nginx: what is decided, and that a blocked server gets no byte of a request. */
public class HandshakeTest {
  private static Nginx nginx;

  @BeforeClass
  public static void start() throws Exception {
    nginx = new Nginx();
    for (Object one : Fixtures.cases("cases.json")) nginx.fixture((String) Json.object(one).get("host"));
    nginx.site("old.test", Fixtures.FOLDER.resolve("allowed.test/chain.pem"), Fixtures.FOLDER.resolve("allowed.test/key.pem"),
        "", "ssl_protocols TLSv1.2;");
    nginx.start();
  }

  @AfterClass
  public static void stop() throws Exception {
    nginx.close();
  }

  /** A connection and a request; the decision that the store made. */
  static final class Client {
    final List<Decision> decisions = new ArrayList<>();
    final PinStore store;
    final SSLSocketFactory factory;

    Client(PinStoreSettings settings) throws Exception {
      store = PinStore.open(settings.listener((handshake, decision) -> decisions.add(decision)));
      assertEquals(Collections.emptyList(), store.problems());
      factory = PinContext.of(store).getSocketFactory();
    }

    String get(String host, int port) throws IOException {
      return get(factory, host, port);
    }

    static String get(SSLSocketFactory factory, String host, int port) throws IOException {
      try (SSLSocket socket = (SSLSocket) factory.createSocket(new Socket("127.0.0.1", port), host, port, true)) {
        return get(socket, host);
      }
    }

    static String get(SSLSocket socket, String host) throws IOException {
      socket.setSoTimeout(10000);
      String request = "GET / HTTP/1.0\r\nHost: " + host + "\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      StringBuilder answer = new StringBuilder();
      for (int one; (one = socket.getInputStream().read()) >= 0;) answer.append((char) one);
      return answer.substring(answer.indexOf("\r\n\r\n") + 4);
    }

    Decision last() {
      return decisions.get(decisions.size() - 1);
    }
  }

  /** What came of a request: the answer's body, or the decision that the exception carries. */
  private static String outcome(Client client, String host, int port) throws Exception {
    try {
      return client.get(host, port);
    } catch (SSLHandshakeException e) {
      PinningException why = PinningException.in(e);
      assertNotNull("the handshake failed for another reason: " + e, why);
      return "rejected: " + why.decision().reason();
    }
  }

  @Test
  public void fixtures() throws Exception {
    Client client = new Client(Fixtures.settings(Fixtures.file("manifest.json")));
    int blocked = 0;
    for (Object value : Fixtures.cases("cases.json")) {
      Map<String, Object> row = Json.object(value);
      String host = (String) row.get("host");
      int before = nginx.requests(host).size();
      String outcome = outcome(client, host, nginx.port(host));
      boolean isAllowed = row.get("disposition").equals("useCredential");
      assertEquals(host, isAllowed ? host : "rejected: " + row.get("reason"), outcome);
      Map<String, Object> answer = Vectors.answer(client.last());
      assertEquals(host, row.get("verdict"), answer.get("verdict"));
      assertEquals(host, row.get("reason"), answer.get("reason"));
      int after = before + (isAllowed ? 1 : 0);
      assertEquals(host, after, nginx.requests(host, after).size());
      if (!isAllowed) blocked++;
    }
    assertEquals(6, blocked);
  }

  /** That the log of nginx shows a request of which only a part arrived: otherwise the other tests show nothing. */
  @Test
  public void aPartOfARequestIsLogged() throws Exception {
    Client client = new Client(Fixtures.settings(Fixtures.file("manifest.json")));
    int before = nginx.requests("allowed.test").size();
    int port = nginx.port("allowed.test");
    try (SSLSocket socket = (SSLSocket) client.factory.createSocket(new Socket("127.0.0.1", port), "allowed.test", port, true)) {
      socket.getOutputStream().write('G');
    }
    assertEquals(before + 1, nginx.requests("allowed.test", before + 1).size());
  }

  private static byte[] custom(Map<String, Object> entry, Map<String, Object> keys, byte[]... certificates) throws Exception {
    List<Object> names = new ArrayList<>(keys.keySet());
    Map<String, Object> sets = Release.map("set", Release.map("active", names, "backup", Release.list()));
    entry.put("key-set", "set");
    entry.put("mode", "enforce");
    Map<String, Object> content = Release.content(1, keys, sets, entry);
    Map<String, Object> listed = Release.map();
    for (byte[] one : certificates) listed.put(Fixtures.digest(one), java.util.Base64.getEncoder().encodeToString(one));
    if (!listed.isEmpty()) content.put("certificates", listed);
    return Release.sign(SignedFile.MANIFEST, content, Release.Signer.ofFixtures());
  }

  private static Map<String, Object> key(byte[] der) throws Exception {
    return Release.map("pin", Fixtures.pin(der));
  }

  private String ask(String connectTo, String host, byte[] manifest) throws Exception {
    Client client = new Client(Fixtures.settings(manifest));
    int before = nginx.requests(connectTo).size();
    String outcome = outcome(client, host, nginx.port(connectTo));
    int after = before + (outcome.startsWith("rejected") ? 0 : 1);
    assertEquals(after, nginx.requests(connectTo, after).size());
    return outcome;
  }

  @Test
  public void privateRoot() throws Exception {
    List<byte[]> chain = Fixtures.pem("untrusted.test/chain.pem");
    byte[] root = chain.get(1);
    Map<String, Object> trust = Release.map("anchors", Release.list(Fixtures.digest(root)), "system-anchors", 0);
    byte[] manifest = custom(Release.map("host", "untrusted.test", "trust", trust), Release.map("root", key(root)), root);
    assertEquals("untrusted.test", ask("untrusted.test", "untrusted.test", manifest));
    // Its name check stays: the private root vouches for untrusted.test only.
    manifest = custom(Release.map("host", "other.test", "trust", trust), Release.map("root", key(root)), root);
    assertEquals("rejected: untrusted", ask("untrusted.test", "other.test", manifest));
    // Another host's chain of the system's root isn't one of the private root.
    manifest = custom(Release.map("host", "allowed.test", "trust", trust), Release.map("root", key(root)), root);
    assertEquals("rejected: untrusted", ask("allowed.test", "allowed.test", manifest));
    // Without the anchor the system's don't reach it.
    manifest = custom(Release.map("host", "untrusted.test"), Release.map("root", key(root)));
    assertEquals("rejected: untrusted", ask("untrusted.test", "untrusted.test", manifest));
  }

  @Test
  public void leafAndAuthority() throws Exception {
    List<byte[]> chain = Fixtures.pem("allowed.test/chain.pem");
    Map<String, Object> both = Release.map("issuing", key(chain.get(1)), "leaf", key(chain.get(0)));
    Map<String, Object> entry = Release.map("host", "allowed.test", "require", "leaf-and-ca");
    assertEquals("allowed.test", ask("allowed.test", "allowed.test", custom(entry, both)));
    entry = Release.map("host", "allowed.test", "require", "leaf-and-ca");
    Map<String, Object> one = Release.map("issuing", key(chain.get(1)));
    assertEquals("rejected: mismatch", ask("allowed.test", "allowed.test", custom(entry, one)));
  }

  @Test
  public void otherTrust() throws Exception {
    byte[] leaf = Fixtures.pem("untrusted.test/chain.pem").get(0);
    Map<String, Object> trust = Release.map("certificate", Fixtures.digest(leaf));
    byte[] manifest = custom(Release.map("host", "any.test", "trust", trust), Release.map("leaf", key(leaf)), leaf);
    assertEquals("untrusted.test", ask("untrusted.test", "any.test", manifest));

    byte[] expired = Fixtures.pem("expired.test/chain.pem").get(0);
    Object exception = Release.map("certificate", Fixtures.digest(expired), "failure", "expired", "reason", "a test", "until",
        "2098-01-01T00:00:00Z");
    trust = Release.map("exceptions", Release.list(exception));
    manifest = custom(Release.map("host", "expired.test", "trust", trust), Release.map("leaf", key(expired)));
    assertEquals("expired.test", ask("expired.test", "expired.test", manifest));

    byte[] allowed = Fixtures.pem("allowed.test/chain.pem").get(0);
    trust = Release.map("server-name", "allowed.test");
    manifest = custom(Release.map("host", "alias.test", "trust", trust), Release.map("leaf", key(allowed)));
    assertEquals("allowed.test", ask("allowed.test", "alias.test", manifest));
    manifest = custom(Release.map("host", "alias.test"), Release.map("leaf", key(allowed)));
    assertEquals("rejected: untrusted", ask("allowed.test", "alias.test", manifest));

    trust = Release.map("minimum-tls", "1.3", "server-name", "allowed.test");
    manifest = custom(Release.map("host", "old.test", "trust", trust), Release.map("leaf", key(allowed)));
    assertEquals("rejected: untrusted", ask("old.test", "old.test", manifest));
    manifest = custom(Release.map("host", "new.test", "trust", trust), Release.map("leaf", key(allowed)));
    assertEquals("allowed.test", ask("allowed.test", "new.test", manifest));
  }

  /** A trust manager isn't called for a resumed session: a context of this library resumes none. */
  @Test
  public void resumed() throws Exception {
    for (String host : new String[] {"allowed.test", "old.test"}) {
      String name = host.equals("old.test") ? "allowed.test" : host;
      // The guard would rather reject the newer manifest, because it blocks what was allowed lately.
      Client client = new Client(Fixtures.settings(Fixtures.file("manifest.json")).recentPeriod(0));
      int before = nginx.requests(host).size();
      for (int i = 0; i < 3; i++) assertEquals(host, client.get(name, nginx.port(host)));
      for (String line : nginx.requests(host, before + 3).subList(before, before + 3)) assertTrue(line, line.startsWith(host + " . "));
      assertEquals(3, client.decisions.size());
      client.store.update(Fixtures.file("newer.json"));
      assertEquals("rejected: mismatch", outcome(client, name, nginx.port(host)));

      // A context of the platform's resumes, and doesn't ask; check() does.
      Client plain = new Client(Fixtures.settings(Fixtures.file("manifest.json")).recentPeriod(0));
      PinTrustManager manager = PinTrustManager.forServers(plain.store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {manager}, null);
      before = nginx.requests(host).size();
      for (int i = 0; i < 2; i++) Client.get(context.getSocketFactory(), name, nginx.port(host));
      assertEquals(1, plain.decisions.size());
      assertTrue(nginx.requests(host, before + 2).get(before + 1).startsWith(host + " r "));
      plain.store.update(Fixtures.file("newer.json"));
      try (SSLSocket socket = (SSLSocket) context.getSocketFactory()
          .createSocket(new Socket("127.0.0.1", nginx.port(host)), name, nginx.port(host), true)) {
        socket.startHandshake();
        manager.check(socket.getSession(), name, nginx.port(host));
        fail("the resumed session was allowed");
      } catch (PinningException e) {
        assertEquals("mismatch", e.decision().reason());
      }
      assertEquals(before + 2, nginx.requests(host, before + 2).size());
    }
  }

  /** Without endpoint identification, the name is checked here; without a host, nothing is allowed. */
  @Test
  public void withoutEndpointIdentification() throws Exception {
    Client client = new Client(Fixtures.settings(Fixtures.file("manifest.json")));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {PinTrustManager.forServers(client.store)}, null);
    String host = "unpinned.test";
    assertEquals(host, Client.get(context.getSocketFactory(), host, nginx.port(host)));
    int before = nginx.requests(host).size();
    for (String other : new String[] {"other.test", "allowed.test"}) {
      try {
        Client.get(context.getSocketFactory(), other, nginx.port(host));
        fail("a certificate of another name was allowed");
      } catch (SSLHandshakeException e) {
        assertEquals("name-mismatch", PinningException.in(e).decision().failures().get(0).code());
      }
    }
    // Without a host, JSSE uses the address.
    try (Socket raw = new Socket("127.0.0.1", nginx.port(host));
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(raw, null, -1, true)) {
      Client.get(socket, host);
      fail("a connection without a host was allowed");
    } catch (SSLHandshakeException e) {
      assertEquals("name-mismatch", PinningException.in(e).decision().failures().get(0).code());
    }
    assertEquals(before, nginx.requests(host).size());
    X509Certificate[] chain = Fixtures.root().toArray(new X509Certificate[0]);
    try {
      PinTrustManager.forServers(client.store).checkServerTrusted(chain, "ECDHE_ECDSA");
      fail("decided without a host");
    } catch (java.security.cert.CertificateException e) {
      assertTrue(e.getMessage().contains("without the host"));
    }
    try {
      PinTrustManager.forServers(client.store).checkServerTrusted(chain, "ECDHE_ECDSA", context.createSSLEngine());
      fail("decided without a host");
    } catch (java.security.cert.CertificateException e) {
      assertTrue(e.getMessage().contains("the host isn't known"));
    }
  }

  @Test
  public void parametersOfContext() throws Exception {
    Client client = new Client(Fixtures.settings(Fixtures.file("manifest.json")));
    SSLContext context = PinContext.of(client.store);
    SSLEngine engine = context.createSSLEngine("allowed.test", 443);
    SSLParameters parameters = engine.getSSLParameters();
    assertEquals("HTTPS", parameters.getEndpointIdentificationAlgorithm());
    for (String protocol : parameters.getProtocols()) assertTrue(protocol.equals("TLSv1.2") || protocol.equals("TLSv1.3"));
    assertTrue(engine.getUseClientMode());
    try {
      context.init(null, new TrustManager[0], null);
      fail("the trust manager was replaced");
    } catch (java.security.KeyManagementException e) {
      assertNotNull(e.getMessage());
    }
    assertEquals(1, PinTrustManager.forServers(client.store).getAcceptedIssuers().length);
  }

  /** A server that judges its clients. */
  @Test
  public void clients() throws Exception {
    PinStore store = PinStore.open(Fixtures.settings(Fixtures.file("manifest.json")));
    for (Object value : Fixtures.cases("clients.json")) {
      Map<String, Object> row = Json.object(value);
      String folder = ((String) row.get("chain")).replace("/chain.pem", "");
      SSLContext server = SSLContext.getInstance("TLS");
      PinTrustManager manager = PinTrustManager.forClients(store, "clients.test", 443);
      server.init(Fixtures.keys("allowed.test"), new TrustManager[] {manager}, null);
      SSLContext client = SSLContext.getInstance("TLS");
      client.init(Fixtures.keys(folder), new TrustManager[] {PinTrustManager.forServers(store)}, null);
      try (SSLServerSocket listener = (SSLServerSocket) server.getServerSocketFactory().createServerSocket(
          0, 1, java.net.InetAddress.getLoopbackAddress())) {
        listener.setNeedClientAuth(true);
        int port = listener.getLocalPort();
        Thread other = new Thread(() -> {
          try (SSLSocket socket = (SSLSocket) client.getSocketFactory()
              .createSocket(new Socket("127.0.0.1", port), "allowed.test", port, true)) {
            socket.getOutputStream().write('x');
            socket.getInputStream().read();
          } catch (IOException e) {
            // The server rejected it.
            return;
          }
        });
        other.start();
        String outcome;
        try (SSLSocket socket = (SSLSocket) listener.accept()) {
          socket.setSoTimeout(10000);
          outcome = socket.getInputStream().read() == 'x' ? "allow" : "closed";
          assertEquals("matched", manager.checkClient(socket.getSession()).reason());
          PinStore newer = PinStore.open(Fixtures.settings(Fixtures.file("newer.json")));
          try {
            PinTrustManager.forClients(newer, "clients.test", 443).checkClient(socket.getSession());
            fail("a client was allowed that the newer manifest blocks");
          } catch (PinningException e) {
            assertEquals("mismatch", e.decision().reason());
          }
          socket.getOutputStream().write('y');
        } catch (SSLHandshakeException e) {
          assertNotNull(folder + ": " + e, PinningException.in(e));
          outcome = PinningException.in(e).decision().verdict().name().toLowerCase();
        }
        other.join();
        assertEquals(folder, row.get("verdict"), outcome);
      }
    }
    assertNull(PinningException.in(new IOException("another reason")));
  }
}
