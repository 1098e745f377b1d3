/// A manifest as flat tables: about 26 bytes an entry, 8 a key set, 4 a member of one, 36 a key, and the text of names.
///
/// Nothing is kept of the bytes that it was read from: since each manifest has one encoding, they can be written again.
/// Only ``ManifestReader`` makes tables, out of bytes that are that encoding. A class, so that asking it something doesn't
/// copy it.
package final class ManifestTables: Sendable {
  /// What holds for the whole manifest.
  package let header: Manifest.Header
  /// Names that say themselves: those of hosts, of key sets each with a quotation mark behind it, and of keys.
  let text: [UInt8]
  /// Sorted by host, then port, those without a port first.
  package let hosts: [HostRecord]
  let terms: [EntryTerms]
  /// Sorted by name.
  package let keys: [KeyRecord]
  /// The keys' pins.
  let pins: [SHA256Digest]
  /// Sorted by name.
  let keySets: [KeySetRecord]
  let members: [KeySetMember]
  /// Certificates that `trust` refers to, sorted by fingerprint.
  package let certificates: [Manifest.Certificate]
  /// The lists of report URIs, each in order of preference.
  let reporting: [[String]]
  /// The numbers of the denied keys, rising, and why each is denied.
  package let deniedKeys: [UInt32]
  let denials: [String]
  /// The numbers of the entries that say what few others say, rising, and what they say.
  let rareEntries: [UInt32]
  let rare: [RareFields]
  /// The first entry of each host by its name.
  let hostIndex: HashIndex
  /// The denied keys by their pins.
  let deniedIndex: HashIndex

  /// Takes what a reader has read to the end.
  init(_ reader: consuming ManifestReader, header: Manifest.Header) {
    self.header = header
    text = reader.text
    hosts = reader.hosts
    terms = reader.terms
    keys = reader.keys
    pins = reader.pins
    keySets = reader.keySets
    members = reader.members
    certificates = reader.certificates
    reporting = reader.reporting
    deniedKeys = reader.deniedKeys
    denials = reader.denials
    rareEntries = reader.rareEntries
    rare = reader.rare
    hostIndex = reader.hostIndex()
    deniedIndex = reader.deniedIndex()
  }

  /// When the entry expires; nil for never.
  @inline(__always)
  package func expiry(of host: HostRecord) -> Instant? { terms[Int(host.terms)].expires }

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

  /// A key's pin.
  @inline(__always)
  package func pin(ofKey number: Int) -> Pin { Pin(pins[number]) }

  /// The number of a denied key with this pin.
  @inline(__always)
  package func deniedKey(_ pin: Pin) -> Int? {
    guard !deniedKeys.isEmpty else { return nil }
    return deniedIndex.find(hash: pin.tableHash) { pins[$0] == pin.digest }
  }

  /// How an entry's trust evaluation differs from the system's; nil where it doesn't.
  package func trust(ofHost number: Int) -> Manifest.Trust? {
    hosts[number].hasTrust ? rareFields(ofHost: number)?.trust : nil
  }

  /// What few entries say, as this one says it.
  func rareFields(ofHost number: Int) -> RareFields? {
    let found = rareEntries.partitioningIndex { $0 >= number }
    return found < rareEntries.count && rareEntries[found] == number ? rare[found] : nil
  }

  /// Why a key is denied; nil where it isn't.
  package func denial(ofKey number: Int) -> String? {
    guard keys[number].isDenied else { return nil }
    return denials[deniedKeys.partitioningIndex { $0 >= number }]
  }

  /// A certificate that `trust` refers to, DER.
  package func certificate(_ fingerprint: SHA256Digest) -> [UInt8]? {
    certificates.number(of: fingerprint).map { certificates[$0].der }
  }
}

extension Pin {
  /// A hash for the tables: the first 64 bits of a SHA-256 value are as good as any.
  var tableHash: UInt64 { ByteHash.fold(digest.numbers.0) }
}

extension [Manifest.Certificate] {
  /// The number of the certificate with this fingerprint, among sorted ones.
  package func number(of fingerprint: SHA256Digest) -> Int? {
    let found = partitioningIndex { $0.fingerprint >= fingerprint }
    return found < count && self[found].fingerprint == fingerprint ? found : nil
  }
}
