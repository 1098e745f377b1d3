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
        addChanging(name, value)
        continue
      }
      for item in value.items {
        let target = (item["target"]?["kind"]?.text, item["target"]?["name"]?.text)
        if let text = item["patch"]?.text ?? (item.text?.contains("\n") == true ? item.text : nil) {
          add(patch: text, target, at: item["patch"]?.place ?? item.place)
        } else if let path = item["path"]?.text ?? item.text {
          let path = Self.join(file.folder, path)
          references.append(
            Reference(
              paths: [path], target: target, place: item.place,
              why: "the patch '\(VisibleText.of(path))' isn't among the files"))
        } else {
          addUnread("a patch has neither 'patch' nor 'path'", .certManagerPatch, at: item.place, help: "Fix the patch.")
        }
      }
    }
  }

  static let build = "Check the output instead: 'kustomize build … > manifests.yaml'."

  /// Fields that may change any object besides patches.
  private mutating func addChanging(_ name: YAMLDocuments.Value, _ value: YAMLDocuments.Value) {
    guard let field = name.text, ["components", "transformers", "replacements"].contains(field) else { return }
    for item in value.items {
      let path = item.text.map { Self.join(file.folder, $0) } ?? ""
      // A component among the files is read itself.
      let paths =
        field == "components"
        ? ["kustomization.yaml", "kustomization.yml", "Kustomization"].map { Self.join(path + "/", $0) } : []
      references.append(
        Reference(
          paths: paths, place: item.place,
          why: field == "components"
            ? "the component '\(VisibleText.of(path))' isn't among the files" : "'\(field)' of kustomize aren't read"))
    }
  }

  /// Patches in the settings of Flux and Argo CD.
  mutating func addNested(_ value: YAMLDocuments.Value) {
    for (name, inner) in value.fields {
      if name.text == "kustomize", !inner.fields.isEmpty { add(kustomization: inner) } else { addNested(inner) }
    }
    value.items.forEach { addNested($0) }
  }

  /// Where `$patch` is.
  static func directive(in value: YAMLDocuments.Value) -> Place? {
    value.place(of: "$patch")
      ?? (value.fields.map(\.1) + value.items).lazy.compactMap { directive(in: $0) }.first
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
      let help = Self.build
      if let from = item["from"]?.text, operation == "move", from == "/spec" || from.hasPrefix("/spec/privateKey") {
        addUnread("a patch moves '\(VisibleText.of(from))'", .certManagerPatch, at: place, help: help)
      }
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
      case "/spec/secretName":
        patches.append(
          Patch(
            setting: Self.setting(.certManagerPatch, nil, "'secretName'", .known([]), at: place, help: help),
            kind: target.kind ?? "Certificate", name: target.name, hasPolicy: false,
            path: inline == nil ? file.path : nil, secret: value?.text ?? "$"))
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
