import Diagnostics
import PinPolicy

/// cert-manager's Certificates, Ingresses and Gateways from which it makes such, and what patches of kustomize change in
/// them, in manifests of Kubernetes.
///
/// `rotationPolicy: Never` keeps the key. Without it, cert-manager keeps the key before version 1.18 and makes a new one
/// from then on; a manifest doesn't say which version reads it.
struct CertManagerRenewal {
  static let mark = "cert-manager.io/"
  static let annotation = "cert-manager.io/private-key-rotation-policy"
  /// Before version 0.11, the group had another name.
  private static let oldMark = "certmanager.k8s.io/"
  private static let issuers = [mark, oldMark].flatMap { [$0 + "issuer", $0 + "cluster-issuer"] }
  static let kinds: Set<Substring> = ["Certificate", "Ingress", "Gateway"]

  /// What a patch changes, or an object of which other files have the rest.
  struct Patch {
    var setting: RenewalSetting
    var kind: String?
    var name: String?
    /// Whether it says anything about the key.
    var hasPolicy: Bool
    /// The file that it is in; nil if it is inline.
    var path: String?
    /// The Secret that it names for the key.
    var secret: String?
  }

  private struct Object {
    var setting: RenewalSetting
    var kind: String
    var name: String?
    /// `ClusterIssuer/letsencrypt`.
    var issuer: (name: String, place: Place)?
    /// The Secrets that have its key, as far as they are named.
    var secrets: [String] = []
  }

  struct Reference {
    /// Any of these among the files is enough.
    var paths: [String]
    var target: (kind: String?, name: String?) = (nil, nil)
    var place: Place
    var why: String
  }

  private var objects: [Object] = []
  var patches: [Patch] = []
  var references: [Reference] = []
  var deletions: [SecretDeletion] = []
  private var choices: [String: [RenewalSetting.Choice]] = [:]
  /// Patches of issuers, whichever they are.
  var issuerPatches: [RenewalSetting.Choice] = []
  var unread: [RenewalSetting] = []

  var file = RenewalFile(path: "", bytes: [], id: FileID(0))
  private var isAboutTool = false
  /// The patch that is read, if it is text in another file: its places aren't those of the text.
  var inline: (target: (kind: String?, name: String?), place: Place)?

  /// Whether a file may be a manifest that concerns cert-manager.
  private static func mayHave(_ file: RenewalFile) -> Bool {
    isKustomization(file.name)
      || [
        "cert-manager.io", "certmanager.k8s.io", "kubernetes.io/tls-acme", "rotationPolicy", "/spec", "op:", "\"op\"",
        "kustomize", "$patch",
      ]
      .contains(where: file.contains)
  }

  private var count: Int {
    objects.count + patches.count + references.count + choices.count + unread.count + issuerPatches.count
  }

  /// Reads a file; false if it says nothing about cert-manager.
  mutating func add(_ file: RenewalFile) -> Bool {
    guard Self.mayHave(file) else { return false }
    self.file = file
    isAboutTool = file.contains(Self.mark) || file.contains(Self.oldMark)
    let before = count
    let documents = YAMLDocuments(file.bytes, file: file.id)
    documents.values.forEach { add($0) }
    // A file that can't be read is reported only if it seems to have what is read here.
    if let (reason, place) = documents.problem, Self.seemsToHave(file) {
      addUnread(
        "the file can't be read from here on: \(reason)", at: place,
        help: "If it is a template, check its output instead: 'helm template … > manifests.yaml'.")
    }
    return count > before
  }

  /// Whether a text that can't be parsed has `kind: Certificate`, however it is written, or sets what happens to keys.
  private static func seemsToHave(_ file: RenewalFile) -> Bool {
    isKustomization(file.name) || file.contains(annotation) || file.contains("rotationPolicy")
      || file.lines.contains { line in
        let words = line.text.split { !$0.isLetter }
        return zip(words, words.dropFirst()).contains { $0 == "kind" && kinds.contains($1) }
      }
  }

  mutating func addUnread(_ why: String, _ way: RenewalWay = .certManagerOther, at place: Place, help: String) {
    unread.append(
      RenewalSetting(
        way, answer: .unknown, names: .unknown(why, help: help), at: inline?.place ?? place,
        because: "it can't be read",
        help: ""))
  }

