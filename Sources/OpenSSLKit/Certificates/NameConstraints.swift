#if !CryptoKit
import CLibCrypto

/// What libcrypto misses in the Name Constraints of an authority; the raw value says it as a clause.
///
/// `docs/validation.md`, "Name constraints", says why.
package enum NameConstraintFault: String, Hashable, Sendable {
  case empty = "the nameConstraints have an empty list, or aren't DER"
  case invalidName = "the nameConstraints exclude an invalid name"
  /// The leaf's fault.
  case excluded = "an authority above excludes a name that a name of the certificate covers"
}

extension Certificate {
  /// What is wrong with its Name Constraints, or with a leaf below it; nil as well where it has none.
  package func nameConstraintFault(of leaf: Certificate) -> NameConstraintFault? {
    let index = X509_get_ext_by_NID(pointer, NID_name_constraints, -1)
    guard index >= 0 else { return nil }
    guard let value = X509_EXTENSION_get_data(X509_get_ext(pointer, index)) else { return .empty }
    let der = UnsafeRawBufferPointer(start: ASN1_STRING_get0_data(value), count: Int(ASN1_STRING_length(value)))
    var whole = DERReader(der, der.startIndex..<der.endIndex)
    guard var lists = whole.enter(.sequence), whole.isAtEnd, !lists.isAtEnd else { return .empty }
    if let permitted = lists.enter(.context0), permitted.isAtEnd { return .empty }
    guard !lists.isAtEnd else { return nil }
    guard var excluded = lists.enter(.context1), !excluded.isAtEnd, lists.isAtEnd else { return .empty }
    let names = keepingErrorQueue { pintle_alternative_names(leaf.pointer) }
    defer { GENERAL_NAMES_free(names) }
    while !excluded.isAtEnd {
      guard var subtree = excluded.enter(.sequence) else { return .empty }
      guard var base = subtree.contents(.dnsName) else { continue }
      // Some readers don't match the name itself if there is a leading dot; the stricter reading is used.
      if !base.isEmpty, der[base.lowerBound] == dot { base = base.lowerBound + 1..<base.upperBound }
      let name = UnsafeRawBufferPointer(rebasing: der[base])
      guard name.isEmpty || isDNSName(name) else { return .invalidName }
      if anyName(of: names, covers: name) { return .excluded }
    }
    return nil
  }
}

extension Certificate {
  /// True where its Name Constraints, if it has any, permit the names of a certificate below.
  package func permits(_ other: Certificate, asLeaf isLeaf: Bool) -> Bool {
    permitsNames(of: other) && !(isLeaf && nameConstraintFault(of: other) == .excluded)
  }
}

/// Whether one of the DNS names covers a host in a subtree.
private func anyName(of names: OpaquePointer?, covers subtree: UnsafeRawBufferPointer) -> Bool {
  guard let names else { return false }
  for index in 0..<pintle_general_names_count(names) {
    var kind: Int32 = 0
    guard let value = GENERAL_NAME_get0_value(pintle_general_names_at(names, index), &kind), kind == GEN_DNS else {
      continue
    }
    let string = UnsafePointer(value.assumingMemoryBound(to: ASN1_STRING.self))
    let name = UnsafeRawBufferPointer(
      start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string)))
    if hostName(name, covers: subtree) { return true }
  }
  return false
}

private func hostName(_ name: UnsafeRawBufferPointer, covers subtree: UnsafeRawBufferPointer) -> Bool {
  let isWildcard = name.count > 2 && name[0] == UInt8(ascii: "*") && name[1] == dot
  let name = UnsafeRawBufferPointer(rebasing: name[(isWildcard ? 2 : 0)...])
  // Anything but a DNS name, such as a name with a leading dot, matches no host.
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

/// Labels of letters, digits, hyphens and underscores.
private func isDNSName(_ name: UnsafeRawBufferPointer) -> Bool {
  var last = dot
  for byte in name {
    switch byte {
    case dot: guard last != dot else { return false }
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      break
    default: return false
    }
    last = byte
  }
  return last != dot
}

private let dot = UInt8(ascii: ".")
#endif
