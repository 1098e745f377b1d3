import Diagnostics
import PinExchange
import PinPolicy

/// Settings of tools that renew certificates, the record of what they say, and the counts of a collector.
///
/// The first line is the name of the file; its bytes follow.
enum RenewalTarget {
  static func run(_ bytes: [UInt8]) {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return }
    let content = Array(bytes[(end + 1)...])
    if let record = try? RenewalRecord(reading: content) {
      let text = record.json
      let again = try? RenewalRecord(reading: Array(text.utf8))
      promise(again?.json == text, "what was read can be written and read")
    }
    if let record = try? AdoptionRecord(reading: content) {
      for audience in record.audiences {
        let days = record.adoption(of: audience).days
        promise(days.allSatisfy { $0.all > 0 && $0.end > $0.begin }, "each day has senders")
      }
    }
    let name = String(decoding: bytes[..<end], as: UTF8.self)
    // In a folder that doesn't exist, so that no certificate is found beside it.
    let path = "no-such-folder/renewal/" + name.filter { $0 != "/" && $0 != "\0" }
    let found = RenewalFiles(reading: content, path: path)
    promise(found.files.count == 1 || found.settings.isEmpty, "a file counts if it has settings")
    for setting in found.settings {
      promise(setting.place.start < setting.place.end, "a setting has a place")
      promise(!setting.reason.isEmpty, "a setting has a reason")
      if case .unknown(let why, let help) = setting.names {
        promise(!why.isEmpty && !help.isEmpty, "what isn't known has a reason and a help")
      }
    }
  }
}
