import PinFormat

extension Evidence.Address {
  /// True where the server speaks TLS here, and a failure only says that it has no such key or no such version.
  ///
  /// A name that is unknown, a refusal, silence or a dialogue that went wrong never does.
  func isNotOffered(_ failure: Evidence.Failure) -> Bool {
    // A chain that is too long to be read counts as an answer.
    guard visits.contains(where: { $0.served != nil || $0.failure?.kind == .oversizedChain }) else { return false }
    switch failure.kind {
    case .protocolVersion, .wrongKeyFamily: return true
    // Some old servers only close the connection.
    case .closed: return true
    // handshake_failure, illegal_parameter, protocol_version, insufficient_security, and internal_error, which some
    // servers send.
    case .alert: return [40, 47, 70, 71, 80].contains(failure.alert)
    default: return false
    }
  }
}
