import Diagnostics
import PinExchange
import PinFormat
import PinPolicy
import PinStudies

/// Files of other tools, and the policy that is made of them.
///
/// The first line names the format; the files follow, with a zero byte between two of them.
enum ImportTarget {
  private static let instant = Instant(secondsSinceEpoch: 1_795_219_200)

  static func run(_ bytes: [UInt8]) {
    // In every format: any text may contain pins.
    let found = FoundPins(in: bytes, file: FileID(0))
    for place in found.pins.map(\.place) + found.unread.map(\.place) {
      promise(place.start < place.end, "a pin that was found has a place")
    }
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return }
    let name = String(decoding: bytes[..<end], as: UTF8.self)
    guard let format = ImportFormat.all.first(where: { $0.name == name }) else { return }
    let files = bytes[(end + 1)...].split(separator: 0, omittingEmptySubsequences: false).map {
      ExchangedFile(name: "file", bytes: Array($0))
    }
    guard format.files.contains(files.count) else { return }
    let settings = ImportSettings(at: instant)
    guard let imported = try? format.read(files, settings) else { return }
    for finding in imported.findings {
      promise(Int(finding.place.file.index) < files.count, "a finding is in a file that was given")
      promise(finding.place.start < finding.place.end, "a finding has a place")
    }
    let draft = ImportDraft(
      imported,
      ImportDraft.Settings(
        at: instant, reviewBy: instant.adding(seconds: 86_400), files: files.map(\.name), format: format.title))
    guard draft.list.hosts.contains(where: { $0.mode != .off }) else { return }
    let text = PolicyWriter.write(draft)
    let (file, problems) = PolicyReader.read(text.bytes, file: FileID(0))
    promise(problems.isEmpty, "what is written is a policy")
    promise(file.hosts.count == draft.list.hosts.count, "every host is in it")
    promise(Set(file.keys.map(\.name.value)).count == file.keys.count, "names stand once")
  }
}
