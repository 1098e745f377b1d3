import Diagnostics
import PinFormat

extension ParsedPolicy {
  /// The audiences of the policy, each of which has a manifest; empty where it states one, or none.
  package var audiences: [ParsedAudience] { files.lazy.compactMap(\.settings).first?.audiences ?? [] }

  /// Those whose manifests have all hosts.
  package var environments: [ParsedAudience] { audiences.filter { $0.sliceOf == nil } }
}

/// The part of a policy that is for one audience, as if the files said nothing else.
///
/// It is a function of what was parsed, so everything that is made of a policy is made of each audience's in the same way.
struct AudienceSelection {
  private(set) var policy: ParsedPolicy
  private let audience: ParsedAudience
  private let whole: ParsedPolicy

  init(of whole: ParsedPolicy, for audience: ParsedAudience) {
    self.whole = whole
    self.audience = audience
    policy = whole
    for file in whole.files { noteWhatIsForOthers(in: file) }
    for index in policy.files.indices { select(in: &policy.files[index]) }
    applyOverlays()
    leaveOutWhatOthersUse()
  }

  private func isFor(_ audiences: [Located<String>]) -> Bool {
    audiences.isEmpty || audiences.contains { $0.value == audience.name.value }
  }

  /// What an entry or key set can't name, and why.
  private mutating func noteWhatIsForOthers(in file: ParsedFile) {
    let ofFile = isFor(file.audiences) ? nil : file.audiences[0].place
    if let ofFile {
      for key in file.keys where policy.keysOfOthers[key.name.value] == nil {
        policy.keysOfOthers[key.name.value] = ofFile
      }
    }
    for set in file.keySets {
      guard let name = set.name?.value, policy.keySetsOfOthers[name] == nil else { continue }
      policy.keySetsOfOthers[name] = ofFile ?? (isFor(set.audiences) ? nil : set.audiences[0].place)
    }
  }

  private func select(in file: inout ParsedFile) {
    file.settings = file.settings.map { $0.overlaid(by: audience) }
    guard isFor(file.audiences) else {
      // Denials are for everybody.
      file.keys.removeAll { $0.notes?.denied == nil }
      (file.keySets, file.hosts, file.suppressions) = ([], [], [])
      file.defaults = ParsedTerms()
      return
    }
    if !file.hosts.isEmpty { file.defaults = audience.defaults.over(file.defaults) }
    file.keySets.removeAll { !isFor($0.audiences) }
    file.hosts.removeAll { !isFor($0.audiences) }
    for index in file.hosts.indices {
      if case .inline(let set)? = file.hosts[index].keys, !isFor(set.audiences) { file.hosts[index].keys = nil }
    }
  }
}

// MARK: Overlays

extension AudienceSelection {
  private mutating func applyOverlays() {
    guard !audience.overlays.isEmpty else { return }
    var entries: [String: (file: Int, host: Int)] = [:]
    for (file, parsed) in policy.files.enumerated() {
      for (host, entry) in parsed.hosts.enumerated() { entries[entry.label ?? ""] = (file, host) }
    }
    var overlaid: [String: Place] = [:]
    for overlay in audience.overlays {
      guard let written = overlay.entry.host, let label = overlay.entry.label else { continue }
      if let first = overlaid[label] {
        policy.problems.append(PolicyProblem(.repeatedOverlay(label: label), at: written.place, related: first))
        continue
      }
      overlaid[label] = written.place
      guard let entry = entries[label] else {
        add(.overlayWithoutEntry(label: label, audience: audience.name.value), at: written.place)
        continue
      }
      policy.files[entry.file].hosts[entry.host].overlay(with: overlay)
    }
  }

  private mutating func add(_ kind: PolicyProblem.Kind, at place: Place) {
    policy.problems.append(PolicyProblem(kind, at: place))
  }
}

extension ParsedOverlay {
  /// The entry as messages name it afterwards; nil where it keeps its host.
  package var newLabel: String? { newHost.flatMap { entry.label(of: $0) } }
}

