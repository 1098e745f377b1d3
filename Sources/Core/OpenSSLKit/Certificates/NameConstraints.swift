#if !CryptoKit
import CLibCrypto

/// What libcrypto misses in the Name Constraints of an authority; the raw value says it as a clause.
///
/// `docs/validation.md`, "Name constraints", says why.
package enum NameConstraintFault: String, Hashable, Sendable {
  case empty = "the nameConstraints have an empty list, or aren't DER"
  case invalidName = "the nameConstraints exclude an invalid name"
  case excluded = "an authority above excludes a name that a name of the certificate covers"
  case invalidNameBelow = "the certificate has an invalid name of a kind that an authority above constrains"

  /// Whether it is the fault of the certificate below.
  package var isBelow: Bool {
    switch self {
    case .excluded, .invalidNameBelow: true
    case .empty, .invalidName: false
    }
  }
}

extension Certificate {
  /// What is wrong with its Name Constraints, or with the names of a certificate below; nil as well where it has none.
  package func nameConstraintFault(of below: Certificate, asLeaf isLeaf: Bool) -> NameConstraintFault? {
    let index = X509_get_ext_by_NID(pointer, NID_name_constraints, -1)
    guard index >= 0 else { return nil }
    guard let value = X509_EXTENSION_get_data(X509_get_ext(pointer, index)) else { return .empty }
    let der = bytes(of: value)
    var whole = DERReader(der, der.startIndex..<der.endIndex)
    guard var lists = whole.enter(.sequence), whole.isAtEnd, !lists.isAtEnd else { return .empty }
    let names = keepingErrorQueue { pintle_alternative_names(below.pointer) }
    defer { GENERAL_NAMES_free(names) }
    var constrainsHosts = false
    var constrainsMail = false
    for isExcluded in [false, true] {
      guard var list = lists.enter(isExcluded ? .context1 : .context0) else { continue }
      guard !list.isAtEnd else { return .empty }
      while !list.isAtEnd {
        guard var subtree = list.enter(.sequence) else { return .empty }
        if subtree.skip(.rfc822Name) != nil { constrainsMail = true }
        guard var base = subtree.contents(.dnsName) else { continue }
        constrainsHosts = true
        guard isExcluded else { continue }
        // Some readers don't match the name itself if there is a leading dot; the stricter reading is used.
        if !base.isEmpty, der[base.lowerBound] == dot { base = base.lowerBound + 1..<base.upperBound }
        let name = UnsafeRawBufferPointer(rebasing: der[base])
        guard name.isEmpty || isDNSName(name) else { return .invalidName }
        if isLeaf, contains(names, of: GEN_DNS, where: { hostName($0, covers: name) }) { return .excluded }
      }
    }
    guard lists.isAtEnd else { return .empty }
    // libcrypto compares only the ends of names, so it accepts these in a permitted subtree.
    let hasInvalidHost = constrainsHosts && contains(names, of: GEN_DNS) { !isDNSName(withoutWildcard($0)) }
    let hasInvalidMail = constrainsMail && contains(names, of: GEN_EMAIL) { !isMailbox($0) }
    guard hasInvalidHost || hasInvalidMail || constrainsMail && below.hasInvalidMailOfSubject else { return nil }
    return .invalidNameBelow
  }

  /// Name Constraints are for the subject's e-mail addresses, too (RFC 5280 section 4.2.1.10).
  private var hasInvalidMailOfSubject: Bool {
    let subject = X509_get_subject_name(pointer)
    var index: Int32 = -1
    while true {
      index = X509_NAME_get_index_by_NID(subject, NID_pkcs9_emailAddress, index)
      guard index >= 0 else { return false }
      let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index))
      guard let value, isMailbox(bytes(of: value)) else { return true }
    }
  }
}

extension Certificate {
  /// True where its Name Constraints, if it has any, permit the names of a certificate below.
  package func permits(_ below: Certificate, asLeaf isLeaf: Bool) -> Bool {
    permitsNames(of: below) && !(nameConstraintFault(of: below, asLeaf: isLeaf)?.isBelow ?? false)
  }
}

/// Whether one of the names of a kind is such.
private func contains(
  _ names: OpaquePointer?, of wanted: Int32, where isSuch: (UnsafeRawBufferPointer) -> Bool
) -> Bool {
  guard let names else { return false }
  for index in 0..<pintle_general_names_count(names) {
    var kind: Int32 = 0
    guard let value = GENERAL_NAME_get0_value(pintle_general_names_at(names, index), &kind), kind == wanted else {
      continue
    }
    if isSuch(bytes(of: UnsafePointer(value.assumingMemoryBound(to: ASN1_STRING.self)))) { return true }
  }
  return false
}

private func bytes(of string: UnsafePointer<ASN1_STRING>) -> UnsafeRawBufferPointer {
  UnsafeRawBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string)))
}

private func hostName(_ name: UnsafeRawBufferPointer, covers subtree: UnsafeRawBufferPointer) -> Bool {
  let rest = withoutWildcard(name)
  let isWildcard = rest.count < name.count
  let name = rest
  // Anything but a DNS name matches no host.
  guard isDNSName(name) else { return false }
  if isBelow(name, subtree) { return true }
  // A wildcard stands for exactly one label.
  guard isWildcard, isBelow(subtree, name), subtree.count > name.count else { return false }
  for index in 0..<subtree.count - name.count - 1 where subtree[index] == dot { return false }
  return true
}

/// Whether a name is in a subtree: the same name, or one with more labels in front; in the empty one all are.
private func isBelow(_ name: UnsafeRawBufferPointer, _ subtree: UnsafeRawBufferPointer) -> Bool {
  let front = name.count - subtree.count
  guard front >= 0 else { return false }
  // 0x20 is the bit in which upper and lower case differ; no other two characters of DNS names differ only in it.
  for index in 0..<subtree.count where (name[front + index] | 0x20) != (subtree[index] | 0x20) { return false }
  return front == 0 || subtree.isEmpty || name[front - 1] == dot
}

private func withoutWildcard(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
  let isWildcard = name.count > 2 && name[0] == UInt8(ascii: "*") && name[1] == dot
  return UnsafeRawBufferPointer(rebasing: name[(isWildcard ? 2 : 0)...])
}

/// Labels of letters, digits, hyphens and underscores.
private func isDNSName(_ name: UnsafeRawBufferPointer) -> Bool { isDotted(name, with: "-_") }

/// A mailbox (RFC 5321 section 4.1.2) that has only one spelling: no quoted local part, and a host by its name.
private func isMailbox(_ address: UnsafeRawBufferPointer) -> Bool {
  guard let at = address.firstIndex(of: UInt8(ascii: "@")) else { return false }
  return isDotted(UnsafeRawBufferPointer(rebasing: address[..<at]), with: "!#$%&'*+-/=?^_`{|}~")
    && isDNSName(UnsafeRawBufferPointer(rebasing: address[(at + 1)...]))
}

/// Letters, digits and some other characters, with single dots between them.
private func isDotted(_ text: UnsafeRawBufferPointer, with others: StaticString) -> Bool {
  var last = dot
  for byte in text {
    switch byte {
    case dot: guard last != dot else { return false }
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      break
    default: guard others.withUTF8Buffer({ $0.contains(byte) }) else { return false }
    }
    last = byte
  }
  return last != dot
}

private let dot = UInt8(ascii: ".")
#endif
