import Diagnostics
import Foundation
import PinExchange
import PinPolicy
import PolicySupport
import TestSupport

/// Files of certificate tools in a folder, and what is read of them.
struct RenewalScene {
  let folder: TemporaryDirectory

  init(_ files: [String: String], certificates: [String] = []) throws {
    folder = try TemporaryDirectory()
    for (path, text) in files { try folder.write(text, to: path) }
    for path in certificates { try folder.write(try Self.certificate(), to: path) }
  }

  /// A certificate for `api.example.com` and `www.example.com`.
  private static func certificate() throws -> String {
    String(decoding: try ExampleFiles.bytes("keys/api.pem"), as: UTF8.self)
  }

  func link(_ path: String, to target: String) throws {
    let link = folder.path(path)
    let parent = URL(filePath: link).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
  }

  func read(_ paths: [String] = [""]) throws -> RenewalFiles {
    try RenewalFiles(below: paths.map { $0.isEmpty ? folder.path : folder.path($0) }, except: [], firstFile: 0)
  }

  /// A line for each setting: `certbot new-key api.example.com:10 a.example.com b.example.com`.
  func lines(_ paths: [String] = [""]) throws -> [String] { Self.lines(try read(paths)) }

  /// The same for whole paths.
  func lines(at paths: [String]) throws -> [String] {
    Self.lines(try RenewalFiles(below: paths, except: [], firstFile: 0))
  }

  private static func lines(_ found: RenewalFiles) -> [String] {
    found.settings.map { setting in
      let names =
        switch setting.names {
        case .known(let names): names.joined(separator: " ")
        case .authority(let name): "CA " + (name ?? "?")
        case .unknown(let why, _): "? " + why
        }
      return "\(setting.tool.rawValue) \(setting.answer.rawValue) \(setting.place.start.line) \(names)"
    }
  }
}
