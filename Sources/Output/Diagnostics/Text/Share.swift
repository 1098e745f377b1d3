/// A part of a whole in words.
package enum Share {
  /// `0.4 %`, `12 %`, `less than 0.1 %`; rounded down, so that only all of it is `100 %`.
  ///
  /// - Parameters:
  ///   - count: The part, which isn't more than the whole.
  ///   - all: The whole; with 0, the share is `0 %`.
  /// - Returns: The words.
  package static func text(_ count: Int64, of all: Int64) -> String {
    guard all > 0, count > 0 else { return "0 %" }
    let (high, low) = min(count, all).multipliedFullWidth(by: 1_000)
    let tenths = all.dividingFullWidth((high, low)).quotient
    if tenths == 0 { return "less than 0.1 %" }
    return tenths % 10 == 0 || tenths >= 100 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
  }

  /// A number as people read it: groups of three digits.
  package static func number(_ value: Int64) -> String {
    let digits = Array(String(value.magnitude))
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return (value < 0 ? "−" : "") + text
  }
}
