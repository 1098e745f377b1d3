import Diagnostics
import PinPolicy

/// A command or task that deletes a Secret, in which cert-manager has the key: without it, cert-manager makes a new one.
struct SecretDeletion {
  /// The Secret's name; nil if it may be any.
  let name: String?
  let place: Place

  /// Whether it may be the Secret of a Certificate; with no known names, it may.
  func concerns(_ secrets: [String]) -> Bool {
    guard let name else { return true }
    return secrets.isEmpty || secrets.contains { $0 == name || $0.hasVariable }
  }

  var statement: RenewalStatement {
    RenewalStatement(
      way: .certManagerSecret, answer: .unknown,
      reason: (name.map { "a command deletes the Secret '\(VisibleText.of($0))'" } ?? "a command deletes Secrets")
        + ", from which cert-manager takes the key",
      help: "Leave the Secret: without it, cert-manager makes a new key.", place: place)
  }

  /// Whether a word is the program: `kubectl`, `microk8s.kubectl`, `$(KUBECTL)`, `bitnami/kubectl:1.31`.
  private static func isProgram(_ word: String) -> Bool {
    let name = word.split(separator: "/").last ?? ""
    return name == "oc" || name == "k" || name == "kubecolor"
      || name.lowercased().contains("kubectl") && !name.contains(".yaml")
  }

  private static let takingValues: Set<String> = [
    "-n", "--namespace", "-l", "--selector", "--context", "--cluster", "--kubeconfig", "--field-selector",
    "--grace-period", "--timeout", "-f", "--filename", "-k", "-o",
  ]

  /// Those of the commands in a script.
  static func all(in bytes: [UInt8], nested: Int = 0, at place: (Range<Int>) -> Place) -> [SecretDeletion] {
    guard nested < RenewalCommand.mostNested else { return [] }
    return RenewalFile.commands(of: bytes).flatMap { words in
      names(in: words.map(\.text)).map { SecretDeletion(name: $0, place: place(words[0].range)) }
        + words.filter { $0.text.contains(where: \.isWhitespace) }.flatMap { word in
          all(in: Array(word.text.utf8), nested: nested + 1) { _ in place(word.range) }
        }
    }
  }

  /// The names of the Secrets that a command deletes; one without a name may be any.
  private static func names(in words: [String]) -> [String?] {
    guard let program = words.firstIndex(where: isProgram),
      let verb = words[program...].firstIndex(of: "delete")
    else { return [] }
    let rest = Array(words[(verb + 1)...])
    let operands = zip(rest, [""] + rest).filter { word, before in
      !word.hasPrefix("-") && !takingValues.contains(before)
    }.map(\.0)
    if rest.contains(where: { $0.contains("/secrets") }) { return [nil] }
    guard let first = operands.first else { return words[..<program].contains("xargs") ? [nil] : [] }
    let named = operands.compactMap { word -> String? in
      ["secret/", "secrets/"].first(where: word.hasPrefix).map { String(word.dropFirst($0.count)) }
    }
    if !named.isEmpty { return named.map { $0.hasVariable ? nil : $0 } }
    let kinds = Set(first.lowercased().split(separator: ",").map(String.init))
    if !kinds.isDisjoint(with: ["namespace", "namespaces", "ns"]) || first.hasVariable { return [nil] }
    guard !kinds.isDisjoint(with: ["secret", "secrets"]) else { return [] }
    return operands.count == 1 ? [nil] : operands.dropFirst().map { $0.hasVariable ? nil : $0 }
  }

  /// That of a task of Ansible: `kubernetes.core.k8s: { state: absent, kind: Secret, name: api }`.
  init?(task: YAMLDocuments.Value) {
    guard let state = task["state"], state.text == "absent" else { return nil }
    let object = task["definition"] ?? task["resource_definition"] ?? task
    // An object in a text or in a file isn't read.
    let isUnread = object.text != nil || task["kind"] == nil && (task["src"] ?? task["template"]) != nil
    if isUnread, !object.fields.isEmpty || object.text?.contains("Secret") ?? true || object.text?.hasVariable ?? true {
      self.init(name: nil, place: state.place)
      return
    }
    guard ["Secret", "Namespace"].contains(object["kind"]?.text) else { return nil }
    let name = object["metadata"]?["name"]?.text ?? object["name"]?.text
    self.init(
      name: object["kind"]?.text == "Namespace" || name?.hasVariable == true ? nil : name, place: state.place)
  }

  private init(name: String?, place: Place) {
    (self.name, self.place) = (name, place)
  }
}
