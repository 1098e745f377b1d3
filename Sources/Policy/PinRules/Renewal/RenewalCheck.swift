package import Diagnostics
package import PinFormat
package import PinPolicy

/// What the settings of certificate tools mean for a policy's hosts.
package struct RenewalCheck {
  /// A host entry whose pins depend on a server's key, or on the key of a CA that one of the settings renews.
  package struct Host {
    /// The index in ``Policy/hosts``.
    package let entry: Int
    /// The settings that cover it, the worst first; empty if none does.
    package let settings: [RenewalSetting]
    /// By all of them the key is kept, but another one, which doesn't keep keys, may be for this host too.
    fileprivate let doubt: RenewalSetting?

    package var answer: RenewalSetting.Answer { doubt == nil ? settings.first?.answer ?? .unknown : .unknown }
  }

  private let policy: Policy
  private let sources: SourceSet
  private let instant: Instant
  /// In the policy's order.
  package let hosts: [Host]
  /// How many pinned entries don't depend on a server's key.
  package let unaffected: Int
  /// The settings of which it isn't known which hosts they are for.
  private let unread: [RenewalSetting]
  /// Those of CAs that no key is known to be of, though some keys may be.
  private let unmatched: [(setting: RenewalSetting, why: String)]
  /// The hosts that depend on a CA of the settings.
  private let byAuthority: Set<Int>
  /// What a record of this check has.
  private let recorded: [RenewalRecord.Host]
  private let files: [RenewalRecord.File]
  private let search: FilesRead?
  /// What chooses the hierarchy of entries that are pinned above the leaf.
  private let chosen: [(choice: RenewalSetting.Choice, tool: RenewalSetting.Tool, entries: [Int])]

  /// - Parameters:
  ///   - policy: The whole policy.
  ///   - settings: With places in `files`, whose numbers follow those of the policy's own.
  ///   - files: The files of the settings.
  ///   - search: What was read to find them.
  ///   - instant: The time that counts as now.
  package init(
    _ policy: Policy, _ settings: [RenewalSetting], in files: [SourceSet.File], search: FilesRead? = nil,
    at instant: Instant
  ) {
    self.search = search
    let input = CheckInput(policy: policy, at: instant)
    let coverage = RenewalCoverage(input)
    let sources = policy.sources.adding(files)
    var settingsOf: [Int: Set<Int>] = [:]
    var recorded: [RenewalRecord.Host] = []
    var unread: [RenewalSetting] = []
    var unmatched: [(setting: RenewalSetting, why: String)] = []
    var byAuthority: Set<Int> = []
    let renewed = RenewedAuthorities(input)
    let pinned = Set(input.hostFacts.entries(with: .hasKeys, without: .isOff))
    for (number, setting) in settings.enumerated() {
      func record(_ name: String) {
        recorded.append(
          RenewalRecord.Host(
            name: name, answer: setting.answer, tool: setting.tool, file: sources[setting.place.file].path,
            line: Int(setting.place.start.line), because: setting.reason))
      }
      var setting = setting
      if case .known(let names) = setting.names {
        for name in names {
          guard let (host, isWildcard) = CertificateName.host(name) else {
            // Such as a template's.
            setting.names = .unknown(
              "'\(VisibleText.of(name))' isn't a host name",
              help: "Write the name. Of a template, check its output: 'helm template … > manifests.yaml'.")
            continue
          }
          let entries = coverage.entries(of: name).intersection(pinned)
          for entry in entries { settingsOf[entry, default: []].insert(number) }
          if !entries.isEmpty { record((isWildcard ? "*." : "") + host.text) }
        }
      }
      if case .authority(let name) = setting.names {
        let entries = renewed.entries(pinning: name)
        for entry in entries { settingsOf[entry, default: []].insert(number) }
        byAuthority.formUnion(entries)
        if entries.isEmpty, setting.answer != .keeps, renewed.hasUnnamed {
          let what = name.map { "a CA '\(VisibleText.of($0))'" } ?? "a CA without a common name"
          unmatched.append((setting, "it is \(what), and no active key's file has a CA certificate with this name"))
        }
      }
      if case .unknown = setting.names {
        unread.append(setting)
        record(RenewalRecord.anyHost)
      }
    }
    let onLeaf = input.hostsOnLeafKeys
    byAuthority.subtract(onLeaf)
    let doubt = unread.first { $0.answer != .keeps }
    hosts = (onLeaf + byAuthority).sorted().map { entry in
      let covering = (settingsOf[entry] ?? []).map { settings[$0] }.sorted {
        $0.answer == $1.answer ? $0.place < $1.place : $0.answer > $1.answer
      }
      let mayBeOther = covering.first?.answer == .keeps && !byAuthority.contains(entry)
      return Host(entry: entry, settings: covering, doubt: mayBeOther ? doubt : nil)
    }
    self.byAuthority = byAuthority
    self.unmatched = unmatched
    recorded += hosts.filter(\.settings.isEmpty).map {
      RenewalRecord.Host(name: policy.hosts[$0.entry].host.text, answer: .unknown)
    }
    self.policy = policy
    self.sources = sources
    self.instant = instant
    self.unread = unread
    self.recorded = recorded
    self.files = files.compactMap { RenewalRecord.File($0) }
    let above = pinned.subtracting(onLeaf).union(onLeaf.filter { input.hostFacts.traits[$0].contains(.asksForBoth) })
    chosen = Self.chosen(settings, settingsOf, above)
    unaffected = pinned.count - hosts.count
  }

  private static func chosen(
    _ settings: [RenewalSetting], _ settingsOf: [Int: Set<Int>], _ above: Set<Int>
  ) -> [(choice: RenewalSetting.Choice, tool: RenewalSetting.Tool, entries: [Int])] {
    var entries: [RenewalSetting.Choice: (tool: RenewalSetting.Tool, entries: Set<Int>)] = [:]
    for (entry, numbers) in settingsOf where above.contains(entry) {
      for number in numbers {
        for choice in settings[number].choices {
          entries[choice, default: (settings[number].tool, [])].entries.insert(entry)
        }
      }
    }
    return entries.map { ($0, $1.tool, $1.entries.sorted()) }
  }

  /// What `--record` writes.
  package var record: RenewalRecord { RenewalRecord(checked: instant, hosts: recorded, files: files, search: search) }
}

