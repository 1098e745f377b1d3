package import Diagnostics
package import PinFormat
import PinPolicy
package import PinRelease
import PinStudies

/// The state of a signing event: the drafts of a branch, whose signatures they have, and whose are missing.
package struct EventStatus {
  /// What it comes to; the gravest last.
  package enum State: String, Sendable, Comparable {
    /// Clients take every draft, and the owners of what changes have signed.
    case complete
    /// Signatures are missing, or something has to be cleaned up first.
    case incomplete
    /// Clients would reject a draft, no matter who signs it, or it isn't what the branch's policy says.
    case rejected

    package static func < (left: State, right: State) -> Bool {
      func rank(_ state: State) -> Int { state == .complete ? 0 : state == .incomplete ? 1 : 2 }
      return rank(left) < rank(right)
    }
  }

  package var branch: EventSources.Branch
  package var base: EventSources.Branch
  /// Keysets first, which clients take first; then by path.
  package var drafts: [EventDraft] = []
  /// The files that have owners and are changed, by path.
  package var owned: [OwnedFile] = []
  /// Audiences that the branch drops, and for which the base has a release.
  package var dropped: [DroppedAudience] = []
  /// Commits that do more than one thing.
  package var commits: [MixedCommit] = []
  /// Drafts that the base has released: nobody has to sign them, and they can be removed.
  package var finished: [Stray] = []
  /// Files of the event that are neither drafts nor signatures, and why.
  package var strays: [Stray] = []
  /// Whether the branch adds files for clients and has no draft, so that the gate judges them.
  package var isOver = false
  /// Where the next draft of a manifest is written; the folder if there are several audiences.
  package var nextDraft = EventPath.folder
  /// How the checked-out branch is pushed, as the end of a command; empty without a remote.
  package var push = ""
  /// Whether the policy has 'audiences:', and so a manifest for each.
  package var hasAudiences = false
  /// How many commits of the base the branch lacks.
  package var missingCommits: Int
  /// What `--at` says, for the commands to run next.
  package var rehearsed: String?

  package struct Stray: Hashable, Sendable {
    package var path: String
    package var reason: String
    /// Where it belongs; nil for what must be removed.
    package var target: String?
  }

  /// An audience for which the branch's policy makes no manifest any more; its clients keep its last release.
  package struct DroppedAudience {
    package var name: String
    package var last: ReleasedManifest
    /// Why its owners aren't known; nil where they are.
    package var rejection: WorkFailure?
  }

  package var state: State {
    var all = drafts.map(\.state) + dropped.compactMap { $0.rejection.map { _ in .rejected } }
    if drafts.isEmpty && finished.isEmpty || isOver || missingCommits > 0 || !strays.isEmpty { all.append(.incomplete) }
    if owned.contains(where: { !$0.isApproved }) { all.append(.incomplete) }
    return all.max() ?? .complete
  }

  /// In a sentence, without a full stop.
  package var headline: String {
    let missing = drafts.reduce(0) { $0 + $1.missing }
    let owners = owned.count { !$0.isApproved }
    var parts: [String] = []
    let rejected = drafts.count { $0.state == .rejected }
    let unknown = dropped.filter { $0.rejection != nil }.map { "'\($0.name)'" }.joined(separator: ", ")
    if !unknown.isEmpty { parts.append("the owners of \(unknown) aren't known") }
    if rejected > 0 { parts.append("\(counted(rejected, "draft")) rejected") }
    if isOver {
      parts.append("no draft any more: the gate judges what the branch adds")
    } else if drafts.isEmpty && finished.isEmpty {
      parts.append("no draft")
    }
    if missing > 0 { parts.append("\(counted(missing, "signature")) missing") }
    if owners > 0 { parts.append("\(counted(owners, "file")) not approved by an owner") }
    if missingCommits > 0 { parts.append("not up to date with the base") }
    if !strays.isEmpty { parts.append("\(counted(strays.count, "file")) to remove or restore") }
    let complete =
      drafts.isEmpty
      ? "complete, everything is released" : isAssembled ? "complete, assembled" : "complete, ready to be assembled"
    return parts.isEmpty ? complete : parts.joined(separator: ", ")
  }

  /// What to do next, as commands with a sentence before each that needs one.
  package var next: [String] {
    guard let rehearsed else { return steps }
    return steps.map { command in
      guard command.contains("pintle ") else { return command }
      return command.replacing("--issued-at now", with: "--issued-at \(rehearsed)") + " --at \(rehearsed)"
    }
  }

  private var steps: [String] {
    let event = EventPath.folder
    if missingCommits > 0 { return ["git rebase \(ShellWord.of(base.name))"] }
    if isOver, drafts.isEmpty, strays.isEmpty { return ["pintle gate --base \(ShellWord.of(base.name))"] }
    let trust = strays.filter { !$0.path.hasPrefix(event + "/") }.prefix(3).map { ShellWord.of($0.path) }
    if !trust.isEmpty { return ["git checkout \(ShellWord.of(base.name)) -- " + trust.joined(separator: " ")] }
    let moved = strays.compactMap { stray in stray.target.map { (stray.path, $0) } }
    if let (_, first) = moved.first {
      // A draft with its signatures and its reason, which come behind it.
      let folder = first.split(separator: "/").dropLast().joined(separator: "/")
      let moves = moved.filter { $0.1.split(separator: "/").dropLast().joined(separator: "/") == folder }
      return [
        (["mkdir -p \(ShellWord.of(folder))"]
          + moves.map { "git mv \(ShellWord.of($0)) \(ShellWord.of($1))" }).joined(separator: " && ")
      ]
    }
    if !strays.isEmpty { return ["git rm -r " + strays.prefix(3).map { ShellWord.of($0.path) }.joined(separator: " ")] }
    if drafts.isEmpty, state == .complete {
      return ["git rm -r " + finished.map { ShellWord.of($0.path) }.joined(separator: " ")]
    }
    let isUnbuilt = drafts.isEmpty || owned.contains { $0.approvals.contains { $0.draft == nil } }
    guard !isUnbuilt, state != .rejected else {
      return [
        "mkdir -p \(event) && pintle build policies --unsigned --against released --keyset keysets --issued-at now -o "
          + ShellWord.of(nextDraft)
      ]
    }
    var commands: [String] = []
    for draft in drafts where draft.tallies.contains(where: { $0.missing > 0 }) || isAwaited(draft) {
      commands.append(draft.command)
    }
    guard commands.isEmpty else {
      return commands + ["git add \(event) && git commit -m Sign" + push]
    }
    return state == .complete && !isAssembled ? ["pintle event assemble"] : []
  }

  /// Whether the branch has the files for clients of all drafts.
  private var isAssembled: Bool { drafts.allSatisfy { $0.file != nil } }

  /// Whether an owner hasn't signed a draft.
  private func isAwaited(_ draft: EventDraft) -> Bool {
    owned.contains { file in
      file.approvals.contains { $0.draft == draft.path && $0.by.isEmpty && $0.unknown.count < $0.owners.count }
    }
  }
}

