/// Words of commands that people copy.
package enum ShellWord {
  /// A text as a POSIX shell takes it for one word: as it is, or in single quotes.
  package static func of(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || "-_./:=@,+%".utf8.contains(byte)
      }
    return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
