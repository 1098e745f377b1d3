package import Diagnostics
package import Foundation
package import PinPolicy

/// The key files of `Tests/Fixtures/examples`, and policies written in a test beside them.
package enum ExampleFiles {
  package static let directory = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fixtures/examples").standardized

  package static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: directory.appending(path: path)))
  }

  /// Reads fixtures, and before them what a test adds.
  package static func reader(adding files: [String: [UInt8]] = [:], root: String = "") -> FileReader {
    FileReader(root: root) { path throws(FileReadError) in
      if let bytes = files[path] { return bytes }
      guard let bytes = try? bytes(path) else { throw FileReadError("it doesn't exist") }
      return bytes
    }
  }

  /// Resolves policies given by path and text.
  package static func resolve(
    _ policies: [String: String], adding files: [String: [UInt8]] = [:], root: String = "", for audience: String? = nil
  ) throws -> Policy {
    let sources = policies.map { SourceSet.File(path: root + $0.key, bytes: Array($0.value.utf8)) }
    return try Resolver.resolve(
      PolicyReader.read(SourceSet(sources)), files: reader(adding: files, root: root), for: audience)
  }

  /// Resolves one policy file of any bytes.
  package static func resolve(_ bytes: [UInt8]) throws -> Policy {
    let sources = SourceSet([SourceSet.File(path: "policy.yaml", bytes: bytes)])
    return try Resolver.resolve(PolicyReader.read(sources), files: reader())
  }

  /// Resolves one policy file, `policy.yaml`, whose first line is `version: 1`.
  package static func resolve(_ text: String, adding files: [String: [UInt8]] = [:]) throws -> Policy {
    try resolve(["policy.yaml": "version: 1\nmanifest: { audience: test }\n" + text], adding: files)
  }
}

/// A policy's problems as `line:column-column kind`, in order.
package func describe(_ policy: Policy) -> [String] {
  policy.problems.map { problem in
    let related = problem.related.map { " <- " + describe($0) } ?? ""
    return "\(describe(problem.place)) \(problem.kind)\(related)"
  }
}

package func describe(_ place: Place) -> String {
  let end = place.end.line == place.start.line ? "" : "\(place.end.line):"
  return "\(place.start.line):\(place.start.column)-\(end)\(place.end.column)"
}
