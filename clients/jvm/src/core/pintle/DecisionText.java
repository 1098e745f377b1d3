package pintle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The keys that a decision is about, and its sentence, which is the C library's (Sources/Core/PinValidator/Decide). */
final class DecisionText {
  private static final int MOST_LISTED = 8;

  private DecisionText() {}

  /** Whether keys or certificates are the reason. */
  private static boolean isAboutKeys(Decision decision) {
    if (decision.verdict == Decision.Verdict.NOT_PINNED) return decision.isBlocked();
    switch (decision.reason) {
      case "mismatch": case "mismatch-reported": case "denied-key": case "untrusted": return true;
      default: return false;
    }
  }

  static List<Decision.Key> required(Decision decision) {
    List<Decision.Key> keys = new ArrayList<>();
    if (decision.entry == null || decision.entry.keySet == null || !isAboutKeys(decision)) return keys;
    Manifest.KeySet set = decision.entry.keySet;
    for (int i = 0; i < set.members.length; i++) {
      Manifest.Key key = set.members[i];
      keys.add(new Decision.Key(key.name, key.pin, -1, key.position,
          i < set.activeCount ? Decision.Key.Status.ACTIVE : Decision.Key.Status.BACKUP));
    }
    return keys;
  }

  static List<Decision.Key> presented(Decision decision) {
    List<Decision.Key> keys = new ArrayList<>();
    if (!isAboutKeys(decision)) return keys;
    List<byte[]> certificates = decision.chain == null ? decision.served : decision.chain();
    List<Decision.Key> required = required(decision);
    int count = Math.min(certificates.size(), Handshake.MAXIMUM_CERTIFICATES);
    for (int place = 0; place < count; place++) {
      String pin = Certificate.pin(certificates.get(place));
      String position = place == 0 || decision.chain != null ? position(place, count) : null;
      Manifest.Key denied = decision.manifest == null ? null : decision.manifest.denied.get(pin);
      Decision.Key known = null;
      for (Decision.Key one : required) if (known == null && one.pin().equals("sha256/" + pin)) known = one;
      Decision.Key.Status status = denied != null ? Decision.Key.Status.DENIED
          : known != null ? known.status() : Decision.Key.Status.UNKNOWN;
      String name = denied != null ? denied.name : known != null ? known.name() : null;
      keys.add(new Decision.Key(name, pin, place, position, status));
    }
    return Collections.unmodifiableList(keys);
  }

  private static String position(int place, int count) {
    return place == 0 ? "leaf" : place == count - 1 ? "root" : "intermediate";
  }

  static String of(Decision decision) {
    StringBuilder text = new StringBuilder(decision.verdict == Decision.Verdict.NOT_PINNED ? "not pinned: "
        : decision.verdict == Decision.Verdict.ALLOW ? "allow: " : "block: ");
    text.append(reason(decision, decision.reason));
    text.append(decision.entry == null ? " (no entry)" : " (entry " + decision.entry.label() + ")");
    // Trust was evaluated in the transport's place, so this is why the connection is closed.
    if (decision.verdict == Decision.Verdict.NOT_PINNED && !decision.failures.isEmpty()) {
      text.append("; trust evaluation failed: ").append(decision.failures.get(0).explanation());
    }
    List<Decision.Key> presented = presented(decision);
    if (!presented.isEmpty()) {
      boolean isServed = decision.chain == null && !decision.failures.isEmpty();
      text.append(isServed ? "; served, not validated: " : "; presented: ");
      list(text, presented);
    }
    List<Decision.Key> required = required(decision);
    if (!required.isEmpty()) {
      text.append("; required: ");
      if (decision.requiresLeafAndAuthority()) text.append("one at the leaf and one above it of ");
      else if (required.size() > 1) text.append("one of ");
      list(text, required);
    }
    return text.toString();
  }

  private static void list(StringBuilder text, List<Decision.Key> keys) {
    for (int i = 0; i < Math.min(keys.size(), MOST_LISTED); i++) {
      Decision.Key key = keys.get(i);
      if (i > 0) text.append(", ");
      if (key.certificate() >= 0) text.append(key.position() == null ? "certificate " + key.certificate() : key.position()).append(' ');
      text.append(key);
    }
    if (keys.size() > MOST_LISTED) text.append(" and ").append(keys.size() - MOST_LISTED).append(" more");
  }

  private static String reason(Decision decision, String reason) {
    List<Decision.Match> matches = decision.matches;
    boolean isEntryClock = "entry".equals(decision.clock);
    switch (reason) {
      case "no-manifest": return "no manifest is in force";
      case "no-entry": return "no entry governs the host";
      case "off": return "the entry has mode off";
      case "invalid-host": return "the host can't be looked up: " + HostName.fault(decision.host);
      case "unpinned-host": {
        String why = decision.entry == null ? "no-entry" : decision.entry.mode == Manifest.Mode.OFF ? "off" : "expired-unpinned";
        return "the manifest denies hosts that aren't pinned: " + reason(decision, why);
      }
      case "expired":
        if (decision.verdict == Decision.Verdict.NOT_PINNED) return reason(decision, "expired-unpinned");
        return isEntryClock ? "the entry has expired and blocks from then on"
            : "the manifest expired at " + Instants.format(decision.manifest.expires) + ", and 'on-stale: block' applies";
      case "expired-unpinned":
        return isEntryClock ? "the entry has expired and doesn't pin from then on"
            : "the manifest expired at " + Instants.format(decision.manifest.expires) + ", and 'on-stale: unpinned' applies";
      case "untrusted":
        return "trust evaluation failed: " + decision.failures.get(0).explanation();
      case "denied-key": {
        String pin = decision.chain.get(matches.get(0).certificate()).pin;
        return match(decision, 0) + " is denied: " + decision.manifest.denied.get(pin).denial;
      }
      case "mismatch-reported": return reason(decision, "mismatch") + ", which is only reported";
      case "mismatch":
        if (matches.isEmpty()) return "none of the entry's pins matches the validated chain";
        return match(decision, 0) + " matches, but no pin matches "
            + (matches.get(0).certificate() == 0 ? "above the leaf" : "the leaf");
      case "matched": return match(decision, 0) + " matches";
      case "matched-both": return match(decision, 0) + " and " + match(decision, 1) + " match";
      default: return reason;
    }
  }

  private static String match(Decision decision, int number) {
    Decision.Match match = decision.matches.get(number);
    String position = position(match.certificate(), decision.chain.size());
    return "key " + match.key() + " at the " + (match.certificate() == 0 ? position
        : position + ", certificate " + match.certificate());
  }
}
