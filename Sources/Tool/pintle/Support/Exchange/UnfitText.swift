import Diagnostics
import PinExchange
import PinRules

/// Why a format can't take a list, for people.
enum UnfitText {
  /// All reasons, each with where it holds and what accepting it would mean.
  static func text(_ unfit: UnfitPinList, of format: ExportFormat) -> String {
    var parts = unfit.losses.map { loss in
      switch loss.support {
      case .exact: ""
      case .lost(_, let meaning):
        "\(loss.feature.rawValue): \(loss.feature.title)\n" + line("in " + places(loss.uses))
          + line("if accepted: " + meaning)
      case .refused(let reason):
        "\(loss.feature.rawValue): \(loss.feature.title); it can't be accepted\n" + line("in " + places(loss.uses))
          + line("because: " + reason)
      }
    }
    if !unfit.keyless.isEmpty {
      parts.append(
        "no key left: what was accepted leaves no key to pin\n" + line("in " + places(unfit.keyless)))
    }
    if !unfit.doubled.isEmpty {
      parts.append(
        "two entries left: what was accepted leaves two entries of one host, which can't both hold\n"
          + line("in " + places(unfit.doubled)))
    }
    if unfit.isEmpty, unfit.losses.isEmpty { parts.append("nothing left: what was accepted leaves no host to pin\n") }
    return parts.joined(separator: "\n")
  }

  /// What to do about it.
  static func help(_ wayOut: WayOut) -> String {
    let others = "change the policy, or choose the hosts to export with --host."
    return switch wayOut {
    case .accept(let features):
      "Where that is what you want, accept it: --accept \(features.map(\.rawValue).joined(separator: ",")). "
        + "Otherwise: " + others
    case .none(let reason): "'--accept' doesn't help, because \(reason): " + others
    }
  }

  /// A loss that was accepted, on one line.
  static func line(_ loss: Loss) -> String {
    guard case .lost(_, let meaning) = loss.support else { return loss.feature.rawValue }
    return "\(loss.feature.rawValue) (\(places(loss.uses, atMost: 3))): \(meaning)"
  }

  private static func places(_ uses: [String], atMost limit: Int = 8) -> String {
    let shown = uses.prefix(limit).map { VisibleText.of($0) }.joined(separator: ", ")
    return uses.count > limit ? shown + " and \(uses.count - limit) more" : shown
  }

  private static func line(_ text: String) -> String { "    \(text)\n" }
}

extension Suggestion {
  /// A question to anybody who named a format that there isn't: `Did you mean 'trustkit-ios' or 'trustkit-android'? `,
  /// with a space behind it; nothing where no known name is like it.
  ///
  /// Formats have names of several words, of which people remember one: `trustkit` or `kotlin`.
  static func formats(_ name: String, among known: [String]) -> String {
    let wanted = name.lowercased()
    let related = wanted.count < 3 ? [] : known.filter { $0.contains(wanted) || wanted.contains($0) }
    let near = related.isEmpty ? nearest(to: name, among: known).map { [$0] } ?? [] : related
    guard !near.isEmpty else { return "" }
    return "Did you mean " + near.map { "'\($0)'" }.joined(separator: " or ") + "? "
  }
}
