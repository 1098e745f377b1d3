import Diagnostics

/// Where people read the documentation, which the environment says: findings link there.
enum DocumentationAddress {
  /// Rejects an address that can't be in a link of every format, such as Markdown and HTML.
  ///
  /// - Throws: ``CommandFailure``, with exit status 64.
  static func check() throws(CommandFailure) {
    guard let address = Report.Tool.pintle.reference else { return }
    let scheme = "https://"
    let isPlain = address.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-._~:/%".utf8.contains(byte)
      }
    }
    guard isPlain, address.hasPrefix(scheme), address.utf8.count > scheme.utf8.count else {
      throw CommandFailure(
        .usage, "\(Report.Tool.documentationVariable) is not an address like https://pins.example.com/docs",
        help: "Correct it, or unset it.")
    }
  }
}
