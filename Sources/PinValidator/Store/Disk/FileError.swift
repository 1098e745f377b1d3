import CLibC

/// What the operating system refused to do with a file.
package struct FileError: Error, Hashable, Sendable {
  /// What was tried, as a verb: `read`, `write`.
  package var action: String
  package var path: String
  /// The system's error number; 0 where the refusal is Pintle's own and `detail` says why.
  package var number: Int32
  package var detail: String

  /// Takes the reason from `errno`, which must not have been touched since the failing call.
  init(_ action: String, _ path: String, number: Int32 = pintle_errno()) {
    self.action = action
    self.path = path
    self.number = number
    detail = String(cString: strerror(number))
  }

  init(_ action: String, _ path: String, detail: String) {
    self.action = action
    self.path = path
    number = 0
    self.detail = detail
  }

  /// `can't read 'x': No such file or directory`.
  package var message: String { "can't \(action) '\(path)': \(detail)" }
}
