package pintle;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.Proxy;
import java.net.Socket;
import java.net.URL;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLSocketFactory;

/**
 * One GET, redirects included, with limits in time and bytes, in a daemon thread of its own.
 *
 * <p>The time limits of a socket are for each read. So {@link #get} only waits until the deadline, and then closes the socket
 * below TLS, which waits for nobody. Only looking a name up can't be ended.
 */
final class Download implements Callable<Download.Answer> {
  private static final int MAXIMUM_REDIRECTS = 3;
  private static final List<Integer> REDIRECTS = Arrays.asList(301, 302, 303, 307, 308);

  /** What the server answered. */
  static final class Answer {
    final int status;
    /** Null unless the status is 200. */
    final byte[] body;
    private final Map<String, List<String>> fields;

    private Answer(int status, byte[] body, Map<String, List<String>> fields) {
      this.status = status;
      this.body = body;
      this.fields = fields;
    }

    /** A header field that is there once, short, and of visible characters; otherwise null. */
    String field(String name, int limit) {
      List<String> values = fields.get(name);
      if (values == null || values.size() != 1) return null;
      String found = values.get(0);
      if (found.isEmpty() || found.length() > limit) return null;
      for (int i = 0; i < found.length(); i++) if (found.charAt(i) < ' ' || found.charAt(i) > '~') return null;
      return found;
    }
  }

  private final URL first;
  private final Map<String, String> fields;
  private final int limit;
  private final long end;
  /** Null for the platform's own. */
  private final SSLSocketFactory factory;
  Proxy proxy = Proxy.NO_PROXY;
  private final FutureTask<Answer> task = new FutureTask<>(this);
  private final Thread thread = new Thread(task, "pintle-download");
  private volatile Socket socket;
  private volatile ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /**
   * Puts a GET together.
   *
   * @param fields header fields of the request
   * @param limit the most bytes of the body
   * @param end the deadline, by {@code System.nanoTime()}
   */
  Download(URL url, Map<String, String> fields, int limit, long end, SSLSocketFactory factory) {
    first = url;
    this.fields = fields;
    this.limit = limit;
    this.end = end;
    this.factory = factory;
    thread.setDaemon(true);
  }

  /** Waits for the answer, until the deadline or {@link #abandon}. */
  Answer get() throws IOException {
    try {
      long left = left();
      thread.start();
      return task.get(left, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw tooLate();
    } catch (CancellationException e) {
      throw new IOException("the fetcher is closed");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the thread that waits for it was interrupted");
    } catch (ExecutionException e) {
      left(); // says so if the deadline ended the connection
      if (e.getCause() instanceof IOException) throw (IOException) e.getCause();
      throw new IOException(e.getCause());
    } finally {
      abandon();
    }
  }

  /** Ends it; never waits. */
  void abandon() {
    task.cancel(false);
    bytes = null;
    close();
  }

  private void close() {
    Socket current = socket;
    if (current == null) return;
    try {
      current.close();
    } catch (IOException e) {
      // Nothing more is read from it.
      return;
    }
  }

  /** Whether it was given up, and its thread still waits for the server. */
  boolean isStuck() {
    return task.isCancelled() && thread.isAlive();
  }

  private static IOException tooLate() {
    return new IOException("it took longer than the deadline");
  }

  private long left() throws IOException {
    long left = end - System.nanoTime();
    if (left <= 0) throw tooLate();
    return left;
  }

  /** The time that is left, for the limits of a socket. */
  int milliseconds() throws IOException {
    return (int) Math.min(Integer.MAX_VALUE, TimeUnit.NANOSECONDS.toMillis(left()) + 1);
  }

  /** The socket below TLS; if nobody waits any more, it is closed. */
  void uses(Socket plain) throws IOException {
    socket = plain;
    if (task.isCancelled()) plain.close();
  }

  // In the thread

  @Override
  public Answer call() throws IOException {
    URL url = first;
    for (int redirects = 0; redirects <= MAXIMUM_REDIRECTS; redirects++) {
      HttpGet request = new HttpGet(this, url);
      try {
        request.send(fields, proxy, factory);
        int status = request.status;
        if (!REDIRECTS.contains(status) || request.fields.get("Location") == null) {
          return new Answer(status, status == 200 ? content(request) : null, request.fields);
        }
        url = redirected(url, request.field("Location"));
      } finally {
        close();
      }
    }
    throw new IOException("more than " + MAXIMUM_REDIRECTS + " redirects");
  }

  private URL redirected(URL from, String location) throws IOException {
    URL url;
    try {
      url = new URL(from, location);
    } catch (MalformedURLException e) {
      throw new IOException("redirected to what isn't a URL");
    }
    if (!url.getProtocol().equals(first.getProtocol()) || !url.getHost().equalsIgnoreCase(first.getHost())
        || port(url) != port(first)) {
      throw new IOException("redirected to another host, port or scheme");
    }
    return url;
  }

  static int port(URL url) {
    return url.getPort() < 0 ? url.getDefaultPort() : url.getPort();
  }

  /** Keeps bytes of the body; while the thread waits, only the field refers to them. */
  void keep(byte[] buffer, int count) throws IOException {
    left();
    ByteArrayOutputStream kept = bytes;
    if (kept == null) throw tooLate();
    kept.write(buffer, 0, count);
    if (kept.size() > limit) throw new IOException("the answer has more than " + limit + " bytes");
  }

  private byte[] content(HttpGet request) throws IOException {
    request.readBody();
    ByteArrayOutputStream whole = bytes;
    if (whole == null) throw tooLate();
    return whole.toByteArray();
  }
}
