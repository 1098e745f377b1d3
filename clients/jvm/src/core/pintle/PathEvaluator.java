package pintle;

import java.util.List;

/** Evaluates trust in what a peer sent: {@link TrustEvaluator} on the JVM, {@link AndroidPaths} on Android. */
interface PathEvaluator {
  Evaluation evaluate(List<byte[]> served, TrustRequest request);
}
