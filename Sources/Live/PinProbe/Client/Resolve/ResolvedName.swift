import PinFormat

/// The addresses of a name, and what is missing of them.
package struct ResolvedName: Hashable, Sendable {
  /// IPv4 first and each once, in numeric order; never empty.
  package var addresses: [IPAddress]
  /// Why there may be others, whose number and places nobody knows; nil where these are all.
  package var missing: TLSClientError?

  package init(_ addresses: [IPAddress], missing: TLSClientError? = nil) {
    self.addresses = addresses
    self.missing = missing
  }
}

/// What came of asking for one name.
enum NameAnswer: Hashable {
  /// All that were found, and of which kind there may be others.
  case addresses([IPAddress], Gap?)
  case failed(NameFailure)
  case cancelled

  /// Addresses that could not be asked for.
  struct Gap: Hashable {
    var family: ResolverQuestion.Family
    var failure: NameFailure
  }

  /// True where servers refused, and which of their refusals it was isn't known.
  var isUnclear: Bool {
    switch self {
    case .addresses(_, let gap): gap?.failure == .unreachable
    case .failed(let failure): failure == .unreachable
    case .cancelled: false
    }
  }

  /// Whether this has more information than the answer before; a timeout doesn't, and earlier results must not be lost.
  func isClearer(than before: NameAnswer) -> Bool {
    switch (before, self) {
    case (.addresses(_, let old), .addresses(_, let new)):
      new == nil || new?.family == old?.family && new?.failure != .timedOut
    case (.addresses, _), (_, .failed(.timedOut)), (_, .cancelled): false
    default: true
    }
  }

  var result: Result<ResolvedName, TLSClientError> {
    switch self {
    case .addresses(let addresses, let gap):
      let most = NameResolver.maximumAddresses
      var reasons: [String] = []
      if addresses.count > most { reasons.append("it has \(addresses.count) addresses, of which \(most) are probed") }
      if let gap {
        reasons.append("its \(gap.family.title) addresses could not be looked up: \(gap.failure.error.message)")
      }
      let missing = TLSClientError(gap?.failure.error.code ?? .nameNotResolved, reasons.joined(separator: "; "))
      return .success(ResolvedName(Array(addresses.prefix(most)), missing: reasons.isEmpty ? nil : missing))
    case .failed(let failure): return .failure(failure.error)
    case .cancelled: return .failure(NameFailure.cancelled)
    }
  }
}
