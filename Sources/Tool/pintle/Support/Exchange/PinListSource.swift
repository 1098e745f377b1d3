import Diagnostics
import PinExchange
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinValidator

/// The pins to export: those of a policy that was checked, or of a manifest that was verified.
struct PinListSource {
  let list: PinList

  static func load(
    _ path: String, verification: VerificationOptions, at instant: Instant
  ) throws(CommandFailure) -> PinListSource {
    InputFile.isFolder(path)
      ? try load(policy: path, verification: verification, at: instant)
      : try load(manifest: path, verification: verification)
  }

  private static func load(
    manifest path: String, verification: VerificationOptions
  ) throws(CommandFailure) -> PinListSource {
    guard try verification.trust() != nil else {
      throw CommandFailure(
        .usage, "'\(path)' must be verified before its pins are exported",
        help: "Give the signers by --key or --keyset, or export from the policy directory.")
    }
    return PinListSource(list: PinList(try verification.load(path).manifest))
  }

  private static func load(
    policy directory: String, verification: VerificationOptions, at instant: Instant
  ) throws(CommandFailure) -> PinListSource {
    guard verification.isEmptyButAudience else {
      throw CommandFailure(
        .usage, "'\(directory)' is a policy, which nobody signs", help: "--key and --keyset verify a manifest.")
    }
    let policy = try LoadedPolicy.load(
      wholeOf: directory, audience: verification.audience,
      for: "Pins are exported from all of a policy: name its directory.")
    let checked = try policy.checked(
      at: instant,
      orFail: CommandFailure(
        .findings, "the policy has errors; nothing was exported", help: "Fix the errors above and export again."))
    // Any serial will do: exports don't contain one, and nothing is released.
    let release = Release(serial: 1, issued: instant, previous: nil, commit: nil, compiler: Version.compiler)
    let manifest: Manifest
    do {
      manifest = try checked.lowered(as: release)
    } catch {
      throw CommandFailure(.failed, error.message)
    }
    var list = PinList(manifest)
    let owners = KeyOwners(checked.policy)
    for number in list.keys.indices { list.keys[number].owner = owners[list.keys[number].name] }
    list.origin = "the policy for \(manifest.audience), sources sha256:\(manifest.provenance.sources.hex)"
    return PinListSource(list: list)
  }
}

/// Whose keys the files say that they are.
private struct KeyOwners {
  private var owners: [String: PinList.Owner] = [:]

  init(_ policy: Policy) {
    for key in policy.keys {
      guard let material = key.material else { continue }
      switch material.kind {
      case .certificate: owners[key.name.value] = material.certificate?.isCA == true ? .certificateAuthority : .server
      case .request: owners[key.name.value] = .server
      case .publicKey: break
      }
    }
  }

  subscript(name: String) -> PinList.Owner? { owners[name] }
}

extension PinList {
  /// The list with the entries of some hosts alone; of all where none is named.
  func selecting(_ names: [String]) throws(CommandFailure) -> PinList {
    guard !names.isEmpty else { return self }
    var wanted: Set<String> = []
    for name in names {
      guard let host = hosts.first(where: { $0.label == name || $0.host.text == name }) else {
        throw CommandFailure(
          .usage, "there is no entry for '\(name)'", help: "Name hosts as the policy does, in lower case.")
      }
      wanted.insert(host.host.text)
    }
    var list = self
    list.hosts = hosts.filter { wanted.contains($0.host.text) }
    // Without its own entry, a name below a chosen host would get the pins of that host.
    if let left = hosts.first(where: { !wanted.contains($0.host.text) && list.covers($0) }) {
      throw CommandFailure(
        .usage, "'\(left.label)' has its own entry below a host that was chosen",
        help: "Choose it too, with --host \(left.host.text).")
    }
    return list
  }
}
