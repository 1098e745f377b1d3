import CLibC

/// What the operating system refused to do with a file.
package struct FileError: Error, Hashable, Sendable {
  /// What was tried, as a verb: `read`, `write`.
  package var action: String
  package var path: String
  /// The system's error number: `EFBIG` for a file that is too long, `EINVAL` for what isn't a regular file.
  package var number: Int32
  package var detail: String

  /// Takes the reason from `errno`, which must not have been touched since the failing call.
  init(_ action: String, _ path: String, number: Int32 = pintle_errno()) {
    self.action = action
    self.path = path
    self.number = number
    detail = String(cString: strerror(number))
  }

  init(_ action: String, _ path: String, number: Int32 = EINVAL, detail: String) {
    self.action = action
    self.path = path
    self.number = number
    self.detail = detail
  }

  /// `can't read 'x': No such file or directory`.
  package var message: String { "can't \(action) '\(path)': \(detail)" }
}
