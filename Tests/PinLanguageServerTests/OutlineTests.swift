import Diagnostics
import Foundation
import PinPolicy
import PinRules
import TestSupport
import Testing

@testable import PinLanguageServer

@Suite struct OutlineTests {
  /// Where a policy can be read, its outline finds the very names that reading finds.
  @Test func outlineAndReadingAgree() throws {
    var files = Rule.catalogue.flatMap { [$0.failing, $0.passing] }.flatMap(\.files)
      .filter { $0.path.hasSuffix(".yaml") }.map { Array($0.text.utf8) }
    let samples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "policies")
    for name in ["web", "keys", "internal", "devices", "manifest"] {
      files.append(try readFile(samples.appending(path: name + ".yaml").path()))
    }
    var compared = 0
    for bytes in files {
      let (file, problems) = PolicyReader.read(bytes, file: FileID(0))
      guard file.isComplete, problems.isEmpty else { continue }
      let lines = TextLines(bytes)
      let outline = Outline(bytes)
      let inline = file.hosts.compactMap { host -> ParsedKeySet? in
        if case .inline(let set)? = host.keys { set } else { nil }
      }
      let read = (file.keySets + inline).flatMap { $0.active + $0.backup }.map { lines.span(of: $0.place) }
      let seen = words(as: .keyReference, in: outline)
      #expect(Set(read.map(\.lowerBound)) == Set(seen.map(\.lowerBound)), "\(String(decoding: bytes, as: UTF8.self))")
      #expect(
        Set(file.keys.map { lines.span(of: $0.name.place) }) == Set(words(as: .keyName, in: outline)))
      #expect(
        Set(file.hosts.compactMap(\.host).map { lines.span(of: $0.place) })
          == Set(
            words(as: .host, in: outline).filter { span in
              file.hosts.contains { $0.host.map { lines.span(of: $0.place) } == span }
            }))
      compared += read.count + file.keys.count + file.hosts.count
    }
    #expect(compared > 300)
  }

  private func words(as role: FieldRole, in outline: Outline) -> [Range<Int>] {
    outline.nodes.indices.compactMap { index in
      let node = outline.nodes[index]
      if let name = node.name, FieldRole.ofName(at: outline.path(of: index)) == role { return name.span }
      guard let value = node.value, node.kind != .word else { return nil }
      return FieldRole.ofValue(at: outline.path(of: index)) == role ? value.span : nil
    }
  }
}
