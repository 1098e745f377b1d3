#if Collector
/// Why a body isn't a report.
struct ReadingProblem: Error, Hashable {
  /// One clause, lower case, no full stop.
  var message: String
  /// Whether it has more bytes than a report of its kind may have.
  var isTooLarge = false
}
#endif
