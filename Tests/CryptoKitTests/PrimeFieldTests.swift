#if CryptoKit && canImport(CLibCrypto)
import CLibCrypto
import TestSupport
import Testing

@testable import OpenSSLKit

/// Calculates as libcrypto does, which the other implementation uses.
private struct Libcrypto {
  let context: OpaquePointer

  init() throws {
    context = try #require(BN_CTX_new())
    BN_CTX_start(context)
  }

  func number(_ bytes: [UInt8]) throws -> OpaquePointer {
    let number = try #require(BN_CTX_get(context))
    return try #require(BN_bin2bn(bytes, Int32(bytes.count), number))
  }

  func free() {
    BN_CTX_end(context)
    BN_CTX_free(context)
  }

  func bytes(_ number: OpaquePointer) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 32)
    #expect(BN_bn2binpad(number, &bytes, 32) == 32)
    return bytes
  }
}

/// p of Ed25519's curve and of P-256, big-endian.
private let primes: [[UInt8]] = [
  [0x7F] + Array(repeating: 0xFF, count: 30) + [0xED],
  [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1] + Array(repeating: 0, count: 12) + Array(repeating: 0xFF, count: 12),
]

/// Numbers of 32 bytes below a prime: the least, the greatest, some with words of zeros or ones, and random ones.
private func numbers(below prime: [UInt8], seed: UInt64, _ count: Int) -> [[UInt8]] {
  var generator = SeededGenerator(seed: seed)
  var numbers: [[UInt8]] = (0...3).map { Array(repeating: 0, count: 31) + [$0] }
  for distance in UInt8(1)...3 { numbers.append(prime.dropLast() + [prime[31] - distance]) }
  while numbers.count < count {
    var bytes = generator.bytes(32)
    // Words of zeros or ones are where carries go wrong.
    if generator.once(in: 2) {
      let word = generator.below(4) * 8
      bytes.replaceSubrange(word..<word + 8, with: Array(repeating: generator.once(in: 2) ? 0 : 0xFF, count: 8))
    }
    if bytes.lexicographicallyPrecedes(prime) { numbers.append(bytes) }
  }
  return numbers
}

@Suite("Arithmetic of curves, compared with libcrypto") struct PrimeFieldTests {
  @Test("Sums, differences and products", arguments: primes.indices)
  func arithmetic(index: Int) throws {
    let prime = primes[index]
    let field = PrimeField(prime: UInt256(bigEndian: prime))
    let left = numbers(below: prime, seed: 1, 300)
    let right = numbers(below: prime, seed: 2, 300).reversed()
    for (left, right) in zip(left, right) {
      let libcrypto = try Libcrypto()
      defer { libcrypto.free() }
      let (p, a, b) = try (libcrypto.number(prime), libcrypto.number(left), libcrypto.number(right))
      let result = try libcrypto.number([])
      let (x, y) = (UInt256(bigEndian: left), UInt256(bigEndian: right))
      #expect(BN_mod_add(result, a, b, p, libcrypto.context) == 1)
      #expect(field.add(x, y) == UInt256(bigEndian: libcrypto.bytes(result)))
      #expect(BN_mod_sub(result, a, b, p, libcrypto.context) == 1)
      #expect(field.subtract(x, y) == UInt256(bigEndian: libcrypto.bytes(result)))
      #expect(BN_mod_mul(result, a, b, p, libcrypto.context) == 1)
      #expect(field.multiply(x, y) == UInt256(bigEndian: libcrypto.bytes(result)))
    }
  }

  @Test("Squares", arguments: primes.indices)
  func squares(index: Int) throws {
    let prime = primes[index]
    let field = PrimeField(prime: UInt256(bigEndian: prime))
    var squares = 0
    let all = numbers(below: prime, seed: 3, 1_000)
    for bytes in all {
      let libcrypto = try Libcrypto()
      defer { libcrypto.free() }
      let symbol = BN_kronecker(try libcrypto.number(bytes), try libcrypto.number(prime), libcrypto.context)
      #expect(field.isSquare(UInt256(bigEndian: bytes)) == (symbol == 1))
      if symbol == 1 { squares += 1 }
    }
    #expect((400...600).contains(squares))
  }

