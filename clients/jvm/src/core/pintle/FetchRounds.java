package pintle;

import java.io.IOException;
import java.net.Proxy;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;

/** The rounds of a {@link PinFetcher}, one at a time: what is asked for, in which order, and what becomes of it. */
final class FetchRounds {
  private static final int MAXIMUM_STEPS = 256;
  private static final int DOWNLOAD_GROWTH = 4;
  private static final int LEAST_DOWNLOAD = 8 << 20;

  private final PinStore store;
  private final List<FetchSource> manifests = new ArrayList<>();
  private final List<FetchSource> keysets = new ArrayList<>();
  boolean allowsPlainHttp;
  SSLSocketFactory factory;
  Proxy proxy = Proxy.NO_PROXY;
  long deadlineMilliseconds = 60_000;
  final CountDownLatch closed = new CountDownLatch(1);
  private volatile Download current;

  FetchRounds(PinStore store, List<String> manifests, List<String> keysets) {
    this.store = store;
    for (String one : manifests) this.manifests.add(new FetchSource("manifest URL " + (this.manifests.size() + 1), one, false));
    for (String one : keysets) this.keysets.add(new FetchSource("keyset URL " + (this.keysets.size() + 1), one, true));
  }

  synchronized PinFetcher.Round fetch() {
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
    if (isClosed() && !isSuccessful) problems.add("the fetcher is closed, so it asks nobody; make a new one to fetch again");
    for (FetchSource source : manifests) patience = Math.min(patience, source.patience(store.status().now()));
    return new PinFetcher.Round(isSuccessful, problems, manifests.isEmpty() ? 0 : patience);
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
    download.proxy = proxy;
    current = download;
    try {
      if (isClosed()) download.abandon();
      Download.Answer answer = download.get();
      source.heed(answer, store.status());
      return answer;
    } finally {
      current = null;
      source.gaveUp(download);
    }
  }

  /** One line for terminals and logs: some of it comes from a server. */
  static String problem(URL url, Throwable error) {
    return Bytes.printable((url == null ? "" : FetchSource.shown(url) + ": ") + error);
  }

  private int limit() {
    Manifest manifest = store.inForce.manifest();
    int most = store.settings.maximumBytes;
    if (manifest == null) return most;
    return (int) Math.min(most, Math.max(LEAST_DOWNLOAD, (long) manifest.file.bytes.length * DOWNLOAD_GROWTH));
  }

  boolean isClosed() {
    return closed.getCount() == 0;
  }

  /** Doesn't wait for a round, which holds the lock. */
  void close() {
    closed.countDown();
    Download download = current;
    if (download != null) download.abandon();
  }
}