// MARK: As text

extension RenewalCheck {
  /// A line for each host, and how many there are of the others.
  package var text: String {
    var table = Table()
    for host in hosts {
      let label = policy.hosts[host.entry].label
      guard let first = host.settings.first else {
        let other = unread.first.map { ", unless the one in \(location($0.place)) does" } ?? ""
        table.add(label, Self.word(.unknown), "-", "no setting covers it" + other)
        continue
      }
      let decisive = host.doubt ?? first
      let reason = host.doubt == nil ? first.reason : "this setting may be for it too"
      let choices =
        host.doubt == nil ? first.choices.filter { $0.reading == .known }.map { "; " + $0.text }.joined() : ""
      table.add(
        label, Self.word(host.answer), decisive.tool.rawValue, location(decisive.place) + ": " + reason + choices)
    }
    return table.text() + summary + "\n" + (search.map { $0.summary + "\n" } ?? "")
  }

  private func location(_ place: Place) -> String {
    "\(VisibleText.of(sources[place.file].path)):\(place.start.line)"
  }

  private static func word(_ answer: RenewalSetting.Answer) -> String {
    switch answer {
    case .keeps: "keeps the key"
    case .newKey: "new key"
    case .unknown: "unknown"
    }
  }

  /// `3 hosts depend on a server's key: 1 kept, 1 new, 1 unknown; 2 other hosts are pinned by a CA's key`.
  private var summary: String {
    func line(_ hosts: [Host], _ key: String) -> String {
      func count(_ answer: RenewalSetting.Answer) -> Int { hosts.count { $0.answer == answer } }
      return "\(counted(hosts.count, "host")) \(hosts.count == 1 ? "depends" : "depend") on \(key): "
        + "\(count(.keeps)) kept, \(count(.newKey)) new, \(count(.unknown)) unknown"
    }
    let onLeaf = hosts.filter { !byAuthority.contains($0.entry) }
    let others = hosts.filter { byAuthority.contains($0.entry) }
    var text = onLeaf.isEmpty ? "no host depends on a server's key" : line(onLeaf, "a server's key")
    if !others.isEmpty { text += "; " + line(others, "the key of a CA that is renewed here") }
    if unaffected > 0 {
      text += "; \(counted(unaffected, "other host")) \(unaffected == 1 ? "is" : "are") pinned by a CA's key"
    }
    return text
  }
}

// MARK: As findings

extension RenewalCheck {
  /// Hosts about which one setting says the same, so that a certificate of many names makes one finding.
  private struct Group: Hashable {
    var answer: RenewalSetting.Answer
    var place: Place?
    var isEnforced: Bool
    /// A setting that says otherwise.
    var other: Place?
  }

