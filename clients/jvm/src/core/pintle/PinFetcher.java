package pintle;

import java.io.IOException;
import java.net.URL;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;

/**
 * Fetches newer keysets and manifests for a store, in a thread of its own, by the rules of docs/updates.md#fetching. The
 * thread also has the store {@linkplain PinStore#maintain maintain} its folder every ten minutes.
 *
 * <p>The connection is validated by the platform, and not pinned: otherwise a wrong pin could never be corrected.
 */
public final class PinFetcher implements AutoCloseable {
  private static final int MAXIMUM_STEPS = 256;
  private static final int DOWNLOAD_GROWTH = 4;
  private static final int LEAST_DOWNLOAD = 8 << 20;

  private final PinStore store;
  private final List<FetchSource> manifests = new ArrayList<>();
  private final List<FetchSource> keysets = new ArrayList<>();
  private final FetchSchedule schedule = new FetchSchedule();
  private final SecureRandom random = new SecureRandom();
  /** Held during a round. */
  private final Object oneRound = new Object();
  private final CountDownLatch closed = new CountDownLatch(1);
  private boolean allowsPlainHttp;
  private SSLSocketFactory factory;
  private long deadlineMilliseconds = 60_000;
  private long housekeepingMilliseconds = 600_000;
  private Listener listener;
  private Thread thread;
  /** When the thread last maintained the store, by {@code System.nanoTime()}. */
  private long maintained;
  private volatile Download current;

  /**
   * Puts a fetcher together.
   *
   * @param manifests the URLs of the manifest, in order of preference
   * @param keysets the URLs of keysets, one for each mirror, with one <code>{version}</code> in it; may be empty
   */
  public PinFetcher(PinStore store, List<String> manifests, List<String> keysets) {
    this.store = store;
    for (String one : manifests) this.manifests.add(new FetchSource("manifest URL " + (this.manifests.size() + 1), one, false));
    for (String one : keysets) this.keysets.add(new FetchSource("keyset URL " + (this.keysets.size() + 1), one, true));
  }

  /** Allows URLs with {@code http:}. Attackers can't change signed files, but hold them back, and see which are fetched. */
  public PinFetcher allowPlainHttp() {
    allowsPlainHttp = true;
    return this;
  }

  /** The factory for the fetcher's own connections, in place of the platform's: for a mirror under a private root. */
  public PinFetcher socketFactory(SSLSocketFactory factory) {
    this.factory = factory;
    return this;
  }

  /** The most time for each URL of the manifest, redirects included, and for each mirror; 60 seconds unless set. */
  public PinFetcher deadline(int milliseconds) {
    deadlineMilliseconds = milliseconds;
    return this;
  }

  /** Receives the problems of the thread: for the log, or for an alarm. */
  public interface Listener {
    /**
     * Called in the thread: for each URL that failed or whose file was rejected, and if the store's folder can't be written.
     *
     * <p>What it throws goes to the thread's {@code UncaughtExceptionHandler}; fetching goes on.
     *
     * @param problem where, and what is wrong
     */
    void problem(String problem);
  }

  /** Sets the listener. */
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

    private Round(boolean isSuccessful, List<String> problems, long patience) {
      this.isSuccessful = isSuccessful;
      this.problems = problems;
      this.patience = patience;
    }

    /** Whether a URL gave the manifest in force or a newer one. */
    public boolean isSuccessful() {
      return isSuccessful;
    }

