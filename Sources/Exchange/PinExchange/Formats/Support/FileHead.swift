import Diagnostics
import PinFormat

extension FittedPinList {
  /// The most hosts or keys that a line of a comment names.
  private static let namesShown = 8

  /// What is at the head of a file that is written: where it comes from, that it isn't to be edited, and what was
  /// lost on the way; lines without the marks of a comment, and without anything that could end one.
  ///
  /// A backslash is spelled out too, because Java reads Unicode escapes inside comments (JLS section 3.3).
  ///
  /// - Parameters:
  ///   - subject: What the file holds: `Public-key pins for OkHttp`.
  ///   - notes: What else a reader has to know of such files, line by line.
  /// - Returns: The lines.
  func head(_ subject: String, notes: [String] = []) -> [String] {
    var lines = [subject + (list.origin.map { ": " + $0 } ?? "") + "."]
    lines.append("Written by pintle. Do not edit: change the policy, and export it again.")
    lines += notes
    if !losses.isEmpty {
      lines += ["", "What the policy says and this file does not, accepted when it was written:"]
      for loss in losses {
        guard case .lost(_, let meaning) = loss.support else { continue }
        lines.append("- \(loss.feature.rawValue) (\(Self.names(loss.uses))): \(meaning)")
      }
    }
    return lines.map(Self.harmless)
  }

  private static func names(_ uses: [String]) -> String {
    let shown = uses.prefix(namesShown).joined(separator: ", ")
    return uses.count > namesShown ? shown + " and \(uses.count - namesShown) more" : shown
  }

  /// Text that ends no comment, in any of the languages.
  static func harmless(_ text: String) -> String {
    VisibleText.of(text).replacing("\\", with: "<U+005C>").replacing("*/", with: "* /")
  }
}
