import PinFormat

/// Makes the certificates of worlds; equal ones once.
///
/// Not to be shared between threads.
final class Mint {
  let ring: KeyRing
  private var made: [Order: [UInt8]] = [:]

  init(_ ring: KeyRing) { self.ring = ring }

  private struct Order: Hashable {
    var text: CertificateText
    var key: Pin
    var issuer: Pin
    var isPSS: Bool
  }

  /// What a server presents: a leaf, and who issued it.
  struct Leaf: Hashable {
    enum Use: Hashable, CaseIterable { case old, new, spare, other }

    var use: Use
    /// The number of the authority, and whether its intermediate or its root issued it.
    var authority: Int
    var isByIntermediate: Bool
    var kind: ClientWorld.KeyKind
    var flaw: ClientWorld.Flaw
    /// Whether it is another certificate for the same key.
    var isSecond = false
    /// For a client that accepts no other signature of RSA.
    var isPSS = false
  }

  func root(_ number: Int, _ world: ClientWorld) throws -> [UInt8] {
    let key = rootKey(number, world)
    var text = authority("Root \(number)", "Root \(number)", world.authorities[number].root.flaw)
    if world.authorities[number].root.flaw == .noFurtherAuthority { text.pathLength = 0 }
    return try make(text, key, key, isPSS: false)
  }

  /// The certificate for a root's key that another root signed.
  func crossSigned(_ number: Int, _ world: ClientWorld) throws -> [UInt8] {
    let text = authority("Root \(number)", "Root \(ClientWorld.crossSigner)", .none)
    return try make(text, rootKey(number, world), rootKey(ClientWorld.crossSigner, world), isPSS: false)
  }

  /// An intermediate's certificate, or if it is renewed, the one after the one that ends.
  func intermediate(_ number: Int, _ world: ClientWorld, isRenewed: Bool = false) throws -> [UInt8] {
    let issuer = world.issuer(ofIntermediate: number)
    let text = authority(
      "Intermediate \(number)", "Root \(issuer)", isRenewed ? .none : world.authorities[number].intermediate.flaw)
    return try make(text, intermediateKey(number, world), rootKey(issuer, world), isPSS: false)
  }

  /// The certificate for an intermediate's key that another root signed.
  func crossIntermediate(_ number: Int, _ world: ClientWorld) throws -> [UInt8] {
    let text = authority("Intermediate \(number)", "Root \(ClientWorld.crossSigner)", .none)
    return try make(text, intermediateKey(number, world), rootKey(ClientWorld.crossSigner, world), isPSS: false)
  }

  /// Roots with the keys of other authorities, under other names.
  func renamedRoot(_ number: Int, _ world: ClientWorld) throws -> [UInt8] {
    try renamed("Former Root \(number)", rootKey(number, world))
  }

  func renamedIntermediate(_ number: Int, _ world: ClientWorld) throws -> [UInt8] {
    try renamed("Former Intermediate \(number)", intermediateKey(number, world))
  }

  private func renamed(_ name: String, _ key: KeyPair) throws -> [UInt8] {
    try make(authority(name, name, .none), key, key, isPSS: false)
  }

  func leaf(_ leaf: ClientWorld.Presented, _ world: ClientWorld) throws -> [UInt8] {
    let leaf = world.leaf(leaf)
    var text = CertificateText(
      subject: "\(leaf.use)", issuer: (leaf.isByIntermediate ? "Intermediate " : "Root ") + "\(leaf.authority)",
      isCA: false, names: [ClientWorld.host, ClientWorld.otherName], keyUsage: CertificateText.digitalSignature,
      purposes: [1], notBefore: instant(-300), notAfter: instant(300))
    if leaf.isSecond { text.notAfter = instant(310) }
    if world.authorities[leaf.authority].root.flaw == .excludesOtherName { text.names = [ClientWorld.host] }
    switch leaf.flaw {
    case .clientAuth: text.purposes = [2]
    case .otherName: text.names = [ClientWorld.otherName]
    case .noAuthorityIdentifier: text.hasAuthorityKeyIdentifier = false
    case .ends(let day): text.notAfter = instant(day)
    case .begins(let day): text.notBefore = instant(day)
    default: break
    }
    let issuer =
      leaf.isByIntermediate ? intermediateKey(leaf.authority, world) : rootKey(leaf.authority, world)
    let use: KeyRing.Use =
      switch leaf.use {
      case .old: .leafOld
      case .new: .leafNew
      case .spare: .spare
      case .other: .leafOther
      }
    return try make(text, ring.pair(use, KeyPair.Kind(leaf.kind)), issuer, isPSS: leaf.isPSS)
  }

  func rootPin(_ number: Int, _ world: ClientWorld) -> Pin { rootKey(number, world).pin }

  private func rootKey(_ number: Int, _ world: ClientWorld) -> KeyPair {
    ring.pair([.rootA, .rootB, .rootC][number], KeyPair.Kind(world.authorities[number].root.kind))
  }

  private func intermediateKey(_ number: Int, _ world: ClientWorld) -> KeyPair {
    ring.pair(
      [.intermediateA, .intermediateB, .intermediateC][number],
      KeyPair.Kind(world.authorities[number].intermediate.kind))
  }

  private func authority(_ subject: String, _ issuer: String, _ flaw: ClientWorld.Flaw) -> CertificateText {
    var text = CertificateText(
      subject: subject, issuer: issuer, isCA: true, keyUsage: CertificateText.certSign, notBefore: instant(-600),
      notAfter: instant(600))
    switch flaw {
    case .none, .otherName, .noFurtherAuthority: break
    case .clientAuth: text.purposes = [2]
    case .noCertSign: text.keyUsage = CertificateText.crlSign
    case .noKeyUsage: text.keyUsage = nil
    case .otherIdentifier: text.hasOtherIdentifier = true
    case .noIdentifiers: (text.hasSubjectKeyIdentifier, text.hasAuthorityKeyIdentifier) = (false, false)
    case .noSubjectIdentifier: text.hasSubjectKeyIdentifier = false
    case .noAuthorityIdentifier: text.hasAuthorityKeyIdentifier = false
    case .excludesOtherName: text.excluded = [ClientWorld.otherName]
    case .excludesHost: text.excluded = ["example.com"]
    case .permitsOthers: text.permitted = ["example.org"]
    case .ends(let day): text.notAfter = instant(day)
    case .begins(let day): text.notBefore = instant(day)
    }
    return text
  }

  private func make(_ text: CertificateText, _ key: KeyPair, _ issuer: KeyPair, isPSS: Bool) throws -> [UInt8] {
    let order = Order(text: text, key: key.pin, issuer: issuer.pin, isPSS: isPSS && issuer.kind.isRSA)
    if let der = made[order] { return der }
    let der = try text.signed(key, by: issuer, isPSS: order.isPSS)
    made[order] = der
    return der
  }
}