extension ParsedHost {
  /// The entry as messages name it; nil where its host isn't one.
  package var label: String? { label(of: host) }

  fileprivate func label(of host: Located<String>?) -> String? {
    guard let host, let name = try? InternationalName.host(host.value) else { return nil }
    return HostLabel.text(host: name, port: port?.value)
  }

  fileprivate mutating func overlay(with overlay: ParsedOverlay) {
    let other = overlay.entry
    if other.terms.mode?.value == .off {
      // What an entry says of pins, it doesn't say where it is off.
      (keys, terms, probe) = (nil, terms.ofExclusion, [])
    }
    // Names that aren't hosts are reported with the audiences.
    if let host = overlay.newHost, (try? InternationalName.host(host.value)) != nil {
      self.host = host
      probe = []
    }
    keys = other.keys ?? keys
    terms = other.terms.over(terms)
    if other.reason != nil { reason = other.reason }
  }
}

// MARK: Names

extension AudienceSelection {
  /// Leaves out the key sets and keys that only other audiences' entries use.
  ///
  /// What no entry uses at all stays, to be reported once. Denials are for everybody.
  private mutating func leaveOutWhatOthersUse() {
    let everybody = UsedNames(whole.files, whole.audiences.flatMap(\.overlays))
    let own = UsedNames(policy.files, [])
    for index in policy.files.indices {
      policy.files[index].keySets.removeAll {
        everybody.sets.contains($0.name?.value) && !own.sets.contains($0.name?.value)
      }
    }
    var keys = own.keys
    for set in policy.files.lazy.flatMap(\.keySets) { keys.formUnion((set.active + set.backup).map(\.value)) }
    let everybodys = everybody.keys.union(whole.files.flatMap(\.keySets).flatMap { $0.active + $0.backup }.map(\.value))
    for index in policy.files.indices {
      policy.files[index].keys.removeAll { key in
        key.notes?.denied == nil && everybodys.contains(key.name.value) && !keys.contains(key.name.value)
      }
    }
  }

  /// The key sets that entries name, and the keys of the sets in them.
  private struct UsedNames {
    var sets: Set<String?> = []
    var keys: Set<String> = []

    init(_ files: [ParsedFile], _ overlays: [ParsedOverlay]) {
      for file in files { for host in file.hosts { add(host.keys) } }
      for overlay in overlays { add(overlay.entry.keys) }
    }

    private mutating func add(_ keys: ParsedHost.Keys?) {
      switch keys {
      case .named(let name): sets.insert(name.value)
      case .inline(let set): self.keys.formUnion((set.active + set.backup).map(\.value))
      case nil: break
      }
    }
  }
}

// MARK: Settings

extension ParsedSettings {
  /// What holds for one audience: its own settings, else those for all.
  func overlaid(by audience: ParsedAudience) -> ParsedSettings {
    let own = audience.settings
    var settings = self
    settings.audience = audience.name
    settings.refreshAfter = own.refreshAfter ?? refreshAfter
    settings.expiresAfter = own.expiresAfter ?? expiresAfter
    settings.onStale = own.onStale ?? onStale
    settings.clientMaxAge = own.clientMaxAge ?? clientMaxAge
    settings.clients = own.clients.isEmpty ? clients : own.clients
    settings.signerKinds = own.signerKinds.isEmpty ? signerKinds : own.signerKinds
    settings.stores = own.stores.isEmpty ? stores : own.stores
    settings.unpinnedHosts = own.unpinnedHosts ?? unpinnedHosts
    settings.maximumLifetime = own.maximumLifetime ?? maximumLifetime
    settings.expiryWarning = own.expiryWarning ?? expiryWarning
    settings.maximumHosts = own.maximumHosts ?? maximumHosts
    settings.maximumBlastRadius = own.maximumBlastRadius ?? maximumBlastRadius
    return settings
  }
}
