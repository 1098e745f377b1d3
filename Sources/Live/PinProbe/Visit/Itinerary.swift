import PinFormat

/// Where clients of the targets can land.
struct Itinerary {
  var stops: [Stop] = []
  /// Why targets have no address, or not all that they may have, by their place in the plan.
  var unresolved: [Int: Evidence.Failure] = [:]

  /// Goes by the detours, else leaves the name to the proxy, else asks DNS.
  init(
    _ targets: [ProbeTarget], _ settings: Prober.Settings, _ resolver: NameResolver,
    isCancelled: @Sendable () -> Bool
  ) throws(TLSClientError) {
    let detours = Detours(settings.detours)
    var names: Set<String> = []
    for target in targets where !target.host.isAddress && detours.taken(for: target).isEmpty {
      if !Self.isBehindProxy(target, settings) { names.insert(target.host.text) }
    }
    let answers =
      names.isEmpty
      ? [:]
      : try resolver.addresses(
        of: names.sorted(), jobs: settings.jobs, timeout: settings.visits.timeout, isCancelled: isCancelled)
    for (number, target) in targets.enumerated() {
      let viaProxy = Self.isBehindProxy(target, settings)
      func add(_ address: IPAddress?, port: UInt16? = nil) {
        stops.append(Stop(target: number, address: address, port: port ?? target.port, usesProxy: viaProxy))
      }
      let taken = detours.taken(for: target)
      if !taken.isEmpty {
        var known: Set<Detour> = []
        let most = EvidenceLimits.addresses
        for detour in taken {
          var place = detour
          place.addressPort = detour.addressPort ?? target.port
          guard known.insert(place).inserted, known.count <= most else { continue }
          add(detour.address, port: place.addressPort)
        }
        if known.count > most {
          unresolved[number] = Evidence.Failure(
            .nameNotResolved, "it was given \(known.count) addresses, of which \(most) are probed")
        }
      } else if viaProxy {
        add(target.host.isAddress ? IPAddress(target.host.text) : nil)
      } else {
        switch target.host.isAddress ? Self.literal(target.host) : answers[target.host.text] {
        case .success(let name):
          let allowed = name.addresses.filter { settings.limit?.allows($0) ?? true }
          for address in allowed.prefix(EvidenceLimits.addresses) { add(address) }
          unresolved[number] = name.missing.map { Evidence.Failure($0.code, $0.message) }
          // Not left out in silence: a false DNS answer could hide a public server from the check.
          if let inside = name.addresses.first(where: { !allowed.contains($0) }) {
            unresolved[number] = Evidence.Failure(
              .nameNotResolved,
              "DNS leads to \(inside), which isn't public, so it wasn't asked; '--internal' takes the names of such hosts"
            )
          }
        case .failure(let error) where error.code != .cancelled:
          unresolved[number] = Evidence.Failure(error.code, alert: error.alert, error.message)
        case .failure, nil: break
        }
      }
    }
  }

  private static func isBehindProxy(_ target: ProbeTarget, _ settings: Prober.Settings) -> Bool {
    settings.proxy?.applies(to: target.host.text, port: target.port) ?? false
  }

  private static func literal(_ host: HostName) -> Result<ResolvedName, TLSClientError>? {
    IPAddress(host.text).map { .success(ResolvedName([$0])) }
  }
}
