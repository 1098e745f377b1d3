package import PinValidator

/// The way that a client goes from the keyset that it was shipped with to the newest one, a version at a time.
package struct KeysetWalk: Sendable {
  /// A version that is trusted, and the file that it is in.
  package struct Step: Sendable {
    package var path: String
    package var trusted: TrustedKeyset
  }

  /// Where a walk ends before its last file.
  package struct Refusal: Error {
    /// The file that isn't taken.
    package var path: String
    /// The version that stays trusted; nil where the first file is refused.
    package var trusted: TrustedKeyset?
    package var error: KeysetError

    package init(path: String, trusted: TrustedKeyset?, error: KeysetError) {
      self.path = path
      self.trusted = trusted
      self.error = error
    }
  }

  /// The versions, the one that was trusted as shipped first.
  package private(set) var steps: [Step]

  /// Trusts the first file as a client trusts what it was shipped with.
  ///
  /// - Parameters:
  ///   - file: Its bytes.
  ///   - path: Where they were read from.
  ///   - audience: The environment that it must be for; any where nil.
  /// - Throws: ``Refusal``.
  package init(shipped file: [UInt8], path: String, audience: String?) throws(Refusal) {
    do {
      steps = [Step(path: path, trusted: try TrustedKeyset.load(shipped: file, requiredAudience: audience))]
    } catch {
      throw Refusal(path: path, trusted: nil, error: error)
    }
  }

  /// Takes the next file; one that says what the trusted version says changes nothing, as at a client.
  package mutating func take(_ file: [UInt8], path: String) throws(Refusal) {
    let next: TrustedKeyset
    do {
      next = try newest.successor(file)
    } catch {
      throw Refusal(path: path, trusted: newest, error: error)
    }
    if next.version != newest.version { steps.append(Step(path: path, trusted: next)) }
  }

  /// The version that counts.
  package var newest: TrustedKeyset { steps[steps.count - 1].trusted }
}
