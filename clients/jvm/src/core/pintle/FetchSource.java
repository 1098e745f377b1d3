package pintle;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.util.HashMap;
import java.util.Map;

/** A URL of the manifest, or a mirror of keysets, and what is remembered of it between rounds. */
final class FetchSource {
  private static final long LONGEST_RETRY_AFTER = 3600;
  /** As long as the store has no manifest, and can't decide. */
  private static final long LONGEST_RETRY_AFTER_WITHOUT = 900;
  private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";

  private final String place;
  /** Given up, and not ended yet. */
  private Download stuck;
  /** Until when the server asked to be left alone, and when it did. */
  private long patientFrom = Long.MAX_VALUE;
  private long patientUntil;
  /** The signed digest of the release that was taken from here, and what makes a request for it conditional. */
  private String release;
  private final Map<String, String> conditions = new HashMap<>();

  /**
   * Checks a URL; the message of an exception doesn't repeat it, because it may have a secret.
   *
   * @param what for the message
   * @param place the URL; a mirror's has <code>{version}</code> in its path or query
   */
  FetchSource(String what, String place, boolean isMirror) {
    this.place = place;
    int variable = place.indexOf("{version}");
    int path = place.indexOf('/', place.indexOf("://") + 3);
    if (isMirror && (variable < 0 || variable != place.lastIndexOf("{version}") || path < 0 || variable < path)) {
      throw new IllegalArgumentException(what + " needs exactly one {version}, in its path or query");
    }
    try {
      // URI knows what must be escaped; URL also takes hosts with an underscore.
      URL url = new URI(place.replace("{version}", "1")).toURL();
      boolean isHttp = url.getProtocol().equals("https") || url.getProtocol().equals("http");
      if (isHttp && !url.getHost().isEmpty() && url.getUserInfo() == null && url.getRef() == null) return;
    } catch (URISyntaxException | MalformedURLException | IllegalArgumentException e) {
      // Its message repeats the URL.
      throw new IllegalArgumentException(what + " can't be read; it must begin with https://, and unusual characters be escaped");
    }
    throw new IllegalArgumentException(what + " must begin with https:// or http://, have a host, and no user name or fragment");
  }

  URL url(long version) throws MalformedURLException {
    return new URL(place.replace("{version}", Long.toString(version)));
  }

  /** A URL for logs, without its query, which may be a secret. */
  static String shown(URL url) {
    String text = url.toString();
    int query = text.indexOf('?');
    return query < 0 ? text : text.substring(0, query);
  }

  // One request at a time

  /** Rejects a request that the server asked not to be sent, or while an earlier one hasn't ended: threads don't pile up. */
  void checkMayBeAsked(long now) throws IOException {
    long patience = patience(now);
    if (patience > 0) throw new IOException("the server asked to be left alone for " + Bytes.count(patience, "more second"));
    if (stuck != null && stuck.isStuck()) {
      throw new IOException("the server still holds an earlier request, so no other one is sent");
    }
    stuck = null;
  }

  /** Remembers a request that failed. */
  void gaveUp(Download download) {
    if (download.isStuck()) stuck = download;
  }

  // Patience: RFC 9110 section 10.2.3

  /** For how many seconds the server isn't asked. */
  long patience(long now) {
    // Now is before the server asked only if a clock that was ahead was set right.
    return now < patientFrom ? 0 : Math.max(0, patientUntil - now);
  }

  void heed(Download.Answer answer, Status status) {
    if (answer.status != 429 && answer.status != 503) return;
    long now = status.now();
    long seconds = seconds(answer.field("Retry-After", 64), now);
    if (seconds < 0) return;
    patientFrom = now;
    patientUntil = now + Math.min(seconds, status.serial() == 0 ? LONGEST_RETRY_AFTER_WITHOUT : LONGEST_RETRY_AFTER);
  }

  /** Seconds, or a date in the preferred form (section 5.6.7); -1 if it can't be read. */
  static long seconds(String field, long now) {
    if (field == null) return -1;
    if (field.matches("[0-9]{1,18}")) return Long.parseLong(field);
    if (!field.matches("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT")) return -1;
    int month = MONTHS.indexOf(field.substring(8, 11));
    if (month < 0 || month % 3 != 0) return -1;
    String instant = field.substring(12, 16) + "-" + (month < 27 ? "0" : "") + (month / 3 + 1) + "-" + field.substring(5, 7)
        + "T" + field.substring(17, 25) + "Z";
    long when = Instants.parse(instant.getBytes(Bytes.ASCII), 0);
    return when == Long.MIN_VALUE ? -1 : Math.max(0, when - now);
  }

  // Conditions: RFC 9110 section 13.1

  /** The header fields of a request for what isn't this release. */
  Map<String, String> conditions(Manifest inForce) {
    boolean isKnown = inForce != null && inForce.signedDigest.equals(release);
    return isKnown ? new HashMap<>(conditions) : new HashMap<String, String>();
  }

  /** Remembers what the server calls the release that is in force now. */
  void took(Download.Answer answer, Manifest inForce) {
    forget();
    release = inForce == null ? null : inForce.signedDigest;
    String tag = answer.field("ETag", 256);
    String date = answer.field("Last-Modified", 64);
    if (tag != null) conditions.put("If-None-Match", tag);
    if (date != null) conditions.put("If-Modified-Since", date);
  }

  void forget() {
    release = null;
    conditions.clear();
  }
}
