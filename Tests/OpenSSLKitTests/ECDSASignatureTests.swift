import OpenSSLKit
import Testing

/// Of the many ways to write an ECDSA signature only the one DER form is taken.
@Suite struct ECDSASignatureTests {
  private static let order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
  ]

  @Test func refusesOtherEncodings() throws {
    let key = try PrivateKey(generating: .ecdsaP256)
    let publicKey = try key.publicKey()
    let message = Array("a message".utf8)
    let (r, s) = try numbers(of: key.sign(message))
    let whole = sequence([integer(r), integer(s)])
    #expect(try publicKey.isValid(signature: whole, for: message))

    let others: [(String, [UInt8])] = [
      ("a byte behind the sequence", whole + [0]),
      ("a byte inside the sequence", sequence([integer(r), integer(s), [0]])),
      ("a third number", sequence([integer(r), integer(s), integer([1])])),
      ("one number", sequence([integer(r)])),
      ("a leading zero byte on r", sequence([[0x02, UInt8(signed(r).count + 1), 0] + signed(r), integer(s)])),
      ("a leading zero byte on s", sequence([integer(r), [0x02, UInt8(signed(s).count + 1), 0] + signed(s)])),
      ("the length in the long form", [0x30, 0x81, UInt8(whole.count - 2)] + whole.dropFirst(2)),
      ("an indefinite length", [0x30, 0x80] + whole.dropFirst(2) + [0, 0]),
      ("an octet string in place of r", sequence([[0x04] + integer(r).dropFirst(), integer(s)])),
      ("r as zero", sequence([integer([0]), integer(s)])),
      ("s as zero", sequence([integer(r), integer([0])])),
      ("r as n", sequence([integer(Self.order), integer(s)])),
      ("s as n", sequence([integer(r), integer(Self.order)])),
      ("r and s as n", sequence([integer(Self.order), integer(Self.order)])),
      ("s as n + s, where that fits", sequence([integer(r), integer(sum(Self.order, s))])),
      ("a negative r", sequence([[0x02, 0x01, 0x80], integer(s)])),
      ("an empty r", sequence([[0x02, 0x00], integer(s)])),
      ("raw r and s", padded(r) + padded(s)),
      ("nothing", []),
    ]
    for (name, signature) in others {
      #expect(try !publicKey.isValid(signature: signature, for: message), "\(name)")
    }
  }

  /// Every length cut off, since a short signature must never be read beyond its end.
  @Test func refusesCutSignatures() throws {
    let key = try PrivateKey(generating: .ecdsaP256)
    let signature = try key.sign([1, 2, 3])
    let publicKey = try key.publicKey()
    for count in 0..<signature.count {
      #expect(try !publicKey.isValid(signature: Array(signature.prefix(count)), for: [1, 2, 3]))
    }
  }

  private func numbers(of signature: [UInt8]) throws -> ([UInt8], [UInt8]) {
    let first = Int(signature[3])
    let second = Int(signature[5 + first])
    let r = signature[4..<(4 + first)].drop { $0 == 0 }
    let s = signature[(6 + first)..<(6 + first + second)].drop { $0 == 0 }
    return (Array(r), Array(s))
  }

  private func signed(_ number: [UInt8]) -> [UInt8] { number.first.map { $0 >= 0x80 } == true ? [0] + number : number }
  private func integer(_ number: [UInt8]) -> [UInt8] { [0x02, UInt8(signed(number).count)] + signed(number) }
  private func padded(_ number: [UInt8]) -> [UInt8] { Array(repeating: 0, count: 32 - number.count) + number }

  private func sequence(_ parts: [[UInt8]]) -> [UInt8] {
    let body = Array(parts.joined())
    return [0x30, UInt8(body.count)] + body
  }

  private func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    var carry = 0
    var digits: [UInt8] = []
    for (a, b) in zip(padded(left).reversed(), padded(right).reversed()) {
      let total = Int(a) + Int(b) + carry
      digits.append(UInt8(total & 0xFF))
      carry = total >> 8
    }
    if carry > 0 { digits.append(1) }
    return digits.reversed()
  }
}
