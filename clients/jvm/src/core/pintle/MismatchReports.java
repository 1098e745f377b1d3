package pintle;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jetbrains.annotations.Nullable;

/**
 * Reports of mismatches and denied keys, in the format of RFC 7469 section 3, for the program to send (docs/reports.md).
 *
 * <p>Give it to {@link PinStoreSettings#listener}, and call {@link #poll} every few seconds in one thread. It keeps reports
 * in memory only, writes no day's counts, and never delays a connection.
 */
public final class MismatchReports implements PinStoreSettings.DecisionListener {
  private static final int MAXIMUM_WAITING = 100;
  private static final int MAXIMUM_REMEMBERED = 4096;
  private static final int MAXIMUM_BYTES = 256 << 10;
  private static final long REPEAT_SECONDS = 86400;
  private static final long GIVE_UP_SECONDS = 7 * 86400;
  private static final int BURST = 20;
  private static final long SECONDS_PER_REPORT = 30;

  /** A report, and where it goes. */
  public static final class Report {
    private final List<String> addresses;
    private final byte[] body;
    private final long created;

    private Report(List<String> addresses, byte[] body, long created) {
      this.addresses = addresses;
      this.body = body;
      this.created = created;
    }

    /** {@return the https URIs to POST it to, all of them, with {@code Content-Type: application/json}} */
    public List<String> addresses() {
      return new ArrayList<>(addresses);
    }

