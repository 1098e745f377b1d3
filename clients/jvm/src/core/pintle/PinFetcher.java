package pintle;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;

/**
 * Fetches newer keysets and manifests for a store, in a thread of its own, by the rules of docs/updates.md#fetching, but
 * without entity tags and {@code Retry-After}. Problems are in what {@link #fetch} returns; the thread tells nobody.
 *
 * <p>The connection is validated by the platform, and not pinned: otherwise a wrong pin could never be corrected.
 */
public final class PinFetcher implements AutoCloseable {
  private static final int MAXIMUM_STEPS = 256;
  private static final int MAXIMUM_REDIRECTS = 3;
  private static final int DOWNLOAD_GROWTH = 4;
  private static final int LEAST_DOWNLOAD = 8 << 20;
  private static final long INTERVAL = 3600;
  private static final long DUE_INTERVAL = 300;
  private static final long FIRST_RETRY = 10;
  private static final long LONGEST_RETRY = 900;

  private final PinStore store;
  private final List<String> manifests;
  private final List<String> keysets;
  private final SecureRandom random = new SecureRandom();
  private boolean allowsPlainHttp;
  private SSLSocketFactory factory;
  private int deadlineMilliseconds = 60000;
  private Thread thread;
  private volatile boolean isClosed;
  private volatile HttpURLConnection current;
  private int failures;

  /**
   * Puts a fetcher together.
   *
   * @param manifests the URLs of the manifest, in order of preference
   * @param keysets the URLs of keysets, one for each mirror, with <code>{version}</code> in it; may be empty
   */
  public PinFetcher(PinStore store, List<String> manifests, List<String> keysets) {
    this.store = store;
    this.manifests = new ArrayList<>(manifests);
    this.keysets = new ArrayList<>(keysets);
    for (String one : keysets) {
      if (!one.contains("{version}")) throw new IllegalArgumentException("the URL '" + one + "' has no {version}");
    }
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

  /** The most time for each URL, redirects included; 60 seconds unless set. */
  public PinFetcher deadline(int milliseconds) {
    deadlineMilliseconds = milliseconds;
    return this;
  }

  /** What came of a round. */
  public static final class Round {
    private final boolean isSuccessful;
    private final List<String> problems;

    private Round(boolean isSuccessful, List<String> problems) {
      this.isSuccessful = isSuccessful;
      this.problems = problems;
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

  /** Fetches once: keysets from all mirrors first, then the manifest from one URL after the other. */
  public Round fetch() {
    List<String> problems = new ArrayList<>();
    if (store.inForce.keyset != null) for (String mirror : keysets) walk(mirror, problems);
    boolean isSuccessful = false;
    for (String url : manifests) {
      try {
        byte[] file = get(url, limit(), false);
        store.update(file);
        isSuccessful = true;
        // From refresh-after on, all are tried, even if one has nothing newer.
        if (store.status().freshness().equals("fresh")) break;
      } catch (PintleException | IOException | RuntimeException | OutOfMemoryError e) {
        problems.add(shown(url) + ": " + e);
      }
    }
    return new Round(isSuccessful, problems);
  }

  /** Each mirror is asked for the next version until it has none: one that hides a version looks like one without it. */
  private void walk(String mirror, List<String> problems) {
    for (int i = 0; i < MAXIMUM_STEPS; i++) {
      long version = store.inForce.keyset.version;
      String url = mirror.replace("{version}", Long.toString(version + 1));
      try {
        byte[] file = get(url, Keyset.MAXIMUM_BYTES, true);
        if (file == null) return;
        store.updateKeyset(file);
      } catch (PintleException | IOException | RuntimeException | OutOfMemoryError e) {
        problems.add(shown(url) + ": " + e);
        return;
      }
      if (store.inForce.keyset.version == version) return;
    }
  }

  /** A URL for logs, without its query, which may be a secret. */
  private static String shown(String url) {
    int query = url.indexOf('?');
    return query < 0 ? url : url.substring(0, query);
  }

  private int limit() {
    Manifest manifest = store.inForce.manifest();
    int most = store.settings.maximumBytes;
    if (manifest == null) return most;
    return (int) Math.min(most, Math.max(LEAST_DOWNLOAD, (long) manifest.file.bytes.length * DOWNLOAD_GROWTH));
  }

  /** A file of at most so many bytes; null if the server has none and that is an answer. */
  private byte[] get(String text, int limit, boolean mayBeAbsent) throws IOException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(deadlineMilliseconds);
    URL first = URI.create(text).toURL();
    URL url = first;
    for (int redirects = 0; redirects <= MAXIMUM_REDIRECTS; redirects++) {
      HttpURLConnection connection = open(url, end);
      current = connection;
      // The time limits of a connection are for each read: without this, a slow server could take any time.
      Timer timer = new Timer("pintle-fetcher-deadline", true);
      timer.schedule(new TimerTask() {
        @Override
        public void run() {
          connection.disconnect();
        }
      }, left(end));
      try {
        int status = connection.getResponseCode();
        if (mayBeAbsent && (status == 404 || status == 410)) return null;
        if (status == 200) return content(connection, limit, end);
        String location = connection.getHeaderField("Location");
        if (location == null || status != 301 && status != 302 && status != 303 && status != 307 && status != 308) {
          throw new IOException("the server answered with status " + status);
        }
        url = new URL(url, location);
        if (!url.getProtocol().equals(first.getProtocol()) || !url.getHost().equalsIgnoreCase(first.getHost())
            || port(url) != port(first)) {
          throw new IOException("redirected to another host, port or scheme");
        }
      } catch (IOException e) {
        left(end); // says so if the deadline ended the connection
        throw e;
      } finally {
        timer.cancel();
        current = null;
        connection.disconnect();
      }
    }
    throw new IOException("more than " + MAXIMUM_REDIRECTS + " redirects");
  }

  private static int port(URL url) {
    return url.getPort() < 0 ? url.getDefaultPort() : url.getPort();
  }

  private static int left(long end) throws IOException {
    long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    if (left <= 0) throw new IOException("it took longer than the deadline");
    return (int) left;
  }

  private HttpURLConnection open(URL url, long end) throws IOException {
    boolean isTls = url.getProtocol().equals("https");
    if (!isTls && !(allowsPlainHttp && url.getProtocol().equals("http"))) {
      throw new IOException("only https is allowed, unless plain http is allowed explicitly");
    }
    HttpURLConnection connection = (HttpURLConnection) url.openConnection();
    if (isTls && factory != null) ((HttpsURLConnection) connection).setSSLSocketFactory(factory);
    connection.setInstanceFollowRedirects(false);
    connection.setUseCaches(false);
    connection.setConnectTimeout(left(end));
    connection.setReadTimeout(left(end));
    connection.setRequestProperty("Accept-Encoding", "identity");
    return connection;
  }

  private static byte[] content(HttpURLConnection connection, int limit, long end) throws IOException {
    String encoding = connection.getContentEncoding();
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) throw new IOException("the answer is encoded");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] buffer = new byte[8192];
    try (InputStream input = connection.getInputStream()) {
      for (int count; (count = input.read(buffer)) >= 0;) {
        bytes.write(buffer, 0, count);
        if (bytes.size() > limit) throw new IOException("the answer has more than " + limit + " bytes");
        left(end);
      }
    }
    return bytes.toByteArray();
  }

