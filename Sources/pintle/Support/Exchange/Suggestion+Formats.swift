import Diagnostics
import PinRules

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
