import Diagnostics
import PinPolicy

/// cert-manager's Certificates, and Ingresses and Gateways from which it makes such, in manifests of Kubernetes.
///
/// `rotationPolicy: Never` keeps the key. Without it, cert-manager keeps the key before version 1.18 and makes a new one
/// from then on; a manifest doesn't say which version reads it.
struct CertManagerRenewal {
  private static let mark = "cert-manager.io/"
  private static let annotation = "cert-manager.io/private-key-rotation-policy"

  private(set) var settings: [RenewalSetting] = []

  /// Whether a file may be a manifest that concerns cert-manager.
  static func mayHave(_ file: RenewalFile) -> Bool {
    [".yml", ".yaml", ".json"].contains { file.name.hasSuffix($0) }
      && (file.contains(mark) || file.contains("kubernetes.io/tls-acme"))
  }

  init(_ file: RenewalFile) {
    let documents = YAMLDocuments(file.bytes, file: file.id)
    documents.values.forEach { add($0) }
    // A file that can't be read is reported only if it seems to have what is read here.
    if let (reason, place) = documents.problem, Self.seemsToHave(file) {
      settings.append(
        RenewalSetting(
          tool: .certManager, answer: .unknown,
          names: .unknown(
            "the file can't be read from here on: \(reason)",
            help: "If it is a template, check its output instead: 'helm template … > manifests.yaml'."),
          at: place, because: "it can't be read", help: ""))
    }
  }

  /// Whether a text that can't be parsed has `kind: Certificate`, however it is written, or the annotation.
  private static func seemsToHave(_ file: RenewalFile) -> Bool {
    file.contains(annotation)
      || file.lines.contains { line in
        let words = line.text.split { !$0.isLetter }
        return zip(words, words.dropFirst()).contains { $0 == "kind" && Self.kinds.contains($1) }
      }
  }

  private static let kinds: Set<Substring> = ["Certificate", "Ingress", "Gateway"]

  private mutating func add(_ object: YAMLDocuments.Value) {
    let version = object["apiVersion"]?.text ?? ""
    switch object["kind"]?.text {
    case "List"?: object["items"]?.items.forEach { add($0) }
    case "Certificate"? where version.hasPrefix(Self.mark): add(certificate: object)
    case "Ingress"?:
      let hosts = Self.list(object["spec"]?["tls"]).flatMap { $0.fields.isEmpty ? [$0] : Self.list($0["hosts"]) }
      add(annotated: object, "Ingress", hosts)
    case "Gateway"?:
      // Listeners without a host name get no certificate.
      let listeners = Self.list(object["spec"]?["listeners"])
      add(
        annotated: object, "Gateway",
        listeners.compactMap { $0.fields.isEmpty ? $0 : $0["tls"] == nil ? nil : $0["hostname"] })
    default: break
    }
  }

  private mutating func add(certificate object: YAMLDocuments.Value) {
    guard let spec = object["spec"] else { return }
    let isAuthority = spec["isCA"]?.text == "true"
    let names = ["dnsNames", "ipAddresses", "commonName"].flatMap { Self.list(spec[$0]) }
    let key = spec["privateKey"]
    let place = key?.place(of: "rotationPolicy") ?? spec.place(of: "privateKey") ?? object.place(of: "spec")
    add(
      key?["rotationPolicy"]?.text, "'spec.privateKey.rotationPolicy'", names.map(\.text),
      authority: isAuthority ? .authority(spec["commonName"]?.text) : nil, at: place ?? object.place,
      help: "Write 'rotationPolicy: Never' under 'spec.privateKey' of this Certificate before the next renewal.")
  }

  /// The items of a list; a value that should be one and isn't, such as a template's, as the only item.
  private static func list(_ value: YAMLDocuments.Value?) -> [YAMLDocuments.Value] {
    guard let value else { return [] }
    return value.text != nil || !value.fields.isEmpty ? [value] : value.items
  }

  private mutating func add(annotated object: YAMLDocuments.Value, _ kind: String, _ names: [YAMLDocuments.Value]) {
    guard !names.isEmpty, let metadata = object["metadata"], let notes = metadata["annotations"],
      ["cert-manager.io/issuer", "cert-manager.io/cluster-issuer"].contains(where: { notes[$0] != nil })
        || notes["kubernetes.io/tls-acme"]?.text == "true"
    else { return }
    add(
      notes[Self.annotation]?.text, "the annotation '\(Self.annotation)'", names.map(\.text),
      at: notes.place(of: Self.annotation) ?? metadata.place(of: "annotations") ?? object.place,
      help: "Write the annotation '\(Self.annotation): Never' on this \(kind) before the next renewal.")
  }

  private mutating func add(
    _ policy: String?, _ field: String, _ names: [String?], authority: RenewalSetting.Names? = nil, at place: Place,
    help: String
  ) {
    let (answer, reason): (RenewalSetting.Answer, String) =
      switch policy {
      case "Never"?: (.keeps, "\(field) is Never")
      case "Always"?: (.newKey, "\(field) is Always")
      case nil: (.unknown, "\(field) isn't set; cert-manager keeps the key before 1.18 and makes a new one since")
      default: (.unknown, "\(field) is neither Never nor Always")
      }
    let known = names.compactMap(\.self)
    settings.append(
      RenewalSetting(
        tool: .certManager, answer: answer,
        names: authority
          ?? (!names.isEmpty && known.count == names.count
            ? .known(known)
            : .unknown(
              names.isEmpty ? "it has no names" : "a name isn't a plain value",
              help: "Write each name as text. Of a template, check its output: 'helm template … > manifests.yaml'.")),
        at: place, because: reason, help: answer == .keeps ? "" : help))
  }
}
