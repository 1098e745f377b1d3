package pintle;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What trust evaluation came to: a validated chain, leaf to anchor, or failures. Only the chain of a success is matched. */
final class Evaluation {
  /** Null if trust evaluation failed. */
  final List<Certificate> chain;
  /** The one that explains the others first; empty if it succeeded. */
  final List<TrustFailure> failures;
  final boolean isExcused;

  private Evaluation(List<Certificate> chain, List<TrustFailure> failures, boolean isExcused) {
    this.chain = chain;
    this.failures = failures;
    this.isExcused = isExcused;
  }

  static Evaluation refused(List<TrustFailure> failures) {
    List<TrustFailure> sorted = new ArrayList<>(failures);
    if (sorted.isEmpty()) sorted.add(new TrustFailure("other", "trust evaluation failed without saying why"));
    TrustFailure.sort(sorted);
    return new Evaluation(null, sorted, false);
  }

  static Evaluation refused(String code, String message) {
    return refused(Collections.singletonList(new TrustFailure(code, message)));
  }

  /** Judges all failures that were found on a path: those that the entry excuses don't count. */
  static Evaluation of(List<Certificate> path, List<TrustFailure> found, TrustRequest request) {
    List<TrustFailure> failures = unexcused(found, request);
    TrustFailure version = request.versionFailure();
    if (version != null) failures.add(version);
    if (!failures.isEmpty()) return refused(failures);
    return new Evaluation(path, Collections.<TrustFailure>emptyList(), !found.isEmpty());
  }

  static List<TrustFailure> unexcused(List<TrustFailure> found, TrustRequest request) {
    List<TrustFailure> failures = new ArrayList<>();
    for (TrustFailure failure : found) if (!request.excuses(failure)) failures.add(failure);
    return failures;
  }
}