  mutating func add(_ object: YAMLDocuments.Value) {
    let version = object["apiVersion"]?.text ?? ""
    let isOwn = version.hasPrefix(Self.mark) || version.hasPrefix(Self.oldMark)
    let kind = object["kind"]?.text
    if Self.isTarget(inline?.target.kind ?? kind), let place = Self.directive(in: object) {
      addUnread("a patch has '$patch'", .certManagerPatch, at: place, help: Self.build)
    }
    switch kind {
    case let kind? where kind.hasSuffix("List") && object["items"] != nil: object["items"]?.items.forEach { add($0) }
    case "Certificate"? where isOwn: add(certificate: object)
    case "Issuer"? where isOwn, "ClusterIssuer"? where isOwn:
      add(issuer: object, kind ?? "")
    case "Ingress"?:
      let hosts = Self.list(object["spec"]?["tls"]).flatMap { $0.fields.isEmpty ? [$0] : Self.list($0["hosts"]) }
      add(annotated: object, "Ingress", hosts)
    case "Gateway"?:
      // Listeners without a host name get no certificate.
      let listeners = Self.list(object["spec"]?["listeners"])
      add(
        annotated: object, "Gateway",
        listeners.compactMap { $0.fields.isEmpty ? $0 : $0["tls"] == nil ? nil : $0["hostname"] })
    // A schema says nothing about a certificate.
    case "CustomResourceDefinition"?: break
    case nil where object.items.contains { $0["op"] != nil && $0["path"] != nil }: add(operations: object)
    case _ where version.contains("kustom") || inline == nil && Self.isKustomization(file.name):
      add(kustomization: object)
    default:
      addNested(object)
      add(other: object)
    }
  }

  // MARK: Certificates, Ingresses, Gateways, issuers

  private mutating func add(certificate object: YAMLDocuments.Value) {
    guard let spec = object["spec"] else {
      if let place = object.place(of: "spec") { addUnread("'spec' is given twice", at: place, help: "Remove one.") }
      return
    }
    let isAuthority = spec["isCA"]?.text == "true"
    let names = ["dnsNames", "ipAddresses", "commonName"].flatMap { Self.list(spec[$0]) }
    let key = spec["privateKey"]
    let place = key?.place(of: "rotationPolicy") ?? spec.place(of: "privateKey") ?? object.place(of: "spec")
    let reference = spec["issuerRef"]
    add(
      object, "Certificate", key?["rotationPolicy"]?.text, "'spec.privateKey.rotationPolicy'", names.map(\.text),
      authority: isAuthority ? .authority(spec["commonName"]?.text) : nil, at: place ?? object.place,
      hasPolicy: spec.place(of: "privateKey") != nil,
      issuer: reference?["name"]?.text.map { (reference?["kind"]?.text ?? "Issuer") + "/" + $0 },
      secrets: [spec["secretName"]?.text].compactMap(\.self),
      help: "Write 'rotationPolicy: Never' under 'spec.privateKey' of this Certificate before the next renewal.")
  }

  /// The items of a list; a value that should be one and isn't, such as a template's, as the only item.
  static func list(_ value: YAMLDocuments.Value?) -> [YAMLDocuments.Value] {
    guard let value else { return [] }
    return value.text != nil || !value.fields.isEmpty ? [value] : value.items
  }

  private mutating func add(annotated object: YAMLDocuments.Value, _ kind: String, _ names: [YAMLDocuments.Value]) {
    guard let metadata = object["metadata"], let notes = metadata["annotations"] else {
      if isAboutTool, let place = object["metadata"]?.place(of: "annotations") {
        addUnread("'annotations' can't be read", at: place, help: "Write them once, as fields.")
      }
      return
    }
    let issuer = Self.issuers.first { notes[$0] != nil }
    let policy = notes.place(of: Self.annotation)
    guard policy != nil || !names.isEmpty && (issuer != nil || notes["kubernetes.io/tls-acme"]?.text == "true") else {
      return
    }
    add(
      object, kind, notes[Self.annotation]?.text, "the annotation '\(Self.annotation)'",
      issuer == nil && notes["kubernetes.io/tls-acme"] == nil ? [] : names.map(\.text),
      at: policy ?? metadata.place(of: "annotations") ?? object.place, hasPolicy: policy != nil,
      issuer: issuer.flatMap { name in
        notes[name]?.text.map { (name.hasSuffix("/issuer") ? "Issuer/" : "ClusterIssuer/") + $0 }
      },
      secrets: Self.list(object["spec"]?["tls"]).compactMap { $0["secretName"]?.text },
      help: "Write the annotation '\(Self.annotation): Never' on this \(kind) before the next renewal.")
  }