  /** Starts fetching in the background. */
  public synchronized PinFetcher start() {
    if (thread != null || isClosed) throw new IllegalStateException("it was started before");
    thread = new Thread("pintle-fetcher") {
      @Override
      public void run() {
        try {
          while (!isClosed) TimeUnit.SECONDS.sleep(delay(fetch(), random.nextDouble()));
        } catch (InterruptedException e) {
          // Closed.
          return;
        }
      }
    };
    thread.setDaemon(true);
    thread.start();
    return this;
  }

  /** How many seconds to wait after a round; {@code random} is from 0 to 1. */
  long delay(Round round, double random) {
    if (!round.isSuccessful) {
      // Half is fixed, half is random: a fleet spreads out, and nobody tries again at once.
      long wait = Math.min(LONGEST_RETRY, FIRST_RETRY << Math.min(failures++, 30));
      return Math.max(1, wait / 2 + (long) (wait / 2.0 * random));
    }
    failures = 0;
    Status status = store.status();
    boolean isUrgent = status.isKeysetExpired() || !status.isEndorsed();
    long untilDue = isUrgent ? 0 : status.refreshAfter() - status.now();
    long interval = untilDue > 0 ? INTERVAL : DUE_INTERVAL;
    return (untilDue > 0 ? Math.min(interval, untilDue) : interval) + (long) (interval * 0.1 * random) + 1;
  }

  /** For tests. */
  synchronized Thread thread() {
    return thread;
  }

  /** For tests: whether a connection is open. */
  boolean isConnected() {
    return current != null;
  }

  /** Ends fetching; a round that has begun is interrupted. */
  @Override
  public synchronized void close() {
    isClosed = true;
    if (thread != null) thread.interrupt();
    HttpURLConnection connection = current;
    if (connection != null) connection.disconnect();
  }
}
