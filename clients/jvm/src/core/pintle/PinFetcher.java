package pintle;

import java.net.Proxy;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;

/**
 * Fetches newer keysets and manifests for a store, in a thread of its own, by the rules of docs/updates.md#fetching. The
 * thread also has the store {@linkplain PinStore#maintain maintain} its folder every ten minutes.
 *
 * <p>The connection is validated by the platform, and not pinned: otherwise a wrong pin could never be corrected. It uses none
 * of the program's defaults: no Authenticator, cookies, cache or proxy selector.
 */
public final class PinFetcher implements AutoCloseable {
  private final PinStore store;
  private final FetchRounds rounds;
  private final FetchSchedule schedule = new FetchSchedule();
  private final SecureRandom random = new SecureRandom();
  private long housekeepingMilliseconds = 600_000;
  private Listener listener;
  private Thread thread;
  /** When the thread last maintained the store, by {@code System.nanoTime()}. */
  private long maintained;

  /**
   * Puts a fetcher together.
   *
   * @param manifests the URLs of the manifest, in order of preference
   * @param keysets the URLs of keysets, one for each mirror, with one <code>{version}</code> in it; may be empty
   * @param store decides
   */
  public PinFetcher(PinStore store, List<String> manifests, List<String> keysets) {
    this.store = store;
    rounds = new FetchRounds(store, manifests, keysets);
  }

  /**
   * Allows URLs with {@code http:}. Attackers can't change signed files, but hold them back, and see which are fetched.
   *
   * @return this
   */
  public PinFetcher allowPlainHttp() {
    rounds.allowsPlainHttp = true;
    return this;
  }

  /**
   * The factory for the fetcher's own connections, in place of the platform's: for a mirror under a private root.
   *
   * @param factory makes the sockets
   * @return this
   */
  public PinFetcher socketFactory(SSLSocketFactory factory) {
    rounds.factory = factory;
    return this;
  }

  /**
   * The proxy for the fetcher's own connections, without credentials; none unless set, whatever the program's proxy selector
   * and system properties say.
   *
   * @param proxy the proxy, for HTTP or SOCKS
   * @return this
   */
  public PinFetcher proxy(Proxy proxy) {
    rounds.proxy = proxy;
    return this;
  }

  /**
   * The most time for each URL of the manifest, redirects included, and for each mirror; 60 seconds unless set.
   *
   * @param milliseconds the limit
   * @return this
   */
  public PinFetcher deadline(int milliseconds) {
    rounds.deadlineMilliseconds = milliseconds;
    return this;
  }

  /** Receives the problems of the thread: for the log, or for an alarm. */
  public interface Listener {
    /**
     * Called in the thread: for each URL that failed or whose file was rejected, and if the store's folder can't be written.
     *
     * <p>What it throws, an {@code Error} too, is logged (java.util.logging, logger {@code pintle}). Fetching goes on, also
     * if it leaves the thread interrupted.
     *
     * @param problem where, and what is wrong
     */
    void problem(String problem);
  }

  /**
   * Sets the listener.
   *
   * @param listener who is called
   * @return this
   */
  public PinFetcher listener(Listener listener) {
    this.listener = listener;
    return this;
  }

  /** For tests: the time between two calls of {@link PinStore#maintain}. */
  PinFetcher housekeeping(long milliseconds) {
    housekeepingMilliseconds = milliseconds;
    return this;
  }

  /** What came of a round. */
  public static final class Round {
    private final boolean isSuccessful;
    private final List<String> problems;
    /** For how many seconds all servers of the manifest asked to be left alone. */
    final long patience;

    Round(boolean isSuccessful, List<String> problems, long patience) {
      this.isSuccessful = isSuccessful;
      this.problems = problems;
      this.patience = patience;
    }

    /** {@return whether a URL gave the manifest in force or a newer one} */
    public boolean isSuccessful() {
      return isSuccessful;
    }

    /** {@return each URL that failed or whose file was rejected, and why} */
    public List<String> problems() {
      return Collections.unmodifiableList(problems);
    }
  }

  /**
   * Fetches once, in this thread: keysets from all mirrors first, then the manifest from one URL after the other. It waits
   * for a round that another thread has begun.
   *
   * <p>A server that sent {@code Retry-After} isn't asked before that time here either, also if the background thread was the
   * one that it told: at most an hour, and 15 minutes if no manifest is in force. The round's problems then say for how long.
   *
   * @return the outcome
   */
  public Round fetch() {
    return rounds.fetch();
  }

  // In the background

  /**
   * Starts fetching in the background: at once unless the manifest is fresh, and then within six minutes.
   *
   * @return this
   * @throws IllegalStateException if it was started before, or is closed: a closed fetcher can't be started again
   */
  public synchronized PinFetcher start() {
    if (rounds.isClosed()) throw new IllegalStateException("this fetcher is closed; make a new one to fetch again");
    if (thread != null) throw new IllegalStateException("this fetcher was started before; it runs until it is closed");
    thread = new Worker();
    thread.setDaemon(true);
    thread.start();
    return this;
  }

  /** The thread, in which listeners of the program are called. */
  final class Worker extends Thread {
    private Worker() {
      super("pintle-fetcher");
    }

    @Override
    public void run() {
      maintained = System.nanoTime();
      try {
        for (long wait = first(); waitFor(TimeUnit.SECONDS.toNanos(wait));) wait = round();
      } catch (InterruptedException e) {
        // Nobody but the program interrupts it; that ends it as well.
        tell("fetching has ended: the thread was interrupted");
      }
    }
  }

  private long first() {
    try {
      return FetchSchedule.first(store.status().isSettled(), random.nextDouble());
    } catch (RuntimeException e) {
      tell(FetchRounds.problem(null, e));
      return 0;
    }
  }

  /** Answers how many seconds to wait. */
  private long round() {
    try {
      Round round = fetch();
      if (rounds.isClosed()) return 0;
      for (String one : round.problems) tell(one);
      return schedule.delay(round.isSuccessful, round.patience, store.status(), random.nextDouble());
    } catch (RuntimeException | Error e) {
      tell(FetchRounds.problem(null, e));
      return FetchSchedule.LONGEST_RETRY;
    }
  }

  /** Waits, and maintains the store meanwhile; false once the fetcher is closed. */
  private boolean waitFor(long nanoseconds) throws InterruptedException {
    long began = System.nanoTime();
    long pause = TimeUnit.MILLISECONDS.toNanos(housekeepingMilliseconds);
    while (true) {
      long left = nanoseconds - (System.nanoTime() - began);
      if (rounds.closed.await(Math.min(left, pause), TimeUnit.NANOSECONDS)) return false;
      maintain();
      if (left <= pause) return true;
    }
  }

  /** Once in ten minutes at most. */
  private void maintain() {
    long now = System.nanoTime();
    if (now - maintained < TimeUnit.MILLISECONDS.toNanos(housekeepingMilliseconds)) return;
    maintained = now;
    try {
      store.maintain();
    } catch (PintleException | RuntimeException | Error e) {
      tell(FetchRounds.problem(null, e));
    }
  }

  private void tell(final String problem) {
    if (listener == null) return;
    Listeners.call(Collections.singletonList(listener), new Listeners.Call<Listener>() {
      @Override
      public void on(Listener one) {
        one.problem(problem);
      }
    });
  }

  /** For tests. */
  synchronized Thread thread() {
    return thread;
  }

  /** Ends fetching for good, in the background and in {@link #fetch}; doesn't wait for it. */
  @Override
  public void close() {
    rounds.close();
  }
}
