import Diagnostics
import PinFormat
import PinPolicy

/// What somebody wants to begin with.
struct StarterAnswers {
  /// A key that the first hosts may present.
  struct Key {
    var name: String
    /// The file that it comes from, copied into the policy; nil for a pin.
    var file: File?
    var pin: String
    /// What a reviewer compares of it, as lines of comment.
    var origin: [String] = []
    /// Whether it is the certificate of a root, so that chains can end in it.
    var isRoot = false

    struct File {
      /// Inside the policy: `keys/api.pem`.
      var path: String
      var bytes: [UInt8]
    }

    /// What the policy says of it: `file: keys/api.pem`.
    var source: String { file.map { "file: " + ScalarText.unmistakable($0.path, inFlow: true) } ?? "pin: " + pin }
  }

  enum Service: String, CaseIterable {
    case github
    case gitlab
    case none
  }

  enum Editor: String, CaseIterable {
    case vscode
    case none
  }

  var owner: String?
  var audience = "production"
  var hosts: [String] = []
  var active: [Key] = []
  var backup: [Key] = []
  /// The root of the authority that issues the hosts' certificates; nil if it is a public one.
  var privateCA: Key?
  /// The authority that the tests name for those that none of the keys lets in.
  var strangers = PolicyTest.Presented.anyOther
  var reportURI: String?
  var service = Service.none
  /// Domains and networks that only a runner inside can reach, as `NO_PROXY` lists them.
  var internalDomains: String?
  /// The label of that runner; nil if there is none.
  var insideRunner: String?
  var hasHook = false
  var editor = Editor.none

  /// What can't be written as it was given, as a message and what to do.
  static func complaint(owner: String) -> (message: String, help: String)? {
    guard owner.isEmpty || VisibleText.of(owner) != owner || owner.utf8.count > 200 else { return nil }
    return ("the owner can't be written", "Give an address or a team's name, in one line.")
  }

  static func complaint(audience: String) -> (message: String, help: String)? {
    let isName =
      (1...64).contains(audience.utf8.count)
      && audience.wholeMatch(of: /[a-z0-9][a-z0-9._\-]*/) != nil && !["true", "false", "null"].contains(audience)
    guard !isName else { return nil }
    return (
      "'\(audience)' is not a valid environment name",
      "Use lower-case letters, digits, '.', '_' and '-', such as production."
    )
  }

  static func complaint(host: String) -> (message: String, help: String)? {
    guard VisibleText.of(host) == host, (try? HostName(canonicalising: host)) != nil else {
      return (
        "'\(VisibleText.of(host))' is not a valid host name",
        "Give a name such as api.example.com, without scheme and port, in its ASCII form."
      )
    }
    return nil
  }

  static func complaint(internalDomains: String) -> (message: String, help: String)? {
    guard internalDomains.wholeMatch(of: /[A-Za-z0-9.,:\/\-]{1,2000}/) == nil else { return nil }
    return (
      "'\(VisibleText.of(internalDomains))' is not a list of domains and networks",
      "Separate them by commas: corp.example.com,203.0.113.0/24."
    )
  }

  static func complaint(insideRunner: String) -> (message: String, help: String)? {
    guard insideRunner.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._\-]{0,63}/) == nil else { return nil }
    return (
      "'\(VisibleText.of(insideRunner))' is not a valid label of a runner",
      "Use letters, digits, '.', '_' and '-', such as inside."
    )
  }

  static func complaint(reportURI: String) -> (message: String, help: String)? {
    let isAddress = reportURI.wholeMatch(of: /https:\/\/[A-Za-z0-9.\-\[\]:]+(\/[\x21\x23-\x5B\x5D-\x7E]*)?/) != nil
    guard !isAddress else { return nil }
    return ("'\(VisibleText.of(reportURI))' is not a valid report address", "Give an https:// address.")
  }
}
