import Diagnostics
import PinFormat
import PinPolicy

/// What the rules about keys and key sets ask of a key: found out once, so that a set is judged without looking at each
/// of its keys again.
struct KeyTraits: OptionSet, Hashable, Sendable {
  let rawValue: UInt32

  static let hasPin = KeyTraits(rawValue: 1 << 0)
  static let isDenied = KeyTraits(rawValue: 1 << 1)
  static let hasPosition = KeyTraits(rawValue: 1 << 2)
  /// Its pin was computed from a file.
  static let hasFile = KeyTraits(rawValue: 1 << 3)
  static let hasCertificate = KeyTraits(rawValue: 1 << 4)
  /// It has a CA's certificate.
  static let isCA = KeyTraits(rawValue: 1 << 5)
  static let standsAtLeaf = KeyTraits(rawValue: 1 << 6)
  static let standsInTheMiddle = KeyTraits(rawValue: 1 << 7)
  static let standsAtRoot = KeyTraits(rawValue: 1 << 8)
  /// Its position says root, whatever its file says.
  static let isSaidToBeRoot = KeyTraits(rawValue: 1 << 9)
  /// A request, for a server's certificate as a rule: it says no position.
  static let isPlainRequest = KeyTraits(rawValue: 1 << 10)
  /// A bare pin or a public key may be the root's or a sibling's, unless it says otherwise.
  static let mayBeAnyCA = KeyTraits(rawValue: 1 << 11)
  static let canStandAtLeaf = KeyTraits(rawValue: 1 << 12)
  static let canStandAbove = KeyTraits(rawValue: 1 << 13)
  static let hasCustody = KeyTraits(rawValue: 1 << 14)
  /// Nothing says where it comes from: no file, no custody, no date.
  static let hasNoProvenance = KeyTraits(rawValue: 1 << 15)
  /// A key set names it.
  static let isInSet = KeyTraits(rawValue: 1 << 16)

  init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  init(_ key: borrowing Policy.Key) {
    var traits: KeyTraits = []
    func add(_ trait: KeyTraits, if holds: Bool) { if holds { traits.formUnion(trait) } }
    let position = key.position?.value
    add(.hasPin, if: key.pin != nil)
    add(.isDenied, if: key.isDenied)
    add(.hasPosition, if: position != nil)
    add(.hasCustody, if: key.hasCustody)
    add(.isSaidToBeRoot, if: position == .root)
    if key.material == nil {
      add([.mayBeAnyCA], if: position != .leaf)
      add(.hasNoProvenance, if: !key.hasCustody && key.created == nil)
    } else {
      traits.formUnion(Self.ofFile(key))
    }
    switch key.standing {
    case .leaf: traits.formUnion(.standsAtLeaf)
    case .intermediate: traits.formUnion(.standsInTheMiddle)
    case .root: traits.formUnion(.standsAtRoot)
    case nil: break
    }
    if let position {
      traits.formUnion(position == .leaf ? .canStandAtLeaf : .canStandAbove)
    } else if traits.contains(.hasCertificate) {
      traits.formUnion(traits.contains(.isCA) ? .canStandAbove : .canStandAtLeaf)
    } else {
      traits.formUnion([.canStandAtLeaf, .canStandAbove])
    }
    self = traits
  }

  private static func ofFile(_ key: borrowing Policy.Key) -> KeyTraits {
    guard let material = key.material else { return [] }
    var traits: KeyTraits = .hasFile
    if let certificate = material.certificate {
      traits.formUnion(certificate.isCA ? [.hasCertificate, .isCA] : .hasCertificate)
    } else if material.kind == .request {
      if key.position == nil { traits.formUnion(.isPlainRequest) }
    } else if key.position?.value != .leaf {
      traits.formUnion(.mayBeAnyCA)
    }
    return traits
  }
}

/// The traits of all declared keys, and which of them have the same pin.
struct KeyFacts: Sendable {
  /// By the index in ``Policy/keys``.
  private(set) var traits: [KeyTraits]
  /// Two keys with the same pin have the same number; nil where the pin could not be read.
  let pinNumbers: PinNumbers
  /// The first key that has each pin.
  private let firstKeys: [Pin: Int32]
  /// True where two keys have the same pin.
  let hasSharedPins: Bool

  struct PinNumbers: Sendable {
    fileprivate var numbers: [Int32] = []

    subscript(key: Int) -> Int? { numbers[key] < 0 ? nil : Int(numbers[key]) }
  }

  init(_ policy: Policy) {
    traits = []
    traits.reserveCapacity(policy.keys.count)
    var known: [Pin: Int32] = [:]
    known.reserveCapacity(policy.keys.count)
    var pinNumbers = PinNumbers()
    pinNumbers.numbers.reserveCapacity(policy.keys.count)
    var isShared = false
    let keys = policy.keys.span
    for index in keys.indices {
      traits.append(KeyTraits(keys[index]))
      guard let pin = keys[index].pin else {
        pinNumbers.numbers.append(-1)
        continue
      }
      let earlier = known.updateValue(Int32(index), forKey: pin)
      if let earlier {
        known[pin] = earlier
        isShared = true
      }
      pinNumbers.numbers.append(earlier ?? Int32(index))
    }
    for index in policy.keySets.indices {
      for member in policy.keySets[index].active { traits[member.key].formUnion(.isInSet) }
      for member in policy.keySets[index].backup { traits[member.key].formUnion(.isInSet) }
    }
    self.pinNumbers = pinNumbers
    firstKeys = known
    hasSharedPins = isShared
  }

  /// The keys that have a pin, by their indices.
  func keys(withPin pin: Pin) -> [Int] {
    guard let first = firstKeys[pin] else { return [] }
    return hasSharedPins ? pinNumbers.numbers.indices.filter { pinNumbers.numbers[$0] == first } : [Int(first)]
  }

  /// The keys that have all of the traits and none of the others, by their indices.
  func keys(with wanted: KeyTraits = [], without unwanted: KeyTraits = []) -> [Int] {
    traits.indices.filter { traits[$0].isSuperset(of: wanted) && traits[$0].isDisjoint(with: unwanted) }
  }
}
