import PinFormat
package import PinValidator

extension ReleasedManifest {
  /// Orders as clients take releases: by epoch, then by serial; two of one serial by time.
  package static func isBefore(_ one: ReleasedManifest, _ other: ReleasedManifest) -> Bool {
    if one.epoch != other.epoch { return one.epoch < other.epoch }
    if one.serial != other.serial { return (one.serial ?? 0) < (other.serial ?? 0) }
    return one.issued < other.issued
  }

  /// Whether both have the same serial of the same epoch.
  package func isBeside(_ other: ReleasedManifest) -> Bool { (epoch, serial) == (other.epoch, other.serial) }
}

extension [ReleasedManifest] {
  /// The releases that clients of a keyset take one after the other.
  ///
  /// The last one is the newest release, which the next one follows: the newest of the keyset's epoch. Where the keyset
  /// begins an epoch, that is the last release below its minimum serial. Those above it were made with stolen keys.
  ///
  /// - Parameter keyset: The newest keyset; nil where keys are named one by one, and then all count.
  /// - Returns: The releases in order; none where no release is good under the keyset.
  package func line(under keyset: TrustedKeyset?) -> [ReleasedManifest] {
    let sorted = sorted(by: ReleasedManifest.isBefore)
    guard let keyset = keyset?.keyset else { return sorted }
    return sorted.filter { $0.epoch == keyset.serialEpoch || $0.loaded.serial < keyset.minimumSerial }
  }
}

/// The folder of an epoch's releases, among those of its audience: `epoch-2`.
package enum EpochFolder {
  /// The epoch; nil for any other name.
  package static func epoch(_ name: some StringProtocol) -> Int64? {
    let mark = "epoch-"
    guard name.hasPrefix(mark), let epoch = Int64(name.dropFirst(mark.count)), epoch > 0, name == mark + "\(epoch)"
    else { return nil }
    return epoch
  }
}

/// A serial that its signers have withdrawn: nothing is released with it.
///
/// It is a file beside the releases.
package enum WithdrawnSerial {
  package static let suffix = ".withdrawn"

  /// The serial that a file withdraws, by its name; nil for any other file.
  package static func serial(_ name: some StringProtocol) -> Int64? {
    guard name.hasSuffix(suffix), let serial = Int64(name.dropLast(suffix.count)), serial > 0,
      name == "\(serial)" + suffix
    else { return nil }
    return serial
  }

  /// The serial that follows a release; of a keyset's first release, the lowest.
  package static func next(
    after last: ReleasedManifest?, under keyset: TrustedKeyset, without withdrawn: Set<Int64>
  ) -> Int64 {
    next(max((last?.loaded.serial ?? 0) &+ 1, keyset.keyset.minimumSerial), without: withdrawn)
  }

  /// The first serial from one on that isn't withdrawn.
  package static func next(_ serial: Int64, without withdrawn: Set<Int64>) -> Int64 {
    var serial = serial
    while withdrawn.contains(serial) { serial &+= 1 }
    return serial
  }
}
