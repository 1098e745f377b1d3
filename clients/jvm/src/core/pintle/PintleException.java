package pintle;

/**
 * Why a file, a setting or an update was rejected. What was in force stays in force.
 *
 * <p>{@link #code()} is stable and meant for programs; docs/updates.md and docs/vectors.md list the codes, and
 * {@code pintle explain CODE} says what to do. The message is for people.
 */
public final class PintleException extends Exception {
  private static final long serialVersionUID = 1;
  /** A stable name. */
  private final String code;

  PintleException(String code, String message) {
    super(Bytes.printable(message));
    this.code = code;
  }

  PintleException(String code, String message, Throwable cause) {
    super(Bytes.printable(message), cause);
    this.code = code;
  }

  /** {@return the kind of error, such as {@code too-few-signatures}} */
  public String code() {
    return code;
  }

  @Override
  public String toString() {
    return code + ": " + getMessage();
  }
}
