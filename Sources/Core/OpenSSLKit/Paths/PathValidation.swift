#if !CryptoKit
import CLibCrypto

extension TrustStore {
  /// Builds the path from a leaf to an anchor and checks it by RFC 5280 and RFC 6125.
  ///
  /// libcrypto builds the path. Checking goes on behind a failure that can be excused, so that no other is missed, and
  /// behind any failure where the query asks for all. The caller looks at the failures: a chain as such says nothing.
  ///
  /// Signatures that are known aren't verified once more; nothing else changes.
  package func validate(
    leaf: Certificate, intermediates: [Certificate], for query: PathQuery,
    knowing knownSignatures: KnownSignatures? = nil
  ) throws(CryptoError) -> PathResult {
    try validate(leaf, intermediates, nil, for: query, knownSignatures)
  }

  /// Checks exactly this path, leaf to anchor, with the anchor as the only one, by the same rules.
  ///
  /// libcrypto is given the next certificate; that its key made the signature is checked as on any other path.
  package static func validate(
    path: [Certificate], for query: PathQuery
  ) throws(CryptoError) -> PathResult {
    guard let leaf = path.first, let anchor = path.last else {
      throw CryptoError(.failed, "a path has at least one certificate")
    }
    let store = try TrustStore(anchors: [anchor], includingSystem: false)
    X509_STORE_set_check_issued(store.pointer, isNext)
    return try store.validate(leaf, Array(path.dropFirst().dropLast()), path, for: query, nil)
  }

  private func validate(
    _ leaf: Certificate, _ intermediates: [Certificate], _ route: [Certificate]?, for query: PathQuery,
    _ knownSignatures: KnownSignatures?
  ) throws(CryptoError) -> PathResult {
    let stack = try CertificateStack(borrowing: intermediates)
    LibcryptoUse.begin()
    defer { LibcryptoUse.end() }
    guard let context = X509_STORE_CTX_new() else { throw CryptoError(.outOfMemory, "no memory for a path") }
    defer { X509_STORE_CTX_free(context) }
    guard X509_STORE_CTX_init(context, pointer, leaf.pointer, stack.pointer) == 1 else {
      throw CryptoError(.failed, "libcrypto could not begin a path")
    }
    try configure(context, for: query)

    let log = FailureLog(query, route: route?.map { $0.pointer } ?? [])
    return try withExtendedLifetime((leaf, intermediates, log)) { () throws(CryptoError) in
      let reference = Unmanaged.passUnretained(log).toOpaque()
      guard failureLogIndex >= 0, X509_STORE_CTX_set_ex_data(context, failureLogIndex, reference) == 1 else {
        throw CryptoError(.failed, "libcrypto could not begin a path")
      }
      X509_STORE_CTX_set_verify_cb(context, logFailure)
      let known = [leaf] + intermediates + anchors
      if let knownSignatures {
        log.shortcut = SignatureShortcut(context, known: known, knownSignatures, at: query.time)
        X509_STORE_CTX_set_verify(context, verifySignatures)
      }
      let status = X509_verify_cert(context)
      let code = X509_STORE_CTX_get_error(context)
      // Without a failure in the log, status and code must agree that the path is valid. If all failures are excusable,
      // all checks must have run: if libcrypto stopped early, it may have missed one that isn't excusable.
      let isFinished = status == 1 && (code == X509_V_OK || !log.failures.isEmpty)
      if !isFinished, log.failures.allSatisfy({ $0.kind.isExcusable }) {
        log.failures.append(PathFailure(kind: .unfinished, depth: 0, certificate: nil))
      }
      let path = if let path = log.shortcut?.path { path } else { try chain(of: context, known: known) }
      // With partial chains, libcrypto ends a path at any certificate of the store, and at one with trust settings always.
      if log.failures.allSatisfy({ $0.kind.isExcusable }), let end = path.last, !canEndPath(in: end) {
        log.failures.append(PathFailure(kind: .issuerNotFound, depth: path.count - 1, certificate: end))
      }
      return PathResult(chain: path, failures: log.failures)
    }
  }

  private func configure(_ context: OpaquePointer, for query: PathQuery) throws(CryptoError) {
    guard let parameters = X509_STORE_CTX_get0_param(context), let time = Int(exactly: query.time) else {
      throw CryptoError(.failed, "libcrypto could not begin a path")
    }
    // Without X509_V_FLAG_POLICY_CHECK, which writes into certificates that threads share, without a lock.
    var flags = X509_V_FLAG_X509_STRICT | X509_V_FLAG_TRUSTED_FIRST
    if takesPartialChains { flags |= X509_V_FLAG_PARTIAL_CHAIN }
    X509_VERIFY_PARAM_set_time(parameters, time)
    X509_VERIFY_PARAM_set_depth(parameters, Int32(clamping: query.maximumIntermediates))
    var isSet = X509_VERIFY_PARAM_set_flags(parameters, UInt(flags)) == 1
    switch query.peer {
    case .client:
      isSet = isSet && X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_CLIENT) == 1
      isSet = isSet && X509_VERIFY_PARAM_set_trust(parameters, X509_TRUST_SSL_CLIENT) == 1
    case .server(let name):
      isSet = isSet && X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER) == 1
      isSet = isSet && X509_VERIFY_PARAM_set_trust(parameters, X509_TRUST_SSL_SERVER) == 1
      X509_VERIFY_PARAM_set_hostflags(
        parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
      isSet = isSet && set(name, in: parameters)
    }
    guard isSet else { throw CryptoError(.failed, "libcrypto refused the parameters of a path") }
  }

  private func set(_ name: PathQuery.Name, in parameters: OpaquePointer) -> Bool {
    switch name {
    // An empty name would disable the comparison.
    case .dns(let text): !text.isEmpty && X509_VERIFY_PARAM_set1_host(parameters, text, text.utf8.count) == 1
    case .address(let text): X509_VERIFY_PARAM_set1_ip_asc(parameters, text) == 1
    }
  }
}

