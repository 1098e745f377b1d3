import PinFormat

/// What to do about a list that a format can't say.
package enum WayOut: Hashable, Sendable {
  /// With these losses accepted besides, it can be written.
  case accept([PolicyFeature])
  /// Whatever is accepted, it can't: a clause that says why.
  case none(String)
}

extension PinList {
  /// Tries out whether accepting helps, so that nobody is sent to do in vain what can't succeed.
  ///
  /// - Parameters:
  ///   - unfit: What is in the way.
  ///   - format: The format.
  ///   - accepted: What is accepted already.
  ///   - write: Writes the files.
  /// - Returns: The losses to accept, those that accepting the first ones brings up included.
  package func wayOut(
    of unfit: UnfitPinList, to format: ExportFormat, accepting accepted: Set<PolicyFeature>,
    write: (FittedPinList) throws(ExchangeError) -> [ExchangedFile]
  ) -> WayOut {
    var unfit = unfit
    var added: Set<PolicyFeature> = []
    while true {
      if let loss = unfit.losses.first(where: { if case .refused = $0.support { true } else { false } }) {
        return .none("'\(loss.feature.rawValue)' can't be accepted")
      }
      let lost = unfit.losses.map(\.feature)
      if lost.isEmpty {
        if unfit.isEmpty { return .none("no host would be left to pin") }
        return .none(
          unfit.keyless.isEmpty
            ? "'\(unfit.doubled.first ?? "")' would have two entries" : "'\(unfit.keyless[0])' would have no key left")
      }
      added.formUnion(lost)
      do {
        _ = try write(fitted(to: format, accepting: accepted.union(added)))
        return .accept(PolicyFeature.allCases.filter(added.contains))
      } catch let next as UnfitPinList {
        unfit = next
      } catch {
        return .none((error as? ExchangeError)?.message ?? "the files could not be written")
      }
    }
  }
}
