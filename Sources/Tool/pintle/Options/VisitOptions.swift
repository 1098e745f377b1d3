import ArgumentParser
import Diagnostics
import Glibc
import PinFormat
import PinPolicy
import PinProbe

/// How servers are asked.
struct VisitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The most handshakes at the same time.", valueName: "count"))
  var jobs = 64

  @Option(help: ArgumentHelp("The time limit of one handshake.", valueName: "seconds"))
  var timeout = 10

  @Option(
    help: ArgumentHelp("How often to retry a server that didn't answer or closed the connection.", valueName: "count"))
  var retries = 2

  @Option(
    name: .customLong("connect-to"),
    help: ArgumentHelp(
      "Connect to this address instead of the host's own; an empty host or port means any. Repeatable.",
      valueName: "host:port:address[:port]"), transform: DetourArgument.read)
  var detours: [DetourArgument] = []

  @Option(
    name: .customLong("resolver"),
    help: ArgumentHelp("Use this DNS server instead of the system's. Repeatable.", valueName: "address[:port]"),
    transform: ResolverArgument.read)
  var resolvers: [ResolverArgument] = []

  @Option(
    help: ArgumentHelp("A client certificate (PEM), for servers that require one.", valueName: "file"),
    completion: .file())
  var clientCert: String?

  @Option(
    help: ArgumentHelp("The private key of the client certificate (PEM).", valueName: "file"), completion: .file())
  var clientKey: String?

  @Option(
    help: ArgumentHelp(
      "Ask servers only for certificates with one type of key: ecdsa, ml-dsa or rsa.", valueName: "type"))
  var keyType: KeyFamily?

  @Option(help: ArgumentHelp("Offer only one TLS version: 1.2 or 1.3.", valueName: "version"))
  var tlsVersion: TLSVersionArgument?

  func validate() throws {
    if !(1...4_096).contains(jobs) { throw ValidationError("--jobs is from 1 to 4096.") }
    if !(1...600).contains(timeout) { throw ValidationError("--timeout is from 1 to 600 seconds.") }
    if !(0...10).contains(retries) { throw ValidationError("--retries is from 0 to 10.") }
    if (clientCert == nil) != (clientKey == nil) {
      throw ValidationError("--client-cert and --client-key go together.")
    }
    if keyType == .mlDSA, tlsVersion?.version == .tls12 {
      throw ValidationError("Servers can present ML-DSA keys only in TLS 1.3: remove --tls-version 1.2.")
    }
  }

  /// The settings of a prober; the environment says which proxy there is.
  ///
  /// Keys that no client of the policy asks for are left out, unless they are all that is asked for.
  func settings(at instant: Instant, for policy: Policy?) throws(CommandFailure) -> Prober.Settings {
    let isWanted = policy.map { !$0.statesVerifiers || ClientLimits($0.verifiers).offersMLDSA } ?? true
    var settings = Prober.Settings(at: instant, tool: Version.compiler)
    settings.visits.offers = Evidence.Offer.every.filter { offer in
      offer.keyFamily == keyType ?? offer.keyFamily && offer.tlsVersion == tlsVersion?.version ?? offer.tlsVersion
        && (isWanted || keyType != nil || offer.keyFamily != .mlDSA)
    }
    settings.visits.retries = Retries(limit: retries)
    settings.visits.timeout = .seconds(timeout)
    settings.jobs = jobs
    settings.detours = detours.map(\.detour)
    settings.resolvers = resolvers.map(\.endpoint)
    if let clientCert, let clientKey {
      settings.credentials = ClientCredentials(certificatePath: clientCert, keyPath: clientKey)
    }
    settings.proxy = try Self.proxy()
    return settings
  }

  /// Says which detours are for none of the hosts that are probed: mistyped ones would be assumed otherwise.
  func warnOfDetours(without targets: [ProbeTarget]) {
    for argument in detours where !targets.contains(where: argument.detour.covers) {
      Console.warn(
        "'--connect-to \(argument.text)' matches no host and port that is probed",
        help: "Write the host as in the policy; leave the port empty for any port.")
    }
  }

  private static func proxy() throws(CommandFailure) -> Proxy? {
    func variable(_ names: String...) -> String {
      names.lazy.compactMap { getenv($0).map { String(cString: $0) } }.first { !$0.isEmpty } ?? ""
    }
    do {
      return try Proxy(variable("HTTPS_PROXY", "https_proxy"), except: variable("NO_PROXY", "no_proxy"))
    } catch {
      throw CommandFailure(
        .usage, "HTTPS_PROXY can't be used: \(error.message)", help: "Correct it, or set it to nothing for no proxy.")
    }
  }
}
