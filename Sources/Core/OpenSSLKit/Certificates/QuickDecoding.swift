#if !CryptoKit
import CLibCrypto

/// Reads certificates where libcrypto finds the decoder of their public key at once.
///
/// OpenSSL 3.0 and 3.1 compare every decoder with every kind of key for each certificate, which is two thirds of reading
/// it; later versions remember what they found. In this context there are only the decoders of keys that Pintle accepts.
/// They, and all other algorithms, are the default provider's own, so nothing is read or verified by other code.
enum QuickDecoding {
  /// A certificate that the caller owns, or nil where it has to be read as usual, which says what is wrong with it.
  static func certificate(_ next: inout UnsafePointer<UInt8>?, _ count: Int) -> OpaquePointer? {
    guard let context, isDefaultProviderAlone, let new = X509_new_ex(context, nil) else { return nil }
    var certificate: OpaquePointer? = new
    var end = next
    // On failure libcrypto frees the certificate and sets the variable to nil.
    guard d2i_X509(&certificate, &end, count) != nil, X509_get0_pubkey(certificate) != nil else {
      X509_free(certificate)
      return nil
    }
    next = end
    return certificate
  }

  nonisolated(unsafe) private static let context: OpaquePointer? = {
    guard OpenSSL_version_num() < 0x3020_0000, DefaultProvider.shared != nil, let context = OSSL_LIB_CTX_new() else {
      return nil
    }
    guard OSSL_PROVIDER_add_builtin(context, "pintle", start) == 1, OSSL_PROVIDER_load(context, "pintle") != nil else {
      OSSL_LIB_CTX_free(context)
      return nil
    }
    return context
  }()

  /// Whether the process uses the default provider and no other, such as a FIPS module, which then has to do the work.
  private static var isDefaultProviderAlone: Bool {
    guard EVP_default_properties_is_fips_enabled(nil) == 0 else { return false }
    var others: Int32 = 0
    let isDone = OSSL_PROVIDER_do_all(
      nil,
      { provider, others in
        let isDefault = OSSL_PROVIDER_get0_name(provider).map { strcmp($0, "default") == 0 } ?? false
        if !isDefault { others?.assumingMemoryBound(to: Int32.self).pointee += 1 }
        return 1
      }, &others)
    return isDone == 1 && others == 0
  }
}

/// The default provider, in a context of its own, so that nothing changes for others who use libcrypto.
///
/// `@unchecked`: never changed after `init`, and kept as long as the process.
private struct DefaultProvider: @unchecked Sendable {
  static let shared = DefaultProvider()

  let pointer: OpaquePointer
  /// Those of its decoders that are needed, and an empty one behind the last.
  let decoders: UnsafePointer<OSSL_ALGORITHM>

  private init?() {
    guard let context = OSSL_LIB_CTX_new() else { return nil }
    guard let provider = OSSL_PROVIDER_load(context, "default"), let decoders = Self.decoders(of: provider) else {
      OSSL_LIB_CTX_free(context)
      return nil
    }
    pointer = provider
    self.decoders = decoders
  }

  private static func decoders(of provider: OpaquePointer) -> UnsafePointer<OSSL_ALGORITHM>? {
    let names: [StaticString] = ["EC", "RSA", "ED25519", "ED448"]
    var isNotToBeKept: Int32 = 0
    guard var next = OSSL_PROVIDER_query_operation(provider, OSSL_OP_DECODER, &isNotToBeKept) else { return nil }
    let found = UnsafeMutablePointer<OSSL_ALGORITHM>.allocate(capacity: names.count + 1)
    found.initialize(repeating: OSSL_ALGORITHM(), count: names.count + 1)
    var count = 0
    while let name = next.pointee.algorithm_names, count < names.count {
      if let properties = next.pointee.property_definition, strstr(properties, "input=der") != nil,
        strstr(properties, "structure=SubjectPublicKeyInfo") != nil, names.contains(where: { $0.isSame(as: name) })
      {
        found[count] = next.pointee
        count += 1
      }
      next += 1
    }
    guard count == names.count else {
      found.deallocate()
      return nil
    }
    return UnsafePointer(found)
  }
}

extension StaticString {
  fileprivate func isSame(as name: UnsafePointer<CChar>) -> Bool {
    strlen(name) == utf8CodeUnitCount && memcmp(name, utf8Start, utf8CodeUnitCount) == 0
  }
}

// MARK: Called by libcrypto

/// Offers the algorithms of the default provider under another name.
private func start(
  core: OpaquePointer?, functions: UnsafePointer<OSSL_DISPATCH>?,
  own: UnsafeMutablePointer<UnsafePointer<OSSL_DISPATCH>?>?, context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32 {
  guard let provider = DefaultProvider.shared else { return 0 }
  own?.pointee = functionTable
  context?.pointee = OSSL_PROVIDER_get0_provider_ctx(provider.pointer)
  return 1
}

nonisolated(unsafe) private let functionTable: UnsafePointer<OSSL_DISPATCH> = {
  typealias Query =
    @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeMutablePointer<Int32>?) -> UnsafePointer<OSSL_ALGORITHM>?
  let table = UnsafeMutablePointer<OSSL_DISPATCH>.allocate(capacity: 2)
  table.initialize(repeating: OSSL_DISPATCH(), count: 2)
  table[0].function_id = OSSL_FUNC_PROVIDER_QUERY_OPERATION
  table[0].function = unsafeBitCast(algorithms as Query, to: (@convention(c) () -> Void).self)
  return UnsafePointer(table)
}()

private func algorithms(
  context: UnsafeMutableRawPointer?, operation: Int32, isNotToBeKept: UnsafeMutablePointer<Int32>?
) -> UnsafePointer<OSSL_ALGORITHM>? {
  isNotToBeKept?.pointee = 0
  guard let provider = DefaultProvider.shared else { return nil }
  if operation == OSSL_OP_DECODER { return provider.decoders }
  return OSSL_PROVIDER_query_operation(provider.pointer, operation, isNotToBeKept)
}
#endif
