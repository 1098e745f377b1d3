import Diagnostics
import PinPolicy

/// Patches of kustomize, inline and in files.
extension CertManagerRenewal {
  static func isKustomization(_ name: String) -> Bool {
    ["kustomization.yaml", "kustomization.yml", "Kustomization"].contains(name)
  }

  private static let patchFields: Set<String> = ["patches", "patchesStrategicMerge", "patchesJson6902"]

  /// Also a Kustomization of Flux, which has the same fields in its `spec`.
  mutating func add(kustomization object: YAMLDocuments.Value) {
    let base = object["spec"] ?? object
    for (name, value) in base.fields {
      guard Self.patchFields.contains(name.text ?? "") else {
        add(other: value, named: name)
        continue
      }
      for item in value.items {
        let target = (item["target"]?["kind"]?.text, item["target"]?["name"]?.text)
        if let text = item["patch"]?.text ?? (item.text?.contains("\n") == true ? item.text : nil) {
          add(patch: text, target, at: item["patch"]?.place ?? item.place)
        } else if let path = item["path"]?.text ?? item.text {
          references.append(Reference(path: Self.join(file.folder, path), target: target, place: item.place))
        } else {
          addUnread("a patch has neither 'patch' nor 'path'", .certManagerPatch, at: item.place, help: "Fix the patch.")
        }
      }
    }
  }

  private mutating func add(patch text: String, _ target: (kind: String?, name: String?), at place: Place) {
    inline = (target, place)
    defer { inline = nil }
    let documents = YAMLDocuments(Array(text.utf8), file: file.id)
    documents.values.forEach { add($0) }
    if let (reason, _) = documents.problem, Self.isTarget(target.kind) {
      addUnread(
        "the patch can't be read: \(reason)", .certManagerPatch, at: place,
        help: "Check the output instead: 'kustomize build … > manifests.yaml'.")
    }
  }

  static func isTarget(_ kind: String?) -> Bool { kind.map { kinds.contains($0[...]) } ?? true }

  /// The operations of a patch in JSON (RFC 6902).
  mutating func add(operations list: YAMLDocuments.Value) {
    let target: (kind: String?, name: String?) = inline?.target ?? (nil, nil)
    guard Self.isTarget(target.kind) || target.kind?.hasSuffix("Issuer") == true else { return }
    for item in list.items {
      guard let path = item["path"]?.text, let operation = item["op"]?.text, operation != "test" else { continue }
      let value = operation == "remove" ? nil : item["value"]
      let place = inline?.place ?? item.place
      let help = "Check the output instead: 'kustomize build … > manifests.yaml'."
      func patch(_ policy: String?, _ field: String, _ kind: String?) {
        patches.append(
          Patch(
            setting: Self.setting(.certManagerPatch, policy, field, .known([]), at: place, help: help),
            kind: target.kind ?? kind, name: target.name, hasPolicy: true, path: inline == nil ? file.path : nil))
      }
      switch path {
      case "/spec/privateKey/rotationPolicy": patch(value?.text, "'rotationPolicy' in a patch", "Certificate")
      case "/spec/privateKey": patch(value?["rotationPolicy"]?.text, "'rotationPolicy' in a patch", "Certificate")
      case "/metadata/annotations/" + Self.annotation.replacing("/", with: "~1"):
        patch(value?.text, "the annotation '\(Self.annotation)' in a patch", nil)
      case "/metadata/annotations" where target.kind != "Certificate":
        if value?.place(of: Self.annotation) != nil {
          patch(value?[Self.annotation]?.text, "the annotation '\(Self.annotation)' in a patch", nil)
        }
      case _ where path.hasPrefix("/spec/acme"):
        issuerPatches.append(.init(.unread, "a patch of 'spec.acme' that isn't read", at: place))
      case _
      where ["/spec/dnsNames", "/spec/commonName", "/spec/ipAddresses", "/spec/tls"].contains(where: path.hasPrefix):
        let names = Self.list(value).flatMap { $0.fields.isEmpty ? [$0] : Self.list($0["hosts"]) }.compactMap(\.text)
        guard !names.isEmpty || operation != "remove" && value != nil else { continue }
        unread.append(
          RenewalSetting(
            .certManagerPatch, answer: .unknown,
            names: names.isEmpty ? .unknown("a patch changes the names", help: help) : .known(names), at: place,
            because: "a patch sets this name, and another file what happens to the key", help: help))
      case "", "/spec": addUnread("a patch replaces '\(path)'", .certManagerPatch, at: place, help: help)
      default: continue
      }
    }
  }

  /// A path below a folder, without `.` and `..`.
  static func join(_ folder: String, _ path: String) -> String {
    var parts: [Substring] = []
    for part in (folder + path).split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
    }
    return ((folder + path).hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}
