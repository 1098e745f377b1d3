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
  /// The same as each audience has it.
  package let policies: [LoadedPolicy]
  /// The rules whose errors are accepted for a time, so that they don't stop the release.
  package let accepted: [String]
  /// Until when.
  package let until: String
  /// The hosts whose servers are expected to present the key, one sentence for each choice of other keys.
  package let warnings: [String]

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
    try Self.requireKey(name, in: policies)
    var edits: [RotationEdits.Edit] = []
    for policy in policies { edits += try Self.edits(name, reason, policy.policy).filter { !edits.contains($0) } }
    let end = instant.adding(seconds: Self.days * 86_400)
    let day = Instant(written: String("\(end)".prefix { $0 != "T" })) ?? end
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
    var first = day
    var texts: [FileID: [Int: String]] = [:]
    for (file, lines) in comments {
      for (line, codes) in lines {
        // A line has one comment of this kind, with one date.
        let older = plain.policy.policy.suppressions.filter {
          $0.place.file == file && $0.place.start.line == line && instant < $0.until && !codes.contains($0.code)
        }
        let until = older.map(\.until).reduce(day, min)
        let reasons = ["'\(name)' is denied: \(reason)"] + Set(older.map(\.reason)).sorted()
        texts[file, default: [:]][line] = SuppressionComment.written(
          codes.union(older.map(\.code)).sorted(), until: until, reason: reasons.joined(separator: "; "))
        first = min(first, until)
      }
    }
    until = first.written
    rewrite = try PolicyRewrite(edits, of: policy, in: directory, comments: texts)
    self.policies = try Self.each(policies, of: rewrite)
    warnings = Self.warnings(about: name, in: policies)
    for one in self.policies {
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
  ///   - policy: The policy as the audience would have it.
  ///   - last: The audience's newest release.
  ///   - directory: Where it was read from.
  ///   - instant: The instant that counts as now.
  /// - Throws: ``WorkFailure`` with what to do.
  package static func require(
    onlyIn policy: LoadedPolicy, after last: Manifest, at directory: String, _ instant: Instant
  ) throws(WorkFailure) {
    guard try !policy.rehearsed(at: instant).manifest.onlyDenies(after: last) else { return }
    let commit = last.provenance.commit.map { "git checkout \($0) -- \(ShellWord.of(directory))" }
    throw WorkFailure(
      .findings,
      "the policy also has changes\(policy.oneOfSeveral.map { " for '\($0)'" } ?? "") that serial \(last.serial) doesn't have; "
        + "nothing was written",
      help: "Go back to the policy of that release, and add the changes again afterwards"
        + (commit.map { ": \($0)." } ?? "."))
  }

  private static func requireKey(_ name: String, in policies: [LoadedPolicy]) throws(WorkFailure) {
    guard !policies.contains(where: { $0.policy.keys.contains { $0.name.value == name } }) else { return }
    for one in policies {
      let policy = one.policy
      let host = policy.hosts.first { $0.label == name || $0.written.value == name || $0.host.text == name }
      let set = policy.keySets.first { !$0.isInline && $0.name == name }
      guard let number = host?.keySet?.value else {
        if let set { throw isNoKey(name, "a key set", set, policy) }
        continue
      }
      throw isNoKey(name, "a host", policy.keySets[number], policy)
    }
    throw WorkFailure(
      .failed, "the policy has no key '\(VisibleText.of(name))'",
      help: "A key that it doesn't declare is denied by adding it under 'keys:', with 'denied:'.")
  }

  private static func isNoKey(
    _ name: String, _ kind: String, _ set: Policy.KeySet, _ policy: Policy
  ) -> WorkFailure {
    let keys = (set.active + set.backup).map { policy.keys[$0.key].name.value }
    return WorkFailure(
      .failed, "'\(VisibleText.of(name))' is \(kind), not a key; its keys: \(keys.joined(separator: ", "))",
      help: "Name the key that was stolen.")
  }

  /// Which hosts are blocked, and what ends it.
  private static func warnings(about name: String, in policies: [LoadedPolicy]) -> [String] {
    var hosts: [[String]: Set<String>] = [:]
    for policy in policies.map(\.policy) {
      for host in policy.hosts where host.mode.value == .enforce {
        guard let set = host.keySet.map({ policy.keySets[$0.value] }) else { continue }
        let active = set.active.map { policy.keys[$0.key].name.value }
        let others = (set.active + set.backup).map { policy.keys[$0.key] }.filter { !$0.isDenied }.map(\.name.value)
        guard active.contains(name) else { continue }
        hosts[others.filter { $0 != name }, default: []].insert(host.label)
      }
    }
    return hosts.map { keys, hosts in
      let present = Wording.list(keys, joinedBy: "or")
      return hosts.count == 1
        ? "\(Wording.list(hosts.sorted())) is blocked if it still presents '\(name)': have it present \(present) first"
        : "\(Wording.list(hosts.sorted())) are blocked if they still present '\(name)': have them present \(present) first"
    }.sorted()
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
    guard let key = policy.keys.first(where: { $0.name.value == name }) else { return [] }
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
