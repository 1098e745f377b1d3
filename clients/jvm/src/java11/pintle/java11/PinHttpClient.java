package pintle.java11;

import java.net.http.HttpClient;
import java.security.GeneralSecurityException;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import pintle.PinContext;
import pintle.PinStore;
import pintle.Status;

/**
 * Java's HttpClient (Java 11), decided by a store in the handshake.
 *
 * <p>HttpClient keeps connections, and has no hook for a request on one of them. So {@link #get()} answers a new client, with
 * no connections, whenever another manifest or keyset has taken effect, and after ten minutes: ask it for each request. Once
 * a manifest blocks a connection, nothing is sent or received on it any more: an answer that still runs fails with its next
 * bytes, with a {@code PinningException} among the causes.
 */
public final class PinHttpClient {
  private static final long MAXIMUM_AGE_NANOSECONDS = 600_000_000_000L;
  private final PinStore store;
  private final Supplier<HttpClient.Builder> settings;
  private HttpClient client;
  private long made;
  /** What was in force before the client was made. */
  private String release;

  /**
   * Puts a client together.
   *
   * @param store decides
   * @param settings makes a builder with the program's own settings; its SSL context is replaced
   */
  public PinHttpClient(PinStore store, Supplier<HttpClient.Builder> settings) {
    this.store = store;
    this.settings = settings;
  }

  /** {@return the client for the next request; don't keep it} */
  public synchronized HttpClient get() {
    // A serial means one release in each epoch, and each epoch has keysets of its own.
    Status status = store.status();
    String current = status.keysetVersion() + " " + status.serial();
    if (client == null || !current.equals(release) || System.nanoTime() - made > MAXIMUM_AGE_NANOSECONDS) {
      client = null;
      release = current;
      try {
        SSLContext context = PinContext.of(store);
        HttpClient built = settings.get().sslContext(context).build();
        // Builders may be somebody else's.
        if (built.sslContext() != context) {
          throw new IllegalStateException("the builder " + built.getClass().getName() + " ignores the SSL context; use HttpClient.newBuilder()");
        }
        if (built.followRedirects() == HttpClient.Redirect.ALWAYS) {
          throw new IllegalStateException("Redirect.ALWAYS would follow a redirect to http, without TLS; use Redirect.NORMAL");
        }
        client = built;
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("the platform has no TLS", e);
      }
      made = System.nanoTime();
    }
    return client;
  }
}