/// One file that people sign.
package struct EventDraft {
  /// From the repository's folder: `event/8.json`.
  package var path: String
  package var content: SignedContent
  package var audience: String
  /// The manifest's serial, or the keyset's version.
  package var number: Int64
  /// SHA-256 over the signed bytes: what people who sign read to each other.
  package var digest: SHA256Digest
  /// What it is compared with, and what it changes of that.
  package var summary: String
  /// Which serials can't be used after it; nil where it has the next one.
  package var skipped: String?
  /// Why it was built although it isn't safe, as its builder says; nil if nobody said.
  package var whyUnsafe: String?
  package var tallies: [Tally] = []
  /// Signatures that are there, in order of key.
  package var signatures: [FoundSignature] = []
  /// Why clients would reject it, or why it must not be released; nil where nothing is wrong.
  package var rejection: WorkFailure?
  /// The same for a line that names the draft already.
  package var reason: String? {
    guard let message = rejection?.message else { return nil }
    let named = "'\(path)' is rejected: "
    return message.hasPrefix(named) ? String(message.dropFirst(named.count)) : message
  }
  /// The command that adds a signature.
  package var command: String
  /// The file as clients take it, with the signatures that count; nil while they don't.
  package var assembled: [UInt8]?
  /// The file of these signed bytes that the branch adds for clients.
  package var file: String?

  /// Those of whom some must sign.
  package struct Tally: Hashable, Sendable {
    package enum Role: String, Sendable {
      case root
      case signer
    }

    package var role: Role
    /// The version of the keyset.
    package var keyset: Int64
    package var threshold: Int
    package var members: [Member]

    /// `signers of keyset 1`.
    package var title: String { "\(role.rawValue)s of keyset \(keyset)" }
    package var missing: Int { max(0, threshold - members.count { $0.hasSigned }) }
  }

  /// A key that may sign, by its name in the keyset.
  package struct Member: Hashable, Sendable {
    package var name: String
    package var keyID: SHA256Digest
    package var hasSigned: Bool
  }

  /// A signature that is there.
  package struct FoundSignature: Hashable, Sendable {
    package enum Standing: Hashable, Sendable {
      case counts
      /// The keyset doesn't let the key sign this.
      case stranger
      /// Of a draft that the branch had at a commit, and what is different now.
      case earlier(commit: String, changes: [String])
      /// Of another draft of the event.
      case other(path: String)
      /// A commit of the branch removed it, and left the draft.
      case withdrawn(commit: String)
      /// Of bytes that the branch never had.
      case unknown
      /// It says that it is of these bytes, and doesn't fit them.
      case wrong
    }

    package var keyID: SHA256Digest
    /// In the keyset, if it has the key.
    package var name: String?
    /// Over which bytes it says that it is.
    package var digest: SHA256Digest
    package var standing: Standing
  }

  /// How many people have to sign yet: a root of two versions of a keyset signs once.
  var missing: Int {
    guard tallies.count == 2 else { return tallies.reduce(0) { $0 + $1.missing } }
    let open = tallies.map { tally in Set(tally.members.lazy.filter { !$0.hasSigned }.map(\.keyID)) }
    let (first, second) = (tallies[0].missing, tallies[1].missing)
    return first + second - min(first, second, open[0].intersection(open[1]).count)
  }

  package var state: EventStatus.State {
    if rejection != nil { return .rejected }
    return tallies.contains { $0.missing > 0 } || assembled == nil ? .incomplete : .complete
  }

  /// Where its release or keyset is for clients.
  package var assembledPath: String {
    (content == .manifest ? "released/" : "keysets/") + path.dropFirst(EventPath.folder.count + 1)
  }

  package var subject: String { Self.subject(content, audience, number) }

  /// What a draft is: `production serial 8`.
  static func subject(_ content: SignedContent, _ audience: String, _ number: Int64) -> String {
    content == .manifest ? "\(audience) serial \(number)" : "keyset of \(audience), version \(number)"
  }
}

