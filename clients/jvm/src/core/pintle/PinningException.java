package pintle;

import java.security.cert.CertificateException;
import org.jetbrains.annotations.Nullable;

/**
 * A connection was rejected. In a handshake it is the cause of an {@code SSLHandshakeException}.
 */
public final class PinningException extends CertificateException {
  private static final long serialVersionUID = 1;
  private final transient Decision decision;

  PinningException(Handshake handshake, Decision decision) {
    super(handshake + ": " + decision.message());
    this.decision = decision;
  }

  /** {@return why: the verdict, its reason, the presented and the required keys, and what trust evaluation found} */
  public Decision decision() {
    return decision;
  }

  /**
   * {@return the exception among the causes of another; null if there is none}
   *
   * @param error what was thrown
   */
  public static @Nullable PinningException in(@Nullable Throwable error) {
    for (int depth = 0; error != null && depth < 16; depth++) {
      if (error instanceof PinningException) return (PinningException) error;
      error = error.getCause();
    }
    return null;
  }
}
