#if !CryptoKit
import CLibCrypto

/// Trust anchors in an `X509_STORE`, made once and shared.
///
/// `@unchecked`: nothing is added after `init` by us; what libcrypto loads from the system's directory as it needs it,
/// it adds under the store's own lock.
package final class TrustStore: @unchecked Sendable {
  /// The anchors that were given; the system's aren't among them.
  package let anchors: [Certificate]
  let pointer: OpaquePointer
  /// An anchor that isn't self-signed ends a path only where libcrypto takes partial chains.
  ///
  /// libcrypto then ends paths at the system's intermediates too; `canEndPath` rejects that.
  let takesPartialChains: Bool

  /// Takes anchors, and the system's default trust store (`SSL_CERT_FILE`, `SSL_CERT_DIR`) where asked.
  ///
  /// A directory is one as `openssl rehash` makes it; its certificates are loaded when they are looked for.
  ///
  /// A certificate that is neither self-signed nor an authority's isn't an anchor and is left out: in a store that
  /// takes partial chains it would end a path of its own, with nobody's signature verified.
  package convenience init(
    anchors: [Certificate], includingSystem: Bool, directory: String? = nil
  ) throws(CryptoError) {
    LibcryptoUse.begin()
    defer { LibcryptoUse.end() }
    guard let store = X509_STORE_new() else { throw CryptoError(.outOfMemory, "no memory for a trust store") }
    // Of several certificates of one authority, libcrypto takes the first valid one. Sorting makes this independent of
    // the order given.
    let anchors = anchors.filter { $0.isSelfSigned || $0.isCA }.sorted { $0.der.lexicographicallyPrecedes($1.der) }
    var isFilled = true
    for anchor in anchors where X509_STORE_add_cert(store, anchor.pointer) != 1 { isFilled = false }
    if includingSystem, X509_STORE_set_default_paths(store) != 1 { isFilled = false }
    if let directory, X509_STORE_load_path(store, directory) != 1 { isFilled = false }
    guard isFilled else {
      X509_STORE_free(store)
      throw CryptoError(.failed, "libcrypto could not fill a trust store")
    }
    self.init(owning: store, anchors)
  }

  /// Takes over a store that was filled; as with certificates, nothing may fail once there is an instance.
  private init(owning store: OpaquePointer, _ anchors: [Certificate]) {
    pointer = store
    self.anchors = anchors
    takesPartialChains = anchors.contains { !$0.isSelfSigned }
  }

  deinit {
    LibcryptoUse.during { X509_STORE_free(pointer) }
  }
}
#endif
