import Diagnostics
import Foundation
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinStudies
import PolicySupport
import ReleaseSupport
import TestSupport
import Testing

/// The JSON of a resolved policy has all that a manifest is made of.
@Suite struct ResolvedPolicyTests {
  @Test("A policy that is written back from its JSON gives the same manifest", arguments: 0..<8)
  func random(_ part: Int) throws {
    var compared = 0
    for seed in part * 200..<part * 200 + Thoroughness.pick(60, full: 200) {
      var random = RandomPolicyText(seed: UInt64(seed))
      // What was accepted isn't part of the JSON.
      let text = random.text().replacing(#/ # pintle:allow [^\n]*/#, with: "")
      let policy = try ExampleFiles.resolve(["policy.yaml": text])
      guard policy.problems.isEmpty, let manifest = try Self.manifest(policy) else { continue }
      let written = try Self.writtenBack(policy)
      let again = try ExampleFiles.resolve(["policy.yaml": written])
      #expect(again.problems.isEmpty, "seed \(seed): \(describe(again))\n\(written)")
      let other = try #require(try Self.manifest(again), "seed \(seed): \(written)")
      #expect(other == manifest, "seed \(seed)\n\(text)\n\(written)")
      compared += 1
    }
    #expect(compared > 2, "nearly all policies have errors, so little was tried")
  }

  @Test("The same of the repository's policy, in several files")
  func sample() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
    let loaded = try PolicyDirectory.load([root.appending(path: "policies").path])
    let policy = try Resolver.resolve(PolicyReader.read(loaded.sources), files: loaded.files)
    let manifest = try #require(try Self.manifest(policy, after: 14 * 86_400))
    let file = SourceSet.File(
      path: root.appending(path: "policies/whole.yaml").path, bytes: Array(try Self.writtenBack(policy).utf8))
    let again = try Resolver.resolve(PolicyReader.read(SourceSet([file])), files: loaded.files)
    #expect(try Self.manifest(again, after: 14 * 86_400) == manifest)
  }

  @Test("Each value says from where it came: its own line, its file's defaults, or nowhere")
  func places() throws {
    let policy = try ExampleFiles.resolve(
      [
        "policy.yaml": """
        version: 1
        manifest: { audience: test, expires-after: 40d }
        owner: alice
        defaults: { mode: report-only }
        keys:
          one: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, position: root }
          two: { file: keys/api.pem, custody: HSM A }
        hosts:
          - { host: a.example.com, keys: { active: [one], backup: [two] } }
        """
      ])
    let audience = try Self.audience(policy)
    let hosts = try #require(audience["hosts"] as? [[String: Any]])
    #expect(
      hosts[0]["places"] as? [String: String] == [
        "host": "policy.yaml:9:13", "mode": "policy.yaml:4:19", "key-set": "policy.yaml:9:28",
        "owner": "policy.yaml:3:8",
      ])
    let manifest = try #require(audience["manifest"] as? [String: Any])
    #expect(manifest["places"] as? [String: String] == ["expires-after": "policy.yaml:2:44"])
    #expect(manifest["expires-after"] as? String == "40d")
    #expect(manifest["refresh-after"] as? String == "1d")
    let keys = try #require(audience["keys"] as? [[String: Any]])
    #expect(keys[1]["file"] as? String == "keys/api.pem")
    #expect(keys[1]["owner"] as? String == "alice")
    let material = try #require(keys[1]["material"] as? [String: Any])
    #expect(material["kind"] as? String == "certificate")
    #expect(keys[0]["material"] == nil)
  }

  // MARK: Writing back

  /// What the policy is built to, without the digest of its text; nil where it has errors.
  private static func manifest(_ policy: Policy, after seconds: Int64 = 0) throws -> [UInt8]? {
    let instant = SmallPolicy.release.issued.adding(seconds: seconds)
    guard let checked = CheckedPolicy.check(CheckInput(policy: policy, at: instant)).checked else { return nil }
    var manifest = try checked.lowered(as: SmallPolicy.release)
    manifest.provenance.sources = try #require(SHA256Digest([UInt8](repeating: 0, count: 32)))
    return manifest.signedBytes()
  }

  private static func audience(_ policy: Policy) throws -> [String: Any] {
    let inventory = KeyInventory(LoadedPolicy(policy: policy), released: nil, at: SmallPolicy.release.issued)
    let text = ResolvedPolicyJSON([inventory]).text()
    let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    return try #require((json["audiences"] as? [[String: Any]])?.first)
  }

  /// A policy file, in YAML's flow style, of nothing but the JSON.
  private static func writtenBack(_ policy: Policy) throws -> String {
    let audience = try audience(policy)
    func without(_ names: [String], _ object: [String: Any]) -> [String: Any] {
      object.filter { $0.key != "places" && !names.contains($0.key) }.mapValues(plain)
    }
    func plain(_ value: Any) -> Any {
      switch value {
      case let object as [String: Any]: without([], object)
      case let list as [Any]: list.map(plain)
      default: value
      }
    }
    let objects = { (name: String) in audience[name] as? [[String: Any]] ?? [] }
    let sets = Dictionary(uniqueKeysWithValues: objects("key-sets").map { ($0["name"] as? String ?? "", $0) })
    var manifest = without([], audience["manifest"] as? [String: Any] ?? [:])
    manifest["audience"] = audience["audience"]
    let hosts = objects("hosts").map { host in
      var entry = without(["key-set"], host)
      if let name = host["key-set"] as? String, let set = sets[name] {
        entry["keys"] = set["inline"] as? Bool == true ? without(["name", "inline"], set) : name
      }
      return entry
    }
    let named = { (list: [[String: Any]], left: [String]) in
      Dictionary(uniqueKeysWithValues: list.map { ($0["name"] as? String ?? "", without(["name"] + left, $0)) })
    }
    let whole: [String: Any] = [
      "version": 1, "manifest": manifest, "keys": named(objects("keys"), ["file", "material", "owner"]),
      "key-sets": named(objects("key-sets").filter { $0["inline"] as? Bool != true }, ["inline"]), "hosts": hosts,
    ].filter { !(($0.value as? [String: Any])?.isEmpty ?? false) }
    let data = try JSONSerialization.data(withJSONObject: whole, options: [.sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data, as: UTF8.self)
  }
}
