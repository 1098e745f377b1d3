#if CryptoKit
/// Arithmetic modulo an odd prime of at most 256 bits: what it takes to check that a point is on its curve.
///
/// Only public keys get here, so it may take a time that depends on them. A multiplication adds and doubles bit by bit,
/// since a key is checked once in the life of a process.
struct PrimeField {
  let prime: UInt256

  /// The sum of two numbers below the prime.
  func add(_ left: UInt256, _ right: UInt256) -> UInt256 {
    let (sum, carry) = left.adding(right)
    return carry || sum >= prime ? sum.subtracting(prime) : sum
  }

  /// The difference of two numbers below the prime.
  func subtract(_ left: UInt256, _ right: UInt256) -> UInt256 {
    left >= right ? left.subtracting(right) : left.adding(prime.subtracting(right)).sum
  }

  /// The product of two numbers below the prime.
  func multiply(_ left: UInt256, _ right: UInt256) -> UInt256 {
    var product = UInt256(0)
    for place in (0..<256).reversed() {
      product = add(product, product)
      if right.hasBit(place) { product = add(product, left) }
    }
    return product
  }

  /// Whether a number below the prime is the square of another than zero: its Jacobi symbol is 1.
  ///
  /// The binary form of the algorithm (Cohen, A Course in Computational Algebraic Number Theory, algorithm 1.4.10), which
  /// only subtracts and halves.
  func isSquare(_ number: UInt256) -> Bool {
    var (upper, lower, isPositive) = (number, prime, true)
    guard upper != UInt256(0) else { return false }
    while true {
      while !upper.hasBit(0) {
        upper = upper.halved()
        // 2 is a square modulo numbers that are 1 or 7 modulo 8.
        if lower.hasBit(1) != lower.hasBit(2) { isPositive.toggle() }
      }
      if upper < lower {
        (upper, lower) = (lower, upper)
        // Quadratic reciprocity.
        if upper.hasBit(1), lower.hasBit(1) { isPositive.toggle() }
      }
      if upper == lower { return isPositive && lower == UInt256(1) }
      upper = upper.subtracting(lower)
    }
  }
}

/// A number of 256 bits, as four words, the lowest first.
struct UInt256: Equatable, Comparable {
  private var words: SIMD4<UInt64>

  init(_ small: UInt64) {
    words = [small, 0, 0, 0]
  }

  /// Reads 32 bytes, the highest first.
  init(bigEndian bytes: some Collection<UInt8>) {
    words = .zero
    for (place, byte) in bytes.enumerated() { words[3 - place / 8] |= UInt64(byte) << UInt64(56 - place % 8 * 8) }
  }

  static func < (left: UInt256, right: UInt256) -> Bool {
    for place in (0..<4).reversed() where left.words[place] != right.words[place] {
      return left.words[place] < right.words[place]
    }
    return false
  }

  func hasBit(_ place: Int) -> Bool { words[place / 64] >> UInt64(place % 64) & 1 == 1 }

  /// The sum without its 257th bit, and whether there is one.
  func adding(_ other: UInt256) -> (sum: UInt256, carry: Bool) {
    var (sum, carry) = (self, false)
    for place in 0..<4 {
      let (partial, first) = words[place].addingReportingOverflow(other.words[place])
      let (whole, second) = partial.addingReportingOverflow(carry ? 1 : 0)
      (sum.words[place], carry) = (whole, first || second)
    }
    return (sum, carry)
  }

  /// The difference modulo 2^256.
  func subtracting(_ other: UInt256) -> UInt256 {
    var (difference, borrow) = (self, false)
    for place in 0..<4 {
      let (partial, first) = words[place].subtractingReportingOverflow(other.words[place])
      let (whole, second) = partial.subtractingReportingOverflow(borrow ? 1 : 0)
      (difference.words[place], borrow) = (whole, first || second)
    }
    return difference
  }

  func halved() -> UInt256 {
    var half = self
    for place in 0..<4 {
      half.words[place] = words[place] >> 1 | (place < 3 ? words[place + 1] << 63 : 0)
    }
    return half
  }
}
#endif
