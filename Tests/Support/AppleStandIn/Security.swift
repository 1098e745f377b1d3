#if CryptoKit && !canImport(Security)
public import Dispatch
public import Foundation

// The declarations of Security.framework and CoreFoundation that PinURLSession uses, as Apple's documentation writes
// them. The address of each page is `https://developer.apple.com/documentation/` and what the comment names. Behind them
// is a simulated trust object, which records its settings (Simulation.swift).
//
// Threads: "It is safe to call this function concurrently on two or more threads as long as it is not used to change the
// value of a trust management object that is simultaneously being used by another function" (pages of the
// functions SecTrustSet…). So SecTrust isn't Sendable here either, and PinURLSession uses one from one queue only.

/// See kernel/osstatus.
public typealias OSStatus = Int32
/// See corefoundation/cfarray; toll-free bridged with arrays, as the others are with theirs.
public typealias CFArray = [Any]
/// See corefoundation/cfstring.
public typealias CFString = String
/// See corefoundation/cfdata.
public typealias CFData = Data
/// See corefoundation/cftyperef.
public typealias CFTypeRef = Any

/// security/errsecsuccess.
public let errSecSuccess: OSStatus = 0

/// corefoundation/cferror.
public final class CFError {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// corefoundation/cferrorcopydescription(_:).
public func CFErrorCopyDescription(_ err: CFError!) -> CFString! { err.description }

/// security/seccertificate.
public final class SecCertificate {
  let data: Data
  /// Of the trust object that it comes from, so that an object that is made of it behaves the same.
  let simulation: SecTrust.Simulation?

  init(_ data: Data, _ simulation: SecTrust.Simulation? = nil) {
    self.data = data
    self.simulation = simulation
  }
}

/// security/seccertificatecreatewithdata(_:_:): nil where the data isn't a certificate in DER.
public func SecCertificateCreateWithData(_ allocator: Any?, _ data: CFData) -> SecCertificate? {
  data.first == 0x30 ? SecCertificate(data) : nil
}

/// security/seccertificatecopydata(_:).
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { certificate.data }

/// security/secpolicy.
public final class SecPolicy {
  let isServer: Bool
  let hostname: String?

  init(isServer: Bool, hostname: String?) {
    self.isServer = isServer
    self.hostname = hostname
  }
}

/// security/secpolicycreatessl(_:_:): with a name, the leaf must be for it; `server` is true on the client's side.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
  SecPolicy(isServer: server, hostname: hostname)
}

/// security/sectrustcreatewithcertificates(_:_:_:): the leaf first, then what may help to build a chain.
public func SecTrustCreateWithCertificates(
  _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
  guard let certificates = certificates as? [SecCertificate], let policy = policies as? SecPolicy,
    let simulation = certificates.first?.simulation
  else { return SecTrust.errSecParam }
  let made = SecTrust(certificates.map(\.data), simulation)
  made.settings.policy = policy
  trust.pointee = made
  return errSecSuccess
}

/// security/sectrustsetpolicies(_:_:): takes the place of the policies that are set; one policy, or an array.
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
  guard let policy = policies as? SecPolicy else { return SecTrust.errSecParam }
  trust.settings.policy = policy
  return trust.status
}

/// security/sectrustsetanchorcertificates(_:_:): only these count from then on, until
/// ``SecTrustSetAnchorCertificatesOnly(_:_:)`` says otherwise; nil restores the built-in ones.
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus {
  guard let anchors = anchorCertificates as? [SecCertificate]? else { return SecTrust.errSecParam }
  trust.settings.anchors = anchors?.map(\.data)
  trust.settings.isOnlyAnchors = anchors != nil
  return trust.status
}

/// security/sectrustsetanchorcertificatesonly(_:_:): false reenables the built-in anchors.
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
  trust.settings.isOnlyAnchors = anchorCertificatesOnly
  return trust.status
}

/// security/sectrustwitherrorcallback.
public typealias SecTrustWithErrorCallback = (SecTrust, Bool, CFError?) -> Void

/// security/sectrustevaluateasyncwitherror(_:_:_:): "The dispatch queue on which the result block should execute. You
/// must call the method from the same queue."
public func SecTrustEvaluateAsyncWithError(
  _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus {
  dispatchPrecondition(condition: .onQueue(queue))
  return trust.evaluate(on: queue, result)
}

/// security/sectrustcopycertificatechain(_:): the chain of the last evaluation, leaf to anchor; evaluates where none was
/// made, so what it returns before one isn't validated.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { trust.chain }
#endif
