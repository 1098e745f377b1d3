#if Service
/// The URLs of a mirror's keysets, with a place for the number of each.
struct KeysetTemplate: Hashable, Sendable {
  /// What is in the text for the number.
  static let placeholder = "{version}"
  private let text: String
  /// The template as logs show it: without its query, which may hold a secret.
  var shown: String { text.firstIndex(of: "?").map { String(text[..<$0]) } ?? text }
  private let allowsPlainHTTP: Bool

  /// Reads a template such as `https://pins.example.com/keysets/{version}.keyset.json`.
  ///
  /// - Parameters:
  ///   - text: The URL with its placeholder.
  ///   - allowsPlainHTTP: Whether `http` is taken.
  /// - Throws: ``AddressError`` saying what is wrong with it.
  init(_ text: String, allowsPlainHTTP: Bool) throws(AddressError) {
    self.text = text
    self.allowsPlainHTTP = allowsPlainHTTP
    let parts = text.split(separator: Self.placeholder, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw AddressError(
        parts.count < 2
          ? "has no \(Self.placeholder), which stands for the number of a keyset"
          : "has more than one \(Self.placeholder)")
    }
    guard !parts.contains(where: { $0.contains("{") || $0.contains("}") }) else {
      throw AddressError("has braces besides those of \(Self.placeholder)")
    }
    // The version may change the path, but not the host or port.
    let first = try address(of: 1)
    guard let last = try? address(of: .max), last.host == first.host, last.port == first.port else {
      throw AddressError("has \(Self.placeholder) outside of its path and its query")
    }
  }

  /// The URL of a version.
  func address(of version: Int64) throws(AddressError) -> WebAddress {
    try WebAddress(text.replacing(Self.placeholder, with: "\(version)"), allowsPlainHTTP: allowsPlainHTTP)
  }
}
#endif
