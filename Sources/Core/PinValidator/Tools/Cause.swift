/// Why clients close connections, in the words of all commands: rules, `decide`, `why`, `simulate`, `rotate` and pages.
///
/// ``LoadedManifest/reason(for:)`` says what is wrong with the names of a manifest's keys. What is wrong with a
/// certificate, and who has to act, its ``TrustFailure`` says.
package struct Cause: Sendable {
  /// What is wrong, whatever the manifest: one clause.
  package let clause: String
  /// The same in the few words of a cell.
  package let short: String
  /// What to do about it: the beginning of a sentence.
  package let remedy: String

  private init(_ clause: String, short: String, remedy: String) {
    self.clause = clause
    self.short = short
    self.remedy = remedy
  }

  package static let entryExpired = Cause(
    "the entry has expired and blocks from then on", short: "blocked: entry expired",
    remedy: "Set a later 'expires:' for the entry")
  package static let manifestExpired = Cause(
    "the manifest has expired and blocks from then on", short: "blocked: policy expired",
    remedy: "Release the policy again")
  package static let unpinnedHost = Cause(
    "the manifest denies hosts that aren't pinned", short: "not pinned, so denied",
    remedy: "Pin the host in an entry, or set 'unpinned-hosts: allow'")
  package static let deniedKey = Cause(
    "a key that is presented is denied", short: "denied key",
    remedy: "Have the server present another key, and keep the denial")
  package static let exceptionEnded = Cause(
    "the exception that excused a failure of trust evaluation has ended", short: "exception ended",
    remedy: "Fix the server's certificate, or set a later 'until:' of the exception with a reason")

  /// A failure of trust evaluation, with what is wrong in one clause.
  package static func untrusted(_ reason: String, short: String = "untrusted") -> Cause {
    Cause(
      "trust evaluation failed: " + reason, short: short,
      remedy: "Fix what the server presents, or the 'trust:' of its entry")
  }

  /// The cause of a verdict.
  package init(_ reason: BlockReason) {
    switch reason {
    case .expired(.entry): self = .entryExpired
    case .expired(.manifest): self = .manifestExpired
    case .unpinnedHost(.expired(.entry)): self = .entryExpired
    case .unpinnedHost(.expired(.manifest)): self = .manifestExpired
    case .unpinnedHost: self = .unpinnedHost
    case .deniedKey: self = .deniedKey
    case .untrusted(let failure): self = .untrusted(failure.message, short: failure.code.description)
    case .mismatch(let mismatch): self.init(mismatch)
    case .noManifest:
      self.init("no manifest is in force", short: "no manifest", remedy: "Give the client a manifest")
    case .invalidHost:
      self.init("the host can't be looked up", short: "no host name", remedy: "Correct the name that is asked for")
    case .unreadableChain:
      self.init(
        "the public key of a certificate can't be read", short: "unreadable key",
        remedy:
          "Have the server present a chain whose keys are RSA, ECDSA or EdDSA keys in their usual encoding")
    }
  }

  /// What is missing of the keys that an entry requires.
  package init(_ mismatch: Mismatch) {
    let (clause, short) =
      switch mismatch {
      case .noKey: ("none of the entry's pins matches the validated chain", "no pinned key")
      case .leafMissing: ("no pin matches the leaf", "no pinned key at the leaf")
      case .authorityMissing: ("no pin matches above the leaf", "no pinned key above the leaf")
      }
    self.init(clause, short: short, remedy: "Keep the keys that the entry requires until no server needs them")
  }
}