  @Test("Points of P-256")
  func p256() throws {
    let group = try #require(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1))
    defer { EC_GROUP_free(group) }
    var found = 0
    for (number, x) in numbers(below: primes[1], seed: 4, 400).enumerated() {
      let libcrypto = try Libcrypto()
      defer { libcrypto.free() }
      let point = try #require(EC_POINT_new(group))
      defer { EC_POINT_free(point) }
      let y = try libcrypto.number([])
      // Half of all x have a point.
      let isPoint =
        EC_POINT_set_compressed_coordinates(
          group, point, try libcrypto.number(x), Int32(number % 2), libcrypto.context) == 1
        && EC_POINT_get_affine_coordinates(group, point, nil, y, libcrypto.context) == 1
      guard isPoint else {
        ERR_clear_error()
        #expect(!isOnP256(ArraySlice(x + x)))
        continue
      }
      found += 1
      let coordinates = x + libcrypto.bytes(y)
      #expect(isOnP256(ArraySlice(coordinates)))
      for place in [0, 31, 32, 63] {
        var other = coordinates
        other[place] ^= 1
        let isStill =
          EC_POINT_set_affine_coordinates(
            group, point, try libcrypto.number(Array(other[..<32])), try libcrypto.number(Array(other[32...])),
            libcrypto.context) == 1
        ERR_clear_error()
        #expect(isOnP256(ArraySlice(other)) == isStill)
      }
    }
    #expect((100...300).contains(found))
    // The same x and y with p added, where that still fits into 32 bytes.
    #expect(!isOnP256(ArraySlice(primes[1] + primes[1])))
    #expect(!isOnP256([]))
  }

  @Test("Public keys of Ed25519: on the curve, reduced, not of small order")
  func ed25519() throws {
    let d = Edwards25519Point.d
    var usable = 0
    for y in numbers(below: primes[0], seed: 5, 1_000) {
      let libcrypto = try Libcrypto()
      defer { libcrypto.free() }
      let (p, u, v) = try (libcrypto.number(primes[0]), libcrypto.number(y), libcrypto.number(d))
      #expect(
        BN_mod_sqr(u, u, p, libcrypto.context) == 1 && BN_mod_mul(v, v, u, p, libcrypto.context) == 1
          && BN_add_word(v, 1) == 1 && (BN_is_zero(u) == 1 ? BN_copy(u, p) != nil : true) && BN_sub_word(u, 1) == 1
          && BN_mod_mul(u, u, v, p, libcrypto.context) == 1)
      let isOnCurve = BN_kronecker(u, p, libcrypto.context) == 1
      for sign in [UInt8(0), 0x80] {
        var key = Array(y.reversed())
        key[31] |= sign
        let point = try Edwards25519Point(ArraySlice(key))
        if point == .smallOrder { continue }
        #expect((point == .usable) == isOnCurve)
        if isOnCurve { usable += 1 }
      }
    }
    #expect((800...1_200).contains(usable))
    // y = p to p + 18 are names of 0 to 18.
    for more in UInt8(0)...18 {
      #expect(try Edwards25519Point([0xED + more] + Array(repeating: 0xFF, count: 30) + [0x7F]) == .otherForm)
    }
    #expect(try Edwards25519Point([1] + Array(repeating: 0, count: 31)) == .smallOrder)
  }

  @Test("Signatures of Ed25519: S below the order, R reduced, 64 bytes")
  func signatureForms() {
    let order: [UInt8] =
      [0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14]
      + Array(repeating: 0, count: 15) + [0x10]
    let below = [order[0] - 1] + order.dropFirst()
    let reduced: [UInt8] = [0xEC] + Array(repeating: 0xFF, count: 30) + [0x7F]
    #expect(isCanonicalEd25519Signature(reduced + below))
    #expect(isCanonicalEd25519Signature(reduced.dropLast() + [0xFF] + below), "the highest bit is the sign of x")
    #expect(isCanonicalEd25519Signature(Array(repeating: 0, count: 64)))
    #expect(!isCanonicalEd25519Signature(reduced + order))
    #expect(!isCanonicalEd25519Signature(reduced + below.dropLast() + [0x11]))
    #expect(!isCanonicalEd25519Signature([0xED] + reduced.dropFirst() + below))
    #expect(!isCanonicalEd25519Signature(reduced + below + [0]))
    #expect(!isCanonicalEd25519Signature(reduced + below.dropLast()))
    #expect(!isCanonicalEd25519Signature([]))
  }
}
#endif