    /** {@return the JSON} */
    public byte[] body() {
      return body.clone();
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Report> waiting = new ArrayDeque<>();
  /** When a chain was last reported, and when an entry last had a report. */
  private final Map<String, Long> reported = new LinkedHashMap<>();
  private final Map<String, Long> failing = new LinkedHashMap<>();
  private long tokens = BURST;
  private long refilled = Long.MIN_VALUE;
  private long dropped;

  /** {@return how many reports were dropped: none of their addresses could be used, the queue was full, or they were too old} */
  public long dropped() {
    lock.lock();
    try {
      return dropped;
    } finally {
      lock.unlock();
    }
  }

  /**
   * {@return the next report to send; null if there is none, or if enough were sent lately: 20 at once, then one in 30 seconds}
   *
   * @param now the time, in seconds since 1970-01-01T00:00:00Z
   */
  public @Nullable Report poll(long now) {
    lock.lock();
    try {
      if (refilled == Long.MIN_VALUE || now < refilled) refilled = now;
      long gained = (now - refilled) / SECONDS_PER_REPORT;
      refilled += gained * SECONDS_PER_REPORT;
      tokens = Math.min(BURST, tokens + gained);
      while (!waiting.isEmpty() && now - waiting.peek().created >= GIVE_UP_SECONDS) {
        waiting.remove();
        dropped++;
      }
      if (waiting.isEmpty() || tokens == 0) return null;
      tokens--;
      return waiting.remove();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void decided(Handshake handshake, Decision decision) {
    boolean isReportable = !handshake.isClient && decision.chain != null
        && (decision.reason.startsWith("mismatch") || decision.reason.equals("denied-key"));
    if (!isReportable) return;
    StringBuilder key = new StringBuilder(handshake.host + "|" + handshake.port + "|" + decision.entry());
    for (Certificate one : decision.chain) key.append('|').append(one.fingerprint);
    String digest = Bytes.base64(Bytes.sha256(key.toString().getBytes(Bytes.UTF8)));
    // A connection never waits here.
    if (!lock.tryLock()) return;
    try {
      if (!isNew(reported, digest, decision.at)) return;
      List<String> addresses = new ArrayList<>();
      if (decision.entry.reporting >= 0) {
        for (String uri : decision.manifest.reporting.get(decision.entry.reporting)) {
          if (isEligible(uri, decision)) addresses.add(uri);
        }
      }
      remember(failing, decision.entry(), decision.at);
      byte[] body = addresses.isEmpty() ? null : body(handshake, decision);
      if (body == null) {
        if (decision.entry.reporting >= 0) dropped++;
        return;
      }
      if (waiting.size() == MAXIMUM_WAITING) {
        waiting.remove();
        dropped++;
      }
      waiting.add(new Report(addresses, body, decision.at));
    } finally {
      lock.unlock();
    }
  }

  private static boolean isNew(Map<String, Long> known, String key, long at) {
    if (isRecent(known, key, at)) return false;
    remember(known, key, at);
    return true;
  }

  private static boolean isRecent(Map<String, Long> known, String key, long at) {
    Long last = known.get(key);
    return last != null && at - last < REPEAT_SECONDS && at >= last;
  }

  private static void remember(Map<String, Long> known, String key, long at) {
    known.remove(key);
    if (known.size() == MAXIMUM_REMEMBERED) known.remove(known.keySet().iterator().next());
    known.put(key, at);
  }

  /** Only https without a user name, and no address whose own connection would be reported there (RFC 7469 section 2.1.4). */
  private boolean isEligible(String text, Decision decision) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      return false;
    }
    if (!"https".equalsIgnoreCase(uri.getScheme()) || uri.getHost() == null || uri.getRawUserInfo() != null) return false;
    String host = HostName.canonical(uri.getHost());
    Manifest.Entry own = decision.entry;
    if (host == null || host.equals(own.host)) return false;
    Manifest.Entry other = decision.manifest.entry(host, uri.getPort() < 0 ? 443 : uri.getPort());
    if (other == own) return false;
    if (other == null) return !(own.includesSubdomains && host.endsWith("." + own.host));
    return other.mode == Manifest.Mode.OFF || !isRecent(failing, other.label(), decision.at);
  }

  /** Null if it is too large even without the certificates at the end of the served chain. */
  static byte[] body(Handshake handshake, Decision decision) {
    for (int served = handshake.certificates.size(); served > 0; served--) {
      byte[] body = body(handshake, decision, served);
      if (body.length <= MAXIMUM_BYTES) return body;
    }
    return null;
  }

  private static byte[] body(Handshake handshake, Decision decision, int served) {
    Manifest.Entry entry = decision.entry;
    String host = HostName.canonical(handshake.host);
    long expires = entry.expires == Long.MAX_VALUE ? decision.manifest.expires : entry.expires;
    List<String> pins = new ArrayList<>();
    for (Manifest.Key key : entry.keySet.members) pins.add("pin-sha256=\\\"" + key.pin + "\\\"");
    List<String> chain = new ArrayList<>();
    for (byte[] der : handshake.certificates.subList(0, served)) chain.add(pem(der));
    int left = handshake.certificates.size() - served;
    if (left > 0) {
      chain.set(served - 1, left + (left == 1 ? " more certificate was served and is" : " more certificates were served and are")
          + " left out\\n" + chain.get(served - 1));
    }
    List<String> validated = new ArrayList<>();
    for (Certificate one : decision.chain) validated.add(pem(one.der));
    // Hosts, pins and PEM have no characters that JSON escapes, but for those that are written escaped here.
    return ("{\"date-time\":\"" + Instants.format(decision.at) + "\",\"effective-expiration-date\":\""
        + Instants.format(expires) + "\",\"hostname\":\"" + host + "\",\"include-subdomains\":" + entry.includesSubdomains
        + ",\"known-pins\":" + list(pins) + ",\"noted-hostname\":\"" + entry.host + "\",\"port\":" + handshake.port
        + ",\"served-certificate-chain\":" + list(chain) + ",\"validated-certificate-chain\":" + list(validated) + "}")
        .getBytes(Bytes.ASCII);
  }

  private static String list(List<String> items) {
    StringBuilder text = new StringBuilder("[");
    for (String item : items) text.append(text.length() == 1 ? "\"" : ",\"").append(item).append('"');
    return text.append(']').toString();
  }

  /** PEM (RFC 7468), with its line breaks as JSON escapes them. */
  private static String pem(byte[] der) {
    StringBuilder text = new StringBuilder("-----BEGIN CERTIFICATE-----");
    String body = Bytes.base64(der);
    for (int i = 0; i < body.length(); i += 64) text.append("\\n").append(body, i, Math.min(body.length(), i + 64));
    return text.append("\\n-----END CERTIFICATE-----").toString();
  }
}
