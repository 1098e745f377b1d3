package pintle;

import java.util.List;

/** What keeps a valid manifest from taking effect: it pins nothing, or much less, or blocks what was allowed lately. */
final class ActivationCheck {
  private static final String HELP = "; the earlier manifest stays in force";

  private ActivationCheck() {}

  /** Throws if the manifest may not take effect; {@code before} is null if none is in force. */
  static void check(Decider before, Decider after, PinStoreSettings settings, List<RecentChains.Chain> recent, long at)
      throws PintleException {
    // The signers declared the change as intended.
    if (after.manifest.drasticChange != null) return;
    boolean pinsAnything = false;
    for (Manifest.Entry entry : after.manifest.entries) pinsAnything |= Decider.pins(entry, at);
    if (!pinsAnything) throw new PintleException("empty", "the manifest pins no host at all" + HELP);
    if (before == null) return;
    long lost = 0;
    long pinned = 0;
    for (Manifest.Entry entry : before.manifest.entries) {
      if (!Decider.pins(entry, at)) continue;
      pinned++;
      // No entry has a name with an underscore, so this finds the entry that covers all names below.
      boolean covers = pins(after.manifest, entry.host, entry.port, at)
          && (!entry.includesSubdomains || pins(after.manifest, "_." + entry.host, entry.port, at));
      if (!covers) lost++;
    }
    if (lost * 100 > pinned * settings.maximumLossPercent) {
      throw new PintleException("shrunk", "of the " + pinned + " host entries that pin, " + lost
          + " would no longer pin; at most " + settings.maximumLossPercent + " % may at once" + HELP);
    }
    if (settings.replaysRecentChains) replay(before, after, recent, at);
  }

  private static boolean pins(Manifest manifest, String host, int port, long at) {
    // A name that is too long to have a subdomain covers none.
    if (host.length() > 253) return true;
    return Decider.pins(manifest.entry(host, port), at);
  }

  /** A chain counts if what is in force lets it through at this very time, and the new manifest blocks it. */
  private static void replay(Decider before, Decider after, List<RecentChains.Chain> recent, long at) throws PintleException {
    for (RecentChains.Chain chain : recent) {
      Decision decision = after.decide(chain.handshake, at, chain.isReplaced);
      if (!decision.isBlocked()) continue;
      // A thief who uses a stolen key must not be able to prevent its denial.
      if ("denied-key".equals(decision.reason)) continue;
      if (before.decide(chain.handshake, at, chain.isReplaced).isBlocked()) continue;
      throw new PintleException("refuses-recent-chain", "it would block what was allowed lately, "
          + HostName.label(chain.handshake.host, chain.handshake.port) + ": " + decision + HELP);
    }
  }
}
