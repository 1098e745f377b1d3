package pintle;

/** Bytes that aren't what the format says, with the offset. Callers turn it into a code. */
final class FormatException extends Exception {
  private static final long serialVersionUID = 1;

  FormatException(String message) {
    // Attackers choose how many of these there are, so no stack trace is collected.
    super(message, null, false, false);
  }
}
