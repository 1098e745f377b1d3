package pintle;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.SSLConnectionSocketFactory;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.http.impl.client.HttpClients;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.web.client.RestTemplate;

/** Libraries that need one line: a server of theirs that is allowed, one that isn't, and no byte for the latter. */
public class LibrariesTest {
  private static PinStore shared;
  private Authority authority;
  private Impostor server;
  private Impostor impostor;
  private PinStore store;

  @Before
  public void start() throws Exception {
    authority = new Authority().certify("own", "a.test").certify("thief", "a.test");
    server = new Impostor(authority.file("own.pem"), authority.file("own.key"));
    impostor = new Impostor(authority.file("thief.pem"), authority.file("thief.key"));
    store = PinStore.open(authority.settings(authority.release(1, "a.test", "own")));
  }

  @After
  public void stop() throws Exception {
    for (AutoCloseable one : new AutoCloseable[] {server, impostor, authority}) one.close();
  }

  private interface Get {
    String get(String url) throws Exception;
  }

  private void check(Get client) throws Exception {
    assertEquals("ok", client.get("https://a.test:" + server.port() + "/"));
    assertTrue(server.received() > 0);
    try {
      client.get("https://a.test:" + impostor.port() + "/");
      fail("an impostor was allowed");
    } catch (Exception e) {
      assertNotNull(e.toString(), PinningException.in(e));
    }
    assertEquals(0, impostor.received());
  }

  @Test(timeout = 60_000)
  public void apache5() throws Exception {
    try (org.apache.hc.client5.http.impl.classic.CloseableHttpClient client = org.apache.hc.client5.http.impl.classic.HttpClients
        .custom().setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
            .setSSLSocketFactory(new SSLConnectionSocketFactory(PinContext.of(store))).build()).build()) {
      check(url -> client.execute(new HttpGet(url), response -> EntityUtils.toString(response.getEntity())));
    }
  }

  @Test(timeout = 60_000)
  public void apache4AndSpring() throws Exception {
    try (org.apache.http.impl.client.CloseableHttpClient client =
        HttpClients.custom().setSSLContext(PinContext.of(store)).build()) {
      check(url -> client.execute(new org.apache.http.client.methods.HttpGet(url),
          response -> org.apache.http.util.EntityUtils.toString(response.getEntity())));
      RestTemplate spring = new RestTemplate(new HttpComponentsClientHttpRequestFactory(client));
      check(url -> spring.getForObject(url, String.class));
    }
  }

  /** With a connection manager, the builder ignores an SSL context. */
  @Test(timeout = 60_000)
  public void apache4WithManager() throws Exception {
    try (org.apache.http.impl.client.CloseableHttpClient client = HttpClients.custom().setConnectionManager(
        new org.apache.http.impl.conn.PoolingHttpClientConnectionManager(
            org.apache.http.config.RegistryBuilder.<org.apache.http.conn.socket.ConnectionSocketFactory>create().register(
                "https", new org.apache.http.conn.ssl.SSLConnectionSocketFactory(PinContext.of(store))).build())).build()) {
      check(url -> client.execute(new org.apache.http.client.methods.HttpGet(url),
          response -> org.apache.http.util.EntityUtils.toString(response.getEntity())));
    }
  }

  /** What PostgreSQL's driver is given the name of. */
  public static final class Pins extends PinSocketFactory {
    public Pins() {
      super(shared);
    }
  }

  private static String select(int port, String mode) throws SQLException {
    String url = "jdbc:postgresql://a.test:" + port + "/postgres?user=test&sslmode=" + mode + "&sslfactory=" + Pins.class.getName();
    try (Connection connection = DriverManager.getConnection(url);
        ResultSet found = connection.createStatement().executeQuery("select ssl from pg_stat_ssl where pid = pg_backend_pid()")) {
      found.next();
      return found.getString(1);
    }
  }

  @Test(timeout = 120_000)
  public void jdbc() throws Exception {
    shared = store;
    try (Postgres database = new Postgres(authority.file("own.pem"), authority.file("own.key"))) {
      for (String mode : new String[] {"verify-full", "require"}) {
        assertEquals("t", select(database.port, mode));
        impostor.isDatabase = true;
        try {
          select(impostor.port(), mode);
          fail("an impostor was allowed");
        } catch (SQLException e) {
          assertNotNull(e.toString(), PinningException.in(e));
        }
        assertEquals(0, impostor.received());
      }
    }
  }
}
