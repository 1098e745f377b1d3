import Diagnostics
import PinPolicy

/// Where the values of a resolved policy were written, by their JSON pointers (RFC 6901).
struct PointedPlaces {
  private let document: LocatedJSON?
  private let places: [String: Place]
  /// For each audience, where a finding is about what has no place.
  private let defaults: [Place]

  init(_ text: String, _ book: PlaceBook, _ policies: [Policy]) {
    var limits = LocatedJSON.Limits()
    // It is Pintle's own text, however large the policy is.
    (limits.bytes, limits.values) = (.max, .max)
    document = try? LocatedJSON(Array(text.utf8), limits: limits)
    places = book.places
    defaults = policies.map { $0.settings?.place ?? .beginning(of: FileID(0)) }
  }

  /// The audience that a pointer leads into, and the place of the value; that of what is around it if it has none.
  ///
  /// - Returns: Nil if the pointer leads to no value of an audience.
  func place(of pointer: String) -> (audience: Int, place: Place)? {
    let tokens = pointer.split(separator: "/", omittingEmptySubsequences: false).map(Self.unescaped)
    guard let document, tokens.count > 2, tokens[0] == "", tokens[1] == "audiences",
      let audience = Self.index(tokens[2])
    else { return nil }
    var value = document.root
    var found: Place?
    for token in tokens.dropFirst() {
      guard let token else { return nil }
      if let members = value.members {
        guard let next = members.first(where: { $0.name.text == token }) else { return nil }
        found = self.places(in: value).first { $0.name == token }?.place ?? found
        value = next.value
      } else {
        guard let items = value.items, let index = Self.index(token), index < items.count else { return nil }
        value = items[index]
      }
      // An object is where its first field is, mostly its name.
      found = self.places(in: value).first?.place ?? found
    }
    return (audience, found ?? defaults[audience])
  }

  private func places(in value: LocatedJSON.Value) -> [(name: String, place: Place)] {
    (value["places"]?.members ?? []).compactMap { member in
      member.value.text.flatMap { places[$0] }.map { (member.name.text ?? "", $0) }
    }
  }

  private static func index(_ token: String?) -> Int? {
    guard let token, let index = Int(token), index >= 0, "\(index)" == token else { return nil }
    return index
  }

  /// A part of a pointer as it was before `~` and `/` were escaped; nil for another escape.
  private static func unescaped(_ part: Substring) -> String? {
    let parts = part.split(separator: "~", omittingEmptySubsequences: false)
    guard parts.dropFirst().allSatisfy({ $0.first == "0" || $0.first == "1" }) else { return nil }
    return String(parts[0]) + parts.dropFirst().map { ($0.first == "0" ? "~" : "/") + $0.dropFirst() }.joined()
  }
}
