package pintle.java11;

import java.net.http.HttpClient;
import java.security.GeneralSecurityException;
import java.util.function.Supplier;
import pintle.PinContext;
import pintle.PinStore;

/**
 * Java's HttpClient (Java 11), decided by a store in the handshake.
 *
 * <p>HttpClient keeps connections, and has no hook for a request on one of them. So {@link #get()} answers a new client, with
 * no connections, whenever another manifest or keyset has taken effect, and after ten minutes: ask it for each request.
 */
public final class PinHttpClient implements AutoCloseable {
  private static final long MAXIMUM_AGE_NANOSECONDS = 600_000_000_000L;
  private final PinStore store;
  private final Supplier<HttpClient.Builder> settings;
  private final PinStore.ActivationListener listener = one -> isOutdated = true;
  private HttpClient client;
  private long made;
  /** Set by the store's updates, on their threads. */
  private volatile boolean isOutdated = true;

  /**
   * Puts a client together.
   *
   * @param store decides
   * @param settings makes a builder with the program's own settings; its SSL context is replaced
   */
  public PinHttpClient(PinStore store, Supplier<HttpClient.Builder> settings) {
    this.store = store;
    this.settings = settings;
    store.addActivationListener(listener);
  }

  /** Ends watching the store; a program that keeps one of these for its whole life needn't call it. */
  @Override
  public void close() {
    store.removeActivationListener(listener);
  }

  /** The client for the next request; don't keep it. */
  public synchronized HttpClient get() {
    if (isOutdated || System.nanoTime() - made > MAXIMUM_AGE_NANOSECONDS) {
      // Before the client is made: an update meanwhile must be noticed.
      isOutdated = false;
      client = null;
      try {
        client = settings.get().sslContext(PinContext.of(store)).build();
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("the platform has no TLS", e);
      } finally {
        if (client == null) isOutdated = true;
      }
      made = System.nanoTime();
    }
    return client;
  }
}
