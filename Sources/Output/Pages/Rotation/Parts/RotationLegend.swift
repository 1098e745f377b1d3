import Diagnostics

extension Markup {
  /// What the words of the page mean, for those who are sent it.
  mutating func legend(_ model: RotationModel) {
    legend(
      [
        (.bad, "locked out", "Clients of a release block all that the host presents, because of what is simulated."),
        (.care, "locked out for another reason", "The same, but neither the policy nor a planned change causes it."),
        (.care, "partly blocked", "Some of what the host presents is blocked: it depends on address and key."),
        (.care, "pins run out", "The entry expires within the simulated time, and protects less from then on."),
        (.good, "reachable throughout", "Every client within the adoption window reaches the host all the time."),
      ],
      remark:
        "In a drawing, time goes from left to right; the upright line is now. Bars that run into an edge begin before "
        + "it, or don't end within it. A mark in a release’s bar is the instant from which its manifest is stale. A hatched "
        + "bar is an assumption: the server was not observed. A thin dashed line is a future that nobody plans, such as a "
        + "renewal or a move that an authority has announced: clients would be locked out by it.")
  }
}
