/// A manifest as flat tables over its own signed bytes: about 60 bytes a host with two keys of its own.
///
/// Names and pins are not copied; records hold where they stand. Only ``ManifestReader`` makes one, out of bytes that
/// are the one canonical encoding. A class, so that asking it something doesn't copy it.
package final class ManifestTables: Sendable {
  /// What holds for the whole manifest.
  package struct Header: Sendable {
    package var audience: String
    package var serial: Int64
    package var issued: Instant
    package var refreshAfter: Instant
    package var expires: Instant
    package var onStale: ExpiryAction
    package var previous: SHA256Digest?
    package var provenance: Manifest.Provenance
    package var unpinnedHosts: UnpinnedHosts
    package var critical: [String]
    package var drasticChange: String?
  }

  /// A certificate, by its fingerprint and where its Base64 stands.
  struct CertificateRecord: Sendable {
    let fingerprint: SHA256Digest
    let text: Range<Int>
  }

  /// The bytes that were read, `signed` among them.
  package let bytes: [UInt8]
  /// Where `signed` stands in them.
  package let signed: Range<Int>
  package let header: Header
  /// Sorted by host, then port, those without a port first.
  package let hosts: [HostRecord]
  /// Sorted by name.
  package let keys: [KeyRecord]
  let keySets: [KeySetRecord]
  let members: [KeySetMember]
  let expiries: [Instant]
  let certificates: [CertificateRecord]
  /// Where each list of report URIs begins.
  let reporting: [UInt32]
  /// The numbers of the denied keys.
  package let deniedKeys: [UInt32]
  /// The denied keys by their pins.
  let deniedIndex: HashIndex
  /// The numbers of the entries with trust customisations, rising, and the customisations.
  let trustEntries: [UInt32]
  let trusts: [Manifest.Trust]
  let index: HashIndex

  /// Takes what a reader has read to the end.
  init(_ reader: ManifestReader, signed: Range<Int>, header: Header) {
    bytes = reader.scanner.bytes
    self.signed = signed
    self.header = header
    hosts = reader.hosts
    keys = reader.keys
    keySets = reader.keySets
    members = reader.members
    expiries = reader.expiries
    certificates = reader.certificates
    reporting = reader.reporting
    deniedKeys = reader.deniedKeys
    deniedIndex = reader.deniedIndex()
    trustEntries = reader.trustEntries
    trusts = reader.trusts
    index = reader.hostIndex()
  }

  /// When the entry expires; nil for never.
  @inline(__always)
  package func expiry(of host: HostRecord) -> Instant? {
    host.expiryField == HostRecord.none ? nil : expiries[Int(host.expiryField)]
  }

  /// The numbers of all key sets.
  package var keySetNumbers: Range<Int> { keySets.indices }

  /// The numbers of a key set's members, active keys first.
  @inline(__always)
  package func members(ofKeySet number: Int) -> Range<Int> {
    let start = Int(keySets[number].firstMember)
    return start..<(number + 1 < keySets.count ? Int(keySets[number + 1].firstMember) : members.count)
  }

  /// A member of a key set, by its number.
  @inline(__always)
  package func member(_ number: Int) -> KeySetMember { members[number] }

  /// The number of a denied key with this pin.
  @inline(__always)
  package func deniedKey(_ pin: PinText) -> Int? {
    guard !deniedKeys.isEmpty else { return nil }
    return deniedIndex.find(hash: pin.hash) { pin.stands(in: bytes, at: keys[$0].pin) }
  }

  /// How an entry's trust evaluation differs from the system's; nil where it doesn't.
  package func trust(ofHost number: Int) -> Manifest.Trust? {
    guard hosts[number].hasTrust else { return nil }
    var low = 0
    var high = trustEntries.count
    while low < high {
      let middle = (low + high) / 2
      if trustEntries[middle] < number { low = middle + 1 } else { high = middle }
    }
    return trusts[low]
  }
}

extension ManifestTables.CertificateRecord {
  /// The number of the record with this fingerprint, among sorted ones.
  static func find(_ fingerprint: SHA256Digest, in records: [Self]) -> Int? {
    var low = 0
    var high = records.count
    while low < high {
      let middle = (low + high) / 2
      if records[middle].fingerprint < fingerprint { low = middle + 1 } else { high = middle }
    }
    return low < records.count && records[low].fingerprint == fingerprint ? low : nil
  }
}
