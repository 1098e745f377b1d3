import Diagnostics
import Foundation
import PinFormat
import PinPolicy
import PinRules
import PinStudies

/// What checking an example found: read, resolved and checked exactly as `pintle check` would.
struct ExampleCheck {
  let diagnostics: [Diagnostic]
  let suppressed: [Diagnostic]
  let sources: SourceSet

  init(_ example: Example, library: AuthorityLibrary = .embedded) throws {
    let (sources, unread) = Self.sources(of: example.files)
    let parsed = PolicyReader.read(sources, unread: unread)
    var policy = try Resolver.resolve(parsed, files: Self.keyFiles)
    policy.library = library
    let baseline = try example.baseline.map(ExampleBaseline.manifest)
    let input = CheckInput(policy: policy, baseline: baseline, at: example.instant)
    let live = try example.observed.map { try ExampleEvidence.live($0, for: input) }
    let rotation = try CheckedPolicy.check(input).checked.flatMap {
      try ExampleRotation(example.released).input(for: $0, at: example.instant) { question in
        question.evidence = try example.observed.map { try ExampleEvidence.evidence($0.file) }
        question.adoption = example.adoption
      }
    }
    var judged = CheckInput(policy: policy, baseline: baseline, live: live, rotation: rotation, at: example.instant)
    (judged.signers, judged.signerNames) = (example.signers, example.signerNames)
    let result = Checker.check(judged)
    self.sources = sources
    diagnostics = result.diagnostics
    suppressed = result.suppressed.map(\.diagnostic)
  }

  /// An example of one file, as tests write it.
  init(_ text: String) throws {
    try self.init(Example(text))
  }

  func diagnostics(of code: String) -> [Diagnostic] { diagnostics.filter { $0.code == code } }

  /// The findings of a code, as people see them.
  func rendered(_ code: String) -> String {
    TextRenderer().render(
      Report(
        diagnostics: diagnostics(of: code), sources: sources, tool: Report.Tool(name: "pintle", version: "0"),
        instant: ""))
  }

  /// `P105 4:3-4:8` for each finding of a code: where it is, with its file where there are several.
  func places(of code: String) -> [String] {
    diagnostics(of: code).map { finding in
      let (start, end) = (finding.place.start, finding.place.end)
      let file = sources.files.count > 1 ? sources[finding.place.file].path + ":" : ""
      return "\(file)\(start.line):\(start.column)-\(end.line == start.line ? "" : "\(end.line):")\(end.column)"
    }
  }

  /// The policy files among an example's files, as a directory is read.
  static func sources(of all: [Example.File]) -> (SourceSet, unread: [PolicyProblem]) {
    let files = all.filter { $0.path.hasSuffix(".yaml") || $0.path.hasSuffix(".yml") }
    let beginning = { (index: Int) in
      Place(file: FileID(index), start: Position(line: 1, column: 1), end: Position(line: 1, column: 2))
    }
    guard !files.isEmpty else {
      // Without a file, the directory itself is the place of what can't be read.
      let sources = SourceSet([SourceSet.File(path: ".", bytes: [])])
      return (sources, [PolicyProblem(.noPolicyFiles, at: beginning(0))])
    }
    // A file that could not be read has no text.
    let sources = SourceSet(files.map { SourceSet.File(path: $0.path, bytes: $0.obstacle == nil ? $0.bytes : []) })
    let unread = sources.files.enumerated().compactMap { index, file in
      files.first { $0.path == file.path }?.obstacle.map { PolicyProblem($0, at: beginning(index)) }
    }
    return (sources, unread)
  }

  /// Key files that examples name are those of `Tests/Fixtures/examples/`.
  static let keyFiles = FileReader(root: "") { path throws(FileReadError) in
    let url = TestFiles.fixtures.appendingPathComponent("examples").appendingPathComponent(path)
    guard let data = try? Data(contentsOf: url) else { throw FileReadError("No such file or directory") }
    return Array(data)
  }
}