    /** For the log: each URL that failed or whose file was rejected, and why. */
    public List<String> problems() {
      return Collections.unmodifiableList(problems);
    }
  }

  /**
   * Fetches once, in this thread: keysets from all mirrors first, then the manifest from one URL after the other. It waits
   * for a round that another thread has begun.
   */
  public Round fetch() {
    synchronized (oneRound) {
      List<String> problems = new ArrayList<>();
      if (store.inForce.keyset != null) for (FetchSource mirror : keysets) walk(mirror, problems);
      boolean isSuccessful = false;
      long patience = Long.MAX_VALUE;
      for (FetchSource source : manifests) {
        if (isClosed()) break;
        isSuccessful |= fetch(source, problems);
        // Until nothing is missing, all are tried, even if one has nothing newer.
        if (isSuccessful && store.status().isSettled()) break;
      }
      for (FetchSource source : manifests) patience = Math.min(patience, source.patience(store.status().now()));
      return new Round(isSuccessful, problems, manifests.isEmpty() ? 0 : patience);
    }
  }

  /** Whether a URL gave the manifest in force or a newer one. */
  private boolean fetch(FetchSource source, List<String> problems) {
    URL url = null;
    try {
      url = source.url(0);
      Map<String, String> conditions = store.status().isSettled()
          ? source.conditions(store.inForce.manifest()) : Collections.<String, String>emptyMap();
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(deadlineMilliseconds);
      Download.Answer answer = get(source, url, conditions, limit(), end);
      if (answer.status == 304 && !conditions.isEmpty()) return true;
      // Neither a release that isn't taken, nor 304 to a request without conditions, may be named in the next one.
      if (answer.status == 200 || answer.status == 304) source.forget();
      if (answer.status != 200) throw new IOException("the server answered with status " + answer.status);
      store.update(answer.body);
      source.took(answer, store.inForce.manifest());
      return true;
    } catch (PintleException | IOException | RuntimeException | OutOfMemoryError e) {
      problems.add(problem(url, e));
      return false;
    }
  }

  /** Each mirror is asked for the next version until it has none: one that hides a version looks like one without it. */
  private void walk(FetchSource mirror, List<String> problems) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(deadlineMilliseconds);
    for (int i = 0; i < MAXIMUM_STEPS && !isClosed(); i++) {
      long version = store.inForce.keyset.version;
      URL url = null;
      try {
        url = mirror.url(version + 1);
        Download.Answer answer = get(mirror, url, Collections.<String, String>emptyMap(), Keyset.MAXIMUM_BYTES, end);
        if (answer.status == 404 || answer.status == 410) return;
        if (answer.status != 200) throw new IOException("the server answered with status " + answer.status);
        store.updateKeyset(answer.body);
      } catch (PintleException | IOException | RuntimeException | OutOfMemoryError e) {
        // Another thread or process may have taken it first.
        boolean isTaken = e instanceof PintleException && ((PintleException) e).code().equals("older-version")
            && store.inForce.keyset.version > version;
        if (isTaken) continue;
        problems.add(problem(url, e));
        return;
      }
      if (store.inForce.keyset.version == version) return;
    }
  }

  private Download.Answer get(FetchSource source, URL url, Map<String, String> conditions, int limit, long end)
      throws IOException {
    if (!url.getProtocol().equals("https") && !allowsPlainHttp) {
      throw new IOException("only https is allowed, unless plain http is allowed explicitly");
    }
    source.checkMayBeAsked(store.status().now());
    Download download = new Download(url, conditions, limit, end, factory);
    current = download;
    try {
      if (isClosed()) download.abandon();
      Download.Answer answer = download.get();
      source.heed(answer, store.status().now());
      return answer;
    } finally {
      current = null;
      source.gaveUp(download);
    }
  }

  /** One line for terminals and logs: some of it comes from a server. */
  private static String problem(URL url, Throwable error) {
    return Bytes.printable((url == null ? "" : FetchSource.shown(url) + ": ") + error);
  }

  private int limit() {
    Manifest manifest = store.inForce.manifest();
    int most = store.settings.maximumBytes;
    if (manifest == null) return most;
    return (int) Math.min(most, Math.max(LEAST_DOWNLOAD, (long) manifest.file.bytes.length * DOWNLOAD_GROWTH));
  }

  // In the background

  /** Starts fetching in the background: at once unless the manifest is fresh, and then within six minutes. */
  public synchronized PinFetcher start() {
    if (thread != null || isClosed()) throw new IllegalStateException("it was started before");
    thread = new Thread("pintle-fetcher") {
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
    };
    thread.setDaemon(true);
    thread.start();
    return this;
  }

  private long first() {
    try {
      return FetchSchedule.first(store.status().isSettled(), random.nextDouble());
    } catch (RuntimeException e) {
      tell(problem(null, e));
      return 0;
    }
  }

  /** Answers how many seconds to wait. */
  private long round() {
    try {
      Round round = fetch();
      if (isClosed()) return 0;
      for (String one : round.problems) tell(one);
      return schedule.delay(round.isSuccessful, round.patience, store.status(), random.nextDouble());
    } catch (RuntimeException | Error e) {
      tell(problem(null, e));
      return FetchSchedule.LONGEST_RETRY;
    }
  }

  /** Waits, and maintains the store meanwhile; false once the fetcher is closed. */
  private boolean waitFor(long nanoseconds) throws InterruptedException {
    long began = System.nanoTime();
    long pause = TimeUnit.MILLISECONDS.toNanos(housekeepingMilliseconds);
    while (true) {
      long left = nanoseconds - (System.nanoTime() - began);
      if (closed.await(Math.min(left, pause), TimeUnit.NANOSECONDS)) return false;
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
      tell(problem(null, e));
    }
  }

  private void tell(String problem) {
    try {
      if (listener != null) listener.problem(problem);
    } catch (Throwable e) {
      Listeners.threw(e);
    }
  }

  /** For tests. */
  synchronized Thread thread() {
    return thread;
  }

  /** For tests: whether something is asked for. */
  boolean isAsking() {
    return current != null;
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  /** Ends fetching, in the background and in {@link #fetch}; doesn't wait for it. */
  @Override
  public void close() {
    closed.countDown();
    Download download = current;
    if (download != null) download.abandon();
  }
}
