package import Diagnostics

extension PolicyEdit.KeySet {
  var path: [PlainValue.Step] {
    switch self {
    case .named(let name): [.field("key-sets"), .field(name)]
    case .inline(let owner): owner.path + [.field("keys")]
    }
  }

  /// The set as messages name it.
  var label: String {
    switch self {
    case .named(let name): "key set '\(name)'"
    case .inline: "entry with a key set of its own"
    }
  }
}

extension PolicyEdit.Owner {
  var path: [PlainValue.Step] {
    switch self {
    case .defaults(nil): [.field("defaults")]
    case .defaults(let audience?): Self.path(to: audience) + [.field("defaults")]
    case .host(let number): [.field("hosts"), .item(number)]
    case .overlay(let number, let audience): Self.path(to: audience) + [.field("overlays"), .item(number)]
    }
  }

  private static func path(to audience: String) -> [PlainValue.Step] {
    [.field("manifest"), .field("audiences"), .field(audience)]
  }
}

extension YAMLTree {
  /// The mapping of a key set.
  func mapping(of set: PolicyEdit.KeySet) throws(PolicyEditError) -> Node {
    try mapping(at: set.path, set.label)
  }

  /// The mapping of trust settings.
  func trust(of owner: PolicyEdit.Owner) throws(PolicyEditError) -> Node {
    try mapping(at: owner.path + [.field("trust")], "entry with trust settings of its own")
  }

  /// The mapping of a key.
  func mapping(ofKey name: String) throws(PolicyEditError) -> Node {
    try mapping(at: PlainValue.path(toKey: name), "key '\(name)'")
  }

  private func mapping(at path: [PlainValue.Step], _ label: String) throws(PolicyEditError) -> Node {
    var node = root
    for step in path {
      let next =
        switch step {
        case .field(let name): node[name]?.value
        case .item(let number): node.items.flatMap { $0.indices.contains(number) ? $0[number] : nil }
        }
      guard let next else { throw .noTarget(label) }
      node = next
    }
    guard node.entries != nil else { throw .noTarget(label) }
    return node
  }
}

extension Policy {
  /// A key set of the policy as edits name it, and the file that it is in.
  package func target(ofKeySet number: Int) -> (file: FileID, set: PolicyEdit.KeySet)? {
    let set = keySets[number]
    guard set.isInline else { return (set.place.file, .named(set.name)) }
    let owners = owners(in: set.place.file) { entry in
      if case .inline(let inline)? = entry.keys { inline.place } else { nil }
    }
    return owners[set.place].map { (set.place.file, .inline($0)) }
  }

  /// What has trust settings in a file, by the places of these.
  package func ownersOfTrust(in file: FileID) -> [Place: PolicyEdit.Owner] {
    owners(in: file, \.terms.trust?.place, orDefaults: \.trust?.place)
  }

  /// Looks in a file as it is written: of one for several audiences, the policy of one has only a part.
  private func owners(
    in id: FileID, _ place: (ParsedHost) -> Place?, orDefaults ofDefaults: (ParsedTerms) -> Place? = { _ in nil }
  ) -> [Place: PolicyEdit.Owner] {
    let file = PolicyReader.read(sources[id].bytes, file: id).0
    var owners: [Place: PolicyEdit.Owner] = [:]
    func add(_ owner: PolicyEdit.Owner, at place: Place?) {
      if let place { owners[place] = owner }
    }
    add(.defaults(audience: nil), at: ofDefaults(file.defaults))
    for (number, host) in file.hosts.enumerated() { add(.host(number), at: place(host)) }
    for audience in file.settings?.audiences ?? [] {
      let name = audience.name.value
      add(.defaults(audience: name), at: ofDefaults(audience.defaults))
      for (number, overlay) in audience.overlays.enumerated() {
        add(.overlay(number, audience: name), at: place(overlay.entry))
      }
    }
    return owners
  }

  /// The path of a key's file, as another file of the policy has to write it; nil for a key without a file.
  package func path(toFileOf key: Key, from file: FileID) -> String? {
    let parsed = files.first { $0.id == key.name.place.file }?.keys.first { $0.name.place == key.name.place }
    guard case .file(let written)? = parsed?.source else { return nil }
    return PolicyPath.relative(written.value, of: sources[written.place.file].path, from: sources[file].path)
  }
}
