package pintle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jetbrains.annotations.Nullable;

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

    /** {@return the key's name in the policy} */
    public String key() {
      return key;
    }

    /** {@return the certificate's place in the validated chain, from the leaf (0)} */
    public int certificate() {
      return certificate;
    }
  }

  /** A key of the validated or served chain, or of the entry's key set. */
  public static final class Key {
    /** What the manifest says about it. */
    public enum Status {
      /** It is neither in the entry's key set nor denied. */
      UNKNOWN,
      /** The entry's key set has it as an active key. */
      ACTIVE,
      /** The entry's key set has it as a backup. */
      BACKUP,
      /** It is denied. */
      DENIED
    }

    private final String name;
    private final String pin;
    private final int certificate;
    private final String position;
    private final Status status;

    Key(String name, String pin, int certificate, String position, Status status) {
      this.name = name;
      this.pin = pin;
      this.certificate = certificate;
      this.position = position;
      this.status = status;
    }

    /** {@return its name in the policy; null if the status is {@code UNKNOWN}} */
    public @Nullable String name() {
      return name;
    }

    /** {@return the pin, {@code sha256/} and Base64; null if the key of a certificate can't be read} */
    public @Nullable String pin() {
      return pin == null ? null : "sha256/" + pin;
    }

    /** {@return of a presented key, the place of its certificate, from the leaf (0); of a required one, -1} */
    public int certificate() {
      return certificate;
    }

    /**
     * {@return where it is; of a required key, where it must be: {@code leaf}, {@code intermediate}, {@code root}, or null for
     * anywhere} It is null too above the leaf of a chain that wasn't validated, because nobody knows it there.
     */
    public @Nullable String position() {
      return position;
    }

    /** {@return what the manifest says about it} */
    public Status status() {
      return status;
    }

    /** Such as {@code api-spare (backup) sha256/…}. */
    @Override
    public String toString() {
      String text = name == null ? "" : name + " ";
      if (status == Status.BACKUP || status == Status.DENIED) text += "(" + status.name().toLowerCase(Locale.ROOT) + ") ";
      if (certificate < 0 && position != null) text += "at the " + position + " ";
      return text + (pin == null ? "(its key can't be read)" : pin());
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
  /** What the other side sent. */
  List<byte[]> served = Collections.emptyList();
  String host;

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

  /** {@return the verdict} */
  public Verdict verdict() {
    return verdict;
  }

  /** {@return the stable code of the reason, such as {@code matched}, {@code mismatch} or {@code untrusted}} */
  public String reason() {
    return reason;
  }

  /** {@return the step of the order of decision that gave the verdict, 1 to 5} */
  public int step() {
    return step;
  }

  /** {@return the label of the entry that governs the host, such as {@code api.example.com:8443}; null if none does} */
  public @Nullable String entry() {
    return entry == null ? null : entry.label();
  }

  /** {@return every state that is not plain enforcement, such as {@code manifest-stale}: count them, and alarm on them} */
  public List<String> events() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < EVENTS.size(); i++) if ((events >> i & 1) != 0) names.add(EVENTS.get(i));
    return names;
  }

  /** {@return the clock that has run out, {@code entry} or {@code manifest}, if that is the reason; else null} */
  public @Nullable String clock() {
    return clock;
  }

  /** {@return the keys that bear on the answer, from the leaf upwards} */
  public List<Match> matches() {
    return Collections.unmodifiableList(matches);
  }

  /** {@return what trust evaluation found wrong, the one that explains the others first} */
  public List<TrustFailure> failures() {
    return Collections.unmodifiableList(failures);
  }

  /** {@return the validated chain in DER, leaf to anchor; empty if trust evaluation failed or didn't take place} */
  public List<byte[]> chain() {
    List<byte[]> found = new ArrayList<>();
    if (chain != null) for (Certificate one : chain) found.add(one.der.clone());
    return found;
  }

  /** {@return the time that was decided at, in seconds since 1970-01-01T00:00:00Z} */
  public long at() {
    return at;
  }

  /** {@return the serial of the manifest that decided; 0 if none was in force} */
  public long serial() {
    return manifest == null ? 0 : manifest.serial;
  }

  /** {@return whether the connection must be closed before anything is sent on it} */
  public boolean isBlocked() {
    return verdict == Verdict.BLOCK || wasReplaced && !failures.isEmpty();
  }

  boolean hasMatched() {
    return reason.equals("matched") || reason.equals("matched-both");
  }

  /**
   * {@return the keys of the entry's key set, in the order of the manifest, if the answer is about keys or certificates; else none}
   * One of them is required, or as {@link #requiresLeafAndAuthority} says.
   */
  public List<Key> required() {
    return DecisionText.required(this);
  }

  /** {@return whether one key at the leaf and one above it are required; otherwise any of {@link #required}} */
  public boolean requiresLeafAndAuthority() {
    return entry != null && entry.needsLeafAndAuthority;
  }

  /**
   * {@return the keys of the validated chain, or, if trust evaluation failed, of what was served; none unless the answer is about keys or
   * certificates}
   */
  public List<Key> presented() {
    return DecisionText.presented(this);
  }

  /**
   * {@return the answer in one sentence for people, the same in each language; a refusal says which keys were presented and required}
   */
  public String message() {
    return DecisionText.of(this);
  }

  @Override
  public String toString() {
    return message();
  }
}
