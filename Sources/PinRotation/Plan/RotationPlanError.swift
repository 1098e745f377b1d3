package import PinFormat

/// Why there is no plan.
package enum RotationPlanError: Error, Sendable {
  /// Nothing is there to start from: neither a release nor the policy as it is.
  case noPolicy
  /// The policy as it is has no key set of this name.
  case unknownKeySet(String)
  /// No server's entry has one of the key sets.
  case noServers
  /// The target is denied, by the policy as it is or by a release that clients may run.
  case targetDenied(reason: String)
  /// No release that the plan could make accepts what the server would present: the target isn't allowed at its place,
  /// or isn't all that the entry asks for.
  case targetRefused(PlanWitness)
  /// What the plan would do locks somebody out: the witness says whom.
  case unsafe(PlanWitness)
  /// Clients can't connect to a server concerned, for a reason other than pins: what it presents shows no plan to be
  /// safe. The server's index, and why.
  case unhealthy(server: Int, reason: String)
  /// A step would come on or after the day on which the entry of a server concerned expires and blocks.
  case entryBlocks(server: Int, since: Instant, step: Instant)
  /// A manifest of the plan can't be made.
  case manifest(ManifestMakingError)
}

/// Why a manifest can't be made for trying it out.
package struct ManifestMakingError: Error, Hashable, Sendable {
  /// What is wrong and what to do.
  package var message: String

  package init(_ message: String) {
    self.message = message
  }
}
