/// The pre-authentication encoding of DSSE, version 1: what is signed in place of a bare body.
///
/// `"DSSEv1" SP LEN(type) SP type SP LEN(body) SP body`, lengths in decimal ASCII. It binds the type of a body to the
/// signature, and it is the same for a signature that is in a DSSE envelope.
package enum DSSE {
  /// Everything that is before the body.
  package static func header(type: String, bodyLength: Int) -> [UInt8] {
    Array("DSSEv1 \(type.utf8.count) \(type) \(bodyLength) ".utf8)
  }

  /// The bytes to sign for a body of a type.
  package static func preAuthenticationEncoding(type: String, body: some Collection<UInt8>) -> [UInt8] {
    var bytes = header(type: type, bodyLength: body.count)
    bytes.reserveCapacity(bytes.count + body.count)
    bytes.append(contentsOf: body)
    return bytes
  }
}