  /// The findings; hosts whose key is kept aren't reported.
  package func report() -> Report {
    var diagnostics = hosts.filter { $0.settings.isEmpty }.map { Rule.renewalUnknown.diagnostic(uncovered($0)) }
    var groups: [Group: [Host]] = [:]
    // A doubt is the finding about the setting that can't be read.
    for host in hosts where host.answer != .keeps && !host.settings.isEmpty && host.doubt == nil {
      let group = Group(
        answer: host.answer, place: host.settings.first?.place,
        isEnforced: policy.hosts[host.entry].mode.value == .enforce, other: Self.other(host)?.place)
      groups[group, default: []].append(host)
    }
    diagnostics += groups.compactMap { group, hosts in
      guard let first = hosts.first, let setting = first.settings.first else { return nil }
      let rule: Rule = group.answer == .newKey ? .renewalMakesNewKey : .renewalUnknown
      return rule.diagnostic(finding(setting, hosts, Self.other(first), severity(group.isEnforced, rule.severity)))
    }
    func unread(_ setting: RenewalSetting, _ why: String, _ help: String) -> Diagnostic {
      let what =
        sources[setting.place.file].bytes.isEmpty
        ? "this file wasn't read and may have renewal settings for any host"
        : "the hosts of this \(setting.tool.rawValue) setting are unknown"
      return Rule.renewalSettingsUnread.diagnostic(Finding(at: setting.place, "\(what): \(why)", help: help))
    }
    diagnostics += self.unread.compactMap { setting in
      if case .unknown(let why, let help) = setting.names { unread(setting, why, help) } else { nil }
    }
    diagnostics += unmatched.map {
      unread($0.setting, $0.why, "If the policy pins this CA, give its key the CA's certificate as 'file:'.")
    }
    diagnostics += chosen.map { choice, tool, entries in
      let labels = Wording.list(entries.map { policy.hosts[$0].label }, most: 4)
      return Rule.renewalChoosesHierarchy.diagnostic(
        Finding(
          at: choice.place,
          "pins of \(labels) above the leaf depend on \(choice.text), which \(tool.rawValue) uses at the next renewal",
          related: [
            Diagnostic.Related(
              "\(labels) \(entries.count == 1 ? "is" : "are") pinned here", at: policy.hosts[entries[0]].written.place)
          ],
          help: choice.reading == .known
            ? "Check that the chain which this gives has a pinned key: 'pintle probe' after a test renewal."
            : "Pass the file that has it, or the output of the template.",
          severity: choice.reading == .unread ? .warning : .note))
    }
    var report = Report(
      diagnostics: diagnostics.sorted(), sources: sources, rules: Rule.renewalRules.map(\.info), tool: .pintle,
      instant: instant.description)
    report.diagnostics = report.gravestFirst
    report.search = search
    report.remarks = search.map { [$0.summary] } ?? []
    report.hosts = Set(hosts.map { policy.hosts[$0.entry].label })
    return report
  }

  private static func other(_ host: Host) -> RenewalSetting? { host.settings.first { $0.answer != host.answer } }

  private func uncovered(_ host: Host) -> Finding {
    let entry = policy.hosts[host.entry]
    return Finding(
      at: entry.written.place,
      "no renewal setting was found for '\(entry.label)', so its next certificate may have a new key",
      help: """
        Pass the settings of the tool that renews its certificate too. Only \
        \(RenewalSetting.Tool.allCases.map(\.rawValue).listed()) are read; with another tool, the answer stays unknown. If \
        its pins are a CA's, add 'position: ca' to the keys.
        """,
      severity: severity(entry.mode.value == .enforce, Rule.renewalUnknown.severity))
  }

  private func finding(
    _ setting: RenewalSetting, _ hosts: [Host], _ other: RenewalSetting?, _ severity: Severity
  ) -> Finding {
    let entries = hosts.map { policy.hosts[$0.entry] }
    let names = Wording.list(entries.map(\.label), most: 4)
    let message =
      if case .authority(let name) = setting.names, let name {
        setting.answer == .newKey
          ? "the next renewal by \(setting.tool.rawValue) makes a new key for the CA '\(VisibleText.of(name))', whose current "
            + "key is pinned for \(names)"
          : "the next renewal by \(setting.tool.rawValue) may make a new key for the CA '\(VisibleText.of(name))', whose "
            + "current key is pinned for \(names)"
      } else {
        setting.answer == .newKey
          ? "the next renewal by \(setting.tool.rawValue) makes a new key for \(names), whose current key is pinned"
          : "the next renewal by \(setting.tool.rawValue) may make a new key for \(names), whose current key is pinned"
      }
    let more = entries.count > 1 ? ", with \(counted(entries.count - 1, "more host"))" : ""
    var related = [Diagnostic.Related("'\(entries[0].label)' is pinned here\(more)", at: entries[0].written.place)]
    if let other {
      let says = other.answer == .keeps ? "keeps the key" : "doesn't say what happens to the key"
      related.append(
        Diagnostic.Related("this setting of \(other.tool.rawValue) \(says); the worst answer counts", at: other.place))
    }
    return Finding(
      at: setting.place, "\(message): \(setting.reason)", related: related, help: setting.help, severity: severity)
  }

  /// One less where clients only report.
  private func severity(_ isEnforced: Bool, _ full: Severity) -> Severity {
    if isEnforced { return full }
    return full == .error ? .warning : .note
  }
}
