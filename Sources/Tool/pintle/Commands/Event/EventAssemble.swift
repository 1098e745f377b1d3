import ArgumentParser
import Diagnostics
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRules

extension EventCommand {
  /// `pintle event assemble`: the files that clients take.
  struct Assemble: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "assemble",
      abstract: "Put drafts and their signatures together, once everything is signed.",
      discussion: """
        Checks everything that 'pintle event status' checks, and writes nothing while anything is missing. Then it writes \
        the signed manifests to the folder 'released' and the signed keysets to 'keysets', under the names of their \
        drafts; the reason of an unsafe release (8.reason) goes with it. A file that is there already is never replaced by \
        another one.

        EXAMPLES:
          pintle event assemble
          pintle event assemble --branch release-8 --base origin/main \\
            --released out --keysets out/keysets
        """)

    @OptionGroup var event: EventOptions

    @Option(
      help: ArgumentHelp(
        "Where to write manifests; 'released' in the repository unless given.", valueName: "folder"),
      completion: .directory)
    var released: String?

    @Option(
      help: ArgumentHelp("Where to write keysets; 'keysets' in the repository unless given.", valueName: "folder"),
      completion: .directory)
    var keysets: String?

    func run() throws {
      let status = try event.status()
      guard status.state == .complete else {
        Console.say(SigningEventText(status).text())
        throw CommandFailure(
          status.state == .rejected ? .refused : .findings, "nothing was written: \(status.headline)",
          help: "'pintle event status' shows what is missing.")
      }
      var files: [OutputFiles.File] = []
      for draft in status.drafts {
        guard let bytes = draft.assembled else { continue }
        let isKeyset = draft.content == .keyset
        var name = String(draft.path.dropFirst(EventPath.folder.count + 1))
        let folder: String
        if let chosen = isKeyset ? keysets : released {
          folder = chosen
        } else {
          // A folder of the repository is a branch's, and may be a link that leads out of it.
          folder = event.repository
          name = (isKeyset ? "keysets/" : "released/") + name
        }
        let path = StarterFiles.join(folder, name)
        try StarterFiles.makeFolders(above: name, in: folder)
        var parts = [(path, bytes)]
        if let reason = draft.whyUnsafe, let place = DraftReason.path(of: path) {
          parts.append((place, Array((reason + "\n").utf8)))
        }
        for (path, bytes) in parts {
          if InputFile.isRegular(path), try Input.read(path, limit: .manifest) == bytes { continue }
          files.append(.new(path, bytes))
        }
      }
      try OutputFiles(files).write()
      for file in files { Console.say("wrote \(VisibleText.of(file.path))") }
      if files.isEmpty { Console.say("everything is there already") }
    }
  }
}
