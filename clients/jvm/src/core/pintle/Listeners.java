package pintle;

/** What listeners of the program throw must change nothing here, and must not be lost. */
final class Listeners {
  private Listeners() {}

  /** Hands it to the thread's own handler, as if the thread had ended by it. */
  static void threw(Throwable error) {
    Thread thread = Thread.currentThread();
    try {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
    } catch (Throwable e) {
      // Ignored, as the JVM ignores what a handler throws.
      return;
    }
  }
}
