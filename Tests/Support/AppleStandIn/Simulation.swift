#if CryptoKit && !canImport(Security)
import Dispatch
public import Foundation

/// A simulated trust object (security/sectrust).
///
/// It validates nothing: the test says what comes of each evaluation, by the settings of the object.
public final class SecTrust {
  /// What an evaluation is to come to, and how.
  public struct Outcome: Sendable {
    /// Why trust is refused; nil where it is granted.
    public var error: String?
    /// What `SecTrustCopyCertificateChain` returns afterwards; nil as well as an empty list are possible.
    public var chain: [Data]?
    /// Run before the callback, as if time passed.
    public var meanwhile: (@Sendable () -> Void)?

    /// Puts an outcome together.
    public init(chain: [Data]?, error: String? = nil, meanwhile: (@Sendable () -> Void)? = nil) {
      self.chain = chain
      self.error = error
      self.meanwhile = meanwhile
    }
  }

  /// The settings of the object at an evaluation.
  public struct Settings {
    var policy: SecPolicy?
    /// Whether the policy is that for a server.
    public var isForServer: Bool { policy?.isServer ?? false }
    /// The name that the policy asks for.
    public var name: String? { policy?.hostname }
    /// Further anchors.
    public internal(set) var anchors: [Data]?
    /// Whether no others count.
    public internal(set) var isOnlyAnchors = false
    /// The leaf, and what may help to build a chain.
    public internal(set) var certificates: [Data]
  }

  /// How a test's trust objects behave, and the settings that they got.
  public final class Simulation: @unchecked Sendable {
    private let lock = NSLock()
    private var told: [Settings] = []
    let evaluate: @Sendable (Settings) -> Outcome
    /// What each `SecTrustSet…` function and the start of an evaluation return.
    let status: OSStatus
    let startStatus: OSStatus

    /// Makes trust objects that answer so.
    public init(
      status: OSStatus = errSecSuccess, startStatus: OSStatus = errSecSuccess,
      evaluate: @escaping @Sendable (Settings) -> Outcome
    ) {
      self.status = status
      self.startStatus = startStatus
      self.evaluate = evaluate
    }

    /// The settings of each evaluation so far.
    public var evaluations: [Settings] { lock.withLock { told } }

    func note(_ settings: Settings) { lock.withLock { told.append(settings) } }
  }

  static let errSecParam: OSStatus = -50

  private let simulation: Simulation
  var settings: Settings
  private var outcome: Outcome?

  /// The object of a server that sent these certificates.
  public init(_ certificates: [Data], _ simulation: Simulation) {
    self.simulation = simulation
    settings = Settings(certificates: certificates)
  }

  var status: OSStatus { simulation.status }

  func evaluate(on queue: DispatchQueue, _ result: @escaping SecTrustWithErrorCallback) -> OSStatus {
    guard simulation.startStatus == errSecSuccess else { return simulation.startStatus }
    simulation.note(settings)
    let outcome = simulation.evaluate(settings)
    self.outcome = outcome
    nonisolated(unsafe) let (trust, callback) = (self, result)
    queue.async {
      outcome.meanwhile?()
      callback(trust, outcome.error == nil, outcome.error.map { CFError($0) })
    }
    return errSecSuccess
  }

  var chain: [Any]? {
    let chain = outcome.map { $0.chain } ?? settings.certificates
    return chain?.map { SecCertificate($0, simulation) }
  }
}

@available(*, unavailable)
extension SecTrust: Sendable {}
#endif
