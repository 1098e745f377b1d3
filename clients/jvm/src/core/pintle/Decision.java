package pintle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** An answer, and how it came about (docs/vectors.md#what-is-answered). */
public final class Decision {
  /** What the manifest says. */
  public enum Verdict {
    /** Go on. */
    ALLOW,
    /** Close the connection before anything is sent on it. */
    BLOCK,
    /** The manifest has nothing to say: the platform's own validation decides. */
    NOT_PINNED
  }

  /** A key of the manifest that was found in the validated chain. */
  public static final class Match {
    private final String key;
    private final int certificate;

    Match(String key, int certificate) {
      this.key = key;
      this.certificate = certificate;
    }

    /** The key's name in the policy. */
    public String key() {
      return key;
    }

    /** The certificate's place in the validated chain, from the leaf (0). */
    public int certificate() {
      return certificate;
    }
  }

  /** The events in the order in which they are listed. */
  private static final List<String> EVENTS = Arrays.asList("no-entry", "excluded", "invalid-host", "entry-expired",
      "refresh-due", "manifest-stale", "report-only", "untrusted", "denied-key", "mismatch", "exception-used",
      "backup-key-matched", "unreadable-chain", "no-manifest");

  Verdict verdict;
  String reason;
  int step;
  Manifest.Entry entry;
  private int events;
  String clock;
  final List<Match> matches = new ArrayList<>();
  List<TrustFailure> failures = Collections.emptyList();
  List<Certificate> chain;
  long at;
  Manifest manifest;
  /** Whether it is known what trust evaluation says of a host that isn't pinned. */
  boolean wasReplaced;

  Decision() {}

  Decision event(String name) {
    events |= 1 << EVENTS.indexOf(name);
    return this;
  }

  Decision answer(Verdict verdict, String reason, int step) {
    this.verdict = verdict;
    this.reason = reason;
    this.step = step;
    return this;
  }

  /** The verdict. */
  public Verdict verdict() {
    return verdict;
  }

  /** The stable code of the reason, such as {@code matched}, {@code mismatch} or {@code untrusted}. */
  public String reason() {
    return reason;
  }

  /** The step of the order of decision that gave the verdict, 1 to 5. */
  public int step() {
    return step;
  }

  /** The label of the entry that governs the host, such as {@code api.example.com:8443}; null if none does. */
  public String entry() {
    return entry == null ? null : entry.label();
  }

  /** Every state that is not plain enforcement, such as {@code manifest-stale}: count them, and alarm on them. */
  public List<String> events() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < EVENTS.size(); i++) if ((events >> i & 1) != 0) names.add(EVENTS.get(i));
    return names;
  }

  /** The clock that has run out, {@code entry} or {@code manifest}, if that is the reason; else null. */
  public String clock() {
    return clock;
  }

  /** The keys that bear on the answer, from the leaf upwards. */
  public List<Match> matches() {
    return Collections.unmodifiableList(matches);
  }

  /** What trust evaluation found wrong, the one that explains the others first. */
  public List<TrustFailure> failures() {
    return Collections.unmodifiableList(failures);
  }

  /** The validated chain in DER, leaf to anchor; empty if trust evaluation failed or didn't take place. */
  public List<byte[]> chain() {
    List<byte[]> found = new ArrayList<>();
    if (chain != null) for (Certificate one : chain) found.add(one.der.clone());
    return found;
  }

  /** The time that was decided at, in seconds since 1970-01-01T00:00:00Z. */
  public long at() {
    return at;
  }

  /** The serial of the manifest that decided; 0 if none was in force. */
  public long serial() {
    return manifest == null ? 0 : manifest.serial;
  }

  /** Whether the connection must be closed before anything is sent on it. */
  public boolean isBlocked() {
    return verdict == Verdict.BLOCK || wasReplaced && !failures.isEmpty();
  }

  boolean hasMatched() {
    return reason.equals("matched") || reason.equals("matched-both");
  }

  /** The whole answer in one line, for people. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(verdict == Verdict.NOT_PINNED ? "not pinned" : verdict.name().toLowerCase(java.util.Locale.ROOT));
    text.append(": ").append(reason);
    if (entry != null) text.append(", by the entry ").append(entry.label());
    if (manifest != null) text.append(" of the manifest with serial ").append(manifest.serial);
    if (clock != null) text.append("; the clock of the ").append(clock).append(" has run out");
    for (Match match : matches) {
      text.append("; key ").append(match.key).append(" at certificate ").append(match.certificate);
    }
    if (!failures.isEmpty()) text.append("; ").append(failures.get(0));
    return text.toString();
  }
}