  private mutating func add(issuer object: YAMLDocuments.Value, _ kind: String) {
    guard let acme = object["spec"]?["acme"] else { return }
    let found = [("preferredChain", "preferred chain"), ("profile", "profile")].compactMap { field, words in
      acme.place(of: field).flatMap { place in
        acme[field]?.text == "" ? nil : RenewalSetting.Choice(words, acme[field]?.text, at: inline?.place ?? place)
      }
    }
    choices["\(kind)/\(object["metadata"]?["name"]?.text ?? "")", default: []] += found
  }

  private mutating func add(
    _ object: YAMLDocuments.Value, _ kind: String, _ policy: String?, _ field: String, _ names: [String?],
    authority: RenewalSetting.Names? = nil, at place: Place, hasPolicy: Bool, issuer: String?, secrets: [String],
    help: String
  ) {
    let known = names.compactMap(\.self)
    let setting = Self.setting(
      kind == "Certificate" ? .certManagerCertificate : .certManagerAnnotation, policy, field,
      authority
        ?? (!names.isEmpty && known.count == names.count
          ? .known(known)
          : .unknown(
            names.isEmpty ? "it has no names" : "a name isn't a plain value",
            help: "Write each name as text. Of a template, check its output: 'helm template … > manifests.yaml'.")),
      at: inline?.place ?? place, help: help)
    let name = object["metadata"]?["name"]?.text
    // Names are missing in a patch, and in what an Ingress or Gateway gets from another file.
    if inline != nil || names.isEmpty && authority == nil && (name != nil || kind != "Certificate") {
      patches.append(
        Patch(
          setting: setting, kind: inline?.target.kind ?? kind, name: inline?.target.name ?? name, hasPolicy: hasPolicy,
          path: inline == nil ? file.path : nil, secret: kind == "Certificate" ? secrets.first : nil))
    } else {
      objects.append(
        Object(setting: setting, kind: kind, name: name, issuer: issuer.map { ($0, place) }, secrets: secrets))
    }
  }

  static func setting(
    _ way: RenewalWay, _ policy: String?, _ field: String, _ names: RenewalSetting.Names, at place: Place, help: String
  ) -> RenewalSetting {
    let (answer, reason): (RenewalSetting.Answer, String) =
      switch policy {
      case "Never"?: (.keeps, "\(field) is Never")
      case "Always"?: (.newKey, "\(field) is Always")
      case nil: (.unknown, "\(field) isn't set; cert-manager keeps the key before 1.18 and makes a new one since")
      default: (.unknown, "\(field) is neither Never nor Always")
      }
    return RenewalSetting(
      way, answer: answer, names: names, at: place, because: reason, help: answer == .keeps ? "" : help)
  }

  // MARK: What isn't read

  /// Kinds that have values of a Helm chart.
  private static let charts: Set<String> = ["HelmRelease", "HelmChart", "Application", "ApplicationSet"]

  /// Values of Helm, and kinds of other programs that make Certificates.
  mutating func add(other object: YAMLDocuments.Value, named name: YAMLDocuments.Value? = nil) {
    guard let (field, place) = mention(in: object, of: name?.text ?? "") else { return }
    let kind = object["kind"]?.text
    let article = kind?.first.map { "AEIO".contains($0) } == true ? "an" : "a"
    let isTemplate = kind.map(Self.charts.contains) ?? true || file.contains("{{")
    addUnread(
      "'\(VisibleText.of(field))' is in \(kind.map { "\(article) \(VisibleText.of($0))" } ?? "values of a template"), "
        + "which isn't read", at: place,
      help: isTemplate
        ? "Check what is made of it instead: 'helm template … > manifests.yaml'."
        : "Check how this kind handles the key: it may make a new one at each renewal.")
  }

