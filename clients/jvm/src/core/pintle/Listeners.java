package pintle;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Calls listeners of the program: what they throw, or leave behind in the thread, must change nothing here. */
final class Listeners {
  private Listeners() {}

  interface Call<L> {
    void on(L listener);
  }

  /** Calls all of them; what they have thrown, of whatever kind, is logged after that. */
  static <L> void call(Collection<L> listeners, Call<L> call) {
    List<L> all = new ArrayList<>(listeners);
    Throwable[] thrown = new Throwable[all.size()];
    for (int i = 0; i < thrown.length; i++) {
      try {
        call.on(all.get(i));
      } catch (Throwable e) {
        // Kotlin's listeners may throw anything.
        thrown[i] = e;
      }
      calm();
    }
    for (Throwable one : thrown) if (one != null) log(one);
  }

  private static void log(Throwable error) {
    try {
      Logger.getLogger("pintle").log(Level.SEVERE, "a listener of the program has thrown; nothing else changes", error);
    } catch (Throwable e) {
      // A handler of the program throws, or the platform was made without java.util.logging.
      return;
    } finally {
      calm();
    }
  }

  /** An interrupt that is left behind would end a fetcher's thread. Other threads are the program's. */
  private static void calm() {
    if (Thread.currentThread() instanceof PinFetcher.Worker) Thread.interrupted();
  }
}