/// A commit of the branch that does more than one thing, which makes a review harder; bytes decide, not commits.
package struct MixedCommit: Hashable, Sendable {
  package var id: String
  /// The author's name, as the author chose it.
  package var author: String
  package var what: String

  /// What a commit mixes; nil where it does one thing.
  init?(_ commit: GitHistory.Commit) {
    var keys: Set<SHA256Digest> = []
    var isRemoved = false
    var others: [String] = []
    var kinds: Set<String> = []
    for change in commit.changes {
      let below = EventPath.folder + "/"
      let path = change.path.hasPrefix(below) ? EventPath(String(change.path.dropFirst(below.count))) : nil
      if case .signature(_, let key)? = path {
        keys.insert(key)
        isRemoved = isRemoved || change.isRemoved
        kinds.insert("signature")
      } else {
        others.append(change.path)
        kinds.insert(path == nil ? String(change.path.prefix { $0 != "/" }) : "draft")
      }
    }
    (id, author) = (commit.id, commit.author)
    let list = others.prefix(3).map { "'\($0)'" }.joined(separator: ", ") + (others.count > 3 ? " and more" : "")
    if !keys.isEmpty, !others.isEmpty {
      what = "has a signature, and changes \(list) too"
    } else if keys.count > 1 {
      what = "has the signatures of \(keys.count) keys"
    } else if isRemoved {
      what = "removes a signature"
    } else if kinds.count > 1, kinds.contains("draft") {
      what = "has a draft, and changes other files too: \(list)"
    } else {
      return nil
    }
  }
}
