package pintle;

/** When to fetch next, in seconds: pure, with time and randomness (from 0 to 1) as inputs. */
final class FetchSchedule {
  static final long LONGEST_RETRY = 900;
  private static final long INTERVAL = 3600;
  private static final long DUE_INTERVAL = 300;
  private static final long FIRST_RETRY = 10;
  private static final double JITTER = 0.1;
  /** Rounds in a row in which all URLs failed. */
  private int failures;
  /**
   * Whether a fleet's clients are likely to fetch at different times: not after what happened to all of them, such as a
   * start, an outage or a manifest that was due.
   */
  private boolean isScattered;

  /** The wait before the first round: a fleet that restarts doesn't ask at once, unless something is missing. */
  static long first(boolean isSettled, double random) {
    return isSettled ? (long) (INTERVAL * JITTER * random) : 0;
  }

  /**
   * The wait after a round.
   *
   * @param patience for how many seconds the servers asked to be left alone
   */
  long delay(boolean isSuccessful, long patience, Status status, double random) {
    long planned = isSuccessful ? next(status, random) : retry(random);
    // A date in Retry-After is the same instant for all clients.
    return Math.max(planned, patience + (long) (Math.min(patience, LONGEST_RETRY) * random));
  }

  /** Half is fixed, half is random: a fleet spreads out, and nobody tries again at once. */
  private long retry(double random) {
    isScattered = false;
    long wait = Math.min(LONGEST_RETRY, FIRST_RETRY << Math.min(failures++, 30));
    return Math.max(1, wait / 2 + (long) (wait / 2.0 * random));
  }

  private long next(Status status, double random) {
    failures = 0;
    long untilDue = status.isSettled() ? status.refreshAfter() - status.now() : 0;
    boolean wasScattered = isScattered;
    isScattered = untilDue > 0;
    if (untilDue <= 0) return 1 + DUE_INTERVAL + (long) (DUE_INTERVAL * JITTER * random);
    long wait = Math.min(INTERVAL, untilDue);
    // The jitter alone would need days until the fetches of such clients are spread over the interval.
    return 1 + (long) (wasScattered ? wait + INTERVAL * JITTER * random : wait * random);
  }
}
