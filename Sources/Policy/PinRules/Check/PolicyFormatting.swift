package import Diagnostics
import OpenSSLKit
import PinFormat
package import PinPolicy

/// Policy files as they are, and as they are laid out.
package struct Formatting {
  /// The files that change.
  package private(set) var changed = RewrittenFiles([])
  /// Of standard input, its text in the layout; nil where that can't be had.
  package private(set) var input: [UInt8]?
  /// The gravest of what was left alone; nil for nothing.
  package private(set) var trouble: WorkFailure.Kind?
  /// The messages about files that were left alone.
  package private(set) var remarks: [String] = []

  /// Formats files, and the policy files of directories and their tests.
  package init(_ paths: [String]) throws(WorkFailure) {
    var files: [RewrittenFiles.File] = []
    var seen: Set<String> = []
    let directories: [PolicyDirectory]
    do {
      directories = try PolicyDirectory.loadEach(paths)
    } catch {
      throw WorkFailure(.failed, error.message, help: "Name directories that hold policy files, or such files.")
    }
    for directory in directories {
      let parsed = PolicyReader.read(directory.sources, unread: directory.problems)
      let findings = Self.findings(in: try Self.resolved(parsed))
      for id in directory.sources.ids where directory.asked?.contains(id) ?? true {
        let source = directory.sources[id]
        guard seen.insert(source.path).inserted else { continue }
        guard let text = format(source, findings[id] ?? [], of: directory.sources) else { continue }
        files.append(RewrittenFiles.File(path: source.path, before: source.bytes, after: text))
      }
      for path in directory.tests where directory.askedTests?.contains(path) ?? true {
        let shown = directory.files.root + path
        guard seen.insert(shown).inserted else { continue }
        let bytes: [UInt8]
        do { bytes = try directory.files.read(path) } catch {
          trouble = .failed
          remarks.append("pintle: error: can't read \(VisibleText.of(shown)): \(error.reason)\n")
          continue
        }
        let sources = SourceSet([SourceSet.File(path: shown, bytes: bytes)])
        let findings = Self.findings(in: try Self.resolved(PolicyReader.read(sources))).values.first ?? []
        guard let text = format(sources[FileID(0)], findings, of: sources) else { continue }
        files.append(RewrittenFiles.File(path: shown, before: bytes, after: text))
      }
    }
    changed = RewrittenFiles(files)
  }

  /// Formats one text.
  package init(input bytes: [UInt8]) throws(WorkFailure) {
    let sources = SourceSet([SourceSet.File(path: "standard input", bytes: bytes)])
    let findings = Self.findings(in: try Self.resolved(PolicyReader.read(sources)))
    guard let id = sources.ids.first, let text = format(sources[id], findings[id] ?? [], of: sources) else { return }
    input = text
    changed = RewrittenFiles([RewrittenFiles.File(path: sources[id].path, before: bytes, after: text)])
  }

  /// A policy from its texts alone: no key file is read.
  private static func resolved(_ parsed: ParsedPolicy) throws(WorkFailure) -> Policy {
    do {
      return try Resolver.resolve(
        parsed,
        files: FileReader(root: "") { _ throws(FileReadError) in throw FileReadError("it isn't looked at") })
    } catch {
      throw WorkFailure(.failed, "libcrypto could not work: \(error.message)")
    }
  }

  private mutating func format(
    _ source: SourceSet.File, _ findings: [Diagnostic], of sources: SourceSet
  ) -> [UInt8]? {
    if findings.isEmpty || findings.allSatisfy({ $0.code == Rule.invalidYAML.code }) {
      do {
        return try PolicyFormat.format(source.bytes)
      } catch .unfaithful {
        trouble = .failed
        remarks.append(
          "pintle: error: \(VisibleText.of(source.path)) would not say the same in the layout; it was left alone\n"
            + "help: Lay out by hand what is unusual in it: a comment inside of a value, a list in several lines.\n")
        return nil
      } catch {}
    }
    if trouble == nil { trouble = .findings }
    let report = Report(
      diagnostics: findings, sources: sources, tool: .pintle, instant: "")
    remarks.append(
      findings.isEmpty
        ? "pintle: error: \(VisibleText.of(source.path)) is not a policy file; it was left unchanged\n"
        : TextRenderer().findings(report))
    return nil
  }

  /// What keeps files from being read as YAML.
  private static func findings(in policy: Policy) -> [FileID: [Diagnostic]] {
    let syntax: [Rule] = [
      .unreadableFile, .invalidEncoding, .invalidYAML, .unsupportedYAML, .fileTooLarge, .noPolicyFiles,
    ]
    let found = Checker.check(CheckInput(policy: policy, at: .earliest), rules: syntax).diagnostics
    return Dictionary(grouping: found, by: \.place.file)
  }
}
