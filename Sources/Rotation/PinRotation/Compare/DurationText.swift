/// A duration as a policy writes it: `30d`, `12h`, `90s`.
package enum DurationText {
  package static func of(_ seconds: Int64) -> String {
    let units: [(Int64, String)] = [(86_400, "d"), (3_600, "h"), (60, "m")]
    let (size, unit) = units.first { seconds != 0 && seconds % $0.0 == 0 } ?? (1, "s")
    return "\(seconds / size)\(unit)"
  }
}
