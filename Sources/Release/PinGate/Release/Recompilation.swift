package import PinFormat
import PinPolicy
package import PinRelease
import PinRotation
import PinRules

/// What a released manifest's sources compile to now, beside what it says.
package struct Recompilation: Sendable {
  /// What the sources compile to, with the serial, the dates and the origin that the released manifest states.
  package let manifest: Manifest
  /// The digest of the sources that were compiled.
  package let sources: SHA256Digest
  /// Where the signed bytes first differ; nil where they are equal.
  package let firstDifference: Difference?
  /// The fields of the manifest that differ, in the order of the bytes.
  package let fields: [String]

  /// A place at which two manifests differ.
  package struct Difference: Hashable, Sendable {
    /// The number of signed bytes before it.
    package var offset: Int
    /// What is there in the released manifest, and in the compiled one: a few bytes around it.
    package var released: String
    package var compiled: String
  }
}

extension CheckedPolicy {
  /// Compiles a policy as the one that a manifest names as its sources.
  ///
  /// All that a release is given beside its policy is taken from the manifest, the compiler's name included, so that the
  /// same sources give the same bytes.
  ///
  /// - Parameters:
  ///   - stated: What the manifest says.
  ///   - signedBytes: Its signed bytes, or those to sign.
  /// - Returns: The result, compared byte for byte.
  /// - Throws: ``LoweringError`` where the policy makes no manifest.
  package func recompiled(
    as stated: Manifest, _ signedBytes: some Collection<UInt8>
  ) throws(LoweringError) -> Recompilation {
    var compiled = try lowered(
      as: Release(
        serial: stated.serial, issued: stated.issued, previous: stated.previous, commit: stated.provenance.commit,
        compiler: stated.provenance.compiler, drasticChange: stated.drasticChange))
    let bytes = compiled.signedBytes()
    let difference = Recompilation.Difference(between: Array(signedBytes), bytes)
    // The sources are compared separately from what was compiled from them.
    let sources = compiled.provenance.sources
    compiled.provenance.sources = stated.provenance.sources
    return Recompilation(
      manifest: compiled, sources: sources, firstDifference: difference,
      fields: Recompilation.fieldsThatDiffer(stated, compiled))
  }
}

extension Recompilation {
  fileprivate static func fieldsThatDiffer(_ one: Manifest, _ other: Manifest) -> [String] {
    let lists = [
      ("certificates", one.certificates == other.certificates), ("hosts", one.hosts == other.hosts),
      ("key-sets", one.keySets == other.keySets), ("keys", one.keys == other.keys),
    ]
    let fields = HeaderField.allCases.filter { one[$0] != other[$0] }.map(\.rawValue)
    return (fields + lists.filter { !$0.1 }.map(\.0)).sorted { $0.precedes($1) }
  }
}

extension Recompilation.Difference {
  /// Bytes that are shown before and after a difference.
  private static let context = (before: 24, after: 40)

  init?(between released: [UInt8], _ compiled: [UInt8]) {
    let common = zip(released, compiled).prefix { $0 == $1 }.count
    guard common < max(released.count, compiled.count) else { return nil }
    func excerpt(_ bytes: [UInt8]) -> String {
      let shown = max(0, common - Self.context.before)..<min(bytes.count, common + Self.context.after)
      return String(decoding: bytes[shown], as: UTF8.self)
    }
    self.init(offset: common, released: excerpt(released), compiled: excerpt(compiled))
  }
}
