package import Diagnostics
package import PinFormat
package import PinPolicy
import PinRelease
import PinRotation
import PinRules
import PinValidator

/// The policy in which a key is denied, with nothing but what that needs.
package struct KeyDenial {
  package let rewrite: PolicyRewrite
  /// The rules whose errors are accepted for a time, so that they don't stop the release.
  package let accepted: [String]
  /// Until when.
  package let until: String

  /// Errors that a denial may cause or meet, and that have to be fixed after it: a set without a backup, and an entry of
  /// anybody that has expired.
  private static let acceptable: Set = [Rule.missingBackup.code, Rule.expired.code]
  private static let days: Int64 = 14

  /// Denies a key, and removes it from all key sets; the backups of a set that has no other active key become active.
  ///
  /// - Parameters:
  ///   - name: The key's name in the policy.
  ///   - reason: Why it is denied.
  ///   - policies: The policy as each audience has it.
  ///   - directory: Where it was read from.
  ///   - instant: The instant that counts as now.
  /// - Throws: ``WorkFailure`` where the key can't be denied so, or the policy would have other errors.
  package init(
    of name: String, because reason: String, in policies: [LoadedPolicy], at directory: String, at instant: Instant
  ) throws(WorkFailure) {
    var edits: [RotationEdits.Edit] = []
    for policy in policies { edits += try Self.edits(name, reason, policy.policy).filter { !edits.contains($0) } }
    let day = String("\(instant.adding(seconds: Self.days * 86_400))".prefix { $0 != "T" })
    let policy = policies[0].policy
    let plain = try PolicyRewrite(edits, of: policy, in: directory)
    var comments: [FileID: [Int: Set<String>]] = [:]
    for one in try Self.each(policies, of: plain) {
      for error in CheckedPolicy.check(CheckInput(policy: one.policy, at: instant)).result.diagnostics
      where error.severity == .error && Self.acceptable.contains(error.code) {
        comments[error.place.file, default: [:]][Int(error.place.start.line), default: []].insert(error.code)
      }
    }
    accepted = Set(comments.values.flatMap { $0.values.flatMap(\.self) }).sorted()
    until = day
    rewrite = try PolicyRewrite(
      edits, of: policy, in: directory,
      comments: comments.mapValues { lines in
        lines.mapValues { codes in
          "pintle:allow \(codes.sorted().joined(separator: ", ")) until \(day): '\(name)' is denied: \(reason)"
        }
      })
    for one in try Self.each(policies, of: rewrite) {
      _ = try one.checked(
        at: instant,
        orFail: WorkFailure(
          .findings, "with '\(VisibleText.of(name))' denied, the policy would have errors; nothing was written",
          help: "Fix the errors above first. A key set that has no other key needs one that servers can present."),
        showsErrorsAlone: true)
    }
  }

  /// Refuses a policy that changes anything but the denial for an audience's clients.
  ///
  /// - Parameters:
  ///   - last: The audience's newest release.
  ///   - audience: Nil where the policy makes one manifest.
  ///   - instant: The instant that counts as now.
  /// - Throws: ``WorkFailure`` with what to do.
  package func requireOnlyDenial(
    after last: Manifest, for audience: String?, at instant: Instant
  ) throws(WorkFailure) {
    let policy = try audience.map { (name) throws(WorkFailure) in try rewrite.policy(for: name) } ?? rewrite.policy
    guard try !policy.rehearsed(at: instant).manifest.onlyDenies(after: last) else { return }
    let commit = last.provenance.commit.map { "git checkout \($0) -- policies" }
    throw WorkFailure(
      .findings,
      "the policy also has changes\(audience.map { " for '\($0)'" } ?? "") that serial \(last.serial) doesn't have; "
        + "nothing was written",
      help: "Go back to the policy of that release, and add the changes again afterwards"
        + (commit.map { ": \($0)." } ?? "."))
  }

  private static func each(
    _ policies: [LoadedPolicy], of rewrite: PolicyRewrite
  ) throws(WorkFailure) -> [LoadedPolicy] {
    var each: [LoadedPolicy] = []
    for policy in policies {
      each.append(
        try policy.oneOfSeveral.map { (name) throws(WorkFailure) in try rewrite.policy(for: name) } ?? rewrite.policy)
    }
    return each
  }

  private static func edits(
    _ name: String, _ reason: String, _ policy: Policy
  ) throws(WorkFailure) -> [RotationEdits.Edit] {
    guard let key = policy.keys.first(where: { $0.name.value == name }) else {
      throw WorkFailure(
        .failed, "the policy has no key '\(VisibleText.of(name))'",
        help: "A key that it doesn't declare is denied by adding it under 'keys:', with 'denied:'.")
    }
    guard key.denied == nil else {
      throw WorkFailure(
        .failed, "'\(VisibleText.of(name))' is denied already",
        help: "If no release says so yet, build the next one.")
    }
    func edit(_ edit: PolicyEdit, _ file: FileID, _ place: Place) -> RotationEdits.Edit {
      RotationEdits.Edit(edit: edit, file: file, text: "", place: place)
    }
    let (file, place) = (key.name.place.file, key.name.place)
    var edits = [edit(.set(["denied"], to: reason, ofKey: name), file, place)]
    if key.status != nil { edits.append(edit(.unset(["status"], ofKey: name), file, place)) }
    for (number, set) in policy.keySets.enumerated() {
      let lists = [(PolicyEdit.List.active, set.active), (.backup, set.backup)].map { list, members in
        (list, members.map { policy.keys[$0.key].name.value })
      }
      guard lists.contains(where: { $0.1.contains(name) }), let (file, target) = policy.target(ofKeySet: number) else {
        continue
      }
      for (list, names) in lists where names.contains(name) {
        edits.append(edit(.remove(key: name, from: list, of: target), file, set.place))
      }
      if lists[0].1 == [name] {
        for backup in lists[1].1 where backup != name {
          edits.append(edit(.move(key: backup, from: .backup, of: target), file, set.place))
        }
      }
    }
    return edits
  }
}
