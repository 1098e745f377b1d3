#if CryptoKit
import PinURLSession
import PinValidator

#if canImport(Security)
import Foundation
#else
import AppleStandIn
#endif

/// A delegate of an app's own.
final class Delegate: NSObject, URLSessionTaskDelegate {
  private let serverTrust: ExperimentalServerTrust

  init(store: PinStore) {
    serverTrust = ExperimentalServerTrust(store: store)
  }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    serverTrust.answer(challenge, of: session, completionHandler: completionHandler)
  }
}
#endif
