package import Diagnostics
import PinFormat
import PinPolicy
import PinValidator

/// Why an unsafe release was built, in a file beside it or its draft: `8.reason` beside `8.json`.
///
/// It isn't signed, and anybody who can write the folder can write it: it explains, and permits nothing.
package enum DraftReason {
  /// The most bytes of a reason.
  package static let maximumBytes = 1_024

  /// Where the reason of a draft is; nil where the draft's name doesn't end in `.json`.
  package static func path(of draft: String) -> String? {
    draft.hasSuffix(".json") ? draft.dropLast(5) + EventPath.reason : nil
  }

  /// A reason as it may be written: one line, without characters that can't be seen; nil for anything else.
  package static func text(_ bytes: [UInt8]) -> String? {
    let line = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
    guard let text = String(validating: line, as: UTF8.self), (1...maximumBytes).contains(text.utf8.count),
      VisibleText.of(text) == text
    else { return nil }
    return text
  }

  /// The reason beside a draft on disk; nil where there is none.
  ///
  /// - Throws: ``WorkFailure`` where the file can't be read, or isn't one line of visible text.
  package static func read(besides draft: String) throws(WorkFailure) -> String? {
    guard let path = path(of: draft), FileIdentity(ofLink: path) != nil else { return nil }
    let bytes = try InputFile.read(path, limit: maximumBytes + 1)
    guard let text = text(bytes) else {
      throw WorkFailure(
        .failed,
        "'\(VisibleText.of(path))' is not a reason: it has to be one line of visible text, at most "
          + "\(maximumBytes) bytes", help: "Remove it, and build the draft again.")
    }
    return text
  }
}
