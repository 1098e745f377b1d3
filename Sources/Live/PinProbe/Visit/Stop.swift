/// One place where a client of a target can land.
package struct Stop: Hashable, Sendable {
  /// The target's place in the plan.
  package var target: Int
  /// Nil where a proxy resolves the name.
  package var address: IPAddress?
  package var port: UInt16
  /// Whether a proxy is asked for the connection.
  package var usesProxy: Bool

  package init(target: Int, address: IPAddress?, port: UInt16, usesProxy: Bool = false) {
    self.target = target
    self.address = address
    self.port = port
    self.usesProxy = usesProxy || address == nil
  }

  /// As evidence names it.
  package var label: String { address?.description ?? "proxy" }
}
