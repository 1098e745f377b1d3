package pintle;

import java.util.List;

/** The order of decision (docs/manifest-format.md#order), for one manifest. */
final class Decider {
  final Manifest manifest;
  private final PathEvaluator evaluator;

  Decider(Manifest manifest, PathEvaluator evaluator) {
    this.manifest = manifest;
    this.evaluator = evaluator;
  }

  /**
   * Decides.
   *
   * @param isReplaced whether this takes the place of the transport's own validation, so that trust is evaluated for hosts
   *     that aren't pinned too
   */
  Decision decide(Handshake handshake, long at, boolean isReplaced) {
    Decision decision = govern(handshake, at);
    decision.served = handshake.certificates;
    if (decision.verdict == Decision.Verdict.NOT_PINNED && isReplaced) {
      return unpinned(decision, handshake, evaluator);
    }
    if (decision.verdict != null) return decision;
    Manifest.Entry entry = decision.entry;
    Evaluation evaluation = evaluator.evaluate(
        handshake.certificates, new TrustRequest(handshake, at, entry.trust, manifest.certificates));
    if (evaluation.chain == null) {
      decision.failures = evaluation.failures;
      return decision.event("untrusted").answer(Decision.Verdict.BLOCK, "untrusted", 2);
    }
    if (evaluation.isExcused) decision.event("exception-used");
    decision.chain = evaluation.chain;
    judge(decision, evaluation.chain);
    return decision;
  }

  /** Evaluates a peer that no entry pins, in the transport's place; a client is never let in by anchors alone. */
  static Decision unpinned(Decision decision, Handshake handshake, PathEvaluator evaluator) {
    decision.wasReplaced = true;
    decision.served = handshake.certificates;
    Evaluation evaluation = handshake.isClient
        ? Evaluation.refused("other", "no entry pins the clients, and anchors don't say who may be one")
        : evaluator.evaluate(handshake.certificates, new TrustRequest(handshake, decision.at));
    decision.failures = evaluation.failures;
    decision.chain = evaluation.chain;
    return decision;
  }

  /** Step 1; without a verdict if an entry pins the host, and trust evaluation comes next. */
  Decision govern(Handshake handshake, long at) {
    Decision decision = new Decision();
    decision.at = at;
    decision.host = handshake.host;
    decision.manifest = manifest;
    if (at >= manifest.refreshAfter) decision.event("refresh-due");
    if (at >= manifest.expires) decision.event("manifest-stale");
    String host = HostName.canonical(handshake.host);
    // Without a canonical form nothing can be looked up, so an entry may govern the host.
    if (host == null) return decision.event("invalid-host").answer(Decision.Verdict.BLOCK, "invalid-host", 1);
    Manifest.Entry entry = manifest.entry(host, handshake.port);
    decision.entry = entry;
    if (entry == null) return notPinned(decision.event("no-entry"), "no-entry");
    if (entry.mode == Manifest.Mode.OFF) return notPinned(decision.event("excluded"), "off");
    Manifest.Action action = Manifest.Action.ENFORCE;
    String clock = "entry";
    if (at >= entry.expires) {
      decision.event("entry-expired");
      action = entry.onExpiry;
    }
    // If both clocks have run out, the action that is further from going on as before applies.
    if (at >= manifest.expires && manifest.onStale.compareTo(action) > 0) {
      action = manifest.onStale;
      clock = "manifest";
    }
    if (action == Manifest.Action.BLOCK || action == Manifest.Action.UNPINNED) {
      decision.clock = clock;
      if (action == Manifest.Action.UNPINNED) return notPinned(decision, "expired");
      return decision.answer(Decision.Verdict.BLOCK, "expired", 1);
    }
    if (action == Manifest.Action.REPORT_ONLY || entry.mode == Manifest.Mode.REPORT_ONLY) decision.event("report-only");
    return decision;
  }

  private Decision notPinned(Decision decision, String reason) {
    if (manifest.deniesUnpinned) return decision.answer(Decision.Verdict.BLOCK, "unpinned-host", 1);
    return decision.answer(Decision.Verdict.NOT_PINNED, reason, 1);
  }

  /** Whether an entry pins at this time, be it to report only. */
  static boolean pins(Manifest.Entry entry, long at) {
    if (entry == null || entry.mode == Manifest.Mode.OFF) return false;
    return entry.onExpiry != Manifest.Action.UNPINNED || at < entry.expires;
  }

  /** Steps 3 to 5: certificates are compared from the leaf upwards until the answer is known. */
  private void judge(Decision decision, List<Certificate> chain) {
    Manifest.Entry entry = decision.entry;
    Found leaf = null;
    Found authority = null;
    for (int place = 0; place < chain.size(); place++) {
      boolean isSatisfied = entry.needsLeafAndAuthority ? leaf != null && authority != null : leaf != null || authority != null;
      // Once the requirement is met, only a denial can change the answer.
      if (isSatisfied && manifest.denied.isEmpty()) break;
      String pin = chain.get(place).pin;
      Manifest.Key denied = manifest.denied.get(pin);
      if (denied != null) {
        decision.matches.clear();
        decision.matches.add(new Decision.Match(denied.name, place));
        decision.event("denied-key").answer(Decision.Verdict.BLOCK, "denied-key", 3);
        return;
      }
      if (place == 0) {
        leaf = find(pin, entry.keySet, place, chain.size());
      } else if (authority == null) {
        authority = find(pin, entry.keySet, place, chain.size());
      }
    }
    require(decision, leaf, authority);
  }

  private void require(Decision decision, Found leaf, Found authority) {
    boolean needsBoth = decision.entry.needsLeafAndAuthority;
    boolean isSatisfied = needsBoth ? leaf != null && authority != null : leaf != null || authority != null;
    if (!needsBoth && leaf != null) authority = null;
    boolean isBackup = false;
    for (Found found : new Found[] {leaf, authority}) {
      if (found == null) continue;
      decision.matches.add(found.match);
      isBackup |= found.isBackup;
    }
    if (isSatisfied) {
      if (isBackup) decision.event("backup-key-matched");
      decision.answer(Decision.Verdict.ALLOW, needsBoth ? "matched-both" : "matched", 4);
      return;
    }
    boolean reportsOnly = decision.events().contains("report-only");
    decision.event("mismatch").answer(reportsOnly ? Decision.Verdict.ALLOW : Decision.Verdict.BLOCK,
        reportsOnly ? "mismatch-reported" : "mismatch", 5);
  }

  private static final class Found {
    final Decision.Match match;
    final boolean isBackup;

    Found(Decision.Match match, boolean isBackup) {
      this.match = match;
      this.isBackup = isBackup;
    }
  }

  /** The first key of a set that has this pin and may be here: active ones come first, then the first by name. */
  private static Found find(String pin, Manifest.KeySet set, int place, int count) {
    for (int i = 0; i < set.members.length; i++) {
      Manifest.Key key = set.members[i];
      if (!key.pin.equals(pin) || !allows(key.position, place, count)) continue;
      return new Found(new Decision.Match(key.name, place), i >= set.activeCount);
    }
    return null;
  }

  /** The leaf is the first, the root the last, and the only certificate of a chain is both. */
  private static boolean allows(String position, int place, int count) {
    if (position == null) return true;
    switch (position) {
      case "leaf": return place == 0;
      case "root": return place == count - 1;
      default: return place > 0 && place < count - 1;
    }
  }
}