/// The path that libcrypto has built, as far as it has.
func chain(of context: OpaquePointer, known: [Certificate]) throws(CryptoError) -> [Certificate] {
  guard let stack = X509_STORE_CTX_get0_chain(context) else { return [] }
  var chain: [Certificate] = []
  for index in 0..<pintle_x509_stack_count(stack) {
    guard let pointer = pintle_x509_stack_at(stack, index) else { continue }
    if let certificate = known.first(where: { $0.pointer == pointer }) {
      chain.append(certificate)
    } else {
      chain.append(try Certificate(sharing: pointer))
    }
  }
  return chain
}

/// What the callback writes down while one path is checked.
private final class FailureLog {
  var failures: [PathFailure] = []
  let takesAll: Bool
  let namedAnchors: [Certificate]
  /// The path that is prescribed, leaf to anchor; empty where libcrypto builds it.
  let route: [OpaquePointer]
  /// Spares libcrypto the signatures that are known; nil to verify all.
  var shortcut: SignatureShortcut?
  /// A hostile chain must not make the log long.
  static let capacity = 64

  init(_ query: PathQuery, route: [OpaquePointer]) {
    takesAll = query.findsAllFailures
    namedAnchors = query.namedAnchors
    self.route = route
  }

  /// Whether a failure is only about the form of an anchor.
  ///
  /// RFC 5280 sections 4.2.1.1, 4.2.1.2, 4.2.1.3 and 4.2.1.9 ask for these of authorities, and section 6.1.1 doesn't ask for
  /// a certificate of a trust anchor at all. None of them says what the anchor may sign.
  ///
  /// A path never goes on above a self-signed certificate. One that isn't an anchor is a failure of its own.
  func passesOver(_ error: Int32, of certificate: Certificate?) -> Bool {
    guard let certificate, certificate.isSelfSigned || namedAnchors.contains(where: { $0.der == certificate.der })
    else { return false }
    switch error {
    case X509_V_ERR_CA_CERT_MISSING_KEY_USAGE, X509_V_ERR_CA_BCONS_NOT_CRITICAL,
      X509_V_ERR_MISSING_SUBJECT_KEY_IDENTIFIER, X509_V_ERR_MISSING_AUTHORITY_KEY_IDENTIFIER:
      return true
    // libcrypto also reports this if there is a path length, but no keyUsage at all.
    case X509_V_ERR_PATHLEN_WITHOUT_KU_KEY_CERT_SIGN:
      return X509_get_extension_flags(certificate.pointer) & UInt32(EXFLAG_KUSAGE) == 0
    default:
      return false
    }
  }
}

private let failureLogIndex = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_X509_STORE_CTX, 0, nil, nil, nil, nil)

private func log(of context: OpaquePointer?) -> FailureLog? {
  guard let context, let reference = X509_STORE_CTX_get_ex_data(context, failureLogIndex) else { return nil }
  return Unmanaged<FailureLog>.fromOpaque(reference).takeUnretainedValue()
}

/// Called by libcrypto for what might have issued a certificate, where the path is prescribed; answers whether to take it.
private func isNext(context: OpaquePointer?, certificate: OpaquePointer?, issuer: OpaquePointer?) -> Int32 {
  guard let route = log(of: context)?.route else { return 0 }
  return zip(route, route.dropFirst()).contains { $0 == certificate && $1 == issuer } ? 1 : 0
}

/// Called by libcrypto to verify the signatures and dates of the path that it has built.
private func verifySignatures(context: OpaquePointer?) -> Int32 {
  guard let context, let log = log(of: context), let shortcut = log.shortcut else { return 0 }
  return shortcut.verify(context)
}

/// Called by libcrypto for each certificate, `passed` being 0 where it found a failure; answers whether to go on.
private func logFailure(passed: Int32, context: OpaquePointer?) -> Int32 {
  guard passed != 1 else { return 1 }
  guard let context, let log = log(of: context) else { return 0 }
  guard log.failures.count < FailureLog.capacity else { return 0 }
  let certificate = X509_STORE_CTX_get_current_cert(context).flatMap { try? Certificate(sharing: $0) }
  let error = X509_STORE_CTX_get_error(context)
  if log.passesOver(error, of: certificate) {
    X509_STORE_CTX_set_error(context, X509_V_OK)
    return 1
  }
  let kind = PathFailure.Kind(verifyError: error)
  let depth = Int(X509_STORE_CTX_get_error_depth(context))
  log.failures.append(PathFailure(kind: kind, depth: depth, certificate: certificate))
  return log.takesAll || kind.isExcusable ? 1 : 0
}
#endif
