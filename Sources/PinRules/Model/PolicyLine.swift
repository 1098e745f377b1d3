package import PinFormat
import PinProbe

/// A key as a line of a policy's `keys:`.
package enum PolicyLine {
  /// `example-root: { pin: sha256/…, position: root }`.
  package static func text(name: String, pin: Pin, position: ChainPosition?) -> String {
    "\(name): { pin: \(pin)\(position.map { ", position: \($0.rawValue)" } ?? "") }"
  }

  /// A key's name made of what a certificate calls itself: `ISRG Root X1` becomes `isrg-root-x1`.
  package static func name(from text: String) -> String {
    var name = ""
    for scalar in text.lowercased().unicodeScalars {
      switch scalar {
      case "a"..."z", "0"..."9": name.unicodeScalars.append(scalar)
      case ".": if !name.isEmpty, name.last != "-" { name += "." }
      default: if !name.isEmpty, name.last != "-" { name += "-" }
      }
    }
    name = String(name.prefix(64))
    while name.last == "-" || name.last == "." { name.removeLast() }
    return name.isEmpty ? "key" : name
  }

  /// The line for a certificate's key; by the name that the policy already gives the pin, where it has one.
  static func text(_ record: CertificateRecord, isLeaf: Bool, knownAs names: [Pin: String]) -> String? {
    guard let pin = record.pin else { return nil }
    let position: ChainPosition? = isLeaf ? .leaf : record.isCA && record.isSelfSigned ? .root : nil
    let kind = isLeaf ? "leaf" : position == .root ? "root" : "intermediate"
    let known = names[pin]
    return text(
      name: known ?? name(from: record.commonName ?? kind), pin: pin, position: position)
      + (known == nil ? "" : "  # the policy has it, but not in this set")
  }
}
