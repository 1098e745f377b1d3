package pintle;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The chains that were allowed lately, for the activation guard: the last 64 different ones, by host, port and leaf.
 * Connections never wait here: while somebody else is at it, what they have isn't recorded.
 */
final class RecentChains {
  private static final int CAPACITY = 64;
  private static final int MAXIMUM_BYTES = 64 << 10;

  static final class Chain {
    final Handshake handshake;
    final boolean isReplaced;
    private long seen;

    Chain(Handshake handshake, boolean isReplaced) {
      this.handshake = handshake;
      this.isReplaced = isReplaced;
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Chain> chains = new LinkedHashMap<>();

  void record(Handshake handshake, boolean isReplaced, long at) {
    if (handshake.certificates.isEmpty()) return;
    long size = 0;
    for (byte[] one : handshake.certificates) size += one.length;
    if (size > MAXIMUM_BYTES) return;
    String key = handshake.isClient + "|" + handshake.host + "|" + handshake.port + "|"
        + Bytes.base64(Bytes.sha256(handshake.certificates.get(0)));
    if (!lock.tryLock()) return;
    try {
      Chain known = chains.get(key);
      if (known == null) {
        if (chains.size() == CAPACITY) chains.remove(chains.keySet().iterator().next());
        known = new Chain(handshake, isReplaced);
        chains.put(key, known);
      }
      known.seen = at;
    } finally {
      lock.unlock();
    }
  }

  /** What was last seen from one instant to another, which is now: what a wrong clock dated later doesn't count. */
  List<Chain> since(long start, long now) {
    lock.lock();
    try {
      List<Chain> found = new ArrayList<>();
      for (Chain one : chains.values()) if (one.seen >= start && one.seen <= now) found.add(one);
      return found;
    } finally {
      lock.unlock();
    }
  }
}
