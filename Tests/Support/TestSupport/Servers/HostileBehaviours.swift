/// What servers do to clients, from the merely wrong to the malicious.
extension HostileServer.Behaviour {
  /// All without a parameter, for tables.
  package static let all: [Self] = [
    .mute, .slowDrip, .endlessWarnings, .endlessHandshake, .endlessEmptyRecords, .garbage, .http, .ssh, .mailGreeting,
    .closeAtOnce, .closeInTheMiddle, .resetInTheMiddle, .oversizeRecord, .oversizeCertificates, .oldServerHello,
  ]

  /// Takes everything and says nothing.
  package static let mute = Self("mute", [.waitForEnd])
  /// A record that never comes to its end, a byte at a time.
  package static let slowDrip = Self(
    "slow drip", [.awaitBytes, .send([22, 3, 3, 0x3F, 0xFF, 2]), .repeatForever([0], pause: 20)])
  /// Warnings (user_canceled) without end.
  package static let endlessWarnings = Self(
    "endless warnings", [.awaitBytes, .repeatForever(record(21, [1, 90]))])
  /// HelloRequests without end, which a client may ignore in the middle of a handshake (RFC 5246 section 7.4.1.1).
  package static let endlessHandshake = Self(
    "endless handshake",
    [.awaitBytes, .repeatForever(Array(repeatElement(record(22, [0, 0, 0, 0]), count: 400).joined()))])
  /// Records with nothing in them, without end.
  package static let endlessEmptyRecords = Self(
    "endless empty records", [.awaitBytes, .repeatForever(record(22, []))])
  package static let garbage = Self(
    "garbage", [.awaitBytes, .send((0..<512).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 91) })])
  package static let http = Self(
    "HTTP", [.awaitBytes, .send(Array("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".utf8))])
  package static let ssh = Self("SSH", [.send(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)), .waitForEnd])
  package static let mailGreeting = Self(
    "mail greeting", [.send(Array("220 mail.example.com ESMTP\r\n".utf8)), .waitForEnd])
  package static let closeAtOnce = Self("close at once", [.awaitBytes])
  package static let closeInTheMiddle = Self("close in the middle", [.awaitBytes, .send([22, 3, 3, 0, 90, 2, 0, 0])])
  package static let resetInTheMiddle = Self(
    "reset in the middle", [.awaitBytes, .send([22, 3, 3, 0, 90, 2, 0, 0]), .reset])
  /// A record longer than TLS allows (RFC 8446 section 5.1).
  package static let oversizeRecord = Self(
    "oversize record",
    [.awaitBytes, .send([22, 3, 3, 0xFF, 0xFF] + [UInt8](repeating: 2, count: 0xFFFF)), .waitForEnd])
  /// A TLS 1.2 certificate message of 320 KiB.
  package static let oversizeCertificates = Self(
    "oversize certificates",
    [
      .awaitBytes, .send(record(22, serverHello(version: [3, 3]))), .send(record(22, [11, 5, 0, 0, 4, 0xFF, 0xFD])),
      .repeatForever(record(22, [UInt8](repeating: 0, count: 1_024))),
    ])
  /// A TLS 1.2 certificate message of 255 KiB, just below what is taken, whose last byte never comes.
  package static let heldCertificates = Self(
    "held certificates",
    [.awaitBytes, .send(record(22, serverHello(version: [3, 3]))), .send(record(22, [11, 3, 0xFC, 0]))]
      + [HostileServer.Step](repeating: .send(record(22, [UInt8](repeating: 0, count: 1_024))), count: 254)
      + [.send(record(22, [UInt8](repeating: 0, count: 1_023))), .waitForEnd])
  /// A server that knows nothing above TLS 1.0, and says so in a ServerHello.
  package static let oldServerHello = Self(
    "TLS 1.0", [.awaitBytes, .send(record(22, serverHello(version: [3, 1]), version: [3, 1])), .waitForEnd])

  /// A fatal alert in answer to the ClientHello.
  package static func alert(_ number: UInt8) -> Self {
    Self("alert \(number)", [.awaitBytes, .send(record(21, [2, number])), .waitForEnd])
  }

  /// A TLS 1.2 server with this one certificate, whatever suite it chose.
  package static func serving(_ certificate: [UInt8], cipher: [UInt8]) -> Self {
    Self("one certificate", [.awaitBytes, .send(flight(of: certificate, cipher: cipher)), .waitForEnd])
  }

  /// A TLS 1.2 server with somebody else's certificate, whose signature is made up, and which is gone before anybody can
  /// complain.
  package static func unproven(_ certificate: [UInt8]) -> Self {
    // ECDHE over X25519 with the base point, signed as ecdsa_secp256r1_sha256.
    let point: [UInt8] = [9] + [UInt8](repeating: 0, count: 31)
    let signature: [UInt8] = [0x30, 6, 2, 1, 1, 2, 1, 1]
    let exchange = [3, 0, 0x1D, 32] + point + [4, 3, 0, UInt8(signature.count)] + signature
    let rest = record(22, [12, 0, 0, UInt8(exchange.count)] + exchange) + record(22, [14, 0, 0, 0])
    let flight = flight(of: certificate, cipher: [0xC0, 0x2B])
    return Self("unproven", [.awaitBytes, .send(flight + rest), .reset])
  }

  /// A TLS 1.2 server's first answer with a few of its bytes changed, and then the end.
  package static func damaged(_ certificate: [UInt8], seed: UInt64) -> Self {
    var generator = SeededGenerator(seed: seed)
    var bytes = flight(of: certificate, cipher: [0xC0, 0x2B])
    for _ in 0...generator.below(4) { bytes[generator.below(bytes.count)] = UInt8(generator.below(256)) }
    return Self("damaged \(seed)", [.awaitBytes, .send(bytes)])
  }

  /// ServerHello and Certificate of TLS 1.2.
  private static func flight(of certificate: [UInt8], cipher: [UInt8]) -> [UInt8] {
    let length = { (count: Int) in [UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)] }
    let list = length(certificate.count) + certificate
    let message = [11] + length(list.count + 3) + length(list.count) + list
    return record(22, serverHello(version: [3, 3], cipher: cipher)) + record(22, message)
  }

  /// A record (RFC 8446 section 5.1).
  package static func record(_ type: UInt8, _ content: [UInt8], version: [UInt8] = [3, 3]) -> [UInt8] {
    [type] + version + [UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
  }

  /// A ServerHello as before TLS 1.3, with ECDHE-RSA-AES128-GCM-SHA256 unless another suite is given.
  private static func serverHello(version: [UInt8], cipher: [UInt8] = [0xC0, 0x2F]) -> [UInt8] {
    let renegotiation: [UInt8] = [0, 5, 0xFF, 0x01, 0, 1, 0]
    let body = version + [UInt8](repeating: 7, count: 32) + [0] + cipher + [0] + renegotiation
    return [2, 0, 0, UInt8(body.count)] + body
  }
}
