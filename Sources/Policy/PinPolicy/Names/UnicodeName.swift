private import CLibIDN2
package import PinFormat

extension InternationalName {
  /// A host as people read it: its A-labels turned into U-labels.
  ///
  /// - Parameter host: A canonical host.
  /// - Returns: The text in U-labels; the canonical text where it has no A-labels or can't be turned.
  package static func unicode(_ host: HostName) -> String {
    let labels = host.text.utf8.split(separator: UInt8(ascii: "."))
    guard host.kind == .name, labels.contains(where: { $0.starts(with: "xn--".utf8) }) else { return host.text }
    var result: UnsafeMutablePointer<CChar>?
    let code = host.text.withCString { idn2_to_unicode_8z8z($0, &result, 0) }
    defer { idn2_free(result) }
    guard code == IDN2_OK.rawValue, let result else { return host.text }
    return String(cString: result)
  }
}