  /// The first field that asks for a certificate or says what happens to its key.
  private func mention(in value: YAMLDocuments.Value, of parent: String) -> (field: String, place: Place)? {
    for (name, inner) in value.fields {
      let text = name.text ?? ""
      let isPolicy = text == "rotationPolicy" && (parent.lowercased().contains("privatekey") || isAboutTool)
      if isPolicy || text == Self.annotation || Self.issuers.contains(text) || text.hasPrefix("csi." + Self.mark) {
        return (text, name.place)
      }
      if let found = mention(in: inner, of: text) { return found }
    }
    for item in value.items {
      if let found = mention(in: item, of: parent) { return found }
    }
    guard let text = value.text, text.count > Self.mark.count else { return nil }
    return [Self.annotation, "rotationPolicy"].first(where: text.contains).map { ($0, value.place) }
  }

  // MARK: Together

  /// A key isn't kept if something deletes the Secret that has it.
  private func afterDeletions(_ setting: RenewalSetting, of object: Object) -> RenewalSetting {
    guard setting.answer == .keeps, let deletion = deletions.first(where: { $0.concerns(object.secrets) }) else {
      return setting
    }
    var setting = setting
    setting.say(deletion.statement)
    return setting
  }

  /// What all files say together, of which these paths were read.
  func settings(ofFiles paths: [String]) -> [RenewalSetting] {
    let given = Set(paths.map { Self.join("", $0) })
    var settings = objects.map { object in
      var setting = object.setting
      if let (name, place) = object.issuer {
        setting.choices =
          (choices[name] ?? [
            .init(.elsewhere, "the issuer '\(VisibleText.of(name))' that isn't among the files", at: place)
          ]) + issuerPatches
      }
      return afterDeletions(setting, of: object)
    }
    settings += unread
    let byPath = Dictionary(references.flatMap { one in one.paths.map { ($0, one) } }) { first, _ in first }
    let byName = Dictionary(grouping: objects) { $0.name ?? "" }
    // Further patches that say the same about the same objects add nothing.
    var seen: Set<[String?]> = []
    for patch in patches {
      let target = patch.path.flatMap { byPath[Self.join("", $0)]?.target }
      let (kind, name) = (target?.kind ?? patch.kind, target?.name ?? patch.name)
      // A name may be a pattern, which may stand for all.
      let isPattern = name?.contains { !$0.isLetter && !$0.isNumber && $0 != "-" } ?? true
      let one = name.flatMap { byName[$0] == nil && isPattern ? nil : $0 }
      guard seen.insert([kind, one, patch.hasPolicy ? patch.setting.answer.rawValue : nil, patch.secret]).inserted
      else { continue }
      let found = (one.map { byName[$0] ?? [] } ?? objects).filter { kind == nil || $0.kind == kind }
      var setting = patch.setting
      setting.way = .certManagerPatch
      for object in found where patch.secret != nil && !object.secrets.isEmpty && object.secrets != [patch.secret] {
        settings.append(
          RenewalSetting(
            .certManagerPatch, answer: .unknown, names: object.setting.names, at: setting.place,
            because:
              "a patch changes 'secretName', and without the Secret that has the key, cert-manager makes a new one",
            help: "Leave 'secretName' as it is, or copy the Secret first."))
      }
      if found.isEmpty {
        guard patch.hasPolicy || kind == "Certificate" else { continue }
        setting.names = .unknown(
          name.map { "it has no names, and none of the files has '\(VisibleText.of($0))' with names" }
            ?? "it has no names",
          help: "Check the output instead: 'kustomize build … > manifests.yaml'.")
        settings.append(setting)
      } else if patch.hasPolicy {
        settings += found.map { object in
          setting.names = object.setting.names
          return afterDeletions(setting, of: object)
        }
      }
    }
    for reference in references
    where !objects.isEmpty && Self.isTarget(reference.target.kind) && given.isDisjoint(with: reference.paths) {
      settings.append(
        RenewalSetting(
          .certManagerPatch, answer: .unknown,
          names: .unknown(
            reference.why,
            help: "Pass its folder too, or the output of 'kustomize build'."), at: reference.place,
          because: "it can't be read", help: ""))
    }
    return settings
  }
}
